//! Which protocol to take for this judge and this kind of data, by a rule that is stated.

use super::asks::{Asked, Kind};
use super::finding::Finding;
use super::finding_name::{FindingName, RewriteEffect};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A protocol that fails on more looks than this is not recommended.
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

/// Recommends a protocol; None where nothing was measured that moves verdicts. `costs` has the calls
/// and tokens of a look by protocol.
pub(super) fn recommend_protocol(
    findings: &[Finding],
    asked: &[Asked],
    costs: &HashMap<String, [f64; 2]>,
) -> Option<Advice> {
    let mut candidates: Vec<Candidate> = asked
        .iter()
        .map(|asked| candidate_of(findings, asked, costs))
        .collect();
    if candidates.iter().all(|candidate| candidate.moved.is_none()) {
        return None;
    }
    rule_out_less_accurate(&mut candidates);
    candidates.sort_by(better_first);
    let best = candidates.first().filter(|first| first.out.is_none());
    Some(Advice {
        protocol: best.map(|best| best.protocol.clone()),
        rule: RULE,
        candidates,
    })
}

/// Rules out candidates that agree with people less than the best one does by its interval.
fn rule_out_less_accurate(candidates: &mut [Candidate]) {
    let in_running = |candidate: &&Candidate| candidate.out.is_none();
    let accuracy = |candidate: &Candidate| candidate.accuracy.unwrap_or(0.0);
    let best = candidates
        .iter()
        .filter(in_running)
        .max_by(|x, y| accuracy(x).total_cmp(&accuracy(y)));
    let least = best.and_then(|best| best.accuracy_low).unwrap_or(0.0);
    for candidate in candidates.iter_mut() {
        let below = candidate.accuracy.is_some_and(|accuracy| accuracy < least);
        if candidate.out.is_none() && below {
            candidate.out = Some("agrees with people less".into());
        }
    }
}

fn better_first(x: &Candidate, y: &Candidate) -> Ordering {
    sort_key(x)
        .partial_cmp(&sort_key(y))
        .unwrap_or(Ordering::Equal)
}

fn sort_key(candidate: &Candidate) -> (bool, f64, f64) {
    (
        candidate.out.is_some(),
        candidate.moved.unwrap_or(1.0),
        candidate.tokens,
    )
}

fn candidate_of(
    findings: &[Finding],
    asked: &Asked,
    costs: &HashMap<String, [f64; 2]>,
) -> Candidate {
    let own: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.protocol == asked.protocol)
        .collect();
    let agreement = named(&own, &FindingName::AgreesWithPeople);
    let accuracy_low = agreement.and_then(|finding| finding.figure.ci?[0]);
    let failures = named(&own, &FindingName::NoVerdict { category: None })
        .and_then(|finding| finding.figure.value);
    Candidate {
        protocol: asked.protocol.clone(),
        accuracy: agreement.and_then(|finding| finding.figure.value),
        accuracy_low,
        moved: mean_flip_rate(&own, asked.kind),
        failures,
        tokens: 2.0 * costs.get(&asked.protocol).map_or(0.0, |cost| cost[1]),
        out: reason_against(failures, accuracy_low),
    }
}

fn named<'a>(findings: &[&'a Finding], name: &FindingName) -> Option<&'a Finding> {
    findings
        .iter()
        .find(|finding| finding.name == *name)
        .copied()
}

/// Returns the mean of the flip rates of all rewrites and, for pairs, of the order.
fn mean_flip_rate(findings: &[&Finding], kind: Kind) -> Option<f64> {
    let rates: Vec<f64> = findings
        .iter()
        .filter(|finding| is_counted_flip(&finding.name, kind))
        .filter_map(|finding| finding.figure.value)
        .collect();
    (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
}

fn is_counted_flip(name: &FindingName, kind: Kind) -> bool {
    match name {
        FindingName::Rewritten { effect, .. } => *effect == RewriteEffect::Flips,
        FindingName::FlipsByOrder => kind == Kind::Pairs,
        _ => false,
    }
}

fn reason_against(failures: Option<f64>, accuracy_low: Option<f64>) -> Option<String> {
    if let Some(share) = failures.filter(|share| *share > FAILURES) {
        return Some(format!("{:.1} % of looks fail", 100.0 * share));
    }
    accuracy_low
        .filter(|low| *low <= 0.5)
        .map(|_| "not shown to agree with people more often than a coin".into())
}
