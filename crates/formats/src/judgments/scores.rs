//! A table of scores: a system, a score, and perhaps the item.

use super::judgment_row::{JudgmentRow, has_any};
use super::record_reader::RecordReader;
use super::{Options, Result};
use serde_json::Value;

/// The kind of failure of an empty score: what its source meant by it is not known.
const MISSING: &str = "missing";

impl RecordReader<'_> {
    /// Reads one score. Without a column for the item, each record is an item of its own.
    pub(super) fn read_score(&mut self, has_items: bool) -> Result {
        let item = self.score_item(has_items)?;
        let response = self.number_response_in(item, system_column(self.options))?;
        let judge = self.row.find_text("judge|annotator");
        self.builder.add_judge(judge.map(str::to_owned));
        let score = self.row.nullable_number(score_column(self.options))?;
        self.builder.add_score_or(response, score, MISSING);
        Ok(())
    }

    fn score_item(&self, has_items: bool) -> Result<String> {
        if has_items {
            self.row.required_name(item_column(self.options))
        } else {
            Ok(own_item(self.row, self.position))
        }
    }
}

/// Returns the name of a record that is an item of its own.
pub(super) fn own_item(row: JudgmentRow<'_>, position: u64) -> String {
    format!("{}:{}", row.place.source, position + 1)
}

/// Whether the first record has the columns of the system and the score.
pub(super) fn has_columns(first: &Value, options: &Options) -> bool {
    has_any(system_column(options), first) && has_any(score_column(options), first)
}

/// Whether the items have names: the first record has the column, or the user named one.
pub(super) fn has_items(first: &Value, options: &Options) -> bool {
    options.item.is_some() || has_any(item_column(options), first)
}

pub(super) fn system_column(options: &Options) -> &str {
    options.system.as_deref().unwrap_or("system|model")
}

pub(super) fn item_column(options: &Options) -> &str {
    options.item.as_deref().unwrap_or("item|question_id|id")
}

pub(super) fn score_column(options: &Options) -> &str {
    options.score.as_deref().unwrap_or("score")
}
