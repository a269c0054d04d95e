//! The whole way from judgments to scores, intervals and ranks.

use crate::bootstrap::{percentiles, rank_percentiles};
use crate::{
    Bootstrap, Cluster, Comparisons, Error, Estimate, Fit, Interval, ItemScores, PairMethod, PointMethod, RankInterval, Scale,
    Scores, Undefined, graph, resample,
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
    /// A ranking in log-odds ([`PairMethod::BradleyTerry`]) with scores and intervals on another scale.
    pub fn on(mut self, scale: Scale) -> Ranking {
        for system in &mut self.systems {
            system.estimate = system.estimate.map(|strength| scale.from_log_odds(strength));
            system.interval = system.interval.map(|ends| ends.map(|strength| scale.from_log_odds(strength)));
        }
        self
    }
}

/// Ranks systems by comparisons, with bootstrap intervals over `cluster`.
///
/// Every round is scored on the origin of the point estimate ([`crate::bradley_terry_near`]), so that a system which won
/// everything in some round does not shift the others.  Below 2 clusters, of all or of a system, intervals are undefined
/// and scores are given all the same.
///
/// # Errors
/// A level, a number of rounds, or threads that cannot be used.
pub fn rank_pairs(data: &Comparisons, method: PairMethod, cluster: Cluster, plan: &Bootstrap) -> Result<Ranking, Error> {
    let tally = data.tally();
    let point = method.scores(&tally);
    let merged = (cluster == Cluster::Item).then(|| data.merged());
    let rows = merged.as_ref().unwrap_or(data);
    let clusters = rows.clusters(cluster);
    let round = |weights: &[f64]| method.scores_near(&rows.tally_with(cluster, weights), &point);
    let rounds = unless_too_few(resample(clusters, plan, round))?;
    let table = Table { n: data.judgments(), clusters_of: data.clusters_of_systems(cluster), constant: None, point, rounds };
    let components = graph::components(data.systems(), |i, j| tally.games(i, j) > 0.0);
    Ok(table.ranking(clusters, components, plan.level))
}

/// Ranks systems by scores of single responses, with bootstrap intervals over `cluster`; see [`rank_pairs`].
///
/// # Errors
/// A level, a number of rounds, or threads that cannot be used.
pub fn rank_scores(data: &ItemScores, method: PointMethod, cluster: Cluster, plan: &Bootstrap) -> Result<Ranking, Error> {
    let point = method.scores(data);
    let (clusters, columns) = (data.clusters(cluster), data.columns(cluster));
    let round = |weights: &[f64]| method.weighted(&columns, weights);
    let rounds = unless_too_few(resample(clusters, plan, round))?;
    let same = |column: &Vec<crate::data::Cell>| column.iter().all(|cell| cell.score == column[0].score);
    let constant = Some(columns.iter().map(same).collect());
    let n = data.judgments().to_vec();
    let table = Table { n, clusters_of: data.clusters_of_systems(), constant, point, rounds };
    Ok(table.ranking(clusters, Vec::new(), plan.level))
}

/// No rounds where there are too few clusters: the intervals will say so, and the scores stand.
fn unless_too_few(rounds: Result<Vec<Scores>, Error>) -> Result<Vec<Scores>, Error> {
    match rounds {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
        other => other,
    }
}

/// All that a ranking is made of.
struct Table {
    point: Scores,
    rounds: Vec<Scores>,
    n: Vec<u64>,
    clusters_of: Vec<usize>,
    /// Whether each system's data are all the same, if that can be told from the data.
    constant: Option<Vec<bool>>,
}

impl Table {
    fn ranking(&self, clusters: usize, components: Vec<Vec<usize>>, level: f64) -> Ranking {
        let unconverged = |round: &&Scores| round.fit.is_some_and(|fit| !fit.converged);
        Ranking {
            systems: (0..self.n.len()).map(|system| self.ranked(system, level)).collect(),
            clusters,
            components,
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
        let rounds: Vec<Estimate> = self.rounds.iter().map(|round| round.estimates[system]).collect();
        let constant = self.constant.as_ref().map_or_else(|| all_same(&rounds, self.point.resolution), |c| c[system]);
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
        let rounds: Vec<Option<u32>> = self.rounds.iter().map(|round| round.ranks[system]).collect();
        rank_percentiles(&rounds, self.n.len(), level)
    }

    fn check_clusters(&self, system: usize) -> Result<(), Undefined> {
        let clusters = self.clusters_of[system];
        if clusters < 2 { Err(Undefined::TooFewClusters { clusters }) } else { Ok(()) }
    }
}

/// Whether every round gave the same score, up to rounding, or the same infinity.
fn all_same(rounds: &[Estimate], resolution: f64) -> bool {
    let Some(first) = rounds.first() else { return false };
    rounds.iter().all(|round| match (first, round) {
        (Estimate::Finite(first), Estimate::Finite(round)) => (round - first).abs() <= resolution,
        (Estimate::Undefined(_), _) => false,
        (first, round) => first == round,
    })
}
