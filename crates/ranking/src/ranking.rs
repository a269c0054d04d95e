//! From the judgments of a run to a ranking that says how far it can be trusted.

use crate::control::check_control;
use crate::covariate::{Covariate, check_order, check_style, score_with_style};
use crate::criteria::rank_criteria;
use crate::duels::{Duel, duel_of_two, duels};
use crate::method::{Adjust, Ci, refuse_aggregation};
use crate::report::StyleEffect;
use crate::report::noise::NoiseFloor;
use crate::score::{Evidence, Games, Scored, score};
use crate::{Aggregation, Collected, RankScale, Report, ScoreUnit};
use evenhand_core::{Cause, Clusters, Setting};
use evenhand_engine::{Design, EngineError, Job};
use evenhand_protocols::Form;
use evenhand_stats::{Bootstrap, Cluster, Comparison, Comparisons, ItemScores};
use std::collections::BTreeSet;

/// How a ranking is made.
#[derive(Clone, Debug, PartialEq)]
pub struct RankOptions {
    /// None: the mean for scores on a scale, else, and with `control`, Bradley-Terry.
    pub aggregation: Option<Aggregation>,
    /// Unit of Bradley-Terry scores.
    pub scale: RankScale,
    /// The weight of a ridge prior on Bradley-Terry strengths.
    pub prior: Option<f64>,
    /// How intervals are made.
    pub ci: Ci,
    /// The unit of resampling.
    pub cluster: Cluster,
    /// How it is resampled.
    pub bootstrap: Bootstrap,
    /// Whether all pairs of systems are compared, with p-values.
    pub differences: bool,
    /// Pairs of systems that are compared item by item as well, for a gate: the later first.
    pub duels: Vec<[String; 2]>,
    /// How those are adjusted.
    pub adjust: Adjust,
    /// Whether the fewest judgments are sought that carry the leader.
    pub drop: bool,
    /// Orders over which Elo ratings are averaged; None: the given order alone.
    pub permutations: Option<usize>,
    /// Features counted in the responses of a run, or the order in which they were shown, whose
    /// effect is taken out. A leaderboard has its own.
    pub control: Vec<Covariate>,
}

impl Default for RankOptions {
    /// Elo points, bootstrap over items.
    fn default() -> Self {
        RankOptions {
            aggregation: None,
            scale: RankScale::Elo,
            prior: None,
            ci: Ci::Bootstrap,
            cluster: Cluster::Item,
            bootstrap: Bootstrap::default(),
            differences: false,
            duels: Vec::new(),
            adjust: Adjust::Joint,
            drop: false,
            permutations: None,
            control: Vec::new(),
        }
    }
}

impl RankOptions {
    /// Returns the aggregation of this job's judgments.
    ///
    /// # Errors
    /// An aggregation that these judgments do not have; settings that do not go together; a
    /// covariate that says nothing of the responses.
    pub fn check(&self, job: &Job) -> Result<Aggregation, EngineError> {
        let aggregation = self.aggregation_for(job)?;
        check_order(job, &self.control)?;
        check_style(&job.dataset, &self.control)?;
        Ok(aggregation)
    }

    fn aggregation_for(&self, job: &Job) -> Result<Aggregation, EngineError> {
        let form = job.protocol.form();
        let usual = match form {
            Form::Pointwise(..) | Form::Checklist(_) if self.control.is_empty() => {
                Aggregation::Mean
            }
            _ => Aggregation::BradleyTerry,
        };
        let aggregation = self.aggregation.unwrap_or(usual);
        if aggregation.needs_scores() && job.compares() {
            let reason = format!(
                "{form} gives preferences and no scores; use bradley-terry or win-ratio, or a \
                 pointwise protocol"
            );
            return Err(refuse_aggregation(aggregation, Cause::Data, reason).into());
        }
        if matches!(job.design, Design::Tournament(_)) && !aggregation.knows_opponents() {
            let reason = "in a tournament strong systems meet strong ones, which this score does \
                          not allow for; use bradley-terry, rao-kupper, davidson, newman or elo";
            let cause = Cause::Conflict(Setting::Design);
            return Err(refuse_aggregation(aggregation, cause, reason).into());
        }
        if !self.control.is_empty() {
            check_control(aggregation, self)?;
        }
        self.method_for(aggregation, !self.control.is_empty())?;
        Ok(aggregation)
    }
}

/// Ranks the systems of a job by its judgments.
///
/// # Errors
/// As [`RankOptions::check`]; numbers that the statistics refuse.
pub fn rank(
    job: &Job,
    collected: &Collected,
    options: &RankOptions,
) -> Result<Report, EngineError> {
    let collected = &*collected.in_whole_pairs();
    let aggregation = options.aggregation_for(job)?;
    let method = options.method_for(aggregation, !options.control.is_empty())?;
    let names: Vec<String> = job
        .dataset
        .systems
        .iter()
        .map(ToString::to_string)
        .collect();
    // With the effects of covariates where any is taken out, else with the pairs that a gate
    // compares item by item.
    let mut two = None;
    let mut score_run = || -> Result<(Scored, Vec<StyleEffect>, Vec<Duel>), EngineError> {
        if !options.control.is_empty() {
            let (scored, style) = score_with_style(job, collected, &options.control, &method)?;
            return Ok((scored, style, Vec::new()));
        }
        let evidence = evidence_of_run(job, collected, aggregation)?;
        let duels = duels(&options.duels, &names, &evidence, &method);
        two = duel_of_two(&names, &evidence, &method);
        Ok((score(&evidence, &method)?, Vec::new(), duels))
    };
    let (scored, style, duels) = score_run().map_err(|error| error.with_names(&names))?;
    let points = match job.protocol.form() {
        Form::Likelihood(likely) => ScoreUnit::Nats(likely),
        Form::Reward => ScoreUnit::Reward,
        Form::Checklist(_) => ScoreUnit::CriteriaShare,
        _ => ScoreUnit::FormPoints,
    };
    let report = Report::of_judgments(job, collected, options)?;
    // A ranking by comparisons that scores imply has its noise in the unit of comparisons, too.
    let noise = match job.compares() || aggregation.needs_scores() {
        true => report.noise.clone(),
        false => {
            let rows = comparisons_of_run(job, collected)?;
            NoiseFloor::of_comparisons(
                || rows.iter().copied(),
                &job.clusters,
                options.bootstrap.level,
            )
        }
    };
    let unit = aggregation.unit(options.scale, points);
    // No mean of points lies beyond their scale.
    let scored = match job.protocol.form().scale() {
        Some(scale) if unit == ScoreUnit::FormPoints => scored.within([scale.low(), scale.high()]),
        _ => scored,
    };
    let report = Report {
        style,
        duels,
        two,
        noise,
        criteria: rank_criteria(job, collected, options)?,
        aggregation: aggregation.name(),
        unit,
        ..report
    };
    Ok(report.with_scores(&names, scored, &method, options.scale))
}

fn evidence_of_run(
    job: &Job,
    collected: &Collected,
    aggregation: Aggregation,
) -> Result<Evidence, EngineError> {
    let systems = job.dataset.systems.len();
    let in_order = aggregation == Aggregation::Elo;
    if !job.compares() && !in_order {
        let question_of = |item| job.clusters.of(item);
        let scores = ItemScores::clustered(systems, collected.scores.clone(), question_of)?;
        return Ok(Evidence::Scores(scores));
    }
    let rows = by_question(comparisons_of_run(job, collected)?, &job.clusters);
    Ok(match in_order {
        // In the order of the items, and drawn by question.
        true => Evidence::Games(Games::from_comparisons(systems, &rows)),
        false => Evidence::Comparisons(Comparisons::new(systems, rows)?),
    })
}

/// Returns the comparisons that were made, or those that the scores imply, under the items of the
/// data.
pub(crate) fn comparisons_of_run(
    job: &Job,
    collected: &Collected,
) -> Result<Vec<Comparison>, EngineError> {
    if job.compares() {
        let mut rows = Vec::with_capacity(collected.comparisons.len());
        rows.extend(collected.comparisons.rows());
        return Ok(rows);
    }
    let scores = ItemScores::new(job.dataset.systems.len(), collected.scores.clone())?;
    // Implied comparisons are numbered by the position of their item among those with a score.
    let items: BTreeSet<u32> = collected.scores.iter().map(|score| score.item).collect();
    let items: Vec<u32> = items.into_iter().collect();
    let implied = scores.to_comparisons()?;
    let rows = implied.rows().iter().map(|row| Comparison {
        item: items[row.item as usize],
        ..*row
    });
    Ok(rows.collect())
}

/// Returns comparisons under the questions that their items ask.
pub fn by_question(mut rows: Vec<Comparison>, clusters: &Clusters) -> Vec<Comparison> {
    for row in &mut rows {
        row.item = clusters.of(row.item);
    }
    rows
}
