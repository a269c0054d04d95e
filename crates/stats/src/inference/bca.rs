//! Bootstrap intervals corrected for bias and skewness.

use super::{InferenceError, finite_score};
use crate::bootstrap::quantile_interval;
use crate::checks::{check_clusters, check_level, check_some};
use crate::estimate::finite_scores;
use crate::linear::{largest, mean};
use crate::special::{normal_below, normal_quantile, two_sided_quantile};
use crate::{Estimate, Interval, Undefined};

/// The bias-corrected and accelerated interval (Efron 1987; Efron and Tibshirani 1993, section
/// 14.3): the quantiles of the rounds at Φ(z0 + (z0 + z) / (1 - a (z0 + z))) for z = ± the normal
/// quantile of (1 + level) / 2, interpolated linearly between order statistics.
///
/// z0 = Φ⁻¹(share of the finite and infinite rounds below `point`, equal ones counting half); a is
/// the `acceleration`, for example from [`super::jackknife_acceleration`] or
/// [`super::strength_accelerations`]. An undefined round counts as minus infinity for the lower end
/// and as plus infinity for the upper, as in [`crate::percentile_interval`].
///
/// # Errors
/// A bad level; a point that is not finite (`system` 0 is named); no rounds; rounds that are all
/// equal to the point ([`Undefined::NoVariance`]) or all on one side of it; an acceleration that is
/// not finite or too large.
pub fn bca_interval(
    point: Estimate,
    rounds: &[Estimate],
    acceleration: f64,
    level: f64,
) -> Result<Interval, InferenceError> {
    check_level(level)?;
    let bias = bias_correction(finite_score(point, 0)?, rounds)?;
    let z = two_sided_quantile(level);
    let low = shift_share(bias, acceleration, -z)?;
    let high = shift_share(bias, acceleration, z)?;
    Ok(quantile_interval(point, rounds, (low, high), level))
}

/// The acceleration from jackknife values t_i, each without one cluster or group, with mean t:
/// a = Σ (t - t_i)³ / (6 (Σ (t - t_i)²)^1.5) (Efron and Tibshirani 1993, equation 14.15).
///
/// # Errors
/// Fewer than 2 values; values that are not finite; values that do not vary.
pub fn jackknife_acceleration(jackknife: &[Estimate]) -> Result<f64, InferenceError> {
    let finite = finite_scores(jackknife);
    let values = jackknife.len() - finite.len();
    if values > 0 {
        return Err(InferenceError::UnsettledJackknife { values });
    }
    check_clusters(finite.len())?;
    let mean = mean(&finite);
    let rounding = 1e-13 * largest(&finite);
    let mut moments = Moments::default();
    for influence in finite.iter().map(|x| mean - x) {
        // Less is rounding.
        if influence.abs() > rounding {
            moments.add(1.0, influence);
        }
    }
    moments.acceleration().ok_or(Undefined::NoVariance.into())
}

/// Sums of squares and cubes of influences.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    squares: f64,
    cubes: f64,
}

impl Moments {
    pub(super) fn add(&mut self, count: f64, influence: f64) {
        self.squares += count * influence * influence;
        self.cubes += count * influence * influence * influence;
    }

    /// Σ x³ / (6 (Σ x²)^1.5); None if nothing varies.
    pub(super) fn acceleration(self) -> Option<f64> {
        // Where nothing varies it is 0 / 0, which is no number.
        let ratio = self.cubes / (6.0 * self.squares.powf(1.5));
        ratio.is_finite().then_some(ratio)
    }
}

/// The bias correction z0.
fn bias_correction(point: f64, rounds: &[Estimate]) -> Result<f64, InferenceError> {
    // 2 for a round below the point, 1 for an equal one, 0 above.
    let halves = rounds.iter().filter_map(|&round| match round {
        Estimate::Finite(score) if score == point => Some(1.0),
        Estimate::Finite(score) => Some(if score < point { 2.0 } else { 0.0 }),
        Estimate::MinusInfinity => Some(2.0),
        Estimate::PlusInfinity => Some(0.0),
        Estimate::Undefined(_) => None,
    });
    let halves: Vec<f64> = halves.collect();
    check_some(halves.len())?;
    if halves.iter().all(|&x| x == 1.0) {
        return Err(Undefined::NoVariance.into());
    }
    let rounds = halves.len();
    let share = halves.iter().sum::<f64>() / (2.0 * rounds as f64);
    if share > 0.0 && share < 1.0 {
        Ok(normal_quantile(share))
    } else {
        Err(InferenceError::OneSidedRounds { rounds })
    }
}

/// The share at which the corrected interval ends.
fn shift_share(bias: f64, acceleration: f64, z: f64) -> Result<f64, InferenceError> {
    let rest = 1.0 - acceleration * (bias + z);
    // Below 0 the map from z to shares has turned round.
    if rest.is_finite() && rest > 0.0 {
        Ok(normal_below(bias + (bias + z) / rest))
    } else {
        Err(InferenceError::Acceleration { acceleration })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Estimate::{Finite, PlusInfinity};

    fn rounds(n: u32) -> Vec<Estimate> {
        (0..n).map(|x| Finite(f64::from(x))).collect()
    }

    #[test]
    fn without_bias_and_skewness_it_is_the_percentile_interval() {
        let found = bca_interval(Finite(50.0), &rounds(101), 0.0, 0.9).unwrap();
        assert!(
            (found.low.unwrap() - 5.0).abs() < 1e-9 && (found.high.unwrap() - 95.0).abs() < 1e-9
        );
    }

    #[test]
    fn open_rounds_open_an_end() {
        let mut drawn = rounds(97);
        drawn.extend([PlusInfinity; 4]);
        let found = bca_interval(Finite(50.0), &drawn, 0.0, 0.95).unwrap();
        assert!(found.low.is_some() && found.high.is_none() && found.infinite == 4);
    }

    #[test]
    fn what_is_undefined_is_said() {
        let of = |point, rounds: &[Estimate], a| bca_interval(point, rounds, a, 0.95);
        assert_eq!(
            of(Finite(-1.0), &rounds(9), 0.0),
            Err(InferenceError::OneSidedRounds { rounds: 9 })
        );
        assert_eq!(
            of(Finite(1.0), &[Finite(1.0); 4], 0.0),
            Err(Undefined::NoVariance.into())
        );
        assert_eq!(of(Finite(4.0), &[], 0.0), Err(Undefined::NoData.into()));
        assert_eq!(
            of(Finite(4.0), &rounds(9), 0.9),
            Err(InferenceError::Acceleration { acceleration: 0.9 })
        );
        assert!(matches!(
            of(Finite(4.0), &rounds(9), f64::NAN),
            Err(InferenceError::Acceleration { .. })
        ));
        assert_eq!(
            of(PlusInfinity, &rounds(9), 0.0),
            Err(InferenceError::Infinite { system: 0 })
        );
    }

    #[test]
    fn the_acceleration_by_hand() {
        // Values 0, 0, 3: mean 1, deviations 1, 1, -2: cubes -6, squares 6, so a = -1 / 6^1.5.
        let found = jackknife_acceleration(&[Finite(0.0), Finite(0.0), Finite(3.0)]).unwrap();
        assert!((found + 6f64.powf(-1.5)).abs() < 1e-15);
        assert_eq!(
            jackknife_acceleration(&[Finite(2.0); 3]),
            Err(Undefined::NoVariance.into())
        );
        assert_eq!(
            jackknife_acceleration(&[Finite(2.0), PlusInfinity]),
            Err(InferenceError::UnsettledJackknife { values: 1 })
        );
    }
}
