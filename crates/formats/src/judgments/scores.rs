//! A table of scores: a system, a score, and perhaps the item.

use super::Options;
use super::builder::{JudgedResponse, RecordReader};
use super::games::LineReader;
use super::judgment_row::{JudgmentRow, has_any};
use crate::error::{DataProblem, Result};
use evenhand_core::split_list;
use serde_json::Value;

/// The kind of failure of an empty score: what its source meant by it is not known.
pub(super) const MISSING: &str = "missing";

impl RecordReader<'_> {
    /// Reads one score. Without a column for the item, each record is an item of its own.
    pub(super) fn read_score(&mut self, has_items: bool) -> Result {
        let row = self.row;
        let item = match has_items {
            true => row.required_name(item_column(self.options))?,
            false => match row.name_if_any(item_column(self.options)) {
                None => own_item(row, self.position),
                // The first record decides, and has none.
                Some(_) => {
                    let field = item_column(self.options).replace('|', "` or `");
                    let problem = DataProblem::ItemsOfSome {
                        field,
                        is_here: true,
                    };
                    return Err(problem.at(row.place));
                }
            },
        };
        if let Some(columns) = wide_columns(row.record, self.options) {
            return self.read_wide(item, columns);
        }
        let response = self.number_response_in(item, system_column(self.options))?;
        match row.find_text("judge") {
            Some(judge) => {
                let judge = Some(judge.to_owned());
                self.builder.add_judge_of(&[response.system], judge);
            }
            None => {
                let person = row.find_text("annotator").map(str::to_owned);
                self.builder.add_judge(person);
            }
        }
        let score = row.nullable_score(score_column(self.options))?;
        self.builder.add_score_or(response, score, MISSING);
        Ok(())
    }

    /// Reads a row with a score of each system, in a column of its name.
    fn read_wide(&mut self, item: String, columns: Vec<String>) -> Result {
        let place = self.row.place;
        let item = self.builder.number_item(item, place)?;
        for column in columns {
            let score = self.row.nullable_score(&column)?;
            let system = self.builder.number_system(column, place)?;
            let response = JudgedResponse { item, system };
            self.builder.add_score_or(response, score, MISSING);
        }
        Ok(())
    }
}

impl LineReader<'_, '_> {
    /// Reads a score of a table.
    pub(super) fn read_score(&mut self) -> Result {
        let (row, options) = (self.row, self.options);
        let item = row.optional_name(item_column(options))?;
        let item = item.unwrap_or_else(|| own_item(row, self.position));
        let system = row.required_name(system_column(options))?;
        let score = row.nullable_score(score_column(options))?;
        self.give_grade(item, system, None, score)
    }
}

/// Returns the name of a record that is an item of its own.
fn own_item(row: JudgmentRow<'_>, position: u64) -> String {
    format!("{}:{}", row.place.source, position + 1)
}

/// Whether the first record has the columns of the system and the score.
pub(super) fn has_columns(first: &Value, options: &Options) -> bool {
    wide_columns(first, options).is_some()
        || has_any(system_column(options), first) && has_any(score_column(options), first)
}

/// Returns the columns of a wide table, which has a column of scores for each system: the user
/// names several. A column whose own name holds commas is found first.
fn wide_columns(record: &Value, options: &Options) -> Option<Vec<String>> {
    let named = options.score.as_deref()?;
    if options.system.is_some() || has_any(named, record) {
        return None;
    }
    let columns = split_list(named);
    (columns.len() > 1 && columns.iter().any(|column| has_any(column, record))).then_some(columns)
}

/// Whether the items have names: the first record has the column, or the user named one.
pub(super) fn has_items(first: &Value, options: &Options) -> bool {
    options.item.is_some() || has_any(item_column(options), first)
}

fn system_column(options: &Options) -> &str {
    options.system.as_deref().unwrap_or("system|model")
}

fn item_column(options: &Options) -> &str {
    options.item.as_deref().unwrap_or("item|question_id|id")
}

fn score_column(options: &Options) -> &str {
    options.score.as_deref().unwrap_or("score")
}
