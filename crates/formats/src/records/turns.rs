//! Conversations: the turns of the person in an item, and those of a system in a response.

use super::error::Result;
use super::fields::Fields;
use super::json_words::describe_value;
use super::map::Target;
use super::record::SystemOutput;
use super::trajectories::{TurnsWanted, count_turns, is_trajectory, read_trajectory};
use evenhand_core::{Message, Role};
use serde_json::Value;

const TURNS: &str =
    "turns that are all strings, or all messages {role, content}, one answer at least";

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
        let list = self.mapping.find_list(target, self.record);
        let Some(list) = list else {
            return 1;
        };
        if target != Target::Instruction && is_trajectory(list, self.trajectories) {
            return count_turns(list);
        }
        u32::try_from(count_speakers(list, target)).unwrap_or(u32::MAX)
    }

    /// Reads the answer of a system, with its earlier turns where it is of a conversation.
    pub(super) fn read_turns_of(&self, system: String, target: Target) -> Result<SystemOutput> {
        let list = self.mapping.find_list(target, self.record);
        let Some(list) = list.filter(|list| !list.is_empty()) else {
            let output = self.required_text(target)?;
            return Ok(SystemOutput::new(system, output));
        };
        if is_trajectory(list, self.trajectories) {
            return self.read_trajectory_of(system, target, list);
        }
        let answers = split_answers(self.read_turns(target, list)?);
        let taken = self.part.length_of(answers.len());
        let mut messages = list_messages(answers.into_iter().take(taken));
        let Some(last) = messages.pop() else {
            return Err(self.wrong_type(target, TURNS, "none".to_owned()));
        };
        Ok(SystemOutput {
            system,
            output: last.content,
            whole: self.part.turn.is_none() && !messages.is_empty(),
            earlier: messages,
            ..SystemOutput::default()
        })
    }

    fn read_trajectory_of(
        &self,
        system: String,
        target: Target,
        list: &[Value],
    ) -> Result<SystemOutput> {
        let field = self.mapping.found_name(target, self.record);
        let taken = self.part.length_of(count_turns(list) as usize);
        let wanted = TurnsWanted {
            count: u32::try_from(taken).unwrap_or(u32::MAX),
            whole: self.part.turn.is_none(),
        };
        let read = read_trajectory(list, &field, self.trajectories, wanted);
        let found = read.map_err(|wrong| self.wrong_within(wrong))?;
        Ok(SystemOutput {
            system,
            output: found.text,
            whole: wanted.whole,
            trajectory: Some(found.trajectory),
            hidden_thoughts: found.hidden,
            ..SystemOutput::default()
        })
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
        let target = Target::Reference;
        let Some(list) = self.mapping.find_list(target, self.record) else {
            let is_of_turn = self.part.numbered && self.count_turns(Target::Instruction) > 1;
            return if is_of_turn {
                Ok(None)
            } else {
                self.optional_text(target)
            };
        };
        let taken = match self.part.turn {
            Some(turn) => list.iter().skip(turn as usize - 1).take(1).collect(),
            None => list.iter().collect::<Vec<_>>(),
        };
        let texts = taken.into_iter().filter(|value| !value.is_null());
        let texts: Result<Vec<&str>> = texts.map(|text| self.turn_text(target, text)).collect();
        let joined = texts?.join("\n\n");
        Ok((!joined.is_empty()).then_some(joined))
    }

    fn turn_text<'v>(&self, target: Target, value: &'v Value) -> Result<&'v str> {
        let wrong = || {
            self.wrong_type(
                target,
                TURNS,
                format!("a list with {}", describe_value(value)),
            )
        };
        value.as_str().ok_or_else(wrong)
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
    let role = if target == Target::Instruction {
        "user"
    } else {
        "assistant"
    };
    let speaks = |turn: &&Value| turn.get("role").is_none_or(|found| found == role);
    list.iter().filter(speaks).count()
}

fn keep_user_turns(messages: Vec<Message>) -> Vec<Message> {
    let turns = messages.into_iter();
    turns.filter(|turn| turn.role == Role::User).collect()
}

/// Splits a conversation at its answers. One that begins with the user's turn repeats the item's
/// turns, which are left out; in others the user's turns are the conversation's own.
fn split_answers(turns: TurnsFound) -> Vec<Answer> {
    let messages = match turns {
        TurnsFound::Texts(texts) => texts.into_iter().map(assistant_turn).collect(),
        TurnsFound::Messages(messages) => messages,
    };
    let is_own = messages
        .first()
        .is_some_and(|first| first.role == Role::Assistant);
    let (mut answers, mut before) = (Vec::new(), Vec::new());
    for turn in messages {
        if turn.role == Role::Assistant {
            answers.push(Answer {
                before: std::mem::take(&mut before),
                text: turn.content,
            });
        } else if is_own {
            before.push(turn);
        }
    }
    answers
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
