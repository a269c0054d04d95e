//! The weighted mean.

use super::weight_of;
use crate::data::Cell;

/// The mean of the cells, each counted as often as its cluster's weight says; None if nothing
/// counts.
pub(super) fn weighted(column: &[Cell], weights: &[f64]) -> Option<f64> {
    let terms = column
        .iter()
        .map(|cell| (weight_of(cell, weights), cell.score));
    let (total, sum) = terms.fold((0.0, 0.0), |(total, sum), (weight, score)| {
        (total + weight, sum + weight * score)
    });
    (total > 0.0).then(|| sum / total)
}
