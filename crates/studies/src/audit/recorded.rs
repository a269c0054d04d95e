//! The figures of an audit that judgments made elsewhere can give: position, lengths, failures, and
//! preferences beyond people's.

use super::finding::{Finding, adjust_findings};
use super::finding_name::{FindingName, Preferred};
use super::people::excess_findings;
use super::position::{
    Lengths, Seat, consistency_by_length, first_slot_share, turned, verdicts_differ,
};
use super::rows::Rows;
use super::{AuditReport, AuditUsage, tested_count};
use crate::judge::{JudgedPairs, LabelledPair};
use evenhand_core::Side;
use evenhand_engine::{EngineError, Tally};
use std::collections::BTreeSet;

const UNKNOWN_ORDER: &str = "the recording does not say which response was shown first: nothing is \
                             said of positions";

/// Returns what a recording says of its judge.
///
/// # Errors
/// A level that is not strictly between 0 and 1.
pub fn audit_recorded(judged: &JudgedPairs, level: f64) -> Result<AuditReport, EngineError> {
    let mut findings = Vec::new();
    if judged.order_known {
        findings.extend(position_findings(judged, level)?);
    }
    findings.extend(length_findings(judged, level)?);
    findings.extend(failure_findings(judged, level)?);
    adjust_findings(&mut findings, level)?;
    let warnings = (!judged.order_known).then(|| UNKNOWN_ORDER.to_string());
    Ok(AuditReport {
        judge: judged.judge.clone(),
        protocols: vec![judged.protocol.clone()],
        items: judged.pairs.len() as u64,
        questions: question_count(judged),
        responses: 2 * judged.pairs.len() as u64,
        rewrites: Vec::new(),
        level,
        seed: 0,
        tested: tested_count(&findings),
        findings,
        climbs: Vec::new(),
        advice: None,
        warnings: warnings.into_iter().collect(),
        usage: AuditUsage::default(),
        rewriting: None,
        tally: Tally::default(),
        run: None,
    })
}

fn question_count(judged: &JudgedPairs) -> u64 {
    let clusters: BTreeSet<u32> = judged.pairs.iter().map(|pair| pair.cluster).collect();
    clusters.len() as u64
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

/// Returns the shares of a pair in both orders, in terms of the pair.
fn shares_in_both_orders(pair: &LabelledPair) -> Option<[[f64; 3]; 2]> {
    let shares = |order: usize| pair.games[order].as_ref()?.outcome.clone().ok();
    Some([shares(0)?, shares(1)?])
}

fn position_findings(judged: &JudgedPairs, level: f64) -> Result<Vec<Finding>, EngineError> {
    let pairs = &judged.pairs;
    let both = pairs
        .iter()
        .filter(|pair| shares_in_both_orders(pair).is_some());
    let failed = (pairs.len() - both.count()) as u64;
    let first = rows_of(pairs, first_share, failed);
    let flips = rows_of(pairs, order_flips, failed);
    let about = |name: FindingName| name.under(&judged.protocol);
    let mut found = vec![
        about(FindingName::FirstSlot).tested_share(&first, 0.5, level)?,
        about(FindingName::FlipsByOrder).untested_share(&flips, level)?,
    ];
    let seats = rows_of(pairs, seat_of, 0);
    if seats.item_count() >= 3 {
        found.extend(consistency_by_length(&judged.protocol, &seats, level)?);
    }
    Ok(found)
}

fn first_share(pair: &LabelledPair) -> Option<f64> {
    let [forward, swapped] = shares_in_both_orders(pair)?;
    Some(first_slot_share(forward, turned(swapped)))
}

fn order_flips(pair: &LabelledPair) -> Option<f64> {
    let [forward, swapped] = shares_in_both_orders(pair)?;
    Some(verdicts_differ(forward, swapped))
}

/// Returns what a pair shows of consistency by length; a recording has no repetitions.
fn seat_of(pair: &LabelledPair) -> Option<Seat> {
    Some(Seat {
        first: 0.0,
        flipped: order_flips(pair)?,
        repeated: 0.0,
        neutral: 0.0,
        lengths: Lengths::of_pair(pair.lengths?.map(f64::from)),
    })
}

fn length_findings(judged: &JudgedPairs, level: f64) -> Result<Vec<Finding>, EngineError> {
    let judge = rows_of(&judged.pairs, longer_by_judge, 0);
    if judge.item_count() == 0 {
        return Ok(Vec::new());
    }
    let people = rows_of(&judged.pairs, longer_by_people, 0);
    excess_findings(
        &judged.protocol,
        Preferred::Longer,
        [&judge, &people],
        level,
    )
}

/// Returns how much the judge prefers the longer response, over the orders that have a verdict.
fn longer_by_judge(pair: &LabelledPair) -> Option<f64> {
    let shares: Vec<f64> = pair
        .games
        .iter()
        .flatten()
        .filter_map(|game| game.outcome.clone().ok())
        .map(|[a, tie, _]| a + tie / 2.0)
        .collect();
    if shares.is_empty() {
        return None;
    }
    share_of_longer(pair, shares.iter().sum::<f64>() / shares.len() as f64)
}

/// Returns how much people prefer the longer response, where the judge has a verdict.
fn longer_by_people(pair: &LabelledPair) -> Option<f64> {
    longer_by_judge(pair)?;
    let share = match pair.label {
        Side::First => 1.0,
        Side::Tie => 0.5,
        Side::Second => 0.0,
    };
    share_of_longer(pair, share)
}

/// Turns the share of the first response into that of the longer one; None where both are as long.
fn share_of_longer(pair: &LabelledPair, share: f64) -> Option<f64> {
    match pair.lengths? {
        [a, b] if a > b => Some(share),
        [a, b] if a < b => Some(1.0 - share),
        _ => None,
    }
}

/// Returns how often there is no verdict: over all pairs, and over each part of the input set.
fn failure_findings(judged: &JudgedPairs, level: f64) -> Result<Vec<Finding>, EngineError> {
    let all = rows_of(&judged.pairs, failed_share, 0);
    let mut found = vec![no_verdict_finding(judged, None, &all, level)?];
    if judged.subsets.len() > 1 {
        for (name, subset) in judged.subsets.iter().zip(0..) {
            let part = judged.pairs.iter().filter(|pair| pair.subset == subset);
            let rows = rows_of(part, failed_share, 0);
            found.push(no_verdict_finding(
                judged,
                Some(name.clone()),
                &rows,
                level,
            )?);
        }
    }
    Ok(found)
}

fn no_verdict_finding(
    judged: &JudgedPairs,
    category: Option<String>,
    rows: &Rows<f64>,
    level: f64,
) -> Result<Finding, EngineError> {
    Ok(FindingName::NoVerdict { category }
        .under(&judged.protocol)
        .untested_share(rows, level)?)
}

fn failed_share(pair: &LabelledPair) -> Option<f64> {
    let games: Vec<bool> = pair
        .games
        .iter()
        .flatten()
        .map(|game| game.outcome.is_err())
        .collect();
    let failed = games.iter().filter(|failed| **failed).count();
    (!games.is_empty()).then(|| failed as f64 / games.len() as f64)
}
