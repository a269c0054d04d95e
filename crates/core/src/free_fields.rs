//! Free fields: those of an item's or a response's record that mean something to prompts alone.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Free fields by their names in the data; none of them null.
pub type FreeFields = BTreeMap<String, Value>;

/// The free fields that are read, by their names in the data; dots lead into objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownFields {
    /// Those of items that prompts show.
    pub item: BTreeSet<String>,
    /// Those of responses that prompts show.
    pub response: BTreeSet<String>,
    /// Those of responses that are covariates, whether or not a prompt shows them.
    pub covariates: BTreeSet<String>,
}

impl ShownFields {
    /// Adds those that other prompts show.
    pub fn merge(&mut self, other: ShownFields) {
        self.item.extend(other.item);
        self.response.extend(other.response);
        self.covariates.extend(other.covariates);
    }

    /// Returns those of responses that are read and not shown.
    pub fn unshown(&self) -> BTreeSet<String> {
        self.covariates
            .difference(&self.response)
            .cloned()
            .collect()
    }
}
