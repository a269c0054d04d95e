//! Items that moved by one step, or not at all.

use super::agree;
use crate::checks::check_level;
use crate::special::{narrow_range, normal_below, two_sided_quantile};
use crate::{Error, Undefined, mcnemar};
use statrs::function::beta::beta_reg;
use std::f64::consts::FRAC_PI_2;

/// How many of some items moved up and down, what that says of their mean, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairedCounts {
    /// (up - down) / items, in [-1, 1].
    pub difference: f64,
    /// The differences that the test does not reject, in [-1, 1].
    pub interval: [f64; 2],
    /// Two-sided p-value of the exact test, in (0, 1]; 1 where nothing moved.
    pub p_value: f64,
}

/// Tests whether as many items moved up as down, and inverts that test.
///
/// `items` independent items, `up` of which moved up by one step, `down` of which moved down by as
/// much; the others stayed. The p-value is that of the exact binomial test on those that moved: the
/// sign test for verdicts, McNemar's test for right and wrong (McNemar 1947).
///
/// The mean is s (2 t - 1): s the share of items that move, t the share of those that move up. That
/// so many moved is binomial in s, and given that, how many moved up is binomial in t. A value of s
/// is z_s from what was found where the exact binomial tail there is that of the standard normal
/// beyond z_s, and likewise t. A mean is rejected if no s and t that give it have z_s^2 + z_t^2
/// within the square of the normal quantile: the likelihood-ratio interval of a product with the
/// binomial's own tails in place of the likelihood's. A mean of 0 leaves s free and has t = 1/2:
/// there it is the exact test to the letter, so that the interval leaves out 0 exactly where the
/// p-value is below 1 - level. With s known it is the interval of Clopper and Pearson (1934), and
/// it has a width where nothing moved.
///
/// # Errors
/// A bad level; more moves than items; no items ([`Undefined::NoData`]).
pub fn paired_counts(up: u32, down: u32, items: u32, level: f64) -> Result<PairedCounts, Error> {
    check_level(level)?;
    if items == 0 {
        return Err(Undefined::NoData.into());
    }
    if u64::from(up) + u64::from(down) > u64::from(items) {
        return Err(Error::Lengths {
            first: up as usize + down as usize,
            second: items as usize,
        });
    }
    let p_value = moves_p_value(up, down);
    let interval = [
        -furthest(down, up, items, level),
        furthest(up, down, items, level),
    ];
    Ok(PairedCounts {
        difference: (f64::from(up) - f64::from(down)) / f64::from(items),
        interval: agree(interval, p_value, level),
        p_value,
    })
}

/// The two-sided p-value of as many moves up as down, in (0, 1]; 1 where nothing moved: the exact
/// binomial test. [`paired_counts`] tests by it, and plans and detectable differences count with
/// it, so that what is promised is what is done.
pub(crate) fn moves_p_value(up: u32, down: u32) -> f64 {
    // It is undefined where nothing moved alone. Below what a double can hold it is still no
    // certainty.
    mcnemar(up, down).map_or(1.0, |test| test.exact_p.max(f64::MIN_POSITIVE))
}

/// The largest mean that is not rejected, where so many items moved up and down: the largest
/// product on the quarter of a circle z_s^2 + z_t^2 = z^2 along which t is larger than what was
/// found.
fn furthest(up: u32, down: u32, items: u32, level: f64) -> f64 {
    let z = two_sided_quantile(level);
    let moved = up + down;
    let mean_at = |angle: f64| {
        let lean = 2.0 * highest_share(up, moved, normal_below(-z * angle.sin())) - 1.0;
        // Where even the largest t leans downwards, the fewer items move the larger is the mean.
        let tail = normal_below(-z * angle.cos());
        let share = match lean >= 0.0 {
            true => highest_share(moved, items, tail),
            false => 1.0 - highest_share(items - moved, items, tail),
        };
        share * lean
    };
    // Golden sections of the quarter; the product has one peak on it.
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    let mut best = mean_at(low).max(mean_at(high));
    let [mut one, mut other] = [high - golden * (high - low), low + golden * (high - low)];
    let [mut at_one, mut at_other] = [mean_at(one), mean_at(other)];
    for _ in 0..SECTIONS {
        best = best.max(at_one).max(at_other);
        if at_one > at_other {
            (high, other, at_other) = (other, one, at_one);
            one = high - golden * (high - low);
            at_one = mean_at(one);
        } else {
            (low, one, at_one) = (one, other, at_other);
            other = low + golden * (high - low);
            at_other = mean_at(other);
        }
    }
    best.max(at_one).max(at_other)
}

/// Golden sections: a peak is flat, so that its height is found to the square of its place.
const SECTIONS: u32 = 24;

/// The largest share at which a chance of at most `count` of `trials` is at least `tail` (Clopper
/// and Pearson 1934); 1 where all or nothing was found.
fn highest_share(count: u32, trials: u32, tail: f64) -> f64 {
    if count >= trials {
        return 1.0;
    }
    let above = f64::from(count) + 1.0;
    let rest = f64::from(trials - count);
    // P(X <= count) = 1 - I_share(count + 1, trials - count) = I_(1 - share)(rest, above).
    let range = (f64::from(count) / f64::from(trials), 1.0);
    let excess = |share: f64| beta_reg(rest, above, 1.0 - share) - tail;
    narrow_range(range, HALVINGS, excess).0
}

/// Halvings of the range in which a share lies.
const HALVINGS: i32 = 45;

#[cfg(test)]
mod tests {
    use super::*;

    /// The least z_s^2 + z_t^2 of a mean by trying shares one by one: the slow twin.
    fn distance_by_search(up: u32, down: u32, items: u32, mean: f64) -> f64 {
        let moved = up + down;
        // How far a share is from a count, as the exact tail on its side says.
        let z = |count: u32, trials: u32, share: f64| {
            let chance = |k: u32| -> f64 {
                let choose = (0..k).map(|i| f64::from(trials - i) / f64::from(i + 1));
                let (k, rest) = (k as i32, (trials - k) as i32);
                choose.product::<f64>() * share.powi(k) * (1.0 - share).powi(rest)
            };
            let below: f64 = (0..=count).map(chance).sum();
            let above: f64 = (count..=trials).map(chance).sum();
            let tail = below.min(above).min(0.5);
            -crate::special::normal_quantile(tail.max(1e-300))
        };
        let shares = (1..=4000).map(|step| f64::from(step) / 4000.0);
        let shares = shares.filter(|share| *share >= mean.abs());
        let distances = shares.map(|share| {
            let lean = (1.0 + mean / share) / 2.0;
            z(moved, items, share).powi(2) + z(up, moved, lean).powi(2)
        });
        distances.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_ends_are_where_the_distance_reaches_the_quantile() {
        for (up, down, items) in [(1, 0, 20), (5, 2, 30), (12, 11, 40), (3, 14, 17)] {
            for level in [0.8, 0.95, 0.99] {
                let found = paired_counts(up, down, items, level).unwrap();
                let limit = two_sided_quantile(level).powi(2);
                for end in found.interval {
                    let twin = distance_by_search(up, down, items, end);
                    let told = format!("{up} {down} {items} {level}: {end} {twin} {limit}");
                    assert!((twin / limit - 1.0).abs() < 0.02, "{told}");
                }
            }
        }
    }

    /// The law: 0 is left out exactly where p is below 1 - level.
    #[test]
    fn the_interval_says_what_the_test_says() {
        for items in [6, 17, 40] {
            for up in 0..=items {
                for down in 0..=items - up {
                    // Of the most items, two levels for each pair, in turn.
                    let step = if items == 40 { 2 } else { 1 };
                    let levels = [0.8, 0.9, 0.95, 0.99].into_iter();
                    for level in levels.skip(down as usize % step).step_by(step) {
                        let found = paired_counts(up, down, items, level).unwrap();
                        let [low, high] = found.interval;
                        let apart = low > 0.0 || high < 0.0;
                        let told = format!("{up} {down} {items} {level} {found:?}");
                        assert_eq!(apart, found.p_value < 1.0 - level, "{told}");
                        assert!(
                            low <= found.difference && found.difference <= high,
                            "{told}"
                        );
                        assert!(low >= -1.0 && high <= 1.0, "{told}");
                    }
                }
            }
        }
    }

    /// One loss more never makes the lower end higher.
    #[test]
    fn a_loss_makes_nothing_easier() {
        for items in [3, 10, 100, 1000] {
            let ends = (0..=items.min(60))
                .map(|down| paired_counts(0, down, items, 0.95).unwrap().interval[0]);
            let ends: Vec<f64> = ends.collect();
            assert!(
                ends.is_sorted_by(|one, next| next <= one),
                "{items}: {ends:?}"
            );
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
        // Of 100 items none moves with a chance of 2.5 % where 1 - 0.025^(1/100) move.
        let end = 1.0 - 0.025f64.powf(0.01);
        assert!((found.interval[1] - end).abs() < 1e-6, "{found:?}");
        assert!((found.interval[0] + end).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn all_moved_is_possible() {
        let found = paired_counts(8, 0, 8, 0.95).unwrap();
        assert_eq!((found.difference, found.interval[1]), (1.0, 1.0));
        assert!(found.interval[0] > 0.2 && found.p_value < 0.01, "{found:?}");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(paired_counts(0, 0, 0, 0.95), Err(Undefined::NoData.into()));
        assert!(paired_counts(5, 5, 9, 0.95).is_err());
        assert!(paired_counts(1, 1, 9, 1.0).is_err());
        assert!(paired_counts(u32::MAX, u32::MAX, 9, 0.9).is_err());
    }
}
