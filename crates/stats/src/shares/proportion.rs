//! Shares of independent trials and of clustered ones.

use crate::bootstrap::percentiles;
use crate::checks::{Entry, check_argument, check_level, check_weight};
use crate::special::two_sided_quantile;
use crate::{Bootstrap, Error, Estimate, Interval, Undefined, resample};

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
    if trials == 0.0 {
        return Err(Undefined::NoData.into());
    }
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

/// A ratio of sums over clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusteredRatio {
    /// Sum of the numerators over sum of the denominators.
    pub value: f64,
    /// Sum of the denominators: what the ratio counts.
    pub n: f64,
    /// Clusters with a denominator above 0.
    pub clusters: usize,
    /// Percentile bootstrap interval over these clusters, or why there is none: fewer than 2, or
    /// all have the same ratio ([`Undefined::NoVariance`]).
    pub interval: Result<Interval, Undefined>,
}

/// The ratio of sums over clusters, such as consistent verdicts over comparisons for each item.
/// Each row is one cluster: (numerator, denominator), the first from 0 to the second, so that the
/// ratio is a share in [0, 1]; rows with denominator 0 are no evidence and are left out.
///
/// # Errors
/// A row out of range (with its position), a bad level, number of rounds or threads; no row with a
/// denominator above 0 ([`Undefined::NoData`]).
pub fn clustered_ratio(rows: &[(f64, f64)], plan: &Bootstrap) -> Result<ClusteredRatio, Error> {
    for (row, &(numerator, denominator)) in rows.iter().enumerate() {
        check_weight(row, "denominator", denominator)?;
        let found = Entry::new(row, "numerator", numerator);
        found.require_within(0.0..=denominator, "from 0 to the denominator")?;
    }
    let rows: Vec<(f64, f64)> = rows.iter().copied().filter(|row| row.1 > 0.0).collect();
    let value = ratio_of_sums(&rows, |_| 1.0).ok_or(Undefined::NoData)?;
    let n = rows.iter().map(|row| row.1).sum();
    Ok(ClusteredRatio {
        value,
        n,
        clusters: rows.len(),
        interval: ratio_interval(&rows, plan)?,
    })
}

fn ratio_of_sums(rows: &[(f64, f64)], weight: impl Fn(usize) -> f64) -> Option<f64> {
    let (mut numerator, mut denominator) = (0.0, 0.0);
    for (i, row) in rows.iter().enumerate() {
        numerator += weight(i) * row.0;
        denominator += weight(i) * row.1;
    }
    (denominator > 0.0).then(|| numerator / denominator)
}

/// The outer error is of the plan, the inner of the data.
fn ratio_interval(
    rows: &[(f64, f64)],
    plan: &Bootstrap,
) -> Result<Result<Interval, Undefined>, Error> {
    let rounds = resample(rows.len(), plan, |weights| {
        Estimate::or_no_data(ratio_of_sums(rows, |i| weights[i]))
    });
    let mut rest = rows.iter();
    let are_equal = rest.all(|row| row.0 * rows[0].1 == rows[0].0 * row.1);
    match rounds {
        Err(Error::Undefined(reason)) => Ok(Err(reason)),
        Ok(_) if are_equal => Ok(Err(Undefined::NoVariance)),
        rounds => Ok(percentiles(&rounds?, plan.level)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_clustered_ratio_weighs_clusters_by_their_denominator() {
        let rows = [(1.0, 1.0), (0.0, 3.0), (0.0, 0.0), (2.0, 4.0)];
        let found = clustered_ratio(&rows, &Bootstrap::default()).unwrap();
        assert_eq!((found.value, found.n, found.clusters), (3.0 / 8.0, 8.0, 3));
        let interval = found.interval.unwrap();
        assert!(interval.low.unwrap() < 0.375 && interval.high.unwrap() > 0.375);
    }

    #[test]
    fn a_clustered_ratio_without_variance_has_no_interval() {
        let interval = |rows: &[(f64, f64)]| {
            clustered_ratio(rows, &Bootstrap::default())
                .unwrap()
                .interval
        };
        assert_eq!(
            interval(&[(1.0, 1.0), (3.0, 3.0)]),
            Err(Undefined::NoVariance)
        );
        assert_eq!(
            interval(&[(1.0, 2.0)]),
            Err(Undefined::TooFewClusters { clusters: 1 })
        );
        assert_eq!(
            clustered_ratio(&[(0.0, 0.0)], &Bootstrap::default()),
            Err(Undefined::NoData.into())
        );
        assert!(matches!(
            clustered_ratio(&[(2.0, 1.0)], &Bootstrap::default()),
            Err(Error::Value { row: 0, .. })
        ));
    }
}
