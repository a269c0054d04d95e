//! Shares over units, with intervals over items.

use super::LabelledUnit;
use crate::Figure;
use evenhand_stats::{Bootstrap, Error};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// A figure, and how many it rests on.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct CountedFigure {
    /// The figure; undefined with a note where there is nothing to count.
    pub figure: Figure,
    /// How many pairs of labels, labels or units it counts.
    pub n: usize,
}

/// A sum over what is counted, and how many that are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ratio {
    sum: f64,
    count: usize,
}

impl Ratio {
    /// Nothing that counts.
    pub(super) const NOTHING: Ratio = Ratio { sum: 0.0, count: 0 };

    pub(super) fn new(sum: f64, count: usize) -> Ratio {
        Ratio { sum, count }
    }

    fn add(&mut self, other: Ratio) {
        self.sum += other.sum;
        self.count += other.count;
    }
}

/// Returns the ratio of two sums over units, with an interval over their items.
pub(super) fn share_over(
    units: &[&LabelledUnit],
    plan: &Bootstrap,
    of_unit: impl Fn(&LabelledUnit) -> Ratio,
) -> Result<CountedFigure, Error> {
    let ratios = units.iter().map(|unit| (unit.cluster, of_unit(unit)));
    share_of_clusters(ratios, plan)
}

/// Returns the ratio of two sums over clusters, some of which come several times.
pub(super) fn share_of_clusters(
    ratios: impl Iterator<Item = (u32, Ratio)>,
    plan: &Bootstrap,
) -> Result<CountedFigure, Error> {
    let mut sums: BTreeMap<u32, Ratio> = BTreeMap::new();
    for (cluster, ratio) in ratios {
        sums.entry(cluster).or_default().add(ratio);
    }
    let sums: Vec<Ratio> = sums.into_values().collect();
    let rows: Vec<(f64, f64)> = sums.iter().map(|r| (r.sum, r.count as f64)).collect();
    Ok(CountedFigure {
        figure: Figure::of_clusters(&rows, plan)?,
        n: sums.iter().map(|ratio| ratio.count).sum(),
    })
}
