//! Labels of pairs, found by item and systems.

use super::scopes;
use evenhand_formats::judgments::games::{PairLabel, ShownPair};
use evenhand_formats::judgments::other_turn_name;
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
    pub(super) fn add(&mut self, mut label: PairLabel) {
        let known = self
            .of_item(&label.item)
            .find(|(_, known)| is_same_pair(known, &label))
            .map(|(at, _)| at);
        let Some(at) = known else {
            let places = self.by_item.entry(label.item.clone()).or_default();
            places.push(self.labels.len());
            self.labels.push(label);
            return;
        };
        let known = &mut self.labels[at];
        if known.systems != label.systems {
            for vote in &mut label.preferred {
                *vote = vote.swapped();
            }
        }
        known.preferred.append(&mut label.preferred);
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
    pub(super) fn only(mut self, items: Option<&HashSet<String>>) -> Labels {
        let Some(items) = items else {
            return self;
        };
        let mut all = std::mem::take(&mut self.labels);
        all.retain(|label| self.ids(&label.item).any(|id| items.contains(&id)));
        // The places by item are other ones now.
        self.by_item.clear();
        self.add_all(all);
        self
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
        let places = self.by_item.get(item).into_iter().flatten();
        places.filter_map(|at| Some((*at, self.labels.get(*at)?)))
    }

    /// Adds what else is known of the pairs of an item, where a label does not have it: their part
    /// of the input set, their lengths and their question.
    pub(super) fn enrich(&mut self, from: &Labels) {
        for label in &mut self.labels {
            let pairs = from.ids(&label.item).map(|id| {
                let pairs = from.of_item(&id).map(|(_, known)| known);
                Vec::from_iter(pairs)
            });
            let pairs = pairs.into_iter().find(|pairs| !pairs.is_empty());
            let pairs = pairs.unwrap_or_default();
            let Some(first) = pairs.first() else { continue };
            label.category = label.category.take().or_else(|| first.category.clone());
            label.cluster = label.cluster.take().or_else(|| first.cluster.clone());
            // Of several pairs of an item only one has these lengths, maybe in the other order.
            let own = pairs.iter().find_map(|known| {
                let reversed = is_reversed(label.systems.as_ref()?, known.systems.as_ref()?)?;
                Some((*known, reversed))
            });
            let Some((known, reversed)) = own.or((pairs.len() == 1).then_some((*first, false)))
            else {
                continue;
            };
            let lengths = known
                .lengths
                .map(|[a, b]| if reversed { [b, a] } else { [a, b] });
            label.lengths = label.lengths.or(lengths);
            label.same |= known.same;
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
        self.ids(item).find_map(|id| match shown {
            ShownPair::Systems(systems) | ShownPair::Unordered(systems) => {
                self.of_item(&id).find_map(|(at, label)| {
                    let reversed = is_reversed(label.systems.as_ref()?, systems)?;
                    Some(FoundLabel { at, reversed })
                })
            }
            // Without names a game is of the pair of its item, if that has one alone.
            ShownPair::Forward | ShownPair::Swapped => match self.by_item.get(&id)?[..] {
                [at] => Some(FoundLabel {
                    at,
                    reversed: matches!(shown, ShownPair::Swapped),
                }),
                _ => None,
            },
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
