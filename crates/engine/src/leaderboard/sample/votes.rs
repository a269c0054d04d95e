//! Several verdicts on the same pair of responses.

use evenhand_formats::judgments::{Compared, Recorded};
use std::collections::BTreeMap;

/// What several verdicts on the same pair and item count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Votes {
    /// Each counts.
    #[default]
    Each,
    /// The most frequent outcome counts once; where two outcomes are equally frequent it is a tie.
    Majority,
}

impl Votes {
    /// The judgments as they count. Scores, and what was counted of the files, stay as they are.
    pub(super) fn counted(self, mut recorded: Recorded) -> Recorded {
        if self == Votes::Majority {
            recorded.comparisons = majority(&recorded.comparisons);
        }
        recorded
    }
}

fn majority(rows: &[Compared]) -> Vec<Compared> {
    let mut all: BTreeMap<(u32, u16, u16), (Compared, [f64; 3])> = BTreeMap::new();
    for row in rows {
        let turn = row.a > row.b;
        let key = (row.item, row.a.min(row.b), row.a.max(row.b));
        let votes = [row.wins_a, row.ties + row.both_bad, row.wins_b];
        let votes = if turn {
            [votes[2], votes[1], votes[0]]
        } else {
            votes
        };
        let entry = all.entry(key).or_insert((*row, [0.0; 3]));
        entry
            .1
            .iter_mut()
            .zip(votes)
            .for_each(|(sum, vote)| *sum += vote);
    }
    all.into_iter()
        .map(|((_, a, b), (row, votes))| decided(Compared { a, b, ..row }, votes))
        .collect()
}

/// `row`, whose lengths and strength are of one vote and so are left out, won by whoever has most
/// of the votes.
fn decided(row: Compared, [a, ties, b]: [f64; 3]) -> Compared {
    let row = Compared {
        wins_a: 0.0,
        ties: 0.0,
        both_bad: 0.0,
        wins_b: 0.0,
        strength: None,
        length_a: None,
        length_b: None,
        ..row
    };
    if a > b && a > ties {
        Compared { wins_a: 1.0, ..row }
    } else if b > a && b > ties {
        Compared { wins_b: 1.0, ..row }
    } else {
        Compared { ties: 1.0, ..row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(a: u16, b: u16, wins_a: f64, ties: f64, wins_b: f64) -> Compared {
        let (strength, length_a, length_b) = (None, None, None);
        Compared {
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
        let won = |votes: &[Compared]| {
            let found = majority(votes);
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
