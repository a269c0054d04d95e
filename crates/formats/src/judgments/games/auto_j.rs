//! Auto-J (Li et al. 2024): pairs with a person's label, and a judge's verdicts on them in both
//! orders.

use super::super::judgment_row::JudgmentRow;
use super::{
    Error, JudgmentLine, LineSink, PairLabel, RecordedGame, ShownPair, response_lengths,
    verdict_shares,
};
use crate::records::Preference;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "0 for the first response, 1 for the second or 2 for a tie";
const VERDICT: &str =
    "0 for the response shown first, 1 for the one shown second, 2 for a tie, or null";

/// Reads a pair with its label; the scenario is its part of the input set.
pub(super) fn read_pair(
    row: JudgmentRow<'_>,
    position: u64,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let preferred = match read_side(row, "label", LABEL)? {
        Some(Side::First) => Preference::A,
        Some(Side::Second) => Preference::B,
        Some(Side::Tie) => Preference::Tie,
        None => return Err(row.unknown_word("label", &Value::Null, LABEL)),
    };
    let label = PairLabel {
        item: item_name(row, position)?,
        cluster: None,
        category: row.optional_name("scenario")?,
        systems: None,
        lengths: response_lengths(row, ["response 1", "response 2"]),
        preferred: vec![preferred],
    };
    sink(JudgmentLine::Label(label), row.place)
}

/// Reads two verdicts, each in terms of what was shown first and second.
pub(super) fn read_verdicts(
    row: JudgmentRow<'_>,
    position: u64,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let orders = [
        ("verdict_order_12", ShownPair::Forward),
        ("verdict_order_21", ShownPair::Swapped),
    ];
    for (field, shown) in orders {
        let verdict = read_side(row, field, VERDICT)?;
        let game = RecordedGame {
            item: item_name(row, position)?,
            shown,
            said: verdict_shares(verdict),
            recorded: None,
        };
        sink(JudgmentLine::Game(game), row.place)?;
    }
    Ok(())
}

/// Returns the record's index, or its number in its file where it has none.
fn item_name(row: JudgmentRow<'_>, position: u64) -> Result<String, Error> {
    let index = row.optional_name("index")?;
    Ok(index.unwrap_or_else(|| position.to_string()))
}

fn read_side(
    row: JudgmentRow<'_>,
    field: &str,
    expected: &'static str,
) -> Result<Option<Side>, Error> {
    let found = row.require(field, expected)?;
    let number = match found.as_str() {
        Some(text) => text.trim().parse().ok(),
        None => found.as_f64(),
    };
    match number {
        Some(0.0) => Ok(Some(Side::First)),
        Some(1.0) => Ok(Some(Side::Second)),
        Some(2.0) => Ok(Some(Side::Tie)),
        None if found.is_null() => Ok(None),
        _ => Err(row.unknown_word(field, found, expected)),
    }
}
