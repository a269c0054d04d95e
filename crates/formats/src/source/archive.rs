//! The text within a ZIP archive: the samples of an Inspect log, or the one file of records.
//!
//! The archive's directory is read by the `zip` crate; entries are unpacked here as they are read,
//! in bounded memory. Names within an archive are compared and shown, and open nothing.

use super::foreign::Foreign;
use super::json_scan::Nesting;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::{self, BufReader, Cursor, Read};
use std::ops::Range;
use std::sync::Arc;
use zip::ZipArchive;

/// The most entries that an archive may have.
const MOST_ENTRIES: usize = 1_000_000;

/// By how much all entries may be longer than they are packed, and how many bytes more they may
/// be. Deflate makes at most 1,032 bytes of one (RFC 1951); zstd could make any number of them.
const MOST_RATIO: u64 = 1_100;
const RATIO_FREE: u64 = 1 << 20;

/// How many names an error lists.
const MOST_NAMES: usize = 10;

/// The text within an archive: its entries one behind the other.
pub(crate) struct Archive {
    bytes: Arc<[u8]>,
    /// What is still to be read, the next one last.
    entries: Vec<Entry>,
    /// Whether each entry is one record of JSON, which is put on one line.
    by_record: bool,
    open: Option<OpenEntry>,
}

/// How an entry is packed (APPNOTE.TXT 4.4.5).
#[derive(Clone, Copy)]
enum Packing {
    Stored,
    Deflate,
    Zstd,
}

struct Entry {
    name: String,
    packing: Packing,
    /// Where it stands in the archive.
    range: Range<usize>,
    size: u64,
    crc: u32,
}

/// An entry that is being unpacked.
struct OpenEntry {
    name: String,
    unpacked: Box<dyn Read + Send>,
    /// How many bytes are still to come, and the checksum of those before.
    left: u64,
    crc: Crc,
    expected_crc: u32,
    /// Of a record: what is open of it, and whether anything was.
    nesting: Nesting,
    begun: bool,
}

impl Archive {
    /// Opens an archive.
    ///
    /// # Errors
    /// An archive that is damaged, holds no records or several files of them, or would unpack to
    /// more than text does.
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self, Foreign> {
        let bytes: Arc<[u8]> = bytes.into();
        let mut archive = ZipArchive::new(Cursor::new(bytes.clone())).map_err(damaged)?;
        if archive.len() > MOST_ENTRIES {
            return Err(Foreign::DamagedZip(format!(
                "it has {} entries, and at most {MOST_ENTRIES} are read",
                archive.len()
            )));
        }
        // Many entries that share their bytes are a bomb, and no program packs so.
        if archive.has_overlapping_files().map_err(damaged)? {
            return Err(Foreign::DamagedZip(
                "entries of it share their bytes".into(),
            ));
        }
        let names: Vec<String> = archive
            .file_names_raw()
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        // Inspect writes its journal before anything else, and the header at last.
        let is_log = names.iter().any(|name| name.starts_with("_journal/"))
            || names.iter().any(|name| name == "header.json")
                && names.iter().any(|name| is_chosen(name, true));
        let mut chosen: Vec<usize> = (0..names.len())
            .filter(|&at| names.get(at).is_some_and(|name| is_chosen(name, is_log)))
            .collect();
        chosen.sort_by_key(|&at| names.get(at));
        if is_log && chosen.is_empty() {
            return Err(Foreign::LogWithoutSamples);
        }
        // Of two entries with one name Inspect reads the last, as it writes a sample anew; so does
        // the directory that was read. In another archive it is not known which is meant.
        if !is_log && (chosen.len() != 1 || archive.has_duplicate_names()) {
            let of = if chosen.is_empty() {
                names
            } else {
                let chosen = chosen.iter().filter_map(|&at| names.get(at).cloned());
                chosen.collect()
            };
            return Err(Foreign::Zip {
                records: chosen.len(),
                names: list_names(&of),
            });
        }
        let mut entries = Vec::with_capacity(chosen.len());
        let (mut size, mut packed) = (0_u64, 0_u64);
        for at in chosen.into_iter().rev() {
            let entry = find_entry(&mut archive, at, &bytes)?;
            size = size.saturating_add(entry.size);
            packed = packed.saturating_add(entry.range.len() as u64);
            entries.push(entry);
        }
        if size > packed.saturating_mul(MOST_RATIO).saturating_add(RATIO_FREE) {
            return Err(Foreign::DamagedZip(format!(
                "{packed} bytes of it would unpack to {size}, which no text does"
            )));
        }
        Ok(Archive {
            bytes,
            entries,
            by_record: is_log,
            open: None,
        })
    }
}

/// Whether an entry holds records.
fn is_chosen(name: &str, is_log: bool) -> bool {
    if is_log {
        return name.starts_with("samples/") && name.ends_with(".json");
    }
    let small = name.to_ascii_lowercase();
    // macOS puts a second, binary entry beside each file.
    let ending = [".json", ".jsonl", ".csv"]
        .iter()
        .any(|ending| small.ends_with(ending));
    ending && !name.starts_with("__MACOSX/")
}

fn find_entry(
    archive: &mut ZipArchive<Cursor<Arc<[u8]>>>,
    at: usize,
    bytes: &[u8],
) -> Result<Entry, Foreign> {
    let file = archive.by_index_raw(at).map_err(damaged)?;
    let name = String::from_utf8_lossy(file.name_raw()).into_owned();
    let shown = list_names(std::slice::from_ref(&name));
    let refuse = |why: String| Err(Foreign::DamagedZip(format!("{shown} {why}")));
    if file.encrypted() {
        return refuse("needs a password; unpack it".into());
    }
    #[allow(
        deprecated,
        reason = "the number is the same with any features of the crate"
    )]
    let packing = match file.compression().to_u16() {
        0 => Packing::Stored,
        8 => Packing::Deflate,
        93 => Packing::Zstd,
        method => {
            return refuse(format!(
                "is packed by method {method}; pack it by deflate or zstd"
            ));
        }
    };
    let (size, packed) = (file.size(), file.compressed_size());
    let start = file.data_start();
    let range = start.and_then(|start| {
        let end = start.checked_add(packed)?;
        Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    });
    let crc = file.crc32();
    match range.filter(|range| bytes.get(range.clone()).is_some()) {
        None => refuse("ends beyond the end of the file; fetch the file again".into()),
        Some(range) => Ok(Entry {
            packing,
            range,
            size,
            crc,
            name,
        }),
    }
}

fn damaged(error: zip::result::ZipError) -> Foreign {
    Foreign::DamagedZip(format!("{error}; fetch the file again"))
}

/// Lists names from an archive, which may be of any length and hold anything.
fn list_names(names: &[String]) -> String {
    let mut all: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| {
            let short: String = name.chars().take(100).collect();
            format!("`{}`", short.escape_debug())
        })
        .collect();
    if names.len() > MOST_NAMES {
        all.push(format!("{} more", names.len() - MOST_NAMES));
    }
    all.join(", ")
}

impl Entry {
    fn open(self, bytes: &Arc<[u8]>) -> io::Result<OpenEntry> {
        let mut packed = Cursor::new(bytes.clone());
        packed.set_position(self.range.start as u64);
        let packed = BufReader::new(packed.take(self.range.len() as u64));
        let unpacked: Box<dyn Read + Send> = match self.packing {
            Packing::Stored => Box::new(packed),
            Packing::Deflate => Box::new(DeflateDecoder::new(packed)),
            Packing::Zstd => Box::new(zstd::Decoder::with_buffer(packed)?),
        };
        Ok(OpenEntry {
            name: self.name,
            unpacked,
            left: self.size,
            crc: Crc::new(),
            expected_crc: self.crc,
            nesting: Nesting::default(),
            begun: false,
        })
    }
}

impl OpenEntry {
    /// Unpacks more; 0 at its end, where it must be what was packed.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self
            .unpacked
            .read(into)
            .map_err(|e| self.damaged(&e.to_string()))?;
        self.crc.update(into.get(..read).unwrap_or_default());
        match self.left.checked_sub(read as u64) {
            None => return Err(self.damaged("it is longer than the archive says")),
            Some(left) => self.left = left,
        }
        if read == 0 && !into.is_empty() && (self.left > 0 || self.crc.sum() != self.expected_crc) {
            return Err(self.damaged("it is cut short or its checksum is another"));
        }
        Ok(read)
    }

    fn damaged(&self, why: &str) -> io::Error {
        let name = list_names(std::slice::from_ref(&self.name));
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("the entry {name} of the zip file is damaged ({why}); fetch the file again"),
        )
    }

    /// Puts a record on one line: its line ends outside strings become blanks. An entry that is
    /// anything but one object is an error, here where its name is known.
    fn put_on_line(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        for byte in bytes {
            let Nesting {
                depth, in_string, ..
            } = self.nesting;
            let is_first = *byte == b'{' && !self.begun;
            if depth == 0 && !is_first && !byte.is_ascii_whitespace() {
                return Err(self.damaged("it is not one JSON object"));
            }
            self.begun |= is_first;
            self.nesting.take_byte(*byte);
            if !in_string && matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        Ok(())
    }
}

impl Read for Archive {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let mut entry = match self.open.take() {
            Some(entry) => entry,
            None => match self.entries.pop() {
                Some(entry) => entry.open(&self.bytes)?,
                None => return Ok(0),
            },
        };
        let read = entry.read(into)?;
        if read > 0 {
            if self.by_record {
                entry.put_on_line(into.get_mut(..read).unwrap_or_default())?;
            }
            self.open = Some(entry);
            return Ok(read);
        }
        if !self.by_record {
            return Ok(0);
        }
        if !entry.begun || entry.nesting.depth > 0 {
            return Err(entry.damaged("it is not one JSON object"));
        }
        // The end of a record.
        match into.first_mut() {
            Some(first) => *first = b'\n',
            None => return Ok(0),
        }
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::container::{Opened, open};
    use proptest::prelude::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    const METHODS: [CompressionMethod; 3] = [
        CompressionMethod::Stored,
        CompressionMethod::Deflated,
        CompressionMethod::Zstd,
    ];

    fn pack(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            let options = SimpleFileOptions::default().compression_method(method);
            archive.start_file(*name, options).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn read(bytes: &[u8]) -> Result<String, String> {
        let mut opened = match open(bytes).map_err(|e| e.to_string())? {
            Opened::Text(text) => text,
            Opened::Foreign(foreign) => return Err(foreign.to_string()),
            Opened::Parquet(_) => return Err("a Parquet file".to_owned()),
        };
        let mut text = Vec::new();
        match opened.read_to_end(&mut text) {
            Ok(_) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_samples_of_a_log_are_its_records_in_the_order_of_their_names() {
        for method in METHODS {
            let log = pack(
                &[
                    ("_journal/start.json", b"{}"),
                    ("samples/b_epoch_1.json", b"{\n  \"id\": \"b \\\" \"\r\n}\n"),
                    ("_journal/summaries/1.json", b"[{}]"),
                    ("samples/a_epoch_1.json", b"{\"id\": \"a\"}"),
                    ("summaries.json", b"[{}]"),
                    ("header.json", b"{}"),
                ],
                method,
            );
            assert_eq!(
                read(&log).unwrap(),
                "{\"id\": \"a\"}\n{   \"id\": \"b \\\" \"  } \n"
            );
        }
    }

    #[test]
    fn another_archive_is_read_where_it_holds_one_file_of_records() {
        let csv: &[u8] = b"system,item,score\na,1,2\n";
        for method in METHODS {
            let files = [
                ("README.md", &b"x"[..]),
                ("s/A.CSV", csv),
                ("__MACOSX/._A.csv", b"x"),
            ];
            assert_eq!(read(&pack(&files, method)).unwrap().as_bytes(), csv);
            let two = read(&pack(&[("a.csv", csv), ("b\u{1b}.jsonl", b"{}")], method));
            let two = two.unwrap_err();
            assert!(two.contains("`a.csv`, `b\\u{1b}.jsonl`"), "{two}");
        }
        let none = read(&pack(&[("a.txt", b"x")], METHODS[0])).unwrap_err();
        assert!(none.contains("it holds `a.txt`"), "{none}");
        let none = read(&pack(&[], METHODS[0])).unwrap_err();
        assert!(none.contains("it holds nothing"), "{none}");
        let none = read(&pack(&[("_journal/start.json", b"{}")], METHODS[0])).unwrap_err();
        assert!(none.contains("without samples"), "{none}");
    }

    #[test]
    fn of_two_entries_with_one_name_in_a_log_the_last_is_read() {
        let entries: [(&str, &[u8]); 3] = [
            ("_journal/start.json", b"{}"),
            ("samples/a.json", b"{\"id\": 1}"),
            ("samples/b.json", b"{\"id\": 2}"),
        ];
        let mut log = pack(&entries, METHODS[0]);
        for at in 0..log.len() {
            if log[at..].starts_with(b"samples/a") {
                log[at + 8] = b'b';
            }
        }
        assert_eq!(read(&log).unwrap(), "{\"id\": 2}\n");
    }

    #[test]
    fn what_is_wrong_with_an_archive_is_said() {
        let sample: &[u8] = b"{\"id\": 1}";
        let log = |sample| {
            pack(
                &[("_journal/start.json", b"{}"), ("samples/1.json", sample)],
                METHODS[0],
            )
        };
        for sample in [
            &b" \n"[..],
            b"[1]",
            b"{} {}",
            b"{\"a\": {}",
            b"{\"a\": \"",
            b"7",
            b"{}]",
        ] {
            let error = read(&log(sample)).unwrap_err();
            let expected =
                "`samples/1.json` of the zip file is damaged (it is not one JSON object)";
            assert!(error.contains(expected), "{error}");
        }
        // A byte of a stored entry is another than its checksum says.
        let mut spoilt = log(sample);
        let at = spoilt
            .windows(sample.len())
            .position(|part| part == sample)
            .unwrap();
        spoilt[at + 3] ^= 1;
        let spoilt = read(&spoilt).unwrap_err();
        assert!(spoilt.contains("checksum"), "{spoilt}");
        // 64 MiB of blanks in a few kilobytes.
        let bomb = pack(
            &[("a.json", &vec![b' '; 64 << 20])],
            CompressionMethod::Zstd,
        );
        let bomb = read(&bomb).unwrap_err();
        assert!(bomb.contains("which no text does"), "{bomb}");
    }

    proptest! {
        /// Samples are read as their values are, one a line, however they are written and packed.
        #[test]
        fn samples_are_read_as_they_are(
            texts in prop::collection::btree_map("[a-z]{1,4}", "[a-z\\\\\"\n {}\u{e9}]{0,300}", 1..12),
            pretty in any::<bool>(),
            method in 0..3_usize,
        ) {
            let value = |text: &String| serde_json::json!({"input": text, "list": [1, {"a": text}]});
            let samples: Vec<(String, String)> = texts.iter().rev().map(|(name, text)| {
                let json = match pretty {
                    true => serde_json::to_string_pretty(&value(text)),
                    false => serde_json::to_string(&value(text)),
                };
                (format!("samples/{name}.json"), json.unwrap())
            }).collect();
            let mut entries: Vec<(&str, &[u8])> =
                samples.iter().map(|(name, json)| (name.as_str(), json.as_bytes())).collect();
            entries.push(("header.json", b"{}"));
            let text = read(&pack(&entries, METHODS[method])).unwrap();
            let found: Vec<serde_json::Value> =
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            prop_assert_eq!(found, texts.values().map(value).collect::<Vec<_>>());
        }

        /// A spoilt archive is an error, or what it was before.
        #[test]
        fn a_spoilt_archive_is_an_error(
            method in 0..3_usize,
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            keep in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let samples: [(&str, &[u8]); 3] = [
                ("_journal/start.json", b"{}"),
                ("samples/a.json", b"{\"id\": \"aaaaaaaaaaaaaaaaaaaaaaaaa\"}"),
                ("samples/b.json", b"{\"id\": \"bbbbbbbbbbbbbbbbbbbbbbbbb\"}"),
            ];
            let mut bytes = pack(&samples, METHODS[method]);
            for (at, byte) in flips {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(keep) = keep {
                bytes.truncate(keep.index(bytes.len() + 1));
            }
            // Names and sizes have no checksum, so that less may be found, but never another text.
            if let Ok(text) = read(&bytes) && bytes.starts_with(b"PK\x03\x04") {
                for line in text.lines() {
                    prop_assert!(samples.iter().any(|(_, json)| json == &line.as_bytes()), "{}", line);
                }
            }
        }
    }
}
