//! Builds the report of a ranking, step by step: what the judgments say, the scores, and what an
//! adaptive design makes certain.

use super::answer::Answer;
use super::data::{
    self, IntervalMethod, Intervals, MissingItems, MissingPairs, Report, ReportJudge, Share,
};
use super::noise::NoiseFloor;
use super::rows::{components_by_name, dropped_judgments, fit_row, pair_rows, ranking_rows};
use super::warn::{warn_of_certified, warn_of_judgments, warn_of_scores, warn_of_service};
use crate::method::{Ci, Method};
use crate::position::ItemShare;
use crate::score::Scored;
use crate::{Collected, RankOptions, RankScale};
use evenhand_core::{Clusters, FailureKind, VerdictSource};
use evenhand_engine::{AdaptiveReport, EngineError, Job, TournamentReport};
use evenhand_protocols::{ChecklistCalls, Form};
use evenhand_stats::{Bootstrap, Cluster, Error, Ridge, StrengthScale, clustered_share};
use std::collections::{BTreeMap, BTreeSet};

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
        let systems = &job.dataset.systems;
        let plan = &options.bootstrap;
        let items: BTreeSet<u32> = collected.items.iter().copied().collect();
        let questions: BTreeSet<u32> = items.iter().map(|item| job.clusters.of(*item)).collect();
        let without_verdict = collected.items_without_verdict(systems.len());
        let lacking = systems.iter().zip(without_verdict);
        let missing = lacking
            .filter(|(_, items)| *items > 0)
            .map(|(system, items)| MissingItems {
                system: system.to_string(),
                items,
                of: job.dataset.items.len() as u64,
            });
        let whole = collected.in_whole_pairs();
        let lacking = whole.pairs_without_verdict();
        let missing_pairs = lacking.into_iter().map(|(pair, items)| MissingPairs {
            systems: pair.map(|system| systems[system as usize].to_string()),
            items,
            of: job.dataset.items.len() as u64,
        });
        let measured = collected.measured();
        let sources = VerdictSource::ALL
            .iter()
            .map(|source| (source.name(), collected.from_source(*source)));
        let sources: BTreeMap<_, _> = sources.filter(|(_, count)| *count > 0).collect();
        // Replies that a second stage might have read.
        let is_list = job.protocol.form() == Form::Checklist(ChecklistCalls::Together);
        let unread = match job.judges.second_stage {
            None if !is_list => {
                let unparsed = collected
                    .coverage
                    .failures
                    .get(FailureKind::Unparsed.name());
                unparsed.copied().unwrap_or(0)
            }
            _ => 0,
        };
        let rows = |shares: &[ItemShare]| -> Vec<(f64, f64)> {
            let sums = sum_by_question(shares, collected, &job.clusters);
            sums.iter().map(|sum| (sum.with, sum.cases)).collect()
        };
        let share = |shares: &[ItemShare]| share_of_rows(&rows(shares), options);
        let below_coin = is_below_half(&rows(&collected.position.consistent), plan.level)?;
        let mut report = Report {
            aggregation: "none",
            judge: ReportJudge::Named(job.judge()),
            protocol: job.protocol.to_string(),
            design: job.design.to_string(),
            pairwise: job.compares(),
            ci: IntervalMethod::new(options.ci, plan, options.cluster == Cluster::Item),
            seed: plan.seed,
            items: items.len() as u64,
            questions: questions.len() as u64,
            noise: NoiseFloor::of_collected(&whole, &job.clusters, systems.len(), plan.level),
            coverage: collected.coverage.clone(),
            set_aside: whole.set_aside,
            missing: Some(missing.collect()),
            missing_pairs: missing_pairs.collect(),
            outside: (measured > 0).then(|| collected.outside / measured as f64),
            unread,
            stages: collected.stages.clone(),
            sources,
            criteria: collected.criteria.count(),
            consistency: share(&collected.position.consistent)?,
            first_slot: share(&collected.position.first_slot)?,
            agreement: share(&collected.agreeing)?,
            ..Report::default()
        };
        report.warnings = warn_of_judgments(job, &report, collected, below_coin);
        report.warnings.extend(warn_of_service(&collected.notes));
        Ok(report)
    }

    /// Adds the ranking, and all that the scores say.
    pub(crate) fn with_scores(
        self,
        names: &[String],
        scored: Scored,
        method: &Method,
        scale: RankScale,
    ) -> Report {
        // Scores that are not log-odds have a unit of their own.
        let scored = if method.aggregation.is_log_odds() {
            scored.on_scale(scale.into())
        } else if self.unit.is_share() {
            scored.within([0.0, 1.0])
        } else {
            scored
        };
        let drop = scored.drop.as_ref();
        let differences = pair_rows(names, &scored, method.rank.adjust);
        let mut report = Report {
            ranking: ranking_rows(names, &scored),
            components: components_by_name(names, &scored),
            fit: scored.fit.map(fit_row),
            prior: method.prior.map(Ridge::weight),
            adjust: (!differences.is_empty()).then_some(method.rank.adjust),
            differences,
            drop: drop.map(|found| dropped_judgments(names, found)),
            ..self
        };
        let warnings = warn_of_scores(&report, &scored);
        report.warnings.extend(warnings);
        report.answer = Some(Answer::of(&report, &scored));
        report
    }

    /// Adds what an adaptive design makes certain.
    #[must_use]
    pub fn with_adaptive(mut self, found: AdaptiveReport) -> Report {
        self.warnings.extend(warn_of_certified(&found));
        self.answer = self.answer.map(|answer| answer.with_certified(&found));
        self.adaptive = Some(found);
        self
    }

    /// Adds who met whom in a tournament.
    #[must_use]
    pub fn with_tournament(mut self, found: TournamentReport) -> Report {
        self.tournament = Some(found);
        self
    }
}

impl IntervalMethod {
    pub(crate) fn new(ci: Ci, plan: &Bootstrap, by_item: bool) -> IntervalMethod {
        IntervalMethod {
            method: ci.intervals(),
            cluster: if by_item {
                data::Cluster::Item
            } else {
                data::Cluster::None
            },
            column: None,
            units: None,
            // Intervals that are made without resamples have no rounds.
            rounds: if ci.resamples_scores() {
                plan.rounds
            } else {
                0
            },
            level: plan.level,
        }
    }

    /// Says that the values of a column count once.
    #[must_use]
    pub(crate) fn over_column(self, column: &str) -> IntervalMethod {
        let [_, several] = data::units_of_column(column);
        IntervalMethod {
            column: Some(column.into()),
            units: Some(several),
            ..self
        }
    }

    /// Names an estimator that makes its own intervals, without resamples; nothing changes where
    /// there are no intervals.
    pub(crate) fn made_by(self, method: Intervals, ci: Ci) -> IntervalMethod {
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

/// Whether a share is below a half, by a test of one side at 1 - `level`: its interval of two sides
/// would ask twice as much.
fn is_below_half(rows: &[(f64, f64)], level: f64) -> Result<bool, Error> {
    match clustered_share(rows, (2.0 * level - 1.0).max(0.5)) {
        Err(Error::Undefined(_)) => Ok(false),
        share => Ok(share?.interval.is_ok_and(|[_, high]| high <= 0.5)),
    }
}

fn share_of_rows(rows: &[(f64, f64)], options: &RankOptions) -> Result<Option<Share>, Error> {
    let share = match clustered_share(rows, options.bootstrap.level) {
        // The share of no cases is not known, which is no error.
        Err(Error::Undefined(_)) => return Ok(None),
        share => share?,
    };
    Ok(Some(Share {
        value: share.value,
        ci: share.interval.ok().filter(|_| options.ci != Ci::None),
        n: share.n as u64,
    }))
}
