//! Whether a share rises or falls with a number.

use crate::checks::check_lengths;
use crate::special::normal_below;
use crate::{Error, Undefined};
use std::collections::BTreeMap;

/// A test for a trend of a share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trend {
    /// Standard normal where there is no trend; above 0 where the share rises.
    pub z: f64,
    /// Two-sided p-value, in [0, 1].
    pub p: f64,
}

/// Tests whether the share of successes rises or falls linearly with a number. Each row is a trial,
/// (number, whether it succeeded); `clusters` says which rows are not independent.
///
/// Where every cluster has one row it is the Cochran-Armitage test for trend (Armitage 1955), the
/// score test of a logistic regression on the number. Where some has several, which may succeed or
/// fail together, the score is summed by cluster, and its variance is the sum of the squares of
/// these sums (Liang and Zeger 1986, with the share held at what it is without a trend), so that
/// |z| is at most the root of the number of clusters.
///
/// # Errors
/// No row ([`Undefined::NoData`]); rows that all have the same number or the same outcome
/// ([`Undefined::NoVariance`]); a number that is not finite; not a cluster for each row.
pub fn share_trend(rows: &[(f64, bool)], clusters: &[u32]) -> Result<Trend, Error> {
    check_lengths(rows.len(), clusters.len())?;
    let n = rows.len() as f64;
    if rows.is_empty() {
        return Err(Undefined::NoData.into());
    }
    let share = rows.iter().filter(|row| row.1).count() as f64 / n;
    let mean = rows.iter().map(|row| row.0).sum::<f64>() / n;
    let spread: f64 = rows.iter().map(|row| (row.0 - mean).powi(2)).sum();
    let of_trials = share * (1.0 - share) * spread;
    if !of_trials.is_finite() {
        return Err(Error::Share {
            name: "number",
            value: of_trials,
        });
    }
    if of_trials == 0.0 {
        return Err(Undefined::NoVariance.into());
    }
    let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
    for ((number, success), cluster) in rows.iter().zip(clusters) {
        let beyond = f64::from(u8::from(*success)) - share;
        *scores.entry(*cluster).or_default() += (number - mean) * beyond;
    }
    let variance = match scores.len() < rows.len() {
        true => scores.values().map(|score| score * score).sum(),
        false => of_trials,
    };
    let score: f64 = scores.values().sum();
    // Scores of clusters that are rounding alone.
    if variance <= 1e-24 * of_trials {
        return Err(Undefined::NoVariance.into());
    }
    let z = score / f64::sqrt(variance);
    Ok(Trend {
        z,
        p: 2.0 * normal_below(-z.abs()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of the same number, spelled out as trials.
    fn rows(groups: &[(f64, usize, usize)]) -> Vec<(f64, bool)> {
        let trials = groups.iter().flat_map(|&(number, successes, trials)| {
            (0..trials).map(move |trial| (number, trial < successes))
        });
        trials.collect()
    }

    /// Every row a cluster of its own.
    fn apart(rows: &[(f64, bool)]) -> Vec<u32> {
        (0..rows.len() as u32).collect()
    }

    /// The textbook formula over groups: sum x (r - n p) over the root of
    /// p (1 - p) (sum n x^2 - (sum n x)^2 / N).
    #[test]
    fn trials_agree_with_the_formula_over_groups() {
        let groups = [(0.0, 19, 90), (1.0, 29, 100), (2.0, 24, 60)];
        let rows = rows(&groups);
        let found = share_trend(&rows, &apart(&rows)).unwrap();
        let (n, p) = (250.0, 72.0 / 250.0);
        let top: f64 = groups
            .iter()
            .map(|g| g.0 * (g.1 as f64 - g.2 as f64 * p))
            .sum();
        let x: f64 = groups.iter().map(|g| g.0 * g.2 as f64).sum();
        let xx: f64 = groups.iter().map(|g| g.0 * g.0 * g.2 as f64).sum();
        let z = top / (p * (1.0 - p) * (xx - x * x / n)).sqrt();
        assert!((found.z - z).abs() < 1e-12, "{found:?} and {z}");
        assert!((found.p - 2.0 * normal_below(-z)).abs() < 1e-15);
        assert!(found.p < 0.05 && found.z > 0.0);
    }

    #[test]
    fn what_has_no_trend_is_said() {
        let of = |rows: &[(f64, bool)]| share_trend(rows, &apart(rows));
        assert_eq!(of(&[]), Err(Undefined::NoData.into()));
        for rows in [rows(&[(1.0, 2, 5)]), rows(&[(1.0, 2, 2), (3.0, 4, 4)])] {
            assert_eq!(of(&rows), Err(Undefined::NoVariance.into()));
        }
        assert!(of(&[(f64::NAN, true), (1.0, false)]).is_err());
        assert!(share_trend(&[(2.0, true), (1.0, false)], &[0]).is_err());
        let level = of(&rows(&[(1.0, 3, 6), (2.0, 3, 6)])).unwrap();
        assert_eq!((level.z, level.p), (0.0, 1.0));
    }

    /// Trials that are copied within their clusters say no more, however often.
    #[test]
    fn copies_within_a_cluster_change_nothing() {
        let rows = rows(&[(0.0, 2, 9), (1.0, 4, 10), (3.0, 5, 6)]);
        let copied = |times: usize| {
            let all = rows.repeat(times);
            share_trend(&all, &apart(&rows).repeat(times)).unwrap()
        };
        let (two, nine) = (copied(2), copied(9));
        assert!((two.z - nine.z).abs() < 1e-12 && two.z > 0.0, "{two:?}");
        let wrong = rows.repeat(9);
        assert!(share_trend(&wrong, &apart(&wrong)).unwrap().z > 2.5 * nine.z);
    }

    /// Clusters whose rows have numbers near each other, and succeed or fail together: no trend is
    /// found more often than is promised, over sizes.
    #[test]
    fn no_trend_is_found_as_rarely_as_the_level_says() {
        for (clusters, size) in [(6, 3), (20, 3), (20, 6), (50, 3), (50, 15)] {
            for alike in [0, 30, 60] {
                let mut found = 0;
                for seed in 0..400 {
                    let mut draws = crate::draw_numbers(seed, 3, 100);
                    let mut next = || draws.next().unwrap();
                    let (mut rows, mut of) = (Vec::new(), Vec::new());
                    for cluster in 0..clusters {
                        let (number, is_one, all) = (next(), next() < alike, next() < 30);
                        for _ in 0..size {
                            let own = next() < 30;
                            let success = if is_one { all } else { own };
                            rows.push((f64::from(number + next() / 4), success));
                            of.push(cluster);
                        }
                    }
                    let trend = share_trend(&rows, &of);
                    found += u32::from(trend.is_ok_and(|trend| trend.p < 0.05));
                }
                // Three standard errors of 20.
                let told = format!("{clusters} x {size}, alike {alike}: {found} of 400");
                assert!(found <= 33, "{told}");
            }
        }
    }
}
