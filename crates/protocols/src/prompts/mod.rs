//! Prompts are data: TOML files of templates, in our own words, compiled in; any of them can be
//! replaced.

mod fields;
mod file;
mod load;
mod pack;

pub use fields::KNOWN as FIELDS;
pub(crate) use fields::{Context, Shown};
pub use pack::Pack;
pub(crate) use pack::PromptFile;

use crate::ask::Prompt;
use crate::extraction::Notation;
use crate::fence::{ORDINARY, widen_marks};
use crate::form::Form;
use evenhand_core::{
    About, AnswerOptions, Decoding, Failure, FailureKind, Message, Role, Task, Wanted,
};
use file::Templates;
use minijinja::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The most tokens that a judge may spend on its reasoning and verdict, and on one analysis.
pub(crate) const REASONING_TOKENS: u32 = 512;
/// The most tokens of a bare verdict, for a model that dresses it up.
const VERDICT_TOKENS: u32 = 8;
/// The most tokens of a bare verdict that is longer than one answer: two scores, or an order.
const LONG_VERDICT_TOKENS: u32 = 64;

/// A prompt file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub struct PromptError {
    /// The file: the user's by its path, a built-in one by its name under `prompts/`.
    pub file: String,
    /// The line, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
}

impl std::fmt::Display for PromptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))?;
        write!(f, ": {}", self.why)
    }
}

/// A prompt of a run that asks for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextPrompt {
    /// Its file, without `.toml`.
    pub(crate) file: &'static str,
    /// The most tokens that the text may have.
    pub(crate) tokens: u32,
}

/// Criteria for an instruction.
pub(crate) const METRICS: TextPrompt = TextPrompt {
    file: "metrics",
    tokens: 256,
};

/// A reference answer to an instruction.
pub(crate) const REFERENCE: TextPrompt = TextPrompt {
    file: "reference",
    tokens: 1024,
};

/// What a protocol needs of the prompt files.
pub(crate) struct Needs<'a> {
    /// The form, whose file asks for the verdict.
    pub(crate) form: Form,
    /// The rubric's name.
    pub(crate) rubric: &'a str,
    /// The questions that suit, the best first: the first that the form's file has is put.
    pub(crate) questions: &'static [&'static str],
    /// Whether the verdict's reply holds the reasoning too.
    pub(crate) reasons_in_reply: bool,
    /// Whether responses may be shown in parts.
    pub(crate) shows_parts: bool,
    /// The further files that ask the judge for something, without `.toml`.
    pub(crate) files: Vec<&'static str>,
}

/// The prompts of one protocol, ready to render.
#[derive(Debug)]
pub struct Prompts {
    form: Form,
    templates: Templates,
    null: String,
    marker: String,
    notation: Option<Notation>,
    /// Whether the verdict's reply holds the reasoning too.
    reasons_in_reply: bool,
    turns: Vec<Role>,
    fingerprint: String,
    /// The templates that are the same for all trials, once they were filled in.
    fixed: BTreeMap<String, OnceLock<Result<String, String>>>,
}

/// The template that shows a response and asks for its instruction.
const INVERSE: &str = "inverse.user";

/// The part that says what the marks mean.
const FENCING: &str = "fencing";

/// The templates that stand in others.
const PARTS: [&str; 4] = ["rubric", FENCING, "material", "question"];

impl Prompts {
    /// A digest of the files that these prompts come from.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub(crate) fn marker(&self) -> &str {
        &self.marker
    }

    pub(crate) fn notation(&self) -> Option<Notation> {
        self.notation
    }

    pub(crate) fn null_instruction(&self) -> &str {
        &self.null
    }

    /// The turn after which a likely instruction stands, for a response.
    pub(crate) fn inverse(&self, shown: &Shown) -> Result<Message, Failure> {
        let content = self.render(INVERSE, &shown.measured());
        content.map(Message::user).map_err(unrenderable)
    }

    /// Asks for a verdict on the responses in view.
    pub(crate) fn verdict(&self, shown: &Shown) -> Result<Prompt, Failure> {
        let shown = &shown.measured();
        let mut messages = self.messages("verdict", shown)?;
        if !shown.notes.is_empty() {
            for (at, role) in self.turns.iter().enumerate() {
                let content = self.render(&format!("verdict.turn{at}"), shown);
                messages.push(Message {
                    role: *role,
                    content: content.map_err(unrenderable)?,
                });
            }
        }
        Ok(self.asking_verdict(messages, shown))
    }

    /// Asks for a verdict by another file than the form's.
    pub(crate) fn verdict_by(&self, file: &str, shown: &Shown) -> Result<Prompt, Failure> {
        let messages = self.messages(file, &shown.measured())?;
        Ok(self.asking_verdict(messages, shown))
    }

    /// Asks for a text.
    pub(crate) fn text(&self, prompt: TextPrompt, shown: &Shown) -> Result<Prompt, Failure> {
        Ok(Prompt {
            messages: self.messages(prompt.file, &shown.measured())?,
            task: Task::Generate {
                decoding: decoding(prompt.tokens),
                answers: None,
            },
            about: About::new(shown.scene.item, &shown.scene.responses),
        })
    }

    /// Asks which verdict a reply expresses.
    pub(crate) fn extract(&self, shown: &Shown, options: Vec<String>) -> Result<Prompt, Failure> {
        let max_tokens = if options.is_empty() {
            LONG_VERDICT_TOKENS
        } else {
            VERDICT_TOKENS
        };
        let answers = (!options.is_empty()).then(|| AnswerOptions {
            options,
            after: String::new(),
        });
        let about = About::new(shown.scene.item, &shown.scene.responses);
        Ok(Prompt {
            messages: self.messages("extract", &shown.measured())?,
            task: Task::Generate {
                decoding: decoding(max_tokens),
                answers,
            },
            about: about.wanting(Wanted::Extraction),
        })
    }

    fn asking_verdict(&self, messages: Vec<Message>, shown: &Shown) -> Prompt {
        let after = if self.reasons_in_reply {
            self.marker.clone()
        } else {
            String::new()
        };
        let options = self.form.options();
        let has_options = !options.is_empty() && self.notation.is_none();
        let answers = has_options.then(|| AnswerOptions {
            options,
            after: after.clone(),
        });
        let about = About::new(shown.scene.item, &shown.scene.responses);
        Prompt {
            messages,
            task: Task::Generate {
                decoding: decoding(self.verdict_tokens(has_options)),
                answers,
            },
            about: about.wanting(wanted(self.form, after)),
        }
    }

    fn verdict_tokens(&self, has_options: bool) -> u32 {
        if self.reasons_in_reply {
            REASONING_TOKENS
        } else if has_options {
            VERDICT_TOKENS
        } else {
            LONG_VERDICT_TOKENS
        }
    }

    fn messages(&self, file: &str, shown: &Shown) -> Result<Vec<Message>, Failure> {
        let system = self.render(&format!("{file}.system"), shown);
        let user = self.render(&format!("{file}.user"), shown);
        let (system, user) = (system.map_err(unrenderable)?, user.map_err(unrenderable)?);
        let mut messages = Vec::new();
        if !system.is_empty() {
            messages.push(Message::system(system));
        }
        messages.push(Message::user(user));
        Ok(messages)
    }

    fn render(&self, name: &str, shown: &Shown) -> Result<String, String> {
        match self.fixed.get(name).filter(|_| shown.width() == ORDINARY) {
            Some(once) => once.get_or_init(|| self.fill(name, shown)).clone(),
            None => self.fill(name, shown),
        }
    }

    fn fill(&self, name: &str, shown: &Shown) -> Result<String, String> {
        self.templates
            .render(name, |field| self.field(field, shown))
    }

    fn field(&self, name: &str, shown: &Shown) -> Result<Value, String> {
        match name {
            FENCING => self
                .render(name, shown)
                .map(|about| Value::from(widen_marks(&about, shown.width()))),
            name if PARTS.contains(&name) => self.render(name, shown).map(Value::from),
            name => shown
                .field(name)
                .ok_or_else(|| format!("no field `{name}`")),
        }
    }
}

fn unrenderable(why: String) -> Failure {
    Failure::new(
        FailureKind::Invalid,
        format!("the prompt cannot be rendered: {why}"),
    )
}

fn decoding(max_tokens: u32) -> Decoding {
    Decoding {
        max_tokens,
        temperature: 0.0,
        seed: 0,
    }
}

/// What a simulated judge is told of the verdict that is asked for.
fn wanted(form: Form, after: String) -> Wanted {
    match form {
        Form::Pointwise(_) | Form::Likelihood(_) => Wanted::Score,
        Form::Pairwise | Form::PairwiseTie => Wanted::Choice,
        Form::Pairwise5Point | Form::PairwiseLikert => Wanted::Step,
        Form::PairwiseScore(scale) => Wanted::Scores {
            low: scale.low(),
            high: scale.high(),
            after,
        },
        Form::Listwise(_) => Wanted::Order { after },
    }
}
