//! Reviews that score both answers of a pair, as Vicuna's and FairEval's (Wang et al. 2023): two
//! numbers a record.

use super::builder::{Builder, JudgedPair};
use super::judgment_row::JudgmentRow;
use super::mt_bench::item_of_turn;
use super::{Error, JudgmentFormat, RecordedScore, UNPARSED};
use evenhand_core::Side;
use serde_json::Value;
use std::cmp::Ordering;

const SCORES: &str = "two scores, as `score_1` and `score_2` or as a list `score`";

/// Returns the two systems, in the order in which they were shown; `None` where the file does not
/// name them.
pub(super) fn read_systems(row: JudgmentRow<'_>) -> Result<Option<[String; 2]>, Error> {
    let first = "answer_1_model|answer1_model";
    let second = "answer_2_model|answer2_model";
    if !row.has_field(first) && !row.has_field(second) {
        return Ok(None);
    }
    Ok(Some([
        row.required_name(first)?,
        row.required_name(second)?,
    ]))
}

/// Returns the two scores; `None` where the reviewer gave none, which some files write as scores
/// below 0.
pub(super) fn read_scores(row: JudgmentRow<'_>) -> Result<Option<[f64; 2]>, Error> {
    let found = match row.find("score") {
        Some(Value::Array(both)) if both.len() == 2 => [both[0].as_f64(), both[1].as_f64()],
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

/// Returns the side with the higher score.
pub(super) fn higher_side([first, second]: [f64; 2]) -> Side {
    match first.total_cmp(&second) {
        Ordering::Greater => Side::First,
        Ordering::Less => Side::Second,
        Ordering::Equal => Side::Tie,
    }
}

/// Reads a review, as the comparison that its scores make, or as two scores.
pub(super) fn read_review(
    row: JudgmentRow<'_>,
    scored: bool,
    builder: &mut Builder,
) -> Result<(), Error> {
    let systems = read_systems(row)?.ok_or_else(|| Error::NoSystems {
        place: row.place.clone(),
        kind: JudgmentFormat::ScorePairs,
    })?;
    let pair = builder.number_pair(item_of_turn(row)?, systems, row.place)?;
    builder.add_judge(row.optional_name("reviewer|judge")?);
    match read_scores(row)? {
        None => builder.add_failure(UNPARSED),
        Some(scores) if scored => add_both_scores(pair, scores, builder),
        Some(scores) => builder.add_comparison(pair.won_by(higher_side(scores))),
    }
    Ok(())
}

fn add_both_scores(pair: JudgedPair, [first, second]: [f64; 2], builder: &mut Builder) {
    for (system, score) in [(pair.a, first), (pair.b, second)] {
        builder.add_score(RecordedScore {
            item: pair.item,
            system,
            score,
        });
    }
}
