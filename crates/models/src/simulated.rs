//! A judge with planted, known defects: it validates every audit and estimator, and lets tests and
//! examples run without weights.
//!
//! The planted quality of the systems falls in the order in which the data set names them, by `gap`
//! log-odds from one to the next. Every draw is a hash of the request and the seed, so that replies
//! do not depend on the order of the calls.

mod composed;
mod embed;
mod preference;
mod spec;
mod taste;

pub use spec::Spec;
pub use taste::Taste;

use crate::{Model, ModelError, Work};
use evenhand_core::{
    AnswerOptions, CallError, CallErrorKind, CallResult, Finish, Likelihood, Reply, Request,
    RequestKey, Task, Usage, Wanted,
};
use preference::{Planted, pairwise_first, pointwise_quality};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Nats per token that a simulated model gives to any text without its instruction.
const BASE_LOGPROB: f64 = -3.0;

/// A simulated judge.
#[derive(Debug)]
pub struct Simulated {
    spec: Spec,
    identity: String,
    systems: Vec<Arc<str>>,
    log: Option<File>,
}

impl Simulated {
    /// A judge with these defects over these systems, best first.
    pub fn new(spec: Spec, systems: &[Arc<str>]) -> Result<Simulated, ModelError> {
        if let Some(own) = spec
            .own
            .as_ref()
            .filter(|own| !systems.iter().any(|system| **system == ***own))
        {
            let known: Vec<&str> = systems.iter().map(AsRef::as_ref).collect();
            return Err(ModelError::Open(format!(
                "simulated judge: self={own}: no such system; the data has {}",
                known.join(", ")
            )));
        }
        let log = spec.log.as_ref().map(|path| {
            let file = OpenOptions::new().append(true).create(true).open(path);
            file.map_err(|e| ModelError::Open(format!("simulated judge: log={path}: {e}")))
        });
        let identity = format!("simulated:{spec}");
        Ok(Simulated {
            spec,
            identity,
            systems: systems.to_vec(),
            log: log.transpose()?,
        })
    }

    /// What it says to a request of this key.
    pub fn answer(&mut self, key: &RequestKey, request: &Request) -> CallResult {
        self.note(key)?;
        let draw = Draw {
            key: self.drawn_by(key, request),
            seed: self.spec.seed,
        };
        let planted = Planted {
            spec: &self.spec,
            systems: &self.systems,
            about: &request.about,
        };
        match &request.task {
            Task::Score {
                continuation,
                apart,
            } => score(&planted, request, (continuation, apart), draw),
            Task::Generate { answers, .. } => {
                Ok(self.generate(&planted, request, answers.as_ref(), draw))
            }
            Task::Embed { pieces } => embed::embed(request, pieces),
        }
    }

    /// What the draws follow: the request, or its first sample for a judge to whom all samples are
    /// the same.
    fn drawn_by(&self, key: &RequestKey, request: &Request) -> RequestKey {
        if self.spec.greedy {
            Request {
                sample: 0,
                ..request.clone()
            }
            .key()
        } else {
            *key
        }
    }

    fn generate(
        &self,
        planted: &Planted,
        request: &Request,
        answers: Option<&AnswerOptions>,
        draw: Draw,
    ) -> Reply {
        match (answers, &request.about.wanted) {
            (Some(options), _) => self.verdict(planted, request, options, draw),
            (None, Wanted::Scores { low, high, after }) => {
                let verdict = || composed::scores(planted, *low, *high, draw);
                self.unless_defective(request, draw, || closing(after, verdict()))
            }
            (None, Wanted::Order { after }) => self.unless_defective(request, draw, || {
                closing(after, composed::order(planted, draw))
            }),
            (None, Wanted::Rewritten) => {
                self.unless_defective(request, draw, || composed::rewritten(planted))
            }
            (None, _) => reply(request, "A simulated reply.".into(), None),
        }
    }

    /// This text, or a refusal or a reply with no verdict at their planted rates.
    fn unless_defective(
        &self,
        request: &Request,
        draw: Draw,
        text: impl FnOnce() -> String,
    ) -> Reply {
        self.defect(request, draw)
            .unwrap_or_else(|| reply(request, text(), None))
    }

    fn defect(&self, request: &Request, draw: Draw) -> Option<Reply> {
        if draw.uniform("refuse") < self.spec.refuse {
            return Some(Reply {
                finish: Finish::Refusal,
                ..reply(request, "I will not judge this.".into(), None)
            });
        }
        let invalid = draw.uniform("invalid") < self.spec.invalid;
        invalid.then(|| reply(request, "Both have their merits.".into(), None))
    }

    fn verdict(
        &self,
        planted: &Planted,
        request: &Request,
        options: &AnswerOptions,
        draw: Draw,
    ) -> Reply {
        if let Some(defect) = self.defect(request, draw) {
            return defect;
        }
        let p = probabilities(planted, &options.options, draw);
        let misread = draw.uniform("misread") < self.spec.misread;
        let chosen = if misread {
            other(&p, draw.uniform("other"))
        } else {
            pick(&p, draw.uniform("choice"))
        };
        let answer = options.options.get(chosen).map_or("", String::as_str);
        reply(
            request,
            closing(&options.after, answer.into()),
            self.spec.probabilities.then_some(p),
        )
    }

    fn note(&mut self, key: &RequestKey) -> Result<(), CallError> {
        let Some(log) = &mut self.log else {
            return Ok(());
        };
        let failed = |e: std::io::Error| CallError {
            kind: CallErrorKind::Model,
            message: format!("simulated judge's log: {e}"),
        };
        log.write_all(format!("{key}\n").as_bytes()).map_err(failed)
    }
}

impl Model for Simulated {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn count_prompt_tokens(&self, request: &Request) -> Option<u64> {
        Some(prompt_tokens(request))
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        while let Some((key, request)) = work.next_request() {
            if self.spec.delay_ms > 0.0 {
                std::thread::sleep(Duration::from_secs_f64(self.spec.delay_ms / 1000.0));
            }
            let result = self.answer(&key, &request);
            work.deliver(key, result.into());
            if work.is_stopped() {
                break;
            }
        }
        Ok(())
    }
}

/// Uniform draws that depend on the request, the seed and the purpose alone.
#[derive(Clone, Copy)]
struct Draw {
    key: RequestKey,
    seed: u64,
}

impl Draw {
    /// In [0, 1).
    fn uniform(self, purpose: &str) -> f64 {
        let mut hash = blake3::Hasher::new();
        hash.update(&self.key.0)
            .update(&self.seed.to_le_bytes())
            .update(purpose.as_bytes());
        let mut head = [0; 8];
        head.copy_from_slice(&hash.finalize().as_bytes()[..8]);
        (u64::from_le_bytes(head) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard Gumbel noise: the difference of two draws is logistic, so that scores compare as
    /// Bradley and Terry have it.
    fn gumbel(self, purpose: &str) -> f64 {
        -(-self.uniform(purpose).max(f64::MIN_POSITIVE).ln()).ln()
    }
}

/// A verdict alone, or at the end of some reasoning.
fn closing(after: &str, verdict: String) -> String {
    if after.is_empty() {
        verdict
    } else {
        format!("I weighed it.\n{after} {verdict}")
    }
}

/// The probability of each option: two or three for a pair (first, second, tie), steps between two,
/// else a scale.
fn probabilities(planted: &Planted, options: &[String], draw: Draw) -> Vec<f64> {
    if planted.about.wanted == Wanted::Step {
        return composed::steps(pairwise_first(planted), options.len());
    }
    if planted.about.responses.len() == 2 {
        let first = pairwise_first(planted);
        let tie = if options.len() == 3 {
            planted.spec.tie
        } else {
            0.0
        };
        let mut p = vec![first * (1.0 - tie), (1.0 - first) * (1.0 - tie), tie];
        p.resize(options.len(), 0.0);
        return p;
    }
    let quality = pointwise_quality(planted, draw.gumbel("quality"), draw.uniform("cause"));
    let wide = options
        .last()
        .and_then(|last| last.parse::<f64>().ok())
        .is_some_and(|last| last > 10.0);
    let quality = if wide {
        quality + (1.0 - quality) * planted.spec.wide_scale
    } else {
        quality
    };
    let at = (quality * options.len() as f64)
        .floor()
        .clamp(0.0, options.len() as f64 - 1.0) as usize;
    (0..options.len())
        .map(|option| f64::from(u8::from(option == at)))
        .collect()
}

fn pick(p: &[f64], uniform: f64) -> usize {
    let mut sum = 0.0;
    p.iter()
        .position(|p| {
            sum += p;
            uniform < sum
        })
        .unwrap_or(p.len().saturating_sub(1))
}

/// Any but the most probable; that one where there is no other.
fn other(p: &[f64], uniform: f64) -> usize {
    let best = (0..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best });
    let step = (uniform * p.len().saturating_sub(1) as f64) as usize + 1;
    (best + step) % p.len().max(1)
}

fn score(
    planted: &Planted,
    request: &Request,
    (text, apart): (&str, &[Range<usize>]),
    draw: Draw,
) -> CallResult {
    if text.trim().is_empty() {
        let message =
            "the response is empty: there is nothing whose likelihood could be scored".to_string();
        return Err(CallError {
            kind: CallErrorKind::Invalid,
            message,
        });
    }
    let given = request
        .messages
        .iter()
        .any(|message| !message.content.is_empty());
    let gain = if given {
        0.1 * (planted.strength(0) + draw.gumbel("quality"))
    } else {
        0.0
    };
    let mut likelihood = Likelihood::default();
    for word in text.split_whitespace() {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        likelihood.add(BASE_LOGPROB + gain, 1, start..start + word.len(), apart);
    }
    Ok(Reply {
        likelihood: Some(likelihood),
        ..reply(request, String::new(), None)
    })
}

fn reply(request: &Request, text: String, answers: Option<Vec<f64>>) -> Reply {
    let completion_tokens = text.split_whitespace().count() as u64;
    let usage = Usage {
        prompt_tokens: prompt_tokens(request),
        completion_tokens,
        ..Usage::default()
    };
    Reply {
        text,
        answers,
        usage,
        ..Reply::default()
    }
}

/// A simulated token is four bytes.
fn prompt_tokens(request: &Request) -> u64 {
    let more = match &request.task {
        Task::Score { continuation, .. } => continuation.len(),
        Task::Embed { pieces } => pieces.iter().map(String::len).sum(),
        Task::Generate { .. } => 0,
    };
    let bytes: usize = request
        .messages
        .iter()
        .map(|message| message.content.len())
        .sum::<usize>()
        + more;
    bytes.div_ceil(4) as u64
}

#[cfg(test)]
mod tests;
