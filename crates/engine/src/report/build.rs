//! Builds the report of a ranking, step by step: what the judgments say, the scores, and what an
//! adaptive design makes certain.

use super::data::{IntervalMethod, MissingItems, Report, Share};
use super::differences::pair_rows;
use super::noise::NoiseFloor;
use super::rows::{components_by_name, dropped_judgments, fit_row, ranking_rows};
use super::warn::{warn_of_certified, warn_of_judgments, warn_of_scores, warn_of_service};
use crate::rank::method::{Ci, Method};
use crate::rank::position::ItemShare;
use crate::rank::scored::Scored;
use crate::{AdaptiveReport, Collected, EngineError, Job, RankOptions, RankScale};
use evenhand_core::{Clusters, FailureKind, VerdictSource};
use evenhand_protocols::{ChecklistCalls, Form};
use evenhand_stats::{
    Bootstrap, Cluster, ClusteredRatio, Error, Ridge, StrengthScale, clustered_ratio,
};
use std::collections::{BTreeMap, BTreeSet};

fn missing_items(job: &Job, collected: &Collected) -> Vec<MissingItems> {
    let names = &job.dataset.systems;
    let counts = collected.items_without_verdict(names.len());
    let lacking = names.iter().zip(counts).filter(|(_, items)| *items > 0);
    let rows = lacking.map(|(system, items)| MissingItems {
        system: system.to_string(),
        items,
        of: job.dataset.items.len() as u64,
    });
    rows.collect()
}

impl Report {
    /// Reports what can be said of the judgments before any system has a score.
    ///
    /// # Errors
    /// Settings of the resampling that the statistics refuse.
    pub fn of_judgments(
        job: &Job,
        collected: &Collected,
        options: &RankOptions,
    ) -> Result<Report, EngineError> {
        let report = Report::of_job(job)
            .with_resampling(options)
            .with_counts(job, collected, options.bootstrap.level)
            .with_shares(job, collected, options)?;
        Ok(report.with_judgment_warnings(job, collected))
    }

    fn with_resampling(self, options: &RankOptions) -> Report {
        let (plan, by_item) = (options.bootstrap, options.cluster == Cluster::Item);
        Report {
            ci: IntervalMethod::new(options.ci, &plan, by_item),
            seed: plan.seed,
            ..self
        }
    }

    fn with_counts(self, job: &Job, collected: &Collected, level: f64) -> Report {
        let systems = job.dataset.systems.len();
        let items: BTreeSet<u32> = collected.items.iter().copied().collect();
        let questions: BTreeSet<u32> = items.iter().map(|item| job.clusters.of(*item)).collect();
        Report {
            items: items.len() as u64,
            questions: questions.len() as u64,
            noise: NoiseFloor::of_collected(collected, &job.clusters, systems, level),
            coverage: collected.coverage.clone(),
            missing: Some(missing_items(job, collected)),
            outside: mean_outside(collected),
            unread: count_unread(job, collected),
            stages: collected.stages.clone(),
            sources: verdicts_by_source(collected),
            criteria: collected.criteria.count(),
            ..self
        }
    }

    /// Returns a report that has no scores yet.
    fn of_job(job: &Job) -> Report {
        Report {
            aggregation: "none",
            judge: job.judge(),
            protocol: job.protocol.to_string(),
            design: job.design.to_string(),
            pairwise: job.compares(),
            ..Report::default()
        }
    }

    fn with_shares(
        self,
        job: &Job,
        collected: &Collected,
        options: &RankOptions,
    ) -> Result<Report, Error> {
        let share = |shares: &[ItemShare]| {
            share_of_items(&sum_by_question(shares, collected, &job.clusters), options)
        };
        Ok(Report {
            consistency: share(&collected.position.consistent)?,
            first_slot: share(&collected.position.first_slot)?,
            agreement: share(&collected.agreeing)?,
            ..self
        })
    }

    fn with_judgment_warnings(mut self, job: &Job, collected: &Collected) -> Self {
        self.warnings = warn_of_judgments(job, &self, collected);
        self.warnings.extend(warn_of_service(&collected.notes));
        self
    }

    /// Adds the ranking, and all that the scores say.
    pub(crate) fn with_scores(
        self,
        names: &[String],
        scored: Scored,
        method: &Method,
        scale: RankScale,
    ) -> Report {
        let scored = show_on_scale(scored, method, scale);
        self.with_ranking(names, &scored)
            .with_comparisons(names, &scored, method)
            .with_score_warnings(&scored)
    }

    fn with_ranking(self, names: &[String], scored: &Scored) -> Report {
        Report {
            ranking: ranking_rows(names, scored),
            components: components_by_name(names, scored),
            fit: scored.fit.map(fit_row),
            ..self
        }
    }

    fn with_comparisons(self, names: &[String], scored: &Scored, method: &Method) -> Report {
        let drop = scored.drop.as_ref();
        Report {
            prior: method.prior.map(Ridge::weight),
            differences: pair_rows(names, scored, method.adjust),
            drop: drop.map(|found| dropped_judgments(names, found)),
            ..self
        }
    }

    fn with_score_warnings(mut self, scored: &Scored) -> Report {
        let warnings = warn_of_scores(&self, scored);
        self.warnings.extend(warnings);
        self
    }

    /// Adds what an adaptive design makes certain.
    #[must_use]
    pub fn with_adaptive(mut self, found: AdaptiveReport) -> Report {
        self.warnings.extend(warn_of_certified(&found));
        self.adaptive = Some(found);
        self
    }
}

impl IntervalMethod {
    pub(crate) fn new(ci: Ci, plan: &Bootstrap, by_item: bool) -> IntervalMethod {
        IntervalMethod {
            method: ci.name(),
            cluster: if by_item { "item" } else { "none" },
            rounds: rounds_of_scores(ci, plan),
            level: plan.level,
        }
    }

    /// Names an estimator that makes its own intervals, without resamples; nothing changes where
    /// there are no intervals.
    pub(crate) fn made_by(self, method: &'static str, ci: Ci) -> IntervalMethod {
        match ci {
            Ci::None => self,
            _ => IntervalMethod {
                method,
                rounds: 0,
                ..self
            },
        }
    }
}

impl From<RankScale> for StrengthScale {
    fn from(scale: RankScale) -> StrengthScale {
        match scale {
            RankScale::Elo => StrengthScale::Elo,
            RankScale::LogOdds => StrengthScale::LogOdds,
        }
    }
}

/// Sums shares by the question that their items ask; an item that asks one by itself stays as it
/// is, in its place.
fn sum_by_question(
    shares: &[ItemShare],
    collected: &Collected,
    clusters: &Clusters,
) -> Vec<ItemShare> {
    if !clusters.are_shared() {
        return shares.to_vec();
    }
    let mut sums: BTreeMap<u32, ItemShare> = BTreeMap::new();
    for (share, item) in shares.iter().zip(&collected.items) {
        let sum = sums.entry(clusters.of(*item)).or_default();
        sum.with += share.with;
        sum.cases += share.cases;
    }
    sums.into_values().collect()
}

fn share_of_items(items: &[ItemShare], options: &RankOptions) -> Result<Option<Share>, Error> {
    match ratio_of_items(items, options) {
        // The share of no cases is not known, which is no error.
        Err(Error::Undefined(_)) => Ok(None),
        ratio => Ok(Some(share_of_ratio(&ratio?, options.ci))),
    }
}

fn ratio_of_items(items: &[ItemShare], options: &RankOptions) -> Result<ClusteredRatio, Error> {
    clustered_ratio(&rows_of_items(items), &options.share_plan())
}

fn rows_of_items(items: &[ItemShare]) -> Vec<(f64, f64)> {
    let items = items.iter();
    items.map(|item| (item.with, item.cases)).collect()
}

fn share_of_ratio(ratio: &ClusteredRatio, ci: Ci) -> Share {
    Share {
        value: ratio.value,
        ci: finite_interval(ratio).filter(|_| ci != Ci::None),
        n: ratio.n as u64,
    }
}

/// Scores that are not log-odds have a unit of their own.
fn show_on_scale(scored: Scored, method: &Method, scale: RankScale) -> Scored {
    if method.aggregation.is_log_odds() {
        scored.on_scale(scale.into())
    } else {
        scored
    }
}

/// Intervals that are made without resamples have no rounds.
fn rounds_of_scores(ci: Ci, plan: &Bootstrap) -> usize {
    if ci.resamples_scores() {
        plan.rounds
    } else {
        0
    }
}

fn finite_interval(ratio: &ClusteredRatio) -> Option<[f64; 2]> {
    let interval = ratio.interval.as_ref().ok()?;
    Some([interval.low?, interval.high?])
}

fn verdicts_by_source(collected: &Collected) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::from(
        VerdictSource::ALL.map(|source| (source.name(), collected.from_source(source))),
    );
    counts.retain(|_, count| *count > 0);
    counts
}

/// Counts replies that a second stage might have read.
fn count_unread(job: &Job, collected: &Collected) -> u64 {
    let is_list = job.protocol.form() == Form::Checklist(ChecklistCalls::Together);
    match job.judges.second_stage {
        None if !is_list => count_unparsed(collected),
        _ => 0,
    }
}

fn count_unparsed(collected: &Collected) -> u64 {
    let failures = &collected.coverage.failures;
    let unparsed = failures.get(FailureKind::Unparsed.name());
    unparsed.copied().unwrap_or(0)
}

fn mean_outside(collected: &Collected) -> Option<f64> {
    let verdicts = collected.measured();
    (verdicts > 0).then(|| collected.outside / verdicts as f64)
}
