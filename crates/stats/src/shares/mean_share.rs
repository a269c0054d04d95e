//! The mean of shares of independent clusters, with an interval that also holds at 0 and 1.

use crate::checks::{check_clusters, check_probabilities};
use crate::linear::{mean, squared_deviations};
use crate::{Error, Proportion, wilson};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;
    use proptest::prelude::*;

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
}
