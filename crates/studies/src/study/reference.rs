//! Every system as the reference: how good the bencher is that compares all others with it alone
//! (Gao et al. 2024, appendix D, figures 4 to 6).

use super::agreement::agreement;
use super::cell::with_reference;
use super::rounds::{Spread, spread};
use crate::Figure;
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Correlation, Error, PairMethod, correlation_interval,
    draw_numbers,
};
use serde::Serialize;

/// A bencher with one of its systems as the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReferencePoint {
    /// The reference.
    pub system: String,
    /// Its rating.
    pub rating: f64,
    /// Comparisons with it.
    pub comparisons: u64,
    /// Of the ranking on all inputs.
    pub rho: Figure,
    /// See `rho`.
    pub tau: Figure,
}

/// All of them, in ascending order of rating; and how the reference's rating goes with the
/// agreement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct References {
    /// One for each reference that has a rating.
    pub points: Vec<ReferencePoint>,
    /// Spearman's rho between the references' ratings and the agreement (rho) that they give; below
    /// 0 where strong references are bad ones. Its interval is over references.
    pub trend: Figure,
}

/// # Errors
/// A bad level.
pub(super) fn references(
    pairs: &Comparisons,
    method: PairMethod,
    (systems, ratings): (&[String], &[Option<f64>]),
    wanted: impl Fn(&str) -> bool,
    plan: &Bootstrap,
) -> Result<References, Error> {
    let mut points = Vec::new();
    for (at, (system, rating)) in systems.iter().zip(ratings).enumerate() {
        let Some(rating) = rating.filter(|_| wanted(system)) else {
            continue;
        };
        let with = with_reference(pairs, at)?;
        let found = resampled(&with, method, ratings, plan)?;
        let point = agreement(&method.scores(&with.tally()), ratings);
        let value = |of: fn(&super::agreement::Agreement) -> f64| {
            point.as_ref().map(of).map_err(|why| Error::from(*why))
        };
        points.push(ReferencePoint {
            system: system.clone(),
            rating,
            comparisons: with.rows().len() as u64,
            rho: at_point(value(|one| one.rho), found.rho),
            tau: at_point(value(|one| one.tau), found.tau),
        });
    }
    points.sort_by(|x, y| x.rating.total_cmp(&y.rating));
    Ok(References {
        trend: trend(&points, plan)?,
        points,
    })
}

/// The value on the data, with the interval of the resamples.
fn at_point(value: Result<f64, Error>, spread: Figure) -> Figure {
    match value {
        Ok(value) => Figure {
            value: Some(value),
            ..spread
        },
        Err(why) => Figure::undefined(why.to_string()),
    }
}

fn resampled(
    pairs: &Comparisons,
    method: PairMethod,
    ratings: &[Option<f64>],
    plan: &Bootstrap,
) -> Result<Spread, Error> {
    let items = pairs.clusters(Cluster::Item);
    spread(plan.rounds, plan.level, |round| {
        let mut weights = vec![0.0; items];
        draw_numbers(plan.seed, round, items as u32)
            .take(items)
            .for_each(|item| weights[item as usize] += 1.0);
        Ok(agreement(
            &method.scores(&pairs.weighted_tally(Cluster::Item, &weights)?),
            ratings,
        ))
    })
}

fn trend(points: &[ReferencePoint], plan: &Bootstrap) -> Result<Figure, Error> {
    let both = points
        .iter()
        .filter_map(|point| Some((point.rating, point.rho.value?)));
    let (ratings, rhos): (Vec<f64>, Vec<f64>) = both.unzip();
    let value = Correlation::Spearman.correlate(&ratings, &rhos);
    Figure::new(
        value,
        correlation_interval(&ratings, &rhos, Correlation::Spearman, plan),
    )
}
