//! Reviews that score both answers of a pair (Vicuna, FairEval), in the order in which they were
//! shown.

use super::super::row::Row;
use super::super::score_pairs::{scores, systems};
use super::{Error, Game, Line, LineSink, Said, Shown};
use evenhand_core::Side;
use serde_json::Value;

/// A review: its text, and the scores that the source read in it.
pub(super) fn review(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let recorded = scores(row)?.map(|[first, second]| match first.total_cmp(&second) {
        std::cmp::Ordering::Greater => Side::First,
        std::cmp::Ordering::Less => Side::Second,
        std::cmp::Ordering::Equal => Side::Tie,
    });
    let text = row.find("text|review").and_then(Value::as_str);
    let said = text.map_or_else(
        || super::mt_bench::shares(recorded),
        |text| Said::Text(text, Some("score-pair")),
    );
    let (item, shown) = (
        super::super::mt_bench::item(row)?,
        systems(row)?.map_or(Shown::Forward, Shown::Systems),
    );
    sink(
        Line::Game(Game {
            item,
            shown,
            said,
            recorded: Some(recorded),
        }),
        row.place,
    )
}
