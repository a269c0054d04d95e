//! How many people said which of the three that can be said of a unit.

use crate::figure::indicator;
use evenhand_core::Side;

/// A sum over what is counted, and how many that are.
pub(super) type Ratio = (f64, usize);

/// How many said that the first system wins, ties, loses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SideCounts([usize; 3]);

impl FromIterator<Side> for SideCounts {
    fn from_iter<I: IntoIterator<Item = Side>>(sides: I) -> SideCounts {
        let mut counts = [0; 3];
        for side in sides {
            counts[side as usize] += 1;
        }
        SideCounts(counts)
    }
}

impl SideCounts {
    fn total(self) -> usize {
        self.0.iter().sum()
    }

    /// Returns how many said what most said.
    fn most(self) -> usize {
        self.0.into_iter().max().unwrap_or(0)
    }

    /// Returns how many of the three that many said.
    fn count_most_frequent(self) -> usize {
        self.0.iter().filter(|count| **count == self.most()).count()
    }

    /// Returns those of the others, for a person who said this.
    pub(super) fn without(mut self, side: Side) -> SideCounts {
        self.0[side as usize] -= 1;
        self
    }

    /// Returns what more people said than anything else; None where nothing is.
    pub(super) fn majority(self) -> Option<Side> {
        let most = Side::ALL
            .into_iter()
            .find(|side| self.0[*side as usize] == self.most());
        most.filter(|_| self.count_most_frequent() == 1)
    }

    /// Returns how many pairs of labels are the same, and how many there are.
    pub(super) fn same_pairs(self) -> Ratio {
        let same: usize = self.0.into_iter().map(pairs_among).sum();
        (same as f64, pairs_among(self.total()))
    }

    /// Like [`Self::same_pairs`], of the pairs neither of whose labels is a tie.
    pub(super) fn same_pairs_without_ties(mut self) -> Ratio {
        self.0[Side::Tie as usize] = 0;
        self.same_pairs()
    }

    pub(super) fn ties(self) -> Ratio {
        (self.0[Side::Tie as usize] as f64, self.total())
    }

    /// Whether all said the same; nothing where fewer than two said anything.
    pub(super) fn unanimity(self) -> Ratio {
        self.if_compared((indicator(self.most() == self.total()), 1))
    }

    /// Returns how many labels equal the most frequent one, of the labels that can be compared: no
    /// single answer agrees with more.
    pub(super) fn most_that_agree(self) -> Ratio {
        self.if_compared((self.most() as f64, self.total()))
    }

    /// Returns how many labels equal what most of the others said, which is drawn where several
    /// are equally frequent among them.
    pub(super) fn predicted_by_others(self) -> Ratio {
        let mut predicted = 0.0;
        for side in Side::ALL {
            let count = self.0[side as usize];
            if count == 0 {
                continue;
            }
            // The others of a person who said this: how likely is it what most of them said?
            let others = self.without(side);
            if others.0[side as usize] == others.most() {
                predicted += count as f64 * (1.0 / others.count_most_frequent() as f64);
            }
        }
        self.if_compared((predicted, self.total()))
    }

    /// Returns the ratio, but nothing where fewer than two said anything.
    fn if_compared(self, ratio: Ratio) -> Ratio {
        match self.total() {
            0 | 1 => (0.0, 0),
            _ => ratio,
        }
    }
}

/// Returns how many pairs can be made of so many.
fn pairs_among(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}
