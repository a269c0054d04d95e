//! What a file of records is, and which of its fields is which term.

use super::extract::RecordKind;
use super::fields::Fields;
use super::input::{Input, Shape};
use super::known_formats::{Format, recognise_format};
use super::map::{MOST_OUTPUTS, Mapping};
use super::turn_choice::TurnChoice;
use crate::error::{DataProblem, Place, Result};
use crate::source::json_words::{field_names, hint_at_lists};
use serde_json::Value;

impl Input<'_> {
    /// Returns the format of a file with this first record, if it has a known one, and the mapping
    /// of its fields.
    pub(super) fn find_mapping(
        &self,
        first: &Value,
        tabular: bool,
        place: &Place,
    ) -> Result<(Option<Format>, Mapping)> {
        let (format, mapping) = match self.shape {
            Shape::Mapped(mapping) => match self.own_format(mapping, first, place)? {
                Some(own) => (Some(own), self.mapping_of(own)?),
                None => (None, mapping.clone()),
            },
            Shape::Known(format) => (Some(format), self.mapping_of(format)?),
            Shape::Recognise => self.recognise(first, tabular, place)?,
        };
        let outcomes = self.outcomes.cloned().unwrap_or_default();
        Ok((format, mapping.with_outcomes(outcomes)))
    }

    /// Recognises a file by its first record.
    fn recognise(
        &self,
        first: &Value,
        tabular: bool,
        place: &Place,
    ) -> Result<(Option<Format>, Mapping)> {
        let mut filled = first.clone();
        if tabular {
            // The first answer of a table may be empty.
            let fields = filled.as_object_mut().into_iter();
            let nulls = fields.flat_map(|fields| fields.values_mut());
            nulls
                .filter(|value| value.is_null())
                .for_each(|value| *value = "".into());
        }
        if let Some(format) = recognise_format(first).or_else(|| recognise_format(&filled)) {
            return Ok((Some(format), self.mapping_of(format)?));
        }
        if holds_item_and_responses(&filled) {
            // Every term is the field of its own name.
            let further = (3..=MOST_OUTPUTS).map(|number| format!("output_{number}"));
            let further = further.filter(|name| first.get(name).is_some());
            let further = further.map(|name| format!(",{name}={name}"));
            let map = "instruction=instruction".to_owned() + &further.collect::<String>();
            return Ok((None, Mapping::parse(&map)?));
        }
        Err(DataProblem::Unrecognised {
            has: field_names(first),
            hint: hint_at_lists(first),
            formats: Format::names(),
        }
        .at(place))
    }

    /// Returns the mapping of a known format: with the turns that are read, and with the responses
    /// of votes where they are wanted.
    fn mapping_of(&self, format: Format) -> Result<Mapping> {
        match format {
            Format::Votes if self.votes_hold_answers => format.answers_mapping(),
            _ if self.turn == TurnChoice::First => format.mapping(),
            _ => format.turns_mapping(),
        }
    }

    /// Returns the format of ours that a file is in beside those that a mapping is for: the mapping
    /// names none of its fields, or would make another sort of records of them.
    fn own_format(
        &self,
        mapping: &Mapping,
        first: &Value,
        place: &Place,
    ) -> Result<Option<Format>> {
        let Some(own) = recognise_format(first).filter(|format| format.is_own()) else {
            return Ok(None);
        };
        let is_named = mapping.mapped().any(|mapped| mapped.is_in(first, 0));
        let own_kind = self.record_kind(&own.mapping()?, first, place);
        let is_own = !is_named || self.record_kind(mapping, first, place) != own_kind;
        Ok(is_own.then_some(own))
    }

    /// Returns what a file with this first record holds under a mapping.
    fn record_kind(&self, mapping: &Mapping, first: &Value, place: &Place) -> Option<RecordKind> {
        let fields = Fields {
            record: first,
            position: 0,
            place,
            mapping,
            input: self,
            tabular: false,
            part: self.turn.only_part(),
        };
        fields.record_kind().ok()
    }
}

/// Names the fields that a record of our own may hold, beside `output_N` and `system_N`.
const OWN_NAMES: [&str; 12] = [
    "item",
    "id",
    "instruction",
    "system",
    "output",
    "reference",
    "category",
    "question_id",
    "label",
    "annotator",
    "criteria",
    "constraints",
];

/// Whether a record holds the question beside its answers, and so needs no file of items:
/// `instruction` with `system` and `output`, or with `output_1` and `output_2`. A record with other
/// fields may say more under them, such as who wrote the two, or what belongs to the question.
fn holds_item_and_responses(first: &Value) -> bool {
    let Some(fields) = first.as_object() else {
        return false;
    };
    let is_ours = |name: &String| {
        let number = name
            .strip_prefix("output_")
            .or(name.strip_prefix("system_"));
        let is_numbered = number.is_some_and(|number| number.parse::<u8>().is_ok());
        is_numbered || OWN_NAMES.contains(&name.as_str())
    };
    let has = |name: &str| fields.get(name).is_some_and(Value::is_string);
    let has_responses = has("system") && has("output") || has("output_1") && has("output_2");
    let instruction = fields.get("instruction").and_then(Value::as_str);
    has_responses && instruction.is_some_and(|text| !text.is_empty()) && fields.keys().all(is_ours)
}
