//! Reviews that score both answers of a pair, as Vicuna's and FairEval's (Wang et al. 2023): two
//! numbers a record.

use super::builder::JudgedPair;
use super::judgment_row::JudgmentRow;
use super::mt_bench::item_of_turn;
use super::record_reader::RecordReader;
use super::{JudgmentFormat, Result, UNPARSED};
use crate::records::finite_number;
use evenhand_core::Side;
use serde_json::Value;
use std::cmp::Ordering;

const SCORES: &str = "two scores, as `score_1` and `score_2` or as a list `score`";
/// Of Vicuna's, FairEval's and JudgeLM's (Zhu et al. 2023) reviews.
const SYSTEMS: [&str; 2] = [
    "answer_1_model|answer1_model|answer1_model_id",
    "answer_2_model|answer2_model|answer2_model_id",
];

/// Returns the two systems, in the order in which they were shown; `None` where the file does not
/// name them.
pub(super) fn read_systems(row: JudgmentRow<'_>) -> Result<Option<[String; 2]>> {
    if SYSTEMS.iter().any(|field| row.has_field(field)) {
        row.required_names(SYSTEMS).map(Some)
    } else {
        Ok(None)
    }
}

/// Returns the two scores; `None` where the reviewer gave none, which some files write as scores
/// below 0.
pub(super) fn read_scores(row: JudgmentRow<'_>) -> Result<Option<[f64; 2]>> {
    let [Some(first), Some(second)] = find_scores(row)? else {
        return Ok(None);
    };
    Ok((first >= 0.0 && second >= 0.0).then_some([first, second]))
}

/// Returns the scores as they stand: in a list, or in two fields.
fn find_scores(row: JudgmentRow<'_>) -> Result<[Option<f64>; 2]> {
    match row.find("score").map(Value::as_array) {
        Some(Some(both)) if both.len() == 2 => match both.iter().any(Value::is_object) {
            // JudgeLM keeps its scores in the text, and other figures beside it.
            true => scores_of_text(row),
            false => Ok([both[0].as_f64(), both[1].as_f64()]),
        },
        Some(_) if !row.has_field("score_1") => Err(wrong_scores(row)),
        _ => Ok([
            row.nullable_number("score_1")?,
            row.nullable_number("score_2")?,
        ]),
    }
}

/// Returns the two scores that stand alone on the first line of the review; none where others do.
fn scores_of_text(row: JudgmentRow<'_>) -> Result<[Option<f64>; 2]> {
    let text = row.required_text("text|review")?;
    let first = text.trim_start().lines().next().unwrap_or_default();
    let words: Vec<&str> = first
        .split([' ', ',', '\t'])
        .filter(|word| !word.is_empty())
        .collect();
    Ok(match words.as_slice() {
        [first, second] => [finite_number(first), finite_number(second)],
        _ => [None; 2],
    })
}

fn wrong_scores(row: JudgmentRow<'_>) -> super::Error {
    let found = row.find("score").unwrap_or(&Value::Null);
    row.wrong_value("score", SCORES, found)
}

/// Returns the side with the higher score.
pub(super) fn higher_side([first, second]: [f64; 2]) -> Side {
    match first.total_cmp(&second) {
        Ordering::Greater => Side::First,
        Ordering::Less => Side::Second,
        Ordering::Equal => Side::Tie,
    }
}

impl RecordReader<'_> {
    /// Reads a review, as the comparison that its scores make, or as two scores.
    pub(super) fn read_review(&mut self) -> Result {
        let pair = self.number_reviewed()?;
        self.add_judge_in(&pair.systems(), "reviewer|judge")?;
        match read_scores(self.row)? {
            None => self.builder.add_failure(UNPARSED),
            Some(scores) => self.add_scores(pair, scores),
        }
        Ok(())
    }

    fn number_reviewed(&mut self) -> Result<JudgedPair> {
        let unnamed = || self.row.unnamed_systems(JudgmentFormat::ScorePairs);
        let systems = read_systems(self.row)?.ok_or_else(unnamed)?;
        let item = item_of_turn(self.row)?;
        self.number_pair(item, systems)
    }

    fn add_scores(&mut self, pair: JudgedPair, scores: [f64; 2]) {
        if self.options.scored {
            self.add_both_scores(pair, scores);
        } else {
            let verdict = pair.won_by(higher_side(scores));
            self.builder.add_comparison(verdict);
        }
    }

    fn add_both_scores(&mut self, pair: JudgedPair, scores: [f64; 2]) {
        for (response, score) in pair.responses().into_iter().zip(scores) {
            self.builder.add_score(response.scored(score));
        }
    }
}
