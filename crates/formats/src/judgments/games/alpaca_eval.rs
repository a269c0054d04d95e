//! AlpacaEval: which of a reference's and a system's outputs an annotator preferred.

use super::super::alpaca_eval::preference_weights;
use super::super::judgment_row::JudgmentRow;
use super::{Error, JudgeOutput, JudgmentLine, LineSink, RecordedGame, ShownPair, UNPARSED};
use crate::records::name_of_text;
use serde_json::Value;

/// Reads a record of `annotations.json`. The item is its instruction.
pub(super) fn read_annotation(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = name_of_text(row.required_text("instruction")?);
    let systems = [
        row.required_name("generator_1")?,
        row.required_name("generator_2")?,
    ];
    hand_over(row, item, systems, sink)
}

/// Reads a record without the texts: the reference is output 1.
pub(super) fn read_preference(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = row.required_name("instruction_id")?;
    let systems = [row.required_name("reference")?, row.required_name("model")?];
    hand_over(row, item, systems, sink)
}

/// Hands a preference over. The order in which the outputs were shown is not kept.
fn hand_over(
    row: JudgmentRow<'_>,
    item: String,
    systems: [String; 2],
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let game = RecordedGame {
        item,
        shown: ShownPair::Unordered(systems),
        said: read_shares(row)?,
        recorded: None,
    };
    sink(JudgmentLine::Game(game), row.place)
}

fn read_shares(row: JudgmentRow<'_>) -> Result<JudgeOutput<'static>, Error> {
    let Some(preference) = row.nullable_number("preference")? else {
        return Ok(JudgeOutput::Nothing(UNPARSED));
    };
    match preference_weights(preference) {
        Some(shares) => Ok(JudgeOutput::Shares(shares)),
        None => {
            let expected = "a number from 1 to 2, or 0";
            Err(row.wrong_value("preference", expected, &Value::from(preference)))
        }
    }
}
