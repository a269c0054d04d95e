//! A data set: items, systems, and the systems' responses.

mod builder;
mod fingerprint;
mod missing;
mod texts;

#[cfg(test)]
mod tests;

pub use builder::{DatasetBuilder, Selection};
pub use texts::{InMemory, TextRef, Texts};

use crate::records::{DataError, Missing, Preference, Problem, Rating};
use evenhand_core::{Item, Response};
use std::io;
use std::sync::Arc;

/// What people said of two systems' responses to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Index of the item.
    pub item: u32,
    /// Index of the first system.
    pub a: u32,
    /// Index of the second.
    pub b: u32,
    /// Which of the two is better.
    pub preferred: Preference,
    /// Who said so, where it is known.
    pub annotator: Option<String>,
}

/// Items, systems, and the systems' responses. Made by a [`DatasetBuilder`].
#[derive(Debug)]
pub struct Dataset {
    /// In the order in which they were read.
    pub items: Vec<Item>,
    /// In the order of their first response.
    pub systems: Vec<Arc<str>>,
    /// In the order in which they were read.
    pub labels: Vec<Label>,
    /// In the order in which they were read; they may rate systems that have no response here.
    pub ratings: Vec<Rating>,
    /// The items that some system has not answered; empty unless that was allowed.
    pub missing: Vec<Missing>,
    /// Notes for a person on how the files were read.
    pub notes: Vec<String>,
    /// Of each system, its response to each item.
    responses: Vec<Vec<Option<TextRef>>>,
    texts: Box<dyn Texts>,
}

impl Dataset {
    /// What this system wrote for this item; None where it has no response.
    pub fn response(&self, item: usize, system: usize) -> io::Result<Option<Response>> {
        let (Some(text), Some(name)) = (self.text_ref(item, system), self.systems.get(system))
        else {
            return Ok(None);
        };
        Ok(Some(Response {
            system: name.clone(),
            text: self.texts.get(text)?,
        }))
    }

    /// Whether this system has a response for this item: no text is fetched.
    pub fn has_response(&self, item: usize, system: usize) -> bool {
        self.text_ref(item, system).is_some()
    }

    /// How many responses there are.
    pub fn response_count(&self) -> usize {
        self.responses.iter().flatten().flatten().count()
    }

    /// The index of the system of this name.
    pub fn system_index(&self, name: &str) -> Option<usize> {
        self.systems.iter().position(|system| **system == *name)
    }

    /// That there is something to judge: at least one item and one response.
    pub fn check_any(&self) -> Result<(), DataError> {
        match (self.items.is_empty(), self.systems.is_empty()) {
            (true, _) => Err(DataError::new(Problem::NoItems)),
            (_, true) => Err(DataError::new(Problem::NoResponses)),
            _ => Ok(()),
        }
    }

    /// That systems can be compared: what [`Dataset::check_any`] asks, and at least two systems.
    pub fn check_pairwise(&self) -> Result<(), DataError> {
        self.check_any()?;
        match &self.systems[..] {
            [system] => Err(DataError::new(Problem::OneSystem {
                system: system.clone(),
            })),
            _ => Ok(()),
        }
    }

    fn text_ref(&self, item: usize, system: usize) -> Option<TextRef> {
        *self.responses.get(system)?.get(item)?
    }
}
