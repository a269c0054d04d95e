//! The whole way from judgments to scores, intervals and ranks.

use crate::bootstrap::{Population, percentiles, rank_percentiles, rounds};
use crate::data::Sheet;
use crate::pairwise::{Refit, bradley_terry_again, bradley_terry_ridge_again};
use crate::{
    Bootstrap, Cluster, Comparisons, Error, Estimate, Fit, Interval, ItemScores, PairMethod,
    PointMethod, RankInterval, Scores, StrengthScale, Tally, Undefined, graph, resample,
};

/// What is known of one system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its score.
    pub estimate: Estimate,
    /// Number of judgments it rests on.
    pub n: u64,
    /// Bootstrap interval of the score, or why there is none.
    pub interval: Result<Interval, Undefined>,
    /// Rank from 1 (best), equals sharing the better one; None where the data do not determine it.
    pub rank: Option<u32>,
    /// Bootstrap interval of the rank, or why there is none.
    pub rank_interval: Result<RankInterval, Undefined>,
}

/// The ranking of k systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// One entry for each system, in order of system number.
    pub systems: Vec<Ranked>,
    /// Number of clusters that were resampled.
    pub clusters: usize,
    /// Groups of systems linked by comparisons; empty for scores of single responses.
    pub components: Vec<Vec<usize>>,
    /// How the fit of the scores ended; None for an estimator in closed form.
    pub fit: Option<Fit>,
    /// Rounds whose fit did not converge; their scores are in the intervals all the same.
    pub unconverged_rounds: usize,
}

impl Ranking {
    /// A ranking in log-odds ([`PairMethod::BradleyTerry`]) with scores and intervals on another
    /// scale.
    pub fn on_scale(mut self, scale: StrengthScale) -> Ranking {
        for system in &mut self.systems {
            system.estimate = system
                .estimate
                .map(|strength| scale.from_log_odds(strength));
            system.interval = system
                .interval
                .map(|ends| ends.map(|strength| scale.from_log_odds(strength)));
        }
        self
    }
}

/// Ranks systems by comparisons, with bootstrap intervals over `cluster`.
///
/// Every round is scored on the origin of the point estimate ([`crate::bradley_terry_near`]), so
/// that a system which won everything in some round does not shift the others. Below 2 clusters, of
/// all or of a system, intervals are undefined and scores are given all the same.
///
/// # Errors
/// A level, a number of rounds, or threads that cannot be used.
pub fn rank_pairs(
    data: &Comparisons,
    method: PairMethod,
    cluster: Cluster,
    plan: &Bootstrap,
) -> Result<Ranking, Error> {
    Ok(resample_pairs(data, method, cluster, plan)?.ranking())
}

/// Ranks systems by counts of comparisons, each of weight 1, with bootstrap intervals over single
/// comparisons: the cost of a round grows with the pairs that met, and not with the comparisons.
/// See [`rank_pairs`].
///
/// # Errors
/// A count that is not whole; a level, a number of rounds, or threads that cannot be used.
pub fn rank_counts(tally: &Tally, method: PairMethod, plan: &Bootstrap) -> Result<Ranking, Error> {
    Ok(resample_counts(tally, method, plan)?.ranking())
}

/// Ranks systems by scores of single responses, with bootstrap intervals over `cluster`; see
/// [`rank_pairs`].
///
/// # Errors
/// A level, a number of rounds, or threads that cannot be used.
pub fn rank_scores(
    data: &ItemScores,
    method: PointMethod,
    cluster: Cluster,
    plan: &Bootstrap,
) -> Result<Ranking, Error> {
    Ok(resample_scores(data, method, cluster, plan)?.ranking())
}

/// The rounds that [`rank_pairs`] is made of.
///
/// # Errors
/// As there.
pub fn resample_pairs(
    data: &Comparisons,
    method: PairMethod,
    cluster: Cluster,
    plan: &Bootstrap,
) -> Result<Resampled, Error> {
    let clusters_of = data.clusters_of_systems(cluster);
    of_population(
        &data.tally(),
        Population::of_rows(data, cluster),
        method,
        plan,
        data.judgments(),
        clusters_of,
    )
}

/// The rounds that [`rank_counts`] is made of.
///
/// # Errors
/// As there.
pub fn resample_counts(
    tally: &Tally,
    method: PairMethod,
    plan: &Bootstrap,
) -> Result<Resampled, Error> {
    let n: Vec<u64> = (0..tally.systems())
        .map(|i| tally.games_of(i) as u64)
        .collect();
    let clusters_of = n
        .iter()
        .map(|&n| usize::try_from(n).unwrap_or(usize::MAX))
        .collect();
    of_population(
        tally,
        Population::of_counts(tally)?,
        method,
        plan,
        n,
        clusters_of,
    )
}

/// The rounds that [`rank_scores`] is made of.
///
/// # Errors
/// As there.
pub fn resample_scores(
    data: &ItemScores,
    method: PointMethod,
    cluster: Cluster,
    plan: &Bootstrap,
) -> Result<Resampled, Error> {
    let point = method.scores(data);
    let (clusters, columns) = (data.clusters(cluster), data.columns(cluster));
    let round = |weights: &[f64]| method.weighted(&columns, weights);
    let rounds = unless_too_few(resample(clusters, plan, round))?;
    let constant = Some(data.constant_systems());
    let n = data.judgments().to_vec();
    let (clusters_of, components) = (data.clusters_of_systems(), Vec::new());
    Ok(Resampled {
        point,
        rounds,
        level: plan.level,
        clusters,
        components,
        n,
        clusters_of,
        constant,
    })
}

fn of_population(
    tally: &Tally,
    population: Population,
    method: PairMethod,
    plan: &Bootstrap,
    n: Vec<u64>,
    clusters_of: Vec<usize>,
) -> Result<Resampled, Error> {
    let (point, clusters) = (method.scores(tally), population.clusters());
    let components = graph::components(tally.systems(), |i, j| tally.games(i, j) > 0.0);
    let rounds = unless_too_few(pair_rounds(tally, &population, method, &point, plan))?;
    Ok(Resampled {
        point,
        rounds,
        level: plan.level,
        clusters,
        components,
        n,
        clusters_of,
        constant: None,
    })
}

fn pair_rounds(
    tally: &Tally,
    population: &Population,
    method: PairMethod,
    point: &Scores,
    plan: &Bootstrap,
) -> Result<Vec<Scores>, Error> {
    let again = Again::new(tally, population, method, point);
    let scratch = || (Vec::new(), Sheet::new(&population.pairs));
    rounds(
        population.clusters(),
        plan,
        scratch,
        |(weights, sheet), number| {
            population.draw(plan.seed, number, weights, sheet);
            again.scores(sheet)
        },
    )
}

/// How resamples are scored.
struct Again<'a> {
    method: PairMethod,
    point: &'a Scores,
    refit: Option<Refit>,
}

impl<'a> Again<'a> {
    fn new(
        tally: &Tally,
        population: &Population,
        method: PairMethod,
        point: &'a Scores,
    ) -> Again<'a> {
        let refit = |ridge| Refit::new(&population.pairs.sheet(tally), &point.estimates, ridge);
        let refit = match method {
            PairMethod::BradleyTerry => refit(0.0),
            PairMethod::BradleyTerryRidge(prior) => refit(prior.weight()),
            _ => None,
        };
        Again {
            method,
            point,
            refit,
        }
    }

    fn scores(&self, sheet: &Sheet) -> Scores {
        match self.method {
            PairMethod::BradleyTerry => {
                bradley_terry_again(self.refit.as_ref(), sheet, &self.point.estimates)
            }
            PairMethod::BradleyTerryRidge(prior) => {
                bradley_terry_ridge_again(self.refit.as_ref(), sheet, prior)
            }
            other => other.scores_near(&sheet.tally(), self.point),
        }
    }
}

/// No rounds where there are too few clusters: the intervals will say so, and the scores stand.
fn unless_too_few(rounds: Result<Vec<Scores>, Error>) -> Result<Vec<Scores>, Error> {
    match rounds {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
        other => other,
    }
}

/// The scores of k systems on the data and on every resample of them.
#[derive(Clone, Debug)]
pub struct Resampled {
    /// On the data.
    pub point: Scores,
    /// On each resample, in order; empty where there are fewer than 2 clusters. What a score rests
    /// on is not kept.
    pub rounds: Vec<Scores>,
    /// Coverage aimed at.
    pub level: f64,
    /// Number of clusters that were resampled.
    pub clusters: usize,
    /// Groups of systems linked by comparisons; empty for scores of single responses.
    pub components: Vec<Vec<usize>>,
    n: Vec<u64>,
    clusters_of: Vec<usize>,
    /// Whether each system's data are all the same, if that can be told from the data.
    constant: Option<Vec<bool>>,
}

impl Resampled {
    /// From scores and rounds that were computed elsewhere, those of an estimator that needs more
    /// than a tally.
    ///
    /// `n` is the number of judgments and `clusters_of` the number of clusters that each of the k
    /// systems is in; `clusters` were resampled at coverage `level`.
    ///
    /// # Errors
    /// A bad level; a list, or a round, without one entry for each system.
    pub fn new(
        point: Scores,
        rounds: Vec<Scores>,
        level: f64,
        clusters: usize,
        n: Vec<u64>,
        clusters_of: Vec<usize>,
    ) -> Result<Resampled, Error> {
        crate::bootstrap::check_level(level)?;
        let first = point.estimates.len();
        let lengths = rounds
            .iter()
            .map(|round| round.estimates.len())
            .chain([n.len(), clusters_of.len()]);
        if let Some(second) = lengths.into_iter().find(|&length| length != first) {
            return Err(Error::Lengths { first, second });
        }
        Ok(Resampled {
            point,
            rounds,
            level,
            clusters,
            components: Vec::new(),
            n,
            clusters_of,
            constant: None,
        })
    }

    /// The same, where it is known of each of the k systems whether its data are all the same.
    /// Otherwise that is taken from the rounds, where a score that no round changed, such as a
    /// median, could be one of data that vary.
    ///
    /// # Errors
    /// A list without one entry for each system.
    pub fn with_constant(self, constant: Vec<bool>) -> Result<Resampled, Error> {
        crate::checks::check_lengths(self.n.len(), constant.len())?;
        Ok(Resampled {
            constant: Some(constant),
            ..self
        })
    }

    /// Percentile intervals of scores and ranks.
    pub fn ranking(&self) -> Ranking {
        let unconverged = |round: &&Scores| round.fit.is_some_and(|fit| !fit.converged);
        Ranking {
            systems: (0..self.n.len())
                .map(|system| self.ranked(system, self.level))
                .collect(),
            clusters: self.clusters,
            components: self.components.clone(),
            fit: self.point.fit,
            unconverged_rounds: self.rounds.iter().filter(unconverged).count(),
        }
    }

    fn ranked(&self, system: usize, level: f64) -> Ranked {
        Ranked {
            estimate: self.point.estimates[system],
            n: self.n[system],
            interval: self.interval(system, level),
            rank: self.point.ranks[system],
            rank_interval: self.rank_interval(system, level),
        }
    }

    fn interval(&self, system: usize, level: f64) -> Result<Interval, Undefined> {
        if let Estimate::Undefined(reason) = self.point.estimates[system] {
            return Err(reason);
        }
        self.check_clusters(system)?;
        let rounds: Vec<Estimate> = self
            .rounds
            .iter()
            .map(|round| round.estimates[system])
            .collect();
        let constant = self
            .constant
            .as_ref()
            .map_or_else(|| all_same(&rounds, self.point.resolution), |c| c[system]);
        if constant {
            return Err(Undefined::NoVariance);
        }
        percentiles(&rounds, level)
    }

    fn rank_interval(&self, system: usize, level: f64) -> Result<RankInterval, Undefined> {
        if self.point.ranks[system].is_none() {
            return Err(Undefined::NoRank);
        }
        // Resamples of data that do not vary all give this rank, and would make it look certain.
        if self.interval(system, level) == Err(Undefined::NoVariance) {
            return Err(Undefined::NoVariance);
        }
        self.check_clusters(system)?;
        let rounds: Vec<Option<u32>> = self
            .rounds
            .iter()
            .map(|round| round.ranks[system])
            .collect();
        let ranked = self
            .point
            .estimates
            .iter()
            .filter(|estimate| !matches!(estimate, Estimate::Undefined(_)))
            .count();
        rank_percentiles(&rounds, ranked, level)
    }

    fn check_clusters(&self, system: usize) -> Result<(), Undefined> {
        let clusters = self.clusters_of[system];
        if clusters < 2 {
            Err(Undefined::TooFewClusters { clusters })
        } else {
            Ok(())
        }
    }
}

/// Whether every round gave the same score, up to rounding, or the same infinity.
fn all_same(rounds: &[Estimate], resolution: f64) -> bool {
    let Some(first) = rounds.first() else {
        return false;
    };
    rounds.iter().all(|round| match (first, round) {
        (Estimate::Finite(first), Estimate::Finite(round)) => (round - first).abs() <= resolution,
        (Estimate::Undefined(_), _) => false,
        (first, round) => first == round,
    })
}
