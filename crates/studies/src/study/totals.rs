//! Labelled input sets together: totals, and differences between protocols on the same pairs.

use super::config::Config;
use crate::judge::{
    Evaluation, JudgedPairs, PairedDifference, Settings, evaluate, paired_differences,
};
use evenhand_engine::EngineError;
use std::collections::BTreeMap;

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

/// Differences of so many protocols at most are listed.
const MOST_PROTOCOLS: usize = 12;

/// Returns the totals of a study: the named ones, or one over all sets where there are several.
fn totals_of(config: &Config, judged: &JudgedSets) -> BTreeMap<String, Vec<String>> {
    if !config.totals.is_empty() {
        return config.totals.clone();
    }
    let mut sets: Vec<String> = judged.iter().map(|(set, _)| set.clone()).collect();
    sets.sort();
    sets.dedup();
    BTreeMap::from([(TOTAL.to_string(), sets)])
}

/// A total, and what each judge said by each protocol of its sets together.
pub(super) type MergedTotal = (String, Vec<JudgedPairs>);

/// Puts the sets of every total together.
pub(super) fn merge_totals(config: &Config, judged: &JudgedSets) -> Vec<MergedTotal> {
    let totals = totals_of(config, judged).into_iter();
    totals
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
        let judges = group_by_judge(merged).into_iter();
        for (judge, all) in judges.filter(|(_, all)| (2..=MOST_PROTOCOLS).contains(&all.len())) {
            found.push(ProtocolDifferences {
                total: total.clone(),
                judge,
                differences: paired_differences(&all, settings)?,
            });
        }
    }
    Ok(found)
}

/// Returns what each judge said by its protocols, in the order in which the judges come first.
fn group_by_judge(merged: Vec<JudgedPairs>) -> Vec<(String, Vec<JudgedPairs>)> {
    let mut by_judge: Vec<(String, Vec<JudgedPairs>)> = Vec::new();
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
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    let own = || judged.iter().filter(|(set, _)| sets.contains(set));
    for kind in own().map(|(_, one)| kind_of(one)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let merge = |kind: (&str, &str)| {
        let of_kind = own().filter(|(_, one)| kind_of(one) == kind);
        JudgedPairs::merge(of_kind.map(|(set, one)| (set.as_str(), one)))
    };
    kinds.into_iter().map(merge).collect()
}

fn kind_of(judged: &JudgedPairs) -> (&str, &str) {
    (&judged.judge, &judged.protocol)
}
