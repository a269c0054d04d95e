//! Prompts are data: TOML files of templates, in our own words, compiled in; any of them can be
//! replaced.

mod decide;
mod fields;
mod files;
mod foreign;
mod foreign_texts;
mod labels;
mod load;
mod pack;
mod templates;
mod texts;

pub(crate) use decide::decided_form;
pub use fields::{FIELDS, Field};
pub(crate) use pack::PromptFile;
pub use pack::{Pack, RUBRIC_FILE};
pub(crate) use texts::{Context, Shown};

use crate::ask::{Prompt, invalid};
use crate::extraction::Notation;
use crate::fence::{ORDINARY, widen_marks};
use crate::form::{ChecklistCalls, Form};
use crate::reading::list_statements;
use crate::structured::Shape;
use decide::DecidePrompt;
use evenhand_core::{AnswerOptions, Decoding, Failure, Message, Role, ShownFields, Task, Wanted};
use foreign::Owner;
use minijinja::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use templates::Templates;
use texts::Texts;

/// The most tokens that a judge may spend on its reasoning and verdict, and on one analysis.
pub(crate) const REASONING_TOKENS: u32 = 512;
/// The most tokens of a bare verdict, for a model that dresses it up.
const VERDICT_TOKENS: u32 = 8;
/// The most tokens of a bare verdict that is longer than one answer: two scores, or an order.
const LONG_VERDICT_TOKENS: u32 = 64;
/// The most tokens of a line of a list of verdicts.
const LINE_TOKENS: u32 = 12;

/// Why a prompt file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub struct PromptError {
    /// The file: the user's by its path, a built-in one by its name under `prompts/`.
    pub file: String,
    /// The line, where one is to blame.
    pub line: Option<usize>,
    /// The reason, in a sentence.
    pub why: String,
}

impl PromptError {
    fn new(file: impl Into<String>, line: Option<usize>, why: impl Into<String>) -> PromptError {
        PromptError {
            file: file.into(),
            line,
            why: why.into(),
        }
    }
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

/// The prompts that a protocol needs.
pub(crate) struct Needs<'a> {
    /// The form, whose file asks for the verdict.
    pub(crate) form: Form,
    /// The rubric's name.
    pub(crate) rubric: &'a str,
    /// The questions that suit, the best first: the first that the form's file has is put.
    pub(crate) questions: Vec<&'static str>,
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
    /// Whether the question is in words of the user's own.
    own_words: bool,
    /// Whether a verdict whose probabilities go against its text is a failure.
    pub(crate) strict_reading: bool,
    /// The turns that each file asks with, by its name; the form's is `verdict`.
    dialogues: BTreeMap<&'static str, Vec<Turn>>,
    fingerprint: String,
    /// What asks a judge that answers with probabilities.
    decide: DecidePrompt,
    /// The answers where two responses are read side by side.
    beside: Option<[String; 2]>,
    /// The templates that are the same for all trials, once they were filled in.
    fixed: BTreeMap<String, OnceLock<Result<String, String>>>,
}

/// A question about two responses side by side.
pub(crate) struct Beside {
    pub(crate) prompt: Prompt,
    /// How the first response of the scene compares with the second in the order of the request.
    pub(crate) order: Ordering,
}

/// A turn of the dialogue that a file asks with.
#[derive(Clone, Debug)]
struct Turn {
    role: Role,
    /// The template of its text.
    template: String,
    /// Whether it is there only where there are analyses.
    follows_notes: bool,
}

/// The dialogue that asks for the form's verdict.
const VERDICT: &str = "verdict";

/// The file that asks which verdict a reply expresses.
const EXTRACT: &str = "extract";

/// The file that asks about two responses side by side.
pub(crate) const BESIDE: &str = "order-free";

/// Its templates behind the turns that begin: a response, the two names, the question.
const BESIDE_PARTS: [&str; 4] = [
    "order-free.answer",
    "order-free.name",
    "order-free.other-name",
    "order-free.question",
];

/// The template that shows a response and asks for its instruction.
const INVERSE: &str = "inverse.user";

/// The part that says what the marks mean.
const FENCING: &str = "fencing";

/// The part that shows what is judged, and the same without the analyses.
const MATERIAL: &str = "material";
const TASK: &str = "task";

/// The part that asks for the verdict.
const QUESTION: &str = "question";

/// The templates that stand in others.
const PARTS: [&str; 5] = ["rubric", FENCING, MATERIAL, TASK, QUESTION];

impl Prompts {
    /// Returns a digest of the files that these prompts come from.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Whether the verdict is asked for in words of the user's own.
    pub(crate) fn has_own_words(&self) -> bool {
        self.own_words || self.notation.is_some()
    }

    /// Whether two responses are read side by side.
    pub(crate) fn reads_side_by_side(&self) -> bool {
        self.beside.is_some()
    }

    pub(crate) fn marker(&self) -> &str {
        &self.marker
    }

    pub(crate) fn notation(&self) -> Option<Notation> {
        self.notation
    }

    /// Whether the verdict's reply holds the reasoning too; else the verdict is due at once.
    pub(crate) fn reasons_in_reply(&self) -> bool {
        self.reasons_in_reply
    }

    /// Returns the shape to which a reply on so many responses may be held. None where the user's
    /// own prompt says what the reply looks like, be it in a notation of the field or in any other.
    pub(crate) fn shape(&self, count: usize) -> Option<Shape> {
        if self.own_words || self.notation.is_some() {
            return None;
        }
        Shape::of(self.form, count, self.reasons_in_reply)
    }

    pub(crate) fn null_instruction(&self) -> &str {
        &self.null
    }

    /// Returns the turn after which the instruction of a response is likely.
    pub(crate) fn ask_instruction(&self, shown: &Shown) -> Result<Message, Failure> {
        let content = self.render_turn(INVERSE, &shown.with_safe_marks());
        content.map(Message::user)
    }

    /// Asks for a verdict on the responses in view.
    pub(crate) fn ask_verdict(&self, shown: &Shown) -> Result<Prompt, Failure> {
        self.ask_verdict_by(VERDICT, shown)
    }

    /// Asks for a verdict by another file than the form's.
    pub(crate) fn ask_verdict_by(&self, file: &str, shown: &Shown) -> Result<Prompt, Failure> {
        let messages = self.render_messages(file, &shown.with_safe_marks())?;
        Ok(self.prompt_verdict(messages, shown))
    }

    /// Asks about the two responses of a scene side by side; in which order they stand in the
    /// request is the order of what is shown of them.
    pub(crate) fn ask_beside(&self, shown: &Shown) -> Result<Beside, Failure> {
        let shown = shown.with_safe_marks();
        let show = |slot: usize| {
            let alone = shown.scene.with_only(slot);
            let shown = Shown {
                scene: &alone,
                ..shown
            };
            self.render_turn(BESIDE_PARTS[0], &shown)
        };
        let mut texts = [show(0)?, show(1)?];
        let order = texts[0].cmp(&texts[1]);
        texts.sort_unstable();
        let [_, first, second, question] = BESIDE_PARTS;
        // Whatever a template shows of the responses would not be blind to them.
        let nobody = shown.scene.without_responses();
        let shown_to_both = Shown {
            scene: &nobody,
            ..shown
        };
        let part = |name: &str| Ok(format!("\n\n{}", self.render_turn(name, &shown_to_both)?));
        let task = Task::SideBySide {
            texts: texts.map(|text| format!("\n\n{text}")),
            names: [part(first)?, part(second)?],
            question: part(question)?,
            answers: self.beside.clone().unwrap_or_default(),
        };
        let swapped = shown.scene.swapped();
        let in_order = if order == Ordering::Greater {
            Shown {
                scene: &swapped,
                ..shown
            }
        } else {
            shown
        };
        Ok(Beside {
            prompt: Prompt {
                messages: self.render_messages(BESIDE, &shown_to_both)?,
                task,
                about: in_order.about().wanting(Wanted::Choice),
            },
            order,
        })
    }

    /// Asks for a text.
    pub(crate) fn ask_text(&self, prompt: TextPrompt, shown: &Shown) -> Result<Prompt, Failure> {
        let wanted = match shown.form {
            Form::Checklist(_) if prompt == METRICS => Wanted::NewCriteria,
            _ => Wanted::Text,
        };
        Ok(Prompt {
            messages: self.render_messages(prompt.file, &shown.with_safe_marks())?,
            task: generate_greedily(prompt.tokens, None),
            about: shown.about().wanting(wanted),
        })
    }

    /// Asks which verdict a reply expresses.
    pub(crate) fn ask_extraction(
        &self,
        shown: &Shown,
        options: Vec<String>,
    ) -> Result<Prompt, Failure> {
        let answers = offer_answers(options, String::new());
        let tokens = bare_verdict_tokens(answers.is_some());
        Ok(Prompt {
            messages: self.render_messages(EXTRACT, &shown.with_safe_marks())?,
            task: generate_greedily(tokens, answers),
            about: shown.about().wanting(Wanted::Extraction),
        })
    }

    fn prompt_verdict(&self, messages: Vec<Message>, shown: &Shown) -> Prompt {
        // The mark before the verdict, where the reply holds the reasoning too.
        let after = match self.reasons_in_reply {
            true => self.marker.clone(),
            false => String::new(),
        };
        // The judge decides between answers, but for a notation of the field.
        let options = match self.notation {
            None => self.form.options(),
            Some(_) => Vec::new(),
        };
        let answers = offer_answers(options, after.clone());
        let mut tokens = match self.reasons_in_reply {
            true => REASONING_TOKENS,
            false => bare_verdict_tokens(answers.is_some()),
        };
        if let Form::Checklist(ChecklistCalls::Together) = shown.form {
            tokens += LINE_TOKENS.saturating_mul(shown.checklist.len() as u32);
        }
        // What simulated judges are told of the verdict that is asked for.
        let wanted = match self.form {
            Form::Checklist(_) => Wanted::Criteria {
                asked: shown.asked_criteria(),
                after,
            },
            Form::Pointwise(..) | Form::Likelihood(_) | Form::Reward => Wanted::Score,
            Form::Pairwise(_) | Form::PairwiseTie(_) => Wanted::Choice,
            Form::Pairwise5Point(_) | Form::PairwiseLikert(_) => Wanted::Step,
            Form::PairwiseScore(scale) => Wanted::Scores {
                low: scale.low(),
                high: scale.high(),
                after,
            },
            Form::Listwise(_) => Wanted::Order { after },
        };
        let mut about = shown.about().wanting(wanted);
        if let Some(notation) = self.notation {
            about.statements = list_statements(self.form, notation);
        }
        Prompt {
            messages,
            task: generate_greedily(tokens, answers),
            about,
        }
    }

    fn render_messages(&self, file: &str, shown: &Shown) -> Result<Vec<Message>, Failure> {
        let mut messages = Vec::new();
        for turn in self.dialogues.get(file).into_iter().flatten() {
            if turn.follows_notes && shown.notes.is_empty() {
                continue;
            }
            let (role, content) = (turn.role, self.render_turn(&turn.template, shown)?);
            // Not every judge takes a system turn that says nothing.
            if role != Role::System || !content.is_empty() {
                messages.push(Message { role, content });
            }
        }
        Ok(messages)
    }

    fn render_turn(&self, name: &str, shown: &Shown) -> Result<String, Failure> {
        self.render(name, shown)
            .map_err(|why| invalid(format!("the prompt cannot be rendered: {why}")))
    }

    /// Renders a template, once for all trials where nothing of a trial is in it.
    fn render(&self, name: &str, shown: &Shown) -> Result<String, String> {
        match self.fixed.get(name) {
            Some(once) if shown.width == ORDINARY => {
                once.get_or_init(|| self.fill_in(name, shown)).clone()
            }
            _ => self.fill_in(name, shown),
        }
    }

    fn fill_in(&self, name: &str, shown: &Shown) -> Result<String, String> {
        let texts = Texts { shown };
        self.templates.render(
            name,
            |field| self.find_value(field, shown),
            |field| texts.foreign(field),
        )
    }

    /// Returns the free fields that the templates show.
    pub(crate) fn shown_fields(&self) -> ShownFields {
        let mut shown = ShownFields::default();
        for field in self.templates.foreign_fields() {
            let owned = match field.owner {
                Owner::Item => &mut shown.item,
                Owner::Response => &mut shown.response,
            };
            owned.insert(field.path.clone());
        }
        shown
    }

    fn find_value(&self, name: &str, shown: &Shown) -> Result<Value, String> {
        if name == FENCING {
            let about = self.render(name, shown)?;
            return Ok(Value::from(widen_marks(&about, shown.width)));
        }
        if name == TASK {
            let without_notes = Shown {
                notes: &[],
                ..*shown
            };
            return self.render(MATERIAL, &without_notes).map(Value::from);
        }
        if PARTS.contains(&name) {
            return self.render(name, shown).map(Value::from);
        }
        fields::find_value(name, &Texts { shown }).ok_or_else(|| format!("no field `{name}`"))
    }
}

fn generate_greedily(tokens: u32, answers: Option<AnswerOptions>) -> Task {
    Task::Generate {
        decoding: Decoding::greedy(tokens),
        answers,
    }
}

/// Offers the answers between which a judge decides, where there are any.
fn offer_answers(options: Vec<String>, after: String) -> Option<AnswerOptions> {
    (!options.is_empty()).then_some(AnswerOptions { options, after })
}

fn bare_verdict_tokens(has_options: bool) -> u32 {
    if has_options {
        VERDICT_TOKENS
    } else {
        LONG_VERDICT_TOKENS
    }
}
