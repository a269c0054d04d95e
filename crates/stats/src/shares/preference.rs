//! The rate at which one system is preferred to a reference, over items.

use crate::checks::{check_clusters, check_probabilities, check_some};
use crate::linear::{mean, squared_deviations};
use crate::{Error, Undefined};

/// How often a system is preferred to its reference.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PreferenceRate {
    /// Mean preference, in [0, 1]. AlpacaEval shows 100 times this.
    pub win_rate: f64,
    /// Standard error of the win rate, s / sqrt(n) with the sample standard deviation s (divisor
    /// n - 1); undefined for fewer than two items. It is 0 where all preferences are the same.
    /// AlpacaEval shows 100 times this.
    pub standard_error: Result<f64, Undefined>,
    /// Items with a preference above 1/2.
    pub wins: usize,
    /// Items with a preference below 1/2: the reference won.
    pub losses: usize,
    /// Items with a preference of exactly 1/2.
    pub draws: usize,
}

impl PreferenceRate {
    /// How many items it rests on.
    pub fn n(&self) -> usize {
        self.wins + self.losses + self.draws
    }
}

/// The win rate over items, as AlpacaEval defines it (Li et al. 2023, `AlpacaEval: An Automatic
/// Evaluator of Instruction-following Models`): each preference is the probability in [0, 1] that
/// the system beats the reference on one item, a draw counts 1/2, and
///
/// win rate = (1 / n) sum p_i,  standard error = sqrt(sum (p_i - win rate)^2 / (n - 1)) / sqrt(n).
///
/// Items without a verdict are left out before, not counted as draws. The standard error takes the
/// items as independent.
///
/// # Errors
/// A preference that is not from 0 to 1, with its position; no preference ([`Undefined::NoData`]).
///
/// ```
/// use evenhand_stats::preference_rate;
///
/// let rate = preference_rate(&[1.0, 0.75, 0.5, 0.25])?;
/// assert_eq!((rate.win_rate, rate.wins, rate.losses, rate.draws), (0.625, 2, 1, 1));
/// # Ok::<(), evenhand_stats::Error>(())
/// ```
pub fn preference_rate(preferences: &[f64]) -> Result<PreferenceRate, Error> {
    check_probabilities("preference", preferences)?;
    check_some(preferences.len())?;
    let win_rate = mean(preferences);
    Ok(PreferenceRate {
        win_rate,
        standard_error: standard_error(preferences, win_rate),
        wins: count_where(preferences, |p| p > 0.5),
        losses: count_where(preferences, |p| p < 0.5),
        draws: count_where(preferences, |p| p == 0.5),
    })
}

fn count_where(preferences: &[f64], test: fn(f64) -> bool) -> usize {
    preferences.iter().filter(|&&p| test(p)).count()
}

fn standard_error(values: &[f64], mean: f64) -> Result<f64, Undefined> {
    let clusters = values.len();
    check_clusters(clusters)?;
    let n = clusters as f64;
    Ok((squared_deviations(values, mean) / (n - 1.0) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Mean 0.625; squared deviations 0.140625, 0.015625, 0.015625, 0.140625: sum 0.3125; / 3 /
        // 4 = 0.0260416...
        let rate = preference_rate(&[1.0, 0.75, 0.5, 0.25]).unwrap();
        assert_eq!(
            (rate.win_rate, rate.wins, rate.losses, rate.draws, rate.n()),
            (0.625, 2, 1, 1, 4)
        );
        assert!((rate.standard_error.unwrap() - (0.3125_f64 / 12.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn equal_preferences_have_no_spread_and_one_has_no_error() {
        assert_eq!(preference_rate(&[0.5; 3]).unwrap().standard_error, Ok(0.0));
        assert_eq!(
            preference_rate(&[1.0]).unwrap().standard_error,
            Err(Undefined::TooFewClusters { clusters: 1 })
        );
    }

    #[test]
    fn what_is_no_preference_is_named() {
        assert_eq!(preference_rate(&[]), Err(Undefined::NoData.into()));
        for value in [1.5, -0.1, f64::NAN, f64::INFINITY] {
            let error = preference_rate(&[0.5, value]).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("row 1: preference is {value}; expected a finite number from 0 to 1")
            );
        }
    }
}
