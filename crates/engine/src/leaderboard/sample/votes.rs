//! Several verdicts on the same pair of responses.

use evenhand_formats::judgments::{RecordedComparison, RecordedJudgments};
use std::collections::BTreeMap;

/// How several verdicts on the same pair and item count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Votes {
    /// Each counts.
    #[default]
    Each,
    /// The most frequent outcome counts once; where two outcomes are equally frequent it is a tie.
    Majority,
}

impl Votes {
    /// Returns the judgments as they count. Scores, and what was counted of the files, stay as they
    /// are.
    pub(super) fn apply(self, mut recorded: RecordedJudgments) -> RecordedJudgments {
        if self == Votes::Majority {
            recorded.comparisons = decide_by_majority(&recorded.comparisons);
        }
        recorded
    }
}

/// An item and two systems, the lower number first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PairOfItem {
    item: u32,
    lower: u16,
    higher: u16,
}

/// The votes on a pair: for the lower system, for a tie, for the higher system.
struct PairVotes {
    first_row: RecordedComparison,
    counts: [f64; 3],
}

impl PairOfItem {
    fn of_row(row: &RecordedComparison) -> PairOfItem {
        PairOfItem {
            item: row.item,
            lower: row.a.min(row.b),
            higher: row.a.max(row.b),
        }
    }
}

/// The votes of a comparison: for the lower system, for a tie, for the higher system.
fn votes_in_order(row: &RecordedComparison) -> [f64; 3] {
    let mut votes = [row.wins_a, row.ties + row.both_bad, row.wins_b];
    if row.a > row.b {
        votes.reverse();
    }
    votes
}

impl PairVotes {
    fn none(first_row: RecordedComparison) -> PairVotes {
        PairVotes {
            first_row,
            counts: [0.0; 3],
        }
    }

    /// Decides on the comparison of a pair, which has its lower system first.
    fn decide(&self, pair: PairOfItem) -> RecordedComparison {
        let row = RecordedComparison {
            a: pair.lower,
            b: pair.higher,
            ..self.first_row
        };
        decide(row, self.counts)
    }
    fn add(&mut self, row: &RecordedComparison) {
        for (count, vote) in self.counts.iter_mut().zip(votes_in_order(row)) {
            *count += vote;
        }
    }
}

fn decide_by_majority(rows: &[RecordedComparison]) -> Vec<RecordedComparison> {
    let votes = count_votes(rows);
    let decided = votes.iter().map(|(pair, votes)| votes.decide(*pair));
    decided.collect()
}

fn count_votes(rows: &[RecordedComparison]) -> BTreeMap<PairOfItem, PairVotes> {
    let mut all = BTreeMap::new();
    for row in rows {
        let votes = all.entry(PairOfItem::of_row(row));
        votes.or_insert_with(|| PairVotes::none(*row)).add(row);
    }
    all
}

/// `row`, whose lengths and strength are of one vote and so are left out, won by whoever has most
/// of the votes.
fn decide(row: RecordedComparison, [a, ties, b]: [f64; 3]) -> RecordedComparison {
    let row = without_verdict(row);
    if a > b && a > ties {
        RecordedComparison { wins_a: 1.0, ..row }
    } else if b > a && b > ties {
        RecordedComparison { wins_b: 1.0, ..row }
    } else {
        RecordedComparison { ties: 1.0, ..row }
    }
}

fn without_verdict(row: RecordedComparison) -> RecordedComparison {
    RecordedComparison {
        wins_a: 0.0,
        ties: 0.0,
        both_bad: 0.0,
        wins_b: 0.0,
        strength: None,
        length_a: None,
        length_b: None,
        ..row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(a: u16, b: u16, wins_a: f64, ties: f64, wins_b: f64) -> RecordedComparison {
        let (strength, length_a, length_b) = (None, None, None);
        RecordedComparison {
            item: 7,
            a,
            b,
            wins_a,
            ties,
            both_bad: 0.0,
            wins_b,
            strength,
            length_a,
            length_b,
        }
    }

    #[test]
    fn most_votes_decide() {
        let won = |votes: &[RecordedComparison]| {
            let found = decide_by_majority(votes);
            assert_eq!(found.len(), 1);
            (found[0].a, found[0].wins_a, found[0].ties, found[0].wins_b)
        };
        let (a, tie, b) = (
            vote(0, 1, 1.0, 0.0, 0.0),
            vote(0, 1, 0.0, 1.0, 0.0),
            vote(0, 1, 0.0, 0.0, 1.0),
        );
        assert_eq!(won(&[a, a, tie]), (0, 1.0, 0.0, 0.0));
        assert_eq!(won(&[a, tie, b]), (0, 0.0, 1.0, 0.0));
        assert_eq!(won(&[a, b]), (0, 0.0, 1.0, 0.0));
        // The same pair the other way round: won by its second.
        assert_eq!(
            won(&[vote(1, 0, 0.0, 0.0, 1.0), tie, a]),
            (0, 1.0, 0.0, 0.0)
        );
    }
}
