//! LLMBar (Zeng et al. 2024): an evaluator's results on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::judgment_row::JudgmentRow;
use super::line_reader::LineReader;
use super::{JudgeOutput, PairLabel, RecordedGame, Result, ShownPair};
use crate::records::Preference;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "1 or 2, the better output";
const WINNER: &str = "`1`, `2` or null";

impl LineReader<'_, '_> {
    /// Reads a record: the pair's label, and the last round in each order, which decides.
    pub(super) fn read_llmbar(&mut self) -> Result {
        let item = self.numbered_item()?;
        self.read_better_output(item.clone())?;
        for swapped in [false, true] {
            if let Some(round) = find_last_round(self.row, swapped) {
                let game = round.into_game(self.row, item.clone())?;
                self.give_game(game)?;
            }
        }
        Ok(())
    }

    fn read_better_output(&mut self, item: String) -> Result {
        self.give_label(PairLabel {
            lengths: self.response_lengths(["output_1", "output_2"]),
            ..PairLabel::of_pair(item, read_preferred(self.row)?)
        })
    }
}

fn read_preferred(row: JudgmentRow<'_>) -> Result<Preference> {
    row.read_word("label", LABEL, |found| match found.as_f64()? {
        1.0 => Some(Preference::A),
        2.0 => Some(Preference::B),
        _ => None,
    })
}

/// The last round of one order.
struct LastRound<'a> {
    output: JudgeOutput<'a>,
    winner: &'a Value,
    swapped: bool,
}

impl<'a> LastRound<'a> {
    fn into_game(self, row: JudgmentRow<'_>, item: String) -> Result<RecordedGame<'a>> {
        Ok(RecordedGame {
            question: None,
            item,
            shown: self.shown(),
            recorded: Some(self.read_winner(row)?),
            said: self.output,
        })
    }

    fn shown(&self) -> ShownPair {
        if self.swapped {
            ShownPair::Swapped
        } else {
            ShownPair::Forward
        }
    }

    /// Returns the winner in terms of the slots: the file maps it back to the outputs in either
    /// order.
    fn read_winner(&self, row: JudgmentRow<'_>) -> Result<Option<Side>> {
        let side = match self.winner.as_str() {
            Some("1") => Some(Side::First),
            Some("2") => Some(Side::Second),
            None if self.winner.is_null() => None,
            _ => return Err(row.unknown_word("winner", self.winner, WINNER)),
        };
        Ok(side.map(|side| self.slot_of(side)))
    }

    fn slot_of(&self, side: Side) -> Side {
        if self.swapped { side.swapped() } else { side }
    }
}

fn find_last_round(row: JudgmentRow<'_>, swapped: bool) -> Option<LastRound<'_>> {
    match row.find("results").and_then(Value::as_array) {
        Some(results) => find_in_results(results, swapped),
        None => find_normalised(row, swapped),
    }
}

fn find_normalised(row: JudgmentRow<'_>, swapped: bool) -> Option<LastRound<'_>> {
    let last = last_normalised(row, swapped);
    let output = match row.find("scores") {
        Some(Value::Array(scores)) => order_ratings([scores.first(), scores.get(1)], swapped),
        _ => reply_text(last?.get("completion")),
    };
    let winner = last.and_then(|round| round.get("winner"));
    Some(LastRound {
        output,
        winner: winner.unwrap_or_else(|| normalised_winner(row, swapped)),
        swapped,
    })
}

/// Returns the winner that stands beside the rounds; null where there is none.
fn normalised_winner(row: JudgmentRow<'_>, swapped: bool) -> &Value {
    let winner = row.find(winner_field(swapped));
    winner.unwrap_or(&Value::Null)
}

/// Returns the last of the normalised rounds in this order.
fn last_normalised(row: JudgmentRow<'_>, swapped: bool) -> Option<&Value> {
    let rounds = row.find("rounds")?.as_array()?;
    let mut rounds = rounds.iter();
    rounds.rfind(|round| round.get("swap") == Some(&Value::Bool(swapped)))
}

fn winner_field(swapped: bool) -> &'static str {
    if swapped {
        "winner_swapped"
    } else {
        "winner_unswapped"
    }
}

fn find_in_results(results: &[Value], swapped: bool) -> Option<LastRound<'_>> {
    let key = round_key(swapped);
    let record = results.iter().rfind(|result| result.get(key).is_some())?;
    let round = record.get(key)?;
    Some(LastRound {
        output: result_output(record, round, swapped),
        winner: round.get("winner").unwrap_or(&Value::Null),
        swapped,
    })
}

fn round_key(swapped: bool) -> &'static str {
    if swapped {
        "swap = True"
    } else {
        "swap = False"
    }
}

/// Returns the two ratings of a result, else the completion of its round.
fn result_output<'a>(record: &'a Value, round: &'a Value, swapped: bool) -> JudgeOutput<'a> {
    match (record.get("score_1"), record.get("score_2")) {
        (Some(first), Some(second)) => order_ratings([first.get(0), second.get(0)], swapped),
        _ => reply_text(round.get("completion").and_then(|texts| texts.get(0))),
    }
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Returns the ratings of two outputs in the order in which they were shown.
fn order_ratings(ratings: [Option<&Value>; 2], swapped: bool) -> JudgeOutput<'_> {
    let [a, b] = ratings.map(text_of);
    JudgeOutput::Ratings(if swapped { [b, a] } else { [a, b] })
}

fn reply_text(completion: Option<&Value>) -> JudgeOutput<'_> {
    JudgeOutput::Text(text_of(completion), Some("output-letter"))
}
