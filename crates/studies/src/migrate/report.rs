//! What moves with the new judge, as plain data.

use super::agreement::{People, side_of};
use super::old::OldRun;
use super::population::{Answers, Cell, Layout, Population, Said};
use crate::judge::shown_pair;
use evenhand_core::are_same;
use evenhand_engine::{EngineError, Job};
use evenhand_protocols::Presentation;
use evenhand_stats::migration::{Migration, PairChange, RankingChange};
use evenhand_stats::{clustered_share, mean_value};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What becomes of the ranking: every pair of systems that the old judge tells apart keeps its
/// order, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RankingFate {
    /// All of them keep it.
    Same,
    /// At least one does not.
    Changed,
    /// Neither is certain.
    Undecided,
    /// The old judge tells no two systems apart.
    NothingToKeep,
}

/// What becomes of the order of two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairFate {
    /// The new judge has the same one above.
    Kept,
    /// The new judge has the other one above.
    Reversed,
    /// All is asked, and the new judge has them exactly even.
    Even,
    /// It is not certain, or judgments without a verdict could turn it.
    Undecided,
    /// The old judge does not tell them apart: there is no order to keep.
    NotApart,
}

/// Why no more was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum MigrationEnd {
    /// More could decide nothing.
    Decided,
    /// All is asked.
    All,
    /// The new judge came to no verdict on the first that it was asked.
    NoVerdict,
    /// A limit was met.
    Limit {
        /// The limit, as it was given.
        limit: String,
    },
}

/// What differences of pairs are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MigrationUnit {
    /// The share of the first, less a half, or the difference of two shares against the reference.
    Share,
    /// Points of the judge's scale.
    Points,
}

/// Two systems under both judges. Differences are for the one above, in the unit of `compare` and
/// of its conditions' margins.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MigratedPair {
    /// The system that the old judge has above.
    pub above: String,
    /// The other.
    pub below: String,
    /// What becomes of their order.
    pub fate: PairFate,
    /// The old judge's p-value of no difference, by Holm over all pairs.
    pub old_p_value: f64,
    /// The old judge's difference; None where it has no verdict on the two.
    pub old: Option<f64>,
    /// Bounds of what the new judge's difference on all items is; all of them hold together.
    pub new: [f64; 2],
    /// By how much the difference moves from the old judge to the new one, least and most: how much
    /// a gate's margin must move to stop the same. Both differences are on all items: where the old
    /// judge has no verdict, it could have said anything. None without an old difference.
    pub shift: Option<[f64; 2]>,
    /// Items on which the two are judged, of which the new judge was asked so many.
    pub items: u64,
    /// See `items`.
    pub items_asked: u64,
    /// Of the items asked, those on which a judgment has no verdict.
    pub items_failed: u64,
    /// Of the items, those on which the old judge has a verdict.
    pub items_old: u64,
}

/// Agreement with people under both judges, of the pairs that have a label and a verdict of the old
/// judge.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AgreementMoved {
    /// Labelled pairs.
    pub labels: u64,
    /// Of these, how many the new judge was asked of.
    pub labels_asked: u64,
    /// The share on which the old judge agrees.
    pub old: f64,
    /// Bounds of the new judge's share of all labelled pairs; they hold together with those of the
    /// systems' differences.
    pub new: [f64; 2],
    /// By how much it moves.
    pub shift: [f64; 2],
}

/// How often a judge prefers the same response in both orders.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Consistency {
    /// Pairs on items that have a verdict in both orders, in each list by itself.
    pub pairs: u64,
    /// The share with the same preference in both.
    pub share: f64,
    /// Its interval, over questions; None where that is undefined.
    pub ci: Option<[f64; 2]>,
}

/// The consistency of both judges on the pairs and items that both judged.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ConsistencyMoved {
    /// The old judge's.
    pub old: Consistency,
    /// The new judge's.
    pub new: Consistency,
}

/// What moves with the new judge.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MigrationReport {
    /// What becomes of the ranking.
    pub ranking: RankingFate,
    /// 1 less the chance, at most, that the ranking is said to stay the same though it does not;
    /// and that a pair is said to be what it is not.
    pub confidence: f64,
    /// The old judge, by identity.
    pub old_judge: String,
    /// The new judge, by identity.
    pub new_judge: String,
    /// The run of the old judge.
    pub old_run: String,
    /// The run of the new judge.
    pub new_run: String,
    /// Why no more was asked.
    pub ended: MigrationEnd,
    /// Items of the run, and how many the new judge was asked of.
    pub items: u64,
    /// See `items`.
    pub items_asked: u64,
    /// Of the items, those on which the old judge has a verdict on two systems.
    pub items_old: u64,
    /// Judgments that asking everything takes, and how many were made.
    pub judgments: u64,
    /// See `judgments`.
    pub judgments_asked: u64,
    /// Of those made, how many came to a verdict.
    pub verdicts: u64,
    /// What differences are in.
    pub unit: MigrationUnit,
    /// Every pair of systems that is compared: first those that change, then those that are not
    /// decided, those that are kept, and those that the old judge does not tell apart.
    pub pairs: Vec<MigratedPair>,
    /// Agreement with people; None without labels.
    pub agreement: Option<AgreementMoved>,
    /// Consistency of both judges; None where pairs are judged in one order alone.
    pub consistency: Option<ConsistencyMoved>,
    /// Settings other than the judge that differ between the runs.
    pub settings: Vec<String>,
}

/// What a report is made of.
pub(super) struct Inputs<'a> {
    pub(super) job: &'a Job,
    pub(super) old: &'a OldRun,
    pub(super) population: &'a Population,
    pub(super) people: &'a People,
    pub(super) answers: &'a Answers,
    pub(super) confidence: f64,
}

// Long, and nearly flat: a line a field of the report.
pub(super) fn report(
    inputs: Inputs<'_>,
    migration: &Migration,
    ended: MigrationEnd,
) -> Result<MigrationReport, EngineError> {
    let Inputs {
        job,
        old,
        population,
        people,
        answers,
        confidence,
    } = inputs;
    let name = |system: u32| job.dataset.systems[system as usize].to_string();
    let (means, changes) = (migration.means(), migration.pairs());
    let mut pairs = Vec::with_capacity(population.pairs.len());
    for ((pair, mean), change) in population.pairs.iter().zip(&means).zip(changes) {
        let unit = population.layout.unit(pair.systems);
        let old = pair.old_mean.map(|mean| mean * unit);
        let new = [mean.low, mean.high].map(|mean| pair.over_items(mean) * unit);
        let items = pair.places.iter().flatten();
        let said: Vec<[f64; 2]> = items
            .filter_map(|item| population.new_difference(*item, pair.systems, answers))
            .collect();
        pairs.push(MigratedPair {
            above: name(pair.systems[0]),
            below: name(pair.systems[1]),
            fate: match change {
                PairChange::Kept => PairFate::Kept,
                PairChange::Reversed => PairFate::Reversed,
                PairChange::Even => PairFate::Even,
                PairChange::Undecided => PairFate::Undecided,
                PairChange::NotApart => PairFate::NotApart,
            },
            old_p_value: pair.p_value,
            old,
            new,
            shift: old.is_some().then(|| {
                let old = pair.old_bounds.map(|old| old * unit);
                [new[0] - old[1], new[1] - old[0]]
            }),
            items: pair.items as u64,
            items_asked: said.len() as u64,
            items_failed: said.iter().filter(|[low, high]| low < high).count() as u64,
            items_old: pair.old_items as u64,
        });
    }
    // The sort is stable: among pairs of one fate, the order of the data.
    pairs.sort_by_key(|pair| match pair.fate {
        PairFate::Reversed => 0,
        PairFate::Even => 1,
        PairFate::Undecided => 2,
        PairFate::Kept => 3,
        PairFate::NotApart => 4,
    });
    let items: HashSet<u32> = answers.said.cells().map(|((item, _), _)| *item).collect();
    let planned: HashSet<u32> = job.plan.trials().map(|trial| trial.item).collect();
    let agreement = people.new_share(migration).map(|(new, known)| {
        let old = people.old_agrees as f64 / people.labels as f64;
        AgreementMoved {
            labels: people.labels,
            labels_asked: known,
            old,
            new,
            shift: new.map(|new| new - old),
        }
    });
    let judgments = job.plan.len();
    Ok(MigrationReport {
        ranking: match migration.ranking() {
            RankingChange::Same => RankingFate::Same,
            RankingChange::Changed => RankingFate::Changed,
            RankingChange::Undecided => RankingFate::Undecided,
            RankingChange::NothingToKeep => RankingFate::NothingToKeep,
        },
        confidence,
        old_judge: old.setting("judge").unwrap_or_default().replace('\n', ", "),
        new_judge: job.judges.panel.join(", "),
        old_run: old.dir.display().to_string(),
        new_run: String::new(),
        ended: match ended {
            MigrationEnd::Decided if answers.asked() >= judgments => MigrationEnd::All,
            ended => ended,
        },
        items: planned.len() as u64,
        items_asked: items.len() as u64,
        items_old: population.items_old() as u64,
        judgments,
        judgments_asked: answers.asked(),
        verdicts: answers.verdicts,
        unit: match population.layout {
            Layout::Scores { .. } => MigrationUnit::Points,
            Layout::Pairs | Layout::Against(_) => MigrationUnit::Share,
        },
        pairs,
        agreement,
        consistency: consistency(job, population, answers, confidence)?,
        settings: old
            .manifest
            .differences(&job.manifest()?)
            .into_iter()
            .filter(|difference| difference.key != "judge" && difference.key != "data")
            .map(|difference| difference.key)
            .collect(),
    })
}

/// Of each two systems on an item, in each list that they stood in: how many judgments in both
/// orders prefer the same response, and how many there are.
pub(super) type Orders<'a> = HashMap<(Cell, Option<&'a [u32]>), (u64, u64)>;

/// The consistency of both judges on the pairs where both have a verdict in both orders, in the
/// same list if in any, and the responses differ; None where there is none.
fn consistency(
    job: &Job,
    population: &Population,
    answers: &Answers,
    level: f64,
) -> Result<Option<ConsistencyMoved>, EngineError> {
    let within = job.protocol.presentation() == Presentation::BothWithinTrial;
    let old = orders_of(&population.old, within);
    let new = orders_of(&answers.said, within);
    let of = |orders: &Orders, others: &Orders| {
        let mut questions: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (shown, (same, all)) in orders {
            let (item, systems) = shown.0;
            let pair = shown_pair(&job.dataset, item, systems)?;
            // Both orders of the same response twice are one prompt, and say nothing of a judge.
            let is_same = pair.is_some_and(|pair| are_same(&pair, 0, 1));
            if others.contains_key(shown) && !is_same {
                let entry = questions.entry(job.clusters.of(item)).or_default();
                entry.0 += same;
                entry.1 += all;
            }
        }
        let counts = questions.values();
        let counts: Vec<(f64, f64)> = counts
            .map(|(same, all)| (*same as f64, *all as f64))
            .collect();
        if counts.is_empty() {
            return Ok::<_, EngineError>(None);
        }
        let share = clustered_share(&counts, level)?;
        Ok(Some(Consistency {
            pairs: share.n as u64,
            share: share.value,
            ci: share.interval.ok(),
        }))
    };
    let both = of(&old, &new)?.zip(of(&new, &old)?);
    Ok(both.map(|(old, new)| ConsistencyMoved { old, new }))
}

/// The orders of every two systems that were judged together. `within`: each judgment of two has
/// both orders in it.
pub(super) fn orders_of(said: &Said, within: bool) -> Orders<'_> {
    let mut orders = Orders::new();
    for (cell, said) in said.cells() {
        if cell.1[0] == cell.1[1] {
            continue;
        }
        let mut lists: BTreeMap<Option<&[u32]>, [Vec<f64>; 2]> = BTreeMap::new();
        for one in &said.verdicts {
            let values = lists.entry(one.list.as_deref()).or_default();
            values[usize::from(one.is_swapped)].push(one.value);
        }
        for (list, values) in lists {
            let all = values.iter().map(Vec::len).sum::<usize>() as u64;
            let [forward, swapped] =
                values.map(|values| mean_value(&values).map(|mean| side_of(mean - 0.5)));
            let found = match (forward.zip(swapped), list) {
                (Some((one, other)), _) => (u64::from(one == other), 1),
                // Whether the orders within a list agree is not kept.
                (None, None) if within => (all - u64::from(said.flipped), all),
                _ => continue,
            };
            orders.insert((*cell, list), found);
        }
    }
    orders
}
