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
use evenhand_stats::inference::{InferenceError, JudgmentDrop, drop_leader};
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
        Evidence::Scores(data) => score_responses(data, method),
        Evidence::Games(games) => score_games(games, method),
        Evidence::Rated { scores, n } => {
            let scored = Scored::without_intervals(scores, n);
            Ok(with_drop(scored, None, method))
        }
    }
}

/// Scores of single responses are averaged, or compared with each other item by item.
fn score_responses(data: &ItemScores, method: &Method) -> Result<Scored, EngineError> {
    match method.aggregation.point_method() {
        Some(points) => score_by(&OfScores::new(data, points, method), method),
        None => score_implied(data, method),
    }
}

/// Scores by the comparisons that scores of single responses imply.
fn score_implied(data: &ItemScores, method: &Method) -> Result<Scored, EngineError> {
    let implied = data.to_comparisons()?;
    let mut scored = score_by(&OfComparisons::new(&implied, method)?, method)?;
    // What was judged is single responses, not the comparisons that their scores imply.
    scored.set_judgments(data.judgments());
    Ok(scored)
}

/// Ratings in the order of the games, or averaged over orders.
fn score_games(games: &Games, method: &Method) -> Result<Scored, EngineError> {
    if let Some(permutations) = method.permutations {
        let scored = games.rate_permuted(permutations, &method.plan)?;
        return Ok(with_drop(scored, None, method));
    }
    elo::check_ci(method.ci)?;
    score_by(games, method)
}

fn score_by(estimator: &dyn Estimator, method: &Method) -> Result<Scored, EngineError> {
    if let Some(compared) = estimator.compared() {
        weights::check_weights(compared.tally, method)?;
    }
    let mut scored = score_with_intervals(estimator, method)?;
    if let Some(errors) = estimator.standard_errors() {
        add_standard_errors(&mut scored, &errors);
    }
    Ok(with_drop(scored, estimator.compared(), method))
}

/// The one place that decides what each way to make intervals takes.
fn score_with_intervals(estimator: &dyn Estimator, method: &Method) -> Result<Scored, EngineError> {
    match method.ci {
        Ci::None => estimator.estimate(),
        Ci::Sandwich => score_with_sandwich(estimator, method),
        Ci::Bootstrap => {
            let resampled = estimator.resample(&method.plan)?;
            intervals::scored_by_rounds(&resampled, compare(estimator, &resampled, method))
        }
        Ci::Bca => score_with_bca(estimator, method),
    }
}

fn score_with_sandwich(estimator: &dyn Estimator, method: &Method) -> Result<Scored, EngineError> {
    let mut scored = estimator.estimate()?;
    refuse_prior_with_sandwich(method)?;
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

/// Compares all systems by the estimator's own contributions.
fn compare(
    estimator: &dyn Estimator,
    resampled: &Resampled,
    method: &Method,
) -> intervals::Compared {
    let low_is_good = method.aggregation.low_is_good();
    let estimates = higher_is_better(&resampled.point.estimates, low_is_good);
    intervals::compare_contributions(estimator.contributions(&estimates, &method.plan), method)
}

/// Scores of which the higher is better.
fn higher_is_better(estimates: &[Estimate], low_is_good: bool) -> Vec<Estimate> {
    let turned = |estimate: &Estimate| match estimate {
        Estimate::PlusInfinity => Estimate::MinusInfinity,
        Estimate::MinusInfinity => Estimate::PlusInfinity,
        other => other.map(|score| -score),
    };
    match low_is_good {
        true => estimates.iter().map(turned).collect(),
        false => estimates.to_vec(),
    }
}

fn score_with_bca(estimator: &dyn Estimator, method: &Method) -> Result<Scored, EngineError> {
    let resampled = estimator.resample(&method.plan)?;
    let mut scored =
        intervals::scored_by_rounds(&resampled, compare(estimator, &resampled, method))?;
    if !resampled.rounds.is_empty() {
        let accelerations = estimator.accelerations()?;
        intervals::correct_intervals(&mut scored, &resampled, &accelerations);
    }
    Ok(scored)
}

/// That the aggregation has a sandwich was checked with the settings.
fn refuse_prior_with_sandwich(method: &Method) -> Result<(), Refusal> {
    match method.prior {
        Some(_) => Err(refuse_prior(Ci::Sandwich)),
        None => Ok(()),
    }
}

/// A refusal of intervals that strengths with a prior have not.
pub(super) fn refuse_prior(refused: Ci) -> Refusal {
    let (prior, ci) = (Setting::Prior, Setting::Ci);
    let why = format!("it is for maximum likelihood; with {prior} use {ci} bootstrap");
    refuse_ci(refused, Cause::Conflict(prior), why)
}

/// Errors that are 0 are left out, as intervals are: data whose clusters all ended alike say
/// nothing of the uncertainty.
fn add_standard_errors(scored: &mut Scored, errors: &[Option<f64>]) {
    for (system, error) in scored.systems.iter_mut().zip(errors) {
        system.standard_error = error.filter(|error| *error > LEAST_ERROR);
    }
}

/// Below this, a standard error is 0 but for rounding.
const LEAST_ERROR: f64 = 1e-12;

/// Why nothing is said of the judgments that carry a leader.
const NO_DROP: &str = "it is known for bradley-terry without a prior only";

/// Adds how few judgments carry the leader, where the method asks for it.
fn with_drop(mut scored: Scored, compared: Option<Compared>, method: &Method) -> Scored {
    if method.drop {
        scored.drop = Some(find_drop(compared, &scored.estimates()));
    }
    scored
}

fn find_drop(compared: Option<Compared>, estimates: &[Estimate]) -> Result<JudgmentDrop, NoDrop> {
    match compared {
        Some(Compared {
            tally,
            method: PairMethod::BradleyTerry,
        }) => drop_leader(tally, estimates).map_err(NoDrop::Data),
        _ => Err(NoDrop::Method(NO_DROP)),
    }
}
