//! The texts of a prompt, as templates show them.

use super::field_values::list_field_texts;
use crate::fence::{ORDINARY, fence_text, find_width};
use crate::form::{ChecklistCalls, Form, LETTERS};
use crate::scene::Scene;
use crate::template_marks::break_marks;
use evenhand_core::{About, AskedCriterion, JudgedCriterion, Message, Response, Role};
use minijinja::Value;
use std::borrow::Cow;
use std::iter::once;

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
    /// The criteria that are asked for, in their order; empty but for a checklist.
    pub(crate) checklist: &'a [JudgedCriterion],
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
            checklist: &[],
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

    /// Returns the criteria that are asked for, as simulated judges are told of them.
    pub(super) fn asked_criteria(&self) -> Vec<AskedCriterion> {
        let criteria = self.checklist.iter();
        criteria
            .map(|judged| AskedCriterion {
                number: judged.number,
                is_fault: judged.criterion.is_fault(),
            })
            .collect()
    }

    /// Returns this with marks that none of its texts can hold.
    pub(super) fn with_safe_marks(self) -> Shown<'a> {
        let fields: Vec<String> = self.field_texts().collect();
        let texts = self.given_texts().chain(self.written_texts());
        let width = find_width(texts.chain(fields.iter().map(String::as_str)));
        Shown { width, ..self }
    }

    /// Returns the texts that were given: the item's and its responses'.
    fn given_texts(&self) -> impl Iterator<Item = &str> {
        let messages = self.scene.item.messages.iter();
        let responses = self.scene.responses.iter();
        let messages = messages.map(|message| &*message.content);
        messages.chain(responses.flat_map(Response::texts))
    }

    /// Returns the texts of the free fields.
    fn field_texts(&self) -> impl Iterator<Item = String> {
        let responses = self.scene.responses.iter();
        let fields = responses.map(|response| &*response.fields);
        let all = std::iter::once(&self.scene.item.fields).chain(fields);
        all.flat_map(list_field_texts)
    }

    /// Returns the texts that were written for the trial, and the parts of the responses.
    fn written_texts(&self) -> impl Iterator<Item = &str> {
        let context = self.context.metrics.iter().chain(&self.context.reference);
        let parts = self.scene.parts.iter().flatten();
        let owned = self.notes.iter().chain(context).chain(parts);
        let owned = owned.map(String::as_str);
        let criteria = self.checklist.iter();
        let criteria = criteria.map(|judged| judged.criterion.text.as_str());
        owned
            .chain(criteria)
            .chain(self.assessments)
            .chain([self.reply])
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

    /// Returns the response in a slot, fenced, behind the earlier turns of its conversation.
    pub(super) fn fence_answer(&self, slot: usize) -> String {
        let Some(response) = self.shown.scene.responses.get(slot) else {
            return String::new();
        };
        let labels = SlotLabels::new(slot, self.count(), response);
        let own = if labels.lacks_final_message() {
            labels.no_final_message()
        } else {
            self.fence(&labels.answer(), &response.text)
        };
        join_blocks(self.fence_earlier(slot).into_iter().chain([own]))
    }

    /// Fences each of the turns or steps before the text of the response in a slot.
    fn fence_earlier(&self, slot: usize) -> Vec<String> {
        let Some(response) = self.shown.scene.responses.get(slot) else {
            return Vec::new();
        };
        let labels = SlotLabels::new(slot, self.count(), response);
        if let Some(trajectory) = &response.trajectory {
            return self.fence_steps(labels, trajectory);
        }
        let turns = labels.earlier().zip(response.earlier.iter());
        turns
            .map(|(label, turn)| self.fence(&label, &turn.content))
            .collect()
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
        let earlier = (0..self.count()).flat_map(|slot| self.fence_earlier(slot));
        let slots = (0..parts.len()).flat_map(|part| [(part, 0), (part, 1)]);
        join_blocks(earlier.chain(slots.map(|(part, slot)| self.fence_part(part, slot))))
    }

    fn fence_part(&self, part: usize, slot: usize) -> String {
        let scene = self.shown.scene;
        let response = scene.responses.get(slot);
        let answer = response.map_or(String::new(), |response| {
            SlotLabels::new(slot, self.count(), response).answer()
        });
        let label = format!("{answer}, PART {}", part + 1);
        self.fence(&label, &scene.parts[part][slot])
    }

    /// Returns the response in a slot without marks around it, behind the earlier turns of its
    /// conversation.
    pub(super) fn plain_answer(&self, slot: usize) -> String {
        self.plain_conversation(slot, self.answer(slot))
    }

    /// Returns a text of the response in a slot behind the earlier turns of its conversation, each
    /// under a heading; the text alone where there are none.
    fn plain_conversation(&self, slot: usize, text: &str) -> String {
        let text = self.plain(text).into_owned();
        let response = self.shown.scene.responses.get(slot);
        let earlier = response.map_or(Vec::new(), |response| self.head_earlier(response));
        if earlier.is_empty() {
            return text;
        }
        let own = head_text(ANSWER_HEADING, &text);
        join_blocks(earlier.into_iter().chain([own]))
    }

    /// Puts each of the turns or steps before a response under a heading.
    fn head_earlier(&self, response: &Response) -> Vec<String> {
        match &response.trajectory {
            Some(trajectory) => self.head_steps(trajectory),
            None => {
                let turns = response.earlier.iter();
                turns.map(|turn| self.head_turn(turn)).collect()
            }
        }
    }

    fn head_turn(&self, turn: &Message) -> String {
        let heading = match turn.role {
            Role::Assistant => EARLIER_HEADING,
            Role::System | Role::User => USER_HEADING,
        };
        head_text(heading, &self.plain(&turn.content))
    }

    /// Returns a list of the aligned parts without marks around them; of whole responses as one
    /// part. The earlier turns of a conversation stand in the first part.
    pub(super) fn list_parts(&self) -> Value {
        let whole = [0, 1].map(|slot| self.answer(slot).to_owned());
        let mut parts = self.shown.scene.parts.iter();
        let first = self.list_opening(parts.next().unwrap_or(&whole));
        let rest = parts.map(|part| self.list_part(part));
        once(first).chain(rest).collect()
    }

    fn list_opening(&self, [first, second]: &[String; 2]) -> Value {
        make_part(
            self.plain_conversation(0, first),
            self.plain_conversation(1, second),
        )
    }

    fn list_part(&self, part: &[String; 2]) -> Value {
        let [first, second] = part.each_ref().map(|text| self.plain(text).into_owned());
        make_part(first, second)
    }

    /// Returns the criteria in one fence, a numbered line each; one alone without a number.
    pub(super) fn fence_checklist(&self) -> String {
        let lines = self.shown.checklist.iter().map(write_criterion);
        match (self.shown.form, self.shown.checklist) {
            (_, []) => String::new(),
            (Form::Checklist(ChecklistCalls::Each), [one]) => {
                self.fence("CRITERION", &one.criterion.text)
            }
            _ => self.fence("CRITERIA", &lines.collect::<Vec<_>>().join("\n")),
        }
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

/// Writes a criterion as one numbered line, so that its text cannot pose as another number.
fn write_criterion(judged: &JudgedCriterion) -> String {
    let words: Vec<&str> = judged.criterion.text.split_whitespace().collect();
    format!("{}. {}", judged.number, words.join(" "))
}

/// Headings of the turns of a conversation where no marks stand around them.
const ANSWER_HEADING: &str = "Answer:";
const EARLIER_HEADING: &str = "Answer to the earlier turn:";
const USER_HEADING: &str = "User:";

pub(super) fn head_text(heading: &str, text: &str) -> String {
    format!("{heading}\n{text}")
}

fn make_part(first: String, second: String) -> Value {
    Value::from_iter([("first", first), ("second", second)])
}

/// The labels of a response in its slot, and of the turns before it.
#[derive(Clone, Copy)]
pub(super) struct SlotLabels<'a> {
    slot: usize,
    /// How many responses are shown.
    count: usize,
    pub(super) response: &'a Response,
}

impl<'a> SlotLabels<'a> {
    pub(super) fn new(slot: usize, count: usize, response: &'a Response) -> SlotLabels<'a> {
        SlotLabels {
            slot,
            count,
            response,
        }
    }

    /// Returns the label of the text: `ANSWER A`, or `ANSWER A, TURN 2 OF 2` where the earlier
    /// answers are judged with it.
    fn answer(self) -> String {
        if let Some(trajectory) = &self.response.trajectory {
            return self.final_message(trajectory);
        }
        let turns = self.earlier_answers() + 1;
        if self.response.whole && turns > 1 {
            self.turn(turns)
        } else {
            self.name("ANSWER")
        }
    }

    /// Returns the labels of the turns before the text.
    fn earlier(self) -> impl Iterator<Item = String> {
        let mut answers = 0;
        let turns = self.response.earlier.iter();
        turns.map(move |turn| {
            if turn.role == Role::Assistant {
                answers += 1;
                self.earlier_answer(answers)
            } else {
                self.name("USER TURN AFTER ANSWER")
            }
        })
    }

    fn earlier_answer(self, number: usize) -> String {
        let name = self.name("ANSWER");
        if self.response.whole {
            self.turn(number)
        } else if self.earlier_answers() == 1 {
            format!("{name} TO THE EARLIER TURN, FOR CONTEXT")
        } else {
            format!("{name} TO EARLIER TURN {number}, FOR CONTEXT")
        }
    }

    fn turn(self, number: usize) -> String {
        let (name, all) = (self.name("ANSWER"), self.earlier_answers() + 1);
        format!("{name}, TURN {number} OF {all}")
    }

    pub(super) fn name(self, what: &str) -> String {
        label_slot(what, self.slot, self.count)
    }

    fn earlier_answers(self) -> usize {
        let turns = self.response.earlier.iter();
        turns.filter(|turn| turn.role == Role::Assistant).count()
    }
}

/// Returns a label such as `ANSWER B`; `ANSWER` alone where there is no other.
fn label_slot(what: &str, slot: usize, count: usize) -> String {
    match LETTERS.chars().nth(slot) {
        Some(letter) if count > 1 => format!("{what} {letter}"),
        _ => what.to_string(),
    }
}

pub(super) fn join_blocks(blocks: impl IntoIterator<Item = String>) -> String {
    blocks.into_iter().collect::<Vec<_>>().join("\n\n")
}
