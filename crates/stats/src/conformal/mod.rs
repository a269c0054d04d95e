//! Conformal prediction from people's labels: how far from a judge's score people's own may be, and
//! which verdicts people may give, with a coverage that holds whatever the judge is like.
//!
//! What is exchangeable is clusters, not rows: several judgments of one question say much the same.
//! The threshold of hierarchical conformal prediction (Lee, Barber and Willett 2023, "Distribution-
//! free inference with hierarchical data", section 3; Dunn, Wasserman and Ramdas 2022) gives each
//! cluster the same weight, shared by its rows.

mod line;
mod verdicts;

pub use line::{FittedLine, fit_line};
pub use verdicts::{VerdictChances, fit_verdicts};

use crate::checks::{check_level, check_number};
use crate::index::distinct;
use crate::{Error, Undefined};
use std::collections::BTreeMap;

/// How far one labelled row is from what was predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nonconformity {
    /// The cluster that it belongs to; any number.
    pub cluster: u32,
    /// The distance; the larger, the stranger.
    pub distance: f64,
}

/// The distance within which the label of a new row is, with the coverage that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConformalThreshold {
    /// The distance; None where the clusters are too few for any, so that every label is within it.
    pub distance: Option<f64>,
    /// How many clusters it rests on.
    pub clusters: usize,
    /// The fewest clusters for which there is a distance.
    pub least_clusters: usize,
}

/// Sums of weights are compared within this.
const ROUNDING: f64 = 1e-9;

/// The distance within which the label of a new row lies with chance at least `coverage`.
///
/// With K clusters, cluster k of n_k rows, it is the least d for which the rows within d weigh at
/// least `coverage`, each with weight 1 / ((K + 1) n_k); the weight 1 / (K + 1) of the new cluster
/// is beyond every distance. The promise is for a row drawn at random from a new cluster, on
/// average over clusters: it is marginal, and neither that of any one kind of row nor of rows that
/// are weighted by the size of their cluster. It needs that clusters are exchangeable, and nothing
/// of the distances, which may be tied.
///
/// # Errors
/// A `coverage` that is not strictly between 0 and 1; a distance that is NaN; no rows
/// ([`Undefined::NoData`]).
pub fn conformal_threshold(
    rows: &[Nonconformity],
    coverage: f64,
) -> Result<ConformalThreshold, Error> {
    check_level(coverage)?;
    for (number, row) in rows.iter().enumerate() {
        check_number(number, "distance", row.distance)?;
    }
    if rows.is_empty() {
        return Err(Undefined::NoData.into());
    }
    let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
    for row in rows {
        *sizes.entry(row.cluster).or_default() += 1;
    }
    let clusters = sizes.len();
    let mut sorted = rows.to_vec();
    sorted.sort_by(|x, y| x.distance.total_cmp(&y.distance));
    let wanted = coverage * (clusters + 1) as f64 - ROUNDING;
    let mut weight = 0.0;
    let reached = sorted.iter().find(|row| {
        weight += 1.0 / sizes[&row.cluster] as f64;
        weight >= wanted
    });
    Ok(ConformalThreshold {
        distance: reached.map(|row| row.distance),
        clusters,
        least_clusters: least_clusters(coverage),
    })
}

/// The fewest clusters for which there is a threshold: K / (K + 1) is at least the coverage, which
/// is from 0 to 1.
pub fn least_clusters(coverage: f64) -> usize {
    (coverage / (1.0 - coverage) - ROUNDING).ceil().max(1.0) as usize
}

/// Shares out clusters at random: `parts` numbers from 0, as evenly as possible, one for each
/// distinct cluster in ascending order.
pub fn deal_clusters(clusters: &[u32], parts: usize, seed: u64) -> BTreeMap<u32, usize> {
    let known = distinct(clusters.to_vec());
    let mut drawn = crate::draw_numbers(seed, 0, u32::MAX);
    let mut order: Vec<(u32, u32)> = known
        .iter()
        .map(|cluster| (drawn.next().unwrap_or(0), *cluster))
        .collect();
    order.sort_unstable();
    let dealt = order.into_iter().enumerate();
    dealt
        .map(|(place, (_, cluster))| (cluster, place % parts.max(1)))
        .collect()
}
