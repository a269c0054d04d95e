//! MT-Bench (Zheng et al. 2023): pairs judged in both orders, and single answers graded.

use super::UNPARSED;
use super::builder::RecordReader;
use super::games::{JudgeOutput, LineReader, ShownPair};
use super::judgment_row::{JudgmentRow, look_up_side};
use crate::error::Result;
use evenhand_core::Side;
use serde_json::Value;

const WINNERS: &str = "`model_1`, `model_2`, `tie`, or `error` where the judge gave none";
const SIDES: [(&str, Side); 3] = [
    ("model_1", Side::First),
    ("model_2", Side::Second),
    ("tie", Side::Tie),
];
const JUDGE: &str = "a name, or a list that begins with one";

impl RecordReader<'_> {
    /// Reads a record of two games: `model_1` is shown first in the first, `model_2` in the
    /// second.
    pub(super) fn read_game_pair(&mut self) -> Result {
        let pair = self.number_pair_in(item_of_turn(self.row)?, ["model_1", "model_2"])?;
        let judge = find_judge(self.row)?;
        self.builder.add_judge_of(&pair.systems(), judge);
        let first = find_winner(self.row, "g1_winner")?;
        let second = find_winner(self.row, "g2_winner")?;
        if self.options.both_games {
            // A tie where they do not agree.
            let agreed = first
                .zip(second)
                .map(|(first, second)| match first == second {
                    true => first,
                    false => Side::Tie,
                });
            self.builder.add_side(pair, agreed, false);
        } else {
            self.builder.add_side(pair, first, true);
            let second = second.map(Side::swapped);
            self.builder.add_side(pair.swapped(), second, true);
        }
        Ok(())
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

impl LineReader<'_, '_> {
    /// Reads two games: `model_1` is shown first in the first, `model_2` in the second.
    pub(super) fn read_game_pair(&mut self) -> Result {
        let [one, two] = self.row.required_names(["model_1", "model_2"])?;
        let item = item_of_turn(self.row)?;
        for (winner, judgment, [first, second]) in [
            ("g1_winner", "g1_judgment", [&one, &two]),
            ("g2_winner", "g2_judgment", [&two, &one]),
        ] {
            let winner = match self.row.required_text(winner).unwrap_or("error") {
                "model_1" => &one,
                "model_2" => &two,
                other => other,
            };
            // A system may be called `tie` too.
            let recorded = if winner == first {
                Some(Side::First)
            } else if winner == second {
                Some(Side::Second)
            } else {
                (winner == "tie").then_some(Side::Tie)
            };
            let text = self.row.find_text(judgment);
            let said = JudgeOutput::of_reply(text, "bracketed-letter", recorded);
            let shown = ShownPair::Systems([first.clone(), second.clone()]);
            self.give_game(item.clone(), shown, said, Some(recorded))?;
        }
        Ok(())
    }

    /// Reads one graded answer. A score below 0 stands for a reply without one.
    pub(super) fn read_single(&mut self) -> Result {
        let text = self.row.find_text("judgment");
        let score = grade_of(self.row)?;
        let item = item_of_turn(self.row)?;
        let system = self.row.required_name("model")?;
        let text = text.map(|text| (text, "bracketed-number"));
        self.give_grade(item, system, text, score)
    }
}

/// Returns the score of a graded answer; `None` where the judge gave none.
fn grade_of(row: JudgmentRow<'_>) -> Result<Option<f64>> {
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
        Some(list @ Value::Array(_)) => match list.get(0).and_then(Value::as_str) {
            Some(name) => Ok(Some(name.to_owned())),
            None => Err(row.wrong_value("judge", JUDGE, list)),
        },
        _ => row.optional_name("judge"),
    }
}

/// Returns which of a record's two systems won a game; `None` where the judge gave no verdict.
fn find_winner(row: JudgmentRow<'_>, field: &str) -> Result<Option<Side>> {
    row.read_word(field, WINNERS, |found| match found {
        Value::Null => Some(None),
        found => match found.as_str()? {
            "error" => Some(None),
            word => look_up_side(&SIDES, word).map(Some),
        },
    })
}
