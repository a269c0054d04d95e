//! Conversations: the turns of the person in an item, and those of a system in a response.

use super::error::{DataError, DataProblem, Result};
use super::fields::Fields;
use super::json_words::describe_value;
use super::map::Target;
use super::record::SystemOutput;
use super::trajectories::{
    TrajectoryFound, TurnsWanted, count_turns, is_trajectory, read_trajectory,
};
use evenhand_core::{Message, Role};
use serde_json::Value;

const TURNS: &str =
    "turns that are all strings, or all messages {role, content}, one answer at least";

/// What FastChat's programs write where a model gave no answer.
const FAILED: &str = "$ERROR$";

/// The content of a field that may hold a conversation.
pub(super) enum TurnsFound {
    /// A list of texts, one for each turn.
    Texts(Vec<String>),
    /// A list of messages.
    Messages(Vec<Message>),
}

/// One answer of a conversation, and what the user said before it that is not the item's.
struct Answer {
    before: Vec<Message>,
    text: String,
}

impl Fields<'_> {
    /// Returns how many turns of a conversation this field has; 1 where it is a plain text.
    pub(super) fn count_turns(&self, target: Target) -> u32 {
        let Some(list) = self.find_list(target) else {
            return 1;
        };
        if target != Target::Instruction && is_trajectory(list, self.trajectories) {
            return count_turns(list);
        }
        u32::try_from(count_speakers(list, target)).unwrap_or(u32::MAX)
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
        if failed && !self.allow_missing {
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
        let list = self.find_list(target);
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            self.read_listed_answer(target, list)
        } else {
            self.required_text(target).map(text_output)
        }
    }

    fn find_list(&self, target: Target) -> Option<&Vec<Value>> {
        self.mapping.find_list(target, self.record)
    }

    fn read_listed_answer(&self, target: Target, list: &[Value]) -> Result<SystemOutput> {
        if is_trajectory(list, self.trajectories) {
            self.read_trajectory_of(target, list)
        } else {
            self.read_conversation_of(target, list)
        }
    }

    fn read_conversation_of(&self, target: Target, list: &[Value]) -> Result<SystemOutput> {
        let turns = self.read_turns(target, list)?;
        self.conversation_output(turns)
            .ok_or_else(|| self.no_answer(target))
    }

    fn no_answer(&self, target: Target) -> DataError {
        self.wrong_type(target, TURNS, "none".to_owned())
    }

    /// Returns the last answer that is read, with the turns before it; `None` where there is none.
    fn conversation_output(&self, turns: TurnsFound) -> Option<SystemOutput> {
        let mut messages = self.list_turns_read(turns);
        let last = messages.pop()?;
        Some(SystemOutput {
            whole: self.part.turn.is_none() && !messages.is_empty(),
            earlier: messages,
            ..text_output(last.content)
        })
    }

    /// Lists the turns of a conversation up to the answer that is read.
    fn list_turns_read(&self, turns: TurnsFound) -> Vec<Message> {
        let answers = split_answers(turns);
        let taken = self.part.length_of(answers.len());
        list_messages(answers.into_iter().take(taken))
    }

    fn read_trajectory_of(&self, target: Target, list: &[Value]) -> Result<SystemOutput> {
        let field = self.mapping.found_name(target, self.record);
        let read = read_trajectory(list, &field, self.trajectories, self.turns_wanted(list));
        let found = read.map_err(|wrong| self.wrong_within(wrong))?;
        Ok(self.trajectory_output(found))
    }

    fn turns_wanted(&self, list: &[Value]) -> TurnsWanted {
        let taken = self.part.length_of(count_turns(list) as usize);
        TurnsWanted {
            count: u32::try_from(taken).unwrap_or(u32::MAX),
            whole: self.part.turn.is_none(),
        }
    }

    fn trajectory_output(&self, found: TrajectoryFound) -> SystemOutput {
        SystemOutput {
            whole: self.part.turn.is_none(),
            trajectory: Some(found.trajectory),
            hidden_thoughts: found.hidden,
            ..text_output(found.text)
        }
    }

    /// Reads the turns of the person, as far as they are read.
    pub(super) fn read_user_turns(&self, target: Target, list: &[Value]) -> Result<Vec<Message>> {
        let mut turns = match self.read_turns(target, list)? {
            TurnsFound::Texts(texts) => texts.into_iter().map(Message::user).collect(),
            TurnsFound::Messages(messages) => keep_user_turns(messages),
        };
        turns.truncate(self.part.length_of(turns.len()));
        Ok(turns)
    }

    /// Returns the reference of the part of the conversation that is read: of a list, that of its
    /// turn, or for the whole conversation all there are.
    pub(super) fn read_reference(&self) -> Result<Option<String>> {
        match self.find_list(Target::Reference) {
            Some(list) => self.join_references(list),
            None => self.read_only_reference(),
        }
    }

    /// Reads a reference that is no list: that of the whole item, so no single turn has it.
    fn read_only_reference(&self) -> Result<Option<String>> {
        let is_of_turn = self.part.numbered && self.count_turns(Target::Instruction) > 1;
        if is_of_turn {
            Ok(None)
        } else {
            self.optional_text(Target::Reference)
        }
    }

    fn join_references(&self, list: &[Value]) -> Result<Option<String>> {
        let joined = self.list_references(list)?.join("\n\n");
        Ok((!joined.is_empty()).then_some(joined))
    }

    fn list_references<'v>(&self, list: &'v [Value]) -> Result<Vec<&'v str>> {
        let given = self.select_turns(list).filter(|value| !value.is_null());
        given
            .map(|text| self.turn_text(Target::Reference, text))
            .collect()
    }

    /// Selects the entry of the turn that is read; for the whole conversation all.
    fn select_turns<'v>(&self, list: &'v [Value]) -> impl Iterator<Item = &'v Value> + use<'v> {
        let turn = self.part.turn;
        let skipped = turn.map_or(0, |turn| turn as usize - 1);
        let most = turn.map_or(usize::MAX, |_| 1);
        list.iter().skip(skipped).take(most)
    }

    fn turn_text<'v>(&self, target: Target, value: &'v Value) -> Result<&'v str> {
        let text = value.as_str();
        text.ok_or_else(|| self.wrong_turn(target, value))
    }

    fn wrong_turn(&self, target: Target, value: &Value) -> DataError {
        let found = format!("a list with {}", describe_value(value));
        self.wrong_type(target, TURNS, found)
    }

    fn read_turns(&self, target: Target, list: &[Value]) -> Result<TurnsFound> {
        if list.first().is_some_and(Value::is_object) {
            return Ok(TurnsFound::Messages(self.read_message_list(target, list)?));
        }
        let texts = list.iter().map(|text| self.turn_text(target, text));
        let texts: Result<_> = texts.map(|text| text.map(str::to_owned)).collect();
        Ok(TurnsFound::Texts(texts?))
    }
}

/// Counts the turns of the one who speaks in this field.
fn count_speakers(list: &[Value], target: Target) -> usize {
    let role = speaker_of(target);
    let speaks = |turn: &&Value| turn.get("role").is_none_or(|found| found == role);
    list.iter().filter(speaks).count()
}

fn speaker_of(target: Target) -> &'static str {
    if target == Target::Instruction {
        "user"
    } else {
        "assistant"
    }
}

fn keep_user_turns(messages: Vec<Message>) -> Vec<Message> {
    let turns = messages.into_iter();
    turns.filter(|turn| turn.role == Role::User).collect()
}

/// Splits a conversation at its answers. One that begins with the user's turn repeats the item's
/// turns, which are left out; in others the user's turns are the conversation's own.
fn split_answers(turns: TurnsFound) -> Vec<Answer> {
    let mut messages = turns.into_messages();
    if !messages.first().is_some_and(is_answer) {
        messages.retain(is_answer);
    }
    group_by_answer(messages)
}

/// Returns each answer with the messages since the one before it.
fn group_by_answer(messages: Vec<Message>) -> Vec<Answer> {
    let (mut answers, mut before) = (Vec::new(), Vec::new());
    for turn in messages {
        if is_answer(&turn) {
            answers.push(Answer {
                before: std::mem::take(&mut before),
                text: turn.content,
            });
        } else {
            before.push(turn);
        }
    }
    answers
}

fn is_answer(turn: &Message) -> bool {
    turn.role == Role::Assistant
}

impl TurnsFound {
    /// Returns the turns of a system as messages.
    fn into_messages(self) -> Vec<Message> {
        match self {
            TurnsFound::Texts(texts) => texts.into_iter().map(assistant_turn).collect(),
            TurnsFound::Messages(messages) => messages,
        }
    }
}

fn text_output(text: String) -> SystemOutput {
    SystemOutput {
        output: text,
        ..SystemOutput::default()
    }
}

fn list_messages(answers: impl Iterator<Item = Answer>) -> Vec<Message> {
    answers
        .flat_map(|answer| {
            let own = assistant_turn(answer.text);
            answer.before.into_iter().chain([own])
        })
        .collect()
}

fn assistant_turn(text: String) -> Message {
    Message {
        role: Role::Assistant,
        content: text,
    }
}
