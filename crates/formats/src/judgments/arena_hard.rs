//! Arena-Hard-Auto: two games of a system against the baseline, on a scale of five.
//!
//! In the first game the baseline is shown as assistant A, in the second the system is (Li et al.
//! 2024). A `score` is `A>>B`, `A>B`, `A=B`, `B>A` or `B>>A`, in v2 perhaps written the other way
//! round (`A<B`); null is a reply without one.

use super::builder::{Builder, JudgedPair};
use super::judgment_row::JudgmentRow;
use super::{Error, Options, RecordedComparison, Strength, UNPARSED};
use crate::records::describe_value;
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

const VERDICTS: &str = "`A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`, or null where the judge gave none";

/// Reads a record with the games of one question and system.
pub(super) fn read_games(
    row: JudgmentRow<'_>,
    options: &Options,
    builder: &mut Builder,
) -> Result<(), Error> {
    let (item, model) = (
        row.required_name("question_id|uid")?,
        row.required_name("model")?,
    );
    let systems = [find_baseline(row, options)?, model];
    let first = builder.number_pair(item, systems, row.place)?;
    builder.add_judge(row.optional_name("judge|judge_model")?);
    let games = match row.find("games") {
        Some(Value::Array(games)) if matches!(games.len(), 1 | 2) => games,
        other => {
            return Err(Error::Games {
                place: row.place.clone(),
                found: other.map_or_else(|| "none".to_owned(), describe_value),
            });
        }
    };
    let pairs = [("games.0.score", first), ("games.1.score", first.swapped())];
    for (game, (field, pair)) in games.iter().zip(pairs) {
        add_game(row, game, field, pair, builder)?;
    }
    Ok(())
}

/// Returns the record's own baseline, else the one that was given, else that of v0.1.
pub(super) fn find_baseline(row: JudgmentRow<'_>, options: &Options) -> Result<String, Error> {
    let given = row.optional_name("baseline")?;
    if let Some(baseline) = given.or_else(|| options.baseline.clone()) {
        Ok(baseline)
    } else if row.has_field("question_id") {
        Ok("gpt-4-0314".to_owned())
    } else {
        Err(Error::NoBaseline {
            place: row.place.clone(),
        })
    }
}

fn add_game(
    row: JudgmentRow<'_>,
    game: &Value,
    field: &str,
    pair: JudgedPair,
    builder: &mut Builder,
) -> Result<(), Error> {
    let score = match game {
        Value::Null => {
            builder.add_failure(FailureKind::ModelError.name());
            return Ok(());
        }
        Value::Object(game) => game.get("score").unwrap_or(&Value::Null),
        other => {
            let expected = "a game with a `score`, or null";
            return Err(row.wrong_value(field, expected, other));
        }
    };
    match parse_score(score) {
        Some(GameScore::Verdict(side, strength)) => builder.add_comparison(RecordedComparison {
            strength,
            ..pair.won_by(side)
        }),
        Some(GameScore::NoVerdict) => builder.add_failure(UNPARSED),
        None => return Err(row.unknown_word(field, score, VERDICTS)),
    }
    Ok(())
}

/// Returns the winner in terms of the slots, whatever its strength; `None` where there is no
/// verdict.
pub(super) fn winning_side(score: &Value) -> Option<Side> {
    match parse_score(score)? {
        GameScore::Verdict(side, _) => Some(side),
        GameScore::NoVerdict => None,
    }
}

enum GameScore {
    Verdict(Side, Option<Strength>),
    NoVerdict,
}

/// Parses a score; `None` where it cannot have been read from a judge's reply.
fn parse_score(score: &Value) -> Option<GameScore> {
    let word = match score {
        Value::Null => return Some(GameScore::NoVerdict),
        other => other.as_str()?.trim(),
    };
    let (side, strength) = match word {
        "A>>B" | "B<<A" => (Side::First, Some(Strength::Great)),
        "A>B" | "B<A" => (Side::First, Some(Strength::Slight)),
        "A=B" | "B=A" => (Side::Tie, None),
        "B>A" | "A<B" => (Side::Second, Some(Strength::Slight)),
        "B>>A" | "A<<B" => (Side::Second, Some(Strength::Great)),
        other => return is_bracketed_word(other).then_some(GameScore::NoVerdict),
    };
    Some(GameScore::Verdict(side, strength))
}

/// Whether the tool may have read this between brackets: it keeps whatever of these letters stands
/// there, and counts only the verdicts.
fn is_bracketed_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| "AB<>=".contains(c))
}
