//! A calibrated panel: the scores of a few judges and what can be seen of the responses, weighed by
//! a fitted logistic model.

mod feature;

pub use feature::Feature;

use crate::ask::{Ask, Stop, VerdictOrStop, all, invalid, join, settled};
use crate::form::Slots;
use crate::judged::JudgedProtocol;
use crate::methods::Presentation;
use crate::panel::commonest;
use evenhand_core::{Failure, Response, Stage, Verdict, VerdictSource, View};
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
    /// Whether a member reads responses side by side.
    pub(crate) fn reads_side_by_side(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|member| member.protocol.prompts.reads_side_by_side())
    }

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
        for Member { protocol, .. } in &members {
            if let Slots::Many(_) = protocol.form.slots() {
                return Err(format!(
                    "{protocol}: a member of a panel shows one response or two"
                ));
            }
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
        let mut all: Vec<String> = Vec::new();
        for Member { judge, protocol } in &self.members {
            all.push(format!("{judge}:{protocol}:{}", protocol.fingerprint()));
        }
        for feature in &self.features {
            all.push(feature.name().to_string());
        }
        for weight in &self.weights {
            all.push(format!("{:016x}", weight.to_bits()));
        }
        let digest = blake3::hash(all.join("\n").as_bytes());
        digest.to_hex().chars().take(16).collect()
    }

    /// Judges by all members. A member that fails says nothing for either response; where all fail,
    /// so does the panel.
    pub(crate) fn judge(&self, view: &View, ask: &Ask) -> VerdictOrStop {
        let members = self.members.iter();
        let members =
            settled(members.map(|member| member.difference(view, &ask.member(member.judge))))?;
        if members.iter().all(Result::is_err) {
            return Err(commonest(
                members.into_iter().filter_map(Result::err).collect(),
            ));
        }
        let features = self.features.iter().map(|feature| feature.difference(view));
        let terms: Vec<Result<f64, Failure>> = members.into_iter().chain(features).collect();
        for (at, term) in terms.iter().enumerate() {
            let judge = self.members.get(at).map_or(0, |member| member.judge);
            let outcome = term.clone().map(|score| Verdict::Pointwise {
                score,
                distribution: Vec::new(),
                outside: 0.0,
                source: VerdictSource::Mixed,
            });
            ask.member(judge)
                .note(Stage::Term, at as u32, false, outcome);
        }
        let known = terms.into_iter().map(|term| term.unwrap_or(0.0));
        let weighted = known.zip(&self.weights).map(|(term, weight)| weight * term);
        let first = 1.0 / (1.0 + (-weighted.sum::<f64>()).exp());
        Ok(Verdict::pair(
            [first, 0.0, 1.0 - first],
            0.0,
            VerdictSource::Mixed,
        ))
    }
}

impl Member {
    /// Returns by how much the first response is better than the second: by the scores of each
    /// alone, or by comparing them in both orders, where the member's own calibration does not see
    /// to that.
    fn difference(&self, view: &View, ask: &Ask) -> Result<f64, Stop> {
        let [first, second] = view.responses else {
            return Err(invalid("a panel compares two responses").into());
        };
        if self.protocol.form.slots() == Slots::One {
            let scores = join(self.score(first, view, ask), self.score(second, view, ask))?;
            return Ok(scores.0 - scores.1);
        }
        let forward = self.prefer(view, ask);
        if self.protocol.calibration.presentation() == Presentation::BothWithinTrial {
            return forward;
        }
        let swapped = View {
            responses: &[second.clone(), first.clone()],
            ..*view
        };
        let backward = self.prefer(&swapped, ask);
        let both = all([forward, backward.map(|difference| -difference)])?;
        Ok(both.iter().sum::<f64>() / both.len() as f64)
    }

    /// Scores a response by itself.
    fn score(&self, response: &Response, view: &View, ask: &Ask) -> Result<f64, Stop> {
        let alone = View {
            responses: std::slice::from_ref(response),
            ..*view
        };
        match self.protocol.judge_by_one(&alone, ask)? {
            Verdict::Pointwise { score, .. } => Ok(score),
            _ => Err(invalid("a score was expected").into()),
        }
    }

    /// Compares the responses in the order in view.
    fn prefer(&self, view: &View, ask: &Ask) -> Result<f64, Stop> {
        let verdict = self.protocol.judge_by_one(view, ask)?;
        match verdict.preference() {
            Some([first, _, second]) => Ok(first - second),
            None => Err(invalid("a preference was expected").into()),
        }
    }
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
