//! Records: how entries stand in a segment, one after the other.
//!
//! A segment is [`MAGIC`] and records. A record is the body's length (4 bytes, little end first),
//! the key (32), the seal (32), the first 8 bytes of the BLAKE3 of those 68, and the body. A record
//! counts once all of it is there.

use crate::seal::{LONGEST, Sealed};
use evenhand_core::RequestKey;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

pub(super) const MAGIC: &[u8; 8] = b"EVHSEG1\n";
/// Length, key and seal; then their check.
const FIELDS: usize = 4 + 32 + 32;
pub(super) const HEADER: usize = FIELDS + 8;

/// A record whose place is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) key: RequestKey,
    pub(super) seal: [u8; 32],
    /// Where the body begins, from the start of the file.
    pub(super) at: u64,
    pub(super) length: usize,
}

/// Where a scan ended, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scanned {
    /// Up to where all records are whole.
    pub(super) to: u64,
    /// Whether what follows can never become a record: bytes that nobody wrote as one. A record
    /// that is not all there yet is not damage.
    pub(super) is_damaged: bool,
}

/// Appends a record.
pub(super) fn write_record(out: &mut Vec<u8>, entry: &Sealed) {
    let start = out.len();
    out.extend_from_slice(&(entry.body.len() as u32).to_le_bytes());
    out.extend_from_slice(&entry.key.0);
    out.extend_from_slice(&entry.seal);
    let check = blake3::hash(&out[start..]);
    out.extend_from_slice(&check.as_bytes()[..8]);
    out.extend_from_slice(&entry.body);
}

/// Tells `found` of each whole record from this place to the end of a segment. The start is 0 or
/// where another scan ended. Bodies are passed over; their seals tell whether they are right.
pub(super) fn scan(
    segment: impl Read + Seek,
    end: u64,
    from: u64,
    mut found: impl FnMut(Header),
) -> io::Result<Scanned> {
    let mut reader = BufReader::with_capacity(1 << 16, segment);
    let mut to = from;
    if from == 0 {
        let mut magic = [0; MAGIC.len()];
        if end < magic.len() as u64 {
            return Ok(Scanned {
                to,
                is_damaged: false,
            });
        }
        reader.seek(SeekFrom::Start(0))?;
        reader.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Ok(Scanned {
                to,
                is_damaged: true,
            });
        }
        to = magic.len() as u64;
    } else {
        reader.seek(SeekFrom::Start(from))?;
    }
    let mut header = [0; HEADER];
    while end.saturating_sub(to) >= HEADER as u64 {
        reader.read_exact(&mut header)?;
        let Some(record) = read_header(&header, to + HEADER as u64) else {
            return Ok(Scanned {
                to,
                is_damaged: true,
            });
        };
        let after = record.at + record.length as u64;
        if after > end {
            break;
        }
        reader.seek_relative(record.length as i64)?;
        found(record);
        to = after;
    }
    Ok(Scanned {
        to,
        is_damaged: false,
    })
}

fn read_header(bytes: &[u8; HEADER], at: u64) -> Option<Header> {
    let (fields, check) = bytes.split_at(FIELDS);
    if blake3::hash(fields).as_bytes()[..8] != *check {
        return None;
    }
    let (length, fields) = fields.split_first_chunk::<4>()?;
    let (key, seal) = fields.split_first_chunk::<32>()?;
    let length = u32::from_le_bytes(*length) as usize;
    (length <= LONGEST).then_some(Header {
        key: RequestKey(*key),
        seal: seal.try_into().ok()?,
        at,
        length,
    })
}

/// Reads the record whose body begins here and is this long; None where another stands there.
pub(super) fn read_whole(mut file: &File, at: u64, length: usize) -> io::Result<Option<Sealed>> {
    let Some(start) = at.checked_sub(HEADER as u64) else {
        return Ok(None);
    };
    let mut bytes = vec![0; HEADER + length];
    file.seek(SeekFrom::Start(start))?;
    if let Err(error) = file.read_exact(&mut bytes) {
        return match error.kind() {
            io::ErrorKind::UnexpectedEof => Ok(None),
            _ => Err(error),
        };
    }
    let header = bytes
        .first_chunk()
        .and_then(|header| read_header(header, at));
    let body = bytes.split_off(HEADER);
    Ok(header
        .filter(|header| header.length == length)
        .map(|header| Sealed {
            key: header.key,
            seal: header.seal,
            body,
        }))
}
