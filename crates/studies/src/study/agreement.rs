//! How well scores agree with people's ratings of the same systems: on the data, over rounds of
//! drawing, and against the share of the inputs (Gao et al. 2025, appendix F, figures 11 to 13).

use super::cell::CellMethod;
use crate::Figure;
use crate::figure::mean;
use evenhand_stats::{
    Bootstrap, Correlation, Error, Estimate, Scores, Undefined, draw_clusters, percentile_interval,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Spearman's rho and Kendall's tau-b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Agreement {
    /// Spearman's rho.
    pub(super) rho: f64,
    /// Kendall's tau-b.
    pub(super) tau: f64,
}

/// Returns the agreement over the systems that have a rank and a rating. Ranks are compared, in
/// which rounding is no difference.
pub(super) fn agreement(scores: &Scores, ratings: &[Option<f64>]) -> Result<Agreement, Undefined> {
    // Ranks are turned so that the larger is better.
    let both = scores.ranks.iter().zip(ratings);
    let (ranks, ratings): (Vec<f64>, Vec<f64>) = both
        .filter_map(|(rank, rating)| Some((-f64::from((*rank)?), (*rating)?)))
        .unzip();
    let correlation = |which: Correlation| match which.correlate(&ranks, &ratings) {
        Ok(value) => Ok(value),
        Err(Error::Undefined(why)) => Err(why),
        Err(_) => Err(Undefined::NoData),
    };
    Ok(Agreement {
        rho: correlation(Correlation::Spearman)?,
        tau: correlation(Correlation::KendallTauB)?,
    })
}

/// An agreement over many draws: the means of those that are defined, and the percentile intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Spread {
    /// Of Spearman's rho.
    pub rho: Figure,
    /// Of Kendall's tau-b.
    pub tau: Figure,
    /// Spearman's rho in every round, to compare benchers of the same rounds by.
    #[serde(skip)]
    pub rho_rounds: Vec<Estimate>,
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
        let estimates = |of: fn(&Agreement) -> f64| -> Vec<Estimate> {
            let estimates = drawn.iter().map(|one| match one {
                Ok(one) => Estimate::Finite(of(one)),
                Err(why) => Estimate::Undefined(*why),
            });
            estimates.collect()
        };
        let rho_rounds = estimates(|one| one.rho);
        Ok(Spread {
            rho: mean_figure(&rho_rounds, self.level)?,
            tau: mean_figure(&estimates(|one| one.tau), self.level)?,
            rho_rounds,
        })
    }
}

fn mean_figure(estimates: &[Estimate], level: f64) -> Result<Figure, Error> {
    let finite: Vec<f64> = estimates.iter().filter_map(|one| one.finite()).collect();
    if let Some(mean) = mean(&finite) {
        // Draws that all come out alike show no spread, and so no interval.
        let is_one_value = finite.len() > 1 && finite.iter().all(|one| *one == finite[0]);
        let interval = match is_one_value {
            true => Err(Undefined::NoVariance.into()),
            false => percentile_interval(Estimate::Finite(mean), estimates, level),
        };
        return Figure::new(Ok(mean), interval);
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

/// Agreement where a share of the inputs is judged.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SharePoint {
    /// The share of the inputs, in (0, 1].
    pub share: f64,
    /// How many inputs that is, at least 1.
    pub items: usize,
    /// How many inputs there are.
    pub of: usize,
    /// The fewest systems with a rank and a rating in any draw: a draw of few inputs may leave
    /// systems without a rank, and rho over those that are left is of an easier question.
    pub systems: usize,
    /// Over draws of so many inputs with replacement, those that rank all systems.
    #[serde(flatten)]
    pub spread: Spread,
}

/// Returns a point for each share.
///
/// # Errors
/// A bad level.
pub(super) fn share_curve(
    method: CellMethod<'_>,
    ratings: &[Option<f64>],
    shares: &[f64],
    rounds: Rounds,
) -> Result<Vec<SharePoint>, Error> {
    let of = method.item_count();
    let count_ranked = |scores: &Scores| {
        let both = scores.ranks.iter().zip(ratings);
        both.filter(|(rank, rating)| rank.is_some() && rating.is_some())
            .count()
    };
    let all = count_ranked(&method.weighted_scores(&vec![1.0; of])?);
    let mut curve = Vec::new();
    for share in shares {
        let items = ((share * of as f64).round() as usize).clamp(1, of.max(1));
        let systems = AtomicUsize::new(all);
        let spread = rounds.spread(|round| {
            // A stream of its own for each round; a smaller share sees the beginning of the same
            // draw.
            let mut weights = vec![0.0; of];
            for item in draw_clusters(rounds.seed, round, of as u32).take(items) {
                weights[item as usize] += 1.0;
            }
            let scores = method.weighted_scores(&weights)?;
            let ranked = count_ranked(&scores);
            systems.fetch_min(ranked, Ordering::Relaxed);
            if ranked < all {
                return Ok(Err(Undefined::NoRank));
            }
            Ok(agreement(&scores, ratings))
        })?;
        curve.push(SharePoint {
            share: *share,
            items,
            of,
            systems: systems.into_inner(),
            spread,
        });
    }
    Ok(curve)
}
