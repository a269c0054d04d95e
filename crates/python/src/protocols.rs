//! Protocols written in Python. The function is run again from the top whenever a reply has
//! arrived, as the Rust ones are: it gets the replies so far, and ends with a verdict or with the
//! prompts that it asks next.

use evenhand_core::{
    About, AnswerOptions, Decoding, Failure, FailureKind, Item, Message, Reply, Response, Task,
    Verdict, VerdictSource, View, Wanted,
};
use evenhand_engine::{OwnProtocol, register_protocol};
use evenhand_protocols::{
    Ask, CustomProtocol, Form, Presentation, Prompt, Scale, Slots, Stop, VerdictOrStop,
    show_between_marks,
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
    let form = Form::parse(form).filter(|form| is_supported(*form));
    let form = form.ok_or_else(|| PyValueError::new_err(EXPECTED_FORM))?;
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

const EXPECTED_FORM: &str = "form=: expected pairwise, pairwise-tie or pointwise:LOW-HIGH";

fn is_supported(form: Form) -> bool {
    matches!(
        form,
        Form::Pairwise | Form::PairwiseTie | Form::Pointwise(..)
    )
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

impl Asked {
    fn task(&self) -> Task {
        Task::Generate {
            decoding: up_to(self.max_tokens),
            answers: self.answers(),
        }
    }

    fn answers(&self) -> Option<AnswerOptions> {
        let named = AnswerOptions {
            options: self.options.clone(),
            after: self.after.clone(),
        };
        (!self.options.is_empty()).then_some(named)
    }
}

/// The temperature is the judge's own to choose.
fn up_to(max_tokens: u32) -> Decoding {
    Decoding {
        max_tokens,
        temperature: 0.0,
        seed: 0,
        schema: None,
    }
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
        let shown = describe_view(view, ask.breaks_marks()).to_string();
        let mut replies: Vec<Vec<Value>> = Vec::new();
        // A function that asks without end would never come to a verdict.
        for _ in 0..=self.rounds {
            match self.take_step(&shown, &replies)? {
                Step::Asks(asked) => replies.push(self.ask_round(view, ask, asked)?),
                step => return self.conclude(step),
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
        let returned = self.call_step(view, json!(replies).to_string());
        let text = returned.map_err(|error| invalid(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))
    }

    fn call_step(&self, view: &str, replies: String) -> PyResult<String> {
        Python::attach(|py| self.step.call1(py, (view, replies))?.extract(py))
    }

    /// Asks everything of one round before any reply is looked at.
    fn ask_round(&self, view: &View, ask: &Ask, asked: Vec<Asked>) -> Result<Vec<Value>, Stop> {
        let prompts = asked.into_iter().map(|asked| self.prompt_of(view, asked));
        let replies: Vec<Result<Reply, Stop>> = prompts.map(|prompt| ask.one(prompt)).collect();
        let replies = replies.into_iter();
        replies.map(|reply| Ok(describe_reply(&reply?))).collect()
    }

    fn prompt_of(&self, view: &View, asked: Asked) -> Prompt {
        let wanted = self.wanted_of(&asked);
        Prompt {
            about: About::new(view.item, view.responses).wanting(wanted),
            task: asked.task(),
            messages: asked.messages,
        }
    }

    /// Returns what a simulated judge is to decide by.
    fn wanted_of(&self, asked: &Asked) -> Wanted {
        if asked.options.is_empty() {
            Wanted::Text
        } else if self.form.slots() == Slots::One {
            Wanted::Score
        } else {
            Wanted::Choice
        }
    }

    fn conclude(&self, step: Step) -> VerdictOrStop {
        match (step, self.form) {
            (Step::Failed { kind, detail }, _) => Err(failure_of(kind, detail).into()),
            (Step::Score(value), Form::Pointwise(..)) => Ok(self.score(value)?),
            (Step::Preference(shares), Form::Pairwise | Form::PairwiseTie) => {
                Ok(self.preference(shares)?)
            }
            _ => Err(invalid(format!("{} expects another verdict", self.form)).into()),
        }
    }

    fn preference(&self, shares: [f64; 3]) -> Result<Verdict, Failure> {
        check_shares(shares)?;
        if self.form == Form::Pairwise && shares[1] > 0.0 {
            return Err(invalid("form pairwise has no tie; use pairwise-tie"));
        }
        Ok(Verdict::pair(shares, 0.0, VerdictSource::Text))
    }

    fn score(&self, value: f64) -> Result<Verdict, Failure> {
        let Form::Pointwise(scale, _) = self.form else {
            return Err(invalid("only a pointwise form has scores"));
        };
        check_score(scale, value)?;
        Ok(Verdict::Pointwise {
            score: value,
            distribution: Vec::new(),
            outside: 0.0,
            source: VerdictSource::Text,
        })
    }
}

fn check_shares(shares: [f64; 3]) -> Result<(), Failure> {
    let is_share = |share: &f64| (0.0..=1.0).contains(share);
    let sum: f64 = shares.iter().sum();
    if shares.iter().all(is_share) && (sum - 1.0).abs() <= 1e-6 {
        return Ok(());
    }
    Err(invalid("probabilities must be from 0 to 1, and sum to 1"))
}

fn check_score(scale: Scale, value: f64) -> Result<(), Failure> {
    if scale.contains(value) {
        return Ok(());
    }
    let (low, high) = (scale.low(), scale.high());
    Err(invalid(format!(
        "expected a score from {low} to {high}, found {value}"
    )))
}

fn failure_of(kind: FailedKind, detail: String) -> Failure {
    let kind = match kind {
        FailedKind::Unparsed => FailureKind::Unparsed,
        FailedKind::Refused => FailureKind::Refused,
        FailedKind::Invalid => FailureKind::Invalid,
    };
    Failure::new(kind, detail)
}

fn invalid(why: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Invalid, why)
}

/// Describes what the function sees. It sees no system's name: a verdict is of slots.
fn describe_view(view: &View, break_marks: bool) -> Value {
    let responses = view.responses.iter().map(describe_response);
    json!({
        "item": describe_item(view.item),
        "responses": responses.collect::<Vec<Value>>(),
        "break_marks": break_marks,
    })
}

fn describe_item(item: &Item) -> Value {
    json!({
        "id": item.id,
        "instruction": item.instruction(),
        "messages": item.messages,
        "reference": item.reference,
        "category": item.category,
    })
}

fn describe_response(response: &Response) -> Value {
    json!({"text": response.text})
}

fn describe_reply(reply: &Reply) -> Value {
    json!({
        "text": reply.text,
        "probabilities": reply.answers,
        "finish": reply.finish,
    })
}
