//! What all annotators of a run have said.

use super::file::{LabelFile, Unsaved};
use super::label::Label;
use crate::ViewError;
use evenhand_core::Setting;
use evenhand_store::{directory_of, open_own_file};
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// The labels of a run, and the pairs that were skipped, each in a file of its own.
#[derive(Debug)]
pub(super) struct Book {
    labels: LabelFile,
    skipped: LabelFile,
    /// Keys of what each annotator said to this server, the oldest first.
    recent: HashMap<String, Vec<String>>,
    /// Grows with every change.
    changes: u64,
    /// Keeps a second server off the files.
    _lock: File,
}

impl Book {
    /// Opens the files of labels, or makes them.
    pub(super) fn open(path: &Path) -> Result<Book, ViewError> {
        let lock = lock(&path.with_extension("lock"))?;
        Ok(Book {
            labels: LabelFile::open(path)?,
            skipped: LabelFile::open(&path.with_extension("skipped.jsonl"))?,
            recent: HashMap::new(),
            changes: 1,
            _lock: lock,
        })
    }

    /// Returns a number that grows with every change, from 1.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Lists the labels, the oldest first.
    pub(super) fn labels(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.labels.labels()
    }

    /// Lists the pairs that were skipped.
    pub(super) fn skipped(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.skipped.labels()
    }

    /// Lists all that one annotator said or skipped.
    pub(super) fn of<'a>(&'a self, annotator: &'a str) -> impl Iterator<Item = &'a Label> {
        let all = self.labels().chain(self.skipped());
        all.filter(move |label| label.annotator == annotator)
    }

    /// Finds what an annotator said under a key.
    pub(super) fn find(&self, annotator: &str, key: &str) -> Option<&Label> {
        let mut all = self.labels().chain(self.skipped());
        all.find(|label| label.annotator == annotator && label.key == key)
    }

    /// Returns what an annotator said or skipped last. Of what an earlier server was told, labels
    /// come first, as the two files do not say which of their lines is the later one.
    pub(super) fn last_of(&self, annotator: &str) -> Option<&Label> {
        let mine = |label: &&Label| label.annotator == annotator && !label.key.is_empty();
        let recent = self.recent.get(annotator).into_iter().flatten().rev();
        recent
            .filter_map(|key| self.find(annotator, key))
            .chain(self.labels().rev().filter(mine))
            .chain(self.skipped().rev().filter(mine))
            .next()
    }

    /// Reads the files again where somebody else changed them: what is told and what is written
    /// rests on what they hold now.
    ///
    /// # Errors
    /// Why they cannot be gone on with.
    pub(super) fn renew(&mut self) -> Result<(), String> {
        let renewed = self.labels.renew()? | self.skipped.renew()?;
        self.changes += u64::from(renewed);
        Ok(())
    }

    /// Keeps a label; it is on the disk, in the file of this name, when this returns.
    pub(super) fn add(&mut self, label: Label) -> Result<(), Unsaved> {
        let (annotator, key) = (label.annotator.clone(), label.key.clone());
        let file = match label.preferred {
            Some(_) => &mut self.labels,
            None => &mut self.skipped,
        };
        file.append(label)?;
        self.recent.entry(annotator).or_default().push(key);
        self.changes += 1;
        Ok(())
    }

    /// Takes back what an annotator said under a key; returns whether there was anything.
    pub(super) fn remove(&mut self, annotator: &str, key: &str) -> Result<bool, Unsaved> {
        let keep = |label: &Label| label.annotator != annotator || label.key != key;
        let removed = self.labels.retain(keep)? | self.skipped.retain(keep)?;
        self.changes += u64::from(removed);
        Ok(removed)
    }
}

fn lock(path: &Path) -> Result<File, ViewError> {
    let unusable = |why: String| ViewError::Labels {
        path: path.into(),
        why,
    };
    let folder = directory_of(path);
    if !folder.is_dir() {
        return Err(ViewError::Labels {
            path: folder.into(),
            why: "there is no such folder to keep labels in; make it, or name another".into(),
        });
    }
    let file = open_own_file(path, OpenOptions::new().create(true).append(true));
    let file = file.map_err(|error| unusable(error.to_string()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let other = Setting::LabelsOut;
            Err(unusable(format!(
                "another server writes these labels; use that one, stop it, or name another file \
                 with {other}"
            )))
        }
        Err(TryLockError::Error(error)) => Err(unusable(error.to_string())),
    }
}
