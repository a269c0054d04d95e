//! What agreement costs (Gao et al. 2025, appendix E, figures 9 and 10): the best bencher at every
//! price.

use super::agreement::SharePoint;
use crate::Figure;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What is counted as cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CostUnit {
    /// US dollars, of the benchers that have a price.
    Usd,
    /// Tokens, of prompts and replies: where no judge has a price.
    #[default]
    Tokens,
}

/// A bencher with its cost on all inputs, and its agreement on shares of them.
#[derive(Clone, Debug)]
pub(super) struct Priced<'a> {
    /// Which row of the study it is.
    pub(super) row: usize,
    pub(super) input: &'a str,
    pub(super) cost: f64,
    pub(super) curve: &'a [SharePoint],
}

/// A bencher that no cheaper one of the same input set matches.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrontierPoint {
    /// Which row of the study it is.
    pub row: usize,
    /// The input set.
    pub input: String,
    /// Cost of judging these inputs: that of all inputs, times items / of.
    pub cost: f64,
    /// The share of the inputs that is judged: items / of, in (0, 1].
    pub share: f64,
    /// How many inputs that is.
    pub items: usize,
    /// How many inputs there are.
    pub of: usize,
    /// The mean of rho over draws of so many inputs, with its interval.
    pub rho: Figure,
    /// The mean of tau-b, likewise.
    pub tau: Figure,
}

impl FrontierPoint {
    /// Returns the mean of rho, below every other where it is undefined.
    pub(super) fn mean_rho(&self) -> f64 {
        self.rho.value.unwrap_or(f64::NEG_INFINITY)
    }

    /// Orders by cost, one that is not known last; then by mean, the better one first.
    pub(super) fn cheaper_first(&self, other: &FrontierPoint) -> Ordering {
        self.cost
            .total_cmp(&other.cost)
            .then(other.mean_rho().total_cmp(&self.mean_rho()))
            .then(self.row.cmp(&other.row))
    }
}

/// Returns for each input set, in ascending order of cost, the points that agree better, on
/// average, than all that cost less.
pub(super) fn frontier(benchers: &[Priced<'_>]) -> Vec<FrontierPoint> {
    let inputs: BTreeSet<&str> = benchers.iter().map(|bencher| bencher.input).collect();
    let mut found = Vec::new();
    for input in inputs {
        let mut points = all_points(benchers.iter().filter(|bencher| bencher.input == input));
        points.sort_by(FrontierPoint::cheaper_first);
        let mut best = f64::NEG_INFINITY;
        points.retain(|point| {
            let is_better = point.mean_rho() > best;
            best = best.max(point.mean_rho());
            is_better
        });
        found.extend(points);
    }
    found
}

/// Returns every bencher at every share, at the price of the inputs that it takes, which are a
/// whole number of them.
pub(super) fn all_points<'a>(benchers: impl Iterator<Item = &'a Priced<'a>>) -> Vec<FrontierPoint> {
    let mut points = Vec::new();
    for bencher in benchers {
        points.extend(bencher.curve.iter().map(|point| {
            let share = point.items as f64 / point.of.max(1) as f64;
            FrontierPoint {
                row: bencher.row,
                input: bencher.input.to_string(),
                cost: bencher.cost * share,
                share,
                items: point.items,
                of: point.of,
                rho: point.spread.rho.clone(),
                tau: point.spread.tau.clone(),
            }
        }));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::agreement::Spread;

    fn point(share: f64, rho: f64) -> SharePoint {
        let figure = |value| Figure {
            value: Some(value),
            ..Figure::default()
        };
        SharePoint {
            share,
            items: (10.0 * share) as usize,
            of: 10,
            spread: Spread {
                rho: figure(rho),
                tau: figure(rho),
            },
        }
    }

    #[test]
    fn only_what_no_cheaper_one_matches_is_on_the_frontier() {
        let (cheap, dear) = (
            [point(0.5, 0.4), point(1.0, 0.6)],
            [point(0.1, 0.5), point(1.0, 0.9)],
        );
        let benchers = [
            Priced {
                row: 0,
                input: "x",
                cost: 1.0,
                curve: &cheap,
            },
            Priced {
                row: 1,
                input: "x",
                cost: 10.0,
                curve: &dear,
            },
        ];
        // At 1 dollar all inputs of the cheap one beat a tenth of the dear one's.
        let found: Vec<(usize, f64)> = frontier(&benchers)
            .iter()
            .map(|point| (point.row, point.cost))
            .collect();
        assert_eq!(found, [(0, 0.5), (0, 1.0), (1, 10.0)]);
    }

    #[test]
    fn a_share_costs_what_the_inputs_cost_that_are_asked() {
        // 2, 3 and 4 % of 30 inputs are one input.
        let curve = [0.02, 0.03, 0.04].map(|share| SharePoint {
            items: 1,
            of: 30,
            ..point(share, 0.5)
        });
        let found = all_points(
            [Priced {
                row: 0,
                input: "x",
                cost: 3.0,
                curve: &curve,
            }]
            .iter(),
        );
        assert!(
            found.iter().all(|point| (point.cost - 0.1).abs() < 1e-12),
            "{found:?}"
        );
    }
}
