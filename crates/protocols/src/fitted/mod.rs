//! A calibrated panel: the scores of a few judges and what can be seen of the responses, weighed by
//! a fitted logistic model.

mod feature;

pub use feature::Feature;

use crate::ask::{Ask, Judged, settled};
use crate::calibration::Calibration;
use crate::form::Slots;
use crate::panel::commonest;
use crate::{Protocol, Stop};
use evenhand_core::{Failure, FailureKind, Outcome, Response, Source, Stage, Verdict, View};

/// A judge under a protocol, as a member of a calibrated panel.
#[derive(Debug)]
pub struct Member {
    /// Which of the run's judges it is, from 0.
    pub judge: usize,
    /// How it is asked.
    pub protocol: Protocol,
}

/// P(the first response is better) = 1 / (1 + exp(-sum of weight x difference)).
///
/// The difference of a member is that of its scores of the two responses, each judged alone, or its
/// probability for the first less that for the second, over both orders; the difference of a
/// feature is that of its two values. So the panel is the same in every order.
#[derive(Debug)]
pub(crate) struct Fitted {
    members: Vec<Member>,
    features: Vec<Feature>,
    /// Log-odds for each unit of difference: of the members, then of the features.
    weights: Vec<f64>,
}

impl Fitted {
    /// With a weight for each member and then each feature.
    ///
    /// # Errors
    /// What is wrong, for a person: a member that shows more than two responses, or is itself a
    /// panel; too few weights.
    pub(crate) fn new(
        members: Vec<Member>,
        features: Vec<Feature>,
        weights: Vec<f64>,
    ) -> Result<Fitted, String> {
        if members.is_empty() {
            return Err("a panel needs a member".into());
        }
        if let Some(member) = members
            .iter()
            .find(|member| matches!(member.protocol.form.slots(), Slots::Many(_)))
        {
            return Err(format!(
                "{}: a member of a panel shows one response or two",
                member.protocol
            ));
        }
        let expected = members.len() + features.len();
        match weights.len() == expected && weights.iter().all(|weight| weight.is_finite()) {
            true => Ok(Fitted {
                members,
                features,
                weights,
            }),
            false => Err(format!(
                "expected {expected} finite weights, one for each member and feature"
            )),
        }
    }

    pub(crate) fn protocols(&self) -> impl Iterator<Item = &Protocol> {
        self.members.iter().map(|member| &member.protocol)
    }

    /// The protocols of a judge.
    pub(crate) fn of_judge(&self, judge: usize) -> impl Iterator<Item = &Protocol> {
        self.members
            .iter()
            .filter(move |member| member.judge == judge)
            .map(|member| &member.protocol)
    }

    /// What decides, beside the members' prompts, what comes out.
    pub(crate) fn fingerprint(&self) -> String {
        let members = self.members.iter().map(|member| {
            format!(
                "{}:{}:{}",
                member.judge,
                member.protocol,
                member.protocol.fingerprint()
            )
        });
        let features = self
            .features
            .iter()
            .map(|feature| feature.name().to_string());
        let weights = self
            .weights
            .iter()
            .map(|weight| format!("{:016x}", weight.to_bits()));
        let all: Vec<String> = members.chain(features).chain(weights).collect();
        blake3::hash(all.join("\n").as_bytes())
            .to_hex()
            .chars()
            .take(16)
            .collect()
    }

    /// A member that fails says nothing for either response; where all fail, so does the panel.
    pub(crate) fn judge(&self, view: &View, ask: &Ask) -> Judged {
        let members = settled(
            self.members
                .iter()
                .map(|member| member.difference(view, &ask.member(member.judge))),
        )?;
        let failures: Vec<Failure> = members
            .iter()
            .filter_map(|member| member.clone().err())
            .collect();
        if failures.len() == members.len() {
            return Err(commonest(failures));
        }
        let features = self.features.iter().map(|feature| feature.difference(view));
        let terms: Vec<Result<f64, Failure>> = members.into_iter().chain(features).collect();
        self.note(&terms, ask);
        let sum: f64 = terms
            .iter()
            .zip(&self.weights)
            .map(|(term, weight)| weight * term.as_ref().map_or(0.0, |term| *term))
            .sum();
        let first = 1.0 / (1.0 + (-sum).exp());
        Ok(Verdict::pair([first, 0.0, 1.0 - first], 0.0, Source::Mixed))
    }

    fn note(&self, terms: &[Result<f64, Failure>], ask: &Ask) {
        for (at, term) in terms.iter().enumerate() {
            let judge = self.members.get(at).map_or(0, |member| member.judge);
            ask.member(judge)
                .note(Stage::Term, at as u32, false, outcome(term));
        }
    }
}

/// A term as it is kept.
fn outcome(term: &Result<f64, Failure>) -> Outcome {
    let verdict = |score: &f64| Verdict::Pointwise {
        score: *score,
        distribution: Vec::new(),
        outside: 0.0,
        source: Source::Mixed,
    };
    term.as_ref().map(verdict).map_err(Failure::clone)
}

impl Member {
    fn difference(&self, view: &View, ask: &Ask) -> Result<f64, Stop> {
        let [first, second] = view.responses else {
            return Err(
                Failure::new(FailureKind::Invalid, "a panel compares two responses").into(),
            );
        };
        match self.protocol.form.slots() {
            Slots::One => {
                let alone = |response: &Response| {
                    score(self.protocol.judge_by_one(
                        &View {
                            responses: std::slice::from_ref(response),
                            ..*view
                        },
                        ask,
                    )?)
                };
                let both = crate::all([alone(first), alone(second)])?;
                Ok(both
                    .first()
                    .zip(both.get(1))
                    .map_or(0.0, |(first, second)| first - second))
            }
            _ => self.compared(view, ask, &[second.clone(), first.clone()]),
        }
    }

    /// Of a pairwise member: the mean over both orders, where its own calibration does not see to
    /// them.
    fn compared(&self, view: &View, ask: &Ask, swapped: &[Response; 2]) -> Result<f64, Stop> {
        let forward = self.protocol.judge_by_one(view, ask).and_then(preference);
        if self.sees_to_orders() {
            return forward;
        }
        let backward = self
            .protocol
            .judge_by_one(
                &View {
                    responses: swapped,
                    ..*view
                },
                ask,
            )
            .and_then(preference);
        let both = crate::all([forward, backward.map(|difference| -difference)])?;
        Ok(both.iter().sum::<f64>() / both.len() as f64)
    }

    fn sees_to_orders(&self) -> bool {
        !matches!(
            self.protocol.calibration,
            Calibration::Single { .. }
                | Calibration::Swap
                | Calibration::Mec {
                    both_orders: false,
                    ..
                }
        )
    }
}

fn score(verdict: Verdict) -> Result<f64, Stop> {
    match verdict {
        Verdict::Pointwise { score, .. } => Ok(score),
        _ => Err(Failure::new(FailureKind::Invalid, "a score was expected").into()),
    }
}

fn preference(verdict: Verdict) -> Result<f64, Stop> {
    let preference = verdict
        .preference()
        .map(|[first, _, second]| first - second);
    preference.ok_or_else(|| Failure::new(FailureKind::Invalid, "a preference was expected").into())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
