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
    value: FieldValue,
}

/// Where a field's value comes from.
enum FieldValue {
    /// Another template, filled in.
    Template,
    /// Something that the prompt shows.
    OfTrial(fn(&Texts) -> Value),
}

impl Field {
    /// Finds a field by its name.
    pub(super) fn find(name: &str) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.name == name)
    }

    /// Returns the value for these texts; None where it is another template.
    pub(super) fn value(&self, texts: &Texts) -> Option<Value> {
        match self.value {
            FieldValue::Template => None,
            FieldValue::OfTrial(value) => Some(value(texts)),
        }
    }
}

/// The names that a template may use.
pub static FIELDS: [Field; 31] = [
    Field {
        name: "rubric",
        about: "what makes a response better, from the rubric asked for; may be empty",
        value: FieldValue::Template,
    },
    Field {
        name: "fencing",
        about: "what a judge is told about the marks around what it judges",
        value: FieldValue::Template,
    },
    Field {
        name: "low",
        about: "the worst value of the scale",
        value: FieldValue::OfTrial(|texts| Value::from(texts.scale_end(0))),
    },
    Field {
        name: "high",
        about: "the best value of the scale",
        value: FieldValue::OfTrial(|texts| Value::from(texts.scale_end(1))),
    },
    Field {
        name: "step",
        about: "the step of the scale; empty for whole numbers",
        value: FieldValue::OfTrial(|texts| Value::from(texts.scale_step())),
    },
    Field {
        name: "count",
        about: "how many responses there are",
        value: FieldValue::OfTrial(|texts| Value::from(texts.count())),
    },
    Field {
        name: "letters",
        about: "the letters of the responses: A, B, C",
        value: FieldValue::OfTrial(|texts| Value::from(list_letters(texts.count()))),
    },
    Field {
        name: "options",
        about: "the verdicts that can be given, joined by commas; for listwise, what an order is",
        value: FieldValue::OfTrial(|texts| Value::from(texts.shown.form.describe_second_stage())),
    },
    Field {
        name: "question",
        about: "the question of this file for the reasoning asked for",
        value: FieldValue::Template,
    },
    Field {
        name: "material",
        about: "all below that is there, in the layout of material.toml",
        value: FieldValue::Template,
    },
    Field {
        name: "history",
        about: "the turns before the instruction, fenced; may be empty",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence_history())),
    },
    Field {
        name: "instruction",
        about: "the instruction, fenced",
        value: FieldValue::OfTrial(|texts| {
            Value::from(texts.fence("INSTRUCTION", texts.instruction()))
        }),
    },
    Field {
        name: "instruction_text",
        about: "the instruction as it is",
        value: FieldValue::OfTrial(|texts| Value::from(texts.plain(texts.instruction()))),
    },
    Field {
        name: "reference",
        about: "the reference answer, fenced; may be empty",
        value: FieldValue::OfTrial(|texts| {
            Value::from(texts.fence_if_any("REFERENCE ANSWER", texts.reference()))
        }),
    },
    Field {
        name: "reference_text",
        about: "the reference answer as it is; may be empty",
        value: FieldValue::OfTrial(|texts| {
            Value::from(texts.plain(texts.reference().unwrap_or_default()))
        }),
    },
    Field {
        name: "metrics",
        about: "the criteria that the judge wrote for the instruction, fenced; may be empty",
        value: FieldValue::OfTrial(|texts| {
            Value::from(texts.fence_if_any("CRITERIA", texts.metrics()))
        }),
    },
    Field {
        name: "metrics_text",
        about: "the criteria as they are; may be empty",
        value: FieldValue::OfTrial(|texts| {
            Value::from(texts.plain(texts.metrics().unwrap_or_default()))
        }),
    },
    Field {
        name: "checklist",
        about: "for checklist: the criteria of the item, numbered and fenced; for checklist:each the \
                one criterion, fenced",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence_checklist())),
    },
    Field {
        name: "answers",
        about: "all responses, fenced; for portia in aligned parts, by turns",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence_answers())),
    },
    Field {
        name: "first",
        about: "the first response, fenced",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence_answer(0))),
    },
    Field {
        name: "first_text",
        about: "the first response as it is",
        value: FieldValue::OfTrial(|texts| Value::from(texts.plain_answer(0))),
    },
    Field {
        name: "second",
        about: "the second response, fenced",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence_answer(1))),
    },
    Field {
        name: "second_text",
        about: "the second response as it is; empty where there is one",
        value: FieldValue::OfTrial(|texts| Value::from(texts.plain_answer(1))),
    },
    Field {
        name: "parts",
        about: "for portia: a list of parts, each with first and second as they are; else one part \
                with both",
        value: FieldValue::OfTrial(|texts| texts.list_parts()),
    },
    Field {
        name: "notes",
        about: "the judge's analyses of the responses, fenced; may be empty",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence_notes())),
    },
    Field {
        name: "notes_text",
        about: "the analyses as they are, one after the other; may be empty",
        value: FieldValue::OfTrial(|texts| {
            Value::from(texts.plain(&texts.shown.notes.join("\n\n")))
        }),
    },
    Field {
        name: "first_notes_text",
        about: "the analysis of the first response as it is; may be empty",
        value: FieldValue::OfTrial(|texts| Value::from(texts.plain(texts.note(0)))),
    },
    Field {
        name: "second_notes_text",
        about: "the analysis of the second response as it is; may be empty",
        value: FieldValue::OfTrial(|texts| Value::from(texts.plain(texts.note(1)))),
    },
    Field {
        name: "assessments",
        about: "for reconsider.toml: the two assessments that disagree, fenced",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence_assessments())),
    },
    Field {
        name: "own_assessment_text",
        about: "for reconsider.toml: the assessment that was written in this order",
        value: FieldValue::OfTrial(|texts| Value::from(texts.plain(texts.shown.assessments[0]))),
    },
    Field {
        name: "reply",
        about: "for extract.toml: the text whose verdict is sought, fenced",
        value: FieldValue::OfTrial(|texts| Value::from(texts.fence("REPLY", texts.shown.reply))),
    },
];

/// The names that stand for the same in all trials of a protocol.
pub(super) const FIXED: [&str; 4] = ["low", "high", "step", "options"];

/// The other names that stand for a text in every trial.
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
