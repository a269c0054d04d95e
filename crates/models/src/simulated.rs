//! A judge with planted, known defects. It validates every audit and estimator, and lets tests and
//! examples run without weights.
//!
//! The planted quality of the systems falls in the order in which the data set names them, by `gap`
//! log-odds from one to the next. Every draw is a hash of the request and the seed, so that replies
//! do not depend on the order of the calls.

mod checklist;
mod composed;
mod draw;
mod embed;
mod preference;
mod spec;
mod taste;

pub use spec::Spec;
pub use taste::Taste;

use crate::{Model, ModelError, Work};
use checklist::{says_met, write_criteria, write_verdicts};
use composed::{step_probabilities, write_notes, write_order, write_rewritten, write_scores};
use draw::{Draw, pick_likely, pick_unlikely};
use evenhand_core::{
    AnswerOptions, AskedCriterion, CallError, CallErrorKind, CallResult, Finish, Likelihood, Reply,
    Request, RequestKey, Task, Usage, Wanted,
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
    /// Makes a judge with these defects over these systems, best first.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if the judge's own system is not one of these, or its log cannot be
    /// opened.
    pub fn new(spec: Spec, systems: &[Arc<str>]) -> Result<Simulated, ModelError> {
        check_own(&spec, systems)?;
        Ok(Simulated {
            log: spec.log.as_deref().map(open_log).transpose()?,
            identity: format!("simulated:{spec}"),
            spec,
            systems: systems.to_vec(),
        })
    }

    /// Answers a request of this key.
    ///
    /// # Errors
    ///
    /// [`CallErrorKind::Invalid`] if there is nothing to score or embed, and
    /// [`CallErrorKind::Model`] if the log cannot be written.
    pub fn answer(&mut self, key: &RequestKey, request: &Request) -> CallResult {
        self.log_key(key)?;
        let reply = self.start_reply(key, request);
        match &request.task {
            Task::Score {
                continuation,
                apart,
            } => reply.score(continuation, apart),
            Task::Generate { answers, .. } => Ok(reply.generate(answers.as_ref())),
            Task::Embed { pieces } => embed::embed_pieces(request, pieces),
        }
    }

    /// Returns what the draws follow: the request, or its first sample for a judge to whom all
    /// samples are the same.
    fn drawn_by(&self, key: &RequestKey, request: &Request) -> RequestKey {
        if !self.spec.greedy {
            return *key;
        }
        let first = Request {
            sample: 0,
            ..request.clone()
        };
        first.key()
    }

    fn wait(&self) {
        if self.spec.delay_ms > 0.0 {
            std::thread::sleep(Duration::from_secs_f64(self.spec.delay_ms / 1000.0));
        }
    }

    fn start_reply<'a>(&'a self, key: &RequestKey, request: &'a Request) -> SimulatedReply<'a> {
        let spec = &self.spec;
        SimulatedReply {
            spec,
            request,
            planted: Planted {
                spec,
                systems: &self.systems,
                about: &request.about,
            },
            draw: Draw {
                key: self.drawn_by(key, request),
                seed: spec.seed,
            },
        }
    }

    fn log_key(&mut self, key: &RequestKey) -> Result<(), CallError> {
        match &mut self.log {
            Some(log) => log
                .write_all(format!("{key}\n").as_bytes())
                .map_err(|e| not_logged(&e)),
            None => Ok(()),
        }
    }
}

fn not_logged(cause: &std::io::Error) -> CallError {
    CallError {
        kind: CallErrorKind::Model,
        message: format!("simulated judge's log: {cause}"),
    }
}

fn check_own(spec: &Spec, systems: &[Arc<str>]) -> Result<(), ModelError> {
    let known: Vec<&str> = systems.iter().map(AsRef::as_ref).collect();
    match &spec.own {
        Some(own) if !known.contains(&own.as_str()) => Err(unknown_own(own, &known)),
        _ => Ok(()),
    }
}

fn unknown_own(own: &str, known: &[&str]) -> ModelError {
    let known = known.join(", ");
    ModelError::Open(format!(
        "simulated judge: self={own}: no such system; the data has {known}"
    ))
}

fn open_log(path: &str) -> Result<File, ModelError> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.map_err(|e| ModelError::Open(format!("simulated judge: log={path}: {e}")))
}

/// A reply in the making: the judge, the request, and the draws for it.
struct SimulatedReply<'a> {
    spec: &'a Spec,
    request: &'a Request,
    planted: Planted<'a>,
    draw: Draw,
}

impl SimulatedReply<'_> {
    fn generate(&self, answers: Option<&AnswerOptions>) -> Reply {
        let (planted, draw) = (&self.planted, self.draw);
        match (answers, &self.request.about.wanted) {
            (Some(options), _) => self.give_verdict(options),
            (None, Wanted::Scores { low, high, after }) => self.unless_defective(|| {
                end_with_verdict(after, write_scores(planted, *low, *high, draw))
            }),
            (None, Wanted::Order { after }) => {
                self.unless_defective(|| end_with_verdict(after, write_order(planted, draw)))
            }
            (None, Wanted::Criteria { asked, after }) => self.list_verdicts(asked, after),
            (None, Wanted::NewCriteria) => self.say(write_criteria(planted)),
            (None, Wanted::Rewritten) => self.unless_defective(|| write_rewritten(planted)),
            (None, _) => self.say(write_notes(planted)),
        }
    }

    /// Gives a list of verdicts, some of them invalid, or refuses.
    fn list_verdicts(&self, asked: &[AskedCriterion], after: &str) -> Reply {
        if self.draw.uniform("refuse") < self.spec.refuse {
            return self.refuse();
        }
        let list = write_verdicts(&self.planted, asked, self.draw);
        self.say(if after.is_empty() {
            list
        } else {
            end_with_verdict(after, format!("\n{list}"))
        })
    }

    /// Says this text, or gives a refusal or a reply with no verdict at their planted rates.
    fn unless_defective(&self, text: impl FnOnce() -> String) -> Reply {
        self.draw_defect().unwrap_or_else(|| self.say(text()))
    }

    fn refuse(&self) -> Reply {
        Reply {
            finish: Finish::Refusal,
            ..self.say("I will not judge this.".into())
        }
    }

    fn draw_defect(&self) -> Option<Reply> {
        if self.draw.uniform("refuse") < self.spec.refuse {
            return Some(self.refuse());
        }
        let is_invalid = self.draw.uniform("invalid") < self.spec.invalid;
        is_invalid.then(|| self.say("Both have their merits.".into()))
    }

    /// Draws an answer by the probabilities, or, now and then, one that it does not mean.
    fn choose(&self, p: &[f64]) -> usize {
        if self.draw.uniform("misread") < self.spec.misread {
            pick_unlikely(p, self.draw.uniform("other"))
        } else {
            pick_likely(p, self.draw.uniform("choice"))
        }
    }

    fn give_verdict(&self, options: &AnswerOptions) -> Reply {
        if let Some(defect) = self.draw_defect() {
            return defect;
        }
        let p = self.probabilities(&options.options);
        let answer = options.options.get(self.choose(&p));
        let answer = answer.map_or("", String::as_str);
        Reply {
            answers: self.spec.probabilities.then_some(p),
            ..self.say(end_with_verdict(&options.after, answer.into()))
        }
    }

    /// Returns the probability of each option: two or three for a pair (first, second, tie), steps
    /// between two, else a scale.
    fn probabilities(&self, options: &[String]) -> Vec<f64> {
        let about = &self.request.about;
        if let Wanted::Criteria { asked, .. } = &about.wanted {
            let met = asked
                .first()
                .map_or(0.0, |one| says_met(&self.planted, *one));
            return vec![met, 1.0 - met];
        }
        if about.wanted == Wanted::Step {
            step_probabilities(pairwise_first(&self.planted), options.len())
        } else if about.responses.len() == 2 {
            self.pair_probabilities(options.len())
        } else {
            self.scale_probabilities(options)
        }
    }

    fn pair_probabilities(&self, options: usize) -> Vec<f64> {
        let first = pairwise_first(&self.planted);
        let tie = if options == 3 { self.spec.tie } else { 0.0 };
        let mut p = vec![first * (1.0 - tie), (1.0 - first) * (1.0 - tie), tie];
        p.resize(options, 0.0);
        p
    }

    /// Returns the probabilities of a scale's points, one of which is certain.
    fn scale_probabilities(&self, options: &[String]) -> Vec<f64> {
        let count = options.len() as f64;
        let quality = self.quality_on(options);
        let at = (quality * count).floor().clamp(0.0, count - 1.0) as usize;
        (0..options.len())
            .map(|option| f64::from(u8::from(option == at)))
            .collect()
    }

    fn quality_on(&self, options: &[String]) -> f64 {
        let (gumbel, cause) = (self.draw.gumbel("quality"), self.draw.uniform("cause"));
        let quality = pointwise_quality(&self.planted, gumbel, cause);
        if is_wide(options) {
            quality + (1.0 - quality) * self.spec.wide_scale
        } else {
            quality
        }
    }

    fn score(&self, text: &str, apart: &[Range<usize>]) -> CallResult {
        if text.trim().is_empty() {
            return Err(nothing_to_score());
        }
        Ok(Reply {
            likelihood: Some(self.score_words(text, apart)),
            ..self.say(String::new())
        })
    }

    /// Scores each word as one token.
    fn score_words(&self, text: &str, apart: &[Range<usize>]) -> Likelihood {
        let logprob = BASE_LOGPROB + self.gain_of_instruction();
        let mut likelihood = Likelihood::default();
        for word in text.split_whitespace() {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            likelihood.add(logprob, 1, start..start + word.len(), apart);
        }
        likelihood
    }

    /// Returns by how much a word is likelier after the instruction, if there is one.
    fn gain_of_instruction(&self) -> f64 {
        let mut messages = self.request.messages.iter();
        if messages.any(|message| !message.content.is_empty()) {
            0.1 * (self.planted.strength_of(0) + self.draw.gumbel("quality"))
        } else {
            0.0
        }
    }

    fn say(&self, text: String) -> Reply {
        make_reply(self.request, text)
    }
}

impl Model for Simulated {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn count_prompt_tokens(&self, request: &Request) -> Option<u64> {
        Some(count_tokens(request))
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        while let Some((key, request)) = work.next_request() {
            self.wait();
            let result = self.answer(&key, &request);
            work.deliver(key, result.into());
            if work.is_stopped() {
                break;
            }
        }
        Ok(())
    }
}

/// Writes a verdict alone, or at the end of some reasoning.
fn end_with_verdict(after: &str, verdict: String) -> String {
    if after.is_empty() {
        verdict
    } else {
        format!("I weighed it.\n{after} {verdict}")
    }
}

/// Whether a scale ends above 10.
fn is_wide(options: &[String]) -> bool {
    let last = options.last().and_then(|last| last.parse::<f64>().ok());
    last.is_some_and(|last| last > 10.0)
}

fn nothing_to_score() -> CallError {
    CallError {
        kind: CallErrorKind::Invalid,
        message: "the response is empty: there is nothing whose likelihood could be scored".into(),
    }
}

fn make_reply(request: &Request, text: String) -> Reply {
    Reply {
        usage: Usage {
            prompt_tokens: count_tokens(request),
            completion_tokens: text.split_whitespace().count() as u64,
            ..Usage::default()
        },
        text,
        ..Reply::default()
    }
}

/// Counts the tokens of a prompt; a simulated token is four bytes.
fn count_tokens(request: &Request) -> u64 {
    let messages = request.messages.iter();
    let conversation: usize = messages.map(|message| message.content.len()).sum();
    let bytes = conversation + count_task_bytes(&request.task);
    bytes.div_ceil(4) as u64
}

fn count_task_bytes(task: &Task) -> usize {
    match task {
        Task::Score { continuation, .. } => continuation.len(),
        Task::Embed { pieces } => pieces.iter().map(String::len).sum(),
        Task::Generate { .. } => 0,
    }
}

#[cfg(test)]
mod tests;
