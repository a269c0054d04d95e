//! Auto-J (Li et al. 2024): pairs with a person's label, and a judge's verdicts on them in both
//! orders.

use super::super::row::Row;
use super::super::{Error, unknown};
use super::{Game, Line, LineSink, PairLabel, Said, Shown};
use crate::records::Preference;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "0 for the first response, 1 for the second or 2 for a tie";
const VERDICT: &str =
    "0 for the response shown first, 1 for the one shown second, 2 for a tie, or null";

/// A pair with its label; the scenario is its part of the input set.
pub(super) fn pair(row: Row<'_>, position: u64, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let preferred = match side(row, "label", LABEL)? {
        Some(Side::First) => Preference::A,
        Some(Side::Second) => Preference::B,
        Some(Side::Tie) => Preference::Tie,
        None => return Err(unknown(row, "label", &Value::Null, LABEL)),
    };
    let length =
        |field| Some(u32::try_from(row.find(field)?.as_str()?.chars().count()).unwrap_or(u32::MAX));
    let lengths = length("response 1")
        .zip(length("response 2"))
        .map(|(a, b)| [a, b]);
    let (item, category) = (item(row, position)?, row.name_if_given("scenario")?);
    let label = PairLabel {
        item,
        cluster: None,
        category,
        systems: None,
        lengths,
        preferred: vec![preferred],
    };
    sink(Line::Label(label), row.place)
}

/// Two verdicts, each in terms of what was shown first and second.
pub(super) fn verdicts(row: Row<'_>, position: u64, sink: &mut LineSink<'_>) -> Result<(), Error> {
    for (field, shown) in [
        ("verdict_order_12", Shown::Forward),
        ("verdict_order_21", Shown::Swapped),
    ] {
        let recorded = side(row, field, VERDICT)?;
        let (item, said): (_, Said<'_>) = (item(row, position)?, super::mt_bench::shares(recorded));
        sink(
            Line::Game(Game {
                item,
                shown,
                said,
                recorded: None,
            }),
            row.place,
        )?;
    }
    Ok(())
}

/// The record's number in its file, where it has no index.
fn item(row: Row<'_>, position: u64) -> Result<String, Error> {
    Ok(row
        .name_if_given("index")?
        .unwrap_or_else(|| position.to_string()))
}

fn side(row: Row<'_>, field: &str, expected: &'static str) -> Result<Option<Side>, Error> {
    let found = row.need(field, expected)?;
    let number = found
        .as_str()
        .map_or_else(|| found.as_f64(), |text| text.trim().parse().ok());
    match number {
        Some(0.0) => Ok(Some(Side::First)),
        Some(1.0) => Ok(Some(Side::Second)),
        Some(2.0) => Ok(Some(Side::Tie)),
        None if found.is_null() => Ok(None),
        _ => Err(unknown(row, field, found, expected)),
    }
}
