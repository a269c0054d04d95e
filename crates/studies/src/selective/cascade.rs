//! Two judges: the second decides what the first is not sure of, which costs less than asking it
//! about everything.

use super::{Case, SelectOptions, cases_of, half_of, share_of, threshold_by};
use crate::figure::mean;
use crate::judge::JudgedPairs;
use evenhand_stats::Error;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A second judge that decides what the first is not sure of. Shares are means over random halves
/// of the pairs that the threshold was not chosen by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Cascade {
    /// The second judge.
    pub judge: String,
    /// Pairs that both judged.
    pub pairs: usize,
    /// The share that the first gets right alone, on these.
    pub first: f64,
    /// The share that the second gets right alone.
    pub second: f64,
    /// The share that both get right together, by the threshold that keeps the promise.
    pub together: f64,
    /// The share of pairs that the second judge was then asked.
    pub escalated: f64,
    /// By the threshold that asks the second judge least, of those that are as right together as it
    /// is alone.
    pub equal: Equal,
    /// What judging costs; None where the costs of verdicts are not known.
    pub cost: Option<CascadeCost>,
}

/// As right as the second judge alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Equal {
    /// The share that both get right together, on pairs that the threshold was not chosen by.
    pub together: f64,
    /// The share of them that the second judge was asked.
    pub escalated: f64,
}

/// The cost of a pair, in the unit of the costs of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CascadeCost {
    /// By the second judge alone.
    pub second: f64,
    /// By both, with the promise.
    pub together: f64,
    /// By both, as right as the second alone.
    pub equal: f64,
}

impl Cascade {
    /// Tries the second judge behind these verdicts of the first.
    pub(super) fn of(
        cases: &[Case],
        second: &JudgedPairs,
        options: &SelectOptions,
    ) -> Result<Cascade, Error> {
        let pairs = with_second(cases, second);
        // Shares by the threshold that keeps the promise, and by that which asks least: how often
        // both are right together, and how often the second is asked.
        let mut shares: [[Vec<f64>; 2]; 2] = Default::default();
        for round in 0..options.splits {
            let (by, on) = half_of(&pairs, |pair| pair.first.cluster, options.seed, round);
            if by.is_empty() || on.is_empty() {
                continue;
            }
            let firsts: Vec<Case> = by.iter().map(|pair| pair.first.clone()).collect();
            let promised = threshold_by(&firsts, options)?;
            let promised = promised.map_or(f64::INFINITY, |found| found.confidence);
            for (limit, [together, escalated]) in
                [promised, equal_limit(&by)].into_iter().zip(&mut shares)
            {
                together.extend(share_of(&on, |pair| pair.is_right(limit)));
                escalated.extend(share_of(&on, |pair| pair.is_escalated(limit)));
            }
        }
        let [[together, escalated], equal] =
            shares.map(|shares| shares.map(|shares| mean(&shares).unwrap_or(0.0)));
        Ok(Cascade {
            judge: second.judge.clone(),
            pairs: pairs.len(),
            first: share_of(&pairs, |pair| pair.first.right).unwrap_or(0.0),
            second: share_of(&pairs, |pair| pair.second_right).unwrap_or(0.0),
            together,
            escalated,
            equal: Equal {
                together: equal[0],
                escalated: equal[1],
            },
            cost: options.costs.map(|[first, second]| CascadeCost {
                second,
                together: first + escalated * second,
                equal: first + equal[1] * second,
            }),
        })
    }
}

/// The lowest threshold by which both are as right as the second alone; infinite where none is, and
/// the second is always asked.
fn equal_limit(pairs: &[Escalated]) -> f64 {
    let alone = pairs.iter().filter(|pair| pair.second_right).count();
    let mut surest: Vec<&Escalated> = pairs.iter().collect();
    surest.sort_by(|x, y| y.first.confidence.total_cmp(&x.first.confidence));
    let (mut right, mut limit) = (alone, f64::INFINITY);
    for level in surest.chunk_by(|x, y| x.first.confidence == y.first.confidence) {
        right += level.iter().filter(|pair| pair.first.right).count();
        right -= level.iter().filter(|pair| pair.second_right).count();
        if right >= alone {
            limit = level[0].first.confidence;
        }
    }
    limit
}

/// A pair that both judged.
#[derive(Clone)]
struct Escalated {
    first: Case,
    second_right: bool,
}

impl Escalated {
    /// Whether the second judge is asked, where the first is trusted from `limit` on.
    fn is_escalated(&self, limit: f64) -> bool {
        self.first.confidence < limit
    }

    fn is_right(&self, limit: f64) -> bool {
        match self.is_escalated(limit) {
            true => self.second_right,
            false => self.first.right,
        }
    }
}

/// The pairs that both judged, in the order of their names.
fn with_second(cases: &[Case], second: &JudgedPairs) -> Vec<Escalated> {
    let seconds = cases_of(second).into_iter();
    let seconds: BTreeMap<_, _> = seconds.map(|case| (case.pair, case.right)).collect();
    let both = cases.iter().filter_map(|first| {
        Some(Escalated {
            first: first.clone(),
            second_right: *seconds.get(&first.pair)?,
        })
    });
    let mut pairs: Vec<Escalated> = both.collect();
    pairs.sort_by(|a, b| a.first.pair.cmp(&b.first.pair));
    pairs
}
