//! The weighted mean.

use super::weight_of;
use crate::data::Cell;
use crate::linear;

/// The mean of the cells, each counted as often as its cluster's weight says; None if nothing
/// counts.
pub(super) fn weighted_mean(column: &[Cell], weights: &[f64]) -> Option<f64> {
    let cells = column
        .iter()
        .map(|cell| (weight_of(cell, weights), cell.score));
    linear::weighted_mean(cells)
}
