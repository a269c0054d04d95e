//! Battles whose items have names: a comparison a row, made by people or by a judge.

use super::builder::Builder;
use super::row::Row;
use super::{Error, Options};
use crate::battles::{Outcome, Spelled};
use serde_json::Value;

/// A word for the winner, or a number.
const WINNER: &str = "who won, as a word or a number";

/// The usual columns of the first system, the second and the winner.
const USUAL: [&str; 3] = ["model_a|left", "model_b|right", "winner"];

/// The columns of the first system, the second and the winner.
fn columns(options: &Options) -> [&str; 3] {
    let mut columns = USUAL;
    for (column, named) in columns.iter_mut().zip(&options.battle_columns) {
        *column = named.as_deref().unwrap_or(column);
    }
    columns
}

/// Whether a record has the columns of battles, and one that names the item.
pub(super) fn has_columns(first: &Value, options: &Options) -> bool {
    let has = |column: &str| column.split('|').any(|name| first.get(name).is_some());
    columns(options).into_iter().all(has) && has(ITEM)
}

const ITEM: &str = "question_id|item";

/// One battle, as it stands in a file.
pub(super) struct Battle {
    pub(super) item: String,
    pub(super) systems: [String; 2],
    pub(super) outcome: Outcome,
    /// Whether the outcome was written as 1, 0 or -1.
    pub(super) sign: bool,
}

/// Reads a battle. Of a second turn the item is `QUESTION/2`.
pub(super) fn read(row: Row<'_>, options: &Options) -> Result<Battle, Error> {
    let [left, right, winner] = columns(options);
    let systems = [row.name(left)?, row.name(right)?];
    let word = match row.need(winner, WINNER)? {
        Value::String(word) => word.clone(),
        Value::Number(number) => number.to_string(),
        other => return super::wrong(row, winner, WINNER, other),
    };
    let spelled = options.outcomes.read(&word, [&systems[0], &systems[1]]);
    let unread = |problem| Error::Outcome {
        place: row.place.clone(),
        problem: Box::new(problem),
    };
    let outcome = spelled
        .outcome(|| winner.to_owned(), &word)
        .map_err(unread)?;
    let question = row.name(ITEM)?;
    let item = row
        .name_if_given("turn")?
        .map(|turn| format!("{question}/{turn}"))
        .unwrap_or(question);
    Ok(Battle {
        item,
        systems,
        outcome,
        sign: matches!(spelled, Spelled::Sign(_)),
    })
}

/// Keeps a battle as a comparison. Gives its outcome where that was written as 1, 0 or -1.
pub(super) fn battle(
    row: Row<'_>,
    options: &Options,
    builder: &mut Builder,
) -> Result<Option<Outcome>, Error> {
    let Battle {
        item,
        systems: [a, b],
        outcome,
        sign,
    } = read(row, options)?;
    if let Some(weight) = row
        .number_if_given("weight")?
        .filter(|weight| *weight != 1.0)
    {
        return Err(Error::Weight {
            place: row.place.clone(),
            found: weight.to_string(),
        });
    }
    let mut verdict = builder.pair(item, a, b, row.place)?.verdict();
    let weight = match outcome {
        Outcome::A => &mut verdict.wins_a,
        Outcome::Tie => &mut verdict.ties,
        Outcome::BothBad => &mut verdict.both_bad,
        Outcome::B => &mut verdict.wins_b,
    };
    *weight = 1.0;
    builder.judge(judge(row));
    builder.compare(verdict);
    Ok(sign.then_some(outcome))
}

/// Who judged: a name, or a list that begins with one.
fn judge(row: Row<'_>) -> Option<String> {
    let found = row.find("judge|annotator")?;
    found.get(0).unwrap_or(found).as_str().map(str::to_owned)
}
