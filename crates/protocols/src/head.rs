//! A head: a small logistic model on what a model of this machine makes of a response, fitted to a
//! user's own labels.

use crate::ask::{Ask, VerdictOrStop, invalid};
use crate::error::ProtocolError;
use crate::form::{Baseline, FLUENT, Form, GainUnit, LikelihoodVariant};
use crate::judged::{JudgedProtocol, ProtocolOptions};
use crate::likelihood::{ask_likelihoods, read_amount, score_likelihoods};
use crate::prompts::Pack;
use crate::weighed::Feature;
use evenhand_core::{
    Failure, FailureKind, Item, Reply, Verdict, VerdictSource, View, check_reward,
};
use std::fmt;

/// The depths that are tried when a head is fitted, in percent of the model's layers.
pub const HEAD_DEPTHS: [u8; 4] = [25, 50, 75, 100];

/// The names of a head's plain features, in their order: four likelihoods, and three measures of
/// the text.
pub const HEAD_FEATURES: [&str; 7] = [
    "likelihood",
    "novel",
    "given",
    "surprisal",
    "length",
    "overlap",
    "constraints",
];

/// The default protocol of a small model of this machine; so an unfitted head judges.
pub const READY_LIKELIHOOD: &str = "likelihood:novel,surprisal=0.1";

/// What a head is made of, for one response.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadFeatures {
    /// Those of [`HEAD_FEATURES`], in their order. Finite.
    pub plain: Vec<f64>,
    /// For each depth that was asked for, the mean state of the response's tokens.
    pub states: Vec<Vec<f32>>,
}

/// The weights of a fitted head.
///
/// The score of a response is the sum of weight x (feature - mean) / scale, over the plain features
/// and then the states: the difference of two scores is the log-odds that the first is better.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadWeights {
    /// How deep the states are taken; None for a head without states.
    pub depth: Option<u8>,
    /// What is taken off each feature.
    pub means: Vec<f64>,
    /// What each is then divided by, above 0.
    pub scales: Vec<f64>,
    /// Log-odds for each unit of what is left.
    pub weights: Vec<f64>,
}

impl HeadWeights {
    /// Returns the score of a response with these features, in log-odds.
    ///
    /// `states` are those at this head's depth; empty for a head without states.
    ///
    /// # Errors
    /// Features of another number than the head has: it was fitted to another model.
    pub fn score(&self, plain: &[f64], states: &[f32]) -> Result<f64, Failure> {
        let count = plain.len() + states.len();
        if [&self.means, &self.scales, &self.weights]
            .iter()
            .any(|own| own.len() != count)
        {
            return Err(invalid(format!(
                "the head has {} weights, and the model gives {count} features: it was fitted to \
                 another model",
                self.weights.len()
            )));
        }
        let features = plain
            .iter()
            .copied()
            .chain(states.iter().copied().map(f64::from));
        let scaled = features
            .zip(&self.means)
            .zip(&self.scales)
            .map(|((feature, mean), scale)| (feature - mean) / scale);
        Ok(scaled
            .zip(&self.weights)
            .map(|(scaled, weight)| scaled * weight)
            .sum())
    }
}

/// Scores each response by itself: by a fitted head, or, before the fit, by likelihood with the
/// states asked for beside it.
///
/// No other response is in view, so order cannot matter. 1 round, 2 calls, of which the second is
/// that of `likelihood:novel`.
#[derive(Debug)]
pub struct HeadProtocol {
    pub(crate) likelihood: JudgedProtocol,
    depths: Vec<u8>,
    /// The weights, and the name of the head.
    fitted: Option<(HeadWeights, String)>,
}

impl HeadProtocol {
    /// Builds the protocol that gathers the features of a fit: of all depths, and judged by
    /// likelihood meanwhile.
    ///
    /// # Errors
    /// A prompt of the pack that cannot be used.
    pub(crate) fn unfitted(pack: &Pack) -> Result<HeadProtocol, ProtocolError> {
        HeadProtocol::new(pack, HEAD_DEPTHS.to_vec(), None)
    }

    /// Builds the protocol of a fitted head, which has this name.
    ///
    /// # Errors
    /// As [`HeadProtocol::unfitted`].
    pub(crate) fn fitted(
        weights: HeadWeights,
        name: String,
        pack: &Pack,
    ) -> Result<HeadProtocol, ProtocolError> {
        let depths = weights.depth.into_iter().collect();
        HeadProtocol::new(pack, depths, Some((weights, name)))
    }

    fn new(
        pack: &Pack,
        depths: Vec<u8>,
        fitted: Option<(HeadWeights, String)>,
    ) -> Result<HeadProtocol, ProtocolError> {
        let options = ProtocolOptions {
            pack: pack.clone(),
            ..ProtocolOptions::default()
        };
        Ok(HeadProtocol {
            likelihood: JudgedProtocol::parse(READY_LIKELIHOOD, &options)?,
            depths,
            fitted,
        })
    }

    /// Returns the form of its verdicts: rewards in log-odds, or likelihoods before the fit.
    pub(crate) fn form(&self) -> Form {
        match self.fitted {
            Some(_) => Form::Reward,
            None => self.likelihood.form,
        }
    }

    /// Returns a digest of what decides what is asked and what comes of it.
    pub(crate) fn fingerprint(&self) -> String {
        let mut all = vec![self.likelihood.fingerprint(), format!("{:?}", self.depths)];
        if let Some((head, name)) = &self.fitted {
            all.push(name.clone());
            for number in [&head.means, &head.scales, &head.weights]
                .into_iter()
                .flatten()
            {
                all.push(format!("{:016x}", number.to_bits()));
            }
        }
        let digest = blake3::hash(all.join("\n").as_bytes());
        digest.to_hex().chars().take(16).collect()
    }

    /// Scores the response in view.
    pub(crate) fn judge(&self, view: &View, ask: &Ask) -> VerdictOrStop {
        let prompts = &self.likelihood.prompts;
        let replies = ask_likelihoods(view, Baseline::Novel, &self.depths, ask, prompts)?;
        let response = view.responses.first().map_or("", |response| &response.text);
        let (score, source) = match &self.fitted {
            None => {
                let unit = match self.likelihood.form {
                    Form::Likelihood(LikelihoodVariant { unit, .. }) => unit,
                    _ => GainUnit::PerToken,
                };
                (
                    score_likelihoods(&replies, unit)?,
                    VerdictSource::Likelihood,
                )
            }
            Some((head, _)) => {
                let found = read_head_features(view.item, response, &replies, self.depths.len())?;
                let states = found.states.first().map_or(&[][..], Vec::as_slice);
                let score = head.score(&found.plain, states)?;
                let score = check_reward(score)
                    .map_err(|why| Failure::new(FailureKind::ModelError, why))?;
                (score, VerdictSource::Reward)
            }
        };
        Ok(Verdict::Pointwise {
            score,
            distribution: Vec::new(),
            outside: 0.0,
            source,
        })
    }
}

/// Reads the features of a response off the replies to its two calls, in which states were asked
/// for at so many depths.
///
/// # Errors
/// Replies that hold no likelihood, or not as many states; constraints of the item that cannot be
/// read.
pub fn read_head_features(
    item: &Item,
    response: &str,
    replies: &[Reply],
    depths: usize,
) -> Result<HeadFeatures, Failure> {
    let [own, null] = replies else {
        return Err(invalid("a head reads a response twice"));
    };
    // Per token of the whole response: of all words, and of those that the instruction lacks.
    let novel = [own, null].map(|reply| read_amount(reply, GainUnit::PerToken));
    let [novel_own, novel_null] = novel;
    let (novel_own, novel_null) = (novel_own?, novel_null?);
    let all = |reply: &Reply| {
        let likelihood = reply.likelihood.unwrap_or_default();
        likelihood.logprob / f64::from(likelihood.tokens.max(1))
    };
    let mut plain = vec![
        all(own) - all(null),
        novel_own - novel_null,
        all(own),
        (-novel_own).min(2.0 * FLUENT + novel_own),
    ];
    for feature in Feature::ALL {
        plain.push(feature.value(item, response)?);
    }
    let states: Vec<Vec<f32>> = match &own.embeddings {
        Some(found) => found.vectors().map(<[f32]>::to_vec).collect(),
        None => Vec::new(),
    };
    if states.len() != depths {
        return Err(Failure::new(
            FailureKind::ModelError,
            "this judge gives no states of its layers: a head needs a GGUF model on this machine",
        ));
    }
    Ok(HeadFeatures { plain, states })
}

impl fmt::Display for HeadProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fitted {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "{} with states", self.likelihood),
        }
    }
}

#[cfg(test)]
#[path = "tests/head.rs"]
mod tests;
