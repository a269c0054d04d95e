//! What agreement costs (Gao et al. 2025, appendix E, figures 9 and 10): the best bencher at every
//! price.

use super::StudyRow;
use super::agreement::SharePoint;
use crate::Figure;
use evenhand_core::in_order;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

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
    /// The systems that it ranks on all inputs.
    pub(super) systems: usize,
    pub(super) curve: &'a [SharePoint],
}

/// The systems that the benchers of an input set are compared over, and which benchers are left
/// out: systems without a rank drop out of rho, and fewer are easier to order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedSystems {
    /// The input set.
    pub input: String,
    /// The systems, by their names in the ratings: the most that several of its benchers rank on
    /// all inputs; the most that one ranks, where no two rank the same.
    pub systems: BTreeSet<String>,
    /// The rows of the study that rank other systems: they are not compared with the others.
    pub left_out: Vec<usize>,
    /// How many shares of the inputs are left out of those that are compared, because a draw of so
    /// many inputs leaves a system without a rank.
    pub shares_left_out: usize,
}

/// Returns the systems that are compared, for each input set in the order of its first bencher.
pub(super) fn compared_systems(
    rows: &[StudyRow],
    shares: &[Vec<SharePoint>],
) -> Vec<ComparedSystems> {
    let ranked = |row: &StudyRow| -> BTreeSet<String> {
        let systems = row.bencher.systems.iter();
        systems.map(|system| system.rated_as.clone()).collect()
    };
    let mut found = Vec::new();
    for input in in_order(rows.iter().map(|row| row.input.as_str())) {
        let own = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.input == input);
        let own: Vec<(usize, BTreeSet<String>)> = own.map(|(at, row)| (at, ranked(row))).collect();
        let mut counts: BTreeMap<&BTreeSet<String>, usize> = BTreeMap::new();
        for (_, systems) in &own {
            *counts.entry(systems).or_default() += 1;
        }
        let most = counts
            .iter()
            .max_by_key(|(systems, benchers)| (systems.len(), **benchers));
        let Some((systems, _)) = most else { continue };
        let systems = (*systems).clone();
        let (alike, others): (Vec<_>, Vec<_>) =
            own.iter().partition(|(_, ranked)| *ranked == systems);
        let points = alike.iter().filter_map(|(at, _)| shares.get(*at)).flatten();
        found.push(ComparedSystems {
            input: input.to_owned(),
            left_out: others.into_iter().map(|(at, _)| *at).collect(),
            shares_left_out: points
                .filter(|point| !point.ranks_all(systems.len()))
                .count(),
            systems,
        });
    }
    found
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
    /// The systems that are ranked in every draw: the same ones for all points of the input set.
    pub systems: usize,
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

impl SharePoint {
    /// Whether it can be compared with others over so many systems: each draw ranks them all, or it
    /// is of all inputs, which do.
    fn ranks_all(&self, systems: usize) -> bool {
        self.systems >= systems || self.items == self.of
    }
}

/// Returns every bencher at every share that ranks all of its systems, at the price of the inputs
/// that it takes, which are a whole number of them.
pub(super) fn all_points<'a>(benchers: impl Iterator<Item = &'a Priced<'a>>) -> Vec<FrontierPoint> {
    let mut points = Vec::new();
    for bencher in benchers {
        let curve = bencher.curve.iter();
        let whole = curve.filter(|point| point.ranks_all(bencher.systems));
        points.extend(whole.map(|point| {
            let share = point.items as f64 / point.of.max(1) as f64;
            FrontierPoint {
                row: bencher.row,
                input: bencher.input.to_string(),
                cost: bencher.cost * share,
                share,
                items: point.items,
                of: point.of,
                systems: bencher.systems,
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
    use crate::bencher::{BencherRow, SystemRow};
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
            systems: 14,
            spread: Spread {
                rho: figure(rho),
                tau: figure(rho),
                rho_rounds: Vec::new(),
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
                systems: 14,
                curve: &cheap,
            },
            Priced {
                row: 1,
                input: "x",
                cost: 10.0,
                systems: 14,
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

    /// A draw of few inputs that leaves systems without a rank has a high rho on those that are
    /// left.
    #[test]
    fn shares_that_lose_systems_are_no_points() {
        let few = SharePoint {
            systems: 9,
            ..point(0.1, 0.93)
        };
        let curve = [few, point(1.0, 0.24)];
        let bencher = Priced {
            row: 0,
            input: "x",
            cost: 1.0,
            systems: 14,
            curve: &curve,
        };
        let found = frontier(&[bencher]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].share, found[0].systems), (1.0, 14));
    }

    /// Of three benchers two rank the same systems; the third, which ranks fewer, is left out.
    #[test]
    fn benchers_are_compared_over_the_systems_that_they_share() {
        let row = |input: &str, systems: &[&str]| {
            let systems = systems.iter().map(|name| SystemRow {
                system: name.to_string(),
                rated_as: name.to_string(),
                score: None,
                ci: None,
                rating: None,
                rating_ci: None,
            });
            StudyRow {
                input: input.into(),
                bencher: BencherRow {
                    systems: systems.collect(),
                    ..BencherRow::default()
                },
                ..StudyRow::default()
            }
        };
        let rows = [
            row("x", &["a", "b", "c"]),
            row("x", &["a", "b"]),
            row("y", &["a", "b"]),
            row("x", &["a", "b", "c"]),
        ];
        let found = compared_systems(&rows, &[]);
        assert_eq!(found[0].left_out, [1]);
        assert_eq!(found[0].systems.len(), 3);
        assert!(found[1].left_out.is_empty());
        // One that ranks most is not left out for two that rank less.
        let rows = [rows[0].clone(), rows[1].clone(), rows[1].clone()];
        assert_eq!(compared_systems(&rows, &[])[0].left_out, [1, 2]);
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
                systems: 14,
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
