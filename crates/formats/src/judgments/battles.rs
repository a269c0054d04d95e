//! Battles whose items have names: a comparison a row, made by people or by a judge.

use super::judgment_row::{JudgmentRow, has_any};
use super::record_reader::RecordReader;
use super::scores::MISSING;
use super::{Error, Options, Result};
use crate::battles::{BattleProblem, Outcome, Spelled};
use evenhand_core::Setting;
use serde_json::Value;

/// A word for the winner, or a number.
const WINNER: &str = "who won, as a word or a number";

/// The usual columns of the first system, the second and the winner.
const USUAL_COLUMNS: [&str; 3] = ["model_a|left|system_a", "model_b|right|system_b", "winner"];

/// Returns the columns that may name the item.
fn item_column(options: &Options) -> &str {
    options.item.as_deref().unwrap_or("question_id|item")
}

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
    let mut columns = battle_columns(options)
        .into_iter()
        .chain([item_column(options)]);
    columns.all(|column| has_any(column, first))
}

/// Says how battles are read that do not name their items; None where these are no battles.
pub(super) fn hint_at_item(first: &Value) -> Option<String> {
    let mut columns = USUAL_COLUMNS.iter();
    columns.all(|column| has_any(column, first)).then(|| {
        format!(
            "; these are battles, which name no item: {} COLUMN says which column does",
            Setting::ItemColumn
        )
    })
}

/// One battle, as it stands in a file.
pub(super) struct Battle {
    pub(super) item: String,
    pub(super) systems: [String; 2],
    pub(super) outcome: Outcome,
    /// Whether the outcome was written as 1, 0 or -1.
    pub(super) is_sign: bool,
}

/// Reads a battle; None where its word for the winner leaves it out. Of a second turn the item is
/// `QUESTION/2`.
pub(super) fn parse_battle(row: JudgmentRow<'_>, options: &Options) -> Result<Option<Battle>> {
    let [left, right, winner] = battle_columns(options);
    if options.outcomes.drops(&winner_word(row, winner)?) {
        return Ok(None);
    }
    let systems = row.required_names([left, right])?;
    let (outcome, is_sign) = read_outcome(row, options, &systems)?;
    let question = row.required_name(item_column(options))?;
    Ok(Some(Battle {
        item: row.item_of_question(question)?,
        systems,
        outcome,
        is_sign,
    }))
}

/// Returns the outcome of a battle of these systems, and whether it was written as a sign.
fn read_outcome(
    row: JudgmentRow<'_>,
    options: &Options,
    [a, b]: &[String; 2],
) -> Result<(Outcome, bool)> {
    let [_, _, column] = battle_columns(options);
    let word = winner_word(row, column)?;
    let spelled = options.outcomes.read_word(&word, [a, b]);
    let outcome = spelled.outcome(|| column.to_owned(), &word);
    let outcome = outcome.map_err(|problem| row.outcome_error(problem))?;
    Ok((outcome, matches!(spelled, Spelled::Sign(_))))
}

fn winner_word(row: JudgmentRow<'_>, column: &str) -> Result<String> {
    match row.require(column, WINNER)? {
        Value::String(word) => Ok(word.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Null => Ok(String::new()),
        other => Err(row.wrong_value(column, WINNER, other)),
    }
}

impl RecordReader<'_> {
    /// Keeps a battle as a comparison. Returns its outcome where that was written as 1, 0 or -1.
    pub(super) fn read_battle(&mut self) -> Result<Option<Outcome>> {
        let Some(battle) = parse_battle(self.row, self.options)? else {
            self.builder.add_failure(MISSING);
            return Ok(None);
        };
        check_weight(self.row)?;
        let pair = self.number_pair(battle.item, battle.systems)?;
        self.builder.add_judge(find_judge(self.row));
        self.builder.add_comparison(pair.ended_with(battle.outcome));
        Ok(battle.is_sign.then_some(battle.outcome))
    }
}

/// Refuses a weight other than 1.
fn check_weight(row: JudgmentRow<'_>) -> Result {
    let weight = row.optional_number("weight")?;
    match weight.filter(|weight| *weight != 1.0) {
        Some(weight) => Err(row.weight_error(weight)),
        None => Ok(()),
    }
}

impl JudgmentRow<'_> {
    fn outcome_error(&self, problem: BattleProblem) -> Error {
        Error::Outcome {
            place: self.place.clone(),
            problem: Box::new(problem),
        }
    }

    fn weight_error(&self, weight: f64) -> Error {
        Error::Weight {
            place: self.place.clone(),
            found: weight.to_string(),
        }
    }
}

/// Returns who judged: a name, or the first of a list.
fn find_judge(row: JudgmentRow<'_>) -> Option<String> {
    let found = row.find("judge|annotator")?;
    let name = found.get(0).unwrap_or(found).as_str()?;
    Some(name.to_owned())
}
