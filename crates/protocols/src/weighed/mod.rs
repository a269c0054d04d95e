//! A calibrated panel: the scores of a few judges and what can be seen of the responses, weighed by
//! a fitted logistic model.

mod feature;

pub use feature::Feature;

use crate::ask::{Ask, Stop, VerdictOrStop, all, invalid, settled};
use crate::form::Slots;
use crate::judged::JudgedProtocol;
use crate::methods::Presentation;
use crate::panel::commonest;
use evenhand_core::{Failure, Outcome, Response, Stage, Verdict, VerdictSource, View};
use std::fmt;

/// A judge under a protocol, as a member of a calibrated panel.
#[derive(Debug)]
pub struct Member {
    /// Which of the run's judges it is, from 0.
    pub judge: usize,
    /// How it is asked.
    pub protocol: JudgedProtocol,
}

/// P(the first response is better) = 1 / (1 + exp(-sum of weight x difference)).
///
/// The difference of a member is that of its scores of the two responses, each judged alone, or its
/// probability for the first less that for the second, over both orders; the difference of a
/// feature is that of its two values. So the panel is the same in every order.
#[derive(Debug)]
pub struct WeighedPanel {
    members: Vec<Member>,
    features: Vec<Feature>,
    /// Log-odds for each unit of difference: of the members, then of the features.
    weights: Vec<f64>,
}

impl WeighedPanel {
    /// Builds a panel with a weight for each member and then each feature.
    ///
    /// # Errors
    /// A sentence that says why there is no such panel: no member, one that shows more than two
    /// responses, or not a finite weight for each member and feature.
    pub(crate) fn new(
        members: Vec<Member>,
        features: Vec<Feature>,
        weights: Vec<f64>,
    ) -> Result<WeighedPanel, String> {
        if members.is_empty() {
            return Err("a panel needs a member".into());
        }
        if let Some(member) = members.iter().find(|member| member.shows_lists()) {
            let protocol = &member.protocol;
            return Err(format!(
                "{protocol}: a member of a panel shows one response or two"
            ));
        }
        let expected = members.len() + features.len();
        if weights.len() != expected || weights.iter().any(|weight| !weight.is_finite()) {
            return Err(format!(
                "expected {expected} finite weights, one for each member and feature"
            ));
        }
        Ok(WeighedPanel {
            members,
            features,
            weights,
        })
    }

    pub(crate) fn protocols(&self) -> impl Iterator<Item = &JudgedProtocol> {
        self.members.iter().map(|member| &member.protocol)
    }

    /// The protocols of a judge.
    pub(crate) fn of_judge(&self, judge: usize) -> impl Iterator<Item = &JudgedProtocol> {
        self.members
            .iter()
            .filter(move |member| member.judge == judge)
            .map(|member| &member.protocol)
    }

    /// Returns a digest of what decides what comes out: the members' protocols and prompts, the
    /// features and the weights.
    pub(crate) fn fingerprint(&self) -> String {
        let members = self.members.iter().map(Member::describe);
        let features = self
            .features
            .iter()
            .map(|feature| feature.name().to_string());
        let weights = self.weights.iter();
        let weights = weights.map(|weight| format!("{:016x}", weight.to_bits()));
        let all: Vec<String> = members.chain(features).chain(weights).collect();
        let digest = blake3::hash(all.join("\n").as_bytes());
        digest.to_hex().chars().take(16).collect()
    }

    /// Judges by all members. A member that fails says nothing for either response; where all fail,
    /// so does the panel.
    pub(crate) fn judge(&self, view: &View, ask: &Ask) -> VerdictOrStop {
        let members = self.members.iter();
        let members =
            settled(members.map(|member| member.difference(view, &ask.member(member.judge))))?;
        let failures: Vec<Failure> = members.iter().filter_map(failure_of).collect();
        if failures.len() == members.len() {
            return Err(commonest(failures));
        }
        let features = self.features.iter().map(|feature| feature.difference(view));
        let terms: Vec<Result<f64, Failure>> = members.into_iter().chain(features).collect();
        self.note(&terms, ask);
        let first = 1.0 / (1.0 + (-self.sum(&terms)).exp());
        Ok(Verdict::pair(
            [first, 0.0, 1.0 - first],
            0.0,
            VerdictSource::Mixed,
        ))
    }

    /// Sums the weighted terms; one that failed adds nothing.
    fn sum(&self, terms: &[Result<f64, Failure>]) -> f64 {
        let known = terms
            .iter()
            .map(|term| term.as_ref().map_or(0.0, |term| *term));
        let weighted = known.zip(&self.weights).map(|(term, weight)| weight * term);
        weighted.sum()
    }

    fn note(&self, terms: &[Result<f64, Failure>], ask: &Ask) {
        for (at, term) in terms.iter().enumerate() {
            let judge = self.members.get(at).map_or(0, |member| member.judge);
            ask.member(judge)
                .note(Stage::Term, at as u32, false, outcome_of(term));
        }
    }
}

fn failure_of(member: &Result<f64, Failure>) -> Option<Failure> {
    member.as_ref().err().cloned()
}

/// Returns a term as a look keeps it.
fn outcome_of(term: &Result<f64, Failure>) -> Outcome {
    match term {
        Ok(score) => Ok(Verdict::Pointwise {
            score: *score,
            distribution: Vec::new(),
            outside: 0.0,
            source: VerdictSource::Mixed,
        }),
        Err(failure) => Err(failure.clone()),
    }
}

impl Member {
    fn shows_lists(&self) -> bool {
        matches!(self.protocol.form.slots(), Slots::Many(_))
    }

    fn describe(&self) -> String {
        let protocol = &self.protocol;
        format!("{}:{protocol}:{}", self.judge, protocol.fingerprint())
    }

    /// Returns by how much the first response is better than the second.
    fn difference(&self, view: &View, ask: &Ask) -> Result<f64, Stop> {
        let [first, second] = view.responses else {
            return Err(invalid("a panel compares two responses").into());
        };
        if self.protocol.form.slots() == Slots::One {
            let scores = all([self.score(first, view, ask), self.score(second, view, ask)])?;
            let difference = scores.into_iter().reduce(|first, second| first - second);
            Ok(difference.unwrap_or(0.0))
        } else {
            self.compare(view, ask, &[second.clone(), first.clone()])
        }
    }

    /// Scores a response by itself.
    fn score(&self, response: &Response, view: &View, ask: &Ask) -> Result<f64, Stop> {
        let alone = View {
            responses: std::slice::from_ref(response),
            ..*view
        };
        score_of(self.protocol.judge_by_one(&alone, ask)?)
    }

    /// Compares the responses: the mean over both orders, where the member's own calibration does
    /// not see to them.
    fn compare(&self, view: &View, ask: &Ask, swapped: &[Response; 2]) -> Result<f64, Stop> {
        let forward = self.prefer(view, ask);
        if self.protocol.calibration.presentation() == Presentation::BothWithinTrial {
            return forward;
        }
        let swapped = View {
            responses: swapped,
            ..*view
        };
        let backward = self.prefer(&swapped, ask);
        let both = all([forward, backward.map(|difference| -difference)])?;
        Ok(both.iter().sum::<f64>() / both.len() as f64)
    }

    fn prefer(&self, view: &View, ask: &Ask) -> Result<f64, Stop> {
        preference_of(self.protocol.judge_by_one(view, ask)?)
    }
}

fn score_of(verdict: Verdict) -> Result<f64, Stop> {
    match verdict {
        Verdict::Pointwise { score, .. } => Ok(score),
        _ => Err(invalid("a score was expected").into()),
    }
}

fn preference_of(verdict: Verdict) -> Result<f64, Stop> {
    let difference = verdict
        .preference()
        .map(|[first, _, second]| first - second);
    difference.ok_or_else(|| invalid("a preference was expected").into())
}

impl fmt::Display for WeighedPanel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<String> = self.protocols().map(JudgedProtocol::to_string).collect();
        write!(f, "panel of {}", members.join(" + "))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
