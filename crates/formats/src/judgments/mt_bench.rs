//! MT-Bench (Zheng et al. 2023): pairs judged in both orders, and single answers graded.

use super::builder::Builder;
use super::judgment_row::JudgmentRow;
use super::{Error, RecordedScore, UNPARSED};
use evenhand_core::Side;
use serde_json::Value;

const WINNERS: &str = "`model_1`, `model_2`, `tie`, or `error` where the judge gave none";

/// Reads a record of two games: `model_1` is shown first in the first, `model_2` in the second.
pub(super) fn read_pair(
    row: JudgmentRow<'_>,
    both_games: bool,
    builder: &mut Builder,
) -> Result<(), Error> {
    let item = item_of_turn(row)?;
    let systems = [row.required_name("model_1")?, row.required_name("model_2")?];
    let pair = builder.number_pair(item, systems, row.place)?;
    builder.add_judge(find_judge(row)?);
    let (first, second) = (
        find_winner(row, "g1_winner")?,
        find_winner(row, "g2_winner")?,
    );
    if both_games {
        let agreed = first.zip(second);
        let agreed = agreed.map(|(x, y)| if x == y { x } else { Side::Tie });
        builder.add_side(pair, agreed);
    } else {
        builder.add_side(pair, first);
        builder.add_side(pair.swapped(), second.map(Side::swapped));
    }
    Ok(())
}

/// Reads one graded answer. A score below 0 stands for a reply without one.
pub(super) fn read_single(row: JudgmentRow<'_>, builder: &mut Builder) -> Result<(), Error> {
    let item = builder.number_item(item_of_turn(row)?, row.place)?;
    let system = builder.number_system(row.required_name("model")?, row.place)?;
    builder.add_judge(find_judge(row)?);
    match row.nullable_number("score")?.filter(|score| *score >= 0.0) {
        Some(score) => builder.add_score(RecordedScore {
            item,
            system,
            score,
        }),
        None => builder.add_failure(UNPARSED),
    }
    Ok(())
}

/// Returns the question, with the turn where there is one.
pub(super) fn item_of_turn(row: JudgmentRow<'_>) -> Result<String, Error> {
    let question = row.required_name("question_id")?;
    Ok(match row.optional_name("turn")? {
        Some(turn) => format!("{question}/{turn}"),
        None => question,
    })
}

/// Returns the judge: a name, or a list of a name and the prompt's.
fn find_judge(row: JudgmentRow<'_>) -> Result<Option<String>, Error> {
    let Some(found @ Value::Array(parts)) = row.find("judge") else {
        return Ok(row.optional_name("judge")?);
    };
    match parts.first() {
        Some(Value::String(name)) => Ok(Some(name.clone())),
        _ => Err(row.wrong_value("judge", "a name, or a list that begins with one", found)),
    }
}

/// Returns which of a record's two systems won a game.
fn find_winner(row: JudgmentRow<'_>, field: &str) -> Result<Option<Side>, Error> {
    let found = row.require(field, WINNERS)?;
    match found.as_str() {
        Some("model_1") => Ok(Some(Side::First)),
        Some("model_2") => Ok(Some(Side::Second)),
        Some("tie") => Ok(Some(Side::Tie)),
        Some("error") => Ok(None),
        None if found.is_null() => Ok(None),
        _ => Err(row.unknown_word(field, found, WINNERS)),
    }
}
