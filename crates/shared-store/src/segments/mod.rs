//! A shared store as a directory of segments: append-only files, each with one writer.
//!
//! There are no locks. A writer makes a file under a random name and appends whole records; who
//! reads takes what is whole and looks again later. So it is safe where locks are not, as on NFS.

mod compact;
mod names;
mod record;
mod writer;

pub use compact::{Compacted, compact_segments};

use crate::SharedStoreError;
use crate::seal::{Sealed, Signer};
use evenhand_core::RequestKey;
use names::{CLOSED, OPEN, list_segments, path_of, refused};
use record::{Header, read_whole, scan};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use writer::Writer;

/// The directory is looked through again after this long.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// Files that are kept open for reading.
const MOST_OPEN: usize = 64;

/// A directory of segments, with an index in memory of what is where.
pub(crate) struct Segments {
    dir: PathBuf,
    writer: Writer,
    segments: Vec<Segment>,
    /// Places in `segments`, by name.
    by_name: HashMap<String, usize>,
    /// Where the entry of a key is, by the first half of the key.
    index: HashMap<u128, Spot>,
    /// Further entries of the same keys, of which another may fit.
    more: HashMap<u128, Vec<Spot>>,
    files: HashMap<usize, File>,
    looked: Option<Instant>,
}

/// A segment as far as it was read.
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
    /// Opens a directory, which is made where there is none, and reads what is there.
    pub(crate) fn open(dir: &Path) -> Result<Segments, SharedStoreError> {
        std::fs::create_dir_all(dir).map_err(|e| refused(dir, &e))?;
        let mut segments = Segments {
            dir: dir.to_path_buf(),
            writer: Writer::new(dir),
            segments: Vec::new(),
            by_name: HashMap::new(),
            index: HashMap::new(),
            more: HashMap::new(),
            files: HashMap::new(),
            looked: None,
        };
        segments.refresh()?;
        Ok(segments)
    }

    /// Appends entries to this process's own segment.
    pub(crate) fn put(&mut self, entries: &[Sealed]) -> Result<(), SharedStoreError> {
        self.writer.put(entries)
    }

    /// Closes this process's own segment.
    pub(crate) fn close(&mut self) -> Result<(), SharedStoreError> {
        self.writer.close()
    }

    /// Finds entries whose seals fit. Returns them, and how many were met that did not fit.
    pub(crate) fn find(
        &mut self,
        keys: &[RequestKey],
        signer: &Signer,
    ) -> Result<(Vec<Sealed>, u64), SharedStoreError> {
        if self
            .looked
            .is_none_or(|looked| looked.elapsed() >= LOOK_AGAIN)
        {
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
    fn read(&mut self, key: &RequestKey, spot: Spot) -> io::Result<Option<Sealed>> {
        let place = spot.segment as usize;
        if self.segments[place].is_gone {
            return Ok(None);
        }
        if !self.files.contains_key(&place) {
            if self.files.len() >= MOST_OPEN {
                self.files.clear();
            }
            let segment = &mut self.segments[place];
            let Some(file) = open_segment(&self.dir, &segment.name)? else {
                segment.is_gone = true;
                return Ok(None);
            };
            self.files.insert(place, file);
        }
        let Some(file) = self.files.get(&place) else {
            return Ok(None);
        };
        let entry = read_whole(file, spot.at, spot.length as usize)?;
        Ok(entry.filter(|entry| entry.key == *key))
    }

    /// Takes in what was written since the last time.
    fn refresh(&mut self) -> Result<(), SharedStoreError> {
        let listed = list_segments(&self.dir)?;
        let mut were_lost = false;
        for (place, segment) in self.segments.iter_mut().enumerate() {
            if !listed.contains_key(&segment.name) && !segment.is_forgotten {
                (segment.is_gone, segment.is_forgotten) = (true, true);
                self.files.remove(&place);
                were_lost = true;
            }
        }
        for (name, is_closed) in listed {
            // What this process wrote, its run has.
            if self.writer.is_own(&name) {
                continue;
            }
            let next = self.segments.len();
            let place = *self.by_name.entry(name.clone()).or_insert(next);
            if place == next {
                self.segments.push(Segment {
                    name,
                    is_closed: false,
                    is_gone: false,
                    is_forgotten: false,
                    is_damaged: false,
                    read_to: 0,
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
        self.looked = Some(Instant::now());
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
        let scanned = scan(&file, segment.read_to, |header: Header| {
            let spot = Spot {
                segment: place as u32,
                length: header.length as u32,
                at: header.at,
            };
            match index.entry(short(&header.key)) {
                Entry::Vacant(free) => drop(free.insert(spot)),
                Entry::Occupied(_) => more.entry(short(&header.key)).or_default().push(spot),
            }
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
