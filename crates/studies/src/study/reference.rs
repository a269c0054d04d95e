//! Every system as the reference: how good the bencher is that compares all others with it alone
//! (Gao et al. 2025, appendix D, figures 4 to 6).

use super::agreement::{Agreement, Rounds, agreement};
use super::cell::with_reference;
use crate::Figure;
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Correlation, Error, PairMethod, Undefined,
    correlation_interval, draw_numbers,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A bencher with one of its systems as the reference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct References {
    /// One for each reference that has a rating.
    pub points: Vec<ReferencePoint>,
    /// Spearman's rho between the references' ratings and the agreement (rho) that they give; below
    /// 0 where strong references are bad ones. Its interval is over references.
    pub trend: Figure,
}

/// Benchers that differ in their reference alone.
#[derive(Clone, Copy)]
pub(super) struct ReferenceStudy<'a> {
    pub(super) pairs: &'a Comparisons,
    pub(super) method: PairMethod,
    pub(super) systems: &'a [String],
    pub(super) ratings: &'a [Option<f64>],
    pub(super) plan: &'a Bootstrap,
}

impl ReferenceStudy<'_> {
    /// Returns a point for each wanted system that has a rating.
    ///
    /// # Errors
    /// A bad level.
    pub(super) fn references(self, is_wanted: impl Fn(&str) -> bool) -> Result<References, Error> {
        let mut points = Vec::new();
        for (at, system) in self.systems.iter().enumerate() {
            if let Some(rating) = self.ratings[at]
                && is_wanted(system)
            {
                points.push(self.point(at, rating)?);
            }
        }
        points.sort_by(|x, y| x.rating.total_cmp(&y.rating));

        let (ratings, rhos): (Vec<f64>, Vec<f64>) = points
            .iter()
            .filter_map(|point| Some((point.rating, point.rho.value?)))
            .unzip();
        let trend = Correlation::Spearman;
        let interval = correlation_interval(&ratings, &rhos, trend, self.plan);
        Ok(References {
            trend: Figure::new(trend.correlate(&ratings, &rhos), interval)?,
            points,
        })
    }

    fn point(self, reference: usize, rating: f64) -> Result<ReferencePoint, Error> {
        let pairs = with_reference(self.pairs, reference)?;
        // Over items that are drawn with replacement.
        let items = pairs.clusters(Cluster::Item);
        let spread = Rounds::of_plan(self.plan).spread(|round| {
            let mut weights = vec![0.0; items];
            for item in draw_numbers(self.plan.seed, round, items as u32).take(items) {
                weights[item as usize] += 1.0;
            }
            let tally = pairs.weighted_tally(Cluster::Item, &weights)?;
            Ok(agreement(&self.method.scores(&tally), self.ratings))
        })?;
        let whole = agreement(&self.method.scores(&pairs.tally()), self.ratings);
        Ok(ReferencePoint {
            system: self.systems[reference].clone(),
            rating,
            comparisons: pairs.rows().len() as u64,
            rho: figure_at(whole, |one| one.rho, spread.rho),
            tau: figure_at(whole, |one| one.tau, spread.tau),
        })
    }
}

/// Returns the value on the data, with the interval of the resamples.
fn figure_at(
    whole: Result<Agreement, Undefined>,
    of: fn(&Agreement) -> f64,
    resampled: Figure,
) -> Figure {
    match whole {
        Ok(whole) => Figure {
            value: Some(of(&whole)),
            ..resampled
        },
        Err(why) => Figure::undefined(Error::from(why).to_string()),
    }
}
