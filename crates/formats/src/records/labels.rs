//! Which of two responses a label prefers.

use super::fields::Fields;
use super::map::Target;
use super::record::{Record, Vote};
use crate::error::{DataProblem, Place, Result};
use crate::outcomes::{BattleOutcome, Spelled, named_system};
use crate::source::json_words::describe_value;
use evenhand_core::Side;
use serde_json::Value;

const PREFERENCE: &str = "a preference, or a list of them";

impl Fields<'_> {
    pub(super) fn read_label(&self) -> Result<Record> {
        let a = self.required_name(Target::System1)?;
        let b = self.required_name(Target::System2)?;
        let votes = self.read_votes(&a, &b)?;
        // The user may say that a label is left out, and that none is.
        let label = self.find(Target::Label).unwrap_or_default();
        let drops = label.is_null() && self.mapping.outcomes.drops("") || self.drops(&label);
        if votes.is_empty() && !drops {
            return Err(self.absent_value(Target::Label, PREFERENCE));
        }
        let item = self.read_item_ref()?;
        Ok(Record::Label { item, a, b, votes })
    }

    /// Returns one vote for a single label; for a list, one for each that is not null, its
    /// annotator named by position from 1.
    pub(super) fn read_votes(&self, a: &str, b: &str) -> Result<Vec<Vote>> {
        let Some(found) = self.find_value(Target::Label) else {
            return Ok(Vec::new());
        };
        let Value::Array(labels) = found else {
            if self.drops(&found) {
                return Ok(Vec::new());
            }
            return Ok(vec![Vote {
                preferred: self.read_preference(&found, a, b)?,
                annotator: self.optional_text(Target::Annotator)?,
                decides: self.reads_a_decision()?,
            }]);
        };
        let mut votes = Vec::new();
        for (label, number) in labels.iter().zip(1_u32..) {
            if !label.is_null() && !self.drops(label) {
                votes.push(Vote {
                    preferred: self.read_preference(label, a, b)?,
                    annotator: Some(number.to_string()),
                    decides: false,
                });
            }
        }
        Ok(votes)
    }

    /// Whether the label decides between others; one that does not say is a vote like them.
    fn reads_a_decision(&self) -> Result<bool> {
        let said = self.record.get("adjudicated").unwrap_or(&Value::Null);
        let word = match said {
            Value::Null => return Ok(false),
            Value::String(word) => word.trim().to_ascii_lowercase(),
            other => other.to_string(),
        };
        match word.as_str() {
            "true" | "yes" | "1" => Ok(true),
            "false" | "no" | "0" | "" => Ok(false),
            _ => Err(DataProblem::WrongType {
                field: "`adjudicated`".into(),
                expected: "true or false",
                found: describe_value(said),
            }
            .at(self.place)),
        }
    }

    /// Whether the user says that this label is left out.
    fn drops(&self, label: &Value) -> bool {
        word_of(label).is_some_and(|word| self.mapping.outcomes.drops(&word))
    }

    /// Returns the label, where numbers among labels have no known meaning.
    pub(super) fn unexplained_label(&self) -> Option<Value> {
        if self.mapping.foreign && self.mapping.outcomes.is_empty() {
            self.find(Target::Label)
        } else {
            None
        }
    }

    /// Reads a word for a slot as the slot; any other is the name of one of the two systems.
    fn read_preference(&self, label: &Value, a: &str, b: &str) -> Result<Side> {
        let Some(found) = word_of(label) else {
            return Err(self.wrong_value(Target::Label, PREFERENCE, label));
        };
        let outcomes = &self.mapping.outcomes;
        // What the user says of a word comes first, and the systems' names have no say there.
        if !outcomes.is_empty()
            && let Some(own) = preference_of(outcomes.read_word(&found, ["", ""]))
        {
            return Ok(own);
        }
        let spelled = outcomes.read_word(&found, [a, b]);
        let field = || self.mapping.field_label(Target::Label);
        if self.mapping.foreign && spelled == Spelled::Either {
            let field = field();
            return Err(DataProblem::SlotOrSystem { field, found }.at(self.place));
        }
        slot_word(&found)
            .or_else(|| named_system(&found, [a, b]).map(BattleOutcome::side))
            .or_else(|| preference_of(spelled))
            .or_else(|| self.side_of_field(&found))
            .ok_or_else(|| {
                DataProblem::UnknownPreference {
                    field: field(),
                    found,
                    a: a.to_owned(),
                    b: b.to_owned(),
                }
                .at(self.place)
            })
    }

    /// Returns the side whose field has this name, as that of its system or of its response: who
    /// writes `model_x` for the winner often means the column.
    fn side_of_field(&self, found: &str) -> Option<Side> {
        let names = |targets: [Target; 2]| {
            let mut targets = targets.into_iter();
            targets.any(|target| self.mapping.found_name(target, self.record) == found)
        };
        match [
            names([Target::System1, Target::Output1]),
            names([Target::System2, Target::Output2]),
        ] {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        }
    }
}

/// Returns the word of a label; of a whole number without its fraction.
fn word_of(label: &Value) -> Option<String> {
    match label {
        Value::String(word) => Some(word.trim().to_owned()),
        Value::Number(number) => Some(number.to_string().trim_end_matches(".0").to_owned()),
        _ => None,
    }
}

/// Returns the preference of a word that means the same in every file.
fn slot_word(word: &str) -> Option<Side> {
    match word {
        "1" | "a" | "A" | "output_1" | "model_1" | "model_a" | "system_a" | "left" | "A>B" => {
            Some(Side::First)
        }
        "2" | "b" | "B" | "output_2" | "model_2" | "model_b" | "system_b" | "right" | "B>A" => {
            Some(Side::Second)
        }
        "0" | "tie" | "Tie" | "A=B" => Some(Side::Tie),
        _ => None,
    }
}

/// Returns the preference of a word that is an outcome.
fn preference_of(spelled: Spelled) -> Option<Side> {
    match spelled {
        Spelled::Is(outcome) | Spelled::Sign(outcome) => Some(outcome.side()),
        Spelled::Either | Spelled::Dropped | Spelled::Unknown => None,
    }
}

/// Which numbers are labels of a file. Beside a 2 or a -1, 0 is a tie; beside 1 alone it may be the
/// second's win.
#[derive(Debug, Default)]
pub(super) struct ZeroLabels {
    first: Option<Place>,
    /// Whether a 2 or a -1 was met.
    explained: bool,
}

impl ZeroLabels {
    /// Notes a label, or a list of them.
    pub(super) fn add_label(&mut self, label: &Value, place: &Place) {
        let number: Option<f64> = match label {
            Value::Array(labels) => {
                for label in labels {
                    self.add_label(label, place);
                }
                return;
            }
            Value::String(word) => word.trim().parse().ok(),
            other => other.as_f64(),
        };
        self.explained |= matches!(number, Some(2.0 | -1.0));
        if number == Some(0.0) {
            self.first.get_or_insert_with(|| place.clone());
        }
    }

    /// Checks that the meaning of 0 is known.
    ///
    /// # Errors
    /// The place of the first 0, where there is neither 2 nor -1.
    pub(super) fn check(self, field: String) -> Result {
        match self.first {
            Some(place) if !self.explained => Err(DataProblem::Zeros { field }.at(&place)),
            _ => Ok(()),
        }
    }
}
