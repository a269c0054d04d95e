//! MT-Bench (Zheng et al. 2023): pairs judged in both orders, and single answers graded.

use super::super::mt_bench::item;
use super::super::row::Row;
use super::{Error, Game, Grade, Line, LineSink, Said, Shown, slot};
use serde_json::Value;

/// Two games: `model_1` is shown first in the first, `model_2` in the second.
pub(super) fn pair(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let (one, two, item) = (row.name("model_1")?, row.name("model_2")?, item(row)?);
    for (game, [first, second]) in [("g1", [&one, &two]), ("g2", [&two, &one])] {
        let (words, marks) = (["model_1", "model_2"], [&one, &two]);
        let winner = row
            .text(if game == "g1" {
                "g1_winner"
            } else {
                "g2_winner"
            })
            .unwrap_or("error");
        let named = words
            .iter()
            .position(|word| *word == winner)
            .map_or(winner, |at| marks[at]);
        let recorded = slot(named, first, second);
        let reply = row
            .find(if game == "g1" {
                "g1_judgment"
            } else {
                "g2_judgment"
            })
            .and_then(Value::as_str);
        let said = reply.map_or_else(
            || shares(recorded),
            |text| Said::Text(text, Some("bracketed-letter")),
        );
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

/// The recorded verdict alone, where there is no text.
pub(super) fn shares(recorded: Option<evenhand_core::Side>) -> Said<'static> {
    use evenhand_core::Side::{First, Second, Tie};
    match recorded {
        Some(First) => Said::Shares([1.0, 0.0, 0.0]),
        Some(Tie) => Said::Shares([0.0, 1.0, 0.0]),
        Some(Second) => Said::Shares([0.0, 0.0, 1.0]),
        None => Said::Nothing(super::super::UNPARSED),
    }
}

/// One graded answer. A score below 0 stands for a reply without one.
pub(super) fn single(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let text = row
        .find("judgment")
        .and_then(Value::as_str)
        .map(|text| (text, "bracketed-number"));
    let score = row.number("score")?.filter(|score| *score >= 0.0);
    sink(
        Line::Grade(Grade {
            item: item(row)?,
            system: row.name("model")?,
            text,
            score,
        }),
        row.place,
    )
}
