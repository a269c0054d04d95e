//! AlpacaEval: which of a reference's and a system's outputs an annotator preferred.
//!
//! `preference` is 1 where output 1 (the reference's) won and 2 where output 2 did; between them,
//! `preference - 1` is the probability that output 2 is better; 1.5 is a draw, and so is 0.

use super::UNPARSED;
use super::builder::{JudgedPair, RecordReader};
use super::games::{JudgeOutput, LineReader, ShownPair};
use super::verdicts::RecordedComparison;
use crate::error::Result;
use evenhand_core::name_of_text;

const PREFERENCE: &str = "a number from 1 (the first) to 2 (the second), or 0 for a draw";
/// The preference that a line of a judge's output is expected to hold.
const LINE_PREFERENCE: &str = "a number from 1 to 2, or 0";

impl RecordReader<'_> {
    /// Reads a record of `annotations.json`. The item is its instruction.
    pub(super) fn read_annotation(&mut self) -> Result {
        let row = self.row;
        let item = name_of_text(row.required_text("instruction")?);
        let pair = self.number_pair_in(item, ["generator_1", "generator_2"])?;
        self.add_judge_in(&pair.systems(), "annotator")?;
        // The lengths are counted in the texts.
        let lengths = ["output_1", "output_2"].map(|field| row.text_length(field));
        self.add_preference(
            pair,
            lengths.map(|length| length.map(|length| length as f64)),
        )
    }

    /// Reads a record without the texts: the reference is output 1.
    pub(super) fn read_preference(&mut self) -> Result {
        let item = self.row.required_name("instruction_id")?;
        let pair = self.number_pair_in(item, ["reference", "model"])?;
        self.add_judge_in(&pair.systems(), "annotator")?;
        let lengths = [
            self.row.optional_number("len_output_1")?,
            self.row.optional_number("len_output_2")?,
        ];
        self.add_preference(pair, lengths)
    }

    fn add_preference(
        &mut self,
        pair: JudgedPair,
        [length_a, length_b]: [Option<f64>; 2],
    ) -> Result {
        let Some(preference) = self.row.nullable_number("preference")? else {
            self.builder.add_failure(UNPARSED);
            return Ok(());
        };
        let Some(weights) = preference_weights(preference) else {
            let found = format!("`{preference}`");
            return Err(self.row.wrong_type("preference", PREFERENCE, found));
        };
        self.builder.add_comparison(RecordedComparison {
            length_a,
            length_b,
            ..pair.weighted(weights)
        });
        Ok(())
    }
}

impl LineReader<'_, '_> {
    /// Reads a record of `annotations.json`. The item is its instruction.
    pub(super) fn read_annotation(&mut self) -> Result {
        let item = name_of_text(self.row.required_text("instruction")?);
        self.read_preferred(item, ["generator_1", "generator_2"])
    }

    /// Reads a record without the texts: the reference is output 1.
    pub(super) fn read_preference(&mut self) -> Result {
        let item = self.row.required_name("instruction_id")?;
        self.read_preferred(item, ["reference", "model"])
    }

    /// Reads a preference. The order in which the outputs were shown is not kept.
    fn read_preferred(&mut self, item: String, system_fields: [&str; 2]) -> Result {
        let systems = self.row.required_names(system_fields)?;
        let said = match self.row.nullable_number("preference")? {
            None => JudgeOutput::Nothing(UNPARSED),
            Some(preference) => match preference_weights(preference) {
                Some(shares) => JudgeOutput::Shares(shares),
                None => {
                    let found = preference.into();
                    return Err(self.row.wrong_value("preference", LINE_PREFERENCE, &found));
                }
            },
        };
        self.give_game(item, ShownPair::Unordered(systems), said, None)
    }
}

/// Returns the weights of "the first is better", a draw and "the second is better".
fn preference_weights(preference: f64) -> Option<[f64; 3]> {
    match preference {
        0.0 | 1.5 => Some([0.0, 1.0, 0.0]),
        1.0..=2.0 => Some([2.0 - preference, 0.0, preference - 1.0]),
        _ => None,
    }
}
