//! Decides which of two responses verdicts prefer: the one place that says which side a verdict is
//! on, and when two of them agree, are equal, are a reversal or are right.
//!
//! `judge`, `rank`, `meta judge`, `meta consistency`, studies, the pages and audits all count by
//! these rules, so that one judge cannot be consistent in one report and inconsistent in the next.
//! Several looks at a pair (both orders, samples, members) are averaged first ([`average`]) and
//! decide then: the verdict of a protocol is the most probable answer of its average (Tripathi et
//! al. 2025, section 3.3; Zheng et al. 2023, section 3.4).

use serde::{Deserialize, Serialize};

/// Which of two slots is preferred.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The first.
    First,
    /// Neither.
    #[default]
    Tie,
    /// The second.
    Second,
}

/// By how much two figures may differ, of their size (of 1, where they are smaller), and still be
/// the same: what rounding makes of sums and means.
///
/// A mean of n scores is off by n rounding errors of 1.1e-16 at most, which is 1e-13 for a
/// thousand. Means of n and of m scores with so many decimals that they are multiples of g differ
/// by g / (2 n m) at least, or not at all: for ten samples an order, scores up to 10 and six
/// decimals that is 5e-10 of their size. So nothing but rounding is taken for equal.
const ROUNDING: f64 = 1e-12;

/// Whether a figure is above another by more than rounding can make.
pub fn exceeds(a: f64, b: f64) -> bool {
    a - b > ROUNDING * a.abs().max(b.abs()).max(1.0)
}

/// Returns the mean of probabilities of the first, a tie and the second, in terms of the same
/// slots; None where there is none.
pub fn average(looks: impl IntoIterator<Item = [f64; 3]>) -> Option<[f64; 3]> {
    let (mut sum, mut count) = ([0.0; 3], 0_u32);
    for look in looks {
        sum = [0, 1, 2].map(|at| sum[at] + look[at]);
        count += 1;
    }
    (count > 0).then(|| sum.map(|sum| sum / f64::from(count)))
}

impl Side {
    /// Every side, in the order of probabilities and counts: `side as usize` is its place there.
    pub const ALL: [Side; 3] = [Side::First, Side::Tie, Side::Second];

    /// Returns the word for it in files of labels and on pages: `a`, `tie` or `b`.
    pub fn word(self) -> &'static str {
        ["a", "tie", "b"][self as usize]
    }

    /// Returns the side that the probabilities of the first, a tie and the second decide for: the
    /// more probable winner, unless a tie is more probable than either, or both are equally
    /// probable. So a win in one order and a tie in the other are a win, as JudgeBench counts them,
    /// and a win for each is none.
    pub fn of([first, tie, second]: [f64; 3]) -> Side {
        if says_equal([first, tie, second]) {
            Side::Tie
        } else {
            Side::of_scores([first, second])
        }
    }

    /// Returns the side with more votes than each other; a tie where no side has: one vote for a
    /// side and one for a tie is a tie.
    pub fn plurality([first, tie, second]: [f64; 3]) -> Side {
        if exceeds(first, tie.max(second)) {
            Side::First
        } else if exceeds(second, tie.max(first)) {
            Side::Second
        } else {
            Side::Tie
        }
    }

    /// Returns the side with the higher score.
    pub fn of_scores([first, second]: [f64; 2]) -> Side {
        if exceeds(first, second) {
            Side::First
        } else if exceeds(second, first) {
            Side::Second
        } else {
            Side::Tie
        }
    }

    /// Returns the probabilities of a verdict that leaves no doubt.
    pub fn certain(self) -> [f64; 3] {
        Side::ALL.map(|one| f64::from(u8::from(one == self)))
    }

    /// Returns how much the first is preferred, in [0, 1]: a tie is half a preference.
    pub fn share_of_first(self) -> f64 {
        match self {
            Side::First => 1.0,
            Side::Tie => 0.5,
            Side::Second => 0.0,
        }
    }

    /// Whether both prefer a slot, and not the same: of two verdicts on the same slots, a reversal.
    pub fn is_opposite(self, other: Side) -> bool {
        self != Side::Tie && other == self.swapped()
    }

    /// Returns the side with the slots exchanged.
    pub fn swapped(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Tie => Side::Tie,
            Side::Second => Side::First,
        }
    }
}

/// Whether both orders of a pair came to a verdict, and to the same one; the sides are in terms of
/// the pair.
pub fn are_consistent([one, other]: [Option<Side>; 2]) -> bool {
    one.is_some() && one == other
}

/// Whether probabilities say that two responses are equal: a tie is more probable than either being
/// the better one. A judge that only cannot decide between the two says nothing of the kind.
pub fn says_equal([first, tie, second]: [f64; 3]) -> bool {
    exceeds(tie, first) && exceeds(tie, second)
}

/// Returns the place of the largest of some probabilities; the first of equals.
pub fn likeliest(p: &[f64]) -> usize {
    (0..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    /// The side of weights in hundredths, of which nothing is rounded, case by case.
    fn slow_side([first, tie, second]: [i64; 3]) -> Side {
        let tie_is_most_probable = tie > first && tie > second;
        match first.cmp(&second) {
            _ if tie_is_most_probable => Side::Tie,
            Ordering::Greater => Side::First,
            Ordering::Equal => Side::Tie,
            Ordering::Less => Side::Second,
        }
    }

    /// All weights of three outcomes in steps of five hundredths.
    fn weights() -> Vec<[i64; 3]> {
        let parts = (0..=100).step_by(5);
        let all = parts.clone().flat_map(|first| {
            let ties = (0..=100 - first).step_by(5);
            ties.map(move |tie| [first, tie, 100 - first - tie])
        });
        all.collect()
    }

    #[test]
    fn the_average_of_looks_decides_as_exact_weights_do() {
        let weights = weights();
        assert_eq!(weights.len(), 231);
        let share = |weights: [i64; 3]| weights.map(|weight| weight as f64 / 100.0);
        for a in &weights {
            for b in &weights {
                // One of three looks: thirds, which have no exact binary form.
                let looks = [*a, *b, *b];
                let sum = [0, 1, 2].map(|at| looks.iter().map(|look| look[at]).sum());
                let mean = average(looks.map(share)).unwrap();
                assert_eq!(Side::of(mean), slow_side(sum), "{a:?} {b:?}");
                let equal = sum[1] > sum[0] && sum[1] > sum[2];
                assert_eq!(says_equal(mean), equal, "{a:?} {b:?}");
            }
        }
        assert_eq!(average([]), None);
    }

    #[test]
    fn exchanging_the_slots_exchanges_the_side_and_nothing_else() {
        for weights in weights() {
            let shares @ [first, tie, second] = weights.map(|weight| weight as f64);
            let side = Side::of(shares);
            assert_eq!(Side::of([second, tie, first]), side.swapped());
            assert_eq!(says_equal([second, tie, first]), says_equal(shares));
            assert!(!says_equal(shares) || side == Side::Tie);
            assert_eq!(Side::of(side.certain()), side);
            assert_eq!(side.share_of_first() + side.swapped().share_of_first(), 1.0);
            assert!(!side.is_opposite(side));
            assert_eq!(side.is_opposite(side.swapped()), side != Side::Tie);
        }
    }

    #[test]
    fn what_differs_by_rounding_alone_is_even() {
        let third = 1.0 / 3.0;
        assert_eq!(Side::of_scores([28.0 / 3.0, 9.0 + third]), Side::Tie);
        assert_eq!(Side::of_scores([7.0, 7.0 - 1e-9]), Side::First);
        assert_eq!(Side::of([0.1 + 0.2, 0.1, 0.3]), Side::Tie);
        assert_eq!(Side::of([0.5 + 1e-9, 0.0, 0.5 - 1e-9]), Side::First);
    }

    #[test]
    fn a_win_and_a_tie_are_a_win_and_equal_votes_are_a_tie() {
        assert_eq!(Side::of([0.5, 0.5, 0.0]), Side::First);
        assert_eq!(Side::of([0.0, 0.5, 0.5]), Side::Second);
        assert_eq!(Side::of([0.5, 0.0, 0.5]), Side::Tie);
        assert_eq!(Side::plurality([1.0, 1.0, 0.0]), Side::Tie);
        assert_eq!(Side::plurality([0.0, 1.0, 2.0]), Side::Second);
    }

    #[test]
    fn two_orders_are_consistent_where_both_say_the_same() {
        let [first, tie, second] = [Side::First, Side::Tie, Side::Second].map(Some);
        assert!(are_consistent([first, first]) && are_consistent([tie, tie]));
        for other in [tie, second, None] {
            assert!(!are_consistent([first, other]), "{other:?}");
        }
        assert!(!are_consistent([None, None]));
    }
}
