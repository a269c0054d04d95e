//! The texts of a prompt, as templates show them.

use super::foreign::list_field_texts;
use super::labels::{SlotLabels, describe_step, insert_gap, label_slot};
use crate::fence::{ORDINARY, fence_text, find_width};
use crate::form::{ChecklistCalls, Form};
use crate::scene::Scene;
use crate::template_marks::break_marks;
use evenhand_core::{About, AskedCriterion, JudgedCriterion, Role, Trajectory};
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
        let Scene {
            item,
            responses,
            parts,
            ..
        } = self.scene;
        // What was given, with its free fields.
        let mut fields: Vec<String> = list_field_texts(&item.fields).collect();
        let mut texts: Vec<&str> = item.messages.iter().map(|turn| &*turn.content).collect();
        for response in responses {
            texts.extend(response.texts());
            fields.extend(list_field_texts(&response.fields));
        }
        texts.extend(fields.iter().map(String::as_str));
        // What was written for the trial, and the parts of the responses.
        let context = self.context.metrics.iter().chain(&self.context.reference);
        let written = self.notes.iter().chain(context);
        texts.extend(written.chain(parts.iter().flatten()).map(String::as_str));
        texts.extend(self.checklist.iter().map(|judged| &*judged.criterion.text));
        texts.extend(self.assessments);
        texts.push(self.reply);
        let width = find_width(texts);
        Shown { width, ..self }
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
        match self.shown.notes {
            [one] if self.count() > 1 => self.fence("ANALYSIS", one),
            notes => join_blocks(notes.iter().enumerate().map(|(slot, note)| {
                self.fence(&label_slot("ANALYSIS OF ANSWER", slot, notes.len()), note)
            })),
        }
    }

    /// Returns the response in a slot, fenced, behind the earlier turns of its conversation.
    pub(super) fn fence_answer(&self, slot: usize) -> String {
        let Some(response) = self.shown.scene.responses.get(slot) else {
            return String::new();
        };
        let labels = SlotLabels::new(slot, self.count(), response);
        let own = if response.trajectory.is_some() && response.text.is_empty() {
            format!("({} ends without a final message.)", labels.name("ANSWER"))
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
        let Scene {
            responses, parts, ..
        } = self.shown.scene;
        let slots = 0..self.count();
        if parts.is_empty() {
            return join_blocks(slots.map(|slot| self.fence_answer(slot)));
        }
        let mut blocks: Vec<String> = slots.flat_map(|slot| self.fence_earlier(slot)).collect();
        for (number, part) in (1..).zip(parts) {
            for (slot, text) in part.iter().enumerate() {
                let answer = responses.get(slot).map_or(String::new(), |response| {
                    SlotLabels::new(slot, self.count(), response).answer()
                });
                blocks.push(self.fence(&format!("{answer}, PART {number}"), text));
            }
        }
        join_blocks(blocks)
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
        let Some(response) = self.shown.scene.responses.get(slot) else {
            return text;
        };
        let mut blocks = Vec::new();
        if let Some(trajectory) = &response.trajectory {
            blocks = self.head_steps(trajectory);
        } else {
            for turn in response.earlier.iter() {
                let heading = match turn.role {
                    Role::Assistant => "Answer to the earlier turn:",
                    Role::System | Role::User => "User:",
                };
                blocks.push(head_text(heading, &self.plain(&turn.content)));
            }
        }
        if blocks.is_empty() {
            return text;
        }
        blocks.push(head_text("Answer:", &text));
        join_blocks(blocks)
    }

    /// Returns a list of the aligned parts without marks around them; of whole responses as one
    /// part. The earlier turns of a conversation stand in the first part.
    pub(super) fn list_parts(&self) -> Value {
        let scene = self.shown.scene;
        let whole = [0, 1].map(|slot| scene.text(slot).to_owned());
        let parts = match &scene.parts[..] {
            [] => &[whole],
            parts => parts,
        };
        let listed = parts.iter().enumerate().map(|(at, [first, second])| {
            let [first, second] = match at {
                0 => [
                    self.plain_conversation(0, first),
                    self.plain_conversation(1, second),
                ],
                _ => [first, second].map(|text| self.plain(text).into_owned()),
            };
            Value::from_iter([("first", first), ("second", second)])
        });
        listed.collect()
    }

    /// Returns the criteria in one fence, a numbered line each; one alone without a number.
    pub(super) fn fence_checklist(&self) -> String {
        let checklist = match (self.shown.form, self.shown.checklist) {
            (_, []) => return String::new(),
            (Form::Checklist(ChecklistCalls::Each(_)), [one]) => {
                return self.fence("CRITERION", &one.criterion.text);
            }
            (_, checklist) => checklist,
        };
        // One line each, so that no text can pose as another number.
        let mut lines = Vec::new();
        for JudgedCriterion {
            number, criterion, ..
        } in checklist
        {
            let words: Vec<&str> = criterion.text.split_whitespace().collect();
            lines.push(format!("{number}. {}", words.join(" ")));
        }
        self.fence("CRITERIA", &lines.join("\n"))
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
        join_blocks(turns.map(|turn| {
            let label = match turn.role {
                Role::System => "EARLIER SYSTEM TURN",
                Role::User => "EARLIER USER TURN",
                Role::Assistant => "EARLIER ASSISTANT TURN",
            };
            self.fence(label, &turn.content)
        }))
    }

    /// Fences each step of a trajectory, with what is left out in its place. Between fences are
    /// words of ours alone, so that no step can say that something is left out.
    fn fence_steps(&self, labels: SlotLabels, trajectory: &Trajectory) -> Vec<String> {
        let name = labels.name("ANSWER");
        let mut blocks = Vec::new();
        for step in &trajectory.steps {
            let (number, all) = (step.number, trajectory.length);
            let label = format!("{name}, STEP {number} OF {all}: {}", describe_step(step));
            blocks.push(self.fence(&label, &step.text));
        }
        insert_gap(&mut blocks, trajectory, &format!(" of {name}"));
        blocks
    }

    /// Puts each step of a trajectory under a heading.
    fn head_steps(&self, trajectory: &Trajectory) -> Vec<String> {
        let mut blocks = Vec::new();
        for step in &trajectory.steps {
            let step_in_words = describe_step(step).to_lowercase();
            let heading = format!("Step {}, {step_in_words}:", step.number);
            blocks.push(head_text(&heading, &self.plain(&step.text)));
        }
        insert_gap(&mut blocks, trajectory, "");
        blocks
    }
}

fn head_text(heading: &str, text: &str) -> String {
    format!("{heading}\n{text}")
}

pub(super) fn join_blocks(blocks: impl IntoIterator<Item = String>) -> String {
    blocks.into_iter().collect::<Vec<_>>().join("\n\n")
}
