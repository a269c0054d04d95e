//! From evidence to scores, intervals and rank intervals, for judgments just made and for recorded
//! ones alike.

mod elo;
mod estimator;
mod estimators;
mod intervals;
mod weights;

pub(crate) use elo::{Games, game_of_comparison};
pub(crate) use intervals::{
    add_covariance_intervals, compare_contributions, scored_by_rounds_alone,
};

use crate::method::{Ci, Method, refuse_ci};
use crate::scored::{NoDrop, Scored};
use estimator::{Compared, Estimator};
use estimators::{OfComparisons, OfCounts, OfScores};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::inference::{InferenceError, drop_leader};
use evenhand_stats::{
    Comparisons, Error, Estimate, ItemScores, PairMethod, Resampled, Scores, Tally,
};

/// The data that scores are made of.
#[derive(Clone, Debug)]
pub(crate) enum Evidence {
    /// Comparisons under their items.
    Comparisons(Comparisons),
    /// Counts of comparisons, each an item of its own.
    Counts(Tally),
    /// Scores of single responses.
    Scores(ItemScores),
    /// Comparisons in their order, each with its cluster.
    Games(Games),
    /// Scores in the order of comparisons that are not kept, and how many each rests on.
    Rated { scores: Scores, n: Vec<u64> },
}

/// Makes scores by the method, with what uncertainty it asks for.
pub(crate) fn score(evidence: &Evidence, method: &Method) -> Result<Scored, EngineError> {
    match evidence {
        Evidence::Comparisons(data) => score_by(&OfComparisons::new(data, method)?, method),
        Evidence::Counts(tally) => score_by(&OfCounts::new(tally, method)?, method),
        // Scores of single responses are averaged, or compared with each other item by item.
        Evidence::Scores(data) => match method.aggregation.point_method() {
            Some(points) => score_by(&OfScores::new(data, points, method), method),
            None => {
                let implied = data.to_comparisons()?;
                let mut scored = score_by(&OfComparisons::new(&implied, method)?, method)?;
                // What was judged is single responses, not the comparisons that they imply.
                scored.set_judgments(data.judgments());
                Ok(scored)
            }
        },
        // Ratings in the order of the games, or averaged over orders.
        Evidence::Games(games) => match method.permutations {
            Some(permutations) => {
                let scored = games.rate_permuted(permutations, &method.plan)?;
                Ok(with_drop(scored, None, method))
            }
            None => {
                elo::check_ci(method.ci)?;
                score_by(games, method)
            }
        },
        Evidence::Rated { scores, n } => {
            let scored = Scored::without_intervals(scores, n);
            Ok(with_drop(scored, None, method))
        }
    }
}

/// The one place that decides what each way to make intervals takes.
fn score_by(estimator: &dyn Estimator, method: &Method) -> Result<Scored, EngineError> {
    if let Some(compared) = estimator.compared() {
        weights::check_weights(compared.tally, method)?;
    }
    let mut scored = match method.ci {
        Ci::None => estimator.estimate()?,
        Ci::Sandwich => score_with_sandwich(estimator, method)?,
        Ci::Bootstrap | Ci::Bca => {
            let resampled = estimator.resample(&method.plan)?;
            let compared = compare(estimator, &resampled, method);
            let mut scored = intervals::scored_by_rounds(&resampled, compared)?;
            if method.ci == Ci::Bca && !resampled.rounds.is_empty() {
                let accelerations = estimator.accelerations()?;
                intervals::correct_intervals(&mut scored, &resampled, &accelerations);
            }
            scored
        }
    };
    // Errors that are 0 are left out, as intervals are: data whose clusters all ended alike say
    // nothing of the uncertainty.
    if let Some(errors) = estimator.standard_errors() {
        for (system, error) in scored.systems.iter_mut().zip(errors) {
            system.standard_error = error.filter(|error| *error > LEAST_ERROR);
        }
    }
    Ok(with_drop(scored, estimator.compared(), method))
}

fn score_with_sandwich(estimator: &dyn Estimator, method: &Method) -> Result<Scored, EngineError> {
    let mut scored = estimator.estimate()?;
    // That the aggregation has a sandwich was checked with the settings.
    if method.prior.is_some() {
        return Err(refuse_prior(Ci::Sandwich).into());
    }
    let estimates = scored.estimates();
    let compared = match estimator.contributions(&estimates, &method.plan) {
        // Weights that are no whole numbers of comparisons cannot be dealt to groups.
        Err(InferenceError::Input(Error::Value { .. })) => None,
        contributions => Some(intervals::compare_contributions(contributions, method)),
    };
    add_covariance_intervals(
        &mut scored,
        estimator.covariance(&estimates),
        compared,
        method,
    )?;
    Ok(scored)
}

/// Compares all systems by the estimator's own contributions, to scores of which the higher is
/// better.
fn compare(
    estimator: &dyn Estimator,
    resampled: &Resampled,
    method: &Method,
) -> intervals::Compared {
    let mut estimates = resampled.point.estimates.clone();
    if method.aggregation.low_is_good() {
        for estimate in &mut estimates {
            *estimate = match *estimate {
                Estimate::PlusInfinity => Estimate::MinusInfinity,
                Estimate::MinusInfinity => Estimate::PlusInfinity,
                other => other.map(|score| -score),
            };
        }
    }
    intervals::compare_contributions(estimator.contributions(&estimates, &method.plan), method)
}

/// A refusal of intervals that strengths with a prior have not.
pub(super) fn refuse_prior(refused: Ci) -> Refusal {
    let (prior, ci) = (Setting::Prior, Setting::Ci);
    let why = format!("it is for maximum likelihood; with {prior} use {ci} bootstrap");
    refuse_ci(refused, Cause::Conflict(prior), why)
}

/// Below this, a standard error is 0 but for rounding.
const LEAST_ERROR: f64 = 1e-12;

/// Why nothing is said of the judgments that carry a leader.
const NO_DROP: &str = "it is known for bradley-terry without a prior only";

/// Adds how few judgments carry the leader, where the method asks for it.
fn with_drop(mut scored: Scored, compared: Option<Compared>, method: &Method) -> Scored {
    if method.drop {
        scored.drop = Some(match compared {
            Some(Compared {
                tally,
                method: PairMethod::BradleyTerry,
            }) => drop_leader(tally, &scored.estimates()).map_err(NoDrop::Data),
            _ => Err(NoDrop::Method(NO_DROP)),
        });
    }
    scored
}
