//! Whether the labelled rows look like a random sample of all rows.

use crate::Undefined;
use statrs::distribution::{ChiSquared as Distribution, ContinuousCDF};
use std::collections::BTreeMap;

/// A check of the assumption that the labelled rows are a random sample of the same
/// population.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingCheck {
    /// Labelled rows over all rows, in (0, 1).
    pub labelled_share: f64,
    /// The test; a small p-value speaks against random sampling, a large one proves nothing.
    /// [`Undefined::NoVariance`] where there is nothing to compare: a constant judge, or only one
    /// pair of systems.
    pub test: Result<ChiSquared, Undefined>,
}

/// A chi-squared test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChiSquared {
    /// The statistic, at least 0.
    pub statistic: f64,
    /// Degrees of freedom, at least 1.
    pub degrees: usize,
    /// The chance of such a statistic or a larger one, were the assumption true.
    pub p_value: f64,
}

impl ChiSquared {
    pub(super) fn new(statistic: f64, degrees: usize) -> Result<ChiSquared, Undefined> {
        let distribution = Distribution::new(degrees as f64).map_err(|_| Undefined::NoVariance)?;
        Ok(ChiSquared {
            statistic,
            degrees,
            p_value: distribution.sf(statistic),
        })
    }
}

/// Pearson's test (1900) that the share of labelled rows is the same in every group.
///
/// Each of `clusters` has the number of rows with a label and of those without, by group. Rows of a
/// cluster may have been labelled together, which makes shares vary as though there were fewer: the
/// statistic is over the mean of the groups' design effects, sum n² / sum n of their rows n in a
/// cluster (Rao and Scott 1981), which is 1 where clusters have one row of a group.
pub(super) fn test_same_share<K: Copy + Ord>(
    clusters: impl Iterator<Item = BTreeMap<K, [f64; 2]>>,
) -> Result<ChiSquared, Undefined> {
    // Of each group the labelled rows, the others, and the sum of squares.
    let mut groups = BTreeMap::<K, [f64; 3]>::new();
    for (group, [labelled, others]) in clusters.flatten() {
        let all = groups.entry(group).or_default();
        for (sum, part) in all
            .iter_mut()
            .zip([labelled, others, (labelled + others).powi(2)])
        {
            *sum += part;
        }
    }
    let labelled: f64 = groups.values().map(|group| group[0]).sum();
    let others: f64 = groups.values().map(|group| group[1]).sum();
    if groups.len() < 2 || labelled == 0.0 || others == 0.0 {
        return Err(Undefined::NoVariance);
    }
    let all = labelled + others;
    let share = labelled / all;
    let (mut excess, mut effect) = (0.0, 0.0);
    for [labelled, others, squares] in groups.values() {
        // The squared difference to the labels that the share would give, over its variance.
        let rows = labelled + others;
        excess += (labelled - share * rows).powi(2) / (rows * share * (1.0 - share));
        effect += (1.0 - rows / all) * squares / rows;
    }
    let degrees = groups.len() - 1;
    ChiSquared::new(excess * degrees as f64 / effect, degrees)
}

/// Tests that the judge says the same of labelled rows as of all.
///
/// Each of `clusters` has its rows: what the judge says of them, less its mean over all, and
/// whether they are labelled. The variance is that of drawing clusters, or rows where that is more:
/// of few labelled rows their own may be far too small.
pub(super) fn test_same_mean<'a>(
    clusters: impl Iterator<Item = &'a [(f64, bool)]>,
) -> Result<ChiSquared, Undefined> {
    let (mut sum, mut by_cluster, mut by_row) = (0.0, 0.0, 0.0);
    let [mut labelled, mut all] = [0.0; 2];
    for rows in clusters {
        let mut together = 0.0;
        for &(beyond, is_labelled) in rows {
            together += beyond;
            by_row += beyond * beyond;
            all += 1.0;
            if is_labelled {
                sum += beyond;
                labelled += 1.0;
            }
        }
        by_cluster += together * together;
    }
    let share = labelled / all;
    ChiSquared::new(
        sum * sum / (share * (1.0 - share) * f64::max(by_cluster, by_row)),
        1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_compared() {
        // scipy.stats.chi2_contingency([[10, 20, 30], [90, 80, 20]], correction=False):
        // 47.14912280701754, 2 degrees, p 5.7769e-11 (scipy 1.17).
        // Each row a cluster.
        let rows = |groups: &[[usize; 2]], each: f64| {
            let mut clusters = Vec::new();
            for (group, [labelled, others]) in groups.iter().enumerate() {
                let of = |row: [f64; 2]| BTreeMap::from([(group, row)]);
                clusters.extend(std::iter::repeat_n(of([each, 0.0]), *labelled));
                clusters.extend(std::iter::repeat_n(of([0.0, each]), *others));
            }
            test_same_share(clusters.into_iter())
        };
        let groups = [[10, 90], [20, 80], [0, 0], [30, 20]];
        let found = rows(&groups, 1.0).unwrap();
        assert!(
            (found.statistic - 47.149_122_807_017_54).abs() < 1e-10 && found.degrees == 2,
            "{found:?}"
        );
        assert!(
            (found.p_value / 5.776_942_823_156_848_6e-11 - 1.0).abs() < 1e-6,
            "{found:?}"
        );
        // Six rows of each cluster tell no more than one.
        let sixfold = rows(&groups, 6.0).unwrap();
        assert!((sixfold.statistic - found.statistic).abs() < 1e-10);
        assert_eq!(rows(&[[1, 2]], 1.0), Err(Undefined::NoVariance));
        assert_eq!(rows(&[[1, 0], [2, 0]], 1.0), Err(Undefined::NoVariance));
    }
}
