//! AlpacaEval: which of a reference's and a system's outputs an annotator preferred.
//!
//! `preference` is 1 where output 1 (the reference's) won and 2 where output 2 did; between them,
//! `preference - 1` is the probability that output 2 is better; 1.5 is a draw, and so is 0.

use super::builder::{Builder, Pair};
use super::row::Row;
use super::{Compared, Error, UNPARSED};
use crate::records::name_of_text;
use serde_json::Value;

const PREFERENCE: &str = "a number from 1 (the first) to 2 (the second), or 0 for a draw";

/// A record of `annotations.json`. The item is its instruction.
pub(super) fn annotation(row: Row<'_>, builder: &mut Builder) -> Result<(), Error> {
    let item = name_of_text(row.text("instruction")?);
    let pair = builder.pair(
        item,
        row.name("generator_1")?,
        row.name("generator_2")?,
        row.place,
    )?;
    builder.judge(row.name_if_given("annotator")?);
    add(
        row,
        pair,
        [length(row, "output_1"), length(row, "output_2")],
        builder,
    )
}

/// A record without the texts: the reference is output 1.
pub(super) fn preference(row: Row<'_>, builder: &mut Builder) -> Result<(), Error> {
    let pair = builder.pair(
        row.name("instruction_id")?,
        row.name("reference")?,
        row.name("model")?,
        row.place,
    )?;
    builder.judge(row.name_if_given("annotator")?);
    add(
        row,
        pair,
        [
            row.number_if_given("len_output_1")?,
            row.number_if_given("len_output_2")?,
        ],
        builder,
    )
}

fn add(
    row: Row<'_>,
    pair: Pair,
    lengths: [Option<f64>; 2],
    builder: &mut Builder,
) -> Result<(), Error> {
    let Some(preference) = row.number("preference")? else {
        builder.fail(UNPARSED);
        return Ok(());
    };
    let [length_a, length_b] = lengths;
    let [wins_a, ties, wins_b] = weights(preference)
        .ok_or_else(|| row.wrong("preference", PREFERENCE, format!("`{preference}`")))?;
    builder.compare(Compared {
        wins_a,
        ties,
        wins_b,
        length_a,
        length_b,
        ..pair.verdict()
    });
    Ok(())
}

/// (first, draw, second).
pub(super) fn weights(preference: f64) -> Option<[f64; 3]> {
    match preference {
        0.0 | 1.5 => Some([0.0, 1.0, 0.0]),
        1.0..=2.0 => Some([2.0 - preference, 0.0, preference - 1.0]),
        _ => None,
    }
}

/// In characters.
fn length(row: Row<'_>, field: &str) -> Option<f64> {
    row.find(field)
        .and_then(Value::as_str)
        .map(|text| text.chars().count() as f64)
}
