//! Whether the labelled rows look like a random sample of all rows.

use crate::Undefined;
use statrs::distribution::{ChiSquared as Distribution, ContinuousCDF};

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

/// Pearson's test (1900) that the share of labelled rows is the same in every group, of which each
/// has so many rows with a label and so many without; groups without rows are left out. Rows count
/// as independent.
pub(super) fn test_same_share(groups: &[(f64, f64)]) -> Result<ChiSquared, Undefined> {
    let has_rows = |(labelled, others): &(f64, f64)| labelled + others > 0.0;
    let groups: Vec<(f64, f64)> = groups.iter().copied().filter(has_rows).collect();
    let labelled: f64 = groups.iter().map(|group| group.0).sum();
    let others: f64 = groups.iter().map(|group| group.1).sum();
    if groups.len() < 2 || labelled == 0.0 || others == 0.0 {
        return Err(Undefined::NoVariance);
    }
    let share = labelled / (labelled + others);
    let excess = groups.iter().map(|(labelled, others)| {
        // The squared difference to the labels that the share would give, over its variance.
        let rows = labelled + others;
        (labelled - share * rows).powi(2) / (rows * share * (1.0 - share))
    });
    ChiSquared::new(excess.sum(), groups.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_compared() {
        // scipy.stats.chi2_contingency([[10, 20, 30], [90, 80, 20]], correction=False):
        // 47.14912280701754, 2 degrees, p 5.7769e-11 (scipy 1.17).
        let found =
            test_same_share(&[(10.0, 90.0), (20.0, 80.0), (0.0, 0.0), (30.0, 20.0)]).unwrap();
        assert!(
            (found.statistic - 47.149_122_807_017_54).abs() < 1e-12 && found.degrees == 2,
            "{found:?}"
        );
        assert!(
            (found.p_value / 5.776_942_823_156_848_6e-11 - 1.0).abs() < 1e-6,
            "{found:?}"
        );
        assert_eq!(test_same_share(&[(1.0, 2.0)]), Err(Undefined::NoVariance));
        assert_eq!(
            test_same_share(&[(1.0, 0.0), (2.0, 0.0)]),
            Err(Undefined::NoVariance)
        );
    }
}
