//! Battles whose items have names: a comparison a row, made by people or by a judge.

use super::Options;
use super::builder::RecordReader;
use super::games::{JudgeOutput, JudgmentLine, LineReader, RecordedGame, ShownPair};
use super::judgment_row::{JudgmentRow, has_any};
use super::scores::MISSING;
use crate::error::{DataProblem, Result};
use crate::outcomes::{BattleOutcome, Signs, Spelled};
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
    let named = &options.columns;
    let mut columns = USUAL_COLUMNS;
    for (column, named) in columns
        .iter_mut()
        .zip([&named.left, &named.right, &named.winner])
    {
        *column = named.as_deref().unwrap_or(column);
    }
    columns
}

/// Whether a record has the columns of battles, and one that names the item.
pub(super) fn has_columns(first: &Value, options: &Options) -> bool {
    let columns = battle_columns(options).into_iter();
    let mut columns = columns.chain([item_column(options)]);
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
struct Battle {
    item: String,
    systems: [String; 2],
    outcome: BattleOutcome,
    /// Whether the outcome was written as 1, 0 or -1.
    is_sign: bool,
}

/// Reads a battle; None where its word for the winner leaves it out. Of a second turn the item is
/// `QUESTION/2`.
fn parse_battle(row: JudgmentRow<'_>, options: &Options) -> Result<Option<Battle>> {
    let [left, right, winner] = battle_columns(options);
    let word = match row.require(winner, WINNER)? {
        Value::String(word) => word.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null => String::new(),
        other => return Err(row.wrong_value(winner, WINNER, other)),
    };
    let outcomes = &options.columns.outcomes;
    if outcomes.drops(&word) {
        return Ok(None);
    }
    let weight = row.optional_number("weight")?;
    if let Some(weight) = weight.filter(|weight| *weight != 1.0) {
        let found = weight.to_string();
        return Err(DataProblem::Weight { found }.at(row.place));
    }
    let systems = row.required_names([left, right])?;
    let spelled = outcomes.read_word(&word, [&systems[0], &systems[1]]);
    let outcome = spelled.outcome(|| winner.to_owned(), &word);
    let outcome = outcome.map_err(|problem| problem.at(row.place))?;
    let question = row.required_name(item_column(options))?;
    Ok(Some(Battle {
        item: row.item_of_question(question)?,
        systems,
        outcome,
        is_sign: matches!(spelled, Spelled::Sign(_)),
    }))
}

impl RecordReader<'_> {
    /// Keeps a battle as a comparison. Returns its outcome where that was written as 1, 0 or -1.
    pub(super) fn read_battle(&mut self) -> Result<Option<BattleOutcome>> {
        let row = self.row;
        let Some(battle) = parse_battle(row, self.options)? else {
            self.builder.add_failure(MISSING);
            return Ok(None);
        };
        let pair = self.number_pair(battle.item, battle.systems)?;
        // Who judged: a name, or the first of a list.
        let judge = row.find("judge|annotator");
        let judge = judge.and_then(|found| found.get(0).unwrap_or(found).as_str());
        self.builder.add_judge(judge.map(str::to_owned));
        self.builder
            .add_comparison(pair.ended_with(battle.outcome).shown_in_order());
        Ok(battle.is_sign.then_some(battle.outcome))
    }
}

impl LineReader<'_, '_> {
    /// Reads a battle, whose item has a name.
    pub(super) fn read_battle(&mut self, signs: &mut Signs) -> Result {
        let Some(battle) = parse_battle(self.row, self.options)? else {
            return Ok(());
        };
        if battle.is_sign {
            signs.add(battle.outcome);
        }
        let game = RecordedGame {
            question: self.question.clone(),
            item: battle.item,
            shown: ShownPair::Unordered(battle.systems),
            said: JudgeOutput::Shares(battle.outcome.side().certain()),
            recorded: None,
        };
        (self.sink)(JudgmentLine::Battle(game), self.row.place)
    }
}
