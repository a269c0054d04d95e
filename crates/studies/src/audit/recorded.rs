//! The figures of an audit that judgments made elsewhere can give: position, lengths, failures, and
//! preferences beyond people's.

use super::asks::Findings;
use super::finding::{FindingMaker, adjust_findings};
use super::finding_name::{FindingName, Preferred, Prefers};
use super::opinion::{Shares, turned};
use super::people::{Preferences, excess_findings};
use super::position::{Seat, consistency_by_length, order_findings};
use super::rows::{Rows, mean};
use super::{AuditReport, AuditSlice, AuditSlices, NO_LABELS, tested_count};
use crate::figure::indicator;
use crate::judge::{Game, JudgedPairs, LabelledPair};
use evenhand_core::{Side, average};
use evenhand_engine::EngineError;
use std::collections::BTreeSet;

const UNKNOWN_ORDER: &str = "the recording does not say which response was shown first, so how the \
                             order matters cannot be measured";

/// Returns what a recording says of its judge; `by` is the field that the parts of its input set
/// are values of, where these get findings of their own.
///
/// # Errors
/// A level that is not strictly between 0 and 1.
pub fn audit_recorded(
    judged: &JudgedPairs,
    by: Option<&str>,
    level: f64,
) -> Result<AuditReport, EngineError> {
    let mut findings = recorded_findings(judged, level)?;
    adjust_findings(&mut findings, level)?;
    let slices = match by {
        None => None,
        Some(field) => {
            let mut parts = Vec::new();
            for part in judged.split_by_subset() {
                let questions: BTreeSet<u32> = part.pairs.iter().map(|pair| pair.cluster).collect();
                parts.push(AuditSlice {
                    value: part.subsets.concat(),
                    items: part.pairs.len() as u64,
                    questions: questions.len() as u64,
                    findings: recorded_findings(&part, level)?,
                });
            }
            Some(AuditSlices::new(field, parts, level)?)
        }
    };

    let pairs = judged.pairs.len() as u64;
    let questions: BTreeSet<u32> = judged.pairs.iter().map(|pair| pair.cluster).collect();
    let mut warnings = judged.warnings.clone();
    if !judged.order_known {
        warnings.push(UNKNOWN_ORDER.into());
    }
    if judged.has_no_labels {
        warnings.push(NO_LABELS.into());
    }
    Ok(AuditReport {
        judge: judged.judge.clone(),
        protocols: vec![judged.protocol.clone()],
        items: pairs,
        questions: questions.len() as u64,
        responses: 2 * pairs,
        level,
        tested: tested_count(&findings),
        slices,
        findings,
        warnings,
        ..AuditReport::default()
    })
}

fn recorded_findings(judged: &JudgedPairs, level: f64) -> Findings {
    let make = FindingMaker {
        protocol: &judged.protocol,
        level,
    };
    let mut findings = Vec::new();
    if judged.order_known {
        findings.extend(position_findings(judged, make)?);
    }
    findings.extend(length_findings(judged, make)?);
    findings.extend(failure_findings(judged, make)?);
    Ok(findings)
}

/// Returns the pairs that have such a value, of which so many others failed.
fn rows_of<'a, T>(
    pairs: impl IntoIterator<Item = &'a LabelledPair>,
    value: impl Fn(&LabelledPair) -> Option<T>,
    failed: u64,
) -> Rows<T> {
    let values = pairs
        .into_iter()
        .filter_map(|pair| Some(((0, pair.cluster), value(pair)?)));
    Rows::new(values.collect(), failed)
}

/// Returns what a judge said in a game. Two equal scores are a tie: a source that gives them to one
/// of the slots has a rule, and its judge no preference.
fn shares_of(game: &Game) -> Option<Shares> {
    let shares = game.outcome.as_ref().ok().copied()?;
    Some(match game.margin {
        Some(0.0) => Side::Tie.certain(),
        _ => shares,
    })
}

/// Returns the shares of a pair in both orders, in terms of the pair.
fn shares_in_both_orders(pair: &LabelledPair) -> Option<[Shares; 2]> {
    let shares = |order: usize| shares_of(pair.games[order].as_ref()?);
    Some([shares(0)?, shares(1)?])
}

fn position_findings(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let differ = judged.pairs.iter().filter(|pair| !pair.same);
    let pairs: Vec<LabelledPair> = differ.cloned().collect();
    let pairs = &pairs;
    // A recording has no repetitions.
    let seat = |pair: &LabelledPair| {
        let [forward, swapped] = shares_in_both_orders(pair)?;
        let lengths = pair
            .lengths
            .map_or([0.0; 2], |lengths| lengths.map(f64::from));
        Some(Seat::of_orders([forward, turned(swapped)], lengths))
    };
    let lacking = |pair: &&LabelledPair| shares_in_both_orders(pair).is_none();
    let failed = pairs.iter().filter(lacking).count() as u64;
    let mut found = order_findings(make, &rows_of(pairs, seat, failed))?;
    let measured = pairs.iter().filter(|pair| pair.lengths.is_some());
    let seats = rows_of(measured, seat, 0);
    // Fewer pairs than thirds leave a third empty.
    if seats.item_count() >= 3 {
        found.extend(consistency_by_length(make, &seats)?);
    }
    Ok(found)
}

/// Returns how much the judge prefers the longer response, by its verdict over the orders that have
/// one, and how much probability it has there; and how much people prefer it, where the judge has a
/// verdict.
fn length_findings(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let preferences = |pair: &LabelledPair| {
        let games = pair.games.iter().flatten();
        let mean = average(games.filter_map(shares_of))?;
        let of_first = Preferences {
            judge: Side::of(mean).share_of_first(),
            weighed: mean[0] + mean[1] / 2.0,
            people: pair.label.share_of_first(),
        };
        match pair.lengths? {
            [a, b] if a > b => Some(of_first),
            [a, b] if a < b => Some(of_first.of_other()),
            _ => None,
        }
    };
    let rows = rows_of(&judged.pairs, preferences, 0);
    if rows.item_count() == 0 {
        return Ok(Vec::new());
    }
    if judged.has_no_labels {
        let [judge, weighed] = [rows.map(|pair| pair.judge), rows.map(|pair| pair.weighed)];
        let name = FindingName::Preference {
            of: Preferred::Longer,
            by: Prefers::Judge,
        };
        return Ok(make.share_and_weighed(name, &judge, &weighed)?);
    }
    excess_findings(make, Preferred::Longer, &rows)
}

/// Returns how often there is no verdict: over all pairs, and over each part of the input set.
fn failure_findings(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let all = rows_of(&judged.pairs, failed_share, 0);
    let name = FindingName::NoVerdict { category: None };
    let mut found = vec![make.share(name, &all)?];
    // One part alone is all pairs.
    if judged.subsets.len() > 1 {
        for (category, subset) in judged.subsets.iter().zip(0..) {
            let pairs = judged.pairs.iter().filter(|pair| pair.subset == subset);
            let category = Some(category.clone());
            let name = FindingName::NoVerdict { category };
            found.push(make.share(name, &rows_of(pairs, failed_share, 0))?);
        }
    }
    Ok(found)
}

/// Returns the share of the orders that were judged without a verdict.
fn failed_share(pair: &LabelledPair) -> Option<f64> {
    let games = pair.games.iter().flatten();
    let failed: Vec<f64> = games.map(|game| indicator(game.outcome.is_err())).collect();
    mean(&failed)
}
