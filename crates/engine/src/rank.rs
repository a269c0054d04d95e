//! From judgments to a ranking that says how far it can be trusted.

use crate::warn::of_ranking;
use crate::{Collected, EngineError, Job, Report, Row};
use evenhand_protocols::Form;
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Estimate, ItemScores, PairMethod, PointMethod, Ranked, Ranking, Scale, rank_pairs,
    rank_scores,
};

/// How judgments become scores of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// Bradley-Terry by maximum likelihood, ties as half wins.
    BradleyTerry,
    /// Share of comparisons won, ties half.
    WinRatio,
    /// Mean score.
    Mean,
    /// Median score.
    Median,
}

impl Aggregation {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Aggregation::BradleyTerry => "bradley-terry",
            Aggregation::WinRatio => "win-ratio",
            Aggregation::Mean => "mean",
            Aggregation::Median => "median",
        }
    }

    /// What is used unless another is asked for: the mean for scores on a scale, else Bradley-Terry.
    pub fn default_for(form: Form) -> Aggregation {
        match form {
            Form::Pointwise(_) => Aggregation::Mean,
            _ => Aggregation::BradleyTerry,
        }
    }
}

/// The unit of Bradley-Terry scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankScale {
    /// 400 per factor of ten in odds, mean 1000.
    Elo,
    /// Natural log-odds, mean 0.
    LogOdds,
}

/// How a ranking is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankOptions {
    /// None: see [`Aggregation::default_for`].
    pub aggregation: Option<Aggregation>,
    /// Unit of Bradley-Terry scores.
    pub scale: RankScale,
    /// Whether intervals are made.
    pub intervals: bool,
    /// What is resampled.
    pub cluster: Cluster,
    /// How it is resampled.
    pub bootstrap: Bootstrap,
}

impl Default for RankOptions {
    /// Elo points, bootstrap over items.
    fn default() -> Self {
        RankOptions {
            aggregation: None,
            scale: RankScale::Elo,
            intervals: true,
            cluster: Cluster::Item,
            bootstrap: Bootstrap::default(),
        }
    }
}

impl RankOptions {
    /// The resampling: next to none where no intervals are wanted.
    pub(crate) fn bootstrap(&self) -> Bootstrap {
        let rounds = if self.intervals { self.bootstrap.rounds } else { 2 };
        Bootstrap { rounds, ..self.bootstrap }
    }

    /// The aggregation, or why this job's judgments cannot be aggregated by it.
    pub fn check(&self, job: &Job) -> Result<Aggregation, EngineError> {
        let form = job.protocol.form();
        let aggregation = self.aggregation.unwrap_or(Aggregation::default_for(form));
        let needs_scores = matches!(aggregation, Aggregation::Mean | Aggregation::Median);
        if needs_scores && job.is_pairwise() {
            return Err(EngineError::Setting(format!(
                "--aggregate {}: {form} gives preferences and no scores; use bradley-terry or win-ratio, or a pointwise protocol",
                aggregation.name()
            )));
        }
        Ok(aggregation)
    }
}

/// Ranks the systems of a job by its judgments.
pub fn rank(job: &Job, collected: &Collected, options: &RankOptions) -> Result<Report, EngineError> {
    let form = job.protocol.form();
    let aggregation = options.check(job)?;
    let ranking = aggregate(job, collected, aggregation, options)?;
    let mut report = Report::of_judgments(job, collected, options)?;
    report.ranking = rows(job, &ranking, options);
    report.aggregation = aggregation.name();
    report.unit = unit(aggregation, options.scale, form);
    report.components = components(job, &ranking);
    report.warnings.extend(of_ranking(&report, &ranking));
    Ok(report)
}

fn aggregate(job: &Job, collected: &Collected, aggregation: Aggregation, options: &RankOptions) -> Result<Ranking, EngineError> {
    let systems = job.dataset.systems.len();
    let (cluster, plan) = (options.cluster, &options.bootstrap());
    let method = match aggregation {
        Aggregation::Mean => PointMethod::Mean,
        Aggregation::Median => PointMethod::Median,
        Aggregation::BradleyTerry | Aggregation::WinRatio => return compare(systems, job, collected, aggregation, options),
    };
    let scores = ItemScores::new(systems, collected.scores.clone())?;
    Ok(rank_scores(&scores, method, cluster, plan)?)
}

/// By comparisons: those that were judged, or those that scores of the same item imply.
fn compare(
    systems: usize,
    job: &Job,
    collected: &Collected,
    aggregation: Aggregation,
    options: &RankOptions,
) -> Result<Ranking, EngineError> {
    if job.is_pairwise() {
        let data = Comparisons::new(systems, collected.comparisons.clone())?;
        return rank_comparisons(&data, aggregation, options);
    }
    let scores = ItemScores::new(systems, collected.scores.clone())?;
    let mut ranking = rank_comparisons(&scores.to_comparisons()?, aggregation, options)?;
    // What was judged is single responses; the comparisons follow from their scores.
    ranking.systems.iter_mut().zip(scores.judgments()).for_each(|(ranked, judgments)| ranked.n = *judgments);
    Ok(ranking)
}

fn rank_comparisons(data: &Comparisons, aggregation: Aggregation, options: &RankOptions) -> Result<Ranking, EngineError> {
    if aggregation == Aggregation::WinRatio {
        return Ok(rank_pairs(data, PairMethod::WinRatio, options.cluster, &options.bootstrap())?);
    }
    let scale = match options.scale {
        RankScale::Elo => Scale::Elo,
        RankScale::LogOdds => Scale::LogOdds,
    };
    Ok(rank_pairs(data, PairMethod::BradleyTerry, options.cluster, &options.bootstrap())?.on(scale))
}

fn rows(job: &Job, ranking: &Ranking, options: &RankOptions) -> Vec<Row> {
    let mut order: Vec<usize> = (0..ranking.systems.len()).collect();
    let place = |system: &usize| {
        let ranked = &ranking.systems[*system];
        let infinite = match ranked.estimate {
            Estimate::PlusInfinity => 0,
            Estimate::Finite(_) => 1,
            Estimate::MinusInfinity => 2,
            Estimate::Undefined(_) => 3,
        };
        (ranked.rank.unwrap_or(u32::MAX), infinite)
    };
    order.sort_by_key(place);
    order.into_iter().map(|system| row(&job.dataset.systems[system], &ranking.systems[system], options)).collect()
}

fn row(system: &str, ranked: &Ranked, options: &RankOptions) -> Row {
    let ci = ranked.interval.as_ref().ok().filter(|_| options.intervals).map(|ci| [ci.low, ci.high]);
    let rank_ci = ranked.rank_interval.as_ref().ok().filter(|_| options.intervals).map(|ci| [ci.low, ci.high]);
    let note = note(ranked, options.intervals);
    Row { system: system.into(), score: ranked.estimate.finite(), ci, rank: ranked.rank, rank_ci, n: ranked.n, note }
}

fn note(ranked: &Ranked, intervals: bool) -> Option<String> {
    match (ranked.estimate, &ranked.interval) {
        (Estimate::PlusInfinity, _) => Some("it won every comparison: no finite score exists".into()),
        (Estimate::MinusInfinity, _) => Some("it lost every comparison: no finite score exists".into()),
        (Estimate::Undefined(why), _) => Some(format!("no score: {why}")),
        (_, Err(why)) if intervals => Some(format!("no interval: {why}")),
        (_, Ok(ci)) if intervals && (ci.low.is_none() || ci.high.is_none()) => {
            Some(format!("no finite score in {} of {} resamples", ci.infinite + ci.undefined, ci.rounds))
        }
        _ => None,
    }
}

fn unit(aggregation: Aggregation, scale: RankScale, form: Form) -> &'static str {
    match (aggregation, scale, form) {
        (Aggregation::BradleyTerry, RankScale::Elo, _) => "Elo points (400 per factor of ten in odds, mean 1000)",
        (Aggregation::BradleyTerry, RankScale::LogOdds, _) => "log-odds (natural, mean 0)",
        (Aggregation::WinRatio, ..) => "share of comparisons won, ties half",
        (_, _, Form::Likelihood) => "nats per token that the instruction adds",
        _ => "points on the form's scale",
    }
}

fn components(job: &Job, ranking: &Ranking) -> Vec<Vec<String>> {
    let name = |system: &usize| job.dataset.systems[*system].to_string();
    let groups = || ranking.components.iter().map(|group| group.iter().map(name).collect()).collect();
    if ranking.components.len() > 1 { groups() } else { Vec::new() }
}
