//! Prompts are data: TOML files of templates, in our own words, compiled in.

use crate::fence::fence;
use crate::{Form, Prompt, Reasoning};
use evenhand_core::{About, AnswerOptions, Decoding, Message, Role, Task, View};
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Deserialize;
use std::fmt::Write;

const RUBRIC: &str = include_str!("../prompts/rubric.toml");
const PAIRWISE: &str = include_str!("../prompts/pairwise.toml");
const PAIRWISE_TIE: &str = include_str!("../prompts/pairwise-tie.toml");
const POINTWISE: &str = include_str!("../prompts/pointwise.toml");
const LIKELIHOOD: &str = include_str!("../prompts/likelihood.toml");

/// The most tokens that a judge may spend on its reasoning and verdict.
const REASONING_TOKENS: u32 = 512;
/// The most tokens of a bare verdict, for a model that dresses it up.
const VERDICT_TOKENS: u32 = 8;

/// A prompt file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("prompts/{file}: {why}")]
pub struct PromptError {
    /// The file's name.
    pub file: String,
    /// What is wrong, with the line.
    pub why: String,
}

/// The templates of one form and reasoning, ready to render.
#[derive(Debug)]
pub struct Prompts {
    templates: Environment<'static>,
    /// The system turn and the question, which do not depend on what is judged.
    system: String,
    question: String,
    null: String,
    marker: String,
    fingerprint: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rubric {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Null {
    null: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    marker: String,
    system: String,
    user: String,
    question: Question,
    #[serde(default)]
    answers: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    direct: String,
    cot: String,
}

impl Prompts {
    /// The built-in prompts of a form and reasoning.
    pub fn builtin(form: Form, reasoning: Reasoning) -> Result<Prompts, PromptError> {
        let (name, text) = match form {
            Form::Pairwise => ("pairwise.toml", PAIRWISE),
            Form::PairwiseTie => ("pairwise-tie.toml", PAIRWISE_TIE),
            Form::Pointwise(_) => ("pointwise.toml", POINTWISE),
            Form::Likelihood => return likelihood(),
        };
        let file: File = parse(name, text)?;
        let options = form.options();
        if !matches!(form, Form::Pointwise(_)) && file.answers != options {
            let why = format!("answers must be {options:?}, found {:?}", file.answers);
            return Err(PromptError { file: name.into(), why });
        }
        let rubric: Rubric = parse("rubric.toml", RUBRIC)?;
        let templates = environment(name, file.system, file.user, file.question.of(reasoning))?;
        let (low, high) = form.ends();
        let fixed = |part: &str| render(&templates, name, part, context! { rubric => trimmed(&rubric.text), low, high });
        let (system, question) = (fixed("system")?, fixed("question")?);
        let fingerprint = digest(&[RUBRIC, text]);
        Ok(Prompts { templates, system, question, null: String::new(), marker: file.marker, fingerprint })
    }

    /// A digest of the files that these prompts come from.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub(crate) fn marker(&self) -> &str {
        &self.marker
    }

    pub(crate) fn null_instruction(&self) -> &str {
        &self.null
    }

    /// The prompt that asks for a verdict on the responses in view.
    pub(crate) fn verdict(&self, form: Form, reasoning: Reasoning, view: &View) -> Result<Prompt, PromptError> {
        let messages = vec![Message::system(self.system.clone()), Message::user(self.user(form, view)?)];
        let (max_tokens, after) = match reasoning {
            Reasoning::Direct => (VERDICT_TOKENS, String::new()),
            Reasoning::Cot => (REASONING_TOKENS, self.marker.clone()),
        };
        let decoding = Decoding { max_tokens, temperature: 0.0, seed: 0 };
        let task = Task::Generate { decoding, answers: Some(AnswerOptions { options: form.options(), after }) };
        Ok(Prompt { messages, task, about: About::new(view.item, view.responses) })
    }

    fn user(&self, form: Form, view: &View) -> Result<String, PromptError> {
        let response = |slot: usize| view.responses.get(slot).map_or("", |response| &response.text);
        let (first, second) = match form.responses() {
            1 => (fence("ANSWER", response(0)), String::new()),
            _ => (fence("ANSWER A", response(0)), fence("ANSWER B", response(1))),
        };
        let instruction = fence("INSTRUCTION", view.item.instruction());
        let fields = context! { history => history(view), instruction, first, second, question => self.question };
        render(&self.templates, &form.to_string(), "user", fields)
    }
}

fn render(templates: &Environment, file: &str, part: &str, fields: Value) -> Result<String, PromptError> {
    let rendered = templates.get_template(part).and_then(|template| template.render(fields));
    rendered.map(|text| trimmed(&text)).map_err(|e| PromptError { file: file.into(), why: format!("{part}: {e:#}") })
}

impl Question {
    fn of(self, reasoning: Reasoning) -> String {
        match reasoning {
            Reasoning::Direct => self.direct,
            Reasoning::Cot => self.cot,
        }
    }
}

fn likelihood() -> Result<Prompts, PromptError> {
    let file: Null = parse("likelihood.toml", LIKELIHOOD)?;
    let fingerprint = digest(&[LIKELIHOOD]);
    let [system, question, marker] = [String::new(), String::new(), String::new()];
    Ok(Prompts { templates: Environment::empty(), system, question, null: file.null, marker, fingerprint })
}

fn parse<T: for<'de> Deserialize<'de>>(file: &str, text: &str) -> Result<T, PromptError> {
    toml::from_str(text).map_err(|e| PromptError { file: file.into(), why: e.to_string() })
}

fn environment(file: &str, system: String, user: String, question: String) -> Result<Environment<'static>, PromptError> {
    let mut templates = Environment::empty();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    for (name, source) in [("system", system), ("user", user), ("question", question)] {
        templates
            .add_template_owned(name, source)
            .map_err(|e| PromptError { file: file.into(), why: format!("{name}: {e:#}") })?;
    }
    Ok(templates)
}

/// The turns before the instruction, each fenced.
fn history(view: &View) -> String {
    let mut out = String::new();
    for message in view.item.history() {
        let label = match message.role {
            Role::System => "EARLIER SYSTEM TURN",
            Role::User => "EARLIER USER TURN",
            Role::Assistant => "EARLIER ASSISTANT TURN",
        };
        // Writing to a String cannot fail.
        let _ = write!(out, "{}{}", if out.is_empty() { "" } else { "\n\n" }, fence(label, &message.content));
    }
    out
}

/// Without the line break that TOML's multi-line strings begin or end with.
fn trimmed(text: &str) -> String {
    text.trim_matches('\n').to_string()
}

fn digest(texts: &[&str]) -> String {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hash.finalize().to_hex().chars().take(16).collect()
}
