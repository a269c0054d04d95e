//! A shared store as segments, each with one writer: append-only files of a directory, or objects
//! of a folder in object storage.
//!
//! There are no locks. A writer makes a file under a random name and appends whole records, or puts
//! an object of them; who reads takes what is whole and looks again later. So it is safe where
//! locks are not, as on NFS.

mod compact;
mod names;
mod objects;
mod record;
mod writer;

pub use compact::{Compacted, compact_segments};

use crate::SharedStoreError;
use crate::seal::{Sealed, Signer};
use evenhand_core::RequestKey;
use evenhand_objects::is_address;
use names::{CLOSED, OPEN, list_segments, path_of, refused};
use objects::{Copies, ObjectWriter, list_objects, read_objects};
use record::{Header, read_whole, scan};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use writer::Writer;

/// A directory is looked through again after so many times what that took, within these bounds: a
/// reply that is not seen yet is paid for again. A folder of objects is after a second: each list
/// of it takes a while and costs money.
const TIMES: u32 = 20;
const LOOK_AGAIN: Duration = Duration::from_millis(10);
const LOOK_AT_LAST: Duration = Duration::from_millis(200);
const LIST_AGAIN: Duration = Duration::from_secs(1);
/// So often a folder is listed again at once, as segments were made one meanwhile.
const LISTS: usize = 3;
/// Files that are kept open for reading.
const MOST_OPEN: usize = 64;

/// Segments, with an index in memory of what is where.
pub(crate) struct Segments {
    /// A directory, or the address of a folder.
    dir: PathBuf,
    shelf: Shelf,
    segments: Vec<Segment>,
    /// Places in `segments`, by name.
    by_name: HashMap<String, usize>,
    /// Where the entry of a key is, by the first half of the key.
    index: HashMap<u128, Spot>,
    /// Further entries of the same keys, of which another may fit.
    more: HashMap<u128, Vec<Spot>>,
    /// When it is looked through again.
    next_look: Option<Instant>,
}

/// Where segments are.
enum Shelf {
    /// Files, which grow and go; some are kept open for reading, by their places.
    Directory {
        writer: Writer,
        files: HashMap<usize, File>,
    },
    /// Objects, and the copies of those that were read.
    Objects {
        writer: ObjectWriter,
        copies: Copies,
    },
}

/// A segment as far as it was read.
#[derive(Default)]
struct Segment {
    name: String,
    is_closed: bool,
    /// It was made one with others.
    is_gone: bool,
    /// Nothing of it is in the index any more.
    is_forgotten: bool,
    is_damaged: bool,
    /// Up to where its records are in the index.
    read_to: u64,
}

#[derive(Clone, Copy)]
struct Spot {
    segment: u32,
    length: u32,
    /// Where its body begins.
    at: u64,
}

impl Segments {
    /// Opens a directory, which is made where there is none, or a folder of objects, and reads what
    /// is there.
    pub(crate) fn open(dir: &Path) -> Result<Segments, SharedStoreError> {
        let shelf = if is_address(dir) {
            Shelf::Objects {
                writer: ObjectWriter::new(dir),
                copies: Copies::new().map_err(|e| refused(dir, &e))?,
            }
        } else {
            std::fs::create_dir_all(dir).map_err(|e| refused(dir, &e))?;
            // That nothing can be written is known before anything is paid for: a file that is
            // gone again tells it, whatever the directory's permissions seem to say.
            let mut probe = tempfile::Builder::new();
            let probe = probe.prefix(".evenhand-probe-").tempfile_in(dir);
            probe.map_err(|e| {
                let why = format!("nothing can be written there ({e}); name another directory");
                refused(dir, &io::Error::new(e.kind(), why))
            })?;
            Shelf::Directory {
                writer: Writer::new(dir),
                files: HashMap::new(),
            }
        };
        let mut segments = Segments {
            dir: dir.to_path_buf(),
            shelf,
            segments: Vec::new(),
            by_name: HashMap::new(),
            index: HashMap::new(),
            more: HashMap::new(),
            next_look: None,
        };
        segments.refresh()?;
        Ok(segments)
    }

    /// Appends entries to this process's own segment, or puts them as one.
    pub(crate) fn put(&mut self, entries: &[Sealed]) -> Result<(), SharedStoreError> {
        match &mut self.shelf {
            Shelf::Directory { writer, .. } => writer.put(entries),
            Shelf::Objects { writer, .. } => writer.put(entries),
        }
    }

    /// Closes this process's own segment, or makes one of its small ones.
    pub(crate) fn close(&mut self) -> Result<(), SharedStoreError> {
        match &mut self.shelf {
            Shelf::Directory { writer, .. } => writer.close(),
            Shelf::Objects { writer, .. } => writer.close(),
        }
    }

    /// Finds entries whose seals fit. Returns them, and how many were met that did not fit.
    pub(crate) fn find(
        &mut self,
        keys: &[RequestKey],
        signer: &Signer,
    ) -> Result<(Vec<Sealed>, u64), SharedStoreError> {
        if self.next_look.is_none_or(|next| next <= Instant::now()) {
            self.refresh()?;
        }
        let (mut found, mut unfit) = (Vec::new(), 0);
        for key in keys {
            // A segment may be made one with others at any time, and is then in another place.
            let mut entry = self.find_one(key, signer, &mut unfit)?;
            if entry.is_none() && self.has_lost(key) {
                self.refresh()?;
                entry = self.find_one(key, signer, &mut unfit)?;
            }
            found.extend(entry);
        }
        Ok((found, unfit))
    }

    /// Returns those of the keys that no entry stands under.
    pub(crate) fn lacking(
        &mut self,
        keys: &[RequestKey],
    ) -> Result<Vec<RequestKey>, SharedStoreError> {
        self.refresh()?;
        let is_lacking = |key: &&RequestKey| !self.index.contains_key(&short(key));
        Ok(keys.iter().filter(is_lacking).copied().collect())
    }

    fn find_one(
        &mut self,
        key: &RequestKey,
        signer: &Signer,
        unfit: &mut u64,
    ) -> Result<Option<Sealed>, SharedStoreError> {
        for spot in self.spots(key) {
            match self.read(key, spot) {
                Ok(Some(entry)) if signer.fits(&entry) => return Ok(Some(entry)),
                Ok(Some(_)) => *unfit += 1,
                Ok(None) => {}
                Err(error) => return Err(refused(&self.dir, &error)),
            }
        }
        Ok(None)
    }

    fn spots(&self, key: &RequestKey) -> Vec<Spot> {
        let first = self.index.get(&short(key));
        let more = self.more.get(&short(key)).into_iter().flatten();
        first.into_iter().chain(more).copied().collect()
    }

    /// Whether an entry of this key stood in a segment that is gone.
    fn has_lost(&self, key: &RequestKey) -> bool {
        let is_gone = |spot: &Spot| self.segments[spot.segment as usize].is_gone;
        self.spots(key).iter().any(is_gone)
    }

    /// Reads the entry at a place; None where its segment is gone, or it is of another key.
    // Deep: a file is opened in the place that it takes among those that are open.
    fn read(&mut self, key: &RequestKey, spot: Spot) -> io::Result<Option<Sealed>> {
        let place = spot.segment as usize;
        if self.segments[place].is_gone {
            return Ok(None);
        }
        let file = match &mut self.shelf {
            Shelf::Objects { copies, .. } => copies.file(),
            Shelf::Directory { files, .. } => {
                if files.len() >= MOST_OPEN && !files.contains_key(&place) {
                    files.clear();
                }
                match files.entry(place) {
                    Entry::Occupied(open) => open.into_mut(),
                    Entry::Vacant(free) => {
                        let segment = &mut self.segments[place];
                        let Some(file) = open_segment(&self.dir, &segment.name)? else {
                            segment.is_gone = true;
                            return Ok(None);
                        };
                        free.insert(file)
                    }
                }
            }
        };
        let entry = read_whole(file, spot.at, spot.length as usize)?;
        Ok(entry.filter(|entry| entry.key == *key))
    }

    /// Takes in what was written since the last time.
    fn refresh(&mut self) -> Result<(), SharedStoreError> {
        let begun = Instant::now();
        let rest = match self.shelf {
            Shelf::Directory { .. } => {
                self.refresh_files()?;
                (begun.elapsed() * TIMES).clamp(LOOK_AGAIN, LOOK_AT_LAST)
            }
            Shelf::Objects { .. } => {
                self.refresh_objects()?;
                LIST_AGAIN
            }
        };
        self.next_look = Some(Instant::now() + rest);
        Ok(())
    }

    fn refresh_files(&mut self) -> Result<(), SharedStoreError> {
        let Shelf::Directory { writer, files } = &mut self.shelf else {
            return Ok(());
        };
        let mut listed = list_segments(&self.dir)?;
        let mut were_lost = false;
        for (place, segment) in self.segments.iter_mut().enumerate() {
            if !listed.contains_key(&segment.name) && !segment.is_forgotten {
                (segment.is_gone, segment.is_forgotten) = (true, true);
                files.remove(&place);
                were_lost = true;
            }
        }
        // What this process wrote, its run has.
        listed.retain(|name, _| !writer.is_own(name));
        for (name, is_closed) in listed {
            let next = self.segments.len();
            let place = *self.by_name.entry(name.clone()).or_insert(next);
            if place == next {
                self.segments.push(Segment {
                    name,
                    ..Segment::default()
                });
            }
            if !self.segments[place].is_closed {
                self.take_in(place, is_closed)
                    .map_err(|e| refused(&self.dir, &e))?;
            }
        }
        if were_lost {
            self.forget_gone();
        }
        Ok(())
    }

    /// Reads the objects that were not read yet. One that is removed, or that a list does not show
    /// any more, stays among the copies.
    fn refresh_objects(&mut self) -> Result<(), SharedStoreError> {
        let Shelf::Objects { writer, copies } = &mut self.shelf else {
            return Ok(());
        };
        for _ in 0..LISTS {
            let mut listed = list_objects(&self.dir)?;
            listed.retain(|object| {
                !writer.is_own(&object.name) && !self.by_name.contains_key(&object.name)
            });
            let mut is_all_there = true;
            read_objects(&self.dir, &listed, |object, bytes| {
                let place = self.segments.len();
                let mut segment = Segment {
                    name: object.name.clone(),
                    is_closed: true,
                    ..Segment::default()
                };
                match bytes {
                    None if object.is_too_large() => segment.is_damaged = true,
                    None => {
                        // Made one with others: those are in the next list.
                        is_all_there = false;
                        return Ok(());
                    }
                    Some(bytes) => {
                        let (index, more) = (&mut self.index, &mut self.more);
                        let scanned = copies
                            .take(&bytes, |header| note_spot(index, more, place, &header))
                            .map_err(|e| refused(&self.dir, &e))?;
                        segment.read_to = scanned.to;
                        // An object is whole, or nobody wrote it as a segment.
                        segment.is_damaged = scanned.to < bytes.len() as u64 || bytes.is_empty();
                    }
                }
                self.by_name.insert(object.name.clone(), place);
                self.segments.push(segment);
                Ok(())
            })?;
            if is_all_there {
                break;
            }
        }
        Ok(())
    }

    /// Takes out of the index what stood in segments that are gone.
    fn forget_gone(&mut self) {
        let segments = &self.segments;
        let is_there = |spot: &Spot| !segments[spot.segment as usize].is_gone;
        self.index.retain(|_, spot| is_there(spot));
        for (key, mut spots) in std::mem::take(&mut self.more) {
            spots.retain(is_there);
            if let Entry::Vacant(free) = self.index.entry(key)
                && !spots.is_empty()
            {
                free.insert(spots.remove(0));
            }
            if !spots.is_empty() {
                self.more.insert(key, spots);
            }
        }
    }

    /// Takes in what follows in one segment.
    fn take_in(&mut self, place: usize, is_closed: bool) -> io::Result<()> {
        let segment = &mut self.segments[place];
        let Some(file) = open_segment(&self.dir, &segment.name)? else {
            segment.is_gone = true;
            return Ok(());
        };
        let (index, more) = (&mut self.index, &mut self.more);
        let end = file.metadata()?.len();
        let scanned = scan(&file, end, segment.read_to, |header| {
            note_spot(index, more, place, &header);
        })?;
        segment.read_to = scanned.to;
        // What an open segment shows today it may show otherwise tomorrow: a file on a network may
        // grow before its bytes are there.
        segment.is_damaged = scanned.is_damaged;
        segment.is_closed = is_closed;
        Ok(())
    }

    /// Counts closed segments that cannot be read to their ends.
    pub(crate) fn count_damaged(&self) -> u64 {
        let damaged = self.segments.iter();
        damaged
            .filter(|segment| segment.is_damaged && segment.is_closed && !segment.is_gone)
            .count() as u64
    }
}

/// Notes where the entry of a key is.
fn note_spot(
    index: &mut HashMap<u128, Spot>,
    more: &mut HashMap<u128, Vec<Spot>>,
    place: usize,
    header: &Header,
) {
    let spot = Spot {
        segment: place as u32,
        length: header.length as u32,
        at: header.at,
    };
    match index.entry(short(&header.key)) {
        Entry::Vacant(free) => drop(free.insert(spot)),
        Entry::Occupied(_) => more.entry(short(&header.key)).or_default().push(spot),
    }
}

/// Opens a segment under either of its names; None where it is gone.
fn open_segment(dir: &Path, name: &str) -> io::Result<Option<File>> {
    // Closed between the two: found under the first name at the second try.
    for ending in [CLOSED, OPEN, CLOSED] {
        match File::open(path_of(dir, name, ending)) {
            Ok(file) => return Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Returns the half of a key by which it is looked up; the record has all of it.
fn short(key: &RequestKey) -> u128 {
    let (first, _) = key.0.split_at(16);
    first
        .iter()
        .fold(0, |number, byte| number << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests;
