//! Arena-Hard-Auto: two games of a system against the baseline, on a scale of five.
//!
//! In the first game the baseline is shown as assistant A, in the second the system is (Li et al.
//! 2024). A `score` is `A>>B`, `A>B`, `A=B`, `B>A` or `B>>A`, in v2 perhaps written the other way
//! round (`A<B`); null is a reply without one.

use super::builder::RecordReader;
use super::games::{JudgeOutput, LineReader, ShownPair};
use super::judgment_row::JudgmentRow;
use super::{Options, RecordedComparison, Strength, UNPARSED};
use crate::error::{DataProblem, Result};
use crate::source::json_words::describe_value;
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

const VERDICTS: &str = "`A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`, or null where the judge gave none";
const GAME: &str = "a game with a `score`, or null";
/// The games' scores as errors name them.
const SCORE_FIELDS: [&str; 2] = ["games.0.score", "games.1.score"];

impl RecordReader<'_> {
    /// Reads a record with the games of one question and system.
    pub(super) fn read_games(&mut self) -> Result {
        let row = self.row;
        let item = row.required_name("question_id|uid")?;
        let model = row.required_name("model")?;
        let baseline = find_baseline(row, self.options)?;
        let first = self.number_pair(item, [baseline, model])?;
        self.add_judge_in(&first.systems(), "judge|judge_model")?;
        let games = match row.find("games") {
            Some(Value::Array(games)) if matches!(games.len(), 1 | 2) => games,
            found => {
                let found = found.map_or_else(|| "none".to_owned(), describe_value);
                return Err(DataProblem::Games { found }.at(row.place));
            }
        };
        self.builder.recorded.one_order += u64::from(games.len() == 1);
        let orders = [first, first.swapped()];
        for ((game, field), pair) in games.iter().zip(SCORE_FIELDS).zip(orders) {
            let score = match game {
                Value::Object(game) => game.get("score").unwrap_or(&Value::Null),
                Value::Null => {
                    self.builder.add_failure(FailureKind::ModelError.name());
                    continue;
                }
                other => return Err(row.wrong_value(field, GAME, other)),
            };
            match parse_score(score) {
                Some(GameScore::Verdict(side, strength)) => {
                    self.builder.add_comparison(RecordedComparison {
                        strength,
                        in_order: true,
                        ..pair.won_by(side)
                    });
                }
                Some(GameScore::NoVerdict) => self.builder.add_failure(UNPARSED),
                None => return Err(row.unknown_word(field, score, VERDICTS)),
            }
        }
        Ok(())
    }
}

impl LineReader<'_, '_> {
    /// Reads the games of a record: the baseline is shown first in the first game, the system in
    /// the second.
    pub(super) fn read_games(&mut self) -> Result {
        let item = self.row.required_name("question_id|uid")?;
        let model = self.row.required_name("model")?;
        let baseline = find_baseline(self.row, self.options)?;
        let games = self.row.find("games").and_then(Value::as_array);
        let orders = [[&baseline, &model], [&model, &baseline]];
        for (game, shown) in games.into_iter().flatten().zip(orders) {
            // v2 keeps the text of a judgment in an object.
            let text = game.get("judgment").and_then(|judgment| {
                let text = judgment.as_str();
                text.or_else(|| judgment.get("answer").and_then(Value::as_str))
            });
            let recorded = match game.get("score").and_then(parse_score) {
                Some(GameScore::Verdict(side, _)) => Some(side),
                Some(GameScore::NoVerdict) | None => None,
            };
            // A game that is null has failed.
            let said = match game.is_null() {
                true => JudgeOutput::Nothing(FailureKind::ModelError.name()),
                false => JudgeOutput::of_reply(text, "bracketed-strength", recorded),
            };
            let shown = ShownPair::Systems(shown.map(String::clone));
            self.give_game(item.clone(), shown, said, Some(recorded))?;
        }
        Ok(())
    }
}

/// Returns the record's own baseline, else the one that was given. None is assumed: a system that
/// took no part would be ranked.
fn find_baseline(row: JudgmentRow<'_>, options: &Options) -> Result<String> {
    let given = row.optional_name("baseline")?;
    given
        .or_else(|| options.baseline.clone())
        .ok_or_else(|| DataProblem::NoBaseline.at(row.place))
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
    let (side, strength) = match word {
        "A>>B" | "B<<A" => (Side::First, Some(Strength::Great)),
        "A>B" | "B<A" => (Side::First, Some(Strength::Slight)),
        "A=B" | "B=A" => (Side::Tie, None),
        "B>A" | "A<B" => (Side::Second, Some(Strength::Slight)),
        "B>>A" | "A<<B" => (Side::Second, Some(Strength::Great)),
        // What the tool may have read between brackets: it keeps whatever of these letters stands
        // there, and counts only the verdicts.
        _ => {
            let is_bracketed = !word.is_empty() && word.chars().all(|c| "AB<>=".contains(c));
            return is_bracketed.then_some(GameScore::NoVerdict);
        }
    };
    Some(GameScore::Verdict(side, strength))
}
