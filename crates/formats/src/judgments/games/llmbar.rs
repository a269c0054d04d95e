//! LLMBar (Zeng et al. 2024): an evaluator's results on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::row::Row;
use super::{Error, Game, Line, LineSink, PairLabel, Said, Shown};
use crate::records::Preference;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "1 or 2, the better output";
const WINNER: &str = "`1`, `2` or null";

/// A record: the pair's label, and the last round in each order, which decides.
pub(super) fn record(row: Row<'_>, position: u64, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = row
        .name_if_given("index")?
        .unwrap_or_else(|| position.to_string());
    sink(Line::Label(label(row, item.clone())?), row.place)?;
    let original = row.find("results").and_then(Value::as_array);
    for swapped in [false, true] {
        let found = match original {
            Some(results) => of_results(results, swapped),
            None => normalised(row, swapped),
        };
        let Some((said, winner)) = found else {
            continue;
        };
        let shown = if swapped {
            Shown::Swapped
        } else {
            Shown::Forward
        };
        let game = Game {
            item: item.clone(),
            shown,
            said,
            recorded: Some(side(row, winner, swapped)?),
        };
        sink(Line::Game(game), row.place)?;
    }
    Ok(())
}

fn label(row: Row<'_>, item: String) -> Result<PairLabel, Error> {
    let preferred = match row.need("label", LABEL)?.as_f64() {
        Some(1.0) => Preference::A,
        Some(2.0) => Preference::B,
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
    let lengths = length("output_1")
        .zip(length("output_2"))
        .map(|(a, b)| [a, b]);
    Ok(PairLabel {
        item,
        cluster: None,
        category: None,
        systems: None,
        lengths,
        preferred: vec![preferred],
    })
}

/// What was said in the last round of this order, and who won.
type Found<'a> = Option<(Said<'a>, &'a Value)>;

fn normalised<'a>(row: Row<'a>, swapped: bool) -> Found<'a> {
    let rounds = row.find("rounds").and_then(Value::as_array);
    let last = rounds.and_then(|rounds| {
        rounds
            .iter()
            .rfind(|round| round.get("swap") == Some(&Value::Bool(swapped)))
    });
    let field = if swapped {
        "winner_swapped"
    } else {
        "winner_unswapped"
    };
    let winner = last
        .and_then(|round| round.get("winner"))
        .or_else(|| row.find(field))
        .unwrap_or(&Value::Null);
    let scores = row
        .find("scores")
        .and_then(Value::as_array)
        .map(|scores| [text(scores.first()), text(scores.get(1))]);
    let said = scores
        .map(|scores| ratings(scores, swapped))
        .or_else(|| last.map(|round| reply(round.get("completion"))));
    said.map(|said| (said, winner))
}

fn of_results(results: &[Value], swapped: bool) -> Found<'_> {
    let key = if swapped {
        "swap = True"
    } else {
        "swap = False"
    };
    let record = results.iter().rfind(|result| result.get(key).is_some())?;
    let round = record.get(key)?;
    let score = |field| record.get(field).map(|score| text(score.get(0)));
    let said = match (score("score_1"), score("score_2")) {
        (Some(first), Some(second)) => ratings([first, second], swapped),
        _ => reply(
            round
                .get("completion")
                .and_then(|completion| completion.get(0)),
        ),
    };
    Some((said, round.get("winner").unwrap_or(&Value::Null)))
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn ratings([a, b]: [&str; 2], swapped: bool) -> Said<'_> {
    Said::Ratings(if swapped { [b, a] } else { [a, b] })
}

fn reply(completion: Option<&Value>) -> Said<'_> {
    Said::Text(text(completion), Some("output-letter"))
}

/// The winner is mapped back to the outputs in either order.
fn side(row: Row<'_>, winner: &Value, swapped: bool) -> Result<Option<Side>, Error> {
    let side = match winner.as_str() {
        Some("1") => Some(Side::First),
        Some("2") => Some(Side::Second),
        None if winner.is_null() => None,
        _ => return Err(super::super::unknown(row, "winner", winner, WINNER)),
    };
    Ok(side.map(|side| if swapped { side.swapped() } else { side }))
}
