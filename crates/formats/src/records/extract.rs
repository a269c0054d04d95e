//! From a JSON value to a record of ours, by a mapping.

use super::error::{DataError, Place, Problem};
use super::map::{Mapping, Target};
use super::record::{Answer, ItemRef, Preference, Rating, Record, Vote};
use super::zeros::Zeros;
use crate::battles::{Outcome, Spelled};
use evenhand_core::{Item, Message, Role};
use serde_json::Value;

/// What the records of a file are. The first record decides, and the others are held to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
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
const TEXT: &str = "a string";
const NAME: &str = "a non-empty string or a whole number";
const NUMBER: &str = "a number";
const INSTRUCTION: &str = "a string, or a list of messages {role, content}";
const PREFERENCE: &str = "a preference, or a list of them";

/// One record under its mapping.
pub(crate) struct Fields<'a> {
    pub(crate) record: &'a Value,
    /// From 0, in its file.
    pub(crate) position: u64,
    pub(crate) place: &'a Place,
    pub(crate) mapping: &'a Mapping,
    pub(crate) default_system: Option<&'a str>,
    /// Whether the file is CSV: null is then a cell without anything in it.
    pub(crate) tabular: bool,
}

impl Fields<'_> {
    /// What a file with this first record holds.
    pub(super) fn kind(&self) -> Result<Kind, DataError> {
        let has = |target| self.find(target).is_some();
        if has(Target::Output1) && has(Target::Output2) {
            Ok(Kind::Pairs)
        } else if has(Target::Output) {
            Ok(Kind::Responses)
        } else if has(Target::Label) && has(Target::System1) && has(Target::System2) {
            Ok(Kind::Labels)
        } else if has(Target::Rating) && has(Target::System) {
            Ok(Kind::Ratings)
        } else if has(Target::Instruction) {
            Ok(Kind::Items)
        } else {
            Err(self.nothing_mapped())
        }
    }

    /// The record, as one of this kind.
    pub(crate) fn read(&self, kind: Kind) -> Result<Record, DataError> {
        match kind {
            Kind::Items => Ok(Record::Item(self.item()?)),
            Kind::Responses => self.response(),
            Kind::Pairs => self.pair(),
            Kind::Labels => self.label(),
            Kind::Ratings => self.rating(),
        }
    }

    fn response(&self) -> Result<Record, DataError> {
        Ok(Record::Response {
            item: self.item_ref()?,
            answer: Answer {
                system: self.system()?,
                output: self.text(Target::Output)?,
            },
        })
    }

    fn pair(&self) -> Result<Record, DataError> {
        let a = Answer {
            system: self.one_of_two(Target::System1, "output_1")?,
            output: self.text(Target::Output1)?,
        };
        let b = Answer {
            system: self.one_of_two(Target::System2, "output_2")?,
            output: self.text(Target::Output2)?,
        };
        let votes = self.votes(&a.system, &b.system)?;
        Ok(Record::Pair {
            item: self.item_ref()?,
            a,
            b,
            votes,
        })
    }

    fn label(&self) -> Result<Record, DataError> {
        let (a, b) = (self.name(Target::System1)?, self.name(Target::System2)?);
        let votes = self.votes(&a, &b)?;
        if votes.is_empty() {
            return Err(self.absent(Target::Label, PREFERENCE));
        }
        Ok(Record::Label {
            item: self.item_ref()?,
            a,
            b,
            votes,
        })
    }

    fn rating(&self) -> Result<Record, DataError> {
        Ok(Record::Rating(Rating {
            system: self.name(Target::System)?,
            rating: self
                .number(Target::Rating)?
                .ok_or_else(|| self.absent(Target::Rating, NUMBER))?,
            ci_low: self.number(Target::CiLow)?,
            ci_high: self.number(Target::CiHigh)?,
        }))
    }

    fn item_ref(&self) -> Result<ItemRef, DataError> {
        match self.find(Target::Instruction) {
            Some(_) => Ok(ItemRef::Inline(Box::new(self.item()?))),
            None => Ok(ItemRef::Id(self.id()?)),
        }
    }

    fn item(&self) -> Result<Item, DataError> {
        let id = if self.mapping.gives(Target::Item) {
            self.id()?
        } else {
            self.word(Target::Item)?.unwrap_or_default()
        };
        // An item that is named by its question needs no other name for it.
        let question = self
            .word(Target::Question)?
            .map(shortened)
            .filter(|question| *question != id);
        Ok(Item {
            id,
            messages: self.messages()?,
            reference: self.word(Target::Reference)?,
            category: self.word(Target::Category)?,
            question,
            constraints: self
                .find(Target::Constraints)
                .filter(|value| !value.is_null()),
        })
    }

    /// An id, which may be made of whole texts.
    fn id(&self) -> Result<String, DataError> {
        self.name(Target::Item).map(shortened)
    }

    fn system(&self) -> Result<String, DataError> {
        if self.mapping.gives(Target::System) || self.find(Target::System).is_some() {
            return self.name(Target::System);
        }
        self.default_system
            .map(str::to_owned)
            .ok_or_else(|| Problem::NoSystemName.at(self.place))
    }

    fn one_of_two(&self, target: Target, default: &str) -> Result<String, DataError> {
        let named = self.find(target).is_some_and(|name| !name.is_null());
        let asked = self.mapping.lenient && self.mapping.gives(target);
        if named || asked {
            self.name(target)
        } else {
            Ok(default.to_owned())
        }
    }

    fn messages(&self) -> Result<Vec<Message>, DataError> {
        match self.need(Target::Instruction, INSTRUCTION)? {
            Value::String(instruction) => Ok(vec![Message::user(instruction)]),
            Value::Array(turns) if !turns.is_empty() => self.conversation(&turns),
            other => Err(self.wrong(Target::Instruction, INSTRUCTION, described(&other))),
        }
    }

    fn conversation(&self, turns: &[Value]) -> Result<Vec<Message>, DataError> {
        let messages = turns
            .iter()
            .map(|turn| self.message(turn))
            .collect::<Result<Vec<_>, _>>()?;
        match messages.last() {
            Some(Message {
                role: Role::User, ..
            }) => Ok(messages),
            _ => {
                let expected = "a last message with the role `user`, which the systems answered";
                Err(self.wrong(Target::Instruction, expected, "another role".to_owned()))
            }
        }
    }

    fn message(&self, turn: &Value) -> Result<Message, DataError> {
        let role = match turn.get("role").and_then(Value::as_str) {
            Some("system") => Role::System,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => {
                let expected = "messages with a `role` of `system`, `user` or `assistant`";
                return Err(self.wrong(Target::Instruction, expected, part(turn, "role")));
            }
        };
        match turn.get("content").and_then(Value::as_str) {
            Some(content) => Ok(Message {
                role,
                content: content.to_owned(),
            }),
            None => Err(self.wrong(
                Target::Instruction,
                "messages with a `content` that is a string",
                part(turn, "content"),
            )),
        }
    }

    /// One vote for a single label; for a list, one for each that is not null, its annotator named
    /// by position from 1.
    fn votes(&self, a: &str, b: &str) -> Result<Vec<Vote>, DataError> {
        match self.find(Target::Label) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(labels)) => self.many_votes(&labels, a, b),
            Some(label) => Ok(vec![Vote {
                preferred: self.preference(&label, a, b)?,
                annotator: self.word(Target::Annotator)?,
            }]),
        }
    }

    /// Notes labels that are numbers, where it is not known what they mean.
    pub(super) fn note_zeros(&self, zeros: &mut Zeros) {
        if self.mapping.foreign && self.mapping.outcomes.is_empty() {
            self.find(Target::Label)
                .iter()
                .for_each(|label| zeros.add(label, self.place));
        }
    }

    fn many_votes(&self, labels: &[Value], a: &str, b: &str) -> Result<Vec<Vote>, DataError> {
        let given = labels
            .iter()
            .zip(1_u32..)
            .filter(|(label, _)| !label.is_null());
        given
            .map(|(label, n)| {
                Ok(Vote {
                    preferred: self.preference(label, a, b)?,
                    annotator: Some(n.to_string()),
                })
            })
            .collect()
    }

    /// A word for a slot is read as the slot; any other is the name of one of the two systems.
    fn preference(&self, label: &Value, a: &str, b: &str) -> Result<Preference, DataError> {
        let word = match label {
            Value::String(word) => word.trim().to_owned(),
            Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
            other => return Err(self.wrong(Target::Label, PREFERENCE, described(other))),
        };
        let spelled = |systems| match self.mapping.outcomes.read(&word, systems) {
            Spelled::Is(outcome) | Spelled::Sign(outcome) => Some(preference(outcome)),
            Spelled::Either | Spelled::Unknown => None,
        };
        if let Some(own) = spelled(["", ""]).filter(|_| !self.mapping.outcomes.is_empty()) {
            return Ok(own);
        }
        if self.mapping.foreign && self.mapping.outcomes.read(&word, [a, b]) == Spelled::Either {
            let field = self.mapping.field(Target::Label);
            return Err(Problem::PreferenceOrSystem { field, found: word }.at(self.place));
        }
        match &word[..] {
            "1" | "a" | "A" | "output_1" | "model_1" | "model_a" | "left" | "A>B" => {
                Ok(Preference::A)
            }
            "2" | "b" | "B" | "output_2" | "model_2" | "model_b" | "right" | "B>A" => {
                Ok(Preference::B)
            }
            "0" | "tie" | "Tie" | "A=B" => Ok(Preference::Tie),
            name if name == a && a != b => Ok(Preference::A),
            name if name == b && a != b => Ok(Preference::B),
            _ => spelled([a, b]).ok_or_else(|| self.unknown_preference(word.clone(), a, b)),
        }
    }

    /// A text that may be absent or null.
    fn word(&self, target: Target) -> Result<Option<String>, DataError> {
        match self.find(target) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Number(number)) if is_whole(&number) => Ok(Some(number.to_string())),
            Some(other) => Err(self.wrong(target, TEXT, described(&other))),
        }
    }

    /// A text that must be there.
    fn text(&self, target: Target) -> Result<String, DataError> {
        match self.need(target, TEXT)? {
            Value::String(text) => Ok(text),
            Value::Null if self.tabular => Ok(String::new()),
            scalar @ (Value::Bool(_) | Value::Number(_)) if self.mapping.lenient => {
                Ok(scalar.to_string())
            }
            other => Err(self.wrong(target, TEXT, described(&other))),
        }
    }

    /// An id or a name; a whole number becomes its decimal string.
    fn name(&self, target: Target) -> Result<String, DataError> {
        match self.need(target, NAME)? {
            Value::String(name) if !name.is_empty() => Ok(name),
            Value::Number(number) if is_whole(&number) => Ok(number.to_string()),
            other => Err(self.wrong(target, NAME, described(&other))),
        }
    }

    /// A finite number that may be absent or null; a string that spells one will do.
    fn number(&self, target: Target) -> Result<Option<f64>, DataError> {
        let number = match self.find(target) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => number.as_f64().ok_or_else(|| number.to_string()),
            Some(Value::String(text)) => text.trim().parse().map_err(|_| format!("`{text}`")),
            Some(other) => Err(described(&other)),
        };
        match number {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            Ok(number) => Err(self.wrong(target, NUMBER, format!("`{number}`"))),
            Err(found) => Err(self.wrong(target, NUMBER, found)),
        }
    }

    fn find(&self, target: Target) -> Option<Value> {
        self.mapping.find(target, self.record, self.position)
    }

    fn need(&self, target: Target, expected: &'static str) -> Result<Value, DataError> {
        self.find(target)
            .ok_or_else(|| self.missing(target, expected))
    }

    fn missing(&self, target: Target, expected: &'static str) -> DataError {
        Problem::MissingField {
            field: self.mapping.field(target),
            expected,
            has: field_names(self.record),
        }
        .at(self.place)
    }

    /// For a value that must be there: it is missing, or it is null.
    fn absent(&self, target: Target, expected: &'static str) -> DataError {
        self.need(target, expected).map_or_else(
            |missing| missing,
            |found| self.wrong(target, expected, described(&found)),
        )
    }

    fn wrong(&self, target: Target, expected: &'static str, found: String) -> DataError {
        let found = if self.tabular && found == "null" {
            "an empty cell".to_owned()
        } else {
            found
        };
        Problem::WrongType {
            field: self.mapping.field(target),
            expected,
            found,
        }
        .at(self.place)
    }

    fn unknown_preference(&self, found: String, a: &str, b: &str) -> DataError {
        let field = self.mapping.field(Target::Label);
        Problem::UnknownPreference {
            field,
            found,
            a: a.to_owned(),
            b: b.to_owned(),
        }
        .at(self.place)
    }

    fn nothing_mapped(&self) -> DataError {
        let field = |target| self.mapping.field(target);
        let (output, instruction, label) = (
            field(Target::Output),
            field(Target::Instruction),
            field(Target::Label),
        );
        let has = field_names(self.record);
        Problem::NothingMapped {
            output,
            instruction,
            label,
            has,
        }
        .at(self.place)
    }
}

/// What an outcome says of the two; both bad is a tie.
fn preference(outcome: Outcome) -> Preference {
    match outcome {
        Outcome::A => Preference::A,
        Outcome::B => Preference::B,
        Outcome::Tie | Outcome::BothBad => Preference::Tie,
    }
}

/// An id; one that is a text is shortened to its digest.
fn shortened(id: String) -> String {
    if id.len() > LONGEST_ID {
        name_of_text(&id)
    } else {
        id
    }
}

/// A name for something that is known by its text only: the same text has the same name in every
/// file.
pub(crate) fn name_of_text(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("text:{}", hash.get(..32).unwrap_or_default())
}

/// The names of a record's fields.
pub(crate) fn field_names(record: &Value) -> Vec<String> {
    record
        .as_object()
        .map(|fields| fields.keys().cloned().collect())
        .unwrap_or_default()
}

/// What kind of thing a value is.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value in the words of an error.
pub(crate) fn described(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::Array(list) if list.is_empty() => "an empty list".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        other => type_of(other).to_owned(),
    }
}

fn part(turn: &Value, name: &str) -> String {
    match turn.get(name) {
        Some(Value::String(text)) => format!("`{text}`"),
        Some(other) => described(other),
        None => format!("none in {}", type_of(turn)),
    }
}

/// Whether it is an integer of 64 bits.
pub(crate) fn is_whole(number: &serde_json::Number) -> bool {
    number.is_i64() || number.is_u64()
}
