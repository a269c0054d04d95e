//! The weighted mean.

use super::weight_of;
use crate::data::Cell;

/// The mean of the cells, each counted as often as its cluster's weight says; None if nothing
/// counts.
pub(super) fn weighted_mean(column: &[Cell], weights: &[f64]) -> Option<f64> {
    let (mut total, mut sum) = (0.0, 0.0);
    for cell in column {
        let weight = weight_of(cell, weights);
        total += weight;
        sum += weight * cell.score;
    }
    (total > 0.0).then(|| sum / total)
}
