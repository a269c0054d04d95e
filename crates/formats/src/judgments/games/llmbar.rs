//! LLMBar (Zeng et al. 2024): an evaluator's results on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::judgment_row::JudgmentRow;
use super::{
    Error, JudgeOutput, JudgmentLine, LineSink, PairLabel, RecordedGame, ShownPair,
    response_lengths,
};
use crate::records::Preference;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "1 or 2, the better output";
const WINNER: &str = "`1`, `2` or null";

/// Reads a record: the pair's label, and the last round in each order, which decides.
pub(super) fn read_record(
    row: JudgmentRow<'_>,
    position: u64,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let index = row.optional_name("index")?;
    let item = index.unwrap_or_else(|| position.to_string());
    let label = read_label(row, item.clone())?;
    sink(JudgmentLine::Label(label), row.place)?;
    let results = row.find("results").and_then(Value::as_array);
    for swapped in [false, true] {
        let round = match results {
            Some(results) => find_in_results(results, swapped),
            None => find_normalised(row, swapped),
        };
        if let Some(round) = round {
            let game = round.into_game(row, item.clone(), swapped)?;
            sink(JudgmentLine::Game(game), row.place)?;
        }
    }
    Ok(())
}

fn read_label(row: JudgmentRow<'_>, item: String) -> Result<PairLabel, Error> {
    let found = row.require("label", LABEL)?;
    let preferred = match found.as_f64() {
        Some(1.0) => Preference::A,
        Some(2.0) => Preference::B,
        _ => return Err(row.unknown_word("label", found, LABEL)),
    };
    Ok(PairLabel {
        item,
        cluster: None,
        category: None,
        systems: None,
        lengths: response_lengths(row, ["output_1", "output_2"]),
        preferred: vec![preferred],
    })
}

/// The last round of one order.
struct LastRound<'a> {
    output: JudgeOutput<'a>,
    winner: &'a Value,
}

impl<'a> LastRound<'a> {
    fn into_game(
        self,
        row: JudgmentRow<'_>,
        item: String,
        swapped: bool,
    ) -> Result<RecordedGame<'a>, Error> {
        Ok(RecordedGame {
            item,
            shown: if swapped {
                ShownPair::Swapped
            } else {
                ShownPair::Forward
            },
            said: self.output,
            recorded: Some(read_winner(row, self.winner, swapped)?),
        })
    }
}

fn find_normalised<'a>(row: JudgmentRow<'a>, swapped: bool) -> Option<LastRound<'a>> {
    let rounds = row.find("rounds").and_then(Value::as_array);
    let mut rounds = rounds.into_iter().flatten();
    let last = rounds.rfind(|round| round.get("swap") == Some(&Value::Bool(swapped)));
    let winner = last.and_then(|round| round.get("winner"));
    let winner = winner.or_else(|| row.find(winner_field(swapped)));
    let output = match row.find("scores").and_then(Value::as_array) {
        Some(scores) => order_ratings([scores.first(), scores.get(1)].map(text_of), swapped),
        None => reply_text(last?.get("completion")),
    };
    Some(LastRound {
        output,
        winner: winner.unwrap_or(&Value::Null),
    })
}

fn winner_field(swapped: bool) -> &'static str {
    if swapped {
        "winner_swapped"
    } else {
        "winner_unswapped"
    }
}

fn find_in_results(results: &[Value], swapped: bool) -> Option<LastRound<'_>> {
    let key = if swapped {
        "swap = True"
    } else {
        "swap = False"
    };
    let record = results.iter().rfind(|result| result.get(key).is_some())?;
    let round = record.get(key)?;
    let scores = record.get("score_1").zip(record.get("score_2"));
    let output = match scores {
        Some((first, second)) => order_ratings([first.get(0), second.get(0)].map(text_of), swapped),
        None => reply_text(round.get("completion").and_then(|texts| texts.get(0))),
    };
    Some(LastRound {
        output,
        winner: round.get("winner").unwrap_or(&Value::Null),
    })
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Returns the ratings of two outputs in the order in which they were shown.
fn order_ratings([a, b]: [&str; 2], swapped: bool) -> JudgeOutput<'_> {
    JudgeOutput::Ratings(if swapped { [b, a] } else { [a, b] })
}

fn reply_text(completion: Option<&Value>) -> JudgeOutput<'_> {
    JudgeOutput::Text(text_of(completion), Some("output-letter"))
}

/// Returns the winner in terms of the slots: the file maps it back to the outputs in either order.
fn read_winner(row: JudgmentRow<'_>, winner: &Value, swapped: bool) -> Result<Option<Side>, Error> {
    let side = match winner.as_str() {
        Some("1") => Some(Side::First),
        Some("2") => Some(Side::Second),
        None if winner.is_null() => None,
        _ => return Err(row.unknown_word("winner", winner, WINNER)),
    };
    Ok(side.map(|side| if swapped { side.swapped() } else { side }))
}
