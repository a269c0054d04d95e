//! Criteria of checklists: what was said of each, and a ranking for each that items share.

use crate::rank::method::Ci;
use crate::rank::score::{Evidence, score};
use crate::report::data::{CriteriaReport, CriterionKind, CriterionRanking};
use crate::{Aggregation, Collected, EngineError, Job, RankOptions, Report};
use evenhand_core::{JudgedCriterion, Judgment, Look, Verdict};
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
        let said = self.count_looks(&judgment.looks);
        let [system] = judgment.trial.systems[..] else {
            return;
        };
        let (item, system) = (judgment.trial.item, system as u16);
        self.rows.extend(said.values().filter_map(|said| {
            let (judged, score) = average_said(said)?;
            let score = ItemScore {
                item,
                system,
                score,
            };
            Some(CriterionRow::new(judged, score))
        }));
    }

    /// Counts the looks at criteria; returns what was read of each, by its number.
    fn count_looks<'a>(&mut self, looks: &'a [Look]) -> BTreeMap<u32, Vec<SaidOfOne<'a>>> {
        let mut said: BTreeMap<u32, Vec<SaidOfOne>> = BTreeMap::new();
        for look in looks {
            if let (Some(judged), Some(met)) = (&look.criterion, self.count_look(look)) {
                said.entry(judged.number).or_default().push((judged, met));
            }
        }
        said
    }

    /// Counts a look at a criterion; returns how far that is met, where it was read.
    fn count_look(&mut self, look: &Look) -> Option<f64> {
        let judged = look.criterion.as_ref()?;
        self.model_written |= judged.model_written;
        match &look.outcome {
            Ok(verdict) => self.count_verdict(verdict),
            Err(failure) => {
                *self.failures.entry(failure.kind.name().into()).or_default() += 1;
                None
            }
        }
    }

    fn count_verdict(&mut self, verdict: &Verdict) -> Option<f64> {
        self.verdicts += 1;
        match verdict {
            Verdict::Pointwise { score, .. } => Some(*score),
            _ => None,
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
        let shared = self.find_shared_names();
        let mut groups: BTreeMap<_, Vec<&CriterionRow>> = BTreeMap::new();
        for row in &self.rows {
            groups.entry(row.group(&shared)).or_default().push(row);
        }
        groups
    }

    fn find_shared_names(&self) -> BTreeSet<&str> {
        let mut items: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for row in &self.rows {
            if let Some(name) = &row.name {
                items.entry(name).or_default().insert(row.score.item);
            }
        }
        items.retain(|_, items| items.len() > 1);
        items.into_keys().collect()
    }
}

/// A criterion, and how far it is met.
type SaidOfOne<'a> = (&'a JudgedCriterion, f64);

/// Returns a criterion with the mean of what was said of it.
fn average_said<'a>(said: &[SaidOfOne<'a>]) -> Option<SaidOfOne<'a>> {
    let (judged, _) = said.first()?;
    let sum: f64 = said.iter().map(|(_, met)| met).sum();
    Some((judged, sum / said.len() as f64))
}

impl CriterionRow {
    fn new(judged: &JudgedCriterion, score: ItemScore) -> CriterionRow {
        let is_fault = judged.criterion.is_fault();
        let met = score.score;
        CriterionRow {
            name: judged.criterion.name.clone(),
            is_fault,
            score: ItemScore {
                score: if is_fault { 1.0 - met } else { met },
                ..score
            },
        }
    }

    fn group(&self, shared: &BTreeSet<&str>) -> CriterionGroup {
        let kind = match (&self.name, self.is_fault) {
            (Some(name), _) if shared.contains(name.as_str()) => {
                return (CriterionKind::Shared, name.clone());
            }
            (_, false) => CriterionKind::OwnMerits,
            (_, true) => CriterionKind::OwnFaults,
        };
        (kind, String::new())
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
    let options = options_of_criteria(options);
    let groups = collected.criteria.group().into_iter();
    let rankings = groups.map(|(group, rows)| rank_group(job, group, &rows, &options));
    Ok(Some(CriteriaReport {
        rankings: rankings.collect::<Result<_, _>>()?,
        ..counted
    }))
}

fn rank_group(
    job: &Job,
    (kind, name): CriterionGroup,
    rows: &[&CriterionRow],
    options: &RankOptions,
) -> Result<CriterionRanking, EngineError> {
    Ok(CriterionRanking {
        criterion: (kind == CriterionKind::Shared).then_some(name),
        kind,
        fault: rows.iter().all(|row| row.is_fault),
        items: count_items(rows),
        ranking: rank_rows(job, rows, options)?.ranking,
    })
}

/// Criteria are met or not, so their scores are means, with intervals as the whole has them.
fn options_of_criteria(options: &RankOptions) -> RankOptions {
    RankOptions {
        aggregation: Some(Aggregation::Mean),
        scale: options.scale,
        ci: match options.ci {
            Ci::Sandwich => Ci::Bootstrap,
            ci => ci,
        },
        cluster: options.cluster,
        bootstrap: options.bootstrap,
        ..RankOptions::default()
    }
}

fn count_items(rows: &[&CriterionRow]) -> u64 {
    let items: BTreeSet<u32> = rows.iter().map(|row| row.score.item).collect();
    items.len() as u64
}

fn rank_rows(
    job: &Job,
    rows: &[&CriterionRow],
    options: &RankOptions,
) -> Result<Report, EngineError> {
    let systems = &job.dataset.systems;
    let method = options.method(Aggregation::Mean)?;
    let scores = rows.iter().map(|row| row.score).collect();
    let question_of = |item| job.clusters.of(item);
    let scores = ItemScores::clustered(systems.len(), scores, question_of)?;
    let evidence = Evidence::Scores(scores);
    let names: Vec<String> = systems.iter().map(ToString::to_string).collect();
    let scored = score(&evidence, &method)?;
    Ok(Report::default().with_scores(&names, scored, &method, options.scale))
}
