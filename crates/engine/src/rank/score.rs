//! From evidence to scores, intervals and rank intervals: the same for judgments just made and for
//! recorded ones.

mod apart;
mod elo;
mod uncertainty;

pub(crate) use uncertainty::{bare, by_covariance};

use crate::{Aggregation, EngineError};
use evenhand_stats::inference::{JudgmentDrop, PairDifference, drop_leader};
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Estimate, Fit, Game, Interval, ItemScores, PairMethod,
    PointMethod, Ranking, Resampled, Ridge, Scores, StrengthScale, Tally, resample_counts,
    resample_pairs, resample_scores, win_ratio_errors, win_ratio_errors_of_counts,
};

/// How intervals are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ci {
    /// Percentile bootstrap.
    Bootstrap,
    /// Bias-corrected and accelerated bootstrap.
    Bca,
    /// Robust covariance and the normal distribution.
    Sandwich,
    /// None.
    None,
}

impl Ci {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Ci::Bootstrap => "bootstrap",
            Ci::Bca => "bca",
            Ci::Sandwich => "sandwich",
            Ci::None => "none",
        }
    }
}

/// How p-values of many differences are adjusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjust {
    /// All together by the rounds of a bootstrap (max-t), and by Holm's method where there are
    /// none: the chance of any false difference.
    Joint,
    /// Holm (1979): the chance of any false difference.
    Holm,
    /// Benjamini and Hochberg (1995): the share of false ones among those found.
    BenjaminiHochberg,
    /// Not.
    None,
}

/// How scores are made of evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Method {
    pub(crate) aggregation: Aggregation,
    pub(crate) prior: Option<Ridge>,
    pub(crate) ci: Ci,
    pub(crate) cluster: Cluster,
    pub(crate) plan: Bootstrap,
    pub(crate) differences: bool,
    pub(crate) adjust: Adjust,
    pub(crate) drop: bool,
    /// Orders over which Elo ratings are averaged; None: the order given alone.
    pub(crate) permutations: Option<usize>,
}

/// What scores are made of.
#[derive(Clone, Debug)]
pub(crate) enum Evidence {
    /// Comparisons under their items.
    Comparisons(Comparisons),
    /// Counts of comparisons, each an item of its own.
    Counts(Tally),
    /// Scores of single responses.
    Scores(ItemScores),
    /// Comparisons in their order, each with its cluster.
    Games {
        systems: usize,
        games: Vec<Game>,
        clusters: Vec<u32>,
    },
    /// Scores in the order of comparisons that are not kept, and how many each rests on.
    Rated { scores: Scores, n: Vec<u64> },
}

/// What is known of one system.
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
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) systems: Vec<Standing>,
    pub(crate) components: Vec<Vec<usize>>,
    pub(crate) fit: Option<Fit>,
    pub(crate) unconverged_rounds: usize,
    /// Pairs of systems told apart by the rank intervals; None where those were not made.
    pub(crate) apart: Option<Vec<(usize, usize)>>,
    /// Resamples that rank intervals would have needed, where there were too few.
    pub(crate) rounds_needed: Option<usize>,
    pub(crate) differences: Vec<PairDifference>,
    /// Their p-values all together, where they were made of rounds, and the least that those can
    /// give.
    pub(crate) joint: Option<(Vec<Option<f64>>, f64)>,
    pub(crate) drop: Option<Result<JudgmentDrop, String>>,
}

impl Scored {
    /// Scores and intervals on another scale.
    pub(crate) fn on(mut self, scale: StrengthScale) -> Scored {
        let unit = scale.from_log_odds(1.0) - scale.from_log_odds(0.0);
        for system in &mut self.systems {
            system.estimate = system
                .estimate
                .map(|strength| scale.from_log_odds(strength));
            if let Some(Ok(interval)) = &mut system.interval {
                *interval = interval.map(|strength| scale.from_log_odds(strength));
            }
        }
        for difference in self
            .differences
            .iter_mut()
            .filter_map(|pair| pair.difference.as_mut().ok())
        {
            difference.difference *= unit;
            difference.standard_error = difference.standard_error.map(|error| error * unit);
            difference.interval = difference.interval.map(|end| end * unit);
        }
        self
    }
}

/// Scores by the method, with what uncertainty it says.
pub(crate) fn score(evidence: &Evidence, method: &Method) -> Result<Scored, EngineError> {
    let aggregation = method.aggregation;
    let pairs = || {
        aggregation
            .of_pairs(method.prior)
            .ok_or_else(|| mismatch(aggregation))
    };
    match evidence {
        Evidence::Comparisons(data) => compared(data, pairs()?, method),
        Evidence::Counts(tally) => counted(tally, pairs()?, method),
        Evidence::Scores(data) => match aggregation.of_points() {
            Some(points) => scored(data, points, method).map(|scored| without_drop(scored, method)),
            None => implied(data, pairs()?, method),
        },
        Evidence::Games {
            systems,
            games,
            clusters,
        } => elo::scored(*systems, games, clusters, method)
            .map(|scored| without_drop(scored, method)),
        Evidence::Rated { scores, n } => Ok(without_drop(uncertainty::bare(scores, n), method)),
    }
}

fn mismatch(aggregation: Aggregation) -> EngineError {
    let needs = if aggregation.needs_scores() {
        "scores of single responses, and these are comparisons"
    } else {
        "comparisons in their order"
    };
    EngineError::Setting(format!(
        "--aggregate {}: it needs {needs}",
        aggregation.name()
    ))
}

fn compared(data: &Comparisons, pairs: PairMethod, method: &Method) -> Result<Scored, EngineError> {
    apart::check_weights(&data.tally(), method)?;
    let resampled = resample_pairs(data, pairs, method.cluster, &rounds(method))?;
    let mut scored = match method.ci {
        Ci::Sandwich => uncertainty::sandwich_of_rows(data, &resampled, method)?,
        _ => uncertainty::of_rounds(&resampled, method)?,
    };
    if method.ci == Ci::Bca {
        uncertainty::correct(&mut scored, &resampled, method, || {
            uncertainty::accelerations_of_rows(data, pairs, method)
        })?;
    }
    if pairs == PairMethod::WinRatio {
        add_errors(&mut scored, win_ratio_errors(data, method.cluster));
    }
    Ok(with_drop(scored, &data.tally(), pairs, method))
}

fn counted(tally: &Tally, pairs: PairMethod, method: &Method) -> Result<Scored, EngineError> {
    apart::check_weights(tally, method)?;
    let mut scored = scored_of_counts(tally, pairs, method)?;
    // Without rounds nobody has looked for items: the comparisons of one would pass for independent
    // ones.
    if pairs == PairMethod::WinRatio && method.ci != Ci::None {
        add_errors(&mut scored, win_ratio_errors_of_counts(tally));
    }
    Ok(with_drop(scored, tally, pairs, method))
}

fn scored_of_counts(
    tally: &Tally,
    pairs: PairMethod,
    method: &Method,
) -> Result<Scored, EngineError> {
    if matches!(method.ci, Ci::Sandwich | Ci::None) {
        let point = pairs.scores(tally);
        let n: Vec<u64> = (0..tally.systems())
            .map(|i| tally.games_of(i) as u64)
            .collect();
        let mut scored = match method.ci {
            Ci::Sandwich => uncertainty::sandwich_of_counts(tally, &point, &n, method)?,
            _ => uncertainty::bare(&point, &n),
        };
        scored.components = tally.components();
        return Ok(scored);
    }
    let resampled = resample_counts(tally, pairs, &method.plan)?;
    let mut scored = uncertainty::of_rounds(&resampled, method)?;
    if method.ci == Ci::Bca {
        uncertainty::correct(&mut scored, &resampled, method, || {
            uncertainty::accelerations_of_counts(tally, pairs, method)
        })?;
    }
    Ok(scored)
}

/// Where all clusters ended alike there is none, as there is no interval: such data say nothing of
/// the uncertainty.
fn add_errors(scored: &mut Scored, errors: Vec<Option<f64>>) {
    let varies = |error: &f64| *error > 1e-12;
    scored
        .systems
        .iter_mut()
        .zip(errors)
        .for_each(|(system, error)| system.standard_error = error.filter(varies));
}

fn scored(data: &ItemScores, points: PointMethod, method: &Method) -> Result<Scored, EngineError> {
    let resampled = resample_scores(data, points, method.cluster, &rounds(method))?;
    let mut scored = uncertainty::of_rounds(&resampled, method)?;
    if method.ci == Ci::Bca {
        uncertainty::correct(&mut scored, &resampled, method, || {
            uncertainty::accelerations_of_scores(data, points)
        })?;
    }
    Ok(scored)
}

/// By the comparisons that scores of the same item imply. What was judged is single responses.
fn implied(data: &ItemScores, pairs: PairMethod, method: &Method) -> Result<Scored, EngineError> {
    let mut scored = compared(&data.to_comparisons()?, pairs, method)?;
    scored
        .systems
        .iter_mut()
        .zip(data.judgments())
        .for_each(|(system, judgments)| system.n = *judgments);
    Ok(scored)
}

/// The resampling: next to none where no rounds are looked at.
fn rounds(method: &Method) -> Bootstrap {
    let needed = matches!(method.ci, Ci::Bootstrap | Ci::Bca);
    Bootstrap {
        rounds: if needed { method.plan.rounds } else { 2 },
        ..method.plan
    }
}

fn with_drop(mut scored: Scored, tally: &Tally, pairs: PairMethod, method: &Method) -> Scored {
    let point: Vec<Estimate> = scored
        .systems
        .iter()
        .map(|system| system.estimate)
        .collect();
    scored.drop = method.drop.then(|| match pairs {
        PairMethod::BradleyTerry => drop_leader(tally, &point).map_err(|error| error.to_string()),
        _ => Err(NO_DROP.into()),
    });
    scored
}

/// Why nothing is said of the judgments that carry a leader.
const NO_DROP: &str = "it is known for bradley-terry without a prior only";

fn without_drop(scored: Scored, method: &Method) -> Scored {
    Scored {
        drop: method.drop.then(|| Err(NO_DROP.into())),
        ..scored
    }
}

/// What a ranking says, in our own terms.
fn standings(ranking: Ranking) -> Vec<Standing> {
    let standing = |ranked: evenhand_stats::Ranked| Standing {
        estimate: ranked.estimate,
        n: ranked.n,
        interval: Some(ranked.interval.map_err(|reason| reason.to_string())),
        rank: ranked.rank,
        rank_interval: ranked
            .rank_interval
            .ok()
            .map(|interval| [interval.low, interval.high]),
        standard_error: None,
    };
    ranking.systems.into_iter().map(standing).collect()
}

/// The scores in every round, higher better.
fn estimates_of_rounds(
    resampled: &Resampled,
    method: &Method,
) -> (Vec<Estimate>, Vec<Vec<Estimate>>) {
    let turned = |estimates: &[Estimate]| -> Vec<Estimate> {
        if method.aggregation.low_is_good() {
            estimates.iter().map(|&x| turned(x)).collect()
        } else {
            estimates.to_vec()
        }
    };
    (
        turned(&resampled.point.estimates),
        resampled
            .rounds
            .iter()
            .map(|round| turned(&round.estimates))
            .collect(),
    )
}

fn turned(estimate: Estimate) -> Estimate {
    match estimate {
        Estimate::PlusInfinity => Estimate::MinusInfinity,
        Estimate::MinusInfinity => Estimate::PlusInfinity,
        other => other.map(|score| -score),
    }
}
