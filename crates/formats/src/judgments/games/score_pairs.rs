//! Reviews that score both answers of a pair (Vicuna, FairEval), in the order in which they were
//! shown.

use super::super::judgment_row::JudgmentRow;
use super::super::mt_bench::item_of_turn;
use super::super::score_pairs::{higher_side, read_scores, read_systems};
use super::{Error, JudgmentLine, LineSink, RecordedGame, ShownPair, text_or_shares};

/// Reads a review: its text, and the scores that the source read in it.
pub(super) fn read_review(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let recorded = read_scores(row)?.map(higher_side);
    let text = row.find_text("text|review");
    let item = item_of_turn(row)?;
    let systems = read_systems(row)?;
    let game = RecordedGame {
        item,
        shown: systems.map_or(ShownPair::Forward, ShownPair::Systems),
        said: text_or_shares(text, Some("score-pair"), recorded),
        recorded: Some(recorded),
    };
    sink(JudgmentLine::Game(game), row.place)
}
