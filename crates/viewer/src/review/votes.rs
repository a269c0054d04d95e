//! What annotators said, pair by pair.

use super::book::Book;
use super::label::Label;
use evenhand_core::Side;
use evenhand_pages::{PersonLabel, RunIndex};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// An item and two systems by name, the systems in the order of their names.
pub(super) type PairName<'a> = [&'a str; 3];
/// An item and two systems as numbers of a run, the earlier system first.
pub(super) type PairNumber = [u32; 3];

/// What a person said of a pair, for who may see its systems.
#[derive(Debug, Serialize)]
pub(crate) struct SaidOfPair {
    annotator: String,
    /// The better system; None for a tie.
    preferred: Option<String>,
    /// A tie because neither will do.
    both_bad: bool,
    /// Decides between others that disagree.
    decides: bool,
    comment: Option<String>,
}

/// All labels, pair by pair.
pub(super) struct Votes<'a>(pub(super) BTreeMap<PairName<'a>, PairVotes<'a>>);

/// The labels of a pair.
#[derive(Default)]
pub(super) struct PairVotes<'a> {
    /// What each annotator said of the first of the two; the first label of each counts.
    pub(super) by: BTreeMap<&'a str, Side>,
    /// What somebody decided between them.
    pub(super) decided: Option<Side>,
    /// The labels by their annotators' names, those that decide last. Who was sooner says nothing.
    pub(super) labels: Vec<&'a Label>,
}

impl<'a> Votes<'a> {
    pub(super) fn of(book: &'a Book) -> Votes<'a> {
        let mut votes = BTreeMap::<PairName, PairVotes>::new();
        for label in book.labels() {
            // What it says of the first of the two, by name.
            let (a, b) = (&*label.a, &*label.b);
            let (pair, preferred) = if a <= b {
                ([&*label.item, a, b], label.preferred)
            } else {
                ([&*label.item, b, a], label.preferred.map(Side::swapped))
            };
            let votes = votes.entry(pair).or_default();
            let Some(preferred) = preferred else { continue };
            votes.labels.push(label);
            if label.adjudicated {
                votes.decided.get_or_insert(preferred);
            } else {
                votes.by.entry(&label.annotator).or_insert(preferred);
            }
        }
        for votes in votes.values_mut() {
            votes
                .labels
                .sort_by_key(|label| (label.adjudicated, &label.annotator));
        }
        Votes(votes)
    }

    /// Lists what was said of a pair, by the names of its systems: who decided, too.
    pub(super) fn said_of(&self, pair: PairName<'_>) -> Vec<SaidOfPair> {
        let labels = self.find(pair).map(|votes| &votes.labels);
        let said = labels.into_iter().flatten().map(|label| SaidOfPair {
            annotator: label.annotator.clone(),
            preferred: match label.preferred {
                Some(Side::First) => Some(label.a.clone()),
                Some(Side::Second) => Some(label.b.clone()),
                Some(Side::Tie) | None => None,
            },
            both_bad: label.both_bad,
            decides: label.adjudicated,
            comment: label.comment.clone(),
        });
        said.collect()
    }

    /// Returns one label for each pair: what was decided, or what most said.
    pub(super) fn person_labels(&self) -> Vec<PersonLabel> {
        let pairs = self.0.iter();
        let labels = pairs.map(|([item, a, b], votes)| PersonLabel {
            item: (*item).into(),
            a: (*a).into(),
            b: (*b).into(),
            outcome: votes.verdict(),
        });
        labels.collect()
    }

    /// Returns the pairs whose annotators disagree, and that nobody has decided.
    pub(super) fn disputed(&self, index: &RunIndex) -> BTreeSet<PairNumber> {
        let disputed = self.0.iter();
        let disputed = disputed.filter(|(_, votes)| votes.disagree() && votes.decided.is_none());
        disputed
            .filter_map(|(pair, _)| number_pair(*pair, index))
            .collect()
    }

    /// Returns the labels of a pair.
    pub(super) fn find<'s>(&'s self, [item, a, b]: PairName<'s>) -> Option<&'s PairVotes<'s>> {
        self.0.get(&[item, a.min(b), a.max(b)])
    }
}

impl PairVotes<'_> {
    /// Whether annotators disagree.
    pub(super) fn disagree(&self) -> bool {
        let mut said = self.by.values();
        let first = said.next();
        said.any(|other| Some(other) != first)
    }

    /// Returns what was decided, else the outcome with more votes than each other; a tie where none
    /// has.
    pub(super) fn verdict(&self) -> Side {
        self.decided.unwrap_or_else(|| {
            let count = |wanted| self.by.values().filter(|said| **said == wanted).count() as f64;
            Side::plurality([Side::First, Side::Tie, Side::Second].map(count))
        })
    }
}

/// Finds a pair in a run; None where the run does not have it.
pub(super) fn number_pair([item, a, b]: PairName<'_>, index: &RunIndex) -> Option<PairNumber> {
    let (a, b) = (index.systems().find(a)?, index.systems().find(b)?);
    Some([index.items().find(item)?, a.min(b), a.max(b)])
}
