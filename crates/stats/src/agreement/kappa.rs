//! Cohen's kappa: agreement of two raters beyond chance.

use super::beyond_chance::{ClusterPart, beyond_chance};
use super::confusion::Confusion;
use crate::checks::{above_rounding, check_level, ensure};
use crate::{Error, Interval, Undefined};

/// The weight of a disagreement of category i with category j.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Disagreement {
    /// 1, whatever the categories: Cohen's kappa of 1960.
    Any,
    /// |i - j|: the categories are in order and evenly spaced.
    Linear,
    /// (i - j)^2.
    Quadratic,
}

impl Disagreement {
    fn weight(self, i: usize, j: usize) -> f64 {
        let distance = i.abs_diff(j) as f64;
        match self {
            Disagreement::Any => distance.min(1.0),
            Disagreement::Linear => distance,
            Disagreement::Quadratic => distance * distance,
        }
    }

    /// For every category the mean weight of a disagreement with labels of these totals.
    fn against_all(self, totals: &[f64], n: f64) -> Vec<f64> {
        let against = |i: usize| {
            let labels = 0..totals.len();
            labels.map(|j| self.weight(i, j) * totals[j]).sum::<f64>()
        };
        (0..totals.len()).map(|i| against(i) / n).collect()
    }
}

/// Cohen's kappa, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Kappa {
    /// Kappa, at most 1; 0 is what chance gives.
    pub value: f64,
    /// Its large-sample standard error; [`Undefined::NoVariance`] where the table gives 0, as with
    /// perfect agreement.
    pub standard_error: Result<f64, Undefined>,
    /// The number of rows, weighted.
    pub n: f64,
}

/// Cohen's kappa (Cohen 1960; weighted: Cohen 1968) of two raters who labelled the same rows.
///
/// With p_ij the share of rows labelled i by the first and j by the second, r_i and c_j its
/// margins, and v_ij the weight of a disagreement, kappa = 1 - sum v_ij p_ij / sum v_ij r_i c_j.
/// The standard error is that of Fleiss, Cohen and Everitt (1969), by the delta method: the
/// variance over the rows of v_ij - (1 - kappa)(v_i. + v_.j), where v_i. = sum_j v_ij c_j and
/// v_.j = sum_i v_ij r_i, divided by n (sum v_ij r_i c_j)^2.
///
/// ```
/// use evenhand_stats::{Confusion, Disagreement, cohen_kappa};
///
/// let table = Confusion::of_labels(&[0, 0, 1, 1, 2], &[0, 0, 1, 2, 2], 3)?;
/// let kappa = cohen_kappa(&table, Disagreement::Any)?;
/// assert!((kappa.value - 12.0 / 17.0).abs() < 1e-12);
/// # Ok::<(), evenhand_stats::Error>(())
/// ```
///
/// # Errors
/// An empty table ([`Undefined::NoData`]); both raters always in one and the same category
/// ([`Undefined::CertainByChance`]).
pub fn cohen_kappa(table: &Confusion, weights: Disagreement) -> Result<Kappa, Error> {
    let n = table.total();
    if n == 0.0 {
        return Err(Undefined::NoData.into());
    }
    let margins = Margins::new(table, weights)?;
    let value = margins.kappa();
    Ok(Kappa {
        value,
        standard_error: margins.standard_error(value),
        n,
    })
}

/// The interval of kappa of a table over the clusters that it is the sum of.
pub(super) fn kappa_interval(
    all: &Confusion,
    clusters: &[Confusion],
    weights: Disagreement,
    level: f64,
) -> Result<Interval, Error> {
    check_level(level)?;
    let n = all.total();
    ensure(n != 0.0, || Undefined::NoData)?;
    let margins = Margins::new(all, weights)?;
    let most = weights.weight(0, all.categories() - 1);
    let parts: Vec<ClusterPart> = clusters
        .iter()
        .map(|table| {
            let disagreements = table
                .counted_cells()
                .map(|(i, j, count)| weights.weight(i, j) * count);
            let sums = |totals: Vec<f64>, against: &[f64]| {
                let products = totals.iter().zip(against).map(|(count, v)| count * v);
                products.sum::<f64>()
            };
            ClusterPart {
                observed: disagreements.sum(),
                most: most * table.total(),
                by_chance: sums(table.first_totals(), &margins.first)
                    + sums(table.second_totals(), &margins.second)
                    - table.total() * margins.by_chance,
            }
        })
        .collect();
    let by_chance = n * margins.by_chance;
    Ok(beyond_chance(margins.kappa(), &parts, by_chance, n, level)?)
}

/// A table that is not empty, with the mean weight of a disagreement with the other rater's labels
/// for every label of each rater, and over all.
struct Margins<'a> {
    table: &'a Confusion,
    weights: Disagreement,
    first: Vec<f64>,
    second: Vec<f64>,
    by_chance: f64,
}

impl<'a> Margins<'a> {
    /// Of a table that is not empty.
    fn new(table: &'a Confusion, weights: Disagreement) -> Result<Self, Undefined> {
        let n = table.total();
        let rows = table.first_totals();
        let first = weights.against_all(&table.second_totals(), n);
        let by_chance = rows.iter().zip(&first).map(|(r, v)| r * v);
        let by_chance = by_chance.sum::<f64>() / n;
        if by_chance == 0.0 {
            return Err(Undefined::CertainByChance);
        }
        Ok(Margins {
            by_chance,
            second: weights.against_all(&rows, n),
            first,
            table,
            weights,
        })
    }

    /// Kappa of the table.
    fn kappa(&self) -> f64 {
        let cells = self.table.counted_cells();
        let disagreements = cells.map(|(i, j, count)| self.weights.weight(i, j) * count);
        let observed = disagreements.sum::<f64>() / self.table.total();
        1.0 - observed / self.by_chance
    }

    fn standard_error(&self, kappa: f64) -> Result<f64, Undefined> {
        let squares = self.table.counted_cells().map(|(i, j, count)| {
            let by_chance = (1.0 - kappa) * (self.first[i] + self.second[j]);
            let term = (self.weights.weight(i, j) - by_chance) / self.by_chance;
            count * (term + 1.0 - kappa).powi(2)
        });
        let variance = squares.sum::<f64>() / self.table.total();
        let variance = above_rounding(variance, 1e-20)?;
        Ok((variance / self.table.total()).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Observed agreement 35/50, by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5: kappa 0.4.
        let table = Confusion::new(2, vec![20.0, 5.0, 10.0, 15.0]).unwrap();
        let found = cohen_kappa(&table, Disagreement::Any).unwrap();
        assert!((found.value - 0.4).abs() < 1e-15, "{found:?}");
        assert_eq!(found.n, 50.0);
        // With two categories every weighting is the same.
        for weights in [Disagreement::Linear, Disagreement::Quadratic] {
            assert_eq!(cohen_kappa(&table, weights), Ok(found));
        }
    }

    #[test]
    fn the_ends() {
        let kappa = |counts: [f64; 4]| {
            cohen_kappa(
                &Confusion::new(2, counts.to_vec()).unwrap(),
                Disagreement::Any,
            )
        };
        let perfect = kappa([3.0, 0.0, 0.0, 4.0]).unwrap();
        assert_eq!(
            (perfect.value, perfect.standard_error),
            (1.0, Err(Undefined::NoVariance))
        );
        assert_eq!(kappa([0.0, 3.0, 3.0, 0.0]).unwrap().value, -1.0);
        assert_eq!(kappa([0.0, 3.0, 0.0, 0.0]).unwrap().value, 0.0);
        assert_eq!(
            kappa([3.0, 0.0, 0.0, 0.0]),
            Err(Undefined::CertainByChance.into())
        );
        assert_eq!(kappa([0.0; 4]), Err(Undefined::NoData.into()));
    }
}
