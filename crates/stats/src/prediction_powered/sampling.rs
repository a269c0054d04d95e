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

/// Pearson's test (1900) that the share of labelled rows is the same in every group; groups
/// without rows are left out. Rows count as independent.
pub(super) fn test_same_share(groups: &[LabelCounts]) -> Result<ChiSquared, Undefined> {
    let groups: Vec<&LabelCounts> = groups.iter().filter(|group| group.rows() > 0.0).collect();
    let total = LabelCounts::sum(&groups);
    if groups.len() < 2 || total.labelled == 0.0 || total.others == 0.0 {
        return Err(Undefined::NoVariance);
    }
    let share = total.labelled / total.rows();
    let excess = groups.iter().map(|group| group.excess(share));
    ChiSquared::new(excess.sum(), groups.len() - 1)
}

/// How many rows of a group are labelled, and how many are not.
pub(super) struct LabelCounts {
    pub(super) labelled: f64,
    pub(super) others: f64,
}

impl LabelCounts {
    fn sum(groups: &[&LabelCounts]) -> LabelCounts {
        LabelCounts {
            labelled: groups.iter().map(|group| group.labelled).sum(),
            others: groups.iter().map(|group| group.others).sum(),
        }
    }

    fn rows(&self) -> f64 {
        self.labelled + self.others
    }

    /// The squared difference to the labels that a share would give, over its variance.
    fn excess(&self, share: f64) -> f64 {
        let rows = self.rows();
        (self.labelled - share * rows).powi(2) / (rows * share * (1.0 - share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_groups(groups: &[(f64, f64)]) -> Result<ChiSquared, Undefined> {
        let counts = groups
            .iter()
            .map(|&(labelled, others)| LabelCounts { labelled, others });
        test_same_share(&counts.collect::<Vec<_>>())
    }

    #[test]
    fn shares_are_compared() {
        // scipy.stats.chi2_contingency([[10, 20, 30], [90, 80, 20]], correction=False):
        // 47.14912280701754, 2 degrees, p 5.7769e-11 (scipy 1.17).
        let found = test_groups(&[(10.0, 90.0), (20.0, 80.0), (0.0, 0.0), (30.0, 20.0)]).unwrap();
        assert!(
            (found.statistic - 47.149_122_807_017_54).abs() < 1e-12 && found.degrees == 2,
            "{found:?}"
        );
        assert!(
            (found.p_value / 5.776_942_823_156_848_6e-11 - 1.0).abs() < 1e-6,
            "{found:?}"
        );
        assert_eq!(test_groups(&[(1.0, 2.0)]), Err(Undefined::NoVariance));
        assert_eq!(
            test_groups(&[(1.0, 0.0), (2.0, 0.0)]),
            Err(Undefined::NoVariance)
        );
    }
}
