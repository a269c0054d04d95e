//! From evidence to scores, intervals and rank intervals, for judgments just made and for recorded
//! ones alike.

mod elo;
mod estimators;
mod intervals;

pub(crate) use elo::Games;
pub(crate) use intervals::{
    add_covariance_intervals, compare_contributions, scored_by_rounds_alone,
};

use crate::Aggregation;
use crate::method::{Ci, Method, refuse_aggregation, refuse_ci};
use estimators::{OfComparisons, OfCounts, OfScores};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::inference::{
    Contributions, Covariance, InferenceError, JointComparison, JudgmentDrop, PairDifference,
    drop_leader,
};
use evenhand_stats::{
    Bootstrap, Comparisons, Error, Estimate, Fit, Interval, ItemScores, PairMethod, Resampled,
    Scores, StrengthScale, Tally, competition_ranks,
};

/// One system's score, and how far it can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) estimate: Estimate,
    pub(crate) n: u64,
    /// None where no intervals were asked for; else the interval, or why there is none.
    pub(crate) interval: Option<Result<Interval, String>>,
    pub(crate) rank: Option<u32>,
    pub(crate) rank_interval: Option<[u32; 2]>,
    /// Of a share of comparisons won.
    pub(crate) standard_error: Option<f64>,
}

/// Scores with all that is said of them, in log-odds where the aggregation gives those.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scored {
    pub(crate) systems: Vec<Standing>,
    pub(crate) components: Vec<Vec<usize>>,
    pub(crate) fit: Option<Fit>,
    pub(crate) unconverged_rounds: usize,
    /// The clusters that intervals rest on; None where there are no intervals.
    pub(crate) clusters: Option<usize>,
    /// Which systems are apart; None where that was not asked, or cannot be said.
    pub(crate) joint: Option<JointComparison>,
    /// Why it cannot be said.
    pub(crate) no_ranks: Option<InferenceError>,
    /// Every pair by itself, where asked for.
    pub(crate) differences: Vec<PairDifference>,
    pub(crate) drop: Option<Result<JudgmentDrop, NoDrop>>,
}

/// Why it is not known which judgments carry the leader.
#[derive(Clone, Debug)]
pub(crate) enum NoDrop {
    /// The method has no answer.
    Method(&'static str),
    /// The data have none.
    Data(InferenceError),
}

impl Scored {
    /// Returns the scores without any interval; `n` has the judgments of each system.
    pub(crate) fn without_intervals(point: &Scores, n: &[u64]) -> Scored {
        let scores = point.estimates.iter().zip(&point.ranks).zip(n);
        let systems = scores.map(|((estimate, rank), n)| Standing {
            estimate: *estimate,
            n: *n,
            interval: None,
            rank: *rank,
            rank_interval: None,
            standard_error: None,
        });
        Scored {
            systems: systems.collect(),
            fit: point.fit,
            ..Scored::default()
        }
    }

    /// Returns the estimates, in the order of the systems.
    pub(crate) fn estimates(&self) -> Vec<Estimate> {
        self.systems.iter().map(|system| system.estimate).collect()
    }

    /// Replaces how many judgments each system rests on.
    pub(crate) fn set_judgments(&mut self, judgments: &[u64]) {
        for (system, n) in self.systems.iter_mut().zip(judgments) {
            system.n = *n;
        }
    }

    /// Returns the system numbers in rank order; those without a rank last, the infinitely good
    /// first among them and the undefined last.
    pub(crate) fn rank_order(&self) -> Vec<usize> {
        let mut order = Vec::from_iter(0..self.systems.len());
        order.sort_by_key(|system| {
            let standing = &self.systems[*system];
            let without_rank = match standing.estimate {
                Estimate::PlusInfinity => 0,
                Estimate::Finite(_) => 1,
                Estimate::MinusInfinity => 2,
                Estimate::Undefined(_) => 3,
            };
            (standing.rank.unwrap_or(u32::MAX), without_rank)
        });
        order
    }

    /// Returns the same of scores that lie between two bounds: intervals end there, and those of
    /// differences at the distance of the two.
    pub(crate) fn within(mut self, [least, most]: [f64; 2]) -> Scored {
        for system in &mut self.systems {
            if let (Some(Ok(interval)), Some(point)) =
                (&mut system.interval, system.estimate.finite())
            {
                *interval = interval.within([least, most], point);
            }
        }
        let furthest = most - least;
        for pair in &mut self.differences {
            if let (Some(interval), Ok(point)) = (&mut pair.interval, &pair.difference) {
                *interval = interval.within([-furthest, furthest], *point);
            }
        }
        self
    }

    /// Returns scores, intervals and differences on another scale.
    pub(crate) fn on_scale(mut self, scale: StrengthScale) -> Scored {
        let convert = |strength| scale.from_log_odds(strength);
        for system in &mut self.systems {
            system.estimate = system.estimate.map(convert);
            if let Some(Ok(interval)) = &mut system.interval {
                *interval = interval.map(convert);
            }
        }
        // Differences have no origin: the unit alone matters.
        let unit = scale.from_log_odds(1.0) - scale.from_log_odds(0.0);
        for pair in &mut self.differences {
            pair.difference = pair.difference.clone().map(|difference| difference * unit);
            pair.interval = pair.interval.map(|interval| interval.map(|end| end * unit));
        }
        self
    }
}

/// An interval that was made without resamples.
pub(crate) fn exact_interval(low: f64, high: f64, level: f64) -> Interval {
    Interval {
        low: Some(low),
        high: Some(high),
        level,
        rounds: 0,
        infinite: 0,
        undefined: 0,
    }
}

/// Ranks estimates; those that differ by less than the resolution share a rank.
pub(crate) fn scores_of_estimates(estimates: Vec<Estimate>, n: &[u64], resolution: f64) -> Scores {
    Scores {
        ranks: competition_ranks(&estimates, resolution),
        estimates,
        weight: n.iter().map(|&n| n as f64).collect(),
        resolution,
        fit: None,
    }
}

/// Counts how often each of so many systems is named.
pub(crate) fn count_systems(systems: usize, named: impl Iterator<Item = u16>) -> Vec<u64> {
    let mut counts = vec![0; systems];
    for system in named {
        counts[usize::from(system)] += 1;
    }
    counts
}

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

/// An estimator with the evidence that it is applied to.
trait Estimator {
    /// Returns the scores without intervals.
    fn estimate(&self) -> Result<Scored, EngineError>;

    /// Returns the scores on the data and on every resample of them.
    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError>;

    /// Returns how skewed each system's score is, for corrected intervals; None where the data do
    /// not say.
    fn accelerations(&self) -> Result<Vec<Option<f64>>, EngineError>;

    /// Returns what each cluster adds to the differences of these scores, of which the higher is
    /// better.
    fn contributions(
        &self,
        estimates: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError>;

    /// Returns the robust covariance of strengths. Settings that would ask it of another estimator
    /// are refused before.
    fn covariance(&self, _strengths: &[Estimate]) -> Result<Covariance, InferenceError> {
        Err(InferenceError::Singular)
    }

    /// Returns the standard errors of shares of comparisons won; None for other scores.
    fn standard_errors(&self) -> Option<Vec<Option<f64>>> {
        None
    }

    /// Returns who was compared with whom, and how that is estimated; None where the evidence is
    /// no comparisons.
    fn compared(&self) -> Option<Compared<'_>> {
        None
    }
}

/// Counts of comparisons and their estimator.
struct Compared<'a> {
    tally: &'a Tally,
    method: PairMethod,
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
        Evidence::Games(games) => match method.rank.permutations {
            Some(permutations) => {
                let scored = games.rate_permuted(permutations, &method.rank.bootstrap)?;
                Ok(with_drop(scored, None, method))
            }
            None => {
                elo::check_ci(method.rank.ci)?;
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
        check_weights(compared.tally, method)?;
    }
    let mut scored = match method.rank.ci {
        Ci::None => estimator.estimate()?,
        Ci::Sandwich => score_with_sandwich(estimator, method)?,
        Ci::Bootstrap | Ci::Bca => {
            let resampled = estimator.resample(&method.rank.bootstrap)?;
            let compared = compare(estimator, &resampled, method);
            let mut scored = intervals::scored_by_rounds(&resampled, compared)?;
            if method.rank.ci == Ci::Bca && !resampled.rounds.is_empty() {
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
    let compared = match estimator.contributions(&estimates, &method.rank.bootstrap) {
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
    intervals::compare_contributions(
        estimator.contributions(&estimates, &method.rank.bootstrap),
        method,
    )
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
    if method.rank.drop {
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

/// How many times as much as the lightest pair, or the prior, the heaviest pair may weigh.
///
/// A fit adds both up with 16 digits. Strengths are right to 1e-12 log-odds up to a factor of 1e14,
/// and all 0 from 1e17 on.
const MOST_APART: f64 = 1e12;

/// Refuses comparisons that a fit of strengths could get wrong without a sign of it.
///
/// # Errors
/// A pair that weighs more than [`MOST_APART`] times as much as another or the prior, by an
/// aggregation that fits strengths.
fn check_weights(tally: &Tally, method: &Method) -> Result<(), Refusal> {
    use Aggregation::{BradleyTerry, Davidson, RaoKupper};
    if !matches!(method.aggregation, BradleyTerry | Davidson | RaoKupper) {
        return Ok(());
    }
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for (i, j) in (0..tally.systems()).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let weight = tally.games(i, j);
        if weight > 0.0 {
            least = least.min(weight);
            most = most.max(weight);
        }
    }
    let prior = method.prior.map_or(f64::INFINITY, |prior| prior.weight());
    if most <= least.min(prior) * MOST_APART {
        return Ok(());
    }
    let light = if prior < least {
        format!("the prior {prior}")
    } else {
        format!("those of another {least}")
    };
    let reason = format!(
        "the comparisons of one pair of systems weigh {most:e} in all, and {light}; strengths can \
         be told where the one is at most {MOST_APART:e} times the other. Bring the weights closer \
         together, or use {} win-ratio",
        Setting::Aggregate
    );
    Err(refuse_aggregation(method.aggregation, Cause::Data, reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tally of a path of systems: weights of ten to these powers, and log-odds of each pair.
    fn path(pairs: &[(f64, f64)]) -> Tally {
        let mut tally = Tally::new(pairs.len() + 1).unwrap();
        for (at, (power, odds)) in pairs.iter().enumerate() {
            let (weight, chance) = (10f64.powf(*power), 1.0 / (1.0 + (-odds).exp()));
            tally
                .add(at, at + 1, weight * chance, 0.0, weight * (1.0 - chance))
                .unwrap();
        }
        tally
    }

    proptest! {
        /// On a path each difference is the log-odds of its own pair, whatever the others weigh.
        #[test]
        fn weights_that_are_not_refused_have_the_right_strengths(
            pairs in proptest::collection::vec((0.0..12.0f64, -3.0..3.0f64), 2..6),
        ) {
            let tally = path(&pairs);
            for aggregation in [Aggregation::BradleyTerry, Aggregation::Davidson, Aggregation::RaoKupper] {
                let scores = aggregation.pair_method(None).unwrap().scores(&tally);
                let found: Vec<f64> = scores.estimates.iter().map(|estimate| estimate.finite().unwrap()).collect();
                for (two, (_, odds)) in found.windows(2).zip(&pairs) {
                    prop_assert!((two[0] - two[1] - odds).abs() < 1e-6, "{aggregation:?} {found:?}");
                }
            }
        }
    }
}
