//! Which of two responses a label prefers.

use super::error::{DataError, DataProblem, Result};
use super::fields::Fields;
use super::map::Target;
use super::record::{Preference, Vote};
use crate::battles::{Outcome, Spelled};
use serde_json::Value;

pub(super) const PREFERENCE: &str = "a preference, or a list of them";

impl Fields<'_> {
    /// Returns one vote for a single label; for a list, one for each that is not null, its
    /// annotator named by position from 1.
    pub(super) fn read_votes(&self, a: &str, b: &str) -> Result<Vec<Vote>> {
        match self.find_value(Target::Label) {
            None => Ok(Vec::new()),
            Some(Value::Array(labels)) => self.read_vote_list(&labels, a, b),
            Some(label) if self.drops(&label) => Ok(Vec::new()),
            Some(label) => self.read_only_vote(&label, a, b),
        }
    }

    /// Whether the user says that this label is left out.
    fn drops(&self, label: &Value) -> bool {
        let word = word_of(label);
        word.is_some_and(|word| self.mapping.outcomes.drops(&word))
    }

    /// Whether the user says that the record's label, which may be none, is left out.
    pub(super) fn drops_label(&self) -> bool {
        let label = self.find(Target::Label).unwrap_or_default();
        label.is_null() && self.mapping.outcomes.drops("") || self.drops(&label)
    }

    fn read_only_vote(&self, label: &Value, a: &str, b: &str) -> Result<Vec<Vote>> {
        Ok(vec![Vote {
            preferred: self.read_preference(label, a, b)?,
            annotator: self.optional_text(Target::Annotator)?,
        }])
    }

    fn read_vote_list(&self, labels: &[Value], a: &str, b: &str) -> Result<Vec<Vote>> {
        let mut votes = Vec::new();
        for (label, number) in labels.iter().zip(1_u32..) {
            if !label.is_null() && !self.drops(label) {
                votes.push(Vote {
                    preferred: self.read_preference(label, a, b)?,
                    annotator: Some(number.to_string()),
                });
            }
        }
        Ok(votes)
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
    fn read_preference(&self, label: &Value, a: &str, b: &str) -> Result<Preference> {
        let word = self.label_word(label)?;
        // What the user says of a word comes first.
        if let Some(own) = self.own_preference(&word) {
            return Ok(own);
        }
        let spelled = self.mapping.outcomes.read_word(&word, [a, b]);
        if self.mapping.foreign && spelled == Spelled::Either {
            return Err(self.preference_or_system(word));
        }
        slot_word(&word)
            .or_else(|| system_slot(&word, a, b))
            .or_else(|| preference_of(spelled))
            .ok_or_else(|| self.unknown_preference(word, a, b))
    }

    fn own_preference(&self, word: &str) -> Option<Preference> {
        let outcomes = &self.mapping.outcomes;
        if outcomes.is_empty() {
            return None;
        }
        // Without the systems' names, which have no say here.
        preference_of(outcomes.read_word(word, ["", ""]))
    }

    fn preference_or_system(&self, found: String) -> DataError {
        let field = self.mapping.field_label(Target::Label);
        DataProblem::PreferenceOrSystem { field, found }.at(self.place)
    }

    fn label_word(&self, label: &Value) -> Result<String> {
        let word = word_of(label);
        word.ok_or_else(|| self.wrong_value(Target::Label, PREFERENCE, label))
    }

    fn unknown_preference(&self, found: String, a: &str, b: &str) -> DataError {
        DataProblem::UnknownPreference {
            field: self.mapping.field_label(Target::Label),
            found,
            a: a.to_owned(),
            b: b.to_owned(),
        }
        .at(self.place)
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
fn slot_word(word: &str) -> Option<Preference> {
    match word {
        "1" | "a" | "A" | "output_1" | "model_1" | "model_a" | "system_a" | "left" | "A>B" => {
            Some(Preference::A)
        }
        "2" | "b" | "B" | "output_2" | "model_2" | "model_b" | "system_b" | "right" | "B>A" => {
            Some(Preference::B)
        }
        "0" | "tie" | "Tie" | "A=B" => Some(Preference::Tie),
        _ => None,
    }
}

/// Returns which of two systems a name prefers, where they differ.
fn system_slot(name: &str, a: &str, b: &str) -> Option<Preference> {
    if a == b {
        None
    } else if name == a {
        Some(Preference::A)
    } else if name == b {
        Some(Preference::B)
    } else {
        None
    }
}

/// Returns the preference of a word that is an outcome.
fn preference_of(spelled: Spelled) -> Option<Preference> {
    match spelled {
        Spelled::Is(outcome) | Spelled::Sign(outcome) => Some(outcome_preference(outcome)),
        Spelled::Either | Spelled::Dropped | Spelled::Unknown => None,
    }
}

/// Returns the preference of an outcome; both bad is a tie.
fn outcome_preference(outcome: Outcome) -> Preference {
    match outcome {
        Outcome::A => Preference::A,
        Outcome::B => Preference::B,
        Outcome::Tie | Outcome::BothBad => Preference::Tie,
    }
}
