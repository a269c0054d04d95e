//! The whole way from judgments to scores, intervals and ranks.

use crate::bootstrap::{
    Population, expanded_level, or_none_if_too_few, percentiles, rank_percentiles, run_rounds,
};
use crate::checks::{check_clusters, check_lengths, check_level, ensure};
use crate::data::{Cell, Sheet};
use crate::index::{all_pairs, finite_systems, saturating_size};
use crate::inference::{ClusterDifference, Covariance, InferenceError, ScoreTest, bca_interval};
use crate::linear::{centred, dot};
use crate::{
    Bootstrap, Cluster, Comparisons, Error, Estimate, Fit, Interval, ItemScores, PairMethod,
    PointMethod, RankInterval, Scores, StrengthScale, Tally, Undefined, resample,
};

/// One system of a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
#[must_use]
#[non_exhaustive]
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
        let convert = |strength: f64| scale.from_log_odds(strength);
        for system in &mut self.systems {
            system.estimate = system.estimate.map(convert);
            system.interval = system.interval.map(|ends| ends.map(convert));
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

/// The scores on the data and on every resample: what [`rank_pairs`] is made of.
///
/// # Errors
/// Those of [`rank_pairs`].
pub fn resample_pairs(
    data: &Comparisons,
    method: PairMethod,
    cluster: Cluster,
    plan: &Bootstrap,
) -> Result<Resampled, Error> {
    let evidence = (data.judgments(), data.clusters_of_systems(cluster));
    let population = Population::of_rows(data, cluster);
    let found = resample_population(&data.tally(), population, method, plan, evidence)?;
    Ok(match method {
        PairMethod::WinRatio => Resampled {
            mean_tests: share_tests(data, cluster, &found.clusters_of),
            ..found
        },
        _ => found,
    })
}

/// Returns the score test of the share that each system won, about a half: of clusters of unlike
/// sizes resamples hold too few large ones to show what these may say. None where all are of one
/// size, so that `clusters_of` says as many as there are.
fn share_tests(
    data: &Comparisons,
    cluster: Cluster,
    clusters_of: &[usize],
) -> Vec<Option<(f64, ScoreTest)>> {
    let mut found = vec![Vec::new(); clusters_of.len()];
    let mut own = vec![ClusterDifference::default(); clusters_of.len()];
    for rows in data.rows_by_cluster(cluster) {
        for row in rows {
            let (a, b) = (usize::from(row.a), usize::from(row.b));
            let lead = (row.wins_a - row.wins_b) / 2.0;
            for (system, lead) in [(a, lead), (b, -lead)] {
                own[system].sum += lead;
                own[system].pairs += row.weight();
            }
        }
        for system in rows.iter().flat_map(|row| [row.a, row.b]).map(usize::from) {
            let one = std::mem::take(&mut own[system]);
            if one.pairs > 0.0 {
                found[system].push(one);
            }
        }
    }
    let tests = found
        .into_iter()
        .zip(clusters_of)
        .map(|(mut own, of_one_size)| {
            let all: f64 = own.iter().map(|one| one.pairs).sum();
            for one in &mut own {
                (one.sum, one.pairs) = (one.sum / all, one.pairs / all);
            }
            (own.len() > *of_one_size).then(|| (0.5, ScoreTest::within(0.5, &own)))
        });
    tests.collect()
}

/// The scores on counts of comparisons, each of weight 1, and on every resample of single
/// comparisons: the cost of a round grows with the pairs that met, and not with the comparisons.
///
/// # Errors
/// A count that is not whole; a level, a number of rounds, or threads that cannot be used.
pub fn resample_counts(
    tally: &Tally,
    method: PairMethod,
    plan: &Bootstrap,
) -> Result<Resampled, Error> {
    let population = Population::of_counts(tally)?;
    let judgments: Vec<u64> = tally.weights().iter().map(|&games| games as u64).collect();
    // Each comparison is a cluster.
    let clusters = judgments.iter().copied().map(saturating_size).collect();
    resample_population(tally, population, method, plan, (judgments, clusters))
}

/// The scores on the data and on every resample: what [`rank_scores`] is made of.
///
/// # Errors
/// Those of [`rank_scores`].
pub fn resample_scores(
    data: &ItemScores,
    method: PointMethod,
    cluster: Cluster,
    plan: &Bootstrap,
) -> Result<Resampled, Error> {
    let clusters = data.clusters(cluster);
    let columns = data.columns(cluster);
    let rounds = resample(clusters, plan, |weights| {
        method.score_columns(&columns, weights)
    });
    Ok(Resampled {
        point: method.scores(data),
        rounds: or_none_if_too_few(rounds)?,
        level: plan.level,
        clusters,
        components: Vec::new(),
        judgments: data.judgments().to_vec(),
        clusters_of: data.clusters_of_systems(),
        constant: Some(data.constant_systems()),
        one_sided: Vec::new(),
        mean_tests: mean_tests(&columns, method),
    })
}

/// Returns the score test of each mean, about the middle of the scores that were seen of the system,
/// beyond which none can be: of scores of which most are the lowest, resamples hold too few of the
/// others to show how many there may be. None where no two scores differ; empty for what is no mean.
fn mean_tests(columns: &[Vec<Cell>], method: PointMethod) -> Vec<Option<(f64, ScoreTest)>> {
    if method != PointMethod::Mean {
        return Vec::new();
    }
    let test = |column: &Vec<Cell>| {
        // In ascending order.
        let (low, high) = (column.first()?.score, column.last()?.score);
        let (middle, reach) = ((low + high) / 2.0, (high - low) / 2.0);
        let each = column
            .iter()
            .map(|cell| (cell.cluster, cell.score - middle));
        let clusters = ClusterDifference::of_pairs(each);
        (reach > 0.0).then(|| (middle, ScoreTest::within(reach, &clusters)))
    };
    columns.iter().map(test).collect()
}

fn resample_population(
    tally: &Tally,
    population: Population,
    method: PairMethod,
    plan: &Bootstrap,
    (judgments, clusters_of): (Vec<u64>, Vec<usize>),
) -> Result<Resampled, Error> {
    let point = method.scores(tally);
    let refit = method.refit(&population.pairs.sheet(tally), &point);
    let clusters = population.clusters();
    let scratch = || (Vec::new(), Sheet::new(&population.pairs));
    let rounds = run_rounds(clusters, plan, scratch, |(weights, sheet), number| {
        population.draw(plan.seed, number, weights, sheet);
        method.resampled_scores(refit.as_ref(), sheet, &point)
    });
    let rounds = or_none_if_too_few(rounds)?;
    Ok(Resampled {
        point,
        rounds,
        level: plan.level,
        clusters,
        components: tally.components(),
        judgments,
        clusters_of,
        constant: None,
        one_sided: tally.one_sided(),
        mean_tests: Vec::new(),
    })
}

/// The scores of k systems on the data and on every resample of them.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
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
    /// How many judgments each system is in.
    judgments: Vec<u64>,
    /// How many clusters each system is in.
    clusters_of: Vec<usize>,
    /// Whether each system's data are all the same, if that can be told from the data.
    constant: Option<Vec<bool>>,
    /// Whether each system won, or lost, all it was compared in; empty where nothing was compared.
    one_sided: Vec<bool>,
    /// See [`mean_tests`].
    mean_tests: Vec<Option<(f64, ScoreTest)>>,
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
        check_level(level)?;
        for round in &rounds {
            check_lengths(point.estimates.len(), round.estimates.len())?;
        }
        check_lengths(point.estimates.len(), n.len())?;
        check_lengths(point.estimates.len(), clusters_of.len())?;
        Ok(Resampled {
            point,
            rounds,
            level,
            clusters,
            components: Vec::new(),
            judgments: n,
            clusters_of,
            constant: None,
            one_sided: Vec::new(),
            mean_tests: Vec::new(),
        })
    }

    /// Says which systems comparisons link.
    pub(crate) fn with_components(self, components: Vec<Vec<usize>>) -> Resampled {
        Resampled { components, ..self }
    }

    /// Says of each of the k systems whether its data are all the same. Without it that is taken
    /// from the rounds, where a score that no round changed, such as a median, could be one of data
    /// that vary.
    ///
    /// # Errors
    /// A list without one entry for each system.
    pub fn with_constant(self, constant: Vec<bool>) -> Result<Resampled, Error> {
        check_lengths(self.judgments.len(), constant.len())?;
        Ok(Resampled {
            constant: Some(constant),
            ..self
        })
    }

    /// Says which scores, of clusters that are items, it is of: of which systems they are all the
    /// same, and what a score test keeps of means.
    ///
    /// # Errors
    /// Scores of another number of systems.
    pub fn of_scores(self, data: &ItemScores, method: PointMethod) -> Result<Resampled, Error> {
        let mean_tests = mean_tests(&data.columns(Cluster::Item), method);
        let found = self.with_constant(data.constant_systems())?;
        Ok(Resampled {
            mean_tests,
            ..found
        })
    }

    /// Says what was compared. A system that won, or lost, every comparison has no interval: its
    /// data do not vary, though a score with a prior, or one that depends on its opponents', moves
    /// with theirs.
    ///
    /// # Errors
    /// A tally of another number of systems.
    pub fn of_comparisons(self, tally: &Tally) -> Result<Resampled, Error> {
        check_lengths(self.judgments.len(), tally.systems())?;
        Ok(Resampled {
            one_sided: tally.one_sided(),
            ..self
        })
    }

    /// Percentile intervals of scores and ranks, expanded for few clusters ([`expanded_level`]).
    pub fn ranking(&self) -> Ranking {
        let systems = (0..self.judgments.len()).map(|system| {
            let interval = self.score_interval(system);
            Ranked {
                estimate: self.point.estimates[system],
                n: self.judgments[system],
                interval,
                rank: self.point.ranks[system],
                rank_interval: self.rank_interval(system, interval),
            }
        });
        let unconverged = |round: &&Scores| round.fit.is_some_and(|fit| !fit.converged);
        Ranking {
            systems: systems.collect(),
            clusters: self.clusters,
            components: self.components.clone(),
            fit: self.point.fit,
            unconverged_rounds: self.rounds.iter().filter(unconverged).count(),
        }
    }

    /// The covariance of the scores over the rounds in which all of them are finite, with n - 1.
    ///
    /// # Errors
    /// Fewer than 2 such rounds, or clusters.
    pub fn covariance(&self) -> Result<Covariance, InferenceError> {
        let estimates = &self.point.estimates;
        let finite = finite_systems(estimates);
        let scores = |round: &Scores| -> Option<Vec<f64>> {
            let scores = finite
                .iter()
                .map(|&system| round.estimates[system].finite());
            scores.collect()
        };
        let rounds: Vec<Vec<f64>> = self.rounds.iter().filter_map(scores).collect();
        ensure(rounds.len() > 1, || Undefined::TooFewClusters {
            clusters: self.clusters,
        })?;
        let m = finite.len();
        let columns = (0..m).map(|i| centred(rounds.iter().map(|round| round[i]).collect()));
        let columns: Vec<Vec<f64>> = columns.collect();
        let freedom = (rounds.len() - 1) as f64;
        // Always in the same order, so that the matrix is symmetric to the last bit.
        let entry = |(i, j): (usize, usize)| dot(&columns[i.min(j)], &columns[i.max(j)]) / freedom;
        let matrix = all_pairs(m).map(entry).collect();
        let clusters = self.clusters_of.clone();
        Covariance::new(estimates.clone(), matrix, self.clusters as f64, clusters)
    }

    fn score_interval(&self, system: usize) -> Result<Interval, Undefined> {
        if let Estimate::Undefined(reason) = self.point.estimates[system] {
            return Err(reason);
        }
        check_clusters(self.clusters_of[system])?;
        let rounds = self.rounds.iter().map(|round| round.estimates[system]);
        let rounds: Vec<Estimate> = rounds.collect();
        let is_one_sided = self.one_sided.get(system).copied().unwrap_or(false);
        let is_constant = match &self.constant {
            Some(constant) => constant[system],
            None => are_all_same(&rounds, self.point.resolution),
        };
        if is_one_sided || is_constant {
            return Err(Undefined::NoVariance);
        }
        let level = expanded_level(self.level, self.clusters_of[system]);
        let found = percentiles(self.point.estimates[system], &rounds, level)?;
        Ok(self.widened(system, found))
    }

    /// Widens an interval by the score test of a mean, and gives it the level that was asked for.
    fn widened(&self, system: usize, mut found: Interval) -> Interval {
        let test = self.mean_tests.get(system).and_then(Option::as_ref);
        if let (Some((middle, test)), Some(low), Some(high)) = (test, found.low, found.high) {
            let ends = [low - middle, high - middle];
            let ends = test.widened(ends, 1.0 - self.level);
            found.low = Some(low.min(middle + ends[0]));
            found.high = Some(high.max(middle + ends[1]));
        }
        Interval {
            level: self.level,
            ..found
        }
    }

    /// The bias-corrected and accelerated interval of a system ([`bca_interval`]), of as wide
    /// percentiles as those of [`Resampled::ranking`], and of means widened by the same score test.
    ///
    /// # Errors
    /// Those of [`bca_interval`].
    pub fn bca(&self, system: usize, acceleration: f64) -> Result<Interval, InferenceError> {
        let rounds = self.rounds.iter().map(|round| round.estimates[system]);
        let rounds: Vec<Estimate> = rounds.collect();
        let level = expanded_level(self.level, self.clusters_of[system]);
        let found = bca_interval(self.point.estimates[system], &rounds, acceleration, level)?;
        Ok(self.widened(system, found))
    }

    fn rank_interval(
        &self,
        system: usize,
        score: Result<Interval, Undefined>,
    ) -> Result<RankInterval, Undefined> {
        if self.point.ranks[system].is_none() {
            return Err(Undefined::NoRank);
        }
        // Resamples of data that do not vary all give this rank, and would make it look certain.
        if score == Err(Undefined::NoVariance) {
            return Err(Undefined::NoVariance);
        }
        check_clusters(self.clusters_of[system])?;
        let ranks = self.rounds.iter().map(|round| round.ranks[system]);
        let ranks: Vec<Option<u32>> = ranks.collect();
        let defined = |estimate: &&Estimate| !matches!(estimate, Estimate::Undefined(_));
        let systems = self.point.estimates.iter().filter(defined).count();
        let level = expanded_level(self.level, self.clusters_of[system]);
        rank_percentiles(self.point.ranks[system], &ranks, systems, level)
    }
}

/// Whether every round gave the same score, up to rounding, or the same infinity.
fn are_all_same(rounds: &[Estimate], resolution: f64) -> bool {
    let is_same = |first: &Estimate, round: &Estimate| match (first, round) {
        (Estimate::Finite(first), Estimate::Finite(round)) => (round - first).abs() <= resolution,
        (Estimate::Undefined(_), _) => false,
        (first, round) => first == round,
    };
    let first = rounds.first();
    first.is_some_and(|first| rounds.iter().all(|round| is_same(first, round)))
}
