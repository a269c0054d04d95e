//! What tests can find: the sign test of items that each move one way, and a mean by its standard
//! deviation.

use crate::change::moves_p_value;
use crate::checks::{check_clusters, check_level, check_share, check_weight};
use crate::special::{halve_range, normal_quantile, two_sided_quantile};
use crate::{Error, Undefined};
use statrs::distribution::{Binomial, Discrete, DiscreteCDF};
use std::ops::RangeInclusive;

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
    /// The smallest true mean that the two-sided test of [`crate::change::paired_counts`] at
    /// `level` (1 - alpha) finds with this power; None where it would not find even the largest,
    /// all items moved by `size` to one side.
    ///
    /// An effect makes those items that move anyway lean to one side; one that is too large for
    /// that moves more of them, all to that side. The number of items that move is binomial, and of
    /// these the number to one side.
    ///
    /// # Errors
    /// A bad level or power, a `moved` that is no share, a `size` that is not positive; no items.
    pub fn detectable_mean(self, level: f64, power: f64) -> Result<Option<f64>, Error> {
        check_level(level)?;
        check_share("power", power)?;
        check_weight(0, "size", self.size)?;
        if self.items == 0 || self.size == 0.0 {
            return Err(Undefined::NoVariance.into());
        }
        let needed = needed_counts(self.items, level);
        let moved = |effect: f64| self.moved.max(effect);
        let found = detectable_lead(self.items, &needed, power, moved);
        Ok(found.map(|effect| effect * self.size))
    }
}

/// Halvings of the interval that has the effect.
const STEPS: u32 = 20;

/// The smallest lead (the share of items that move up less the share that moves down) that a test
/// of so many items finds with this power; None where it does not find even 1. `moved` is the share
/// of items that move under a lead.
pub(super) fn detectable_lead(
    items: u64,
    needed: &[u64],
    power: f64,
    moved: impl Fn(f64) -> f64,
) -> Option<f64> {
    let finds = |lead: f64| Moves::new(lead, moved(lead)).power(items, needed) >= power;
    finds(1.0).then(|| halve_range((0.0, 1.0), STEPS, |lead| !finds(lead)).1)
}

/// How items move: independently, each up, down or not at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves {
    /// The share that moves, above 0.
    moved: f64,
    /// Of those, the share that moves up.
    lean: f64,
}

impl Moves {
    pub(super) fn new(lead: f64, moved: f64) -> Moves {
        let moved = moved.max(lead).clamp(f64::MIN_POSITIVE, 1.0);
        let lean = f64::midpoint(1.0, lead / moved).min(1.0);
        Moves { moved, lean }
    }

    /// The chance that a test of so many items finds the lead on the side where it is. `needed` has
    /// an entry for each number of items that may move.
    pub(super) fn power(self, items: u64, needed: &[u64]) -> f64 {
        self.likely_counts(items)
            .map(|count| self.chance_of(items, count) * self.finds(count, needed))
            .sum()
    }

    /// The same for every number of items from 0 to one below the length of `needed`: as a function
    /// of it, with what it shares computed once.
    pub(super) fn power_of_items(self, needed: &[u64]) -> impl Fn(u64) -> f64 {
        let counts = 0..needed.len() as u64;
        let finds: Vec<f64> = counts.map(|count| self.finds(count, needed)).collect();
        move |items| {
            self.likely_counts(items)
                .map(|count| self.chance_of(items, count) * finds[count as usize])
                .sum()
        }
    }

    /// The chance that enough move up where so many move.
    fn finds(self, count: u64, needed: &[u64]) -> f64 {
        let needed = needed[count as usize];
        match needed.checked_sub(1) {
            None => 1.0,
            Some(_) if needed > count => 0.0,
            Some(below) => {
                Binomial::new(self.lean, count).map_or(0.0, |binomial| binomial.sf(below))
            }
        }
    }

    /// The chance that so many move.
    fn chance_of(self, items: u64, count: u64) -> f64 {
        Binomial::new(self.moved, items).map_or(0.0, |binomial| binomial.pmf(count))
    }

    /// How many items may move, but for six standard deviations: the rest has next to no chance.
    fn likely_counts(self, items: u64) -> RangeInclusive<u64> {
        if self.moved == 1.0 {
            return items..=items;
        }
        let n = items as f64;
        let mean = n * self.moved;
        let spread = 6.0 * (n * self.moved * (1.0 - self.moved)).sqrt() + 1.0;
        let low = (mean - spread).max(0.0) as u64;
        low..=((mean + spread).ceil() as u64).min(items)
    }
}

/// For each number of items that moved, up to `items`, how many must have moved to one side for the
/// test at `level` to reject; more than there are where none would do.
pub(super) fn needed_counts(items: u64, level: f64) -> Vec<u64> {
    let mut least = 1;
    let counts = (0..=items).map(|moved| {
        // One more item needs as many, or one more, so the search goes on where it ended.
        while least <= moved && moves_p_value(least as u32, (moved - least) as u32) >= 1.0 - level {
            least += 1;
        }
        least.max(moved / 2 + 1)
    });
    counts.collect()
}

/// The smallest true mean difference that a two-sided test of paired differences finds with the
/// given power: (z_(1+level)/2 + z_power) * sd / sqrt(n), the normal approximation (Cohen 1988,
/// chapter 2; Miller 2024, "Adding error bars to evals", on power).
///
/// `items` are independent (the clusters), `sd` is the standard deviation of one item's difference,
/// in the unit of the answer; `level` is 1 - alpha; both shares strictly between 0 and 1. For small
/// n a t test detects a little less.
///
/// # Errors
/// An `sd` that is negative, NaN, infinite or above 1e100, a bad level or power; fewer than 2 items
/// ([`Undefined::TooFewClusters`]), `sd` 0 ([`Undefined::NoVariance`]).
pub fn minimum_detectable_difference(
    items: usize,
    sd: f64,
    level: f64,
    power: f64,
) -> Result<f64, Error> {
    check_level(level)?;
    check_share("power", power)?;
    check_weight(0, "sd", sd)?;
    check_clusters(items)?;
    if sd == 0.0 {
        return Err(Undefined::NoVariance.into());
    }
    let deviations = two_sided_quantile(level) + normal_quantile(power);
    Ok(deviations * sd / (items as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::paired_counts;
    use crate::mcnemar;

    #[test]
    fn what_is_needed_is_what_the_test_rejects() {
        for (turn, level) in [0.8, 0.95, 0.99, 0.9995].into_iter().enumerate() {
            // Every third number for each level, in turn.
            let needed = (0_u64..).zip(needed_counts(100, level));
            for (moved, least) in needed.skip(turn % 3).step_by(3) {
                let p = |count: u64| {
                    let (up, down) = (count as u32, (moved - count) as u32);
                    paired_counts(up, down, 100, level).unwrap().p_value
                };
                let rejects = |count: u64| p(count) < 1.0 - level;
                let above = (moved / 2 + 1..=moved).find(|count| rejects(*count));
                match above {
                    Some(slow) => assert_eq!(least, slow, "{moved} at {level}"),
                    None => assert!(least > moved, "{least} of {moved} at {level}"),
                }
            }
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

    #[test]
    fn the_usual_constants() {
        // z_0.975 + z_0.8 = 1.959963984540054 + 0.8416212335729143 (Python's
        // statistics.NormalDist().inv_cdf).
        let found = minimum_detectable_difference(100, 0.5, 0.95, 0.8).unwrap();
        assert!(
            (found - 2.801_585_218_112_968_3 * 0.05).abs() < 1e-12,
            "{found}"
        );
    }

    #[test]
    fn quantiles_agree_with_tables() {
        for (share, z) in [
            (0.5, 0.0),
            (0.995, 2.575_829_303_548_900_4),
            (1e-6, -4.753_424_308_822_899),
        ] {
            assert!((normal_quantile(share) - z).abs() < 1e-9, "{share}");
        }
    }

    #[test]
    fn what_is_undefined_is_said() {
        let run = |items, sd| minimum_detectable_difference(items, sd, 0.95, 0.8);
        assert_eq!(
            run(1, 1.0),
            Err(Undefined::TooFewClusters { clusters: 1 }.into())
        );
        assert_eq!(run(10, 0.0), Err(Undefined::NoVariance.into()));
        assert!(matches!(
            run(10, f64::NAN),
            Err(Error::Value { field: "sd", .. })
        ));
        assert!(matches!(
            minimum_detectable_difference(10, 1.0, 0.95, 1.0),
            Err(Error::Share { name: "power", .. })
        ));
    }
}
