//! One segment of many.

use super::names::{CLOSED, NEW, OPEN, draw_name, list_segments, path_of, refused};
use super::open_segment;
use super::record::{HEADER, MAGIC, read_whole, scan, write_record};
use crate::SharedStoreError;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A segment is open for an hour at most. After a day without a writer's byte it has none.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);
/// Larger segments are left as they are.
const LARGE: u64 = 256 << 20;

/// What was made of many segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// How many segments were made one.
    pub segments: u64,
    /// Entries in the new one.
    pub entries: u64,
    /// Entries that were there twice.
    pub doubles: u64,
    /// Bytes of the segments before.
    pub bytes_before: u64,
    /// Bytes of the new one.
    pub bytes_after: u64,
    /// Segments that are damaged in their midst. They are left where they are.
    pub damaged: u64,
}

/// Makes one segment of the closed ones of a directory, and of those whose writers are gone.
///
/// It is safe beside writers, readers and another one of its kind: an entry is in a closed segment
/// before any file is removed that held it, and a segment that has a writer is not touched. A
/// writer closes its segment after an hour, so that an open one to which nothing was written for a
/// day, by the clock of the file system, has none.
///
/// # Errors
/// A directory that cannot be read or written. What was there before is then there still.
pub fn compact_segments(dir: &Path) -> Result<Compacted, SharedStoreError> {
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
        Ok(compacted)
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
        let scanned = scan(&file, 0, |header| headers.push(header)).map_err(at_old)?;
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
