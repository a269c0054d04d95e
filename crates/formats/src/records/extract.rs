//! From a JSON value to a record of ours, by a mapping.

use super::error::{DataError, DataProblem, Result};
use super::fields::{Fields, NUMBER};
use super::json_words::{describe_value, field_names, name_of_text, type_name};
use super::labels::PREFERENCE;
use super::map::Target;
use super::record::{ItemRef, Rating, Record, SystemOutput};
use evenhand_core::{Item, Message, Role};
use serde_json::Value;

/// The kind of records that a file holds. The first record decides, and the others are held to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Items.
    Items,
    /// Responses, with or without their items.
    Responses,
    /// Pairs of responses with their items, with or without labels.
    Pairs,
    /// Labels.
    Labels,
    /// Ratings of systems.
    Ratings,
}

/// In bytes; a longer id is a text.
const LONGEST_ID: usize = 200;
const INSTRUCTION: &str = "a string, or a list of messages {role, content}";

impl Fields<'_> {
    /// Returns the kind of records of a file with this first record.
    pub(super) fn record_kind(&self) -> Result<RecordKind> {
        if self.has(Target::Output1) && self.has(Target::Output2) {
            Ok(RecordKind::Pairs)
        } else if self.has(Target::Output) {
            Ok(RecordKind::Responses)
        } else if self.has(Target::Label) && self.has(Target::System1) && self.has(Target::System2)
        {
            Ok(RecordKind::Labels)
        } else if self.has(Target::Rating) && self.has(Target::System) {
            Ok(RecordKind::Ratings)
        } else if self.has(Target::Instruction) {
            Ok(RecordKind::Items)
        } else {
            Err(self.nothing_mapped())
        }
    }

    /// Reads the record as one of this kind.
    pub(crate) fn read_record(&self, kind: RecordKind) -> Result<Record> {
        match kind {
            RecordKind::Items => Ok(Record::Item(self.read_item()?)),
            RecordKind::Responses => self.read_response(),
            RecordKind::Pairs => self.read_pair(),
            RecordKind::Labels => self.read_label(),
            RecordKind::Ratings => self.read_rating(),
        }
    }

    fn read_response(&self) -> Result<Record> {
        Ok(Record::Response {
            item: self.read_item_ref()?,
            answer: SystemOutput {
                system: self.system_name()?,
                output: self.required_text(Target::Output)?,
            },
        })
    }

    fn read_pair(&self) -> Result<Record> {
        let a = SystemOutput {
            system: self.pair_system(Target::System1, "output_1")?,
            output: self.required_text(Target::Output1)?,
        };
        let b = SystemOutput {
            system: self.pair_system(Target::System2, "output_2")?,
            output: self.required_text(Target::Output2)?,
        };
        let votes = self.read_votes(&a.system, &b.system)?;
        let item = self.read_item_ref()?;
        Ok(Record::Pair { item, a, b, votes })
    }

    fn read_label(&self) -> Result<Record> {
        let a = self.required_name(Target::System1)?;
        let b = self.required_name(Target::System2)?;
        let votes = self.read_votes(&a, &b)?;
        if votes.is_empty() {
            return Err(self.absent_value(Target::Label, PREFERENCE));
        }
        let item = self.read_item_ref()?;
        Ok(Record::Label { item, a, b, votes })
    }

    fn read_rating(&self) -> Result<Record> {
        let system = self.required_name(Target::System)?;
        let rating = self.optional_number(Target::Rating)?;
        Ok(Record::Rating(Rating {
            system,
            rating: rating.ok_or_else(|| self.absent_value(Target::Rating, NUMBER))?,
            ci_low: self.optional_number(Target::CiLow)?,
            ci_high: self.optional_number(Target::CiHigh)?,
        }))
    }

    fn read_item_ref(&self) -> Result<ItemRef> {
        if self.has(Target::Instruction) {
            Ok(ItemRef::Inline(Box::new(self.read_item()?)))
        } else {
            Ok(ItemRef::Id(self.item_id()?))
        }
    }

    fn read_item(&self) -> Result<Item> {
        let id = if self.mapping.mentions(Target::Item) {
            self.item_id()?
        } else {
            self.optional_text(Target::Item)?.unwrap_or_default()
        };
        // An item that is named by its question needs no other name for it.
        let question = self.optional_text(Target::Question)?.map(shorten_id);
        let question = question.filter(|question| *question != id);
        let constraints = self.find(Target::Constraints);
        Ok(Item {
            id,
            messages: self.read_messages()?,
            reference: self.optional_text(Target::Reference)?,
            category: self.optional_text(Target::Category)?,
            question,
            constraints: constraints.filter(|value| !value.is_null()),
        })
    }

    /// Returns the item's id, which may be made of whole texts.
    fn item_id(&self) -> Result<String> {
        self.required_name(Target::Item).map(shorten_id)
    }

    fn system_name(&self) -> Result<String> {
        if self.mapping.mentions(Target::System) || self.has(Target::System) {
            return self.required_name(Target::System);
        }
        let default = self.default_system.map(str::to_owned);
        default.ok_or_else(|| DataProblem::NoSystemName.at(self.place))
    }

    /// Returns the name of a pair's system, which may be known only by its position.
    fn pair_system(&self, target: Target, default: &str) -> Result<String> {
        let is_named = self.find(target).is_some_and(|name| !name.is_null());
        let is_asked_for = self.mapping.lenient && self.mapping.mentions(target);
        if is_named || is_asked_for {
            self.required_name(target)
        } else {
            Ok(default.to_owned())
        }
    }

    fn read_messages(&self) -> Result<Vec<Message>> {
        match self.require(Target::Instruction, INSTRUCTION)? {
            Value::String(instruction) => Ok(vec![Message::user(instruction)]),
            Value::Array(turns) if !turns.is_empty() => self.read_conversation(&turns),
            other => Err(self.wrong_value(Target::Instruction, INSTRUCTION, &other)),
        }
    }

    fn read_conversation(&self, turns: &[Value]) -> Result<Vec<Message>> {
        let messages: Result<Vec<Message>, _> =
            turns.iter().map(|turn| self.read_message(turn)).collect();
        let messages = messages?;
        if messages.last().is_some_and(|last| last.role == Role::User) {
            return Ok(messages);
        }
        let expected = "a last message with the role `user`, which the systems answered";
        Err(self.wrong_type(Target::Instruction, expected, "another role".to_owned()))
    }

    fn read_message(&self, turn: &Value) -> Result<Message> {
        let role = match turn.get("role").and_then(Value::as_str) {
            Some("system") => Role::System,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => {
                let expected = "messages with a `role` of `system`, `user` or `assistant`";
                let found = describe_part(turn, "role");
                return Err(self.wrong_type(Target::Instruction, expected, found));
            }
        };
        let content = turn.get("content").and_then(Value::as_str);
        let content = content.ok_or_else(|| {
            let expected = "messages with a `content` that is a string";
            self.wrong_type(
                Target::Instruction,
                expected,
                describe_part(turn, "content"),
            )
        })?;
        Ok(Message {
            role,
            content: content.to_owned(),
        })
    }

    fn nothing_mapped(&self) -> DataError {
        DataProblem::NothingMapped {
            output: self.mapping.field_label(Target::Output),
            instruction: self.mapping.field_label(Target::Instruction),
            label: self.mapping.field_label(Target::Label),
            has: field_names(self.record),
        }
        .at(self.place)
    }
}

/// Shortens an id that is a text to its digest.
fn shorten_id(id: String) -> String {
    if id.len() > LONGEST_ID {
        name_of_text(&id)
    } else {
        id
    }
}

fn describe_part(turn: &Value, name: &str) -> String {
    match turn.get(name) {
        Some(Value::String(text)) => format!("`{text}`"),
        Some(other) => describe_value(other),
        None => format!("none in {}", type_name(turn)),
    }
}
