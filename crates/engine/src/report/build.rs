//! Builds the report of a ranking, step by step: what the judgments say, the scores, and what an
//! adaptive design makes certain.

use super::data::{IntervalMethod, Report, Share};
use super::differences::pair_rows;
use super::rows::{components_by_name, dropped_judgments, fit_row, ranking_rows};
use super::warn::{warn_of_certified, warn_of_judgments, warn_of_scores, warn_of_service};
use crate::rank::method::{Ci, Method};
use crate::rank::position::ItemShare;
use crate::rank::scored::Scored;
use crate::{AdaptiveReport, Collected, EngineError, Job, RankOptions, RankScale, ScoreUnit};
use evenhand_core::{FailureKind, VerdictSource};
use evenhand_stats::{
    Bootstrap, Cluster, ClusteredRatio, Error, Ridge, StrengthScale, clustered_ratio,
};
use std::collections::BTreeMap;

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
        let by_item = options.cluster == Cluster::Item;
        let report = Report {
            aggregation: "none",
            unit: ScoreUnit::None,
            ci: IntervalMethod::new(options.ci, &options.bootstrap, by_item),
            seed: options.bootstrap.seed,
            coverage: collected.coverage.clone(),
            outside: mean_outside(collected),
            unread: count_unread(job, collected),
            stages: collected.stages.clone(),
            sources: verdicts_by_source(collected),
            ..Report::of_job(job)
        };
        let report = report.with_shares(collected, options)?;
        Ok(report.with_judgment_warnings(job, collected))
    }

    fn of_job(job: &Job) -> Report {
        Report {
            judge: job.judge(),
            protocol: job.protocol.to_string(),
            design: job.design.to_string(),
            pairwise: job.compares(),
            ..Report::default()
        }
    }

    fn with_shares(
        mut self,
        collected: &Collected,
        options: &RankOptions,
    ) -> Result<Report, EngineError> {
        self.consistency = share_of_items(&collected.position.consistent, options)?;
        self.first_slot = share_of_items(&collected.position.first_slot, options)?;
        self.agreement = share_of_items(&collected.agreeing, options)?;
        Ok(self)
    }

    fn with_judgment_warnings(mut self, job: &Job, collected: &Collected) -> Self {
        self.warnings = warn_of_judgments(job, &self);
        self.warnings.extend(warn_of_service(&collected.notes));
        self
    }

    /// Adds the ranking, and all that the scores say.
    pub(crate) fn with_scores(
        mut self,
        names: &[String],
        scored: Scored,
        method: &Method,
        scale: RankScale,
    ) -> Report {
        let scored = if method.aggregation.is_log_odds() {
            scored.on_scale(StrengthScale::from(scale))
        } else {
            scored
        };
        self.ranking = ranking_rows(names, &scored);
        self.components = components_by_name(names, &scored);
        self.fit = scored.fit.map(fit_row);
        self.prior = method.prior.map(Ridge::weight);
        self.differences = pair_rows(names, &scored, method.adjust);
        self.drop = scored
            .drop
            .as_ref()
            .map(|found| dropped_judgments(names, found));
        let warnings = warn_of_scores(&self, &scored);
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
            rounds: if ci.resamples_scores() {
                plan.rounds
            } else {
                0
            },
            level: plan.level,
        }
    }

    /// Names an estimator that makes its own intervals, without resamples; nothing changes where
    /// there are no intervals.
    pub(crate) fn made_by(self, method: &'static str, ci: Ci) -> IntervalMethod {
        if ci == Ci::None {
            return self;
        }
        IntervalMethod {
            method,
            rounds: 0,
            ..self
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

fn share_of_items(
    items: &[ItemShare],
    options: &RankOptions,
) -> Result<Option<Share>, EngineError> {
    let rows: Vec<(f64, f64)> = items.iter().map(|item| (item.with, item.cases)).collect();
    let ratio = match clustered_ratio(&rows, &options.share_plan()) {
        Err(Error::Undefined(_)) => return Ok(None),
        ratio => ratio?,
    };
    Ok(Some(Share {
        value: ratio.value,
        ci: finite_interval(&ratio).filter(|_| options.ci != Ci::None),
        n: ratio.n as u64,
    }))
}

fn finite_interval(ratio: &ClusteredRatio) -> Option<[f64; 2]> {
    let interval = ratio.interval.as_ref().ok()?;
    Some([interval.low?, interval.high?])
}

fn verdicts_by_source(collected: &Collected) -> BTreeMap<&'static str, u64> {
    let counts = VerdictSource::ALL.map(|source| (source.name(), collected.from_source(source)));
    let counts = counts.into_iter();
    counts.filter(|(_, count)| *count > 0).collect()
}

/// Counts replies that a second stage might have read.
fn count_unread(job: &Job, collected: &Collected) -> u64 {
    if job.judges.second_stage.is_some() {
        return 0;
    }
    let failures = &collected.coverage.failures;
    failures
        .get(FailureKind::Unparsed.name())
        .copied()
        .unwrap_or(0)
}

fn mean_outside(collected: &Collected) -> Option<f64> {
    let verdicts = collected.from_source(VerdictSource::Probabilities);
    (verdicts > 0).then(|| collected.outside / verdicts as f64)
}
