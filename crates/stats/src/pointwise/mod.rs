//! Scores from ratings of single responses: one file for each estimator, and one line for it in
//! [`PointMethod`].

mod median;
mod trimmed_mean;

pub use trimmed_mean::Trim;

use crate::checks::check_weight_count;
use crate::data::Cell;
use crate::linear::{greatest, weighted_mean};
use crate::{Cluster, Error, Estimate, ItemScores, Scores};
use median::weighted_median;
use trimmed_mean::weighted_trimmed_mean;

/// How scores of responses become scores of systems; all are in the unit of the responses' scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointMethod {
    /// [`mean`].
    Mean,
    /// [`median`].
    Median,
    /// [`trimmed_mean`], with the share to cut at each end.
    TrimmedMean(Trim),
}

impl PointMethod {
    /// The scores of all systems by this method.
    pub fn scores(self, data: &ItemScores) -> Scores {
        let weights = vec![1.0; data.clusters(Cluster::Item)];
        self.score_columns(&data.columns(Cluster::Item), &weights)
    }

    /// The scores when each cluster counts as often as its weight says.
    pub(crate) fn score_columns(self, columns: &[Vec<Cell>], weights: &[f64]) -> Scores {
        let score = |column: &Vec<Cell>| match self {
            PointMethod::Mean => weighted_mean(
                column
                    .iter()
                    .map(|cell| (weight_of(cell, weights), cell.score)),
            ),
            PointMethod::Median => weighted_median(column, weights),
            PointMethod::TrimmedMean(trim) => weighted_trimmed_mean(trim, column, weights),
        };
        let scores = columns.iter().map(score);
        let estimates = scores.map(Estimate::or_no_data).collect();
        let totals = columns.iter().map(|column| total_weight(column, weights));
        // Columns are in ascending order. Sums are rounded at about 1e-16 of the largest score;
        // this leaves room for many.
        let ends = columns
            .iter()
            .flat_map(|column| [column.first(), column.last()]);
        let sizes = ends.flatten().map(|cell| cell.score.abs());
        Scores::ranked(estimates, totals.collect(), 1e-12 * greatest(sizes))
    }
}

impl ItemScores {
    /// The scores when each cluster counts as often as its weight says; `weights` is indexed by
    /// cluster in ascending order.
    ///
    /// # Errors
    /// Not exactly one weight for each cluster.
    pub fn weighted_scores(&self, method: PointMethod, weights: &[f64]) -> Result<Scores, Error> {
        check_weight_count(self.clusters(Cluster::Item), weights.len())?;
        Ok(method.score_columns(&self.columns(Cluster::Item), weights))
    }
}

/// The mean over items of each system's score, replicates averaged within an item first (RealRank,
/// section 2.1). In the unit of the scores; undefined ([`crate::Undefined::NoData`]) for a system
/// without scores. A system that lacks items is averaged over those it has, so compare systems on
/// the same items.
pub fn mean(data: &ItemScores) -> Scores {
    PointMethod::Mean.scores(data)
}

/// The median over items of each system's score, replicates averaged within an item first
/// (RealRank, section 2.1); of an even number, the mean of the two in the middle. In the unit of
/// the scores; undefined ([`crate::Undefined::NoData`]) for a system without scores.
pub fn median(data: &ItemScores) -> Scores {
    PointMethod::Median.scores(data)
}

/// The mean over items of each system's score without the lowest and the highest: of n items the
/// whole part of `trim` * n at each end is left out (Tukey 1962; the rounding of scipy's
/// `trim_mean` and R's `mean`). Replicates are averaged within an item first. In the unit of the
/// scores; undefined ([`crate::Undefined::NoData`]) for a system without scores.
pub fn trimmed_mean(data: &ItemScores, trim: Trim) -> Scores {
    PointMethod::TrimmedMean(trim).scores(data)
}

fn weight_of(cell: &Cell, weights: &[f64]) -> f64 {
    weights.get(cell.cluster as usize).copied().unwrap_or(0.0)
}

fn total_weight(column: &[Cell], weights: &[f64]) -> f64 {
    column.iter().map(|cell| weight_of(cell, weights)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ItemScore, Undefined};

    fn data(rows: &[(u32, u16, f64)]) -> ItemScores {
        let rows = rows
            .iter()
            .map(|&(item, system, score)| ItemScore::new(item, system, score));
        ItemScores::new(3, rows.collect()).unwrap()
    }

    #[test]
    fn replicates_are_averaged_before_items() {
        // System 0: item 0 scored 2 and 4 (3 on average), item 1 scored 9, item 2 scored 0: mean
        // (3 + 9 + 0) / 3 = 4, median 3; over the four scores it would be 3.75 and 3. System 1: 1
        // and 2. System 2: nothing.
        let data = data(&[
            (0, 0, 2.0),
            (0, 0, 4.0),
            (1, 0, 9.0),
            (2, 0, 0.0),
            (0, 1, 1.0),
            (2, 1, 2.0),
        ]);
        let none = Estimate::Undefined(Undefined::NoData);
        let means = mean(&data);
        assert_eq!(
            means.estimates,
            [Estimate::Finite(4.0), Estimate::Finite(1.5), none]
        );
        assert_eq!(means.ranks, [Some(1), Some(2), None]);
        assert_eq!(means.weight, [3.0, 2.0, 0.0]);
        assert_eq!(
            median(&data).estimates,
            [Estimate::Finite(3.0), Estimate::Finite(1.5), none]
        );
        // A tenth of three is none; 400 thousandths of three is one at each end.
        assert_eq!(
            trimmed_mean(&data, Trim::default()).estimates,
            means.estimates
        );
        let middle = Trim::from_permille(400).unwrap();
        assert_eq!(
            trimmed_mean(&data, middle).estimates,
            [Estimate::Finite(3.0), Estimate::Finite(1.5), none]
        );
    }
}
