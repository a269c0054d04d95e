//! The line that turns a judge's scores into people's.

use crate::checks::{check_lengths, check_numbers};
use crate::linear::weighted_mean;
use crate::{Error, Undefined};
use std::collections::BTreeMap;

/// A straight line from a judge's score to people's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedLine {
    /// People's score where the judge's is 0.
    pub intercept: f64,
    /// How much people's rises with 1 point of the judge's.
    pub slope: f64,
}

impl FittedLine {
    /// People's score, as far as the judge's tells it.
    pub fn at(&self, score: f64) -> f64 {
        self.intercept + self.slope * score
    }
}

/// Fits people's scores to the judge's by least squares, each cluster with the same weight, shared
/// by its rows. Where the judge's scores do not vary the line is level.
///
/// # Errors
/// Columns of different lengths, numbers that are not finite or too large, no rows
/// ([`Undefined::NoData`]).
pub fn fit_line(clusters: &[u32], judge: &[f64], people: &[f64]) -> Result<FittedLine, Error> {
    check_lengths(clusters.len(), judge.len())?;
    check_lengths(clusters.len(), people.len())?;
    check_numbers("judge", judge)?;
    check_numbers("people", people)?;
    let mut sizes: BTreeMap<u32, f64> = BTreeMap::new();
    for cluster in clusters {
        *sizes.entry(*cluster).or_default() += 1.0;
    }
    let weights: Vec<f64> = clusters.iter().map(|one| 1.0 / sizes[one]).collect();
    let mean = |values: &[f64]| {
        let terms = weights.iter().copied().zip(values.iter().copied());
        weighted_mean(terms).ok_or(Undefined::NoData)
    };
    let (x, y) = (mean(judge)?, mean(people)?);
    let (mut squares, mut products) = (0.0, 0.0);
    for ((score, label), weight) in judge.iter().zip(people).zip(&weights) {
        squares += weight * (score - x).powi(2);
        products += weight * (score - x) * (label - y);
    }
    let slope = match squares > 0.0 {
        true => products / squares,
        false => 0.0,
    };
    Ok(FittedLine {
        intercept: y - slope * x,
        slope,
    })
}
