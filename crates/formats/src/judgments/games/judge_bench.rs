//! JudgeBench (Tan et al. 2024): a judge's two games on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::judgment_row::{JudgmentRow, look_up_side};
use super::line_reader::{JudgeReply, LineReader};
use super::{JudgeOutput, PairLabel, RecordedGame, Result, ShownPair};
use crate::records::Preference;
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
        let item = self.row.required_name("pair_id")?;
        self.read_objective_label(item.clone())?;
        let games = find_games(self.row);
        for (game, shown) in games
            .into_iter()
            .zip([ShownPair::Forward, ShownPair::Swapped])
        {
            if let Some(game) = game.filter(|game| !game.is_null()) {
                self.read_decided_game(item.clone(), shown, game)?;
            }
        }
        Ok(())
    }

    fn read_objective_label(&mut self, item: String) -> Result {
        let preferred = read_preferred(self.row)?;
        let label = PairLabel {
            category: self.row.optional_name("source")?,
            lengths: self.response_lengths(["response_A", "response_B"]),
            ..PairLabel::of_pair(item, preferred)
        };
        self.give_label(label)
    }

    fn read_decided_game(&mut self, item: String, shown: ShownPair, game: &Value) -> Result {
        let recorded = read_decision(self.row, game)?;
        let text = reply_text(game);
        if let (None, Some(scores)) = (text, read_scores(game)) {
            return self.give_game(RecordedGame {
                question: None,
                item,
                shown,
                said: JudgeOutput::Scores(scores),
                recorded: Some(recorded),
            });
        }
        let reply = JudgeReply {
            text,
            notation: judge_notation(self.row),
            recorded,
        };
        self.give_read_game(item, shown, reply)
    }
}

fn read_preferred(row: JudgmentRow<'_>) -> Result<Preference> {
    match row.required_text("label")? {
        "A>B" => Ok(Preference::A),
        "B>A" => Ok(Preference::B),
        _ => {
            let found = row.require("label", LABEL)?;
            Err(row.unknown_word("label", found, LABEL))
        }
    }
}

/// Returns the two games: in a list as the tool writes them, or in two fields.
fn find_games(row: JudgmentRow<'_>) -> [Option<&Value>; 2] {
    match row.find("judgments") {
        Some(judgments) => [judgments.get(0), judgments.get(1)],
        None => [row.record.get("game_1"), row.record.get("game_2")],
    }
}

/// Returns the judge's reply; a reward model has scores and no text.
fn reply_text(game: &Value) -> Option<&str> {
    game.get("judgment")
        .and_then(|judgment| judgment.get("response"))
        .or_else(|| game.get("response"))?
        .as_str()
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

fn read_decision(row: JudgmentRow<'_>, game: &Value) -> Result<Option<Side>> {
    match game.get("decision").unwrap_or(&Value::Null) {
        Value::Null => Ok(None),
        found => side_of(found)
            .map(Some)
            .ok_or_else(|| row.unknown_word("decision", found, DECISION)),
    }
}

fn side_of(decision: &Value) -> Option<Side> {
    look_up_side(&SIDES, decision.as_str()?)
}
