//! People's labels beside the judgments.

use super::{NONE, RunIndex};
use evenhand_core::Side;
use rustc_hash::FxHashMap;

/// What people said of a pair, as one label.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonLabel {
    /// The item's id.
    pub item: String,
    /// One system.
    pub a: String,
    /// The other.
    pub b: String,
    /// What they said: [`Side::First`] for the one, [`Side::Second`] for the other.
    pub outcome: Side,
}

/// Labels by item and pair, the earlier system first.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeopleLabels(FxHashMap<[u32; 3], Side>);

impl RunIndex {
    /// Replaces the labels of people; those of what was not judged are left out.
    pub fn set_people(&mut self, labels: &[PersonLabel]) {
        let known = labels.iter().filter_map(|label| {
            let item = self.items.find(&label.item)?;
            let (a, b) = (self.systems.find(&label.a)?, self.systems.find(&label.b)?);
            let outcome = if a <= b {
                label.outcome
            } else {
                label.outcome.swapped()
            };
            Some(([item, a.min(b), a.max(b)], outcome))
        });
        self.people = PeopleLabels(known.collect());
    }

    /// Whether people said anything of what was judged.
    pub fn has_people(&self) -> bool {
        !self.people.0.is_empty()
    }

    /// Returns what people said of a row.
    pub fn people_of(&self, row: u32) -> Option<Side> {
        if !self.has_people() {
            return None;
        }
        let cells = self.cells(row);
        let [a, b] = cells.systems();
        if b == NONE {
            return None;
        }
        let item = self.columns.item[cells.any() as usize];
        self.people.0.get(&[item, a, b]).copied()
    }
}
