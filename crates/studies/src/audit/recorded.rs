//! The figures of an audit that judgments made elsewhere can give: position, lengths, failures, and
//! preferences beyond people's.

use super::asks::{Shares, turned};
use super::finding::{FindingMaker, adjust_findings};
use super::finding_name::{FindingName, Preferred};
use super::people::excess_findings;
use super::position::{
    Lengths, Seat, consistency_by_length, first_slot_share, first_slot_weighed, verdicts_differ,
};
use super::probing::Findings;
use super::rows::{Rows, mean};
use super::{AuditReport, AuditUsage, tested_count};
use crate::figure::indicator;
use crate::judge::{JudgedPairs, LabelledPair};
use evenhand_core::{Side, average};
use evenhand_engine::{EngineError, Tally};
use std::collections::BTreeSet;

const UNKNOWN_ORDER: &str = "the recording does not say which response was shown first: nothing is \
                             said of positions";

/// Returns what a recording says of its judge.
///
/// # Errors
/// A level that is not strictly between 0 and 1.
pub fn audit_recorded(judged: &JudgedPairs, level: f64) -> Result<AuditReport, EngineError> {
    let findings = adjusted_findings(judged, level)?;
    Ok(AuditReport {
        tested: tested_count(&findings),
        findings,
        ..report_without_findings(judged, level)
    })
}

fn adjusted_findings(judged: &JudgedPairs, level: f64) -> Findings {
    let mut findings = all_findings(judged, level)?;
    adjust_findings(&mut findings, level)?;
    Ok(findings)
}

fn all_findings(judged: &JudgedPairs, level: f64) -> Findings {
    let make = FindingMaker {
        protocol: &judged.protocol,
        level,
    };
    let mut found = Vec::new();
    if judged.order_known {
        found.extend(position_findings(judged, make)?);
    }
    found.extend(length_findings(judged, make)?);
    found.extend(failure_findings(judged, make)?);
    Ok(found)
}

fn report_without_findings(judged: &JudgedPairs, level: f64) -> AuditReport {
    let pairs = judged.pairs.len() as u64;
    let warning = (!judged.order_known).then(|| UNKNOWN_ORDER.to_string());
    AuditReport {
        judge: judged.judge.clone(),
        protocols: vec![judged.protocol.clone()],
        criteria: Vec::new(),
        items: pairs,
        questions: question_count(judged),
        responses: 2 * pairs,
        rewrites: Vec::new(),
        rewritten: Vec::new(),
        level,
        seed: 0,
        tested: 0,
        findings: Vec::new(),
        climbs: Vec::new(),
        distributions: Vec::new(),
        advice: None,
        warnings: warning.into_iter().collect(),
        usage: AuditUsage::default(),
        rewriting: None,
        tally: Tally::default(),
        run: None,
    }
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
fn shares_in_both_orders(pair: &LabelledPair) -> Option<[Shares; 2]> {
    Some([shares_in(pair, 0)?, shares_in(pair, 1)?])
}

fn shares_in(pair: &LabelledPair, order: usize) -> Option<Shares> {
    let game = pair.games[order].as_ref()?;
    game.outcome.as_ref().ok().copied()
}

fn position_findings(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let pairs = &judged.pairs;
    let failed = one_sided_count(pairs);
    let first = rows_of(pairs, first_share, failed);
    let first_weighed = rows_of(pairs, first_share_weighed, failed);
    let flips = rows_of(pairs, order_flips, failed);
    let mut found = vec![make.tested_share(FindingName::FirstSlot, &first, 0.5)?];
    found.extend(make.weighed(FindingName::FirstSlot, &first, &first_weighed)?);
    found.push(make.share(FindingName::FlipsByOrder, &flips)?);
    found.extend(consistency_findings(pairs, make)?);
    Ok(found)
}

fn consistency_findings(pairs: &[LabelledPair], make: FindingMaker<'_>) -> Findings {
    let seats = rows_of(pairs, seat_of, 0);
    // Fewer pairs than thirds leave a third empty.
    if seats.item_count() < 3 {
        return Ok(Vec::new());
    }
    consistency_by_length(make, &seats)
}

/// Returns how many pairs lack a verdict in one of the orders.
fn one_sided_count(pairs: &[LabelledPair]) -> u64 {
    let lacking = pairs
        .iter()
        .filter(|pair| shares_in_both_orders(pair).is_none());
    lacking.count() as u64
}

fn first_share(pair: &LabelledPair) -> Option<f64> {
    let [forward, swapped] = shares_in_both_orders(pair)?;
    Some(first_slot_share([forward, turned(swapped)]))
}

fn first_share_weighed(pair: &LabelledPair) -> Option<f64> {
    let [forward, swapped] = shares_in_both_orders(pair)?;
    Some(first_slot_weighed([forward, turned(swapped)]))
}

fn order_flips(pair: &LabelledPair) -> Option<f64> {
    let [forward, swapped] = shares_in_both_orders(pair)?;
    Some(verdicts_differ(forward, swapped))
}

/// Returns what a pair shows of consistency by length; a recording has no repetitions.
fn seat_of(pair: &LabelledPair) -> Option<Seat> {
    Some(Seat {
        flipped: order_flips(pair)?,
        lengths: Lengths::of_pair(pair.lengths?.map(f64::from)),
        ..Seat::default()
    })
}

fn length_findings(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let judge = rows_of(&judged.pairs, longer_by_judge, 0);
    if judge.item_count() == 0 {
        return Ok(Vec::new());
    }
    let people = rows_of(&judged.pairs, longer_by_people, 0);
    let weighed = rows_of(&judged.pairs, longer_by_probability, 0);
    excess_findings(make, Preferred::Longer, [&judge, &weighed, &people])
}

/// Returns how much the judge prefers the longer response, by its verdict over the orders that have
/// one.
fn longer_by_judge(pair: &LabelledPair) -> Option<f64> {
    share_of_longer(pair, Side::of(mean_of_orders(pair)?).share_of_first())
}

/// Returns how much probability the longer response has over the same orders.
fn longer_by_probability(pair: &LabelledPair) -> Option<f64> {
    let [a, tie, _] = mean_of_orders(pair)?;
    share_of_longer(pair, a + tie / 2.0)
}

fn mean_of_orders(pair: &LabelledPair) -> Option<Shares> {
    let games = pair.games.iter().flatten();
    average(games.filter_map(|game| game.outcome.as_ref().ok().copied()))
}

/// Returns how much people prefer the longer response, where the judge has a verdict.
fn longer_by_people(pair: &LabelledPair) -> Option<f64> {
    longer_by_judge(pair)?;
    share_of_longer(pair, pair.label.share_of_first())
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
fn failure_findings(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let all = rows_of(&judged.pairs, failed_share, 0);
    let name = FindingName::NoVerdict { category: None };
    let mut found = vec![make.share(name, &all)?];
    // One part alone is all pairs.
    if judged.subsets.len() > 1 {
        found.extend(failures_by_subset(judged, make)?);
    }
    Ok(found)
}

fn failures_by_subset(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let subsets = judged.subsets.iter().zip(0..);
    let findings = subsets.map(|(category, subset)| {
        let category = Some(category.clone());
        let name = FindingName::NoVerdict { category };
        Ok(make.share(name, &failures_in(judged, subset))?)
    });
    findings.collect()
}

fn failures_in(judged: &JudgedPairs, subset: u32) -> Rows<f64> {
    let pairs = judged.pairs.iter();
    rows_of(pairs.filter(|pair| pair.subset == subset), failed_share, 0)
}

/// Returns the share of the orders that were judged without a verdict.
fn failed_share(pair: &LabelledPair) -> Option<f64> {
    let games = pair.games.iter().flatten();
    let failed: Vec<f64> = games.map(|game| indicator(game.outcome.is_err())).collect();
    mean(&failed)
}
