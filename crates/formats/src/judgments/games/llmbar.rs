//! LLMBar (Zeng et al. 2024): an evaluator's results on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::judgment_row::JudgmentRow;
use super::lines::{JudgeOutput, LineReader, PairLabel, ShownPair};
use crate::error::Result;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "1 or 2, the better output";
const WINNER: &str = "`1`, `2` or null";

impl LineReader<'_, '_> {
    /// Reads a record: the pair's label, and the last round in each order, which decides.
    pub(super) fn read_llmbar(&mut self) -> Result {
        let row = self.row;
        let item = self.numbered_item()?;
        let preferred = row.read_word("label", LABEL, |found| match found.as_f64()? {
            1.0 => Some(Side::First),
            2.0 => Some(Side::Second),
            _ => None,
        })?;
        self.give_label(PairLabel {
            lengths: self.response_lengths(["output_1", "output_2"]),
            same: self.has_same_responses(["output_1", "output_2"]),
            ..PairLabel::of_pair(item.clone(), preferred)
        })?;
        for swapped in [false, true] {
            let last_round = match row.find("results").and_then(Value::as_array) {
                Some(results) => find_in_results(results, swapped),
                None => find_normalised(row, swapped),
            };
            let Some((said, winner)) = last_round else {
                continue;
            };
            let side = match winner.as_str() {
                Some("1") => Some(Side::First),
                Some("2") => Some(Side::Second),
                None if winner.is_null() => None,
                _ => return Err(row.unknown_word("winner", winner, WINNER)),
            };
            // The file maps the winner back to the outputs in either order.
            let (shown, in_slots) = match swapped {
                true => (ShownPair::Swapped, side.map(Side::swapped)),
                false => (ShownPair::Forward, side),
            };
            self.give_game(item.clone(), shown, said, Some(in_slots))?;
        }
        Ok(())
    }
}

/// Returns what was said in the last normalised round of this order, and its winner.
fn find_normalised(row: JudgmentRow<'_>, swapped: bool) -> Option<(JudgeOutput<'_>, &Value)> {
    let rounds = row.find("rounds").and_then(Value::as_array);
    let mut rounds = rounds.into_iter().flatten();
    let last = rounds.rfind(|round| round.get("swap") == Some(&Value::Bool(swapped)));
    let said = match row.find("scores") {
        Some(Value::Array(scores)) => order_ratings([scores.first(), scores.get(1)], swapped),
        _ => reply_text(last?.get("completion")),
    };
    // The winner may stand beside the rounds.
    let field = match swapped {
        true => "winner_swapped",
        false => "winner_unswapped",
    };
    let winner = last.and_then(|round| round.get("winner"));
    let winner = winner.or_else(|| row.find(field));
    Some((said, winner.unwrap_or(&Value::Null)))
}

/// Returns what was said in the last of the tool's results in this order, and its winner.
fn find_in_results(results: &[Value], swapped: bool) -> Option<(JudgeOutput<'_>, &Value)> {
    let key = match swapped {
        true => "swap = True",
        false => "swap = False",
    };
    let record = results.iter().rfind(|result| result.get(key).is_some())?;
    let round = record.get(key)?;
    let said = match (record.get("score_1"), record.get("score_2")) {
        (Some(first), Some(second)) => order_ratings([first.get(0), second.get(0)], swapped),
        _ => reply_text(round.get("completion").and_then(|texts| texts.get(0))),
    };
    Some((said, round.get("winner").unwrap_or(&Value::Null)))
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
