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

/// Runs rounds 0, 1, ... and sums up, the same for any number of threads.
///
/// # Errors
/// What a round returns; a bad level.
pub(super) fn spread(
    rounds: usize,
    level: f64,
    round: impl Fn(u64) -> Result<Result<Agreement, Undefined>, Error> + Sync + Send,
) -> Result<Spread, Error> {
    let numbers: Vec<u64> = (0..rounds as u64).collect();
    let all: Vec<Result<Agreement, Undefined>> = numbers
        .into_par_iter()
        .map(round)
        .collect::<Result<_, _>>()?;
    Ok(Spread {
        rho: figure(&all, level, |one| one.rho)?,
        tau: figure(&all, level, |one| one.tau)?,
    })
}

fn figure(
    all: &[Result<Agreement, Undefined>],
    level: f64,
    of: impl Fn(&Agreement) -> f64,
) -> Result<Figure, Error> {
    let estimates: Vec<Estimate> = all
        .iter()
        .map(|one| {
            one.as_ref().map_or_else(
                |why| Estimate::Undefined(*why),
                |one| Estimate::Finite(of(one)),
            )
        })
        .collect();
    let finite: Vec<f64> = estimates
        .iter()
        .filter_map(|estimate| estimate.finite())
        .collect();
    if finite.is_empty() {
        let why = all
            .iter()
            .find_map(|one| one.as_ref().err())
            .copied()
            .unwrap_or(Undefined::NoData);
        return Ok(Figure::undefined(why.to_string()));
    }
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    Figure::new(Ok(mean), percentile_interval(&estimates, level))
}
