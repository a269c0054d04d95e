//! The mean and the interval of an agreement over rounds of drawing.

use super::agreement::Agreement;
use crate::Figure;
use evenhand_stats::{Error, Estimate, Undefined, percentile_interval};
use rayon::prelude::*;
use serde::Serialize;

/// An agreement over many draws: the means of those that are defined, and the percentile intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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

impl Rounds {
    /// Runs rounds 0, 1, ... and sums up; the result does not depend on the number of threads.
    ///
    /// # Errors
    /// What a round returns; a bad level.
    pub(super) fn spread(
        self,
        round: impl Fn(u64) -> Result<Result<Agreement, Undefined>, Error> + Sync + Send,
    ) -> Result<Spread, Error> {
        let numbers: Vec<u64> = (0..self.count as u64).collect();
        let all: Vec<Result<Agreement, Undefined>> = numbers
            .into_par_iter()
            .map(round)
            .collect::<Result<_, _>>()?;
        Ok(Spread {
            rho: mean_figure(&all, self.level, |one| one.rho)?,
            tau: mean_figure(&all, self.level, |one| one.tau)?,
        })
    }
}

fn mean_figure(
    all: &[Result<Agreement, Undefined>],
    level: f64,
    of: impl Fn(&Agreement) -> f64,
) -> Result<Figure, Error> {
    let estimates: Vec<Estimate> = all
        .iter()
        .map(|one| match one {
            Ok(one) => Estimate::Finite(of(one)),
            Err(why) => Estimate::Undefined(*why),
        })
        .collect();
    let finite: Vec<f64> = estimates
        .iter()
        .filter_map(|estimate| estimate.finite())
        .collect();
    if finite.is_empty() {
        let why = all.iter().find_map(|one| one.err());
        return Ok(Figure::undefined(
            why.unwrap_or(Undefined::NoData).to_string(),
        ));
    }
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    Figure::new(Ok(mean), percentile_interval(&estimates, level))
}
