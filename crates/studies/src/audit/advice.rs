//! Which protocol to take for this judge and this kind of data, by a rule that is stated.

use super::asked::{Asked, Kind};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::rows::mean;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A protocol that fails on more looks than this is not recommended.
const FAILURES: f64 = 0.05;

/// The rule, as the card shows it.
pub(super) const RULE: &str = "Of the protocols that fail on at most 5 % of looks and prefer a \
    response of some pair: where people's labels are there, those that agree with them more often than a coin by their \
    interval, and whose agreement is not below the lower end of the best one's; of these the one \
    whose verdicts are moved least, by the mean of the flip rates of all rewrites and, for pairs, \
    of the order; of equals the one that takes fewer tokens.";

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The protocol to take; None where none can be recommended.
    pub protocol: Option<String>,
    /// The rule.
    pub rule: &'static str,
    /// The protocols that were considered, best first.
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

/// The calls and tokens of a look by protocol.
pub(super) type Costs = HashMap<String, [f64; 2]>;

/// Recommends a protocol; None where nothing was measured that moves verdicts.
pub(super) fn recommend_protocol(
    findings: &[Finding],
    asked: &[Asked],
    costs: &Costs,
) -> Option<Advice> {
    let candidate = |asked| Candidate::new(findings, asked, costs);
    let candidates: Vec<Candidate> = asked.iter().map(candidate).collect();
    let is_measured = candidates.iter().any(|known| known.moved.is_some());
    is_measured.then(|| advice_on(candidates))
}

/// Applies the rule to candidates.
fn advice_on(mut candidates: Vec<Candidate>) -> Advice {
    rule_out_less_accurate(&mut candidates);
    candidates.sort_by(better_first);
    Advice {
        protocol: best_protocol(&candidates),
        rule: RULE,
        candidates,
    }
}

/// Returns the first of sorted candidates, if it is not ruled out.
fn best_protocol(sorted: &[Candidate]) -> Option<String> {
    let best = sorted.first().filter(|first| first.is_in_running())?;
    Some(best.protocol.clone())
}

/// Rules out candidates that agree with people less than the best one does by its interval.
fn rule_out_less_accurate(candidates: &mut [Candidate]) {
    let least = least_accuracy(candidates);
    for candidate in candidates {
        if candidate.is_in_running() && candidate.is_less_accurate(least) {
            candidate.out = Some("agrees with people less".into());
        }
    }
}

/// Returns the lower end of the interval of the candidate that agrees with people most.
fn least_accuracy(candidates: &[Candidate]) -> f64 {
    let low = most_accurate(candidates).and_then(|best| best.accuracy_low);
    low.unwrap_or(0.0)
}

fn most_accurate(candidates: &[Candidate]) -> Option<&Candidate> {
    let accuracy = |candidate: &Candidate| candidate.accuracy.unwrap_or(0.0);
    candidates
        .iter()
        .filter(|candidate| candidate.is_in_running())
        .max_by(|x, y| accuracy(x).total_cmp(&accuracy(y)))
}

fn better_first(x: &Candidate, y: &Candidate) -> Ordering {
    let order = x.sort_key().partial_cmp(&y.sort_key());
    order.unwrap_or(Ordering::Equal)
}

impl Candidate {
    fn new(findings: &[Finding], asked: &Asked, costs: &Costs) -> Candidate {
        let own = findings_under(findings, &asked.protocol);
        let failures = value_of(&own, &FindingName::NoVerdict { category: None });
        let accuracy_low = low_end_of(&own, &FindingName::AgreesWithPeople);
        let tokens = costs.get(&asked.protocol).map_or(0.0, |cost| cost[1]);
        Candidate {
            protocol: asked.protocol.clone(),
            accuracy: value_of(&own, &FindingName::AgreesWithPeople),
            accuracy_low,
            moved: mean_flip_rate(&own, asked.kind),
            failures,
            // Both orders, or both scores.
            tokens: 2.0 * tokens,
            out: reason_against(failures, accuracy_low).or_else(|| reason_of_no_preference(&own)),
        }
    }

    fn is_in_running(&self) -> bool {
        self.out.is_none()
    }

    /// Whether it is known to agree with people less often than this.
    fn is_less_accurate(&self, least: f64) -> bool {
        self.accuracy.is_some_and(|accuracy| accuracy < least)
    }

    /// Returns what candidates are sorted by, the best first.
    fn sort_key(&self) -> (bool, f64, f64) {
        let moved = self.moved.unwrap_or(1.0);
        (self.out.is_some(), moved, self.tokens)
    }
}

fn findings_under<'a>(findings: &'a [Finding], protocol: &str) -> Vec<&'a Finding> {
    let findings = findings.iter();
    findings
        .filter(|finding| finding.protocol == protocol)
        .collect()
}

fn find_named<'a>(findings: &[&'a Finding], name: &FindingName) -> Option<&'a Finding> {
    findings
        .iter()
        .copied()
        .find(|finding| finding.name == *name)
}

fn value_of(findings: &[&Finding], name: &FindingName) -> Option<f64> {
    find_named(findings, name)?.figure.value
}

fn low_end_of(findings: &[&Finding], name: &FindingName) -> Option<f64> {
    find_named(findings, name)?.figure.ci?[0]
}

/// Returns the mean of the flip rates of all rewrites and, for pairs, of the order.
fn mean_flip_rate(findings: &[&Finding], kind: Kind) -> Option<f64> {
    let rates: Vec<f64> = findings
        .iter()
        .filter_map(|finding| counted_flip_rate(finding, kind))
        .collect();
    mean(&rates)
}

fn counted_flip_rate(finding: &Finding, kind: Kind) -> Option<f64> {
    let counts = is_counted_flip(&finding.name, kind);
    finding.figure.value.filter(|_| counts)
}

/// Whether a flip rate counts: scores are given to one response alone, which has no order.
fn is_counted_flip(name: &FindingName, kind: Kind) -> bool {
    match name {
        FindingName::FlipsByOrder => kind == Kind::Pairs,
        name => name.is_flip_rate(),
    }
}

fn reason_against(failures: Option<f64>, accuracy_low: Option<f64>) -> Option<String> {
    failures
        .and_then(reason_of_failures)
        .or_else(|| reason_of_accuracy(accuracy_low?))
}

fn reason_of_failures(share: f64) -> Option<String> {
    (share > FAILURES).then(|| format!("{:.1} % of looks fail", 100.0 * share))
}

/// A protocol under which no response is preferred has no verdict that could move, and orders
/// nothing.
fn reason_of_no_preference(own: &[&Finding]) -> Option<String> {
    let mut flips = own.iter().filter(|finding| finding.name.is_flip_of_loser());
    flips
        .any(|finding| finding.items == 0 && finding.figure.value == Some(0.0))
        .then(|| "prefers neither response of any pair".into())
}

fn reason_of_accuracy(low: f64) -> Option<String> {
    (low <= 0.5).then(|| "not shown to agree with people more often than a coin".into())
}
