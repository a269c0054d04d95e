//! Reviews that score both answers of a pair (Vicuna, FairEval), in the order in which they were
//! shown.

use super::super::mt_bench::item_of_turn;
use super::super::score_pairs::{higher_side, read_scores, read_systems};
use super::line_reader::{JudgeReply, LineReader};
use super::{Result, ShownPair};

impl LineReader<'_, '_> {
    /// Reads a review: its text, and the scores that the source read in it.
    pub(super) fn read_review(&mut self) -> Result {
        let reply = JudgeReply {
            recorded: read_scores(self.row)?.map(higher_side),
            text: self.row.find_text("text|review"),
            notation: "score-pair",
        };
        let item = item_of_turn(self.row)?;
        let systems = read_systems(self.row)?;
        let shown = systems.map_or(ShownPair::Forward, ShownPair::Systems);
        self.give_read_game(item, shown, reply)
    }
}
