//! What a row says, derived from its judgments.

use super::RunIndex;
use super::columns::{Columns, NONE};
use evenhand_core::{Side, average};

/// Returns the name that filters and pages use for a side of a row: `a` for the earlier system, `b`
/// for the later one, or `tie`.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "a",
        Side::Tie => "tie",
        Side::Second => "b",
    }
}

/// What a row says. Systems are numbers of [`RunIndex::systems`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowFacts {
    /// The item.
    pub item: u32,
    /// The system that stands earlier; of a list, the first that was shown.
    pub a: u32,
    /// The other of a pair.
    pub b: Option<u32>,
    /// Which system it prefers, [`Side::First`] for a; None without a verdict, or without one that
    /// prefers one of two.
    pub outcome: Option<Side>,
    /// The probability that a is better, a tie counting half: the mean over the verdicts.
    pub p: Option<f64>,
    /// The mean score of a single response.
    pub score: Option<f64>,
    /// The two orders prefer different systems, and are not the same prompt, as where the two
    /// responses are the same.
    pub flipped: bool,
    /// Votes or samples of one judgment disagree.
    pub split: bool,
    /// USD of all its calls; None where that of one judgment is not known.
    pub cost: Option<f64>,
    /// Tokens of all its calls.
    pub tokens: u64,
}

impl RowFacts {
    /// Returns how far the probability is from a toss-up, from 0 to 1.
    pub fn confidence(&self) -> Option<f64> {
        self.p.map(|p| (2.0 * p - 1.0).abs())
    }
}

/// The two cells of a row.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub(crate) columns: &'a Columns,
    pub(crate) judgments: [Option<u32>; 2],
}

impl Cells<'_> {
    pub(crate) fn any(&self) -> u32 {
        self.judgments[0].or(self.judgments[1]).unwrap_or_default()
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = u32> + use<> {
        self.judgments.into_iter().flatten()
    }

    /// Returns the two systems of the row, the earlier first; [`NONE`] where there is no second.
    pub(crate) fn systems(&self) -> [u32; 2] {
        let at = self.any() as usize;
        let (first, second) = (self.columns.first[at], self.columns.second[at]);
        if self.columns.list(self.any()).is_some() {
            [first, NONE]
        } else {
            [first.min(second), first.max(second)]
        }
    }

    /// Returns the probabilities of a, tie and b that each verdict gives.
    pub(super) fn chances(&self) -> [Option<[f64; 3]>; 2] {
        let [ab, ba] = self.judgments;
        let ab = ab.and_then(|at| self.columns.chances(at));
        let ba = ba.and_then(|at| self.columns.chances(at));
        [ab, ba.map(|[b, tie, a]| [a, tie, b])]
    }

    /// Whether both orders rest on the same calls: two responses that are the same make one prompt,
    /// whichever stands first, and its answer says nothing of the order.
    pub(crate) fn is_of_one_prompt(&self) -> bool {
        let calls = self.judgments.map(|at| at.map(|at| self.columns.calls(at)));
        matches!(calls, [Some(ab), Some(ba)] if !ab.is_empty() && ab == ba)
    }

    /// Returns what the row says.
    pub(crate) fn facts(&self) -> RowFacts {
        let columns = self.columns;
        let [a, b] = self.systems();
        let chances = self.chances();
        let mean = average(chances.into_iter().flatten());
        let [ab, ba] = chances.map(|chances| chances.map(Side::of));
        let is_reversed = ab.zip(ba).is_some_and(|(ab, ba)| ab.is_opposite(ba));
        let (mut scores, mut score) = (0_u32, 0.0);
        for one in self.each().filter_map(|at| columns.score(at)) {
            scores += 1;
            score += one;
        }
        let tokens = self.each().map(|at| u64::from(columns.tokens[at as usize]));
        RowFacts {
            item: columns.item[self.any() as usize],
            a,
            b: (b != NONE).then_some(b),
            outcome: mean.map(Side::of),
            p: mean.map(|[a, tie, _]| a + tie / 2.0),
            score: (scores > 0).then(|| score / f64::from(scores)),
            flipped: (is_reversed || self.each().any(|at| columns.is_flipped(at)))
                && !self.is_of_one_prompt(),
            split: self.each().any(|at| columns.is_split(at)),
            cost: self.each().map(|at| columns.cost(at)).sum(),
            tokens: tokens.sum(),
        }
    }
}

impl RunIndex {
    pub(crate) fn cells(&self, row: u32) -> Cells<'_> {
        Cells {
            columns: &self.columns,
            judgments: self.rows.judgments(row),
        }
    }

    /// Returns what a row says.
    pub fn facts(&self, row: u32) -> RowFacts {
        self.cells(row).facts()
    }

    /// Returns the lowest trial of a row, by which it is known.
    pub fn row_id(&self, row: u32) -> u64 {
        let trials = self.cells(row).each();
        let trials = trials.map(|at| self.columns.trial[at as usize]);
        u64::from(trials.min().unwrap_or_default())
    }
}
