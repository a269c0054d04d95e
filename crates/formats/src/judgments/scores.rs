//! A table of scores: a system, a score, and perhaps the item.

use super::builder::Builder;
use super::judgment_row::{JudgmentRow, has_any};
use super::{Error, Options, RecordedScore};
use serde_json::Value;

/// The kind of failure of an empty score: what its source meant by it is not known.
const MISSING: &str = "missing";

/// Reads one score. Without a column for the item, each record is an item of its own.
pub(super) fn read_score(
    row: JudgmentRow<'_>,
    options: &Options,
    has_items: bool,
    position: u64,
    builder: &mut Builder,
) -> Result<(), Error> {
    let item = if has_items {
        row.required_name(item_column(options))?
    } else {
        format!("{}:{}", row.place.source, position + 1)
    };
    let item = builder.number_item(item, row.place)?;
    let system = row.required_name(system_column(options))?;
    let system = builder.number_system(system, row.place)?;
    let judge = row.find_text("judge|annotator");
    builder.add_judge(judge.map(str::to_owned));
    match row.nullable_number(score_column(options))? {
        Some(score) => builder.add_score(RecordedScore {
            item,
            system,
            score,
        }),
        None => builder.add_failure(MISSING),
    }
    Ok(())
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
