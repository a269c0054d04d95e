//! How many people said which of the three that can be said of a unit.

use super::share::Ratio;
use crate::figure::indicator;
use evenhand_core::Side;

/// How many said that the first system wins, ties, loses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SideCounts {
    counts: [usize; 3],
}

const SIDES: [Side; 3] = [Side::First, Side::Tie, Side::Second];

/// The place of what is said among the three.
fn place_of(side: Side) -> usize {
    match side {
        Side::First => 0,
        Side::Tie => 1,
        Side::Second => 2,
    }
}

impl FromIterator<Side> for SideCounts {
    fn from_iter<I: IntoIterator<Item = Side>>(sides: I) -> SideCounts {
        let mut counts = [0; 3];
        for side in sides {
            counts[place_of(side)] += 1;
        }
        SideCounts { counts }
    }
}

impl SideCounts {
    fn count(self, side: Side) -> usize {
        self.counts[place_of(side)]
    }

    pub(super) fn total(self) -> usize {
        self.counts.iter().sum()
    }

    /// Returns how many said what most said.
    fn most(self) -> usize {
        self.counts.into_iter().max().unwrap_or(0)
    }

    /// Returns those of the others, for a person who said this.
    pub(super) fn without(mut self, side: Side) -> SideCounts {
        self.counts[place_of(side)] -= 1;
        self
    }

    /// Returns how many pairs of labels are the same, and how many there are.
    pub(super) fn same_pairs(self) -> Ratio {
        let same: usize = self.counts.into_iter().map(pairs_among).sum();
        Ratio::new(same as f64, pairs_among(self.total()))
    }

    /// Like [`Self::same_pairs`], of the pairs neither of whose labels is a tie.
    pub(super) fn same_pairs_without_ties(mut self) -> Ratio {
        self.counts[place_of(Side::Tie)] = 0;
        self.same_pairs()
    }

    /// Returns the ratio, but nothing where fewer than two said anything.
    fn if_compared(self, ratio: Ratio) -> Ratio {
        if self.total() < 2 {
            return Ratio::NOTHING;
        }
        ratio
    }

    /// Whether all said the same; nothing where fewer than two said anything.
    pub(super) fn unanimity(self) -> Ratio {
        let is_unanimous = self.most() == self.total();
        self.if_compared(Ratio::new(indicator(is_unanimous), 1))
    }

    pub(super) fn ties(self) -> Ratio {
        Ratio::new(self.count(Side::Tie) as f64, self.total())
    }

    /// Returns how many labels equal the most frequent one, of the labels that can be compared: no
    /// single answer agrees with more.
    pub(super) fn most_that_agree(self) -> Ratio {
        self.if_compared(Ratio::new(self.most() as f64, self.total()))
    }

    /// Returns how many labels equal what most of the others said, which is drawn where several
    /// are equally frequent among them.
    pub(super) fn predicted_by_others(self) -> Ratio {
        let mut predicted = 0.0;
        for side in SIDES {
            let count = self.count(side);
            if count == 0 {
                continue;
            }
            // The others of a person who said this: how likely is it what most of them said?
            let others = self.without(side);
            if others.count(side) == others.most() {
                predicted += count as f64 * (1.0 / others.count_most_frequent() as f64);
            }
        }
        self.if_compared(Ratio::new(predicted, self.total()))
    }

    fn count_most_frequent(self) -> usize {
        let most = self.most();
        self.counts
            .into_iter()
            .filter(|count| *count == most)
            .count()
    }

    /// Returns what more people said than anything else; None where nothing is.
    pub(super) fn majority(self) -> Option<Side> {
        let most = SIDES
            .into_iter()
            .find(|side| self.count(*side) == self.most());
        most.filter(|_| self.count_most_frequent() == 1)
    }
}

/// Returns how many pairs can be made of so many.
fn pairs_among(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}
