//! Labels of pairs, found by item and systems.

use super::scopes;
use crate::figure::chance_of_at_least;
use evenhand_core::Side;
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

/// What is known of another's label.
struct Known<'a> {
    /// The first pair of its item.
    first: &'a PairLabel,
    /// Its pair, and whether that stands in the other order.
    pair: Option<(&'a PairLabel, bool)>,
}

/// The part of pairs whose items have no value of the field that parts them.
pub(super) const NO_PART: &str = "none";

/// People who label the same pairs differ on no more of them, as a rule.
const PEOPLE_DIFFER: f64 = 1.0 / 3.0;

/// How labels differ from those that are known of items of the same ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OtherData {
    /// Pairs of which both prefer one response.
    pub(super) shared: usize,
    /// Those of them of which they prefer different ones.
    pub(super) differing: usize,
}

impl OtherData {
    /// Whether the two are shown to be different data sets, which differ on about half of the
    /// pairs: the exact binomial test at 5 % rejects that they differ on no more than people do.
    fn is_shown(self) -> bool {
        let [differing, shared] = [self.differing, self.shared].map(|count| count as u64);
        chance_of_at_least(differing, shared, PEOPLE_DIFFER) <= 0.05
    }
}

impl Labels {
    /// Adds one; votes on a pair that is known already are added to its own. A label that decides
    /// between others is the one label of its pair.
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
        if known.decides != label.decides {
            if label.decides {
                (known.preferred, known.decides) = (Vec::new(), true);
            } else {
                return;
            }
        }
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

    /// Whether an item of the file has a label.
    pub(super) fn has_item(&self, item: &str) -> bool {
        self.ids(item).any(|id| self.by_item.contains_key(&id))
    }

    fn of_item<'a>(&'a self, item: &str) -> impl Iterator<Item = (usize, &'a PairLabel)> + use<'a> {
        let places = self.by_item.get(item).into_iter().flatten();
        places.filter_map(|at| Some((*at, self.labels.get(*at)?)))
    }

    /// Adds what else is known of the pairs of an item, where a label does not have it: their part
    /// of the input set, their lengths and their question.
    ///
    /// # Errors
    /// The labels are shown to be of another data set, of which nothing is taken then.
    pub(super) fn enrich(&mut self, from: &Labels) -> Result<(), OtherData> {
        let known: Vec<_> = self.labels.iter().map(|label| from.known(label)).collect();
        let mut differ = OtherData::default();
        for (label, known) in self.labels.iter().zip(&known) {
            let Some((pair, reversed)) = known.as_ref().and_then(|known| known.pair) else {
                continue;
            };
            let there = pair.plurality();
            let there = if reversed { there.swapped() } else { there };
            let both = [label.plurality(), there];
            if !both.contains(&Side::Tie) {
                differ.shared += 1;
                differ.differing += usize::from(both[0] != both[1]);
            }
        }
        if differ.is_shown() {
            return Err(differ);
        }
        for (label, known) in self.labels.iter_mut().zip(known) {
            let Some(Known { first, pair }) = known else {
                continue;
            };
            label.category = label.category.take().or_else(|| first.category.clone());
            label.cluster = label.cluster.take().or_else(|| first.cluster.clone());
            let Some((known, reversed)) = pair else {
                continue;
            };
            let lengths = known
                .lengths
                .map(|[a, b]| if reversed { [b, a] } else { [a, b] });
            label.lengths = label.lengths.or(lengths);
            label.same |= known.same;
        }
        Ok(())
    }

    /// Finds what is known here of the item and the pair of another's label.
    fn known(&self, label: &PairLabel) -> Option<Known<'_>> {
        let pairs = self.ids(&label.item).map(|id| {
            let pairs = self.of_item(&id).map(|(_, known)| known);
            Vec::from_iter(pairs)
        });
        let pairs = pairs.into_iter().find(|pairs| !pairs.is_empty())?;
        let first = *pairs.first()?;
        // Of several pairs of an item only one has these lengths, maybe in the other order.
        let own = pairs.iter().find_map(|known| {
            let reversed = is_reversed(label.systems.as_ref()?, known.systems.as_ref()?)?;
            Some((*known, reversed))
        });
        let only = (pairs.len() == 1).then_some((first, false));
        Some(Known {
            first,
            pair: own.or(only),
        })
    }

    /// Puts each label into the part of its item by these, in the place of its own: that of its
    /// question where a later turn has none of its own.
    pub(super) fn parted_by(mut self, parts: &HashMap<&str, &str>) -> Labels {
        let of_label = |label: &PairLabel| {
            let question = label
                .item
                .rsplit_once('/')
                .map(|(question, _)| question.to_owned());
            let mut ids = self.ids(&label.item).chain(question);
            let part = ids.find_map(|id| parts.get(id.as_str()).copied());
            part.unwrap_or(NO_PART).to_owned()
        };
        let found: Vec<String> = self.labels.iter().map(of_label).collect();
        for (label, part) in self.labels.iter_mut().zip(found) {
            label.category = Some(part);
        }
        self
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels of so many items; those from `turned` on prefer the second response.
    fn labels(items: usize, turned: usize, lengths: Option<[u32; 2]>) -> Labels {
        let mut labels = Labels::default();
        labels.add_all((0..items).map(|at| PairLabel {
            item: at.to_string(),
            category: lengths.map(|_| "known".into()),
            lengths,
            preferred: vec![if at < turned {
                Side::First
            } else {
                Side::Second
            }],
            ..PairLabel::default()
        }));
        labels
    }

    #[test]
    fn a_decision_is_the_one_label_of_its_pair() {
        let label = |systems: [&str; 2], preferred, decides| PairLabel {
            item: "q".into(),
            systems: Some(systems.map(String::from)),
            preferred: vec![preferred],
            decides,
            ..PairLabel::default()
        };
        let all = [
            label(["x", "y"], Side::First, false),
            label(["y", "x"], Side::First, true),
            label(["x", "y"], Side::First, false),
        ];
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let mut labels = Labels::default();
            labels.add_all(order.map(|at| all[at].clone()));
            let found: Vec<&PairLabel> = labels.iter().collect();
            assert_eq!(found.len(), 1);
            let prefers_x = found[0].systems.as_ref().is_some_and(|[a, _]| a == "x");
            assert_eq!(found[0].preferred.len(), 1, "{order:?}");
            assert_eq!(found[0].plurality() == Side::First, !prefers_x, "{order:?}");
        }
    }

    /// Corrected labels keep what is known, and those of another data set take nothing.
    #[test]
    fn data_whose_labels_are_others_gives_nothing() {
        for items in 1..40 {
            for differing in 0..=items {
                let mut own = labels(items, differing, None);
                // An item that the data lacks says nothing.
                own.add(PairLabel {
                    item: "new".into(),
                    preferred: vec![Side::First],
                    ..PairLabel::default()
                });
                let found = own.enrich(&labels(items, 0, Some([3, 5])));
                // The sum of C(n, k) 2^(n - k) / 3^n over so many and more.
                let term = |k: usize| {
                    let ways = (0..k).map(|at| (items - at) as f64 / (at + 1) as f64);
                    ways.product::<f64>() * 2f64.powi((items - k) as i32) / 3f64.powi(items as i32)
                };
                let is_other = (differing..=items).map(term).sum::<f64>() <= 0.05;
                let expected = OtherData {
                    shared: items,
                    differing,
                };
                assert_eq!(found.err(), is_other.then_some(expected));
                let lengths = own.iter().filter(|label| label.lengths == Some([3, 5]));
                assert_eq!(lengths.count(), if is_other { 0 } else { items });
                let categories = own.iter().filter(|label| label.category.is_some());
                assert_eq!(categories.count(), if is_other { 0 } else { items });
            }
        }
    }

    /// A label's own part gives way to that of the field; a later turn is in its question's.
    #[test]
    fn a_field_parts_labels_by_their_items() {
        let mut own = labels(2, 1, Some([3, 5]));
        own.add(PairLabel {
            item: "0/2".into(),
            ..PairLabel::default()
        });
        let parts = HashMap::from([("0/1", "one")]);
        let parted = own.clone().parted_by(&parts);
        let found = parted.iter().map(|label| label.category.as_deref());
        assert_eq!(
            found.collect::<Vec<_>>(),
            [Some("one"), Some(NO_PART), Some(NO_PART)]
        );
        let parted = own.parted_by(&HashMap::from([("0", "one")]));
        let found = parted.iter().map(|label| label.category.as_deref());
        assert_eq!(
            found.collect::<Vec<_>>(),
            [Some("one"), Some(NO_PART), Some("one")]
        );
    }

    /// The other order of two systems is no difference, nor is a tie.
    #[test]
    fn labels_are_compared_by_the_response_that_they_prefer() {
        let named = |item: usize, systems: [&str; 2], side| PairLabel {
            item: item.to_string(),
            systems: Some(systems.map(Into::into)),
            lengths: (systems[0] == "b").then_some([3, 5]),
            preferred: vec![side],
            ..PairLabel::default()
        };
        let (mut own, mut known) = (Labels::default(), Labels::default());
        for item in 0..8 {
            own.add(named(item, ["a", "b"], Side::First));
            let side = if item < 5 { Side::Second } else { Side::Tie };
            known.add(named(item, ["b", "a"], side));
        }
        assert_eq!(own.enrich(&known), Ok(()));
        assert!(own.iter().all(|label| label.lengths == Some([5, 3])));
    }
}
