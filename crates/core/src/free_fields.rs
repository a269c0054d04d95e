//! Free fields: those of an item's or a response's record that mean something to prompts alone.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Free fields by their names in the data; none of them null.
pub type FreeFields = BTreeMap<String, Value>;

/// The free fields that prompts show, by their names in the data; dots lead into objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownFields {
    /// Those of items.
    pub item: BTreeSet<String>,
    /// Those of responses.
    pub response: BTreeSet<String>,
}

impl ShownFields {
    /// Adds those that other prompts show.
    pub fn merge(&mut self, other: ShownFields) {
        self.item.extend(other.item);
        self.response.extend(other.response);
    }
}
