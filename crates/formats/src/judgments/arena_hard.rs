//! Arena-Hard-Auto: two games of a system against the baseline, on a scale of five.
//!
//! In the first game the baseline is shown as assistant A, in the second the system is (Li et al.
//! 2024). A `score` is `A>>B`, `A>B`, `A=B`, `B>A` or `B>>A`, in v2 perhaps written the other way
//! round (`A<B`); null is a reply without one.

use super::builder::{Builder, Pair};
use super::row::Row;
use super::{Compared, Error, Options, Strength, UNPARSED, unknown, wrong};
use crate::records::described;
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

const VERDICTS: &str = "`A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`, or null where the judge gave none";

/// A record with the games of one question and system.
pub(super) fn judgment(
    row: Row<'_>,
    options: &Options,
    builder: &mut Builder,
) -> Result<(), Error> {
    let (item, model) = (row.name("question_id|uid")?, row.name("model")?);
    let first = builder.pair(item, baseline(row, options)?, model, row.place)?;
    builder.judge(row.name_if_given("judge|judge_model")?);
    match row.find("games") {
        Some(Value::Array(games)) if matches!(games.len(), 1 | 2) => games
            .iter()
            .zip([("games.0.score", first), ("games.1.score", first.swapped())])
            .try_for_each(|(game, (field, pair))| add(row, game, field, pair, builder)),
        other => {
            let found = other.map_or_else(|| "none".to_owned(), described);
            Err(Error::Games {
                place: row.place.clone(),
                found,
            })
        }
    }
}

/// The record's own, else the one that was given, else that of v0.1.
pub(super) fn baseline(row: Row<'_>, options: &Options) -> Result<String, Error> {
    let given = row
        .name_if_given("baseline")?
        .or_else(|| options.baseline.clone());
    let known = || row.find("question_id").map(|_| "gpt-4-0314".to_owned());
    given.or_else(known).ok_or_else(|| Error::NoBaseline {
        place: row.place.clone(),
    })
}

fn add(
    row: Row<'_>,
    game: &Value,
    field: &str,
    pair: Pair,
    builder: &mut Builder,
) -> Result<(), Error> {
    let score = match game {
        Value::Null => {
            builder.fail(FailureKind::ModelError.name());
            return Ok(());
        }
        Value::Object(game) => game.get("score").unwrap_or(&Value::Null),
        other => return wrong(row, field, "a game with a `score`, or null", other),
    };
    match read(score) {
        Some(Read::Verdict(wins_a, ties, wins_b, strength)) => {
            builder.compare(Compared {
                wins_a,
                ties,
                wins_b,
                strength,
                ..pair.verdict()
            });
            Ok(())
        }
        Some(Read::None) => {
            builder.fail(UNPARSED);
            Ok(())
        }
        None => Err(unknown(row, field, score, VERDICTS)),
    }
}

/// The winner in terms of the slots, whatever its strength; None where there is no verdict.
pub(super) fn side(score: &Value) -> Option<Side> {
    match read(score)? {
        Read::Verdict(first, _, _, _) if first > 0.0 => Some(Side::First),
        Read::Verdict(_, _, second, _) if second > 0.0 => Some(Side::Second),
        Read::Verdict(..) => Some(Side::Tie),
        Read::None => None,
    }
}

enum Read {
    Verdict(f64, f64, f64, Option<Strength>),
    None,
}

/// None where it cannot have been read from a judge's reply.
fn read(score: &Value) -> Option<Read> {
    use Strength::{Great, Slight};
    let word = match score {
        Value::Null => return Some(Read::None),
        other => other.as_str()?.trim(),
    };
    match word {
        "A>>B" | "B<<A" => Some(Read::Verdict(1.0, 0.0, 0.0, Some(Great))),
        "A>B" | "B<A" => Some(Read::Verdict(1.0, 0.0, 0.0, Some(Slight))),
        "A=B" | "B=A" => Some(Read::Verdict(0.0, 1.0, 0.0, None)),
        "B>A" | "A<B" => Some(Read::Verdict(0.0, 0.0, 1.0, Some(Slight))),
        "B>>A" | "A<<B" => Some(Read::Verdict(0.0, 0.0, 1.0, Some(Great))),
        // The tool keeps whatever of these letters stands between the brackets; it counts only the
        // verdicts.
        other if !other.is_empty() && other.chars().all(|c| "AB<>=".contains(c)) => {
            Some(Read::None)
        }
        _ => None,
    }
}
