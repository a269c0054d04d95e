//! Reference answers that a file beside the items gives.

use crate::error::Place;
use std::collections::HashMap;

/// The items that have a reference answer of a file.
#[derive(Debug, Default)]
pub(super) struct References {
    /// By item, where it stands.
    places: HashMap<u32, Place>,
    /// How many stand in the place of the items' own.
    replaced: usize,
}

impl References {
    /// Keeps where an item's reference answer stands; returns where it has one already.
    pub(super) fn add(&mut self, item: u32, place: &Place) -> Option<Place> {
        self.places.insert(item, place.clone())
    }

    pub(super) fn count(&mut self, replaces: bool) {
        self.replaced += usize::from(replaces);
    }

    /// Says how many items have such an answer; None where none has.
    pub(super) fn note(&self) -> Option<String> {
        let count = self.places.len();
        let replaced = match self.replaced {
            0 => String::new(),
            some => format!(", {some} of them in the place of the items' own"),
        };
        (count > 0).then(|| format!("{count} items have a reference answer of a file{replaced}"))
    }
}
