//! The one writer of a segment.

use super::names::{CLOSED, OPEN, draw_name, path_of, refused};
use super::record::{MAGIC, write_record};
use crate::SharedStoreError;
use crate::seal::Sealed;
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A segment is closed at this age. An open one that is a day old has lost its writer.
const OLDEST: Duration = Duration::from_secs(3600);
/// A segment is closed at this size.
const LARGEST: u64 = 256 << 20;

/// Appends to a segment of its own, which is begun with the first entry.
pub(super) struct Writer {
    dir: PathBuf,
    own: Option<Own>,
    /// The names of all segments that it made.
    names: HashSet<String>,
}

struct Own {
    name: String,
    file: File,
    length: u64,
    begun: Instant,
    /// By the clock on the wall, which goes on while the machine sleeps.
    begun_at: SystemTime,
}

impl Writer {
    pub(super) fn new(dir: &Path) -> Writer {
        Writer {
            dir: dir.to_path_buf(),
            own: None,
            names: HashSet::new(),
        }
    }

    pub(super) fn is_own(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Appends entries in one go, and waits until the file system has them.
    pub(super) fn put(&mut self, entries: &[Sealed]) -> Result<(), SharedStoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        if self.own.as_ref().is_some_and(Own::is_done) {
            self.close()?;
        }
        let mut own = match self.own.take() {
            Some(own) => own,
            None => self.begin()?,
        };
        let mut bytes = Vec::new();
        for entry in entries {
            write_record(&mut bytes, entry);
        }
        let path = path_of(&self.dir, &own.name, OPEN);
        // Where this fails, the segment ends in the midst of a record, and nothing is appended to
        // it again: `own` is not put back.
        let written = own.file.write_all(&bytes);
        let synced = written.and_then(|()| own.file.sync_data());
        synced.map_err(|e| refused(&path, &e))?;
        own.length += bytes.len() as u64;
        self.own = Some(own);
        Ok(())
    }

    /// Closes the segment: nothing is appended to it any more.
    pub(super) fn close(&mut self) -> Result<(), SharedStoreError> {
        let Some(own) = self.own.take() else {
            return Ok(());
        };
        let path = path_of(&self.dir, &own.name, OPEN);
        let renamed = std::fs::rename(&path, path_of(&self.dir, &own.name, CLOSED));
        match renamed {
            // Who slept for a day finds that its segment was taken for one without a writer, and
            // was made one with others.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            renamed => renamed.map_err(|e| refused(&path, &e)),
        }
    }

    fn begin(&mut self) -> Result<Own, SharedStoreError> {
        let name = draw_name(&self.dir)?;
        let path = path_of(&self.dir, &name, OPEN);
        let mut file = File::create_new(&path).map_err(|e| refused(&path, &e))?;
        file.write_all(MAGIC).map_err(|e| refused(&path, &e))?;
        self.names.insert(name.clone());
        Ok(Own {
            name,
            file,
            length: MAGIC.len() as u64,
            begun: Instant::now(),
            begun_at: SystemTime::now(),
        })
    }
}

impl Own {
    /// Whether it is time for another segment.
    fn is_done(&self) -> bool {
        // A clock that was set back says nothing.
        let age = self.begun_at.elapsed().unwrap_or_default();
        self.length >= LARGEST || age.max(self.begun.elapsed()) >= OLDEST
    }
}
