//! Reviews that score both answers of a pair, as Vicuna's and FairEval's (Wang et al. 2024): two
//! numbers a record.

use super::builder::{JudgedResponse, RecordReader};
use super::games::{JudgeOutput, LineReader, ShownPair};
use super::judgment_row::JudgmentRow;
use super::mt_bench::item_of_turn;
use super::{JudgmentFormat, UNPARSED};
use crate::error::Result;
use crate::filter::finite_number;
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
fn read_systems(row: JudgmentRow<'_>) -> Result<Option<[String; 2]>> {
    if SYSTEMS.iter().any(|field| row.has_field(field)) {
        row.required_names(SYSTEMS).map(Some)
    } else {
        Ok(None)
    }
}

/// Returns the two scores; `None` where the reviewer gave none, which some files write as scores
/// below 0.
fn read_scores(row: JudgmentRow<'_>) -> Result<Option<[f64; 2]>> {
    // They stand in a list, or in two fields.
    let found = match row.find("score") {
        Some(Value::Array(both)) if both.len() == 2 => {
            if both.iter().any(Value::is_object) {
                // JudgeLM keeps its scores in the text, and other figures beside it.
                scores_of_text(row.required_text("text|review")?)
            } else {
                [both[0].as_f64(), both[1].as_f64()]
            }
        }
        Some(other) if !row.has_field("score_1") => {
            return Err(row.wrong_value("score", SCORES, other));
        }
        _ => [
            row.nullable_number("score_1")?,
            row.nullable_number("score_2")?,
        ],
    };
    let [Some(first), Some(second)] = found else {
        return Ok(None);
    };
    Ok((first >= 0.0 && second >= 0.0).then_some([first, second]))
}

/// Returns the two scores that stand alone on the first line of the review; none where others do.
fn scores_of_text(text: &str) -> [Option<f64>; 2] {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let words = first.split([' ', ',', '\t']);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [first, second] => [finite_number(first), finite_number(second)],
        _ => [None; 2],
    }
}

/// Returns the side with the higher score.
fn higher_side([first, second]: [f64; 2]) -> Side {
    match first.total_cmp(&second) {
        Ordering::Greater => Side::First,
        Ordering::Less => Side::Second,
        Ordering::Equal => Side::Tie,
    }
}

impl RecordReader<'_> {
    /// Reads a review, as the comparison that its scores make, or as two scores.
    pub(super) fn read_review(&mut self) -> Result {
        let Some(systems) = read_systems(self.row)? else {
            return Err(self.row.unnamed_systems(JudgmentFormat::ScorePairs));
        };
        let item = item_of_turn(self.row)?;
        let pair = self.number_pair(item, systems)?;
        self.add_judge_in(&pair.systems(), "reviewer|judge")?;
        match read_scores(self.row)? {
            None => self.builder.add_failure(UNPARSED),
            Some(scores) if self.options.scored => {
                let item = pair.item;
                for (system, score) in pair.systems().into_iter().zip(scores) {
                    let response = JudgedResponse { item, system };
                    self.builder.add_score(response.scored(score));
                }
            }
            Some(scores) => {
                let verdict = pair.won_by(higher_side(scores)).shown_in_order();
                self.builder.add_comparison(verdict);
            }
        }
        Ok(())
    }
}

impl LineReader<'_, '_> {
    /// Reads a review: its text, and the scores that the source read in it. The answers were shown
    /// in this order.
    pub(super) fn read_review(&mut self) -> Result {
        let recorded = read_scores(self.row)?.map(higher_side);
        let text = self.row.find_text("text|review");
        let said = JudgeOutput::of_reply(text, "score-pair", recorded);
        let item = item_of_turn(self.row)?;
        let systems = read_systems(self.row)?;
        let shown = systems.map_or(ShownPair::Forward, ShownPair::Systems);
        self.give_game(item, shown, said, Some(recorded))
    }
}
