//! Shares and rates with their intervals: of independent trials, of clusters, and the rate at which
//! one system is preferred to a reference.

use crate::checks::{
    check_argument, check_clusters, check_level, check_probabilities, check_some, check_weight,
    ensure,
};
use crate::linear::{error_of_mean, mean, squared_deviations};
use crate::special::two_sided_quantile;
use crate::{Error, Undefined};

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

/// The mean of `shares`, one for each cluster, each in [0, 1], with the score interval of Wilson
/// (1927) for the effective number of trials n* = m (1 - m) / (s² / n), where m is the mean, s² the
/// variance of the shares (over n - 1) and n their number: the number of independent trials whose
/// share would vary as this mean does (Kish 1965; Korn and Graubard 1998; Franco et al. 2019
/// compare it with others). Where all shares are the same, n* is n.
///
/// For shares of 0 and 1 alone it is Wilson's interval of n - 1 trials.  [`Proportion::n`] is n*.
///
/// # Errors
/// A share that is not from 0 to 1 (with its position), a bad level; fewer than 2 clusters
/// ([`crate::Undefined::TooFewClusters`]).
pub fn mean_share(shares: &[f64], level: f64) -> Result<Proportion, Error> {
    check_probabilities("share", shares)?;
    let clusters = shares.len();
    check_clusters(clusters)?;
    let mean = mean(shares).clamp(0.0, 1.0);
    let n = clusters as f64;
    let variance = squared_deviations(shares, mean) / (n - 1.0);
    let trials = if variance > 1e-12 {
        (n * mean * (1.0 - mean) / variance).min(1e12)
    } else {
        n
    };
    let found = wilson((mean * trials).min(trials), trials, level)?;
    Ok(Proportion {
        value: mean,
        low: found.low.min(mean),
        high: found.high.max(mean),
        n: trials,
    })
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
    fn shares_of_0_and_1_are_trials() {
        let shares: Vec<f64> = (0..50).map(|i| f64::from(u8::from(i < 10))).collect();
        let (found, plain) = (
            mean_share(&shares, 0.95).unwrap(),
            wilson(0.2 * 49.0, 49.0, 0.95).unwrap(),
        );
        assert!((found.n - 49.0).abs() < 1e-9, "{found:?}");
        assert!(
            (found.low - plain.low).abs() < 1e-12 && (found.high - plain.high).abs() < 1e-12,
            "{found:?}"
        );
    }

    #[test]
    fn what_does_not_vary_counts_once_a_cluster() {
        let found = mean_share(&[0.5; 30], 0.95).unwrap();
        assert_eq!((found.value, found.n), (0.5, 30.0));
        let none = mean_share(&[0.0; 30], 0.95).unwrap();
        assert!(
            none.low == 0.0 && (none.high - wilson(0.0, 30.0, 0.95).unwrap().high).abs() < 1e-12
        );
    }

    #[test]
    fn averages_of_two_looks_are_worth_more_than_one() {
        // 40 clusters of two looks each: (1 + 1) / 2, (0 + 0) / 2, and one of each twice.
        let shares: Vec<f64> = (0..40).map(|i| [1.0, 0.0, 0.5, 0.5][i % 4]).collect();
        let found = mean_share(&shares, 0.95).unwrap();
        assert!((found.n - 78.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_is_undefined_is_said() {
        assert!(matches!(
            mean_share(&[0.5], 0.95),
            Err(Error::Undefined(Undefined::TooFewClusters { clusters: 1 }))
        ));
        assert!(matches!(
            mean_share(&[0.5, 1.5], 0.95),
            Err(Error::Value { row: 1, .. })
        ));
        assert!(mean_share(&[0.5, 0.6], 1.0).is_err());
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_mean_and_mirrors(shares in proptest::collection::vec(0.0f64..=1.0, 2..60)) {
            let found = mean_share(&shares, 0.9).unwrap();
            prop_assert!(0.0 <= found.low && found.low <= found.value && found.value <= found.high && found.high <= 1.0);
            let mirrored: Vec<f64> = shares.iter().map(|share| 1.0 - share).collect();
            let mirror = mean_share(&mirrored, 0.9).unwrap();
            prop_assert!((found.low - (1.0 - mirror.high)).abs() < 1e-9);
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
