//! From a JSON value to a record of ours, by a mapping.

use super::fields::{Fields, NUMBER};
use crate::error::{DataProblem, Result};
use crate::source::json_words::{describe_value, field_names, type_name};

use super::map::Target;
use super::record::{ItemRef, Rating, Record, SystemOutput, Vote};
use super::trajectories::read_content;
use evenhand_core::{Item, Message, Role, Side, name_of_text};
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

const ROLE: &str = "messages with a `role` of `system`, `user` or `assistant`";
const CONTENT: &str = "messages with a `content` that is a string";

/// In bytes; a longer id is a text.
const LONGEST_ID: usize = 200;
const INSTRUCTION: &str = "a string, or a list of messages {role, content}";

impl Fields<'_> {
    /// Returns the kind of records of a file with this first record.
    pub(super) fn record_kind(&self) -> Result<RecordKind> {
        let has_both = |one, other| self.has(one) && self.has(other);
        if has_both(Target::Output1, Target::Output2) {
            Ok(RecordKind::Pairs)
        } else if self.has(Target::Output) {
            Ok(RecordKind::Responses)
        } else if self.has(Target::Label) && has_both(Target::System1, Target::System2) {
            Ok(RecordKind::Labels)
        } else if has_both(Target::Rating, Target::System) {
            Ok(RecordKind::Ratings)
        } else if self.has(Target::Instruction) {
            Ok(RecordKind::Items)
        } else {
            Err(DataProblem::NothingMapped {
                output: self.mapping.field_label(Target::Output),
                instruction: self.mapping.field_label(Target::Instruction),
                label: self.mapping.field_label(Target::Label),
                has: field_names(self.record),
            }
            .at(self.place))
        }
    }

    /// Reads the record as one of this kind.
    pub(crate) fn read_record(&self, kind: RecordKind) -> Result<Record> {
        match kind {
            RecordKind::Items => Ok(Record::Item(self.read_item()?)),
            RecordKind::Responses => {
                let answer = self.read_turns_of(self.system_name()?, Target::Output)?;
                Ok(Record::Response {
                    item: self.read_item_ref()?,
                    answer: self.with_fields(answer, "")?,
                })
            }
            RecordKind::Pairs => self.read_pair(),
            RecordKind::Labels => self.read_label(),
            RecordKind::Ratings => {
                let system = self.required_name(Target::System)?;
                let Some(rating) = self.optional_number(Target::Rating)? else {
                    return Err(self.absent_value(Target::Rating, NUMBER));
                };
                Ok(Record::Rating(Rating {
                    system,
                    rating,
                    ci_low: self.optional_number(Target::CiLow)?,
                    ci_high: self.optional_number(Target::CiHigh)?,
                }))
            }
        }
    }

    fn read_pair(&self) -> Result<Record> {
        if let Some([chosen, rejected]) = self.completions() {
            return self.read_completions(&chosen, &rejected);
        }
        let further = self.mapping.further_outputs();
        if !further.is_empty() {
            return self.read_set(&further);
        }
        let a = self.read_one_of_pair(Target::System1, Target::Output1)?;
        let b = self.read_one_of_pair(Target::System2, Target::Output2)?;
        let votes = self.read_votes(&a.system, &b.system)?;
        Ok(Record::Pair {
            item: self.read_item_ref()?,
            a: self.with_fields(a, "_1")?,
            b: self.with_fields(b, "_2")?,
            votes,
        })
    }

    /// Reads a response of several; its system may be known only by its position.
    fn read_one_of_pair(&self, system: Target, output: Target) -> Result<SystemOutput> {
        let is_asked_for = self.mapping.lenient && self.mapping.mentions(system);
        let system = if is_asked_for || self.find_value(system).is_some() {
            self.required_name(system)?
        } else {
            output.name().into_owned()
        };
        self.read_turns_of(system, output)
    }

    /// Returns the texts of chosen and of rejected completions, where a record lists them, as
    /// RewardBench 2 does (Malik et al. 2025): they are whole responses, and no turns.
    fn completions(&self) -> Option<[Vec<String>; 2]> {
        if !self.mapping.lists_are_completions {
            return None;
        }
        let texts = |target| match self.find(target)? {
            Value::String(text) => Some(vec![text]),
            Value::Array(list) => {
                let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
                let texts: Option<Vec<String>> = texts.collect();
                texts.filter(|texts| !texts.is_empty())
            }
            _ => None,
        };
        let is_list = |target| self.mapping.find_list(target, self.record).is_some();
        let listed = is_list(Target::Output1) || is_list(Target::Output2);
        Some([texts(Target::Output1)?, texts(Target::Output2)?]).filter(|_| listed)
    }

    /// Reads completions, each chosen one of which is better than each rejected one.
    fn read_completions(&self, chosen: &[String], rejected: &[String]) -> Result<Record> {
        let mut answers: Vec<SystemOutput> = Vec::new();
        let mut add = |texts: &[String], name: &str| {
            let mut places = Vec::new();
            for (text, number) in texts.iter().zip(1_usize..) {
                let system = match number {
                    1 => name.to_owned(),
                    _ => format!("{name}_{number}"),
                };
                places.push(answers.len());
                answers.push(SystemOutput::new(system, text));
            }
            places
        };
        let better = add(chosen, "chosen");
        let worse = add(rejected, "rejected");
        let pairs = better
            .iter()
            .flat_map(|&a| worse.iter().map(move |&b| [a, b]));
        let vote = || Vote {
            preferred: Side::First,
            annotator: None,
            decides: false,
        };
        Ok(Record::Set {
            item: self.read_item_ref()?,
            votes: pairs.map(|pair| (pair, vec![vote()])).collect(),
            answers,
        })
    }

    /// Reads all responses that a record holds, one for each column that was mapped.
    fn read_set(&self, further: &[u8]) -> Result<Record> {
        let a = self.read_one_of_pair(Target::System1, Target::Output1)?;
        let a = self.with_fields(a, "_1")?;
        let b = self.read_one_of_pair(Target::System2, Target::Output2)?;
        let mut answers = vec![a, self.with_fields(b, "_2")?];
        for &number in further {
            let (system, output) = (Target::FurtherSystem(number), Target::FurtherOutput(number));
            let answer = self.read_one_of_pair(system, output)?;
            answers.push(self.with_fields(answer, &format!("_{number}"))?);
        }
        let votes = self.read_votes(&answers[0].system, &answers[1].system)?;
        if !votes.is_empty() {
            return Err(DataProblem::LabelOfMany.at(self.place));
        }
        Ok(Record::Set {
            item: self.read_item_ref()?,
            answers,
            votes: Vec::new(),
        })
    }

    pub(super) fn read_item_ref(&self) -> Result<ItemRef> {
        if self.has(Target::Instruction) {
            Ok(ItemRef::Inline(Box::new(self.read_item()?)))
        } else {
            Ok(ItemRef::Id(self.part.item_id(&self.item_id()?)))
        }
    }

    fn read_item(&self) -> Result<Item> {
        // An item that the record holds may have no id.
        let name = if self.mapping.mentions(Target::Item) {
            self.item_id()?
        } else {
            self.optional_text(Target::Item)?.unwrap_or_default()
        };
        let id = self.part.item_id(&name);
        let messages = self.read_messages()?;
        let reference = self.read_reference()?;
        let category = self.optional_text(Target::Category)?;
        let question = self.optional_text(Target::Question)?.map(shorten_id);
        Ok(Item {
            id,
            messages,
            reference,
            category,
            // One that is named by its question needs no other name for it; the turns of a
            // conversation are named by theirs.
            question: match self.part.numbered {
                true => question.or((!name.is_empty()).then_some(name)),
                false => question.filter(|question| *question != name),
            },
            constraints: self.find_value(Target::Constraints),
            criteria: self.read_criteria()?,
            turn: self.part.number(),
            fields: self.item_fields()?,
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
        match self.input.default_system {
            Some(system) => Ok(system.to_owned()),
            None => Err(DataProblem::NoSystemName.at(self.place)),
        }
    }

    fn read_messages(&self) -> Result<Vec<Message>> {
        match self.require(Target::Instruction, INSTRUCTION)? {
            Value::String(instruction) => Ok(vec![Message::user(instruction)]),
            Value::Array(turns) if !turns.is_empty() => {
                // Texts are the person's turns.
                if self.mapping.complete || turns.iter().all(Value::is_string) {
                    return self.read_user_turns(Target::Instruction, &turns);
                }
                // The last message is the one that the systems answered.
                let messages = self.read_message_list(Target::Instruction, &turns)?;
                if messages.last().is_some_and(|last| last.role == Role::User) {
                    return Ok(messages);
                }
                let expected = "a last message with the role `user`, which the systems answered";
                Err(self.wrong_type(Target::Instruction, expected, "another role".to_owned()))
            }
            other => Err(self.wrong_value(Target::Instruction, INSTRUCTION, &other)),
        }
    }

    pub(super) fn read_message_list(&self, target: Target, list: &[Value]) -> Result<Vec<Message>> {
        let messages = list.iter().enumerate();
        messages
            .map(|(at, turn)| self.read_message(target, turn, at))
            .collect()
    }

    fn read_message(&self, target: Target, turn: &Value, at: usize) -> Result<Message> {
        let role = match turn.get("role").and_then(Value::as_str) {
            Some("system") => Role::System,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => return Err(self.wrong_type(target, ROLE, describe_part(turn, "role"))),
        };
        let content = match turn.get("content") {
            Some(Value::String(text)) => text.clone(),
            // Of a list of parts the texts are read.
            Some(parts @ Value::Array(_)) => {
                let field = self.mapping.found_name(target, self.record);
                let read = read_content(parts, &format!("{field}.{at}.content"));
                read.map_err(|wrong| self.wrong_within(wrong))?
            }
            _ => return Err(self.wrong_type(target, CONTENT, describe_part(turn, "content"))),
        };
        Ok(Message { role, content })
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
