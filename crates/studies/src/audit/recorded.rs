//! The figures of an audit that judgments made elsewhere can give: position, lengths, failures, and
//! preferences beyond people's.

use super::asks::{Shares, turned};
use super::finding::{FindingMaker, adjust_findings};
use super::finding_name::{FindingName, Preferred};
use super::people::excess_findings;
use super::position::{
    Seat, consistency_by_length, first_slot_share, first_slot_weighed, verdicts_differ,
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
    adjust_findings(&mut findings, level)?;

    let pairs = judged.pairs.len() as u64;
    let questions: BTreeSet<u32> = judged.pairs.iter().map(|pair| pair.cluster).collect();
    let warning = (!judged.order_known).then(|| UNKNOWN_ORDER.to_string());
    Ok(AuditReport {
        judge: judged.judge.clone(),
        protocols: vec![judged.protocol.clone()],
        criteria: Vec::new(),
        items: pairs,
        questions: questions.len() as u64,
        responses: 2 * pairs,
        rewrites: Vec::new(),
        rewritten: Vec::new(),
        level,
        seed: 0,
        tested: tested_count(&findings),
        findings,
        climbs: Vec::new(),
        distributions: Vec::new(),
        advice: None,
        warnings: warning.into_iter().collect(),
        usage: AuditUsage::default(),
        rewriting: None,
        tally: Tally::default(),
        run: None,
    })
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
    let shares = |order: usize| pair.games[order].as_ref()?.outcome.as_ref().ok().copied();
    Some([shares(0)?, shares(1)?])
}

fn position_findings(judged: &JudgedPairs, make: FindingMaker<'_>) -> Findings {
    let pairs = &judged.pairs;
    let lacking = |pair: &&LabelledPair| shares_in_both_orders(pair).is_none();
    let failed = pairs.iter().filter(lacking).count() as u64;
    let rows_in_both = |value: fn([Shares; 2]) -> f64| {
        rows_of(pairs, |pair| shares_in_both_orders(pair).map(value), failed)
    };
    let first = rows_in_both(|[forward, swapped]| first_slot_share([forward, turned(swapped)]));
    let first_weighed =
        rows_in_both(|[forward, swapped]| first_slot_weighed([forward, turned(swapped)]));
    let flips = rows_in_both(|[forward, swapped]| verdicts_differ(forward, swapped));
    let mut found = vec![make.tested_share(FindingName::FirstSlot, &first, 0.5)?];
    found.extend(make.weighed(FindingName::FirstSlot, &first, &first_weighed)?);
    found.push(make.share(FindingName::FlipsByOrder, &flips)?);

    // A recording has no repetitions.
    let seat = |pair: &LabelledPair| {
        let [forward, swapped] = shares_in_both_orders(pair)?;
        Some(Seat {
            flipped: verdicts_differ(forward, swapped),
            lengths: pair.lengths?.map(f64::from),
            ..Seat::default()
        })
    };
    let seats = rows_of(pairs, seat, 0);
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
    let pairs = &judged.pairs;
    let by_verdict = |pair: &LabelledPair| {
        let share = Side::of(mean_of_orders(pair)?).share_of_first();
        share_of_longer(pair, share)
    };
    let by_probability = |pair: &LabelledPair| {
        let [a, tie, _] = mean_of_orders(pair)?;
        share_of_longer(pair, a + tie / 2.0)
    };
    let by_people = |pair: &LabelledPair| {
        mean_of_orders(pair)?;
        share_of_longer(pair, pair.label.share_of_first())
    };
    let judge = rows_of(pairs, by_verdict, 0);
    if judge.item_count() == 0 {
        return Ok(Vec::new());
    }
    let weighed = rows_of(pairs, by_probability, 0);
    let people = rows_of(pairs, by_people, 0);
    excess_findings(make, Preferred::Longer, [&judge, &weighed, &people])
}

fn mean_of_orders(pair: &LabelledPair) -> Option<Shares> {
    let games = pair.games.iter().flatten();
    average(games.filter_map(|game| game.outcome.as_ref().ok().copied()))
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
