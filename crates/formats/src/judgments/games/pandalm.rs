//! PandaLM (Wang et al. 2023): pairs with the labels of three people, and recorded verdicts of a
//! judge on them.

use super::super::judgment_row::JudgmentRow;
use super::super::pandalm::{instruction_name, read_pair_label};
use super::{
    Error, JudgmentLine, LineSink, PairLabel, RecordedGame, ShownPair, response_lengths,
    text_or_shares,
};
use evenhand_core::Side;

/// Reads a pair with its labels. Pairs on the same instruction belong together.
pub(super) fn read_pair(
    row: JudgmentRow<'_>,
    position: u64,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let label = read_pair_label(row, position)?;
    let label = PairLabel {
        item: label.item,
        cluster: instruction_name(row),
        category: None,
        systems: Some(label.systems),
        lengths: response_lengths(row, ["response_1", "response_2"]),
        preferred: label.votes.iter().map(|vote| vote.preferred).collect(),
    };
    sink(JudgmentLine::Label(label), row.place)
}

/// Reads a verdict, which names the pair alone; the first response was shown first.
pub(super) fn read_verdict(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let recorded = match row.nullable_number("verdict")? {
        Some(1.0) => Some(Side::First),
        Some(2.0) => Some(Side::Second),
        Some(0.0) => Some(Side::Tie),
        _ => None,
    };
    let text = row.find_text("raw_result");
    let game = RecordedGame {
        item: row.required_name("idx")?,
        shown: ShownPair::Forward,
        said: text_or_shares(text, Some("first-line"), recorded),
        recorded: Some(recorded),
    };
    sink(JudgmentLine::Game(game), row.place)
}
