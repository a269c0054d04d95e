//! MT-Bench (Zheng et al. 2023): pairs judged in both orders, and single answers graded.

use super::builder::{Builder, Pair};
use super::row::Row;
use super::{Compared, Error, Scored, UNPARSED, unknown, wrong};
use serde_json::Value;

const WINNERS: &str = "`model_1`, `model_2`, `tie`, or `error` where the judge gave none";

/// Which of a record's two systems won a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Winner {
    First,
    Second,
    Tie,
}

/// A record of two games: `model_1` is shown first in the first, `model_2` in the second.
pub(super) fn pair(row: Row<'_>, both_games: bool, builder: &mut Builder) -> Result<(), Error> {
    let pair = builder.pair(
        item(row)?,
        row.name("model_1")?,
        row.name("model_2")?,
        row.place,
    )?;
    builder.judge(judge(row)?);
    let (first, second) = (winner(row, "g1_winner")?, winner(row, "g2_winner")?);
    if both_games {
        add(
            first
                .zip(second)
                .map(|(x, y)| if x == y { x } else { Winner::Tie }),
            pair,
            builder,
        );
    } else {
        add(first, pair, builder);
        add(second.map(mirrored), pair.swapped(), builder);
    }
    Ok(())
}

/// One graded answer. A score below 0 stands for a reply without one.
pub(super) fn single(row: Row<'_>, builder: &mut Builder) -> Result<(), Error> {
    let item = builder.item(item(row)?, row.place)?;
    let system = builder.system(row.name("model")?, row.place)?;
    builder.judge(judge(row)?);
    match row.number("score")?.filter(|score| *score >= 0.0) {
        Some(score) => builder.score(Scored {
            item,
            system,
            score,
        }),
        None => builder.fail(UNPARSED),
    }
    Ok(())
}

/// The question, and the turn where there is one.
pub(super) fn item(row: Row<'_>) -> Result<String, Error> {
    let question = row.name("question_id")?;
    Ok(match row.name_if_given("turn")? {
        Some(turn) => format!("{question}/{turn}"),
        None => question,
    })
}

/// A name, or a list of a name and the prompt's.
fn judge(row: Row<'_>) -> Result<Option<String>, Error> {
    match row.find("judge") {
        Some(Value::Array(parts)) => match parts.first() {
            Some(Value::String(name)) => Ok(Some(name.clone())),
            _ => wrong(
                row,
                "judge",
                "a name, or a list that begins with one",
                &Value::Array(parts.clone()),
            ),
        },
        _ => Ok(row.name_if_given("judge")?),
    }
}

fn winner(row: Row<'_>, field: &str) -> Result<Option<Winner>, Error> {
    let found = row.need(field, WINNERS)?;
    match found.as_str() {
        Some("model_1") => Ok(Some(Winner::First)),
        Some("model_2") => Ok(Some(Winner::Second)),
        Some("tie") => Ok(Some(Winner::Tie)),
        Some("error") => Ok(None),
        None if found.is_null() => Ok(None),
        _ => Err(unknown(row, field, found, WINNERS)),
    }
}

fn mirrored(winner: Winner) -> Winner {
    match winner {
        Winner::First => Winner::Second,
        Winner::Second => Winner::First,
        Winner::Tie => Winner::Tie,
    }
}

fn add(winner: Option<Winner>, pair: Pair, builder: &mut Builder) {
    let verdict = pair.verdict();
    match winner {
        Some(Winner::First) => builder.compare(Compared {
            wins_a: 1.0,
            ..verdict
        }),
        Some(Winner::Second) => builder.compare(Compared {
            wins_b: 1.0,
            ..verdict
        }),
        Some(Winner::Tie) => builder.compare(Compared {
            ties: 1.0,
            ..verdict
        }),
        None => builder.fail(UNPARSED),
    }
}
