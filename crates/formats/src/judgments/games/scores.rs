//! A table of scores: a system, a score, and perhaps the item.

use super::super::scores::{item_column, own_item, score_column, system_column};
use super::line_reader::LineReader;
use super::{RecordedGrade, Result};

impl LineReader<'_, '_> {
    /// Reads a score of a table.
    pub(super) fn read_score(&mut self) -> Result {
        let (row, options) = (self.row, self.options);
        let item = row.optional_name(item_column(options))?;
        self.give_grade(RecordedGrade {
            item: item.unwrap_or_else(|| own_item(row, self.position)),
            system: row.required_name(system_column(options))?,
            text: None,
            score: row.nullable_score(score_column(options))?,
        })
    }
}
