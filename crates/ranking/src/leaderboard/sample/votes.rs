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

/// The comparison of each pair on each item, the lower system first, won by whoever has most of its
/// votes. Lengths, strength and order are of one vote and
/// so are left out.
fn decide_by_majority(rows: &[RecordedComparison]) -> Vec<RecordedComparison> {
    let mut pairs: BTreeMap<(u32, u16, u16), (RecordedComparison, [f64; 3])> = BTreeMap::new();
    for row in rows {
        let (lower, higher) = (row.a.min(row.b), row.a.max(row.b));
        let pair = pairs.entry((row.item, lower, higher));
        let (_, counts) = pair.or_insert((*row, [0.0; 3]));
        // For the lower system, for a tie, for the higher system.
        let mut votes = [row.wins_a, row.ties + row.both_bad, row.wins_b];
        if row.a > row.b {
            votes.reverse();
        }
        for (count, vote) in counts.iter_mut().zip(votes) {
            *count += vote;
        }
    }
    let decided = pairs
        .into_iter()
        .map(|((_, a, b), (first, [won, ties, lost]))| {
            let is_won = won > lost && won > ties;
            let is_lost = lost > won && lost > ties;
            let one_if = |yes: bool| f64::from(u8::from(yes));
            RecordedComparison {
                a,
                b,
                wins_a: one_if(is_won),
                ties: one_if(!is_won && !is_lost),
                both_bad: 0.0,
                wins_b: one_if(is_lost),
                in_order: false,
                strength: None,
                length_a: None,
                length_b: None,
                ..first
            }
        });
    decided.collect()
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
            in_order: false,
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
