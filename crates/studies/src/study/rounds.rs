//! The mean and the interval of an agreement over rounds of drawing.

use super::agreement::Agreement;
use crate::Figure;
use crate::figure::mean;
use evenhand_stats::{Bootstrap, Error, Estimate, Undefined, percentile_interval};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// An agreement over many draws: the means of those that are defined, and the percentile intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Spread {
    /// Of Spearman's rho.
    pub rho: Figure,
    /// Of Kendall's tau-b.
    pub tau: Figure,
}

/// How often something is drawn, and how intervals are made of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    pub(super) count: usize,
    /// Coverage of the intervals.
    pub(super) level: f64,
    pub(super) seed: u64,
}

/// The agreement in one round, or why it is undefined there.
pub(super) type Drawn = Result<Agreement, Undefined>;

impl Rounds {
    pub(super) fn of_plan(plan: &Bootstrap) -> Rounds {
        Rounds {
            count: plan.rounds,
            level: plan.level,
            seed: plan.seed,
        }
    }

    /// Runs rounds 0, 1, ... and sums up; the result does not depend on the number of threads.
    ///
    /// # Errors
    /// What a round returns; a bad level.
    pub(super) fn spread(
        self,
        round: impl Fn(u64) -> Result<Drawn, Error> + Sync + Send,
    ) -> Result<Spread, Error> {
        let numbers: Vec<u64> = (0..self.count as u64).collect();
        let rounds = numbers.into_par_iter().map(round);
        let drawn: Vec<Drawn> = rounds.collect::<Result<_, _>>()?;
        Ok(Spread {
            rho: mean_figure(&estimates(&drawn, |one| one.rho), self.level)?,
            tau: mean_figure(&estimates(&drawn, |one| one.tau), self.level)?,
        })
    }
}

fn estimates(drawn: &[Drawn], of: fn(&Agreement) -> f64) -> Vec<Estimate> {
    let estimates = drawn.iter().map(|one| match one {
        Ok(one) => Estimate::Finite(of(one)),
        Err(why) => Estimate::Undefined(*why),
    });
    estimates.collect()
}

fn mean_figure(estimates: &[Estimate], level: f64) -> Result<Figure, Error> {
    let finite: Vec<f64> = estimates.iter().filter_map(|one| one.finite()).collect();
    if let Some(mean) = mean(&finite) {
        return Figure::new(Ok(mean), percentile_interval(estimates, level));
    }
    // The first reason stands for all.
    let why = estimates.iter().find_map(|estimate| match estimate {
        Estimate::Undefined(why) => Some(*why),
        _ => None,
    });
    Ok(Figure::undefined(
        why.unwrap_or(Undefined::NoData).to_string(),
    ))
}
