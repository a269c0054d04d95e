//! Labels of pairs, found by item and systems.

use super::scopes;
use evenhand_formats::judgments::games::{PairLabel, ShownPair};
use evenhand_formats::judgments::other_turn_name;
use evenhand_formats::records::Preference;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Labels of pairs, as a file of recorded judgments looks them up.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    labels: Vec<PairLabel>,
    by_item: HashMap<String, Vec<usize>>,
    /// The names under which the items of the file that is looked up may stand here: `NAME:ITEM`.
    scopes: Vec<String>,
}

/// A label that was found for a game.
#[derive(Clone, Copy)]
pub(super) struct FoundLabel {
    /// Its place among all labels.
    pub(super) at: usize,
    /// Whether the label's a was not the one in the game's first slot.
    pub(super) reversed: bool,
}

impl Labels {
    /// Adds one; votes on a pair that is known already are added to its own.
    pub(super) fn add(&mut self, label: PairLabel) {
        match self.place_of_pair(&label) {
            Some(at) => add_votes(&mut self.labels[at], label),
            None => self.push(label),
        }
    }

    fn place_of_pair(&self, label: &PairLabel) -> Option<usize> {
        let mut places = self.of_item(&label.item);
        let found = places.find(|(_, known)| is_same_pair(known, label));
        found.map(|(at, _)| at)
    }

    fn push(&mut self, label: PairLabel) {
        let places = self.by_item.entry(label.item.clone()).or_default();
        places.push(self.labels.len());
        self.labels.push(label);
    }

    pub(super) fn add_all(&mut self, labels: impl IntoIterator<Item = PairLabel>) {
        for label in labels {
            self.add(label);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PairLabel> {
        self.labels.iter()
    }

    /// Returns the labels as a file of this path looks them up.
    pub(super) fn seen_from(self, path: &Path) -> Labels {
        Labels {
            scopes: scopes::names_of(path),
            ..self
        }
    }

    /// Keeps those of these items; without a selection, all.
    pub(super) fn only(self, items: Option<&HashSet<String>>) -> Labels {
        match items {
            Some(items) => self.only_items(items),
            None => self,
        }
    }

    fn only_items(mut self, items: &HashSet<String>) -> Labels {
        let mut all = std::mem::take(&mut self.labels);
        all.retain(|label| self.ids(&label.item).any(|id| items.contains(&id)));
        // The places by item are other ones now.
        self.by_item.clear();
        self.add_all(all);
        self
    }

    /// Returns the ids that an item of the file may have here.
    pub(super) fn ids(&self, item: &str) -> impl Iterator<Item = String> {
        let scopes = self.scopes.iter();
        let scoped = scopes.map(move |scope| format!("{scope}:{item}"));
        [item.to_owned(), other_turn_name(item)]
            .into_iter()
            .chain(scoped)
    }

    fn of_item<'a>(&'a self, item: &str) -> impl Iterator<Item = (usize, &'a PairLabel)> + use<'a> {
        let places = self.by_item.get(item).into_iter().flatten();
        places.filter_map(|at| Some((*at, self.labels.get(*at)?)))
    }

    /// Adds what else is known of the pairs of an item: their part of the input set and their
    /// lengths.
    pub(super) fn enrich(&mut self, from: &Labels) {
        for label in &mut self.labels {
            if let Some(known) = from.first_of_item(&label.item) {
                add_details(label, known);
            }
        }
    }

    fn first_of_item(&self, item: &str) -> Option<&PairLabel> {
        let (_, label) = self.ids(item).find_map(|id| self.of_item(&id).next())?;
        Some(label)
    }

    /// Forgets the parts of the input set.
    pub(super) fn without_category(mut self) -> Labels {
        for label in &mut self.labels {
            label.category = None;
        }
        self
    }

    /// Finds the pair of a game. A question without a turn is its first turn.
    pub(super) fn find(&self, item: &str, shown: &ShownPair) -> Option<FoundLabel> {
        self.ids(item).find_map(|id| self.find_by_id(&id, shown))
    }

    fn find_by_id(&self, item: &str, shown: &ShownPair) -> Option<FoundLabel> {
        match shown {
            ShownPair::Forward => self.only_pair(item, false),
            ShownPair::Swapped => self.only_pair(item, true),
            ShownPair::Systems(names) | ShownPair::Unordered(names) => self.named_pair(item, names),
        }
    }

    /// Without names a game is of the pair of its item, if that has one alone.
    fn only_pair(&self, item: &str, reversed: bool) -> Option<FoundLabel> {
        match self.by_item.get(item)?[..] {
            [at] => Some(FoundLabel { at, reversed }),
            _ => None,
        }
    }

    fn named_pair(&self, item: &str, systems: &[String; 2]) -> Option<FoundLabel> {
        self.of_item(item).find_map(|(at, label)| {
            let reversed = is_reversed(label.systems.as_ref()?, systems)?;
            Some(FoundLabel { at, reversed })
        })
    }
}

fn is_same_pair(a: &PairLabel, b: &PairLabel) -> bool {
    match (&a.systems, &b.systems) {
        (Some(a), Some(b)) => is_reversed(a, b).is_some(),
        (a, b) => a == b,
    }
}

/// Whether two systems are in the other order; None where they are not the same two.
fn is_reversed([a, b]: &[String; 2], [first, second]: &[String; 2]) -> Option<bool> {
    let reversed = (a, b) == (second, first);
    (reversed || (a, b) == (first, second)).then_some(reversed)
}

/// Adds what the label itself does not have.
fn add_details(label: &mut PairLabel, known: &PairLabel) {
    label.category = label.category.take().or_else(|| known.category.clone());
    label.lengths = label.lengths.or(known.lengths);
    label.cluster = label.cluster.take().or_else(|| known.cluster.clone());
}

fn add_votes(known: &mut PairLabel, mut label: PairLabel) {
    if known.systems != label.systems {
        for vote in &mut label.preferred {
            *vote = mirrored(*vote);
        }
    }
    known.preferred.append(&mut label.preferred);
}

fn mirrored(vote: Preference) -> Preference {
    match vote {
        Preference::A => Preference::B,
        Preference::B => Preference::A,
        Preference::Tie => Preference::Tie,
    }
}
