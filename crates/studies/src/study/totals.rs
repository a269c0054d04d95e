//! Labelled input sets, by themselves and together: parts, totals, and differences between
//! protocols on the same pairs.

use super::config::Config;
use crate::judge::{
    Evaluation, JudgedPairs, PairedDifference, Settings, evaluate, paired_differences,
};
use evenhand_engine::EngineError;
use std::collections::BTreeSet;
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
pub(super) const TOTAL: &str = "total";

/// Differences between so many protocols are listed; nobody reads those of more.
const COMPARED_PROTOCOLS: RangeInclusive<usize> = 2..=12;

/// A total, and what each judge said by each protocol of its sets together.
pub(super) type MergedTotal = (String, Vec<JudgedPairs>);

/// Puts the sets of every total together: of the named ones, or of one over all sets.
pub(super) fn merge_totals(config: &Config, judged: &JudgedSets) -> Vec<MergedTotal> {
    let mut totals = config.totals.clone();
    if totals.is_empty() {
        let sets: BTreeSet<&String> = judged.iter().map(|(set, _)| set).collect();
        totals.insert(TOTAL.into(), sets.into_iter().cloned().collect());
    }
    totals
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

/// Compares every two protocols of each judge over every total, the judges in the order in which
/// they come first.
pub(super) fn compare_protocols(
    totals: Vec<MergedTotal>,
    settings: &Settings,
) -> Result<Vec<ProtocolDifferences>, EngineError> {
    let mut found = Vec::new();
    for (total, merged) in totals {
        let mut by_judge: Vec<(String, Vec<JudgedPairs>)> = Vec::new();
        for one in merged.into_iter().filter(|one| one.prompts.is_none()) {
            match by_judge.iter_mut().find(|(judge, _)| *judge == one.judge) {
                Some((_, all)) => all.push(one),
                None => by_judge.push((one.judge.clone(), vec![one])),
            }
        }
        for (judge, all) in by_judge {
            if COMPARED_PROTOCOLS.contains(&all.len()) {
                found.push(ProtocolDifferences {
                    total: total.clone(),
                    judge,
                    differences: paired_differences(&all, settings)?,
                });
            }
        }
    }
    Ok(found)
}

/// An evaluation, and the name of what it is over.
type Named = (String, Evaluation);

/// What a judge did on an input set.
pub(super) struct EvaluatedSet {
    /// By the parts of the set, or one for the set.
    pub(super) parts: Vec<Named>,
    /// Over all parts, where there are several.
    pub(super) whole: Option<Named>,
}

/// Evaluates a judge on an input set; by part, where the set asks for that.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(super) fn evaluate_set(
    config: &Config,
    (input, judged): (&str, &JudgedPairs),
    settings: &Settings,
) -> Result<EvaluatedSet, EngineError> {
    let whole = (input.to_string(), evaluate(judged, settings)?);
    let set = config.labelled.get(input);
    let is_parted = set.is_some_and(|set| set.by.is_some());
    if !is_parted || judged.subsets.len() < 2 {
        return Ok(EvaluatedSet {
            parts: vec![whole],
            whole: None,
        });
    }
    let mut parts = Vec::new();
    for part in judged.split_by_subset() {
        let mut name = part.subsets.concat();
        // Behind the name of its set, where there are several sets.
        if config.labelled.len() > 1 {
            name = format!("{input}/{name}");
        }
        parts.push((name, evaluate(&part, settings)?));
    }
    let whole = Some(whole);
    Ok(EvaluatedSet { parts, whole })
}

/// Returns each judge's pairs by each protocol, of these sets together, in the order in which they
/// were judged.
fn merge_sets(judged: &JudgedSets, sets: &[String]) -> Vec<JudgedPairs> {
    let mut kinds: Vec<Vec<(&str, &JudgedPairs)>> = Vec::new();
    for (set, one) in judged.iter().filter(|(set, _)| sets.contains(set)) {
        match kinds.iter_mut().find(|kind| kind[0].1.is_same_judge(one)) {
            Some(kind) => kind.push((set.as_str(), one)),
            None => kinds.push(vec![(set.as_str(), one)]),
        }
    }
    kinds.iter().map(|kind| JudgedPairs::merge(kind)).collect()
}
