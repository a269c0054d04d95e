//! PandaLM (Wang et al. 2023): pairs with the labels of three people, and recorded verdicts of a
//! judge on them.

use super::super::pandalm::{instruction_name, read_pair_label, side_of_number};
use super::line_reader::{JudgeReply, LineReader};
use super::{PairLabel, Result, ShownPair};

impl LineReader<'_, '_> {
    /// Reads a pair with its labels. Pairs on the same instruction belong together.
    pub(super) fn read_instruction_pair(&mut self) -> Result {
        let label = read_pair_label(self.row, self.position)?;
        let label = PairLabel {
            cluster: instruction_name(self.row),
            lengths: self.response_lengths(["response_1", "response_2"]),
            ..PairLabel::of_votes(label)
        };
        self.give_label(label)
    }

    /// Reads a verdict, which names the pair alone; the first response was shown first.
    pub(super) fn read_verdict(&mut self) -> Result {
        let reply = JudgeReply {
            recorded: side_of_number(self.row.nullable_number("verdict")?),
            text: self.row.find_text("raw_result"),
            notation: "first-line",
        };
        let item = self.row.required_name("idx")?;
        self.give_read_game(item, ShownPair::Forward, reply)
    }
}
