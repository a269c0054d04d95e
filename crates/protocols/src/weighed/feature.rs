//! What can be seen of a response without asking anybody.

use crate::ask::invalid;
use evenhand_constraints::Constraints;
use evenhand_core::{Failure, Item, View};
use std::collections::BTreeSet;

/// A measure of a response that needs no judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The natural logarithm of 1 and its characters.
    Length,
    /// The share of the instruction's words of at least four letters that stand in the response
    /// too.
    Overlap,
    /// The share of the item's verifiable constraints that it keeps, strictly; 0 where there are
    /// none.
    Constraints,
}

/// Shorter words carry little of what an instruction is about.
const SHORTEST_WORD: usize = 4;

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 3] = [Feature::Length, Feature::Overlap, Feature::Constraints];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Length => "length",
            Feature::Overlap => "overlap",
            Feature::Constraints => "constraints",
        }
    }

    /// The feature of this name.
    pub fn named(name: &str) -> Option<Feature> {
        Feature::ALL
            .into_iter()
            .find(|feature| feature.name() == name)
    }

    /// Its value for the first response less that for the second.
    pub(super) fn difference(self, view: &View) -> Result<f64, Failure> {
        let [first, second] = view.responses else {
            return Err(invalid("a panel compares two responses"));
        };
        Ok(self.value(view.item, &first.text)? - self.value(view.item, &second.text)?)
    }

    /// Its value for a response.
    pub(crate) fn value(self, item: &Item, response: &str) -> Result<f64, Failure> {
        match self {
            Feature::Length => Ok((response.chars().count() as f64).ln_1p()),
            Feature::Overlap => {
                let wanted = words(item.instruction());
                let shared = wanted.intersection(&words(response)).count();
                Ok(share(shared, wanted.len()))
            }
            Feature::Constraints => {
                let Some(constraints) = &item.constraints else {
                    return Ok(0.0);
                };
                let constraints = Constraints::parse(constraints, item.instruction())
                    .map_err(|e| invalid(format!("constraints: {e}")))?;
                let checked = constraints.check(response).strict;
                let kept = checked.iter().filter(|is_true| **is_true).count();
                Ok(share(kept, checked.len()))
            }
        }
    }
}

/// Returns a share; 0 of nothing.
fn share(count: usize, all: usize) -> f64 {
    match all {
        0 => 0.0,
        all => count as f64 / all as f64,
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let long = crate::repeated_words::split_words(text)
        .filter(|(_, word)| word.chars().count() >= SHORTEST_WORD);
    long.map(|(_, word)| word.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Message, Response};

    fn difference(
        feature: Feature,
        constraints: Option<serde_json::Value>,
        texts: [&str; 2],
    ) -> f64 {
        let item = Item {
            messages: vec![Message::user("Name three Rivers of France, please.")],
            constraints,
            ..Item::default()
        };
        let responses = texts.map(|text| Response::new("x", text));
        feature.difference(&View::alone(&item, &responses)).unwrap()
    }

    #[test]
    fn features_by_hand() {
        // Words: name, three, rivers, france, please.
        assert_eq!(
            difference(
                Feature::Overlap,
                None,
                ["Three rivers: Loire", "the rivers of FRANCE, please name"]
            ),
            (2.0 - 4.0) / 5.0
        );
        assert_eq!(difference(Feature::Length, None, ["abc", ""]), 4f64.ln());
        assert_eq!(difference(Feature::Constraints, None, ["a", "b"]), 0.0);
        let no_comma = serde_json::json!([{"id": "punctuation:no_comma"}]);
        assert_eq!(
            difference(
                Feature::Constraints,
                Some(no_comma),
                ["Loire, Seine", "Loire and Seine"]
            ),
            -1.0
        );
    }

    #[test]
    fn names_go_round() {
        assert!(
            Feature::ALL
                .into_iter()
                .all(|feature| Feature::named(feature.name()) == Some(feature))
        );
        assert_eq!(Feature::named("tone"), None);
    }
}
