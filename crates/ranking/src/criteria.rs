//! Criteria of checklists: what was said of each, and a ranking for each that items share.

use crate::method::Ci;
use crate::report::data::{CriteriaReport, CriterionKind, CriterionRanking};
use crate::score::{Evidence, score};
use crate::{Aggregation, Collected, RankOptions, Report};
use evenhand_core::{JudgedCriterion, Judgment, Verdict};
use evenhand_engine::{EngineError, Job};
use evenhand_stats::{ItemScore, ItemScores};
use std::collections::{BTreeMap, BTreeSet};

/// What was said of the criteria of checklists, as numbers.
#[derive(Clone, Debug, Default)]
pub struct CollectedCriteria {
    /// Verdicts on single criteria.
    verdicts: u64,
    /// Failures of single criteria by kind.
    failures: BTreeMap<String, u64>,
    /// Whether a model wrote any of them.
    model_written: bool,
    rows: Vec<CriterionRow>,
}

/// Which criteria are ranked by together, and their name where they have one.
type CriterionGroup = (CriterionKind, String);

/// How far a response meets a criterion of its item.
#[derive(Clone, Debug)]
struct CriterionRow {
    name: Option<String>,
    is_fault: bool,
    /// From 0 to 1, higher the better: of a fault, how far the response is without it.
    score: ItemScore,
}

impl CollectedCriteria {
    /// Takes what the looks of a judgment say of criteria. The samples and judges that say
    /// something of one count alike.
    pub(crate) fn add(&mut self, judgment: &Judgment) {
        let mut said: BTreeMap<u32, (&JudgedCriterion, Vec<f64>)> = BTreeMap::new();
        for look in &judgment.looks {
            let Some(judged) = look.criterion.as_deref() else {
                continue;
            };
            self.model_written |= judged.model_written;
            match &look.outcome {
                Ok(verdict) => {
                    self.verdicts += 1;
                    if let Verdict::Pointwise { score, .. } = verdict {
                        let of_one = said.entry(judged.number);
                        of_one.or_insert((judged, Vec::new())).1.push(*score);
                    }
                }
                Err(failure) => {
                    *self.failures.entry(failure.kind.name().into()).or_default() += 1;
                }
            }
        }
        let [system] = judgment.trial.systems[..] else {
            return;
        };
        for (judged, met) in said.into_values() {
            let met = met.iter().sum::<f64>() / met.len() as f64;
            let is_fault = judged.criterion.is_fault();
            self.rows.push(CriterionRow {
                name: judged.criterion.name.clone(),
                is_fault,
                score: ItemScore {
                    item: judgment.trial.item,
                    system: system as u16,
                    score: if is_fault { 1.0 - met } else { met },
                },
            });
        }
    }

    /// Returns what was counted; None where nothing was judged by criteria.
    pub(crate) fn count(&self) -> Option<CriteriaReport> {
        let any = self.verdicts > 0 || !self.failures.is_empty();
        any.then(|| CriteriaReport {
            verdicts: self.verdicts,
            failures: self.failures.clone(),
            model_written: self.model_written,
            rankings: Vec::new(),
        })
    }

    /// Groups the rows by criteria of one name that several items have, by name; then merits and
    /// faults of single items.
    fn group(&self) -> BTreeMap<CriterionGroup, Vec<&CriterionRow>> {
        let mut items: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for row in &self.rows {
            if let Some(name) = &row.name {
                items.entry(name).or_default().insert(row.score.item);
            }
        }
        let is_shared = |name: &String| items[name.as_str()].len() > 1;
        let mut groups: BTreeMap<_, Vec<&CriterionRow>> = BTreeMap::new();
        for row in &self.rows {
            let group = match &row.name {
                Some(name) if is_shared(name) => (CriterionKind::Shared, name.clone()),
                _ if row.is_fault => (CriterionKind::OwnFaults, String::new()),
                _ => (CriterionKind::OwnMerits, String::new()),
            };
            groups.entry(group).or_default().push(row);
        }
        groups
    }
}

/// Ranks the systems by each criterion that several items share, and by what they make of the
/// criteria of single items.
///
/// # Errors
/// Numbers that the statistics refuse.
pub(crate) fn rank_criteria(
    job: &Job,
    collected: &Collected,
    options: &RankOptions,
) -> Result<Option<CriteriaReport>, EngineError> {
    let Some(counted) = collected.criteria.count() else {
        return Ok(None);
    };
    // Criteria are met or not, so their scores are means, with intervals as the whole has them.
    let options = RankOptions {
        aggregation: Some(Aggregation::Mean),
        scale: options.scale,
        ci: match options.ci {
            Ci::Sandwich => Ci::Bootstrap,
            ci => ci,
        },
        cluster: options.cluster,
        bootstrap: options.bootstrap,
        ..RankOptions::default()
    };
    let method = options.method(Aggregation::Mean)?;
    let systems = &job.dataset.systems;
    let names: Vec<String> = systems.iter().map(ToString::to_string).collect();
    let mut rankings = Vec::new();
    for ((kind, name), rows) in collected.criteria.group() {
        let items: BTreeSet<u32> = rows.iter().map(|row| row.score.item).collect();
        let scores = rows.iter().map(|row| row.score).collect();
        let question_of = |item| job.clusters.of(item);
        let scores = ItemScores::clustered(systems.len(), scores, question_of)?;
        let scored = score(&Evidence::Scores(scores), &method)?.within([0.0, 1.0]);
        let report = Report::default().with_scores(&names, scored, &method, options.scale);
        rankings.push(CriterionRanking {
            criterion: (kind == CriterionKind::Shared).then_some(name),
            kind,
            fault: rows.iter().all(|row| row.is_fault),
            items: items.len() as u64,
            ranking: report.ranking,
        });
    }
    Ok(Some(CriteriaReport {
        rankings,
        ..counted
    }))
}
