//! What templates can name.

use crate::Form;
use crate::fence::fence;
use crate::form::LETTERS;
use crate::look::Scene;
use evenhand_core::Role;
use minijinja::Value;
use std::fmt::Write;

/// The names that a template may use, and what each is.
pub const KNOWN: [(&str, &str); 30] = [
    ("rubric", "what makes a response better, from the rubric asked for; may be empty"),
    ("fencing", "what a judge is told about the marks around what it judges"),
    ("low", "the worst value of the scale"),
    ("high", "the best value of the scale"),
    ("step", "the step of the scale; empty for whole numbers"),
    ("count", "how many responses there are"),
    ("letters", "the letters of the responses: A, B, C"),
    ("options", "the verdicts that can be given, joined by commas"),
    ("question", "the question of this file for the reasoning asked for"),
    ("material", "all below that is there, in the layout of material.toml"),
    ("history", "the turns before the instruction, fenced; may be empty"),
    ("instruction", "the instruction, fenced"),
    ("instruction_text", "the instruction as it is"),
    ("reference", "the reference answer, fenced; may be empty"),
    ("reference_text", "the reference answer as it is; may be empty"),
    ("metrics", "the criteria that the judge wrote for the instruction, fenced; may be empty"),
    ("metrics_text", "the criteria as they are; may be empty"),
    ("answers", "all responses, fenced; for portia in aligned parts, by turns"),
    ("first", "the first response, fenced"),
    ("first_text", "the first response as it is"),
    ("second", "the second response, fenced"),
    ("second_text", "the second response as it is; empty where there is one"),
    ("parts", "for portia: a list of parts, each with first and second as they are; else one part with both"),
    ("notes", "the judge's analyses of the responses, fenced; may be empty"),
    ("notes_text", "the analyses as they are, one after the other; may be empty"),
    ("first_notes_text", "the analysis of the first response as it is; may be empty"),
    ("second_notes_text", "the analysis of the second response as it is; may be empty"),
    ("assessments", "for reconsider.toml: the two assessments that disagree, fenced"),
    ("own_assessment_text", "for reconsider.toml: the assessment that was written in this order"),
    ("reply", "for extract.toml: the text whose verdict is sought, fenced"),
];

/// The names that stand for the same in all trials of a protocol.
pub(super) const FIXED: [&str; 4] = ["low", "high", "step", "options"];

/// Everything that a prompt may show.
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
}

/// What belongs to an item whatever its responses are.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) metrics: Option<String>,
    pub(crate) reference: Option<String>,
}

impl Shown<'_> {
    /// A field that does not depend on other templates; None for one that does.
    pub(super) fn field(&self, name: &str) -> Option<Value> {
        let (scene, scale) = (self.scene, self.form.scale());
        let ends = scale.map(crate::Scale::ends).unwrap_or_default();
        let context = |text: &Option<String>| text.clone().unwrap_or_default();
        Some(match name {
            "low" => Value::from(&*ends[0]),
            "high" => Value::from(&*ends[1]),
            "step" => Value::from(scale.and_then(crate::Scale::step).unwrap_or_default()),
            "count" => Value::from(scene.responses.len()),
            "letters" => Value::from(letters(scene.responses.len())),
            "options" => Value::from(crate::second_stage::options(self.form).join(", ")),
            "history" => Value::from(history(scene)),
            "instruction" => Value::from(fence("INSTRUCTION", scene.item.instruction())),
            "instruction_text" => Value::from(scene.item.instruction()),
            "reference" => Value::from(fenced("REFERENCE ANSWER", &self.context.reference)),
            "reference_text" => Value::from(context(&self.context.reference)),
            "metrics" => Value::from(fenced("CRITERIA", &self.context.metrics)),
            "metrics_text" => Value::from(context(&self.context.metrics)),
            "answers" => Value::from(answers(scene)),
            "first" => Value::from(answer(scene, 0)),
            "first_text" => Value::from(text(scene, 0)),
            "second" => Value::from(answer(scene, 1)),
            "second_text" => Value::from(text(scene, 1)),
            "parts" => parts(scene),
            "notes" => Value::from(self.fenced_notes()),
            "notes_text" => Value::from(self.notes.join("\n\n")),
            "first_notes_text" => Value::from(self.note(0)),
            "second_notes_text" => Value::from(self.note(1)),
            "assessments" => Value::from(assessments(self.assessments)),
            "own_assessment_text" => Value::from(self.assessments[0]),
            "reply" => Value::from(fence("REPLY", self.reply)),
            _ => return None,
        })
    }

    fn note(&self, at: usize) -> &str {
        self.notes.get(at).map_or("", String::as_str)
    }

    fn fenced_notes(&self) -> String {
        match self.notes {
            [one] if self.scene.responses.len() > 1 => fence("ANALYSIS", one),
            notes => {
                let label = |at: usize| label("ANALYSIS OF ANSWER", at, notes.len());
                joined(notes.iter().enumerate().map(|(at, note)| fence(&label(at), note)))
            }
        }
    }
}

/// `A, B, C`.
pub(crate) fn letters(count: usize) -> String {
    let letters: Vec<String> = LETTERS.chars().take(count).map(String::from).collect();
    letters.join(", ")
}

fn fenced(label: &str, text: &Option<String>) -> String {
    text.as_ref().map(|text| fence(label, text)).unwrap_or_default()
}

fn text<'a>(scene: &'a Scene, slot: usize) -> &'a str {
    scene.responses.get(slot).map_or("", |response| &response.text)
}

/// `ANSWER B`; `ANSWER` alone where there is no other.
fn label(what: &str, slot: usize, count: usize) -> String {
    match LETTERS.chars().nth(slot) {
        Some(letter) if count > 1 => format!("{what} {letter}"),
        _ => what.to_string(),
    }
}

fn answer(scene: &Scene, slot: usize) -> String {
    scene
        .responses
        .get(slot)
        .map_or(String::new(), |response| fence(&label("ANSWER", slot, scene.responses.len()), &response.text))
}

/// The responses one after the other, or their aligned parts by turns (PORTIA, table 15).
fn answers(scene: &Scene) -> String {
    if scene.parts.is_empty() {
        return joined((0..scene.responses.len()).map(|slot| answer(scene, slot)));
    }
    let part = |at: usize, slot: usize| {
        let letter = LETTERS.chars().nth(slot).unwrap_or('?');
        fence(&format!("ANSWER {letter}, PART {}", at + 1), &scene.parts[at][slot])
    };
    joined((0..scene.parts.len()).flat_map(|at| [part(at, 0), part(at, 1)]))
}

fn parts(scene: &Scene) -> Value {
    let whole = [[text(scene, 0).to_string(), text(scene, 1).to_string()]];
    let parts = if scene.parts.is_empty() { &whole[..] } else { &scene.parts };
    let one = |part: &[String; 2]| Value::from_iter([("first", part[0].clone()), ("second", part[1].clone())]);
    parts.iter().map(one).collect()
}

fn assessments([own, other]: [&str; 2]) -> String {
    joined([fence("FIRST ASSESSMENT", own), fence("SECOND ASSESSMENT", other)])
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join("\n\n")
}

/// The turns before the instruction, each fenced.
fn history(scene: &Scene) -> String {
    let mut out = String::new();
    for message in scene.item.history() {
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
