//! AlpacaEval: which of a reference's and a system's outputs an annotator preferred.
//!
//! `preference` is 1 where output 1 (the reference's) won and 2 where output 2 did; between them,
//! `preference - 1` is the probability that output 2 is better; 1.5 is a draw, and so is 0.

use super::builder::JudgedPair;
use super::judgment_row::JudgmentRow;
use super::record_reader::RecordReader;
use super::verdicts::RecordedComparison;
use super::{Result, UNPARSED};
use crate::records::name_of_text;

const PREFERENCE: &str = "a number from 1 (the first) to 2 (the second), or 0 for a draw";

impl RecordReader<'_> {
    /// Reads a record of `annotations.json`. The item is its instruction.
    pub(super) fn read_annotation(&mut self) -> Result {
        let row = self.row;
        let item = name_of_text(row.required_text("instruction")?);
        let pair = self.number_pair_in(item, ["generator_1", "generator_2"])?;
        self.add_judge_in(&pair.systems(), "annotator")?;
        self.add_preference(pair, output_lengths(row))
    }

    /// Reads a record without the texts: the reference is output 1.
    pub(super) fn read_preference(&mut self) -> Result {
        let item = self.row.required_name("instruction_id")?;
        let pair = self.number_pair_in(item, ["reference", "model"])?;
        self.add_judge_in(&pair.systems(), "annotator")?;
        let lengths = recorded_lengths(self.row)?;
        self.add_preference(pair, lengths)
    }

    fn add_preference(&mut self, pair: JudgedPair, lengths: [Option<f64>; 2]) -> Result {
        match self.row.nullable_number("preference")? {
            Some(preference) => self.add_preferred(pair, preference, lengths),
            None => {
                self.builder.add_failure(UNPARSED);
                Ok(())
            }
        }
    }

    fn add_preferred(
        &mut self,
        pair: JudgedPair,
        preference: f64,
        [length_a, length_b]: [Option<f64>; 2],
    ) -> Result {
        self.builder.add_comparison(RecordedComparison {
            length_a,
            length_b,
            ..pair.weighted(weigh_preference(self.row, preference)?)
        });
        Ok(())
    }
}

/// Returns the lengths of the outputs, counted in their texts.
fn output_lengths(row: JudgmentRow<'_>) -> [Option<f64>; 2] {
    ["output_1", "output_2"].map(|field| row.text_length(field).map(|length| length as f64))
}

/// Returns the lengths of the outputs as the file gives them.
fn recorded_lengths(row: JudgmentRow<'_>) -> Result<[Option<f64>; 2]> {
    Ok([
        row.optional_number("len_output_1")?,
        row.optional_number("len_output_2")?,
    ])
}

fn weigh_preference(row: JudgmentRow<'_>, preference: f64) -> Result<[f64; 3]> {
    let weights = preference_weights(preference);
    weights.ok_or_else(|| row.wrong_type("preference", PREFERENCE, format!("`{preference}`")))
}

/// Returns the weights of "the first is better", a draw and "the second is better".
pub(super) fn preference_weights(preference: f64) -> Option<[f64; 3]> {
    match preference {
        0.0 | 1.5 => Some([0.0, 1.0, 0.0]),
        1.0..=2.0 => Some([2.0 - preference, 0.0, preference - 1.0]),
        _ => None,
    }
}
