//! MT-Bench (Zheng et al. 2023): pairs judged in both orders, and single answers graded.

use super::super::judgment_row::JudgmentRow;
use super::super::mt_bench::item_of_turn;
use super::{
    Error, JudgmentLine, LineSink, RecordedGame, RecordedGrade, ShownPair, text_or_shares,
};
use evenhand_core::Side;

/// The fields of the two games, with the word for the system that is shown first, and that for the
/// other.
const GAMES: [(&str, &str, [&str; 2]); 2] = [
    ("g1_winner", "g1_judgment", ["model_1", "model_2"]),
    ("g2_winner", "g2_judgment", ["model_2", "model_1"]),
];

/// Reads two games: `model_1` is shown first in the first, `model_2` in the second.
pub(super) fn read_pair(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let (one, two) = (row.required_name("model_1")?, row.required_name("model_2")?);
    let item = item_of_turn(row)?;
    for (winner, judgment, [first, second]) in GAMES {
        let system = |word| if word == "model_1" { &one } else { &two };
        let (first, second) = (system(first), system(second));
        let winner = match row.required_text(winner).unwrap_or("error") {
            word @ ("model_1" | "model_2") => system(word),
            other => other,
        };
        let recorded = find_side(winner, first, second);
        let text = row.find_text(judgment);
        let game = RecordedGame {
            item: item.clone(),
            shown: ShownPair::Systems([first.clone(), second.clone()]),
            said: text_or_shares(text, Some("bracketed-letter"), recorded),
            recorded: Some(recorded),
        };
        sink(JudgmentLine::Game(game), row.place)?;
    }
    Ok(())
}

/// Returns the side of the system that won.
fn find_side(winner: &str, first: &str, second: &str) -> Option<Side> {
    if winner == first {
        Some(Side::First)
    } else if winner == second {
        Some(Side::Second)
    } else if winner == "tie" {
        Some(Side::Tie)
    } else {
        None
    }
}

/// Reads one graded answer. A score below 0 stands for a reply without one.
pub(super) fn read_single(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let text = row.find_text("judgment");
    let score = row.nullable_number("score")?;
    let grade = RecordedGrade {
        item: item_of_turn(row)?,
        system: row.required_name("model")?,
        text: text.map(|text| (text, "bracketed-number")),
        score: score.filter(|score| *score >= 0.0),
    };
    sink(JudgmentLine::Grade(grade), row.place)
}
