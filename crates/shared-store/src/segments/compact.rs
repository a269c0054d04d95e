//! One segment of many.

use super::names::{CLOSED, NEW, OPEN, draw_name, list_segments, path_of, refused};
use super::objects::{list_objects, put_object, read_objects, remove_objects};
use super::open_segment;
use super::record::{HEADER, MAGIC, read_whole, scan, write_record};
use crate::SharedStoreError;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A segment is open for an hour at most. After a day without a writer's byte it has none.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);
/// Larger segments are left as they are.
const LARGE: u64 = 256 << 20;
/// Objects are made one up to this size, as they are put in one piece; those of half of it are left
/// as they are.
pub(super) const LARGE_OBJECT: usize = 64 << 20;

/// What was made of many segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// How many segments were made fewer.
    pub segments: u64,
    /// How many they are now: one, and more only among objects.
    pub made: u64,
    /// Entries in what was made.
    pub entries: u64,
    /// Entries that were there twice.
    pub doubles: u64,
    /// Bytes of the segments before.
    pub bytes_before: u64,
    /// Bytes of what was made.
    pub bytes_after: u64,
    /// Segments that are damaged in their midst. They are left where they are.
    pub damaged: u64,
}

/// Makes one segment of the closed ones of a directory, and of those whose writers are gone; or few
/// of the small ones of a folder of objects.
///
/// It is safe beside writers, readers and another one of its kind: an entry is in a closed segment
/// before any file is removed that held it, and a segment that has a writer is not touched. A
/// writer closes its segment after an hour, so that an open one to which nothing was written for a
/// day, by the clock of the file system, has none. Objects have no writer once they are there.
///
/// # Errors
/// A directory or a folder that cannot be read or written. What was there before is then there
/// still.
pub fn compact_segments(dir: &Path) -> Result<Compacted, SharedStoreError> {
    if evenhand_objects::is_address(dir) {
        return compact_objects(dir);
    }
    let name = draw_name(dir)?;
    let new = path_of(dir, &name, NEW);
    let file = File::create_new(&new).map_err(|e| refused(&new, &e))?;
    let made = write_new(dir, &new, file);
    let finished = made.and_then(|(compacted, old)| {
        if old.len() < 2 {
            return Ok(Compacted {
                damaged: compacted.damaged,
                ..Compacted::default()
            });
        }
        let closed = path_of(dir, &name, CLOSED);
        std::fs::rename(&new, &closed).map_err(|e| refused(&new, &e))?;
        for path in old {
            match std::fs::remove_file(&path) {
                // Another process made the same segments one at the same time.
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(refused(&path, &error));
                }
                _ => {}
            }
        }
        Ok(Compacted {
            made: 1,
            ..compacted
        })
    });
    // Where it got its name, it is no longer there.
    let _ = std::fs::remove_file(&new);
    finished
}

/// Writes what the segments hold that may be made one. Returns the count, and their files.
fn write_new(
    dir: &Path,
    new: &Path,
    file: File,
) -> Result<(Compacted, Vec<PathBuf>), SharedStoreError> {
    let at_new = |e: std::io::Error| refused(new, &e);
    // The clock of the file system, which is that of the writers' files.
    let now = file.metadata().and_then(|data| data.modified());
    let now = now.map_err(at_new)?;
    let mut out = BufWriter::new(file);
    out.write_all(MAGIC).map_err(at_new)?;
    let (mut compacted, mut old) = (Compacted::default(), Vec::new());
    compacted.bytes_after = MAGIC.len() as u64;
    let mut seen = HashSet::new();
    for (name, is_closed) in list_segments(dir)? {
        let path = path_of(dir, &name, if is_closed { CLOSED } else { OPEN });
        let at_old = |e: std::io::Error| refused(&path, &e);
        let Some(file) = open_segment(dir, &name).map_err(at_old)? else {
            continue;
        };
        let data = file.metadata().map_err(at_old)?;
        let age = data.modified().map(|changed| now.duration_since(changed));
        let age = age.map_err(at_old)?.unwrap_or_default();
        if data.len() >= LARGE || (!is_closed && age < ABANDONED) {
            continue;
        }
        let mut headers = Vec::new();
        let scanned = scan(&file, data.len(), 0, |header| headers.push(header)).map_err(at_old)?;
        // A closed segment ends with a record; what ends in the midst of one was cut.
        if scanned.is_damaged || (is_closed && scanned.to < data.len()) {
            compacted.damaged += 1;
            continue;
        }
        for header in headers {
            let entry = read_whole(&file, header.at, header.length).map_err(at_old)?;
            let Some(entry) = entry else { continue };
            let mut bytes = Vec::with_capacity(HEADER + entry.body.len());
            write_record(&mut bytes, &entry);
            // All of it: a damaged entry must not stand for the one that it was.
            if !seen.insert(blake3::hash(&bytes)) {
                compacted.doubles += 1;
                continue;
            }
            out.write_all(&bytes).map_err(at_new)?;
            compacted.entries += 1;
            compacted.bytes_after += bytes.len() as u64;
        }
        compacted.segments += 1;
        compacted.bytes_before += data.len();
        old.push(path);
    }
    out.flush().map_err(at_new)?;
    out.get_ref().sync_all().map_err(at_new)?;
    Ok((compacted, old))
}

/// Makes few segments of the small ones of a folder: each new one is put before those are removed
/// that are in it.
fn compact_objects(folder: &Path) -> Result<Compacted, SharedStoreError> {
    let mut small = list_objects(folder)?;
    small.retain(|object| object.size < LARGE_OBJECT as u64 / 2);
    let mut compacted = Compacted::default();
    let mut seen = HashSet::new();
    let mut new = NewObject::default();
    read_objects(folder, &small, |object, bytes| {
        // Another process made the same segments one at the same time.
        let Some(bytes) = bytes else { return Ok(()) };
        let mut headers = Vec::new();
        let end = bytes.len() as u64;
        let scanned = scan(Cursor::new(&bytes), end, 0, |header| headers.push(header));
        let scanned = scanned.map_err(|e| refused(folder, &e))?;
        if scanned.to < end || bytes.is_empty() {
            compacted.damaged += 1;
            return Ok(());
        }
        if new.records.len() + bytes.len() > LARGE_OBJECT {
            std::mem::take(&mut new).finish(folder, &mut compacted)?;
        }
        for header in headers {
            let from = header.at as usize - HEADER;
            let record = bytes.get(from..header.at as usize + header.length);
            let record = record.unwrap_or_default();
            // All of it: a damaged entry must not stand for the one that it was.
            match seen.insert(blake3::hash(record)) {
                false => new.doubles += 1,
                true => {
                    new.records.extend_from_slice(record);
                    new.entries += 1;
                }
            }
        }
        new.bytes_before += end;
        new.old.push(object.name.clone());
        Ok(())
    })?;
    new.finish(folder, &mut compacted)?;
    Ok(compacted)
}

/// A segment that is made of others.
#[derive(Default)]
struct NewObject {
    records: Vec<u8>,
    entries: u64,
    doubles: u64,
    bytes_before: u64,
    /// The names of those that it takes the place of.
    old: Vec<String>,
}

impl NewObject {
    fn finish(self, folder: &Path, compacted: &mut Compacted) -> Result<(), SharedStoreError> {
        if self.old.len() < 2 {
            return Ok(());
        }
        // What stands in another one already may leave nothing.
        if !self.records.is_empty() {
            let bytes = [&MAGIC[..], &self.records].concat();
            compacted.bytes_after += bytes.len() as u64;
            compacted.made += 1;
            put_object(folder, bytes)?;
        }
        remove_objects(folder, &self.old)?;
        compacted.segments += self.old.len() as u64;
        compacted.entries += self.entries;
        compacted.doubles += self.doubles;
        compacted.bytes_before += self.bytes_before;
        Ok(())
    }
}
