//! How large an effect must be for a sign test to find it.

use crate::checks::{check_level, check_share, check_weight};
use crate::{Error, Undefined};
use statrs::distribution::{Binomial, DiscreteCDF};

/// How many items a sign test has, and how they move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignTest {
    /// Independent items.
    pub items: u64,
    /// The share of items whose value is not that of the hypothesis, in [0, 1].
    pub moved: f64,
    /// How far those are from it, in the mean; positive.
    pub size: f64,
}

impl SignTest {
    /// The smallest true mean that the exact two-sided test at `level` (1 - alpha) finds with this
    /// power; None where it would not find even the largest, all items moved by `size` to one side.
    ///
    /// An effect makes those items that move anyway lean to one side; one that is too large for
    /// that moves more of them, all to that side. The number of items that move is binomial, and of
    /// these the number to one side.
    ///
    /// # Errors
    /// A bad level or power, a `moved` that is no share, a `size` that is not positive; no items.
    pub fn detectable_mean(self, level: f64, power: f64) -> Result<Option<f64>, Error> {
        self.check(level, power)?;
        let needed = needed_counts(self.items, 1.0 - level);
        let finds = |effect: f64| self.power(effect, &needed) >= power;
        if finds(1.0) {
            Ok(Some(bisect(finds) * self.size))
        } else {
            Ok(None)
        }
    }

    fn check(self, level: f64, power: f64) -> Result<(), Error> {
        check_level(level)?;
        check_share("power", power)?;
        check_weight(0, "size", self.size)?;
        if self.items == 0 || self.size == 0.0 {
            return Err(Undefined::NoVariance.into());
        }
        Ok(())
    }

    /// The chance that an effect of this share of `size` is found on the side where it is.
    fn power(self, effect: f64, needed: &[u64]) -> f64 {
        let moved = self.moved.max(effect).clamp(f64::MIN_POSITIVE, 1.0);
        let lean = ((1.0 + effect / moved) / 2.0).min(1.0);
        let finds = |count: u64| at_least(needed[count as usize], count, lean);
        let counts = self.likely_counts(moved);
        let chances = counts.map(|count| exactly(self.items, moved, count) * finds(count));
        chances.sum()
    }

    /// How many items may move, but for six standard deviations: the rest has next to no chance.
    fn likely_counts(self, moved: f64) -> std::ops::RangeInclusive<u64> {
        let n = self.items as f64;
        let (mean, spread) = (n * moved, 6.0 * (n * moved * (1.0 - moved)).sqrt() + 1.0);
        let low = (mean - spread).max(0.0) as u64;
        low..=((mean + spread).ceil() as u64).min(self.items)
    }
}

/// Halvings of the interval that has the effect.
const STEPS: u32 = 20;

/// For each number of items that moved, how many must have moved to one side for p to be at most
/// alpha; more than there are where none would do.
fn needed_counts(items: u64, alpha: f64) -> Vec<u64> {
    let mut least = 1;
    let counts = (0..=items).map(|moved| {
        least = raise_count(least, moved, alpha);
        least.max(moved / 2 + 1)
    });
    counts.collect()
}

/// The count from `least` on that is significant among `moved` items. One more item needs as many,
/// or one more, so the search goes on where it ended.
fn raise_count(mut least: u64, moved: u64, alpha: f64) -> u64 {
    while least <= moved && 2.0 * at_least(least, moved, 0.5) > alpha {
        least += 1;
    }
    least
}

/// The smallest number from 0 to 1 that passes a test which all larger ones pass, from above.
fn bisect(passes: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        if passes(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The chance of at least so many of n.
fn at_least(count: u64, n: u64, chance: f64) -> f64 {
    match count.checked_sub(1) {
        None => 1.0,
        Some(_) if count > n => 0.0,
        Some(below) => Binomial::new(chance, n).map_or(0.0, |binomial| binomial.sf(below)),
    }
}

/// The chance of exactly so many of n.
fn exactly(n: u64, chance: f64, count: u64) -> f64 {
    at_least(count, n, chance) - at_least(count + 1, n, chance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcnemar;

    #[test]
    fn what_is_needed_is_what_the_test_rejects() {
        for (moved, least) in needed_counts(60, 0.01).into_iter().enumerate().skip(1) {
            let p = |count: u64| {
                mcnemar(count as u32, (moved as u64 - count) as u32)
                    .unwrap()
                    .exact_p
            };
            assert!(
                least > moved as u64 || p(least) <= 0.01,
                "{least} of {moved}"
            );
            assert!(
                least - 1 <= moved as u64 / 2 || p(least - 1) > 0.01,
                "{least} of {moved}"
            );
        }
    }

    #[test]
    fn items_that_never_moved_must_move_often_enough_to_be_seen() {
        // 2 / 2^11 < 0.05 / 41 < 2 / 2^10: 11 items of 60 must move. P(Bin(60, 0.226) >= 11) =
        // 0.83.
        let test = SignTest {
            items: 60,
            moved: 0.0,
            size: 1.0,
        };
        let found = test
            .detectable_mean(1.0 - 0.05 / 41.0, 0.8)
            .unwrap()
            .unwrap();
        assert!((0.21..0.23).contains(&found), "{found}");
        assert_eq!(
            SignTest { items: 10, ..test }
                .detectable_mean(1.0 - 0.05 / 41.0, 0.8)
                .unwrap(),
            None
        );
    }

    #[test]
    fn more_items_find_less_and_noise_hides_more() {
        let of = |items, moved| {
            SignTest {
                items,
                moved,
                size: 1.0,
            }
            .detectable_mean(0.95, 0.8)
            .unwrap()
            .unwrap()
        };
        assert!(of(400, 0.5) < of(100, 0.5) && of(100, 0.1) < of(100, 0.5));
        // The normal approximation for many items, all of which move: (1.96 + 0.8416) / sqrt(n).
        assert!(
            (of(10_000, 1.0) - 2.8016 / 100.0).abs() < 0.001,
            "{}",
            of(10_000, 1.0)
        );
    }

    #[test]
    fn simulated_effects_are_found_as_often() {
        let (items, moved, level) = (80_u32, 0.4, 0.999);
        let test = SignTest {
            items: items.into(),
            moved,
            size: 1.0,
        };
        let effect = test.detectable_mean(level, 0.8).unwrap().unwrap();
        let up = (1.0 + effect / moved) / 2.0;
        let mut state = 1_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let step = |[moves, ups]: [f64; 2]| if moves < moved { Some(ups < up) } else { None };
        let mut found = || {
            let steps: Vec<bool> = (0..items)
                .filter_map(|_| step([uniform(), uniform()]))
                .collect();
            let ups = steps.iter().filter(|up| **up).count() as u32;
            mcnemar(ups, steps.len() as u32 - ups).is_ok_and(|test| test.exact_p <= 1.0 - level)
        };
        let count = (0..2000).filter(|_| found()).count();
        assert!((1530..1680).contains(&count), "{count} of 2000");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let test = SignTest {
            items: 10,
            moved: 0.5,
            size: 1.0,
        };
        assert!(
            test.detectable_mean(1.0, 0.8).is_err() && test.detectable_mean(0.95, 1.5).is_err()
        );
        assert!(
            SignTest { items: 0, ..test }
                .detectable_mean(0.95, 0.8)
                .is_err()
        );
        assert!(
            SignTest { size: 0.0, ..test }
                .detectable_mean(0.95, 0.8)
                .is_err()
        );
    }
}
