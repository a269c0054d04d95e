//! Which protocol to take for this judge and this kind of data, by a rule that is stated.

use super::asks::{Asked, Kind};
use super::distract::PROBE;
use super::finding::Finding;
use serde::Serialize;
use std::collections::HashMap;

/// More failures than this, and a protocol is not to be had.
const FAILURES: f64 = 0.05;

/// The rule, as the card shows it.
pub(super) const RULE: &str = "Of the protocols that fail on at most 5 % of looks: where people's \
                               labels are there, those that \
agree with them more often than a coin by their interval, and whose agreement is not below the \
lower end of the best one's; of \
these the one whose verdicts are moved least, by the mean of the flip rates of all rewrites and, \
for pairs, of the order; of \
equals the one that takes fewer tokens.";

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The protocol to take; None where none can be recommended.
    pub protocol: Option<String>,
    /// The rule.
    pub rule: &'static str,
    /// What was considered, best first.
    pub candidates: Vec<Candidate>,
}

/// A protocol in the running.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The protocol.
    pub protocol: String,
    /// How often it agrees with people, where that is known.
    pub accuracy: Option<f64>,
    /// The lower end of its interval.
    pub accuracy_low: Option<f64>,
    /// The mean of its flip rates: of all rewrites and, for pairs, of the order.
    pub moved: Option<f64>,
    /// The share of looks that lead to no verdict.
    pub failures: Option<f64>,
    /// Tokens of a comparison of two responses: two looks.
    pub tokens: f64,
    /// Why it is out, if it is.
    pub out: Option<String>,
}

pub(super) fn advice(
    findings: &[Finding],
    asked: &[Asked],
    costs: &HashMap<String, [f64; 2]>,
) -> Option<Advice> {
    let mut candidates: Vec<Candidate> = asked
        .iter()
        .map(|asked| candidate(findings, asked, costs))
        .collect();
    if candidates.iter().all(|candidate| candidate.moved.is_none()) {
        return None;
    }
    let best = candidates
        .iter()
        .filter(|candidate| candidate.out.is_none())
        .max_by(|x, y| {
            x.accuracy
                .unwrap_or(0.0)
                .total_cmp(&y.accuracy.unwrap_or(0.0))
        });
    let least = best.and_then(|best| best.accuracy_low).unwrap_or(0.0);
    for candidate in candidates
        .iter_mut()
        .filter(|candidate| candidate.out.is_none())
    {
        let below = candidate.accuracy.is_some_and(|accuracy| accuracy < least);
        candidate.out = below.then(|| "agrees with people less".to_string());
    }
    candidates.sort_by(|x, y| {
        key(x)
            .partial_cmp(&key(y))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let protocol = candidates
        .first()
        .filter(|first| first.out.is_none())
        .map(|first| first.protocol.clone());
    Some(Advice {
        protocol,
        rule: RULE,
        candidates,
    })
}

fn key(candidate: &Candidate) -> (bool, f64, f64) {
    (
        candidate.out.is_some(),
        candidate.moved.unwrap_or(1.0),
        candidate.tokens,
    )
}

fn candidate(findings: &[Finding], asked: &Asked, costs: &HashMap<String, [f64; 2]>) -> Candidate {
    let of = |name: &str| {
        findings
            .iter()
            .find(|finding| finding.protocol == asked.protocol && finding.name == name)
    };
    let value = |name: &str| of(name).and_then(|finding| finding.figure.value);
    let accuracy = of("agrees with people");
    let moved = |finding: &&Finding| {
        let rewritten = finding.probe == PROBE && finding.name.ends_with(": flips");
        finding.protocol == asked.protocol
            && (rewritten || (asked.kind == Kind::Pairs && finding.name == "flips by order"))
    };
    let flips: Vec<f64> = findings
        .iter()
        .filter(moved)
        .filter_map(|finding| finding.figure.value)
        .collect();
    let failures = value("no verdict");
    let low = accuracy
        .and_then(|finding| finding.figure.ci)
        .and_then(|ci| ci[0]);
    let failing = failures
        .filter(|share| *share > FAILURES)
        .map(|share| format!("{:.1} % of looks fail", 100.0 * share));
    let coin = low
        .filter(|low| *low <= 0.5)
        .map(|_| "not shown to agree with people more often than a coin".to_string());
    Candidate {
        protocol: asked.protocol.clone(),
        accuracy: accuracy.and_then(|finding| finding.figure.value),
        accuracy_low: low,
        moved: (!flips.is_empty()).then(|| flips.iter().sum::<f64>() / flips.len() as f64),
        failures,
        tokens: 2.0 * costs.get(&asked.protocol).map_or(0.0, |cost| cost[1]),
        out: failing.or(coin),
    }
}
