//! What templates can name.

use crate::Form;
use crate::fence::{ORDINARY, fence, width};
use crate::form::{LETTERS, letters};
use crate::marks::broken_up;
use crate::scene::Scene;
use evenhand_core::{Message, Response, Role};
use minijinja::Value;
use std::borrow::Cow;

/// The names that a template may use, and what each is.
pub const KNOWN: [(&str, &str); 30] = [
    (
        "rubric",
        "what makes a response better, from the rubric asked for; may be empty",
    ),
    (
        "fencing",
        "what a judge is told about the marks around what it judges",
    ),
    ("low", "the worst value of the scale"),
    ("high", "the best value of the scale"),
    ("step", "the step of the scale; empty for whole numbers"),
    ("count", "how many responses there are"),
    ("letters", "the letters of the responses: A, B, C"),
    (
        "options",
        "the verdicts that can be given, joined by commas; for listwise, what an order is",
    ),
    (
        "question",
        "the question of this file for the reasoning asked for",
    ),
    (
        "material",
        "all below that is there, in the layout of material.toml",
    ),
    (
        "history",
        "the turns before the instruction, fenced; may be empty",
    ),
    ("instruction", "the instruction, fenced"),
    ("instruction_text", "the instruction as it is"),
    ("reference", "the reference answer, fenced; may be empty"),
    (
        "reference_text",
        "the reference answer as it is; may be empty",
    ),
    (
        "metrics",
        "the criteria that the judge wrote for the instruction, fenced; may be empty",
    ),
    ("metrics_text", "the criteria as they are; may be empty"),
    (
        "answers",
        "all responses, fenced; for portia in aligned parts, by turns",
    ),
    ("first", "the first response, fenced"),
    ("first_text", "the first response as it is"),
    ("second", "the second response, fenced"),
    (
        "second_text",
        "the second response as it is; empty where there is one",
    ),
    (
        "parts",
        "for portia: a list of parts, each with first and second as they are; else one part with \
         both",
    ),
    (
        "notes",
        "the judge's analyses of the responses, fenced; may be empty",
    ),
    (
        "notes_text",
        "the analyses as they are, one after the other; may be empty",
    ),
    (
        "first_notes_text",
        "the analysis of the first response as it is; may be empty",
    ),
    (
        "second_notes_text",
        "the analysis of the second response as it is; may be empty",
    ),
    (
        "assessments",
        "for reconsider.toml: the two assessments that disagree, fenced",
    ),
    (
        "own_assessment_text",
        "for reconsider.toml: the assessment that was written in this order",
    ),
    (
        "reply",
        "for extract.toml: the text whose verdict is sought, fenced",
    ),
];

/// The names that stand for the same in all trials of a protocol.
pub(super) const FIXED: [&str; 4] = ["low", "high", "step", "options"];

/// Those of the rest that are texts of every trial.
const ALWAYS: [&str; 6] = [
    "material",
    "instruction",
    "instruction_text",
    "answers",
    "first",
    "first_text",
];

/// The length of a made-up text: a loop over one within a loop over another takes more steps than a
/// template may.
const MADE_UP: usize = 4000;

/// A value of the right kind for every name, to try a template with: with `all` texts, or with
/// those alone that every trial has.
pub(super) fn made_up(all: bool) -> Value {
    let text = Value::from("text ".repeat(MADE_UP / 5));
    let part = || Value::from_iter([("first", text.clone()), ("second", text.clone())]);
    let value = |name: &str| match name {
        "count" => Value::from(2),
        "parts" => Value::from_iter([part(), part()]),
        "low" | "high" | "step" | "letters" | "options" => Value::from("1"),
        name if all || ALWAYS.contains(&name) => text.clone(),
        _ => Value::from(""),
    };
    KNOWN.iter().map(|(name, _)| (*name, value(name))).collect()
}

/// Everything that a prompt may show. Texts that are not the program's own are in one of its
/// fields.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) form: Form,
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) context: &'a Context,
    /// The analyses: one for each response, or one for all.
    pub(crate) notes: &'a [String],
    /// Two assessments: the one written in the present order, and the one written in the other.
    pub(crate) assessments: [&'a str; 2],
    /// A judge's reply that cannot be read.
    pub(crate) reply: &'a str,
    /// Whether the marks of chat templates in all of these texts are broken up.
    pub(crate) breaks_marks: bool,
    /// The width of every mark of the prompt, once it is known what it shows.
    pub(crate) width: usize,
}

/// What belongs to an item whatever its responses are.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) metrics: Option<String>,
    pub(crate) reference: Option<String>,
}

impl<'a> Shown<'a> {
    /// An item with responses, and nothing that was written about them.
    pub(crate) fn new(
        form: Form,
        scene: &'a Scene<'a>,
        context: &'a Context,
        breaks_marks: bool,
    ) -> Shown<'a> {
        Shown {
            form,
            scene,
            context,
            notes: &[],
            assessments: [""; 2],
            reply: "",
            breaks_marks,
            width: ORDINARY,
        }
    }

    /// The same, with marks that none of its texts can hold.
    pub(super) fn measured(self) -> Shown<'a> {
        let Scene {
            item,
            responses,
            parts,
            ..
        } = self.scene;
        let texts = item
            .messages
            .iter()
            .map(|message| &*message.content)
            .chain(responses.iter().map(|response| &*response.text));
        let written = self
            .notes
            .iter()
            .chain(&self.context.metrics)
            .chain(&self.context.reference)
            .chain(parts.iter().flatten());
        let texts = texts
            .chain(written.map(String::as_str))
            .chain(self.assessments)
            .chain([self.reply]);
        Shown {
            width: width(texts),
            ..self
        }
    }

    /// The width of every mark.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// A field that does not depend on other templates; None for one that does.
    pub(super) fn field(&self, name: &str) -> Option<Value> {
        let (scene, scale) = (self.scene, self.form.scale());
        let ends = scale.map(crate::Scale::ends).unwrap_or_default();
        let (texts, context) = (Texts { shown: self }, self.context);
        let (metrics, reference) = (context.metrics.as_deref(), context.reference.as_deref());
        Some(match name {
            "low" => Value::from(&*ends[0]),
            "high" => Value::from(&*ends[1]),
            "step" => Value::from(scale.and_then(crate::Scale::step).unwrap_or_default()),
            "count" => Value::from(scene.responses.len()),
            "letters" => Value::from(letters(scene.responses.len())),
            "options" => Value::from(self.form.second_stage_reply()),
            "history" => Value::from(texts.history()),
            "instruction" => Value::from(texts.fence("INSTRUCTION", scene.item.instruction())),
            "instruction_text" => Value::from(texts.plain(scene.item.instruction())),
            "reference" => Value::from(
                reference
                    .map(|text| texts.fence("REFERENCE ANSWER", text))
                    .unwrap_or_default(),
            ),
            "reference_text" => Value::from(texts.plain(reference.unwrap_or_default())),
            "metrics" => Value::from(
                metrics
                    .map(|text| texts.fence("CRITERIA", text))
                    .unwrap_or_default(),
            ),
            "metrics_text" => Value::from(texts.plain(metrics.unwrap_or_default())),
            "answers" => Value::from(texts.answers()),
            "first" => Value::from(texts.answer(0)),
            "first_text" => Value::from(texts.plain(scene.text(0))),
            "second" => Value::from(texts.answer(1)),
            "second_text" => Value::from(texts.plain(scene.text(1))),
            "parts" => texts.parts(),
            "notes" => Value::from(texts.notes()),
            "notes_text" => Value::from(texts.plain(&self.notes.join("\n\n"))),
            "first_notes_text" => Value::from(texts.plain(self.note(0))),
            "second_notes_text" => Value::from(texts.plain(self.note(1))),
            "assessments" => Value::from(texts.assessments()),
            "own_assessment_text" => Value::from(texts.plain(self.assessments[0])),
            "reply" => Value::from(texts.fence("REPLY", self.reply)),
            _ => return None,
        })
    }

    fn note(&self, at: usize) -> &str {
        self.notes.get(at).map_or("", String::as_str)
    }
}

/// The texts of a prompt as a template shows them: between marks of one width, and with the marks
/// of chat templates broken up where the judge's server would read them.
struct Texts<'a> {
    shown: &'a Shown<'a>,
}

impl Texts<'_> {
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.shown.breaks_marks {
            broken_up(text)
        } else {
            text.into()
        }
    }

    fn fence(&self, label: &str, text: &str) -> String {
        fence(label, &self.plain(text), self.shown.width)
    }

    fn notes(&self) -> String {
        match self.shown.notes {
            [one] if self.shown.scene.responses.len() > 1 => self.fence("ANALYSIS", one),
            notes => {
                let label = |at: usize| label("ANALYSIS OF ANSWER", at, notes.len());
                joined(
                    notes
                        .iter()
                        .enumerate()
                        .map(|(at, note)| self.fence(&label(at), note)),
                )
            }
        }
    }

    fn answer(&self, slot: usize) -> String {
        let responses = &self.shown.scene.responses;
        let fenced = |response: &Response| {
            self.fence(&label("ANSWER", slot, responses.len()), &response.text)
        };
        responses.get(slot).map(fenced).unwrap_or_default()
    }

    /// The responses one after the other, or their aligned parts by turns (PORTIA, table 15).
    fn answers(&self) -> String {
        let Scene {
            responses, parts, ..
        } = self.shown.scene;
        if parts.is_empty() {
            return joined((0..responses.len()).map(|slot| self.answer(slot)));
        }
        let part = |at: usize, slot: usize| {
            let letter = LETTERS.chars().nth(slot).unwrap_or('?');
            self.fence(
                &format!("ANSWER {letter}, PART {}", at + 1),
                &parts[at][slot],
            )
        };
        joined((0..parts.len()).flat_map(|at| [part(at, 0), part(at, 1)]))
    }

    fn parts(&self) -> Value {
        let scene = self.shown.scene;
        let whole = [[scene.text(0).to_string(), scene.text(1).to_string()]];
        let parts = if scene.parts.is_empty() {
            &whole[..]
        } else {
            &scene.parts
        };
        let one = |part: &[String; 2]| {
            Value::from_iter([
                ("first", self.plain(&part[0]).into_owned()),
                ("second", self.plain(&part[1]).into_owned()),
            ])
        };
        parts.iter().map(one).collect()
    }

    fn assessments(&self) -> String {
        let [own, other] = self.shown.assessments;
        joined([
            self.fence("FIRST ASSESSMENT", own),
            self.fence("SECOND ASSESSMENT", other),
        ])
    }

    /// The turns before the instruction, each fenced.
    fn history(&self) -> String {
        let turn = |message: &Message| {
            let label = match message.role {
                Role::System => "EARLIER SYSTEM TURN",
                Role::User => "EARLIER USER TURN",
                Role::Assistant => "EARLIER ASSISTANT TURN",
            };
            self.fence(label, &message.content)
        };
        joined(self.shown.scene.item.history().iter().map(turn))
    }
}

/// `ANSWER B`; `ANSWER` alone where there is no other.
fn label(what: &str, slot: usize, count: usize) -> String {
    match LETTERS.chars().nth(slot) {
        Some(letter) if count > 1 => format!("{what} {letter}"),
        _ => what.to_string(),
    }
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join("\n\n")
}
