//! A judge with planted, known defects. It validates every audit and estimator, and lets tests and
//! examples run without weights.
//!
//! The planted quality of the systems falls in the order in which the data set names them, by `gap`
//! log-odds from one to the next. Every draw is a hash of the request and the seed, so that replies
//! do not depend on the order of the calls.

mod composed;
mod draw;
mod preference;
mod spec;
mod taste;

pub use spec::Spec;
pub use taste::Taste;

use crate::identity::{failed, invalid};
use crate::{Model, ModelError, Work};
use composed::{
    says_met, step_probabilities, write_criteria, write_notes, write_order, write_rewritten,
    write_scores, write_verdicts,
};
use draw::{Draw, pick_likely, pick_unlikely};
use evenhand_core::{
    AnswerOptions, CallResult, Embeddings, Finish, Likelihood, Question, Reply, Request,
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
    /// Makes a judge with these defects over these systems, best first.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if the judge's own system is not one of these, or its log cannot be
    /// opened.
    pub fn new(spec: Spec, systems: &[Arc<str>]) -> Result<Simulated, ModelError> {
        if let Some(own) = &spec.own
            && !systems.iter().any(|system| **system == **own)
        {
            let known = systems.join(", ");
            return Err(ModelError::Open(format!(
                "simulated judge: self={own}: no such system; the data has {known}"
            )));
        }
        let open_log = |path: &String| {
            let file = OpenOptions::new().append(true).create(true).open(path);
            file.map_err(|e| ModelError::Open(format!("simulated judge: log={path}: {e}")))
        };
        Ok(Simulated {
            log: spec.log.as_ref().map(open_log).transpose()?,
            identity: format!("simulated:{spec}"),
            spec,
            systems: systems.to_vec(),
        })
    }

    /// Answers a request of this key.
    ///
    /// # Errors
    ///
    /// [`CallErrorKind::Invalid`](evenhand_core::CallErrorKind::Invalid) if there is nothing to
    /// score or embed, and [`CallErrorKind::Model`](evenhand_core::CallErrorKind::Model) if the log
    /// cannot be written.
    pub fn answer(&mut self, key: &RequestKey, request: &Request) -> CallResult {
        if let Some(log) = &mut self.log {
            log.write_all(format!("{key}\n").as_bytes())
                .map_err(|cause| failed(format!("simulated judge's log: {cause}")))?;
        }
        let spec = &self.spec;
        // To a greedy judge all samples are the same: its draws follow the first.
        let drawn_by = if spec.greedy {
            let first = Request {
                sample: 0,
                ..request.clone()
            };
            first.key()
        } else {
            *key
        };
        let reply = SimulatedReply {
            request,
            planted: Planted {
                spec,
                systems: &self.systems,
                about: &request.about,
            },
            draw: Draw {
                key: drawn_by,
                seed: spec.seed,
            },
        };
        match &request.task {
            Task::Score {
                continuation,
                apart,
                ..
            } => reply.score(continuation, apart),
            Task::Generate { answers, .. } => Ok(reply.generate(answers.as_ref())),
            Task::SideBySide { answers, .. } => {
                let mut renamed = request.about.clone();
                renamed.responses.reverse();
                let planted = Planted {
                    spec,
                    systems: &self.systems,
                    about: &renamed,
                };
                let draw = reply.draw;
                let other = SimulatedReply {
                    request,
                    planted,
                    draw,
                };
                Ok(mean_of_namings(
                    answers,
                    reply.choose_of(answers),
                    &other.choose_of(answers),
                ))
            }
            Task::Embed { pieces } => embed_pieces(request, pieces),
            Task::Decide { question, .. } => Ok(reply.decide(question)),
            Task::Reward => Ok(reply.reward()),
        }
    }
}

/// Returns a reply with the mean of both ways of naming two responses; the first one as it is where
/// one of them holds no answer.
fn mean_of_namings(names: &[String; 2], one: Reply, other: &Reply) -> Reply {
    let shares = |reply: &Reply| match reply.answers.as_deref() {
        Some([first, second]) => Some([*first, *second]),
        _ => {
            let named = names.iter().position(|name| *name == reply.text)?;
            Some([0, 1].map(|at| f64::from(u8::from(at == named))))
        }
    };
    let (Some([a, b]), Some([c, d])) = (shares(&one), shares(other)) else {
        return one;
    };
    let mean = [(a + d) / 2.0, (b + c) / 2.0];
    Reply {
        text: names[usize::from(mean[1] > mean[0])].clone(),
        answers: Some(mean.to_vec()),
        ..one
    }
}

/// A reply in the making: the request, as the judge sees it, and the draws for it.
struct SimulatedReply<'a> {
    request: &'a Request,
    planted: Planted<'a>,
    draw: Draw,
}

impl SimulatedReply<'_> {
    /// Chooses one of two answers.
    fn choose_of(&self, answers: &[String; 2]) -> Reply {
        self.generate(Some(&AnswerOptions {
            options: answers.to_vec(),
            after: String::new(),
        }))
    }

    fn generate(&self, answers: Option<&AnswerOptions>) -> Reply {
        let planted = &self.planted;
        let draw = self.draw;
        match (answers, &self.request.about.wanted) {
            (Some(options), _) => self.give_verdict(options),
            (None, _) if !self.request.about.statements.is_empty() => self.state_verdict(),
            (None, Wanted::Scores { low, high, after }) => self.unless_defective(|| {
                end_with_verdict(after, write_scores(planted, *low, *high, draw))
            }),
            (None, Wanted::Order { after }) => {
                self.unless_defective(|| end_with_verdict(after, write_order(planted, draw)))
            }
            // Some verdicts of a list are invalid, and never the whole reply.
            (None, Wanted::Criteria { asked, after }) => {
                if draw.uniform("refuse") < self.planted.spec.refuse {
                    return self.refuse();
                }
                let list = write_verdicts(planted, asked, draw);
                self.say(match after.as_str() {
                    "" => list,
                    after => end_with_verdict(after, format!("\n{list}")),
                })
            }
            (None, Wanted::NewCriteria) => self.say(write_criteria(planted)),
            (None, Wanted::Rewritten) => self.unless_defective(|| write_rewritten(planted)),
            (None, _) => self.say(write_notes(planted)),
        }
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
        if self.draw.uniform("refuse") < self.planted.spec.refuse {
            return Some(self.refuse());
        }
        let is_invalid = self.draw.uniform("invalid") < self.planted.spec.invalid;
        is_invalid.then(|| self.say("Both have their merits.".into()))
    }

    fn give_verdict(&self, options: &AnswerOptions) -> Reply {
        if let Some(defect) = self.draw_defect() {
            return defect;
        }
        let p = self.probabilities(&options.options);
        let answer = options.options.get(self.choose(&p));
        let answer = answer.map_or("", String::as_str);
        Reply {
            answers: self.planted.spec.probabilities.then_some(p),
            ..self.say(end_with_verdict(&options.after, answer.into()))
        }
    }

    /// States a verdict in the notation that is asked for, which has no probabilities.
    fn state_verdict(&self) -> Reply {
        self.unless_defective(|| {
            let statements = &self.request.about.statements;
            let answers: Vec<String> = statements.iter().map(|one| one.answer.clone()).collect();
            let chosen = self.choose(&self.probabilities(&answers));
            statements[chosen].text.clone()
        })
    }

    /// Draws an answer by its probability; now and then it names one that it does not mean.
    fn choose(&self, p: &[f64]) -> usize {
        if self.draw.uniform("misread") < self.planted.spec.misread {
            pick_unlikely(p, self.draw.uniform("other"))
        } else {
            pick_likely(p, self.draw.uniform("choice"))
        }
    }

    /// Returns the probability of each option: two or three for a pair (first, second, tie), steps
    /// between two, else a scale.
    fn probabilities(&self, options: &[String]) -> Vec<f64> {
        let planted = &self.planted;
        let about = &self.request.about;
        if let Wanted::Criteria { asked, .. } = &about.wanted {
            let met = asked.first().map_or(0.0, |one| says_met(planted, *one));
            return vec![met, 1.0 - met];
        }
        if about.wanted == Wanted::Step {
            return step_probabilities(pairwise_first(planted), options.len());
        }
        if about.responses.len() == 2 {
            let first = pairwise_first(planted);
            let tie = if options.len() == 3 {
                self.planted.spec.tie
            } else {
                0.0
            };
            let mut p = vec![first * (1.0 - tie), (1.0 - first) * (1.0 - tie), tie];
            p.resize(options.len(), 0.0);
            return p;
        }
        // One point of a scale is certain.
        let gumbel = self.draw.gumbel("quality");
        let cause = self.draw.uniform("cause");
        let mut quality = pointwise_quality(planted, gumbel, cause);
        let last = options.last().and_then(|last| last.parse::<f64>().ok());
        if last.is_some_and(|last| last > 10.0) {
            quality += (1.0 - quality) * self.planted.spec.wide_scale;
        }
        let count = options.len() as f64;
        let at = (quality * count).floor().clamp(0.0, count - 1.0) as usize;
        (0..options.len())
            .map(|option| f64::from(u8::from(option == at)))
            .collect()
    }

    /// Answers a question about a state. What is drawn for a pair is the same in both orders, and
    /// where a response is rewritten.
    fn decide(&self, question: &Question) -> Reply {
        let spec = self.planted.spec;
        if self.draw.uniform("refuse") < spec.refuse {
            return self.refuse();
        }
        let names: Vec<String> = question
            .answers
            .names()
            .into_iter()
            .map(Into::into)
            .collect();
        let responses = self.planted.about.responses.iter();
        let mut origins: Vec<&str> = responses
            .map(|response| {
                let system: &str = &response.system;
                system.rsplit_once('+').map_or(system, |(origin, _)| origin)
            })
            .collect();
        origins.sort_unstable();
        let pair = format!("{}\0{}", self.planted.about.item, origins.join("\0"));
        let by_pair = Draw {
            key: RequestKey::of(&pair),
            seed: spec.seed,
        };
        if self.draw.uniform("off-label") < spec.off_label {
            return Reply {
                answers: Some(vec![1.0 / names.len() as f64; names.len()]),
                label_mass: Some(0.03),
                argmax_is_label: Some(false),
                ..self.say(String::new())
            };
        }
        let is_pair = self.planted.about.responses.len() == 2;
        let mut p = self.probabilities(&names);
        // A tie stands between the two.
        if is_pair && p.len() == 3 {
            p.swap(1, 2);
        }
        if is_pair && by_pair.uniform("option-flips") < spec.option_flips {
            p = vec![0.1 / (names.len() - 1).max(1) as f64; names.len()];
            p[0] = 0.9;
        }
        if self.draw.uniform("rerun-flips") < spec.rerun_flips {
            p.reverse();
        }
        Reply {
            answers: Some(p),
            label_mass: Some(0.99),
            argmax_is_label: Some(true),
            ..self.say(String::new())
        }
    }

    /// Gives a reward: the log-odds of a pair are the difference of two, so that a response wins as
    /// often as by a verdict.
    fn reward(&self) -> Reply {
        if self.draw.uniform("refuse") < self.planted.spec.refuse {
            return self.refuse();
        }
        let gumbel = self.draw.gumbel("quality");
        let quality = pointwise_quality(&self.planted, gumbel, self.draw.uniform("cause"));
        let bounded = quality.clamp(1e-9, 1.0 - 1e-9);
        Reply {
            reward: Some((bounded / (1.0 - bounded)).ln()),
            ..self.say(String::new())
        }
    }

    fn score(&self, text: &str, apart: &[Range<usize>]) -> CallResult {
        if text.trim().is_empty() {
            return Err(invalid(
                "the response is empty: there is nothing whose likelihood could be scored",
            ));
        }
        // A word is likelier after an instruction.
        let messages = &self.request.messages;
        let gain = if messages.iter().any(|message| !message.content.is_empty()) {
            0.1 * (self.planted.strength_of(0) + self.draw.gumbel("quality"))
        } else {
            0.0
        };
        // Each word is one token.
        let mut likelihood = Likelihood::default();
        for word in text.split_whitespace() {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            likelihood.add(BASE_LOGPROB + gain, 1, start..start + word.len(), apart);
        }
        Ok(Reply {
            likelihood: Some(likelihood),
            ..self.say(String::new())
        })
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

/// Writes a verdict alone, or at the end of some reasoning.
fn end_with_verdict(after: &str, verdict: String) -> String {
    if after.is_empty() {
        verdict
    } else {
        format!("I weighed it.\n{after} {verdict}")
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
    let conversation: usize = request
        .messages
        .iter()
        .map(|message| message.content.len())
        .sum();
    let task = match &request.task {
        Task::Score { continuation, .. } => continuation.len(),
        Task::Embed { pieces } => pieces.iter().map(String::len).sum(),
        Task::SideBySide {
            texts,
            names,
            question,
            ..
        } => {
            let read_once: usize = texts.iter().map(String::len).sum();
            read_once + 2 * (question.len() + names.iter().map(String::len).sum::<usize>())
        }
        Task::Generate { .. } | Task::Reward => 0,
        Task::Decide { state, question } => {
            let fields = state
                .iter()
                .map(|field| field.name.len() + field.text.len());
            let names = question.answers.names().into_iter().map(str::len);
            fields.chain(names).sum::<usize>() + question.instructions.len()
        }
    };
    (conversation + task).div_ceil(4) as u64
}

/// How many numbers a vector has: one for each byte that a hash may begin with.
const DIMENSIONS: usize = 256;

/// Counts for each piece how often words of each hash stand in it. No seed and no defect changes
/// that.
fn embed_pieces(request: &Request, pieces: &[String]) -> CallResult {
    let mut vectors = Vec::with_capacity(pieces.len());
    for piece in pieces {
        // Words are runs of letters and digits, in small letters.
        let mut counts = vec![0.0_f32; DIMENSIONS];
        let lower = piece.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            counts[usize::from(blake3::hash(word.as_bytes()).as_bytes()[0])] += 1.0;
        }
        vectors.push(counts);
    }
    let embeddings = Embeddings::new(&vectors).map_err(invalid)?;
    Ok(Reply {
        embeddings: Some(embeddings),
        ..make_reply(request, String::new())
    })
}

#[cfg(test)]
mod tests;
