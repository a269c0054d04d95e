//! MT-Bench (Zheng et al. 2023): pairs judged in both orders, and single answers graded.

use super::builder::JudgedPair;
use super::judgment_row::{JudgmentRow, look_up_side};
use super::record_reader::RecordReader;
use super::{Result, UNPARSED};
use evenhand_core::Side;
use serde_json::Value;

const WINNERS: &str = "`model_1`, `model_2`, `tie`, or `error` where the judge gave none";
const SIDES: [(&str, Side); 3] = [
    ("model_1", Side::First),
    ("model_2", Side::Second),
    ("tie", Side::Tie),
];
const JUDGE: &str = "a name, or a list that begins with one";

/// The side that won a game; `None` where the judge gave no verdict.
type Winner = Option<Side>;
/// The winners of a pair's two games.
type Winners = [Winner; 2];

impl RecordReader<'_> {
    /// Reads a record of two games: `model_1` is shown first in the first, `model_2` in the
    /// second.
    pub(super) fn read_game_pair(&mut self) -> Result {
        let pair = self.number_pair_in(item_of_turn(self.row)?, ["model_1", "model_2"])?;
        let judge = find_judge(self.row)?;
        self.builder.add_judge_of(&pair.systems(), judge);
        let winners = find_winners(self.row)?;
        if self.options.both_games {
            self.builder.add_side(pair, agreed_winner(winners));
        } else {
            self.add_games(pair, winners);
        }
        Ok(())
    }

    fn add_games(&mut self, pair: JudgedPair, [first, second]: Winners) {
        self.builder.add_side(pair, first);
        self.builder
            .add_side(pair.swapped(), second.map(Side::swapped));
    }

    /// Reads one graded answer. A score below 0 stands for a reply without one.
    pub(super) fn read_single(&mut self) -> Result {
        let response = self.number_response_in(item_of_turn(self.row)?, "model")?;
        let judge = find_judge(self.row)?;
        self.builder.add_judge_of(&[response.system], judge);
        let score = grade_of(self.row)?;
        self.builder.add_score_or(response, score, UNPARSED);
        Ok(())
    }
}

/// Returns the winner of both games: a tie where they do not agree.
fn agreed_winner([first, second]: Winners) -> Option<Side> {
    let both = first.zip(second);
    both.map(|(first, second)| if first == second { first } else { Side::Tie })
}

/// Returns the score of a graded answer; `None` where the judge gave none.
pub(super) fn grade_of(row: JudgmentRow<'_>) -> Result<Option<f64>> {
    let score = row.nullable_number("score")?;
    Ok(score.filter(|score| *score >= 0.0))
}

/// Returns the question, with the turn where there is one.
pub(super) fn item_of_turn(row: JudgmentRow<'_>) -> Result<String> {
    row.item_of_question(row.required_name("question_id")?)
}

/// Returns the judge: a name, or a list of a name and the prompt's.
fn find_judge(row: JudgmentRow<'_>) -> Result<Option<String>> {
    match row.find("judge") {
        Some(found @ Value::Array(_)) => first_name(row, found).map(Some),
        _ => row.optional_name("judge"),
    }
}

fn first_name(row: JudgmentRow<'_>, list: &Value) -> Result<String> {
    let name = list.get(0).and_then(Value::as_str);
    let name = name.ok_or_else(|| row.wrong_value("judge", JUDGE, list))?;
    Ok(name.to_owned())
}

fn find_winners(row: JudgmentRow<'_>) -> Result<Winners> {
    Ok([
        find_winner(row, "g1_winner")?,
        find_winner(row, "g2_winner")?,
    ])
}

/// Returns which of a record's two systems won a game.
fn find_winner(row: JudgmentRow<'_>, field: &str) -> Result<Winner> {
    let found = row.require(field, WINNERS)?;
    read_winner(found).ok_or_else(|| row.unknown_word(field, found, WINNERS))
}

/// Reads a winner; the outer `None` where it is not one.
fn read_winner(found: &Value) -> Option<Winner> {
    match found.as_str() {
        Some("error") => Some(None),
        None if found.is_null() => Some(None),
        word => side_of_word(word?).map(Some),
    }
}

fn side_of_word(word: &str) -> Option<Side> {
    look_up_side(&SIDES, word)
}
