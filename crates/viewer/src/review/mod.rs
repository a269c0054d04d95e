//! People judge: who sees which pair, what they say, and how far they agree.
//!
//! A pair is shown without its systems, on sides that are drawn at random. What a person says is on
//! the disk before the page is told so, and a page that asks again after a lost answer changes
//! nothing. docs/reports.md has the use.

mod book;
mod file;
mod label;
mod queue;
mod ranking;
mod seat;
mod sent;
mod sides;
mod summary;
mod task;
mod votes;

pub(crate) use queue::Queues;
pub(crate) use seat::Seat;
pub(crate) use task::NextQuery;
pub(crate) use votes::SaidOfPair;

use crate::answer::Failure;
use crate::{ReviewOptions, ViewError};
use book::Book;
use evenhand_pages::{OpenRun, PersonLabel, RowsError};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use votes::Votes;

/// Where people judge a run.
#[derive(Debug)]
pub(crate) struct Desk {
    path: PathBuf,
    options: ReviewOptions,
    /// None until the first question.
    book: Mutex<Option<Book>>,
}

/// A run on the desk, with what was said of it.
pub(crate) struct Review<'a> {
    run: &'a OpenRun,
    queues: &'a Queues,
    book: &'a mut Book,
    options: &'a ReviewOptions,
}

impl Desk {
    /// Labels are kept in this file.
    pub(crate) fn new(path: PathBuf, options: ReviewOptions) -> Desk {
        Desk {
            path,
            options,
            book: Mutex::default(),
        }
    }

    /// Opens the file of labels, unless it is open.
    pub(crate) fn open(&self) -> Result<(), ViewError> {
        let mut book = self.lock();
        if book.is_none() {
            *book = Some(Book::open(&self.path)?);
        }
        Ok(())
    }

    /// Finds the pairs of a run that people are asked.
    pub(crate) fn queues(&self, run: &OpenRun) -> Result<Queues, RowsError> {
        Queues::of(run, &self.options)
    }

    /// Returns what people said, where it has changed since.
    pub(crate) fn labels_since(&self, changes: u64) -> Option<(u64, Vec<PersonLabel>)> {
        self.open().ok()?;
        let mut book = self.lock();
        let book = book.as_mut()?;
        // Of files that cannot be gone on with, what was read last stands.
        let _ = book.renew();
        let book = Some(&*book).filter(|book| book.changes() != changes)?;
        Some((book.changes(), Votes::of(book).person_labels()))
    }

    /// Lists what was said of two systems on an item; nothing where the labels cannot be read.
    pub(crate) fn said_of(&self, [item, a, b]: [&str; 3]) -> Vec<SaidOfPair> {
        // Whoever judges is told why they cannot be.
        if self.open().is_err() {
            return Vec::new();
        }
        let book = self.lock();
        let votes = book.as_ref().map(Votes::of);
        votes.map_or_else(Vec::new, |votes| votes.said_of([item, a, b]))
    }

    /// Does something with the run and what was said of it.
    pub(crate) fn review<T>(
        &self,
        run: &OpenRun,
        queues: &Queues,
        work: impl FnOnce(&mut Review<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.open()
            .map_err(|error| Failure::Broken(error.to_string()))?;
        let mut book = self.lock();
        let Some(book) = book.as_mut() else {
            return Err(Failure::Broken("the labels are not open".into()));
        };
        book.renew().map_err(Failure::Conflict)?;
        work(&mut Review {
            run,
            queues,
            book,
            options: &self.options,
        })
    }

    /// A file is never half written: a panic leaves it as it is.
    fn lock(&self) -> MutexGuard<'_, Option<Book>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
