//! AlpacaEval: which of a reference's and a system's outputs an annotator preferred.
//!
//! `preference` is 1 where output 1 (the reference's) won and 2 where output 2 did; between them,
//! `preference - 1` is the probability that output 2 is better; 1.5 is a draw, and so is 0.

use super::Error;
use super::builder::{Builder, JudgedPair};
use super::judgment_row::JudgmentRow;
use super::verdicts::RecordedComparison;
use crate::records::name_of_text;

const PREFERENCE: &str = "a number from 1 (the first) to 2 (the second), or 0 for a draw";

/// Reads a record of `annotations.json`. The item is its instruction.
pub(super) fn read_annotation(row: JudgmentRow<'_>, builder: &mut Builder) -> Result<(), Error> {
    let item = name_of_text(row.required_text("instruction")?);
    let systems = [
        row.required_name("generator_1")?,
        row.required_name("generator_2")?,
    ];
    let pair = builder.number_pair(item, systems, row.place)?;
    builder.add_judge(row.optional_name("annotator")?);
    let lengths = [text_length(row, "output_1"), text_length(row, "output_2")];
    add_preference(row, pair, lengths, builder)
}

/// Reads a record without the texts: the reference is output 1.
pub(super) fn read_preference(row: JudgmentRow<'_>, builder: &mut Builder) -> Result<(), Error> {
    let item = row.required_name("instruction_id")?;
    let systems = [row.required_name("reference")?, row.required_name("model")?];
    let pair = builder.number_pair(item, systems, row.place)?;
    builder.add_judge(row.optional_name("annotator")?);
    let lengths = [
        row.optional_number("len_output_1")?,
        row.optional_number("len_output_2")?,
    ];
    add_preference(row, pair, lengths, builder)
}

fn add_preference(
    row: JudgmentRow<'_>,
    pair: JudgedPair,
    [length_a, length_b]: [Option<f64>; 2],
    builder: &mut Builder,
) -> Result<(), Error> {
    let Some(preference) = row.nullable_number("preference")? else {
        builder.add_failure(super::UNPARSED);
        return Ok(());
    };
    let weights = preference_weights(preference);
    let weights = weights
        .ok_or_else(|| row.wrong_type("preference", PREFERENCE, format!("`{preference}`")))?;
    builder.add_comparison(RecordedComparison {
        length_a,
        length_b,
        ..pair.weighted(weights)
    });
    Ok(())
}

/// Returns the weights of "the first is better", a draw and "the second is better".
pub(super) fn preference_weights(preference: f64) -> Option<[f64; 3]> {
    match preference {
        0.0 | 1.5 => Some([0.0, 1.0, 0.0]),
        1.0..=2.0 => Some([2.0 - preference, 0.0, preference - 1.0]),
        _ => None,
    }
}

/// Returns the length of a text in characters, where the record has it.
fn text_length(row: JudgmentRow<'_>, field: &str) -> Option<f64> {
    let text = row.find_text(field)?;
    Some(text.chars().count() as f64)
}
