//! Protocols written in Python. The function is run again from the top whenever a reply has
//! arrived, as the Rust ones are: it gets the replies so far, and ends with a verdict or with the
//! prompts that it asks next.

use evenhand_core::{
    About, AnswerOptions, Decoding, Failure, FailureKind, Message, Reply, Task, Verdict,
    VerdictSource, View, Wanted,
};
use evenhand_engine::{OwnProtocol, register_protocol};
use evenhand_protocols::{
    Ask, CustomProtocol, Form, Presentation, Prompt, Slots, Stop, VerdictOrStop, show_between_marks,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// A protocol under a name; it is forgotten with this object.
#[pyclass(frozen)]
pub(crate) struct RegisteredProtocol(OwnProtocol);

#[pymethods]
impl RegisteredProtocol {
    /// The text that names it where a protocol is expected.
    #[getter]
    fn spec(&self) -> String {
        self.0.spec()
    }
}

/// Registers a protocol. `step` takes the view and the replies so far, both as JSON, and returns
/// a [`Step`] as JSON.
#[pyfunction]
#[pyo3(signature = (name, step, *, form, version, rounds, both_orders, probabilities))]
pub(crate) fn register_python_protocol(
    name: String,
    step: Py<PyAny>,
    form: &str,
    version: String,
    rounds: u32,
    both_orders: bool,
    probabilities: bool,
) -> PyResult<RegisteredProtocol> {
    let form = match Form::parse(form) {
        Some(form @ (Form::Pairwise(_) | Form::PairwiseTie(_) | Form::Pointwise(..))) => form,
        _ => {
            let why = "form=: expected pairwise, pairwise-tie or pointwise:LOW-HIGH";
            return Err(PyValueError::new_err(why));
        }
    };
    let protocol = PythonProtocol {
        name: format!("python:{name}"),
        step: Arc::new(step),
        form,
        version,
        rounds,
        both_orders,
        probabilities,
    };
    Ok(RegisteredProtocol(register_protocol(protocol)))
}

/// Shows texts between marks that none of them can hold; all texts of a prompt go together.
#[pyfunction]
pub(crate) fn mark_texts(texts: Vec<(String, String)>, break_marks: bool) -> Vec<String> {
    let texts = texts.iter();
    let borrowed: Vec<(&str, &str)> = texts.map(|(label, text)| (&**label, &**text)).collect();
    show_between_marks(&borrowed, break_marks)
}

#[derive(Clone)]
struct PythonProtocol {
    name: String,
    step: Arc<Py<PyAny>>,
    form: Form,
    version: String,
    rounds: u32,
    both_orders: bool,
    probabilities: bool,
}

impl fmt::Debug for PythonProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The point that the function came to.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Step {
    /// It asks this next, in one round.
    Asks(Vec<Asked>),
    /// Probabilities of the first, a tie and the second.
    Preference([f64; 3]),
    /// A score.
    Score(f64),
    /// It came to no verdict.
    Failed { kind: FailedKind, detail: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum FailedKind {
    Unparsed,
    Refused,
    Invalid,
}

/// A prompt that the function asks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    messages: Vec<Message>,
    max_tokens: u32,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    after: String,
}

impl CustomProtocol for PythonProtocol {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> String {
        format!("{} {} {}", self.name, self.form, self.version)
    }

    fn form(&self) -> Form {
        self.form
    }

    fn presentation(&self) -> Presentation {
        if self.both_orders {
            Presentation::BothAsTrials
        } else {
            Presentation::AsGiven
        }
    }

    fn rounds_at_most(&self) -> u32 {
        self.rounds
    }

    fn is_adaptive(&self) -> bool {
        true
    }

    fn wants_probabilities(&self) -> bool {
        self.probabilities
    }

    fn judge(&self, view: &View, ask: &Ask) -> VerdictOrStop {
        // It sees no system's name: a verdict is of slots.
        let responses = view.responses.iter();
        let responses: Vec<Value> = responses
            .map(|response| json!({"text": response.text}))
            .collect();
        let shown = json!({
            "item": {
                "id": view.item.id,
                "instruction": view.item.instruction(),
                "messages": view.item.messages,
                "reference": view.item.reference,
                "category": view.item.category,
            },
            "responses": responses,
            "break_marks": ask.breaks_marks(),
        });
        let shown = shown.to_string();
        let mut replies: Vec<Vec<Value>> = Vec::new();
        // A function that asks without end would never come to a verdict.
        for _ in 0..=self.rounds {
            match self.take_step(&shown, &replies)? {
                Step::Asks(asked) => replies.push(self.ask_round(view, ask, asked)?),
                step => return Ok(self.conclude(step)?),
            }
        }
        Err(invalid(format!(
            "it asks in more than {} rounds; raise rounds=",
            self.rounds
        ))
        .into())
    }
}

impl PythonProtocol {
    /// Runs the function from the top with these replies.
    fn take_step(&self, view: &str, replies: &[Vec<Value>]) -> Result<Step, Failure> {
        let returned: PyResult<String> = Python::attach(|py| {
            let arguments = (view, json!(replies).to_string());
            self.step.call1(py, arguments)?.extract(py)
        });
        let text = returned.map_err(|error| invalid(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))
    }

    /// Asks everything of one round before any reply is looked at.
    fn ask_round(&self, view: &View, ask: &Ask, asked: Vec<Asked>) -> Result<Vec<Value>, Stop> {
        let mut replies: Vec<Result<Reply, Stop>> = Vec::new();
        for asked in asked {
            let has_options = !asked.options.is_empty();
            // What a simulated judge is to decide by.
            let wanted = if !has_options {
                Wanted::Text
            } else if self.form.slots() == Slots::One {
                Wanted::Score
            } else {
                Wanted::Choice
            };
            replies.push(ask.one(Prompt {
                about: About::new(view.item, view.responses).wanting(wanted),
                task: Task::Generate {
                    // The temperature is the judge's own to choose.
                    decoding: Decoding::greedy(asked.max_tokens),
                    answers: has_options.then_some(AnswerOptions {
                        options: asked.options,
                        after: asked.after,
                    }),
                },
                messages: asked.messages,
            }));
        }
        let mut described = Vec::new();
        for reply in replies {
            let reply = reply?;
            described.push(json!({
                "text": reply.text,
                "probabilities": reply.answers,
                "finish": reply.finish,
            }));
        }
        Ok(described)
    }

    /// Makes a verdict of what the function ended with.
    fn conclude(&self, step: Step) -> Result<Verdict, Failure> {
        match (step, self.form) {
            (Step::Failed { kind, detail }, _) => {
                let kind = match kind {
                    FailedKind::Unparsed => FailureKind::Unparsed,
                    FailedKind::Refused => FailureKind::Refused,
                    FailedKind::Invalid => FailureKind::Invalid,
                };
                Err(Failure::new(kind, detail))
            }
            (Step::Score(score), Form::Pointwise(scale, _)) => {
                if !scale.contains(score) {
                    let (low, high) = (scale.low(), scale.high());
                    return Err(invalid(format!(
                        "expected a score from {low} to {high}, found {score}"
                    )));
                }
                Ok(Verdict::Pointwise {
                    score,
                    distribution: Vec::new(),
                    outside: 0.0,
                    source: VerdictSource::Text,
                })
            }
            (Step::Preference(shares), Form::Pairwise(_) | Form::PairwiseTie(_)) => {
                let are_shares = shares.iter().all(|share| (0.0..=1.0).contains(share));
                let sum: f64 = shares.iter().sum();
                if !are_shares || (sum - 1.0).abs() > 1e-6 {
                    return Err(invalid("probabilities must be from 0 to 1, and sum to 1"));
                }
                if matches!(self.form, Form::Pairwise(_)) && shares[1] > 0.0 {
                    return Err(invalid("form pairwise has no tie; use pairwise-tie"));
                }
                Ok(Verdict::pair(shares, 0.0, VerdictSource::Text))
            }
            _ => Err(invalid(format!("{} expects another verdict", self.form))),
        }
    }
}

fn invalid(why: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Invalid, why)
}
