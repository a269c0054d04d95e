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
        let known = self
            .of_item(&label.item)
            .find(|(_, known)| is_same_pair(known, &label))
            .map(|(at, _)| at);
        match known.and_then(|at| self.labels.get_mut(at)) {
            Some(known) => add_votes(known, label),
            None => self.push(label),
        }
    }

    fn push(&mut self, label: PairLabel) {
        let item = label.item.clone();
        self.by_item
            .entry(item)
            .or_default()
            .push(self.labels.len());
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
        let Some(items) = items else { return self };
        let mut kept = Labels {
            scopes: self.scopes.clone(),
            ..Labels::default()
        };
        for label in &self.labels {
            if self.ids(&label.item).any(|id| items.contains(&id)) {
                kept.add(label.clone());
            }
        }
        kept
    }

    /// Returns the ids that an item of the file may have here.
    pub(super) fn ids(&self, item: &str) -> impl Iterator<Item = String> {
        let scoped = self
            .scopes
            .iter()
            .map(move |scope| format!("{scope}:{item}"));
        [item.to_owned(), other_turn_name(item)]
            .into_iter()
            .chain(scoped)
    }

    fn of_item<'a>(&'a self, item: &str) -> impl Iterator<Item = (usize, &'a PairLabel)> + use<'a> {
        let places = self
            .by_item
            .get(item)
            .map(Vec::as_slice)
            .unwrap_or_default();
        places
            .iter()
            .filter_map(|at| Some((*at, self.labels.get(*at)?)))
    }

    /// Adds what else is known of the pairs of an item: their part of the input set and their
    /// lengths.
    pub(super) fn enrich(&mut self, from: &Labels) {
        for label in &mut self.labels {
            let mut ids = from.ids(&label.item);
            let Some((_, known)) = ids.find_map(|id| from.of_item(&id).next()) else {
                continue;
            };
            label.category = label.category.take().or_else(|| known.category.clone());
            label.lengths = label.lengths.or(known.lengths);
            label.cluster = label.cluster.take().or_else(|| known.cluster.clone());
        }
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
            ShownPair::Systems(systems) | ShownPair::Unordered(systems) => {
                self.named_pair(item, systems)
            }
        }
    }

    /// Without names a game is of the pair of its item, if that has one alone.
    fn only_pair(&self, item: &str, reversed: bool) -> Option<FoundLabel> {
        let mut of_item = self.of_item(item);
        let (at, _) = of_item.next()?;
        of_item
            .next()
            .is_none()
            .then_some(FoundLabel { at, reversed })
    }

    fn named_pair(&self, item: &str, [first, second]: &[String; 2]) -> Option<FoundLabel> {
        self.of_item(item).find_map(|(at, label)| {
            let [a, b] = label.systems.as_ref()?;
            let reversed = (a, b) == (second, first);
            ((a, b) == (first, second) || reversed).then_some(FoundLabel { at, reversed })
        })
    }
}

fn is_same_pair(a: &PairLabel, b: &PairLabel) -> bool {
    match (&a.systems, &b.systems) {
        (Some([x, y]), Some([u, v])) => (x, y) == (u, v) || (x, y) == (v, u),
        (a, b) => a == b,
    }
}

fn add_votes(known: &mut PairLabel, label: PairLabel) {
    let reversed = known.systems != label.systems;
    let votes = label.preferred.into_iter();
    known
        .preferred
        .extend(votes.map(|vote| if reversed { mirrored(vote) } else { vote }));
}

fn mirrored(vote: Preference) -> Preference {
    match vote {
        Preference::A => Preference::B,
        Preference::B => Preference::A,
        Preference::Tie => Preference::Tie,
    }
}
