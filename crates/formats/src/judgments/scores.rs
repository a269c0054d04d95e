//! A table of scores: a system, a score, and perhaps the item.

use super::builder::Builder;
use super::row::Row;
use super::{Error, Options, Scored};
use serde_json::Value;

/// The kind of failure of an empty score: what its source meant by it is not known.
const MISSING: &str = "missing";

/// One score. Without a column for the item, each record is an item of its own.
pub(super) fn score(
    row: Row<'_>,
    options: &Options,
    named: bool,
    position: u64,
    builder: &mut Builder,
) -> Result<(), Error> {
    let item = if named {
        row.name(item_column(options))?
    } else {
        format!("{}:{}", row.place.source, position + 1)
    };
    let item = builder.item(item, row.place)?;
    let system = builder.system(row.name(system_column(options))?, row.place)?;
    builder.judge(
        row.find("judge|annotator")
            .and_then(Value::as_str)
            .map(str::to_owned),
    );
    match row.number(score_column(options))? {
        Some(score) => builder.score(Scored {
            item,
            system,
            score,
        }),
        None => builder.fail(MISSING),
    }
    Ok(())
}

/// Whether the first record has the columns of the system and the score.
pub(super) fn has_columns(first: &Value, options: &Options) -> bool {
    has(first, system_column(options)) && has(first, score_column(options))
}

/// Whether the items have names: the first record has the column, or the user named one.
pub(super) fn has_item(first: &Value, options: &Options) -> bool {
    options.item.is_some() || has(first, item_column(options))
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

fn has(first: &Value, column: &str) -> bool {
    column.split('|').any(|name| first.get(name).is_some())
}
