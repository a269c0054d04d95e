//! What annotators said, pair by pair.

use super::book::Book;
use super::label::Label;
use evenhand_core::Side;
use evenhand_pages::{PersonLabel, RunIndex};
use std::collections::{BTreeMap, BTreeSet};

/// An item and two systems by name, the systems in the order of their names.
pub(super) type PairName<'a> = [&'a str; 3];
/// An item and two systems as numbers of a run, the earlier system first.
pub(super) type PairNumber = [u32; 3];

/// All labels, pair by pair.
pub(super) struct Votes<'a>(pub(super) BTreeMap<PairName<'a>, PairVotes<'a>>);

/// The labels of a pair.
#[derive(Default)]
pub(super) struct PairVotes<'a> {
    /// What each annotator said of the first of the two; the first label of each counts.
    pub(super) by: BTreeMap<&'a str, Side>,
    /// What somebody decided between them.
    pub(super) decided: Option<Side>,
    /// The labels as they were given.
    pub(super) labels: Vec<&'a Label>,
}

impl<'a> Votes<'a> {
    pub(super) fn of(book: &'a Book) -> Votes<'a> {
        let mut votes = BTreeMap::<PairName, PairVotes>::new();
        for label in book.labels() {
            let (pair, preferred) = name_pair(label);
            votes.entry(pair).or_default().add(label, preferred);
        }
        Votes(votes)
    }

    /// Returns one label for each pair: what was decided, or what most said.
    pub(super) fn person_labels(&self) -> Vec<PersonLabel> {
        let pairs = self.0.iter();
        let labels = pairs.map(|([item, a, b], votes)| PersonLabel {
            item: (*item).into(),
            a: (*a).into(),
            b: (*b).into(),
            preferred: votes.verdict(),
        });
        labels.collect()
    }

    /// Returns the pairs whose annotators disagree, and that nobody has decided.
    pub(super) fn disputed(&self, index: &RunIndex) -> BTreeSet<PairNumber> {
        let disputed = self.0.iter().filter(|(_, votes)| votes.are_disputed());
        disputed
            .filter_map(|(pair, _)| number_pair(*pair, index))
            .collect()
    }

    /// Returns the labels of a pair.
    pub(super) fn find<'s>(&'s self, [item, a, b]: PairName<'s>) -> Option<&'s PairVotes<'s>> {
        self.0.get(&[item, a.min(b), a.max(b)])
    }
}

impl<'a> PairVotes<'a> {
    fn add(&mut self, label: &'a Label, preferred: Option<Side>) {
        let Some(preferred) = preferred else { return };
        self.labels.push(label);
        if label.adjudicated {
            self.decided.get_or_insert(preferred);
        } else {
            self.by.entry(&label.annotator).or_insert(preferred);
        }
    }

    /// Whether annotators disagree.
    pub(super) fn disagree(&self) -> bool {
        let mut said = self.by.values();
        let first = said.next();
        said.any(|other| Some(other) != first)
    }

    /// Whether annotators disagree, and nobody has decided between them.
    pub(super) fn are_disputed(&self) -> bool {
        self.decided.is_none() && self.disagree()
    }

    /// Returns what was decided, or what most said; a tie where as many prefer the one as the other.
    pub(super) fn verdict(&self) -> Side {
        let count = |wanted| self.by.values().filter(|said| **said == wanted).count() as f64;
        self.decided
            .unwrap_or_else(|| Side::plurality(Side::ALL.map(count)))
    }
}

/// Names the pair of a label, and what it says of the first of the two.
fn name_pair(label: &Label) -> (PairName<'_>, Option<Side>) {
    let (a, b) = (&*label.a, &*label.b);
    if a <= b {
        ([&label.item, a, b], label.preferred)
    } else {
        ([&label.item, b, a], label.preferred.map(Side::swapped))
    }
}

/// Finds a pair in a run; None where the run does not have it.
pub(super) fn number_pair([item, a, b]: PairName<'_>, index: &RunIndex) -> Option<PairNumber> {
    let (a, b) = (index.systems().find(a)?, index.systems().find(b)?);
    Some([index.items().find(item)?, a.min(b), a.max(b)])
}
