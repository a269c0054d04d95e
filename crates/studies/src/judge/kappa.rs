//! Cohen's kappa over clusters of pairs.

use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{
    Bootstrap, Confusion, Disagreement, Error, Estimate, Undefined, cohen_kappa,
    percentile_interval, resample,
};
use std::collections::BTreeMap;

/// How often which two sides met, row by row.
type SideTable = [f64; 9];

/// The sides that met in each cluster.
#[derive(Default)]
pub(super) struct KappaTables(BTreeMap<u32, SideTable>);

impl KappaTables {
    pub(super) fn add(&mut self, cluster: u32, sides: &[(Side, Side)]) {
        let table = self.0.entry(cluster).or_default();
        for (x, y) in sides {
            table[cell_of(*x, *y)] += 1.0;
        }
    }

    /// Returns kappa over all clusters, and its interval.
    pub(super) fn figure(self, plan: &Bootstrap) -> Result<Figure, Error> {
        let tables: Vec<SideTable> = self.0.into_values().collect();
        let round = |weights: &[f64]| kappa_estimate(weighted_kappa(&tables, |at| weights[at]));
        let rounds = resample(tables.len(), plan, round);
        let interval = rounds.and_then(|rounds| percentile_interval(&rounds, plan.level));
        Figure::new(weighted_kappa(&tables, |_| 1.0), interval)
    }
}

fn kappa_estimate(kappa: Result<f64, Error>) -> Estimate {
    match kappa {
        Ok(kappa) => Estimate::Finite(kappa),
        Err(Error::Undefined(reason)) => Estimate::Undefined(reason),
        Err(_) => Estimate::Undefined(Undefined::NoData),
    }
}

fn cell_of(row: Side, column: Side) -> usize {
    3 * category_of(row) + category_of(column)
}

fn category_of(side: Side) -> usize {
    match side {
        Side::First => 0,
        Side::Tie => 1,
        Side::Second => 2,
    }
}

fn weighted_kappa(tables: &[SideTable], weight: impl Fn(usize) -> f64) -> Result<f64, Error> {
    let counts = weighted_counts(tables, weight);
    Ok(cohen_kappa(&Confusion::new(3, counts)?, Disagreement::Any)?.value)
}

fn weighted_counts(tables: &[SideTable], weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut counts = vec![0.0; 9];
    for (at, table) in tables.iter().enumerate() {
        for (count, more) in counts.iter_mut().zip(table) {
            *count += weight(at) * more;
        }
    }
    counts
}
