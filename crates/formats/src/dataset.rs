//! A data set: items, systems, and the systems' responses.

mod builder;
mod conversations;
mod fingerprint;
mod finish;
mod item_index;
mod marks;
mod texts;

#[cfg(test)]
mod tests;

pub use builder::{DatasetBuilder, Selection};
pub use texts::{InMemory, TextRef, Texts};

use conversations::Conversations;

use crate::error::{DataError, DataProblem, Missing};
use crate::records::Rating;
use evenhand_core::{Clusters, Item, Response, ShownFields, Side};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

/// A person's preference between two systems' responses to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Index of the item.
    pub item: u32,
    /// Index of the first system.
    pub a: u32,
    /// Index of the second.
    pub b: u32,
    /// Which of the two is better.
    pub preferred: Side,
    /// The person, where it is known.
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
    /// The items that some system has not answered; empty unless that was allowed, or all responses
    /// stand in pairs.
    pub missing: Vec<Missing>,
    /// Notes for a person on how the files were read.
    pub notes: Vec<String>,
    /// Votes on turns of conversations that were not read, and are in no label.
    pub votes_on_other_turns: u64,
    /// The free fields of responses that no prompt shows. They are no part of the fingerprint.
    pub unshown_fields: BTreeSet<String>,
    /// Of each system, its response to each item.
    responses: Vec<Vec<Option<TextRef>>>,
    /// Of responses that are a turn of a conversation, the turns before it.
    conversations: Conversations,
    texts: Box<dyn Texts>,
}

impl Dataset {
    /// Returns which items ask one question, and so count as one in intervals and tests.
    pub fn clusters(&self) -> Clusters {
        Clusters::of_items(&self.items)
    }

    /// Returns what this system wrote for this item; `None` where it has no response.
    ///
    /// # Errors
    /// If the text cannot be read back.
    pub fn response(&self, item: usize, system: usize) -> io::Result<Option<Response>> {
        let text = self.text_ref(item, system);
        let Some((text, name)) = text.zip(self.systems.get(system)) else {
            return Ok(None);
        };
        let response = Response::new(name.clone(), self.texts.get(text)?);
        self.conversations
            .complete(item, response, &*self.texts)
            .map(Some)
    }

    /// Returns the items that are byte-equal copies, each with the first item that it copies: under
    /// another id the same messages, shown fields and reference, and the same responses.
    ///
    /// # Errors
    /// If a text cannot be read back.
    pub fn copies(&self) -> io::Result<Vec<[u32; 2]>> {
        let (mut first, mut copies) = (HashMap::new(), Vec::new());
        // A copy asks the question of what it copies: the texts of other items are not fetched.
        for (place, shared) in (0..).zip(self.clusters().shared()) {
            if shared.is_some() {
                let original = *first
                    .entry(self.digest_item(place as usize)?)
                    .or_insert(place);
                copies.extend((original != place).then_some([place, original]));
            }
        }
        Ok(copies)
    }

    /// Digests an item with its responses, but for the id.
    fn digest_item(&self, place: usize) -> io::Result<blake3::Hash> {
        let item = &self.items[place];
        let said = (&item.messages, &item.fields, &item.reference);
        let mut hasher = blake3::Hasher::new();
        serde_json::to_writer(&mut hasher, &said)?;
        for system in 0..self.systems.len() {
            let response = self.response(place, system)?;
            let said = response.as_ref().map(|it| {
                let fields = it.fields.iter();
                let shown = fields.filter(|(name, _)| !self.unshown_fields.contains(*name));
                let shown: Vec<(&String, &Value)> = shown.collect();
                (&*it.text, &*it.earlier, &it.trajectory, shown)
            });
            serde_json::to_writer(&mut hasher, &said)?;
        }
        Ok(hasher.finalize())
    }

    /// Whether this system has a response for this item; no text is fetched.
    pub fn has_response(&self, item: usize, system: usize) -> bool {
        self.text_ref(item, system).is_some()
    }

    /// Returns the first of these free fields that no item, or no response, has: `item.context`.
    ///
    /// # Errors
    /// If what is kept of responses cannot be read back.
    pub fn find_lacking(&self, shown: &ShownFields) -> io::Result<Option<String>> {
        for name in &shown.item {
            if !self.items.iter().any(|item| item.fields.contains_key(name)) {
                return Ok(Some(format!("item.{name}")));
            }
        }
        for name in &shown.response {
            if !self.conversations.has_field(name, &*self.texts)? {
                return Ok(Some(format!("response.{name}")));
            }
        }
        Ok(None)
    }

    /// Whether some response is a trajectory.
    pub fn has_trajectories(&self) -> bool {
        self.conversations.has_trajectories()
    }

    /// Returns how many responses there are.
    pub fn response_count(&self) -> usize {
        self.responses.iter().flatten().flatten().count()
    }

    /// Returns the index of the system of this name.
    pub fn system_index(&self, name: &str) -> Option<usize> {
        self.systems.iter().position(|system| **system == *name)
    }

    /// Checks that there is something to judge.
    ///
    /// # Errors
    /// No item, or no response.
    pub fn check_any(&self) -> Result<(), DataError> {
        if self.items.is_empty() {
            Err(DataError::new(DataProblem::NoItems))
        } else if self.systems.is_empty() {
            Err(DataError::new(DataProblem::NoResponses))
        } else {
            Ok(())
        }
    }

    /// Checks that systems can be compared.
    ///
    /// # Errors
    /// Those of [`Dataset::check_any`]; one system alone.
    pub fn check_pairwise(&self) -> Result<(), DataError> {
        self.check_any()?;
        if let [system] = &self.systems[..] {
            let system = system.clone();
            return Err(DataError::new(DataProblem::OneSystem { system }));
        }
        Ok(())
    }

    fn text_ref(&self, item: usize, system: usize) -> Option<TextRef> {
        *self.responses.get(system)?.get(item)?
    }
}
