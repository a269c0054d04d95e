//! A table of scores: a system, a score, and perhaps the item.

use super::super::judgment_row::JudgmentRow;
use super::super::scores::{item_column, score_column, system_column};
use super::{Error, JudgmentLine, LineSink, RecordedGrade};
use crate::judgments::Options;

/// Reads a score of a table.
pub(super) fn read_score(
    row: JudgmentRow<'_>,
    options: &Options,
    position: u64,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let item = row.optional_name(item_column(options))?;
    let grade = RecordedGrade {
        item: item.unwrap_or_else(|| format!("{}:{}", row.place.source, position + 1)),
        system: row.required_name(system_column(options))?,
        text: None,
        score: row.nullable_number(score_column(options))?,
    };
    sink(JudgmentLine::Grade(grade), row.place)
}
