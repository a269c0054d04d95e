//! Shares and rates with their intervals: of independent trials, of clusters, and the rate at which
//! one system is preferred to a reference.

use crate::checks::{
    check_argument, check_clusters, check_level, check_probabilities, check_some, check_weight,
    ensure,
};
use crate::linear::{error_of_mean, mean};
use crate::special::{student_quantile, two_sided_quantile};
use crate::{ColumnMean, Error, Undefined};

/// A share with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proportion {
    /// The share, in [0, 1].
    pub value: f64,
    /// Lower end of the interval, in [0, value].
    pub low: f64,
    /// Upper end of the interval, in [value, 1].
    pub high: f64,
    /// The number of trials.
    pub n: f64,
}

/// The score interval of a share of independent trials (Wilson 1927; Agresti and Coull 1998),
/// two-sided. `successes` of `trials`, fractions allowed; `level` strictly between 0 and 1.
///
/// # Errors
/// Successes that are not from 0 to `trials`, trials that are not from 0 to 1e100, a bad level; no
/// trials ([`Undefined::NoData`]).
pub fn wilson(successes: f64, trials: f64, level: f64) -> Result<Proportion, Error> {
    check_level(level)?;
    check_weight(0, "trials", trials)?;
    let good = (0.0..=trials).contains(&successes);
    check_argument("successes", successes, good, "from 0 to the trials")?;
    ensure(trials != 0.0, || Undefined::NoData)?;
    let value = successes / trials;
    let z = two_sided_quantile(level);
    let spread = z * z / trials;
    let centre = (value + spread / 2.0) / (1.0 + spread);
    let half = (spread * (value * (1.0 - value) + spread / 4.0)).sqrt() / (1.0 + spread);
    // At 0 and 1 the end is exact; rounding must not cut the value off.
    Ok(Proportion {
        value,
        low: (centre - half).clamp(0.0, value),
        high: (centre + half).clamp(value, 1.0),
        n: trials,
    })
}

/// The mean of differences from -`most` to `most`, one for each cluster, such as the flips that a
/// probe adds on an item.
///
/// The interval is Agresti and Min's (2005) for paired shares: that of a mean over two clusters
/// more, one that moves all the way up and one that moves all the way down, so that clusters of
/// which few moved do not promise too much. It has Student's quantile with n - 1 degrees of freedom
/// in place of the normal's, and is wider by half the step from one mean to the next where
/// clusters move all the way or not at all. Measured in docs/design/statistics.md: misses at most
/// .051 of 5 to 400 clusters that are moved seldom or always, wholly or in part.
///
/// # Errors
/// A `most` that is not above 0, a difference beyond it (with its position), a bad level; no
/// difference ([`Undefined::NoData`]).
pub fn mean_difference(values: &[f64], most: f64, level: f64) -> Result<ColumnMean, Error> {
    check_level(level)?;
    let is_positive = most.is_finite() && most > 0.0;
    check_argument("most", most, is_positive, "above 0")?;
    for (row, &value) in values.iter().enumerate() {
        // Means of shares are sums of rounded numbers.
        ensure(value.abs() <= most * (1.0 + 1e-9), || Error::Value {
            row,
            field: "difference",
            value,
            expected: "from -`most` to `most`",
        })?;
    }
    check_some(values.len())?;
    let value = mean(values).clamp(-most, most);
    let n = values.len() as f64;
    let interval = check_clusters(values.len()).map(|()| {
        let wider = n + 2.0;
        let centre = mean(values) * n / wider;
        let squares = values.iter().map(|value| value * value).sum::<f64>() + 2.0 * most * most;
        let variance = (squares / wider - centre * centre).max(0.0) / wider;
        let quantile = student_quantile(1.0 - (1.0 - level) / 2.0, n - 1.0);
        let half = quantile * variance.sqrt() + most / wider;
        [
            (centre - half).clamp(-most, value),
            (centre + half).clamp(value, most),
        ]
    });
    Ok(ColumnMean { value, interval })
}

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
    let count_where = |is: fn(f64) -> bool| preferences.iter().filter(|p| is(**p)).count();
    let standard_error = || -> Result<f64, Undefined> {
        check_clusters(preferences.len())?;
        Ok(error_of_mean(preferences, win_rate))
    };
    Ok(PreferenceRate {
        win_rate,
        standard_error: standard_error(),
        wins: count_where(|p| p > 0.5),
        losses: count_where(|p| p < 0.5),
        draws: count_where(|p| p == 0.5),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(x: f64, y: f64) -> bool {
        (x - y).abs() < 1e-12
    }

    #[test]
    fn wilson_by_hand() {
        // 8 of 10 at z = 1.959963984540054: centre (0.8 + z^2/20) / (1 + z^2/10) =
        // 0.7167401600411333, half width z sqrt(0.016 + z^2/400) / (1 + z^2/10) =
        // 0.22657768850449145 (computed in Python).
        let share = wilson(8.0, 10.0, 0.95).unwrap();
        assert!(close(share.low, 0.490_162_471_536_641_83), "{share:?}");
        assert!(close(share.high, 0.943_317_848_545_624_7), "{share:?}");
        // At 0 of n the upper end is z^2 / (n + z^2).
        let (none, z) = (wilson(0.0, 10.0, 0.95).unwrap(), 1.959_963_984_540_054_f64);
        assert!(
            none.low == 0.0 && close(none.high, z * z / (10.0 + z * z)),
            "{none:?}"
        );
        let all = wilson(10.0, 10.0, 0.95).unwrap();
        assert!(
            all.high == 1.0 && close(all.low, 1.0 - none.high),
            "{all:?}"
        );
    }

    #[test]
    fn wilson_says_what_it_cannot_do() {
        assert_eq!(wilson(0.0, 0.0, 0.95), Err(Undefined::NoData.into()));
        for (successes, trials) in [
            (2.0, 1.0),
            (-1.0, 1.0),
            (f64::NAN, 1.0),
            (0.0, f64::NAN),
            (0.0, f64::INFINITY),
        ] {
            assert!(matches!(
                wilson(successes, trials, 0.95),
                Err(Error::Value { .. })
            ));
        }
        assert!(matches!(wilson(1.0, 2.0, 1.0), Err(Error::Share { .. })));
    }

    #[test]
    fn a_difference_by_hand() {
        // 1, 0, 0, -1, 1 and two more, 1 and -1: mean 1 / 7, squares 5, so the variance is
        // 5 / 7 - 1 / 49 = 34 / 49, over 7; Student's 97.5 % with 4 degrees of freedom is 2.7764.
        let found = mean_difference(&[1.0, 0.0, 0.0, -1.0, 1.0], 1.0, 0.95).unwrap();
        let half = 2.776_445_105 * (34.0_f64 / 343.0).sqrt() + 1.0 / 7.0;
        let [low, high] = found.interval.unwrap();
        assert!((found.value - 0.2).abs() < 1e-12);
        assert!((low - (1.0 / 7.0 - half)).abs() < 1e-8, "{low}");
        assert_eq!(high, (1.0 / 7.0 + half).min(1.0));
    }

    #[test]
    fn what_is_undefined_is_said() {
        assert_eq!(
            mean_difference(&[0.5], 1.0, 0.95).unwrap().interval,
            Err(Undefined::TooFewClusters { clusters: 1 })
        );
        let none = mean_difference(&[], 1.0, 0.95);
        assert_eq!(none, Err(Undefined::NoData.into()));
        assert!(matches!(
            mean_difference(&[0.5, 1.5], 1.0, 0.95),
            Err(Error::Value { row: 1, .. })
        ));
        assert!(mean_difference(&[f64::NAN], 1.0, 0.95).is_err());
        for (most, level) in [(0.0, 0.95), (f64::NAN, 0.95), (1.0, 1.0)] {
            assert!(mean_difference(&[0.0, 0.0], most, level).is_err());
        }
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_mean_and_mirrors(
            values in proptest::collection::vec(-2.0f64..=2.0, 2..60),
        ) {
            let found = mean_difference(&values, 2.0, 0.9).unwrap();
            let [low, high] = found.interval.unwrap();
            prop_assert!(-2.0 <= low && low <= found.value && found.value <= high && high <= 2.0);
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            let [least, _] = mean_difference(&mirrored, 2.0, 0.9).unwrap().interval.unwrap();
            prop_assert!((least + high).abs() < 1e-9);
        }
    }

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
