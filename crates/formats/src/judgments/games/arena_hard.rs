//! Arena-Hard-Auto: two games of a system against the baseline, on a scale of five.

use super::super::arena_hard::{find_baseline, winning_side};
use super::super::judgment_row::JudgmentRow;
use super::{Error, JudgeOutput, JudgmentLine, LineSink, RecordedGame, ShownPair, text_or_shares};
use crate::judgments::Options;
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

/// Reads the games of a record: the baseline is shown first in the first game, the system in the
/// second.
pub(super) fn read_games(
    row: JudgmentRow<'_>,
    options: &Options,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let item = row.required_name("question_id|uid")?;
    let model = row.required_name("model")?;
    let baseline = find_baseline(row, options)?;
    let games = row.find("games").and_then(Value::as_array);
    let orders = [[&baseline, &model], [&model, &baseline]];
    for (game, shown) in games.into_iter().flatten().zip(orders) {
        let recorded = winning_side(game.get("score").unwrap_or(&Value::Null));
        let game = RecordedGame {
            item: item.clone(),
            shown: ShownPair::Systems(shown.map(String::clone)),
            said: read_reply(game, recorded),
            recorded: Some(recorded),
        };
        sink(JudgmentLine::Game(game), row.place)?;
    }
    Ok(())
}

fn read_reply(game: &Value, recorded: Option<Side>) -> JudgeOutput<'_> {
    if game.is_null() {
        return JudgeOutput::Nothing(FailureKind::ModelError.name());
    }
    let text = game.get("judgment").and_then(judgment_text);
    text_or_shares(text, Some("bracketed-strength"), recorded)
}

/// Returns the text of a judgment; v2 keeps it in an object.
fn judgment_text(judgment: &Value) -> Option<&str> {
    judgment
        .as_str()
        .or_else(|| judgment.get("answer").and_then(Value::as_str))
}
