//! Arena-Hard-Auto: two games of a system against the baseline, on a scale of five.
//!
//! In the first game the baseline is shown as assistant A, in the second the system is (Li et al.
//! 2024). A `score` is `A>>B`, `A>B`, `A=B`, `B>A` or `B>>A`, in v2 perhaps written the other way
//! round (`A<B`); null is a reply without one.

use super::builder::JudgedPair;
use super::judgment_row::JudgmentRow;
use super::record_reader::RecordReader;
use super::{Error, Options, RecordedComparison, Result, Strength, UNPARSED};
use crate::records::describe_value;
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

const VERDICTS: &str = "`A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`, or null where the judge gave none";
const GAME: &str = "a game with a `score`, or null";
/// The games' scores as errors name them.
const SCORE_FIELDS: [&str; 2] = ["games.0.score", "games.1.score"];

impl RecordReader<'_> {
    /// Reads a record with the games of one question and system.
    pub(super) fn read_games(&mut self) -> Result {
        let first = self.number_played()?;
        self.add_judge_in(&first.systems(), "judge|judge_model")?;
        let games = find_games(self.row)?;
        self.builder.recorded.one_order += u64::from(games.len() == 1);
        let orders = [first, first.swapped()];
        for ((game, field), pair) in games.iter().zip(SCORE_FIELDS).zip(orders) {
            self.add_game(game, field, pair)?;
        }
        Ok(())
    }

    /// Numbers the question, the baseline and the system that plays against it.
    fn number_played(&mut self) -> Result<JudgedPair> {
        let item = self.row.required_name("question_id|uid")?;
        let model = self.row.required_name("model")?;
        let baseline = find_baseline(self.row, self.options)?;
        self.number_pair(item, [baseline, model])
    }

    fn add_game(&mut self, game: &Value, field: &str, pair: JudgedPair) -> Result {
        match game {
            Value::Object(game) => self.add_score(game.get("score"), field, pair),
            Value::Null => {
                self.builder.add_failure(FailureKind::ModelError.name());
                Ok(())
            }
            other => Err(self.row.wrong_value(field, GAME, other)),
        }
    }

    fn add_score(&mut self, score: Option<&Value>, field: &str, pair: JudgedPair) -> Result {
        let score = score.unwrap_or(&Value::Null);
        match parse_score(score) {
            Some(GameScore::Verdict(side, strength)) => self.add_verdict(pair, side, strength),
            Some(GameScore::NoVerdict) => self.builder.add_failure(UNPARSED),
            None => return Err(self.row.unknown_word(field, score, VERDICTS)),
        }
        Ok(())
    }

    fn add_verdict(&mut self, pair: JudgedPair, side: Side, strength: Option<Strength>) {
        self.builder.add_comparison(RecordedComparison {
            strength,
            ..pair.won_by(side)
        });
    }
}

fn find_games(row: JudgmentRow<'_>) -> Result<&Vec<Value>> {
    let found = row.find("games");
    let games = found.and_then(Value::as_array);
    games
        .filter(|games| matches!(games.len(), 1 | 2))
        .ok_or_else(|| row.wrong_games(found))
}

impl JudgmentRow<'_> {
    fn wrong_games(&self, found: Option<&Value>) -> Error {
        Error::Games {
            place: self.place.clone(),
            found: found.map_or_else(|| "none".to_owned(), describe_value),
        }
    }

    fn no_baseline(&self) -> Error {
        let place = self.place.clone();
        Error::NoBaseline { place }
    }
}

/// Returns the record's own baseline, else the one that was given. None is assumed: a system that
/// took no part would be ranked.
pub(super) fn find_baseline(row: JudgmentRow<'_>, options: &Options) -> Result<String> {
    let given = row.optional_name("baseline")?;
    given
        .or_else(|| options.baseline.clone())
        .ok_or_else(|| row.no_baseline())
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
    if score.is_null() {
        return Some(GameScore::NoVerdict);
    }
    let word = score.as_str()?.trim();
    match read_verdict(word) {
        Some((side, strength)) => Some(GameScore::Verdict(side, strength)),
        None => is_bracketed_word(word).then_some(GameScore::NoVerdict),
    }
}

fn read_verdict(word: &str) -> Option<(Side, Option<Strength>)> {
    match word {
        "A>>B" | "B<<A" => Some((Side::First, Some(Strength::Great))),
        "A>B" | "B<A" => Some((Side::First, Some(Strength::Slight))),
        "A=B" | "B=A" => Some((Side::Tie, None)),
        "B>A" | "A<B" => Some((Side::Second, Some(Strength::Slight))),
        "B>>A" | "A<<B" => Some((Side::Second, Some(Strength::Great))),
        _ => None,
    }
}

/// Whether the tool may have read this between brackets: it keeps whatever of these letters stands
/// there, and counts only the verdicts.
fn is_bracketed_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| "AB<>=".contains(c))
}
