//! Labelled input sets, by themselves and together: parts, totals, and differences between
//! protocols on the same pairs.

use super::config::Config;
use crate::judge::{
    Evaluation, JudgedPairs, NotCompared, PairedDifference, Settings, compare_each,
    correct_together, evaluate,
};
use evenhand_core::in_order;
use evenhand_engine::EngineError;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// What judges said of labelled input sets, each with its set.
pub(super) type JudgedSets = Vec<(String, JudgedPairs)>;

/// Differences between ways to judge over some input sets. The p-values of all that are over one
/// total are corrected together.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtocolDifferences {
    /// The total that they are over.
    pub total: String,
    /// The judge, of whose protocols every two are compared; None of the differences between
    /// judges.
    pub judge: Option<String>,
    /// Every two on the pairs that both have judged.
    pub differences: Vec<PairedDifference>,
    /// The others, with the reason.
    pub not_compared: Vec<NotCompared>,
}

/// The name of the total where the study names none.
pub(super) const TOTAL: &str = "total";

/// Differences between so many protocols are listed; nobody reads those of more.
const COMPARED_PROTOCOLS: RangeInclusive<usize> = 2..=12;
/// Likewise of differences between judges: as many as 12 ways have.
const MOST_BETWEEN_JUDGES: usize = 66;

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
/// they come first; behind them every two ways to judge of different judges, or only those by one
/// protocol where that is too many. What is left out gives a warning. All p-values of a total are
/// corrected together, as one sentence counts all of them.
pub(super) fn compare_ways(
    totals: Vec<MergedTotal>,
    settings: &Settings,
    warnings: &mut Vec<String>,
) -> Result<Vec<ProtocolDifferences>, EngineError> {
    let mut found: Vec<ProtocolDifferences> = Vec::new();
    for (total, merged) in totals {
        let first = found.len();
        let ways = merged.into_iter().filter(|one| one.prompts.is_none());
        let ways: Vec<JudgedPairs> = ways.collect();
        let every_two =
            (0..ways.len()).flat_map(|one| (one + 1..ways.len()).map(move |other| [one, other]));
        let (own, mut between): (Vec<[usize; 2]>, Vec<[usize; 2]>) =
            every_two.partition(|[one, other]| ways[*one].judge == ways[*other].judge);
        let mut families = Vec::new();
        for judge in in_order(ways.iter().map(|one| one.judge.as_str())) {
            let protocols = ways.iter().filter(|one| one.judge == judge).count();
            if COMPARED_PROTOCOLS.contains(&protocols) {
                let own = own.iter().filter(|[one, _]| ways[*one].judge == judge);
                families.push((Some(judge.to_owned()), own.copied().collect::<Vec<_>>()));
            }
        }
        if between.len() > MOST_BETWEEN_JUDGES {
            between.retain(|[one, other]| ways[*one].protocol == ways[*other].protocol);
        }
        if between.len() > MOST_BETWEEN_JUDGES {
            warnings.push(format!(
                "{total}: the {} differences between judges were not tested: at most \
                 {MOST_BETWEEN_JUDGES} are",
                between.len()
            ));
        } else if !between.is_empty() {
            families.push((None, between));
        }
        for (judge, twos) in families {
            let compared = compare_each(&ways, twos.into_iter(), settings)?;
            found.push(ProtocolDifferences {
                total: total.clone(),
                judge,
                differences: compared.differences,
                not_compared: compared.not_compared,
            });
        }
        let of_total = found[first..].iter_mut();
        correct_together(of_total.flat_map(|one| &mut one.differences))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Game, LabelledPair};
    use evenhand_core::Side;

    /// Of two judges by two protocols each, there are differences between the protocols of each,
    /// and between the judges; all six are corrected together.
    #[test]
    fn judges_are_compared_beside_their_protocols() {
        let way = |judge: &str, protocol: &str, wrong: u32| JudgedPairs {
            judge: judge.into(),
            protocol: protocol.into(),
            pairs: (0..40)
                .map(|at| {
                    let said = if at < wrong {
                        Side::Second
                    } else {
                        Side::First
                    };
                    let game = Some(Game::of_shares(said.certain()));
                    LabelledPair {
                        name: at.to_string(),
                        cluster: at,
                        label: Side::First,
                        games: [game.clone(), game],
                        ..LabelledPair::default()
                    }
                })
                .collect(),
            ..JudgedPairs::default()
        };
        let merged = vec![
            way("good", "p", 2),
            way("good", "q", 4),
            way("fair", "p", 14),
            way("fair", "q", 16),
        ];
        let mut warnings = Vec::new();
        let settings = Settings::default();
        let found = compare_ways(vec![("total".into(), merged)], &settings, &mut warnings).unwrap();
        let families: Vec<(Option<&str>, usize)> = found
            .iter()
            .map(|one| (one.judge.as_deref(), one.differences.len()))
            .collect();
        assert_eq!(families, [(Some("good"), 1), (Some("fair"), 1), (None, 4)]);
        let between = &found[2].differences[0];
        assert_eq!(between.names, ["good, p", "fair, p"]);
        assert!(between.p_corrected.unwrap() < 0.05 && between.p_corrected > between.p);
        let all = found.iter().flat_map(|one| &one.differences);
        let raw: Vec<f64> = all.clone().filter_map(|one| one.p).collect();
        let corrected: Vec<f64> = all.filter_map(|one| one.p_corrected).collect();
        assert_eq!(raw.len(), 6);
        assert_eq!(corrected, evenhand_stats::holm(&raw).unwrap());
        // Too many to test between judges: those by one protocol are left, and more than that not.
        let many = |judges: u32, protocols: u32| {
            let ways = (0..judges).flat_map(|judge| {
                (0..protocols).map(move |protocol| (format!("j{judge}"), format!("p{protocol}")))
            });
            let ways = ways.map(|(judge, protocol)| way(&judge, &protocol, 3));
            let mut warnings = Vec::new();
            let totals = vec![("total".into(), ways.collect())];
            let found = compare_ways(totals, &settings, &mut warnings).unwrap();
            let between = found.iter().filter(|one| one.judge.is_none());
            let between: usize = between.map(|one| one.differences.len()).sum();
            (between, warnings.len())
        };
        assert_eq!(many(3, 5), (15, 0));
        assert_eq!(many(13, 1), (0, 1));
        assert!(warnings.is_empty());
    }
}
