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

/// Evaluates each judge by each protocol over every total of more than one set.
pub(super) fn evaluate_totals(
    config: &Config,
    judged: &JudgedSets,
    settings: &Settings,
) -> Result<Vec<(String, Evaluation)>, EngineError> {
    let mut found = Vec::new();
    for (total, sets) in totals_of(config, judged) {
        for merged in merge_sets(judged, &sets)
            .into_iter()
            .filter(|one| one.subsets.len() > 1)
        {
            found.push((total.clone(), evaluate(&merged, settings)?));
        }
    }
    Ok(found)
}

/// Compares every two protocols of each judge over every total.
pub(super) fn compare_protocols(
    config: &Config,
    judged: &JudgedSets,
    settings: &Settings,
) -> Result<Vec<ProtocolDifferences>, EngineError> {
    let mut found = Vec::new();
    for (total, sets) in totals_of(config, judged) {
        let mut by_judge: Vec<(String, Vec<JudgedPairs>)> = Vec::new();
        for merged in merge_sets(judged, &sets) {
            match by_judge
                .iter_mut()
                .find(|(judge, _)| *judge == merged.judge)
            {
                Some((_, all)) => all.push(merged),
                None => by_judge.push((merged.judge.clone(), vec![merged])),
            }
        }
        for (judge, all) in by_judge {
            if (2..=MOST_PROTOCOLS).contains(&all.len()) {
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

/// Returns each judge's pairs by each protocol, of these sets together, in the order in which they
/// were judged.
fn merge_sets(judged: &JudgedSets, sets: &[String]) -> Vec<JudgedPairs> {
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for (_, one) in judged.iter().filter(|(set, _)| sets.contains(set)) {
        let kind = (one.judge.as_str(), one.protocol.as_str());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let merged = kinds.into_iter().map(|(judge, protocol)| {
        let own = judged.iter().filter(|(set, one)| {
            sets.contains(set) && one.judge == judge && one.protocol == protocol
        });
        JudgedPairs::merge(own.map(|(set, one)| (set.as_str(), one)))
    });
    merged.collect()
}
