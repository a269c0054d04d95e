//! Segments as objects of object storage, which cannot be appended to: each is put whole, once, and
//! never changed.
//!
//! A writer puts a small segment each time, and makes one of its own small ones when they are many
//! or it ends: the joined one is put before they are removed. Who reads keeps a copy of all that it
//! saw, so that nothing is lost to it that is removed later, or that a list does not show again.

use super::names::{CLOSED, address_of, draw_name, read_name, refused};
use super::record::{Header, MAGIC, Scanned, scan, write_record};
use crate::SharedStoreError;
use crate::seal::{LONGEST, Sealed};
use evenhand_objects::{list, read_each, remove_each, write_new};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// So many small segments of a writer are made one.
const MOST_SMALL: usize = 16;
/// And so are those that hold this much.
const MOST_BYTES: usize = 4 << 20;
/// Bytes and objects that are read at once.
const READ_BYTES: u64 = 64 << 20;
const READ_MOST: usize = 64;
/// No writer makes larger ones: what is joined, and the longest entry.
const LARGEST: u64 = super::compact::LARGE_OBJECT as u64 + LONGEST as u64 + 4096;

/// A segment in a list.
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) size: u64,
}

impl Listed {
    /// Whether no writer made it.
    pub(super) fn is_too_large(&self) -> bool {
        self.size > LARGEST
    }
}

/// Lists the segments of a folder, in the order of their names. Other objects are none of ours.
pub(super) fn list_objects(folder: &Path) -> Result<Vec<Listed>, SharedStoreError> {
    let listed = list(folder).map_err(|e| refused(folder, &e))?;
    let listed = listed.into_iter().filter_map(|object| {
        let (name, ending) = read_name(&object.name)?;
        (ending == CLOSED).then(|| Listed {
            name: name.to_string(),
            size: object.size,
        })
    });
    Ok(listed.collect())
}

/// Reads segments whole, several at once, and hands each over; None for one that is gone, and for
/// one that is larger than any that a writer makes.
pub(super) fn read_objects(
    folder: &Path,
    listed: &[Listed],
    mut take: impl FnMut(&Listed, Option<Vec<u8>>) -> Result<(), SharedStoreError>,
) -> Result<(), SharedStoreError> {
    let mut rest = listed;
    while let Some(first) = rest.first() {
        if first.is_too_large() {
            take(first, None)?;
            rest = &rest[1..];
            continue;
        }
        let mut bytes = 0;
        let together = rest.iter().take(READ_MOST).take_while(|object| {
            bytes += object.size;
            !object.is_too_large() && (bytes <= READ_BYTES || bytes == object.size)
        });
        let (group, after) = rest.split_at(together.count().max(1));
        let addresses: Vec<PathBuf> = group
            .iter()
            .map(|object| address_of(folder, &object.name))
            .collect();
        let read = read_each(&addresses).map_err(|e| refused(folder, &e))?;
        for (object, bytes) in group.iter().zip(read) {
            take(object, bytes)?;
        }
        rest = after;
    }
    Ok(())
}

/// Puts a segment under a name of its own. Returns the name.
pub(super) fn put_object(folder: &Path, bytes: Vec<u8>) -> Result<String, SharedStoreError> {
    let name = draw_name(folder)?;
    let address = address_of(folder, &name);
    match write_new(&address, bytes).map_err(|e| refused(folder, &e))? {
        true => Ok(name),
        false => Err(SharedStoreError::Server {
            name: folder.display().to_string(),
            why: format!("another object has the random name {name}; expected none"),
        }),
    }
}

/// Removes segments, whoever else does.
pub(super) fn remove_objects(folder: &Path, names: &[String]) -> Result<(), SharedStoreError> {
    let addresses = names.iter().map(|name| address_of(folder, name));
    let addresses: Vec<PathBuf> = addresses.collect();
    remove_each(&addresses).map_err(|e| refused(folder, &e))
}

/// The objects that one process writes.
pub(super) struct ObjectWriter {
    folder: PathBuf,
    /// Small segments that are not made one yet, and the records in them.
    small: Vec<String>,
    records: Vec<u8>,
    /// The names of all segments that it made.
    names: HashSet<String>,
}

impl ObjectWriter {
    pub(super) fn new(folder: &Path) -> ObjectWriter {
        ObjectWriter {
            folder: folder.to_path_buf(),
            small: Vec::new(),
            records: Vec::new(),
            names: HashSet::new(),
        }
    }

    pub(super) fn is_own(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Puts entries as a segment.
    pub(super) fn put(&mut self, entries: &[Sealed]) -> Result<(), SharedStoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut bytes = MAGIC.to_vec();
        for entry in entries {
            write_record(&mut bytes, entry);
        }
        self.records.extend_from_slice(&bytes[MAGIC.len()..]);
        let name = put_object(&self.folder, bytes)?;
        self.names.insert(name.clone());
        self.small.push(name);
        if self.small.len() >= MOST_SMALL || self.records.len() >= MOST_BYTES {
            self.close()?;
        }
        Ok(())
    }

    /// Makes one of the small segments.
    pub(super) fn close(&mut self) -> Result<(), SharedStoreError> {
        let records = std::mem::take(&mut self.records);
        let small = std::mem::take(&mut self.small);
        if small.len() < 2 {
            return Ok(());
        }
        let name = put_object(&self.folder, [&MAGIC[..], &records].concat())?;
        self.names.insert(name);
        // Where they may not be removed they stay: what is there twice is one.
        let _ = remove_objects(&self.folder, &small);
        Ok(())
    }
}

/// Copies of the segments that were read, one after the other in a file without a name.
pub(super) struct Copies {
    file: File,
    end: u64,
}

impl Copies {
    pub(super) fn new() -> io::Result<Copies> {
        let file = tempfile::tempfile().map_err(|error| {
            io::Error::other(format!(
                "no copies of it can be kept in {}: {error}; TMPDIR names another place",
                std::env::temp_dir().display()
            ))
        })?;
        Ok(Copies { file, end: 0 })
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Copies a segment, and tells `found` of its records with their places among the copies.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        mut found: impl FnMut(Header),
    ) -> io::Result<Scanned> {
        let base = self.end;
        self.file.seek(SeekFrom::Start(base))?;
        self.file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        scan(Cursor::new(bytes), bytes.len() as u64, 0, |header| {
            found(Header {
                at: base + header.at,
                ..header
            });
        })
    }
}

#[cfg(test)]
mod tests;
