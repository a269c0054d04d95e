//! The difference of two systems, with an interval and a p-value, which is never adjusted for how
//! many are looked at.

use super::covariance::normal_interval;
use super::{Covariance, InferenceError, check_rounds, check_two, finite_score};
use crate::checks::check_level;
use crate::estimate::finite_scores;
use crate::index;
use crate::linear::sample_deviation;
use crate::special::normal_below;
use crate::{Estimate, Interval, Undefined, percentile_interval};

/// The difference of two scores, the first less the second, in the unit of the scores.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The difference.
    pub difference: f64,
    /// Its standard error; of a bootstrap the standard deviation over the finite rounds, None below
    /// two of them.
    pub standard_error: Option<f64>,
    /// Its interval.
    pub interval: Interval,
    /// Two-sided p-value of no difference, in (0, 1]; 0 only where it is below the smallest number.
    pub p_value: f64,
}

/// The difference of one pair of systems, or why there is none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairDifference {
    /// One system.
    pub a: usize,
    /// The other, with a higher number.
    pub b: usize,
    /// The difference, `a` less `b`.
    pub difference: Result<Difference, InferenceError>,
}

/// The z test of a difference d with standard error se: p = 2 Φ(-|d| / se), interval d ± z se.
///
/// # Errors
/// A bad level, and those of [`Covariance::difference`].
pub fn covariance_difference(
    covariance: &Covariance,
    a: usize,
    b: usize,
    level: f64,
) -> Result<Difference, InferenceError> {
    check_level(level)?;
    let (difference, error) = covariance.difference(a, b)?;
    let p_value = 2.0 * normal_below(-(difference / error).abs());
    Ok(Difference {
        difference,
        standard_error: Some(error),
        interval: normal_interval(difference, error, level),
        p_value,
    })
}

/// [`covariance_difference`] of every pair of the k systems, a < b, in ascending order.
///
/// # Errors
/// A bad level.
pub fn covariance_differences(
    covariance: &Covariance,
    level: f64,
) -> Result<Vec<PairDifference>, InferenceError> {
    check_level(level)?;
    Ok(compare_all(covariance.estimates().len(), |a, b| {
        covariance_difference(covariance, a, b, level)
    }))
}

/// The difference with its percentile interval over the rounds and the centred p-value (1 + #{|d* -
/// d| >= |d|}) / (R + 1), d* the difference in a round (Efron and Tibshirani 1993, section 16.4;
/// Davison and Hinkley 1997, chapter 4, for the added ones).
///
/// `point` holds the scores of k systems, each of `rounds` those of one resample on the same
/// origin. A round without a finite difference counts as extreme for the p-value, and for the
/// interval as [`percentile_interval`] says.
///
/// # Errors
/// A bad level; no such system; scores that are not finite; no rounds; a round without k scores; a
/// difference that is the same in all rounds ([`Undefined::NoVariance`]).
pub fn bootstrap_difference(
    point: &[Estimate],
    rounds: &[Vec<Estimate>],
    (a, b): (usize, usize),
    level: f64,
) -> Result<Difference, InferenceError> {
    check_two(a, b, point.len())?;
    check_rounds(point, rounds)?;
    let difference = finite_score(point[a], a)? - finite_score(point[b], b)?;
    let drawn = rounds.iter().map(|round| subtract(round[a], round[b]));
    DrawnDifference::new(difference, drawn.collect()).test(level)
}

/// A difference, and those of the rounds.
struct DrawnDifference {
    difference: f64,
    drawn: Vec<Estimate>,
    /// The finite ones of `drawn`.
    finite: Vec<f64>,
    /// Closer differences are equal.
    rounding: f64,
}

impl DrawnDifference {
    fn new(difference: f64, drawn: Vec<Estimate>) -> DrawnDifference {
        DrawnDifference {
            difference,
            finite: finite_scores(&drawn),
            drawn,
            // The floor keeps it above 0 where the difference is 0.
            rounding: 1e-9 * difference.abs().max(1e-300),
        }
    }

    /// The interval and the p-value; see [`bootstrap_difference`].
    fn test(&self, level: f64) -> Result<Difference, InferenceError> {
        let interval = percentile_interval(&self.drawn, level)?;
        if self.is_constant() {
            return Err(Undefined::NoVariance.into());
        }
        Ok(Difference {
            difference: self.difference,
            standard_error: standard_deviation(&self.finite),
            interval,
            p_value: self.p_value(),
        })
    }

    /// Whether all rounds are finite and equal.
    fn is_constant(&self) -> bool {
        let first = self.finite.first();
        let equal = |x: &f64| first.is_some_and(|first| (x - first).abs() <= self.rounding);
        self.finite.len() == self.drawn.len() && self.finite.iter().all(equal)
    }

    fn p_value(&self) -> f64 {
        let rounds = self.drawn.len();
        let extreme = rounds - self.count_calm();
        (1 + extreme) as f64 / (1 + rounds) as f64
    }

    /// How many rounds are nearer to the difference than 0 is.
    fn count_calm(&self) -> usize {
        let limit = self.difference.abs() - self.rounding;
        self.finite
            .iter()
            .filter(|x| (**x - self.difference).abs() < limit)
            .count()
    }
}

/// [`bootstrap_difference`] of every pair of the k systems, a < b, in ascending order.
///
/// # Errors
/// A bad level.
pub fn bootstrap_differences(
    point: &[Estimate],
    rounds: &[Vec<Estimate>],
    level: f64,
) -> Result<Vec<PairDifference>, InferenceError> {
    check_level(level)?;
    Ok(compare_all(point.len(), |a, b| {
        bootstrap_difference(point, rounds, (a, b), level)
    }))
}

fn compare_all(
    k: usize,
    compare: impl Fn(usize, usize) -> Result<Difference, InferenceError>,
) -> Vec<PairDifference> {
    let pairs = index::pairs(k).map(|(a, b)| PairDifference {
        a,
        b,
        difference: compare(a, b),
    });
    pairs.collect()
}

/// The difference of two scores of a round.
fn subtract(x: Estimate, y: Estimate) -> Estimate {
    match (x, y) {
        (Estimate::Finite(x), Estimate::Finite(y)) => Estimate::Finite(x - y),
        (Estimate::Undefined(_), _) => x,
        (_, Estimate::Undefined(_)) => y,
        _ if x == y => Estimate::Undefined(Undefined::NotComparable),
        (Estimate::PlusInfinity, _) | (_, Estimate::MinusInfinity) => Estimate::PlusInfinity,
        _ => Estimate::MinusInfinity,
    }
}

/// The standard deviation with n - 1; None below two numbers.
pub(super) fn standard_deviation(numbers: &[f64]) -> Option<f64> {
    (numbers.len() > 1).then(|| sample_deviation(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Estimate::{Finite, MinusInfinity, PlusInfinity};

    #[test]
    fn the_z_test_by_hand() {
        let covariance = Covariance::new(
            vec![Finite(1.0), Finite(0.0)],
            vec![0.2, 0.0, 0.0, 0.05],
            9.0,
            vec![9; 2],
        )
        .unwrap();
        let found = covariance_difference(&covariance, 0, 1, 0.95).unwrap();
        // d = 1, se = 0.5, z = 2: p = 0.0455002638963584, interval 1 +- 0.979981992270027.
        assert!(
            (found.p_value - 0.045_500_263_896_358_4).abs() < 1e-10,
            "{}",
            found.p_value
        );
        assert!((found.interval.low.unwrap() - 0.020_018_007_729_973).abs() < 1e-9);
        assert_eq!(
            covariance_differences(&covariance, 0.95).unwrap()[0].difference,
            Ok(found)
        );
    }

    #[test]
    fn rounds_as_extreme_are_counted() {
        // d = 2; |d* - d| is 0, 1, 1, 2, 3, infinite, undefined: four of seven are 2 or more.
        let point = [Finite(2.0), Finite(0.0)];
        let drawn = [2.0, 1.0, 3.0, 4.0, -1.0].map(|x| vec![Finite(x), Finite(0.0)]);
        let mut rounds = drawn.to_vec();
        rounds.extend([
            vec![PlusInfinity, Finite(0.0)],
            vec![MinusInfinity, MinusInfinity],
        ]);
        let found = bootstrap_difference(&point, &rounds, (0, 1), 0.5).unwrap();
        assert_eq!(found.p_value, 5.0 / 8.0);
        assert_eq!((found.interval.infinite, found.interval.undefined), (1, 1));
        // 2, 1, 3, 4, -1 have mean 1.8 and squared deviations 14.8.
        assert!((found.standard_error.unwrap() - (14.8f64 / 4.0).sqrt()).abs() < 1e-12);
        let back = bootstrap_difference(&point, &rounds, (1, 0), 0.5).unwrap();
        assert_eq!((back.p_value, back.difference), (found.p_value, -2.0));
    }

    #[test]
    fn what_is_undefined_is_said() {
        let rounds = vec![vec![Finite(2.0), Finite(0.0), PlusInfinity]; 5];
        let of = |pair| bootstrap_difference(&rounds[0], &rounds, pair, 0.9);
        assert_eq!(of((0, 1)), Err(Undefined::NoVariance.into()));
        assert_eq!(of((0, 2)), Err(InferenceError::Infinite { system: 2 }));
        assert!(
            matches!(of((0, 0)), Err(InferenceError::Input(_)))
                && matches!(of((0, 3)), Err(InferenceError::Input(_)))
        );
        assert_eq!(
            bootstrap_difference(&rounds[0], &[], (0, 1), 0.9),
            Err(Undefined::NoData.into())
        );
    }
}
