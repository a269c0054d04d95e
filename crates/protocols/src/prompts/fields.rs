//! The names that templates can use.

use super::texts::Texts;
use crate::form::list_letters;
use minijinja::Value;

/// A name that a template may use.
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// Its value, in a few words.
    pub about: &'static str,
}

const fn describe(name: &'static str, about: &'static str) -> Field {
    Field { name, about }
}

/// The names that a template may use.
pub static FIELDS: [Field; 32] = [
    describe(
        "rubric",
        "what makes a response better, from the rubric asked for; may be empty",
    ),
    describe(
        "fencing",
        "what a judge is told about the marks around what it judges",
    ),
    describe("low", "the worst value of the scale"),
    describe("high", "the best value of the scale"),
    describe("step", "the step of the scale; empty for whole numbers"),
    describe("count", "how many responses there are"),
    describe("letters", "the letters of the responses: A, B, C"),
    describe(
        "options",
        "the verdicts that can be given, joined by commas; for listwise, what an order is",
    ),
    describe(
        "question",
        "the question of this file for the reasoning asked for",
    ),
    describe(
        "material",
        "all below that is there, in the layout of material.toml",
    ),
    describe(
        "task",
        "material without the analyses, for a dialogue with a turn of their own",
    ),
    describe(
        "history",
        "the turns before the instruction, fenced; may be empty",
    ),
    describe("instruction", "the instruction, fenced"),
    describe("instruction_text", "the instruction as it is"),
    describe("reference", "the reference answer, fenced; may be empty"),
    describe(
        "reference_text",
        "the reference answer as it is; may be empty",
    ),
    describe(
        "metrics",
        "the criteria that the judge wrote for the instruction, fenced; may be empty",
    ),
    describe("metrics_text", "the criteria as they are; may be empty"),
    describe(
        "checklist",
        "for checklist: the criteria of the item, numbered and fenced; for checklist:each the \
                one criterion, fenced",
    ),
    describe(
        "answers",
        "all responses, fenced; for portia in aligned parts, by turns",
    ),
    describe("first", "the first response, fenced"),
    describe("first_text", "the first response as it is"),
    describe("second", "the second response, fenced"),
    describe(
        "second_text",
        "the second response as it is; empty where there is one",
    ),
    describe(
        "parts",
        "for portia: a list of parts, each with first and second as they are; else one part \
                with both",
    ),
    describe(
        "notes",
        "the judge's analyses of the responses, fenced; may be empty",
    ),
    describe(
        "notes_text",
        "the analyses as they are, one after the other; may be empty",
    ),
    describe(
        "first_notes_text",
        "the analysis of the first response as it is; may be empty",
    ),
    describe(
        "second_notes_text",
        "the analysis of the second response as it is; may be empty",
    ),
    describe(
        "assessments",
        "for reconsider.toml: the two assessments that disagree, fenced",
    ),
    describe(
        "own_assessment_text",
        "for reconsider.toml: the assessment that was written in this order",
    ),
    describe(
        "reply",
        "for extract.toml: the text whose verdict is sought, fenced",
    ),
];

/// Returns the value of a name for these texts; None where it is another template, or unknown.
pub(super) fn find_value(name: &str, texts: &Texts) -> Option<Value> {
    Some(match name {
        "low" => texts.scale_end(0).into(),
        "high" => texts.scale_end(1).into(),
        "step" => texts.scale_step().into(),
        "count" => texts.count().into(),
        "letters" => list_letters(texts.count()).into(),
        "options" => texts.shown.form.describe_second_stage().into(),
        "history" => texts.fence_history().into(),
        "instruction" => texts.fence("INSTRUCTION", texts.instruction()).into(),
        "instruction_text" => texts.plain(texts.instruction()).into(),
        "reference" => texts
            .fence_if_any("REFERENCE ANSWER", texts.reference())
            .into(),
        "reference_text" => texts.plain(texts.reference().unwrap_or_default()).into(),
        "metrics" => texts.fence_if_any("CRITERIA", texts.metrics()).into(),
        "metrics_text" => texts.plain(texts.metrics().unwrap_or_default()).into(),
        "checklist" => texts.fence_checklist().into(),
        "answers" => texts.fence_answers().into(),
        "first" => texts.fence_answer(0).into(),
        "first_text" => texts.plain_answer(0).into(),
        "second" => texts.fence_answer(1).into(),
        "second_text" => texts.plain_answer(1).into(),
        "parts" => texts.list_parts(),
        "notes" => texts.fence_notes().into(),
        "notes_text" => texts.plain(&texts.shown.notes.join("\n\n")).into(),
        "first_notes_text" => texts.plain(texts.note(0)).into(),
        "second_notes_text" => texts.plain(texts.note(1)).into(),
        "assessments" => texts.fence_assessments().into(),
        "own_assessment_text" => texts.plain(texts.shown.assessments[0]).into(),
        "reply" => texts.fence("REPLY", texts.shown.reply).into(),
        _ => return None,
    })
}

/// The names that stand for the same in all trials of a protocol.
pub(super) const FIXED: [&str; 4] = ["low", "high", "step", "options"];

/// The other names that stand for a text in every trial.
const ALWAYS: [&str; 7] = [
    "material",
    "task",
    "instruction",
    "instruction_text",
    "answers",
    "first",
    "first_text",
];

/// The length of a made-up text: a loop over one within a loop over another takes more steps than a
/// template may.
const MADE_UP: usize = 4000;

/// Which texts a trial has.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum MadeUp {
    /// Every text that a trial may have.
    All,
    /// Only the texts that every trial has.
    Least,
}

/// Makes up a value of the right kind for every name, to try a template with.
pub(super) fn make_up_values(texts: MadeUp) -> Vec<(&'static str, Value)> {
    let text = Value::from("text ".repeat(MADE_UP / 5));
    let part = Value::from_iter([("first", text.clone()), ("second", text.clone())]);
    let make_up = |name: &str| match name {
        "count" => Value::from(2),
        "parts" => Value::from_iter([part.clone(), part.clone()]),
        "low" | "high" | "step" | "letters" | "options" => Value::from("1"),
        name if texts == MadeUp::All || ALWAYS.contains(&name) => text.clone(),
        _ => Value::from(""),
    };
    FIELDS
        .iter()
        .map(|field| (field.name, make_up(field.name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Context, PARTS, Shown};
    use super::*;
    use crate::form::{AnswerReading, Form};
    use crate::scene::Scene;
    use evenhand_core::Item;

    #[test]
    fn every_name_has_a_value_or_is_a_template() {
        let item = Item::default();
        let scene = Scene {
            item: &item,
            responses: Vec::new(),
            parts: Vec::new(),
            reversed: false,
        };
        let context = Context::default();
        let shown = Shown::new(Form::Pairwise(AnswerReading::Mean), &scene, &context, false);
        for Field { name, .. } in &FIELDS {
            let value = find_value(name, &Texts { shown: &shown });
            assert_eq!(value.is_none(), PARTS.contains(name), "{name}");
        }
    }
}
