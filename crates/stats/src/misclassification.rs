//! Pass rates corrected for what the judge gets wrong: its sensitivity and specificity, as measured
//! against people.

use crate::checks::{Entry, check_level, check_weight};
use crate::special::two_sided_quantile;
use crate::{Error, Undefined};

/// A count of successes among independent trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// Successes, from 0 to the trials; fractions are allowed.
    pub successes: f64,
    /// Trials, above 0 and up to 1e100.
    pub trials: f64,
}

impl Count {
    fn share(self) -> f64 {
        self.successes / self.trials
    }

    fn variance(self) -> f64 {
        self.share() * (1.0 - self.share()) / self.trials
    }

    fn check(self, row: usize, successes: &'static str, trials: &'static str) -> Result<(), Error> {
        check_weight(row, trials, self.trials)?;
        if self.trials == 0.0 {
            return Err(Undefined::NoData.into());
        }
        let found = Entry::new(row, successes, self.successes);
        found.require_within(0.0..=self.trials, "from 0 to the trials")
    }
}

/// The judge's pass rate, and its sensitivity and specificity as measured against people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassCounts {
    /// Of the responses whose pass rate is wanted: those that the judge passed.
    pub passed: Count,
    /// Of the responses that people passed: those that the judge passed too.
    pub sensitivity: Count,
    /// Of the responses that people failed: those that the judge failed too.
    pub specificity: Count,
}

impl PassCounts {
    fn check(&self) -> Result<(), Error> {
        self.passed.check(0, "passed", "judged responses")?;
        self.sensitivity
            .check(1, "passed by both", "responses passed by people")?;
        self.specificity
            .check(2, "failed by both", "responses failed by people")
    }

    /// The estimate before clipping, its variance and Youden's index; None where the judge is no
    /// better than chance.
    fn correct(&self) -> Option<Corrected> {
        // (passed by both / n1) > 1 - (failed by both / n0), without the rounding of 1 - share.
        let false_passes = self.specificity.trials - self.specificity.successes;
        let false_share = false_passes / self.specificity.trials;
        let youden = self.sensitivity.share() - false_share;
        if youden <= 0.0 {
            return None;
        }
        let rate = (self.passed.share() - false_share) / youden;
        // V of `rogan_gladen`.
        let spread = self.passed.variance()
            + rate.powi(2) * self.sensitivity.variance()
            + (1.0 - rate).powi(2) * self.specificity.variance();
        Some(Corrected {
            rate,
            variance: spread / youden.powi(2),
            youden,
        })
    }
}

/// A corrected rate before clipping.
struct Corrected {
    rate: f64,
    variance: f64,
    youden: f64,
}

/// A number in [0, 1], and which end it was cut at.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Clipped {
    /// The number, in [0, 1].
    pub value: f64,
    /// The number before clipping; the same unless that was outside [0, 1].
    pub unclipped: f64,
}

impl Clipped {
    fn new(unclipped: f64) -> Clipped {
        Clipped {
            value: unclipped.clamp(0.0, 1.0),
            unclipped,
        }
    }

    /// Whether it was outside [0, 1]: as an estimate, a sign that sensitivity and specificity do
    /// not fit these responses.
    pub fn is_clipped(self) -> bool {
        self.value != self.unclipped
    }
}

/// A confidence interval in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClippedInterval {
    /// The lower end.
    pub low: Clipped,
    /// The upper end.
    pub high: Clipped,
}

impl ClippedInterval {
    fn new(centre: f64, half: f64) -> ClippedInterval {
        ClippedInterval {
            low: Clipped::new(centre - half),
            high: Clipped::new(centre + half),
        }
    }
}

/// A pass rate corrected for the judge's errors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CorrectedRate {
    /// The estimate.
    pub estimate: Clipped,
    /// The standard error by the delta method, of the unclipped estimate. 0 only where all three
    /// counts are one-sided, which says nothing of the uncertainty.
    pub standard_error: f64,
    /// Estimate -+ z standard errors; too narrow for small counts or shares near 0 and 1, and
    /// undefined ([`Undefined::NoVariance`]) where the standard error is 0.
    pub delta: Result<ClippedInterval, Undefined>,
    /// The interval of Lang and Reiczigel (2014), better for small counts; None where the counts
    /// with their additions no longer show a judge better than chance.
    pub adjusted: Option<ClippedInterval>,
    /// Sensitivity + specificity - 1 (Youden 1950), in (0, 1]: the standard error grows as its
    /// inverse.
    pub youden: f64,
}

/// Why there is no corrected pass rate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CorrectionError {
    /// A count or level that cannot be used, or an empty count.
    #[error(transparent)]
    Input(#[from] Error),
    /// The judge passes good responses no more often than bad ones, so its pass rate says nothing
    /// of the true one.
    #[error(
        "the judge is no better than chance: sensitivity {sensitivity} + specificity {specificity} \
         is at most 1, so its pass rate says nothing about the true one"
    )]
    NoBetterThanChance {
        /// Share of the responses passed by people that the judge passed.
        sensitivity: f64,
        /// Share of the responses failed by people that the judge failed.
        specificity: f64,
    },
}

/// The pass rate that people would give (Rogan and Gladen 1978): p = (t + sp - 1) / (se + sp - 1),
/// for the judge's pass rate t, sensitivity se and specificity sp; clipped to [0, 1], and said so.
///
/// The standard error is sqrt(V) / (se + sp - 1), V = t(1-t)/N + p^2 se(1-se)/n1 + (1-p)^2
/// sp(1-sp)/n0 for N, n1 and n0 trials. The adjusted interval (Lang and Reiczigel 2014, equations
/// 6, 7, 16 and 17) adds z^2/2 passes and as many failures to the first count, one of each to the
/// other two, and is p' + d -+ z sqrt(V') / (se' + sp' - 1), with d = 2 z^2 (p' se'(1-se')/(n1+2) -
/// (1-p') sp'(1-sp')/(n0+2)).
///
/// Assumed: the three counts are of independent responses (not rows of the same items), and the
/// judge errs on the labelled responses as often as on the others of the same kind. Unlike in
/// [`crate::prediction_powered`], the labelled responses may have another pass rate.
///
/// # Errors
/// A count out of range, no trials ([`Undefined::NoData`]), a bad level; sensitivity + specificity
/// at most 1. The row of an error is 0 for `passed`, 1 for `sensitivity`, 2 for `specificity`.
pub fn rogan_gladen(counts: &PassCounts, level: f64) -> Result<CorrectedRate, CorrectionError> {
    check_level(level)?;
    counts.check()?;
    let Some(corrected) = counts.correct() else {
        return Err(CorrectionError::NoBetterThanChance {
            sensitivity: counts.sensitivity.share(),
            specificity: counts.specificity.share(),
        });
    };
    let z = two_sided_quantile(level);
    if !z.is_finite() {
        // A level so close to 1 that it has no quantile.
        let error = Error::Share {
            name: "level",
            value: level,
        };
        return Err(error.into());
    }
    let standard_error = corrected.variance.sqrt();
    let delta = if standard_error > 0.0 {
        Ok(ClippedInterval::new(corrected.rate, z * standard_error))
    } else {
        Err(Undefined::NoVariance)
    };
    // The counts with the additions of Lang and Reiczigel: as many successes and failures to each.
    let add_each = |count: Count, each: f64| Count {
        successes: count.successes + each,
        trials: count.trials + 2.0 * each,
    };
    let plus = PassCounts {
        passed: add_each(counts.passed, z * z / 2.0),
        sensitivity: add_each(counts.sensitivity, 1.0),
        specificity: add_each(counts.specificity, 1.0),
    };
    let adjusted = plus.correct().map(|Corrected { rate, variance, .. }| {
        let (sensitivity, specificity) = (plus.sensitivity.variance(), plus.specificity.variance());
        let shift = 2.0 * z * z * (rate * sensitivity - (1.0 - rate) * specificity);
        ClippedInterval::new(rate + shift, z * variance.sqrt())
    });
    Ok(CorrectedRate {
        estimate: Clipped::new(corrected.rate),
        standard_error,
        delta,
        adjusted,
        youden: corrected.youden,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: (f64, f64), sensitivity: (f64, f64), specificity: (f64, f64)) -> PassCounts {
        let count = |(successes, trials)| Count { successes, trials };
        PassCounts {
            passed: count(passed),
            sensitivity: count(sensitivity),
            specificity: count(specificity),
        }
    }

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-12
    }

    #[test]
    fn by_hand() {
        // t 0.6, se 0.9, sp 0.8: p = 0.4 / 0.7, V = 0.24/100 + p^2 0.09/50 + (1-p)^2 0.16/40.
        let found = rogan_gladen(&counts((60.0, 100.0), (45.0, 50.0), (32.0, 40.0)), 0.95).unwrap();
        let p: f64 = 4.0 / 7.0;
        assert!(
            near(found.estimate.value, p)
                && near(found.youden, 0.7)
                && !found.estimate.is_clipped(),
            "{found:?}"
        );
        let variance = (0.0024 + p * p * 0.0018 + (1.0 - p).powi(2) * 0.004) / 0.49;
        assert!(near(found.standard_error, variance.sqrt()), "{found:?}");
        assert!(near(
            found.delta.unwrap().low.value,
            p - 1.959_963_984_540_054 * variance.sqrt()
        ));
    }

    #[test]
    fn a_perfect_judge_needs_no_correction() {
        let found = rogan_gladen(&counts((3.0, 10.0), (5.0, 5.0), (5.0, 5.0)), 0.9).unwrap();
        assert!(
            near(found.estimate.value, 0.3) && near(found.standard_error, 0.021f64.sqrt()),
            "{found:?}"
        );
    }

    #[test]
    fn an_impossible_rate_is_clipped_and_said_so() {
        // The judge passes 5 %, but it passes 20 % even of the bad: p = -0.15 / 0.7.
        let low = rogan_gladen(&counts((5.0, 100.0), (45.0, 50.0), (32.0, 40.0)), 0.95).unwrap();
        assert!(
            low.estimate.is_clipped()
                && low.estimate.value == 0.0
                && near(low.estimate.unclipped, -0.15 / 0.7)
        );
        assert!(low.delta.unwrap().low.is_clipped());
        let high = rogan_gladen(&counts((99.0, 100.0), (45.0, 50.0), (32.0, 40.0)), 0.95).unwrap();
        assert!(
            high.estimate.is_clipped() && high.estimate.value == 1.0,
            "{high:?}"
        );
    }

    #[test]
    fn a_judge_no_better_than_chance_is_an_error() {
        let chance = |sensitivity, specificity| CorrectionError::NoBetterThanChance {
            sensitivity,
            specificity,
        };
        assert_eq!(
            rogan_gladen(&counts((5.0, 10.0), (7.0, 10.0), (3.0, 10.0)), 0.95),
            Err(chance(0.7, 0.3))
        );
        assert_eq!(
            rogan_gladen(&counts((5.0, 10.0), (4.0, 10.0), (5.0, 10.0)), 0.95),
            Err(chance(0.4, 0.5))
        );
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let sides = ((5.0, 10.0), (9.0, 10.0), (9.0, 10.0));
        assert_eq!(
            rogan_gladen(&counts(sides.0, (0.0, 0.0), sides.2), 0.95),
            Err(Error::from(Undefined::NoData).into())
        );
        let found = rogan_gladen(&counts(sides.0, sides.1, (11.0, 10.0)), 0.95)
            .unwrap_err()
            .to_string();
        assert!(
            found.contains("failed by both is 11; expected a finite number from 0 to the trials"),
            "{found}"
        );
        for bad in [f64::NAN, -1.0, f64::INFINITY] {
            assert!(rogan_gladen(&counts((bad, 10.0), sides.1, sides.2), 0.95).is_err());
            assert!(rogan_gladen(&counts((1.0, bad), sides.1, sides.2), 0.95).is_err());
        }
        let certain =
            rogan_gladen(&counts((10.0, 10.0), (10.0, 10.0), (10.0, 10.0)), 0.95).unwrap();
        assert_eq!(certain.delta, Err(Undefined::NoVariance));
        assert!(
            certain
                .adjusted
                .is_some_and(|interval| interval.low.value < 0.9)
        );
    }
}
