//! Arena-Hard-Auto: two games of a system against the baseline, on a scale of five.

use super::super::arena_hard::{baseline, side};
use super::super::row::Row;
use super::mt_bench::shares;
use super::{Error, Game, Line, LineSink, Said, Shown};
use crate::judgments::Options;
use serde_json::Value;

/// The baseline is shown first in the first game, the system in the second.
pub(super) fn record(
    row: Row<'_>,
    options: &Options,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let (item, model, baseline) = (
        row.name("question_id|uid")?,
        row.name("model")?,
        baseline(row, options)?,
    );
    let games = row
        .find("games")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (game, [first, second]) in games.iter().zip([[&baseline, &model], [&model, &baseline]]) {
        let recorded = side(game.get("score").unwrap_or(&Value::Null));
        let reply = game.get("judgment").and_then(text);
        let said = match (game, reply) {
            (Value::Null, _) => Said::Nothing(evenhand_core::FailureKind::ModelError.name()),
            (_, Some(text)) => Said::Text(text, Some("bracketed-strength")),
            _ => shares(recorded),
        };
        let shown = Shown::Systems([first.clone(), second.clone()]);
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

/// v2 keeps the reply in an object.
fn text(judgment: &Value) -> Option<&str> {
    judgment
        .as_str()
        .or_else(|| judgment.get("answer").and_then(Value::as_str))
}
