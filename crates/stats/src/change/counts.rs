//! Items that moved by one step, or not at all.

use crate::checks::check_level;
use crate::{Error, Undefined, mcnemar};

/// How many of some items moved up and down, what that says of their mean, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairedCounts {
    /// (up - down) / items, in [-1, 1].
    pub difference: f64,
    /// The ends of its score interval (Tango 1998), in [-1, 1].
    pub interval: [f64; 2],
    /// Two-sided p-value of the exact test, in [0, 1]; 1 where nothing moved.
    pub p_value: f64,
}

/// Tests whether as many items moved up as down.
///
/// `items` independent items, `up` of which moved up by one step, `down` of which moved down by as
/// much; the others stayed. The p-value is that of the exact binomial test on those that moved: the
/// sign test for verdicts, McNemar's test for right and wrong (McNemar 1947). The interval is
/// Tango's score interval for the difference of two paired proportions (Tango 1998, "Equivalence
/// test and confidence interval for the difference in proportions for the paired-sample design",
/// section 4), which has a width where nothing moved. As the one is exact and the other is not,
/// they may differ by a hair on whether 0 is possible: the p-value decides.
///
/// # Errors
/// A bad level; more moves than items; no items ([`Undefined::NoData`]).
pub fn paired_counts(up: u32, down: u32, items: u32, level: f64) -> Result<PairedCounts, Error> {
    check_level(level)?;
    check_moves(up, down, items)?;
    let moves = Moves::new(up, down, items);
    Ok(PairedCounts {
        difference: moves.difference(),
        interval: moves.interval(level),
        p_value: moves_p_value(up, down),
    })
}

fn check_moves(up: u32, down: u32, items: u32) -> Result<(), Error> {
    if items == 0 {
        return Err(Undefined::NoData.into());
    }
    if u64::from(up) + u64::from(down) > u64::from(items) {
        return Err(Error::Lengths {
            first: up as usize + down as usize,
            second: items as usize,
        });
    }
    Ok(())
}

/// The two-sided p-value of as many moves up as down, in [0, 1]; 1 where nothing moved: the exact
/// binomial test. [`paired_counts`] tests by it, and plans and detectable differences count with
/// it, so that what is promised is what is done.
pub(crate) fn moves_p_value(up: u32, down: u32) -> f64 {
    // It is undefined where nothing moved alone.
    mcnemar(up, down).map_or(1.0, |test| test.exact_p)
}

/// The counts as numbers.
#[derive(Clone, Copy)]
struct Moves {
    up: f64,
    down: f64,
    items: f64,
}

/// Halvings of the range in which an end of the interval lies.
const STEPS: u32 = 60;

impl Moves {
    fn new(up: u32, down: u32, items: u32) -> Moves {
        let [up, down, items] = [up, down, items].map(f64::from);
        Moves { up, down, items }
    }

    fn difference(self) -> f64 {
        (self.up - self.down) / self.items
    }

    /// The differences that the score test does not reject.
    fn interval(self, level: f64) -> [f64; 2] {
        let limit = crate::special::two_sided_quantile(level);
        let found = self.difference();
        [
            self.bisect(found, -1.0, limit),
            self.bisect(found, 1.0, limit),
        ]
    }

    /// The difference between one that is not rejected and an end of the scale at which the test
    /// begins to reject.
    fn bisect(self, mut kept: f64, mut far: f64, limit: f64) -> f64 {
        if self.score(far).abs() <= limit {
            return far;
        }
        for _ in 0..STEPS {
            let middle = f64::midpoint(kept, far);
            if self.score(middle).abs() <= limit {
                kept = middle;
            } else {
                far = middle;
            }
        }
        kept
    }

    /// Tango's statistic of a difference: standard normal where it is the true one.
    fn score(self, difference: f64) -> f64 {
        let gap = self.up - self.down - self.items * difference;
        if gap == 0.0 {
            return 0.0;
        }
        let down = self.down_share(difference);
        let variance = self.items * (2.0 * down + difference * (1.0 - difference));
        gap / variance.max(0.0).sqrt()
    }

    /// The likeliest share of items that move down, where the difference is this.
    fn down_share(self, difference: f64) -> f64 {
        let a = 2.0 * self.items;
        let b = -self.up - self.down + (2.0 * self.items - self.up + self.down) * difference;
        let c = -self.down * difference * (1.0 - difference);
        ((b * b - 4.0 * a * c).max(0.0).sqrt() - b) / (2.0 * a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The score statistic with the nuisance share found by trying: the slow twin.
    fn score_by_search(moves: Moves, difference: f64) -> f64 {
        let stayed = moves.items - moves.up - moves.down;
        let log = |count: f64, share: f64| {
            if count == 0.0 {
                0.0
            } else {
                count * share.ln()
            }
        };
        let likelihood = |down: f64| {
            let up = down + difference;
            log(moves.up, up) + log(moves.down, down) + log(stayed, 1.0 - up - down)
        };
        let (low, high) = ((-difference).max(0.0), (1.0 - difference) / 2.0);
        let shares = (1..200_000).map(|step| low + (high - low) * f64::from(step) / 200_000.0);
        let best = shares.max_by(|a, b| likelihood(*a).total_cmp(&likelihood(*b)));
        let variance = moves.items * (2.0 * best.unwrap() + difference * (1.0 - difference));
        (moves.up - moves.down - moves.items * difference) / variance.sqrt()
    }

    #[test]
    fn the_ends_are_where_the_score_test_begins_to_reject() {
        for (up, down, items) in [(1, 0, 44), (5, 2, 50), (20, 11, 90)] {
            let found = paired_counts(up, down, items, 0.95).unwrap();
            for (end, z) in found.interval.into_iter().zip([1.959_964, -1.959_964]) {
                let twin = score_by_search(Moves::new(up, down, items), end);
                assert!((twin - z).abs() < 2e-3, "{up} {down} {items}: {end} {twin}");
            }
        }
    }

    #[test]
    fn turning_the_sides_turns_the_answer() {
        let (one, other) = (
            paired_counts(17, 6, 90, 0.9).unwrap(),
            paired_counts(6, 17, 90, 0.9).unwrap(),
        );
        assert_eq!(one.difference, -other.difference);
        assert!((one.interval[0] + other.interval[1]).abs() < 1e-9);
        assert!((one.interval[1] + other.interval[0]).abs() < 1e-9);
        assert_eq!(one.p_value, other.p_value);
    }

    #[test]
    fn nothing_moved_is_no_certainty() {
        let found = paired_counts(0, 0, 100, 0.95).unwrap();
        assert_eq!((found.difference, found.p_value), (0.0, 1.0));
        // z^2 / (n + z^2), as Tango gives it.
        let end = 3.841_458_8 / 103.841_458_8;
        assert!((found.interval[1] - end).abs() < 1e-6, "{found:?}");
        assert!((found.interval[0] + end).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn all_moved_is_possible() {
        let found = paired_counts(8, 0, 8, 0.95).unwrap();
        assert_eq!((found.difference, found.interval[1]), (1.0, 1.0));
        assert!(found.interval[0] > 0.3 && found.p_value < 0.01, "{found:?}");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(paired_counts(0, 0, 0, 0.95), Err(Undefined::NoData.into()));
        assert!(paired_counts(5, 5, 9, 0.95).is_err());
        assert!(paired_counts(1, 1, 9, 1.0).is_err());
        assert!(paired_counts(u32::MAX, u32::MAX, 9, 0.9).is_err());
    }
}
