//! Conversations: the turns of the person in an item, and those of a system in a response.

use super::fields::Fields;
use super::map::Target;
use super::record::SystemOutput;
use super::trajectories::{count_turns, is_trajectory, read_trajectory};
use crate::error::{DataProblem, Result};
use crate::source::json_words::describe_value;
use evenhand_core::{Message, Role};
use serde_json::Value;

const TURNS: &str =
    "turns that are all strings, or all messages {role, content}, one answer at least";

/// What FastChat's programs write where a model gave no answer.
const FAILED: &str = "$ERROR$";

impl Fields<'_> {
    /// Returns how many turns of a conversation this field has; 1 where it is a plain text.
    pub(super) fn count_turns(&self, target: Target) -> u32 {
        let Some(list) = self.find_list(target) else {
            return 1;
        };
        let is_instruction = target == Target::Instruction;
        if !is_instruction && is_trajectory(list, self.input.trajectories) {
            return count_turns(list);
        }
        // The turns of the one who speaks in this field.
        let role = if is_instruction { "user" } else { "assistant" };
        let speaks = |turn: &&Value| turn.get("role").is_none_or(|found| found == role);
        u32::try_from(list.iter().filter(speaks).count()).unwrap_or(u32::MAX)
    }

    /// Reads the answer of a system, with its earlier turns where it is of a conversation.
    pub(super) fn read_turns_of(&self, system: String, target: Target) -> Result<SystemOutput> {
        // An empty cell is an empty answer; null is none.
        let found = self.find(target);
        let is_null = !self.tabular && found.is_some_and(|found| found.is_null());
        let answer = match is_null {
            true => SystemOutput::default(),
            false => self.read_answer(target)?,
        };
        let failed = is_null || answer.output == FAILED;
        if failed && !self.input.allow_missing {
            return Err(DataProblem::NoOutput {
                field: self.mapping.field_label(target),
                found: if is_null { "null" } else { FAILED },
            }
            .at(self.place));
        }
        Ok(SystemOutput {
            system,
            failed,
            ..answer
        })
    }

    /// Reads an answer without the name of its system.
    fn read_answer(&self, target: Target) -> Result<SystemOutput> {
        let list = self.find_list(target).filter(|list| !list.is_empty());
        let Some(list) = list else {
            return Ok(SystemOutput {
                output: self.required_text(target)?,
                ..SystemOutput::default()
            });
        };
        let whole = self.part.turn.is_none();
        if is_trajectory(list, self.input.trajectories) {
            let field = self.mapping.found_name(target, self.record);
            let count = self.part.length_of(count_turns(list) as usize);
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let read = read_trajectory(list, &field, self.input.trajectories, count, whole);
            let (trajectory, output, hidden_thoughts) =
                read.map_err(|wrong| self.wrong_within(wrong))?;
            return Ok(SystemOutput {
                output,
                whole,
                trajectory: Some(trajectory),
                hidden_thoughts,
                ..SystemOutput::default()
            });
        }
        // The last answer that is read, with the turns before it.
        let mut earlier = self.list_turns_read(self.read_turns(target, list, Role::Assistant)?);
        let Some(last) = earlier.pop() else {
            return Err(self.wrong_type(target, TURNS, "none".to_owned()));
        };
        Ok(SystemOutput {
            output: last.content,
            whole: whole && !earlier.is_empty(),
            earlier,
            ..SystemOutput::default()
        })
    }

    fn find_list(&self, target: Target) -> Option<&Vec<Value>> {
        self.mapping.find_list(target, self.record)
    }

    /// Lists the turns of a system's conversation up to the answer that is read. One that begins
    /// with the user's turn repeats the item's turns, which are left out; in others the user's
    /// turns are the conversation's own.
    fn list_turns_read(&self, mut messages: Vec<Message>) -> Vec<Message> {
        let is_answer = |turn: &Message| turn.role == Role::Assistant;
        if !messages.first().is_some_and(is_answer) {
            messages.retain(is_answer);
        }
        let answers = messages.iter().filter(|turn| is_answer(turn)).count();
        let mut left = self.part.length_of(answers);
        // What the user says behind the last answer that is read belongs to none.
        let end = messages.iter().position(|turn| {
            left -= usize::from(is_answer(turn));
            left == 0
        });
        messages.truncate(end.map_or(0, |end| end + 1));
        messages
    }

    /// Reads the turns of the person, as far as they are read.
    pub(super) fn read_user_turns(&self, target: Target, list: &[Value]) -> Result<Vec<Message>> {
        let mut turns = self.read_turns(target, list, Role::User)?;
        turns.retain(|turn| turn.role == Role::User);
        turns.truncate(self.part.length_of(turns.len()));
        Ok(turns)
    }

    /// Returns the reference of the part of the conversation that is read: of a list, that of its
    /// turn, or for the whole conversation all there are.
    pub(super) fn read_reference(&self) -> Result<Option<String>> {
        let Some(list) = self.find_list(Target::Reference) else {
            // One that is no list is that of the whole item, so no single turn has it.
            if self.part.numbered && self.count_turns(Target::Instruction) > 1 {
                return Ok(None);
            }
            return self.optional_text(Target::Reference);
        };
        let (skipped, most) = match self.part.turn {
            Some(turn) => (turn as usize - 1, 1),
            None => (0, usize::MAX),
        };
        let mut texts = Vec::new();
        for value in list.iter().skip(skipped).take(most) {
            if !value.is_null() {
                texts.push(self.turn_text(Target::Reference, value)?);
            }
        }
        let joined = texts.join("\n\n");
        Ok((!joined.is_empty()).then_some(joined))
    }

    fn turn_text<'v>(&self, target: Target, value: &'v Value) -> Result<&'v str> {
        value.as_str().ok_or_else(|| {
            let found = format!("a list with {}", describe_value(value));
            self.wrong_type(target, TURNS, found)
        })
    }

    /// Reads a list of messages, or of texts, which are all of one role.
    fn read_turns(&self, target: Target, list: &[Value], role: Role) -> Result<Vec<Message>> {
        if list.first().is_some_and(Value::is_object) {
            return self.read_message_list(target, list);
        }
        let mut turns = Vec::with_capacity(list.len());
        for text in list {
            let content = self.turn_text(target, text)?.to_owned();
            turns.push(Message { role, content });
        }
        Ok(turns)
    }
}
