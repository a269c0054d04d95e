//! Arena-Hard-Auto: two games of a system against the baseline, on a scale of five.

use super::super::arena_hard::{find_baseline, winning_side};
use super::line_reader::{JudgeReply, LineReader};
use super::{JudgeOutput, RecordedGame, Result, ShownPair};
use evenhand_core::FailureKind;
use serde_json::Value;

impl LineReader<'_, '_> {
    /// Reads the games of a record: the baseline is shown first in the first game, the system in
    /// the second.
    pub(super) fn read_games(&mut self) -> Result {
        let item = self.row.required_name("question_id|uid")?;
        let model = self.row.required_name("model")?;
        let baseline = find_baseline(self.row, self.options)?;
        let games = self.row.find("games").and_then(Value::as_array);
        let orders = [[&baseline, &model], [&model, &baseline]];
        for (game, shown) in games.into_iter().flatten().zip(orders) {
            self.give_game(played_game(&item, shown, game))?;
        }
        Ok(())
    }
}

fn played_game<'a>(item: &str, shown: [&String; 2], game: &'a Value) -> RecordedGame<'a> {
    let reply = reply_of_game(game);
    RecordedGame {
        question: None,
        item: item.to_owned(),
        shown: ShownPair::Systems(shown.map(String::clone)),
        said: output_of(game, reply),
        recorded: Some(reply.recorded),
    }
}

fn reply_of_game(game: &Value) -> JudgeReply<'_> {
    JudgeReply {
        text: game.get("judgment").and_then(judgment_text),
        notation: "bracketed-strength",
        recorded: winning_side(game.get("score").unwrap_or(&Value::Null)),
    }
}

/// Returns the reply; a game that is null has failed.
fn output_of<'a>(game: &Value, reply: JudgeReply<'a>) -> JudgeOutput<'a> {
    if game.is_null() {
        JudgeOutput::Nothing(FailureKind::ModelError.name())
    } else {
        reply.output()
    }
}

/// Returns the text of a judgment; v2 keeps it in an object.
fn judgment_text(judgment: &Value) -> Option<&str> {
    judgment
        .as_str()
        .or_else(|| judgment.get("answer").and_then(Value::as_str))
}
