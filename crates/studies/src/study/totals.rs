//! Labelled input sets together: totals, and differences between protocols on the same pairs.

use super::config::Config;
use crate::judge::{
    Evaluation, JudgedPairs, PairedDifference, Settings, evaluate, paired_differences,
};
use evenhand_engine::EngineError;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// What judges said of labelled input sets, each with its set.
pub(super) type JudgedSets = Vec<(String, JudgedPairs)>;

/// A judge's differences between protocols over some input sets.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtocolDifferences {
    /// The total that they are over.
    pub total: String,
    /// The judge.
    pub judge: String,
    /// Every two protocols.
    pub differences: Vec<PairedDifference>,
}

/// The name of the total where the study names none.
const TOTAL: &str = "total";

/// Differences between so many protocols are listed; nobody reads those of more.
const COMPARED_PROTOCOLS: RangeInclusive<usize> = 2..=12;

/// The names of the input sets of each total.
type Totals = BTreeMap<String, Vec<String>>;

/// Returns the totals of a study: the named ones, or one over all sets where there are several.
fn totals_of(config: &Config, judged: &JudgedSets) -> Totals {
    let mut totals = config.totals.clone();
    if totals.is_empty() {
        totals.insert(TOTAL.into(), all_sets(judged));
    }
    totals
}

fn all_sets(judged: &JudgedSets) -> Vec<String> {
    let sets: BTreeSet<String> = judged.iter().map(|(set, _)| set.clone()).collect();
    sets.into_iter().collect()
}

/// A total, and what each judge said by each protocol of its sets together.
pub(super) type MergedTotal = (String, Vec<JudgedPairs>);

/// Puts the sets of every total together.
pub(super) fn merge_totals(config: &Config, judged: &JudgedSets) -> Vec<MergedTotal> {
    totals_of(config, judged)
        .into_iter()
        .map(|(total, sets)| (total, merge_sets(judged, &sets)))
        .collect()
}

/// Evaluates each judge by each protocol over every total of more than one set.
pub(super) fn evaluate_totals(
    totals: &[MergedTotal],
    settings: &Settings,
) -> Result<Vec<(String, Evaluation)>, EngineError> {
    let mut found = Vec::new();
    for (total, merged) in totals {
        for one in merged.iter().filter(|one| one.subsets.len() > 1) {
            found.push((total.clone(), evaluate(one, settings)?));
        }
    }
    Ok(found)
}

/// Compares every two protocols of each judge over every total.
pub(super) fn compare_protocols(
    totals: Vec<MergedTotal>,
    settings: &Settings,
) -> Result<Vec<ProtocolDifferences>, EngineError> {
    let mut found = Vec::new();
    for (total, merged) in totals {
        for (judge, all) in judges_to_compare(merged) {
            found.push(ProtocolDifferences {
                total: total.clone(),
                judge,
                differences: paired_differences(&all, settings)?,
            });
        }
    }
    Ok(found)
}

/// A judge, and what it said by each of its protocols.
type ByProtocol = (String, Vec<JudgedPairs>);

/// Returns the judges whose protocols are compared.
fn judges_to_compare(merged: Vec<JudgedPairs>) -> impl Iterator<Item = ByProtocol> {
    let built_in = merged.into_iter().filter(|one| one.prompts.is_none());
    let judges = group_by_judge(built_in.collect()).into_iter();
    judges.filter(|(_, all)| COMPARED_PROTOCOLS.contains(&all.len()))
}

/// Returns what each judge said by its protocols, in the order in which the judges come first.
fn group_by_judge(merged: Vec<JudgedPairs>) -> Vec<ByProtocol> {
    let mut by_judge: Vec<ByProtocol> = Vec::new();
    for one in merged {
        let mut known = by_judge.iter_mut();
        match known.find(|(judge, _)| *judge == one.judge) {
            Some((_, all)) => all.push(one),
            None => by_judge.push((one.judge.clone(), vec![one])),
        }
    }
    by_judge
}

/// Returns each judge's pairs by each protocol, of these sets together, in the order in which they
/// were judged.
fn merge_sets(judged: &JudgedSets, sets: &[String]) -> Vec<JudgedPairs> {
    let own = judged.iter().filter(|(set, _)| sets.contains(set));
    let mut kinds: Vec<Vec<&(String, JudgedPairs)>> = Vec::new();
    for one in own {
        let mut known = kinds.iter_mut();
        match known.find(|kind| kind[0].1.is_same_judge(&one.1)) {
            Some(kind) => kind.push(one),
            None => kinds.push(vec![one]),
        }
    }
    kinds.into_iter().map(merge_kind).collect()
}

/// Puts together what a judge said by one protocol of several sets.
fn merge_kind(of_kind: Vec<&(String, JudgedPairs)>) -> JudgedPairs {
    let sets = of_kind.into_iter().map(|(set, one)| (set.as_str(), one));
    JudgedPairs::merge(&sets.collect::<Vec<_>>())
}
