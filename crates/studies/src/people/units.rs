//! The labels of people, put together by what they are about.

use super::side_counts::{Ratio, SideCounts};
use evenhand_core::{Refusal, Setting, Side};
use evenhand_formats::Dataset;
use std::collections::HashMap;

/// What one person said of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitLabel {
    /// Index into [`PeopleLabels::annotators`].
    pub annotator: u32,
    /// Whether the system that comes first in the data wins, ties or loses.
    pub side: Side,
}

/// An item with two systems, and what people said of their responses.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LabelledUnit {
    /// The item's number.
    pub item: u32,
    /// What is resampled together: the number of the item's question ([`evenhand_core::Clusters`]).
    pub cluster: u32,
    /// The item's category.
    pub category: Option<String>,
    /// The first label of each annotator.
    pub labels: Vec<UnitLabel>,
    /// Of each further label of an annotator, whether it equals that annotator's first.
    pub repeats: Vec<bool>,
}

impl LabelledUnit {
    /// Adds what a person said.
    pub(super) fn add(&mut self, label: UnitLabel) {
        let mut known = self.labels.iter();
        match known.find(|known| known.annotator == label.annotator) {
            Some(first) => self.repeats.push(first.side == label.side),
            None => self.labels.push(label),
        }
    }

    pub(super) fn label_count(&self) -> usize {
        self.labels.len() + self.repeats.len()
    }

    /// Whether two people or more labelled it.
    pub(super) fn is_compared(&self) -> bool {
        self.labels.len() > 1
    }

    pub(super) fn side_counts(&self) -> SideCounts {
        self.labels.iter().map(|label| label.side).collect()
    }

    /// Returns how many further labels equal their annotator's first, and of how many.
    pub(super) fn self_agreement(&self) -> Ratio {
        let same = self.repeats.iter().filter(|same| **same).count();
        (same as f64, self.repeats.len())
    }
}

/// The labels of people on pairs of responses.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PeopleLabels {
    /// The units that have a label of a named annotator, in the order of their first labels.
    pub units: Vec<LabelledUnit>,
    /// The names of the annotators, in the order of their first labels.
    pub annotators: Vec<String>,
    /// How many labels name nobody; they are in no unit.
    pub unnamed: usize,
    /// How many labels hold a system against itself; they are in no unit.
    pub self_comparisons: usize,
    /// How many votes are on turns that were not read; they are in no unit.
    pub on_other_turns: u64,
    /// The labels with each value of a field of their own, where they are parted by one; empty
    /// where items' categories part them.
    pub parts: Vec<(String, PeopleLabels)>,
}

impl PeopleLabels {
    /// Returns the labels of a data set. Those that name nobody are counted and left out.
    pub fn of_dataset(data: &Dataset) -> PeopleLabels {
        let clusters = data.clusters();
        let mut people = PeopleLabels {
            on_other_turns: data.votes_on_other_turns,
            ..PeopleLabels::default()
        };
        // Places of units by their items and systems, and numbers of annotators by their names.
        let mut units: HashMap<[u32; 3], usize> = HashMap::new();
        let mut annotators: HashMap<&str, u32> = HashMap::new();
        for label in &data.labels {
            if label.a == label.b {
                people.self_comparisons += 1;
                continue;
            }
            let Some(name) = &label.annotator else {
                people.unnamed += 1;
                continue;
            };
            let next = annotators.len() as u32;
            let annotator = *annotators.entry(name).or_insert(next);
            if annotator == next {
                people.annotators.push(name.to_string());
            }
            let key = [label.item, label.a.min(label.b), label.a.max(label.b)];
            let next = people.units.len();
            let place = *units.entry(key).or_insert(next);
            if place == next {
                let item = data.items.get(label.item as usize);
                people.units.push(LabelledUnit {
                    item: label.item,
                    cluster: clusters.of(label.item),
                    category: item.and_then(|item| item.category.clone()),
                    ..LabelledUnit::default()
                });
            }
            // In terms of the system that comes first in the data.
            let side = match label.a > label.b {
                true => label.preferred.swapped(),
                false => label.preferred,
            };
            people.units[place].add(UnitLabel { annotator, side });
        }
        people
    }

    /// Checks that agreement can be measured: two units or more have labels of two annotators.
    ///
    /// # Errors
    /// Fewer such units, with what is missing.
    pub fn check_compared(&self) -> Result<(), Refusal> {
        let compared = self.units.iter().filter(|unit| unit.is_compared()).count();
        if compared > 1 {
            return Ok(());
        }
        let labels: usize = self.units.iter().map(LabelledUnit::label_count).sum();
        let counts = format!(
            "labels: {labels}, units: {}, annotators: {}",
            self.units.len(),
            self.annotators.len()
        );
        let found = match (self.units.len(), self.unnamed, compared) {
            (0, 0, _) => "the data hold no labels of pairs".into(),
            (0, unnamed, _) => format!(
                "none of the {unnamed} labels names its annotator: expected `annotator` in \
                 labels.jsonl, `judge` in votes, or a list of labels (docs/formats.md); of another \
                 field: {} annotator=FIELD",
                Setting::Map
            ),
            (_, _, 0) => format!("no unit has labels of two annotators; {counts}"),
            _ => format!("one unit alone has labels of two annotators; {counts}"),
        };
        Err(Refusal::of_input(format!(
            "{found}; agreement takes at least 2 units (an item with two systems) that two \
             people labelled"
        )))
    }
}
