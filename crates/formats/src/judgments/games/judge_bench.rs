//! JudgeBench (Tan et al. 2024): a judge's two games on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::row::Row;
use super::{Error, Game, Line, LineSink, PairLabel, Said, Shown};
use crate::records::Preference;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "`A>B` or `B>A`";
const DECISION: &str = "`A>B`, `B>A`, `A=B` or null";

/// A record: the pair's label, and a game in each order. A decision speaks of the slots.
pub(super) fn record(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = row.name("pair_id")?;
    sink(Line::Label(label(row, item.clone())?), row.place)?;
    for (at, shown) in [Shown::Forward, Shown::Swapped].into_iter().enumerate() {
        let Some(game) = game_at(row, at).filter(|game| !game.is_null()) else {
            continue;
        };
        let recorded = decision(row, game.get("decision").unwrap_or(&Value::Null))?;
        let said = said(row, game, recorded);
        sink(
            Line::Game(Game {
                item: item.clone(),
                shown,
                said,
                recorded: Some(recorded),
            }),
            row.place,
        )?;
    }
    Ok(())
}

fn label(row: Row<'_>, item: String) -> Result<PairLabel, Error> {
    let preferred = match row.text("label")? {
        "A>B" => Preference::A,
        "B>A" => Preference::B,
        _ => {
            return Err(super::super::unknown(
                row,
                "label",
                row.need("label", LABEL)?,
                LABEL,
            ));
        }
    };
    let length =
        |field| Some(u32::try_from(row.find(field)?.as_str()?.chars().count()).unwrap_or(u32::MAX));
    let lengths = length("response_A")
        .zip(length("response_B"))
        .map(|(a, b)| [a, b]);
    let category = row.name_if_given("source")?;
    Ok(PairLabel {
        item,
        cluster: None,
        category,
        systems: None,
        lengths,
        preferred: vec![preferred],
    })
}

fn game_at(row: Row<'_>, at: usize) -> Option<&Value> {
    match row.find("judgments") {
        Some(judgments) => judgments.get(at),
        None => row.record.get(if at == 0 { "game_1" } else { "game_2" }),
    }
}

/// A reward model has scores and no text.
fn said<'a>(row: Row<'a>, game: &'a Value, recorded: Option<Side>) -> Said<'a> {
    let reply = game
        .get("judgment")
        .and_then(|judgment| judgment.get("response"))
        .or_else(|| game.get("response"));
    match (reply.and_then(Value::as_str), recorded) {
        (Some(text), _) => Said::Text(text, notation(row)),
        (None, Some(Side::First)) => Said::Shares([1.0, 0.0, 0.0]),
        (None, Some(Side::Tie)) => Said::Shares([0.0, 1.0, 0.0]),
        (None, Some(Side::Second)) => Said::Shares([0.0, 0.0, 1.0]),
        (None, None) => Said::Nothing(super::super::UNPARSED),
    }
}

/// The notation that each of the tool's judges is asked for.
fn notation(row: Row<'_>) -> Option<&'static str> {
    match row.find("judge_name").and_then(Value::as_str) {
        Some("vanilla") => Some("output-letter"),
        Some("prometheus_2") => Some("result-letter"),
        Some("auto_j") => Some("final-decision"),
        Some("skywork_critic") => Some("bracketed-letter"),
        // Their normalised form does not say which; this is the tool's usual one.
        _ => Some("bracketed-strength"),
    }
}

fn decision(row: Row<'_>, found: &Value) -> Result<Option<Side>, Error> {
    match found.as_str() {
        Some("A>B") => Ok(Some(Side::First)),
        Some("B>A") => Ok(Some(Side::Second)),
        Some("A=B") => Ok(Some(Side::Tie)),
        None if found.is_null() => Ok(None),
        _ => Err(super::super::unknown(row, "decision", found, DECISION)),
    }
}
