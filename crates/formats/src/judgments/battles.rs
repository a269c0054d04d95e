//! Battles whose items have names: a comparison a row, made by people or by a judge.

use super::builder::Builder;
use super::judgment_row::{JudgmentRow, has_any};
use super::{Error, Options};
use crate::battles::{Outcome, Spelled};
use serde_json::Value;

/// A word for the winner, or a number.
const WINNER: &str = "who won, as a word or a number";

/// The usual columns of the first system, the second and the winner.
const USUAL_COLUMNS: [&str; 3] = ["model_a|left", "model_b|right", "winner"];

const ITEM_COLUMN: &str = "question_id|item";

/// Returns the columns of the first system, the second and the winner.
fn battle_columns(options: &Options) -> [&str; 3] {
    let mut columns = USUAL_COLUMNS;
    for (column, named) in columns.iter_mut().zip(&options.battle_columns) {
        *column = named.as_deref().unwrap_or(column);
    }
    columns
}

/// Whether a record has the columns of battles, and one that names the item.
pub(super) fn has_columns(first: &Value, options: &Options) -> bool {
    let mut columns = battle_columns(options).into_iter().chain([ITEM_COLUMN]);
    columns.all(|column| has_any(column, first))
}

/// One battle, as it stands in a file.
pub(super) struct Battle {
    pub(super) item: String,
    pub(super) systems: [String; 2],
    pub(super) outcome: Outcome,
    /// Whether the outcome was written as 1, 0 or -1.
    pub(super) is_sign: bool,
}

/// Reads a battle. Of a second turn the item is `QUESTION/2`.
pub(super) fn parse_battle(row: JudgmentRow<'_>, options: &Options) -> Result<Battle, Error> {
    let [left, right, winner] = battle_columns(options);
    let systems = [row.required_name(left)?, row.required_name(right)?];
    let word = winner_word(row, winner)?;
    let spelled = options
        .outcomes
        .read_word(&word, [&systems[0], &systems[1]]);
    let outcome = spelled.outcome(|| winner.to_owned(), &word);
    let outcome = outcome.map_err(|problem| Error::Outcome {
        place: row.place.clone(),
        problem: Box::new(problem),
    })?;
    let question = row.required_name(ITEM_COLUMN)?;
    Ok(Battle {
        item: match row.optional_name("turn")? {
            Some(turn) => format!("{question}/{turn}"),
            None => question,
        },
        systems,
        outcome,
        is_sign: matches!(spelled, Spelled::Sign(_)),
    })
}

fn winner_word(row: JudgmentRow<'_>, column: &str) -> Result<String, Error> {
    match row.require(column, WINNER)? {
        Value::String(word) => Ok(word.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(row.wrong_value(column, WINNER, other)),
    }
}

/// Keeps a battle as a comparison. Returns its outcome where that was written as 1, 0 or -1.
pub(super) fn read_battle(
    row: JudgmentRow<'_>,
    options: &Options,
    builder: &mut Builder,
) -> Result<Option<Outcome>, Error> {
    let battle = parse_battle(row, options)?;
    check_weight(row)?;
    let pair = builder.number_pair(battle.item, battle.systems, row.place)?;
    let mut verdict = pair.unweighted();
    let weight = match battle.outcome {
        Outcome::A => &mut verdict.wins_a,
        Outcome::Tie => &mut verdict.ties,
        Outcome::BothBad => &mut verdict.both_bad,
        Outcome::B => &mut verdict.wins_b,
    };
    *weight = 1.0;
    builder.add_judge(find_judge(row));
    builder.add_comparison(verdict);
    Ok(battle.is_sign.then_some(battle.outcome))
}

/// Refuses a weight other than 1.
fn check_weight(row: JudgmentRow<'_>) -> Result<(), Error> {
    match row.optional_number("weight")? {
        Some(weight) if weight != 1.0 => Err(Error::Weight {
            place: row.place.clone(),
            found: weight.to_string(),
        }),
        _ => Ok(()),
    }
}

/// Returns who judged: a name, or the first of a list.
fn find_judge(row: JudgmentRow<'_>) -> Option<String> {
    let found = row.find("judge|annotator")?;
    let name = found.get(0).unwrap_or(found).as_str()?;
    Some(name.to_owned())
}
