//! Which protocol to take for this judge and this kind of data, by a rule that is stated.

use super::finding::Finding;
use super::finding_name::FindingName;
use super::what::{Asked, Kind};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A protocol that fails on more looks than this is not recommended.
const FAILURES: f64 = 0.05;
/// Nor is one in which the order is shown to turn more verdicts than this: a coin's turns as many.
const TURNED: f64 = 0.5;

/// The rule, as the card shows it.
pub(super) const RULE: &str = "The rule: a protocol is out if it fails on more than 5 % of looks, \
    if the order of the two is shown to turn more than half of its verdicts (by the lower end of \
    the interval), if it prefers neither response of any pair, if no probe looked at what moves \
    its verdicts, if it has too few items for any test to find a bias, or if every bias that was \
    found is one of its own. With people's labels it is out, too, if its interval of agreement reaches \
    down to a coin's, or if it agrees less often than the lower end of the best one's interval. Of \
    the others the one whose verdicts are moved least is taken: by the mean of the flip rates of \
    all rewrites and, for pairs, of the order, each counted by its pairs. Among equals it is the \
    one that takes fewer tokens.";

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    /// The protocol to take; None where none can be recommended.
    pub protocol: Option<String>,
    /// The rule.
    pub rule: &'static str,
    /// The protocols that were considered, best first.
    pub candidates: Vec<Candidate>,
}

/// A protocol in the running.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Candidate {
    /// The protocol.
    pub protocol: String,
    /// How often it agrees with people, where that is known.
    pub accuracy: Option<f64>,
    /// The lower end of its interval.
    pub accuracy_low: Option<f64>,
    /// The mean of its flip rates: of all rewrites and, for pairs, of the order, each counted by the
    /// pairs that it is of. None where no probe looked at these; such a protocol is out.
    pub moved: Option<f64>,
    /// The share of looks that lead to no verdict.
    pub failures: Option<f64>,
    /// Tokens of a comparison of two responses: two looks.
    pub tokens: f64,
    /// Why it is out, if it is.
    pub out: Option<String>,
    /// The biases that were found under it, each as a clause. The rule does not weigh them.
    pub biases: Vec<String>,
}

/// The tokens of a look by protocol, on average.
pub(super) type Costs = HashMap<String, f64>;

/// Recommends a protocol by the rule; None where nothing was measured that moves verdicts.
pub(super) fn recommend_protocol(
    findings: &[Finding],
    asked: &[Asked],
    costs: &Costs,
) -> Option<Advice> {
    let candidate = |asked| Candidate::new(findings, asked, costs);
    let mut candidates: Vec<Candidate> = asked.iter().map(candidate).collect();
    if candidates.iter().all(|known| known.moved.is_none()) {
        return None;
    }

    // What was found of one protocol alone speaks for every other.
    let mut biased = candidates.iter_mut().filter(|one| !one.biases.is_empty());
    if let (Some(alone), None) = (biased.next(), biased.next())
        && alone.out.is_none()
    {
        alone.out = Some("all that was found is under it".into());
    }

    // Out are those that agree with people less than the best one does by its interval.
    let accuracy = |candidate: &Candidate| candidate.accuracy.unwrap_or(0.0);
    let most_accurate = candidates
        .iter()
        .filter(|candidate| candidate.out.is_none())
        .max_by(|x, y| accuracy(x).total_cmp(&accuracy(y)));
    let least = most_accurate.and_then(|best| best.accuracy_low);
    let least = least.unwrap_or(0.0);
    for candidate in &mut candidates {
        let is_less = candidate.accuracy.is_some_and(|accuracy| accuracy < least);
        if candidate.out.is_none() && is_less {
            candidate.out = Some("agrees with people less".into());
        }
    }

    let rank = |known: &Candidate| {
        (
            known.out.is_some(),
            known.moved.unwrap_or(1.0),
            known.tokens,
        )
    };
    candidates.sort_by(|x, y| rank(x).partial_cmp(&rank(y)).unwrap_or(Ordering::Equal));
    let best = candidates.first().filter(|first| first.out.is_none());
    Some(Advice {
        protocol: best.map(|best| best.protocol.clone()),
        rule: RULE,
        candidates,
    })
}

impl Candidate {
    fn new(findings: &[Finding], asked: &Asked, costs: &Costs) -> Candidate {
        let own: Vec<&Finding> = findings
            .iter()
            .filter(|finding| finding.protocol == asked.protocol)
            .collect();
        let figure = |name: FindingName| {
            let found = own.iter().find(|finding| finding.name == name);
            found.map(|finding| &finding.figure)
        };
        let no_verdict = figure(FindingName::NoVerdict { category: None });
        let failures = no_verdict.and_then(|figure| figure.value);
        let agreement = figure(FindingName::AgreesWithPeople);
        let accuracy_low = agreement.and_then(|figure| figure.ci?[0]);
        // Scores are given to one response alone, which has no order.
        let is_of_pairs = asked.kind == Kind::Pairs;
        let turned = figure(FindingName::FlipsByOrder).and_then(|figure| figure.ci?[0]);
        let turned = turned.filter(|_| is_of_pairs);
        let rates = own.iter().filter(|finding| match &finding.name {
            FindingName::FlipsByOrder => is_of_pairs,
            name => name.is_flip_rate(),
        });
        // A rate of two pairs says less than one of thirty.
        let rates = rates.filter_map(|one| Some((one.figure.value?, one.items as f64)));
        let rates: Vec<(f64, f64)> = rates.collect();
        let pairs: f64 = rates.iter().map(|(_, pairs)| pairs).sum();
        let flips: f64 = rates.iter().map(|(rate, pairs)| rate * pairs).sum();
        // A protocol under which no response is preferred has no verdict that could move, and
        // orders nothing.
        let prefers_none = own.iter().any(|finding| {
            finding.name.is_flip_of_loser()
                && finding.items == 0
                && finding.figure.value == Some(0.0)
        });
        let tests: Vec<&&Finding> = own.iter().filter(|one| one.is_tested()).collect();
        let out = match (failures, accuracy_low) {
            (Some(share), _) if share > FAILURES => {
                Some(format!("{:.1} % of looks fail", 100.0 * share))
            }
            (_, Some(low)) if low <= 0.5 => {
                Some("not shown to agree with people more often than a coin".into())
            }
            _ if turned.is_some_and(|low| low > TURNED) => {
                Some("the order turns more than half of its verdicts".into())
            }
            _ if prefers_none => Some("prefers neither response of any pair".into()),
            _ if !tests.is_empty() && !tests.iter().any(|one| one.could_find) => {
                Some("too few items to find a bias".into())
            }
            _ => rates.is_empty().then(|| "not looked at".into()),
        };
        let tokens = costs.get(&asked.protocol).copied().unwrap_or(0.0);
        let biases = own.iter().filter(|finding| finding.biased);
        Candidate {
            protocol: asked.protocol.clone(),
            accuracy: agreement.and_then(|figure| figure.value),
            accuracy_low,
            // Where nothing could flip, nothing did.
            moved: (!rates.is_empty()).then(|| flips / pairs.max(1.0)),
            failures,
            // Both orders, or both scores.
            tokens: 2.0 * tokens,
            out,
            biases: biases.map(|one| one.claim()).collect(),
        }
    }
}
