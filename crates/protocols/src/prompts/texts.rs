//! The texts of a prompt, as templates show them.

use crate::fence::{ORDINARY, fence_text, find_width};
use crate::form::{Form, LETTERS};
use crate::scene::Scene;
use crate::template_marks::break_marks;
use evenhand_core::{About, Message, Role};
use minijinja::Value;
use std::borrow::Cow;

/// Everything that a prompt may show. Texts that are not the program's own are in one of its
/// fields.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) form: Form,
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) context: &'a Context,
    /// The analyses: one for each response, or one for all.
    pub(crate) notes: &'a [String],
    /// Whether the analyses stand in the place of the responses.
    pub(crate) hides_responses: bool,
    /// Two assessments: the one written in the present order, and the one written in the other.
    pub(crate) assessments: [&'a str; 2],
    /// A judge's reply that cannot be read.
    pub(crate) reply: &'a str,
    /// Whether the marks of chat templates in all of these texts are broken up.
    pub(crate) breaks_marks: bool,
    /// The width of every mark of the prompt, once it is known what it shows.
    pub(crate) width: usize,
}

/// Texts that belong to an item whatever its responses are.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) metrics: Option<String>,
    pub(crate) reference: Option<String>,
}

impl<'a> Shown<'a> {
    /// Shows an item with responses, and nothing that was written about them.
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
            hides_responses: false,
            assessments: [""; 2],
            reply: "",
            breaks_marks,
            width: ORDINARY,
        }
    }

    /// Returns what simulated judges are told of the call.
    pub(super) fn about(&self) -> About {
        About::new(self.scene.item, &self.scene.responses)
    }

    /// Returns this with marks that none of its texts can hold.
    pub(super) fn with_safe_marks(self) -> Shown<'a> {
        let width = find_width(self.given_texts().chain(self.written_texts()));
        Shown { width, ..self }
    }

    /// Returns the texts that were given: the item's and its responses'.
    fn given_texts(&self) -> impl Iterator<Item = &str> {
        let messages = self.scene.item.messages.iter();
        let responses = self.scene.responses.iter();
        let messages = messages.map(|message| &*message.content);
        messages.chain(responses.map(|response| &*response.text))
    }

    /// Returns the texts that were written for the trial, and the parts of the responses.
    fn written_texts(&self) -> impl Iterator<Item = &str> {
        let context = self.context.metrics.iter().chain(&self.context.reference);
        let parts = self.scene.parts.iter().flatten();
        let owned = self.notes.iter().chain(context).chain(parts);
        let owned = owned.map(String::as_str);
        owned.chain(self.assessments).chain([self.reply])
    }
}

/// The texts of a prompt as a template shows them: between marks of one width, and with the marks
/// of chat templates broken up where the judge's server would read them.
pub(super) struct Texts<'a> {
    pub(super) shown: &'a Shown<'a>,
}

impl Texts<'_> {
    /// Returns a text without marks around it.
    pub(super) fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.shown.breaks_marks {
            break_marks(text)
        } else {
            text.into()
        }
    }

    /// Returns a text between marks with a label.
    pub(super) fn fence(&self, label: &str, text: &str) -> String {
        fence_text(label, &self.plain(text), self.shown.width)
    }

    pub(super) fn fence_if_any(&self, label: &str, text: Option<&str>) -> String {
        text.map_or(String::new(), |text| self.fence(label, text))
    }

    /// Returns the worst or the best value of the scale; empty where there is none.
    pub(super) fn scale_end(&self, end: usize) -> String {
        let ends = self.shown.form.scale().map(crate::Scale::ends);
        let [low, high] = ends.unwrap_or_default();
        if end == 0 { low } else { high }
    }

    pub(super) fn scale_step(&self) -> String {
        let scale = self.shown.form.scale();
        scale.and_then(crate::Scale::step).unwrap_or_default()
    }

    /// Returns how many responses there are.
    pub(super) fn count(&self) -> usize {
        self.shown.scene.responses.len()
    }

    pub(super) fn instruction(&self) -> &str {
        self.shown.scene.item.instruction()
    }

    pub(super) fn reference(&self) -> Option<&str> {
        self.shown.context.reference.as_deref()
    }

    pub(super) fn metrics(&self) -> Option<&str> {
        self.shown.context.metrics.as_deref()
    }

    /// Returns the response in a slot; empty where there is no such slot.
    pub(super) fn answer(&self, slot: usize) -> &str {
        self.shown.scene.text(slot)
    }

    /// Returns the analysis of a response; empty where there is none.
    pub(super) fn note(&self, slot: usize) -> &str {
        self.shown.notes.get(slot).map_or("", String::as_str)
    }

    /// Returns the analyses, each fenced.
    pub(super) fn fence_notes(&self) -> String {
        let notes = self.shown.notes;
        match notes {
            [one] if self.count() > 1 => self.fence("ANALYSIS", one),
            notes => join_blocks((0..notes.len()).map(|slot| self.fence_note(slot))),
        }
    }

    fn fence_note(&self, slot: usize) -> String {
        let label = label_slot("ANALYSIS OF ANSWER", slot, self.shown.notes.len());
        self.fence(&label, self.note(slot))
    }

    pub(super) fn fence_answer(&self, slot: usize) -> String {
        let Some(response) = self.shown.scene.responses.get(slot) else {
            return String::new();
        };
        self.fence(&label_slot("ANSWER", slot, self.count()), &response.text)
    }

    /// Returns the responses one after the other, or their aligned parts by turns (PORTIA, table
    /// 15); nothing where analyses stand for them.
    pub(super) fn fence_answers(&self) -> String {
        if self.shown.hides_responses {
            return String::new();
        }
        let parts = &self.shown.scene.parts;
        if parts.is_empty() {
            return join_blocks((0..self.count()).map(|slot| self.fence_answer(slot)));
        }
        let slots = (0..parts.len()).flat_map(|part| [(part, 0), (part, 1)]);
        join_blocks(slots.map(|(part, slot)| self.fence_part(part, slot)))
    }

    fn fence_part(&self, part: usize, slot: usize) -> String {
        let letter = LETTERS.chars().nth(slot).unwrap_or('?');
        let label = format!("ANSWER {letter}, PART {}", part + 1);
        self.fence(&label, &self.shown.scene.parts[part][slot])
    }

    /// Returns a list of the aligned parts without marks around them; of whole responses as one
    /// part.
    pub(super) fn list_parts(&self) -> Value {
        let parts = self.shown.scene.parts.iter();
        if parts.len() == 0 {
            return Value::from_iter([self.make_part(self.answer(0), self.answer(1))]);
        }
        parts
            .map(|[first, second]| self.make_part(first, second))
            .collect()
    }

    fn make_part(&self, first: &str, second: &str) -> Value {
        Value::from_iter([
            ("first", self.plain(first).into_owned()),
            ("second", self.plain(second).into_owned()),
        ])
    }

    pub(super) fn fence_assessments(&self) -> String {
        let [own, other] = self.shown.assessments;
        join_blocks([
            self.fence("FIRST ASSESSMENT", own),
            self.fence("SECOND ASSESSMENT", other),
        ])
    }

    /// Returns the turns before the instruction, each fenced.
    pub(super) fn fence_history(&self) -> String {
        let turns = self.shown.scene.item.history().iter();
        join_blocks(turns.map(|turn| self.fence_turn(turn)))
    }

    fn fence_turn(&self, turn: &Message) -> String {
        let label = match turn.role {
            Role::System => "EARLIER SYSTEM TURN",
            Role::User => "EARLIER USER TURN",
            Role::Assistant => "EARLIER ASSISTANT TURN",
        };
        self.fence(label, &turn.content)
    }
}

/// Returns a label such as `ANSWER B`; `ANSWER` alone where there is no other.
fn label_slot(what: &str, slot: usize, count: usize) -> String {
    match LETTERS.chars().nth(slot) {
        Some(letter) if count > 1 => format!("{what} {letter}"),
        _ => what.to_string(),
    }
}

fn join_blocks(blocks: impl IntoIterator<Item = String>) -> String {
    blocks.into_iter().collect::<Vec<_>>().join("\n\n")
}
