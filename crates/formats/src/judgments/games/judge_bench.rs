//! JudgeBench (Tan et al. 2025): a judge's two games on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::judgment_row::{JudgmentRow, look_up_side};
use super::lines::{JudgeOutput, LineReader, PairLabel, ShownPair};
use crate::error::Result;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "`A>B` or `B>A`";
const DECISION: &str = "`A>B`, `B>A`, `A=B` or null";

const SIDES: [(&str, Side); 3] = [
    ("A>B", Side::First),
    ("B>A", Side::Second),
    ("A=B", Side::Tie),
];

impl LineReader<'_, '_> {
    /// Reads a record: the pair's label, and a game in each order. A decision speaks of the slots.
    pub(super) fn read_judge_bench(&mut self) -> Result {
        let row = self.row;
        let item = row.required_name("pair_id")?;
        let preferred = match row.required_text("label")? {
            "A>B" => Side::First,
            "B>A" => Side::Second,
            _ => return Err(row.unknown_word("label", row.require("label", LABEL)?, LABEL)),
        };
        self.give_label(PairLabel {
            category: row.optional_name("source")?,
            lengths: self.response_lengths(["response_A", "response_B"]),
            same: self.has_same_responses(["response_A", "response_B"]),
            ..PairLabel::of_pair(item.clone(), preferred)
        })?;
        // The tool writes the games in a list; normalised they are two fields.
        let games = match row.find("judgments") {
            Some(judgments) => [judgments.get(0), judgments.get(1)],
            None => [row.record.get("game_1"), row.record.get("game_2")],
        };
        let orders = [ShownPair::Forward, ShownPair::Swapped];
        for (game, shown) in games.into_iter().zip(orders) {
            if let Some(game) = game.filter(|game| !game.is_null()) {
                self.read_decided_game(item.clone(), shown, game)?;
            }
        }
        Ok(())
    }

    fn read_decided_game(&mut self, item: String, shown: ShownPair, game: &Value) -> Result {
        let decision = game.get("decision").unwrap_or(&Value::Null);
        let side = decision
            .as_str()
            .and_then(|word| look_up_side(&SIDES, word));
        if side.is_none() && !decision.is_null() {
            return Err(self.row.unknown_word("decision", decision, DECISION));
        }
        let judgment = game.get("judgment");
        let response = judgment.and_then(|judgment| judgment.get("response"));
        let response = response.or_else(|| game.get("response"));
        let text = response.and_then(Value::as_str);
        // A reward model has scores and no text.
        let said = match (text, read_scores(game)) {
            (None, Some(scores)) => JudgeOutput::Scores(scores),
            _ => JudgeOutput::of_reply(text, judge_notation(self.row), side),
        };
        self.give_game(item, shown, said, Some(side))
    }
}

/// Returns a reward model's scores in the order of the slots.
fn read_scores(game: &Value) -> Option<[f64; 2]> {
    let [first, second] = game.get("scores")?.as_array()?.as_slice() else {
        return None;
    };
    Some([first.as_f64()?, second.as_f64()?])
}

/// Returns the notation that each of the tool's judges is asked for.
fn judge_notation(row: JudgmentRow<'_>) -> &'static str {
    match row.find_text("judge_name") {
        Some("vanilla") => "output-letter",
        Some("prometheus_2") => "result-letter",
        Some("auto_j") => "final-decision",
        Some("skywork_critic") => "bracketed-letter",
        // Their normalised form does not say which; this is the tool's usual one.
        _ => "bracketed-strength",
    }
}
