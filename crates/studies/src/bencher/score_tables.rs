//! Published tables that are benchers: each column of scores is one.

use super::table::{Columns, Purpose, Table};
use super::{BencherOptions, BencherSource};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use std::path::Path;

/// A table with the scores of one column.
pub(super) struct ScoreTable {
    /// Empty where the column was not asked for by name.
    pub(super) column: String,
    pub(super) table: Table,
}

impl ScoreTable {
    fn new(column: &str, table: Table) -> ScoreTable {
        ScoreTable {
            column: column.into(),
            table,
        }
    }
}

/// The files of a bencher, which may be tables.
#[derive(Clone, Copy)]
pub(super) struct TableSource<'a> {
    pub(super) source: &'a BencherSource,
    pub(super) options: &'a BencherOptions,
}

impl TableSource<'_> {
    /// Reads the tables that all files of a source are, by score column; none where they hold
    /// judgments.
    pub(super) fn read(self) -> Result<Vec<ScoreTable>, EngineError> {
        // A format that was named is one of judgments.
        if self.options.judged.format.is_some() {
            return Ok(Vec::new());
        }
        match self.options.score_columns.as_slice() {
            [] => Ok(Vec::from_iter(self.main_table()?)),
            columns => self.tables_of_columns(columns),
        }
    }

    fn tables_of_columns(self, columns: &[String]) -> Result<Vec<ScoreTable>, EngineError> {
        let mut tables = Vec::new();
        for column in columns {
            tables.extend(self.table_of_column(column)?);
        }
        if tables.is_empty() {
            self.check_is_no_table()?;
        }
        Ok(tables)
    }

    /// Refuses a table that has none of the columns that were asked for. Anything else may be
    /// judgments.
    fn check_is_no_table(self) -> Result<(), EngineError> {
        match self.main_table()? {
            Some(_) => Err(self.no_score_column().into()),
            None => Ok(()),
        }
    }

    fn main_table(self) -> Result<Option<ScoreTable>, EngineError> {
        let table = self.whole_table(&self.columns(None))?;
        Ok(table.map(|table| ScoreTable::new("", table)))
    }

    fn table_of_column(self, column: &String) -> Result<Option<ScoreTable>, EngineError> {
        let table = self.whole_table(&self.columns(Some(column)))?;
        Ok(table.map(|table| ScoreTable::new(column, table)))
    }

    fn columns(self, score: Option<&String>) -> Columns {
        Columns {
            system: self.options.system_column.clone(),
            score: score.cloned(),
            filter: self.options.judged.filter.clone(),
        }
    }

    /// Reads all files as one table; None where one is no table.
    fn whole_table(self, columns: &Columns) -> Result<Option<Table>, EngineError> {
        let mut whole: Option<Table> = None;
        for file in &self.source.files {
            let Some(table) = Table::read(file, columns, Purpose::Ranking)? else {
                return Ok(None);
            };
            whole = Some(join_tables(whole, table, file)?);
        }
        Ok(whole)
    }

    fn no_score_column(self) -> Refusal {
        let reason = format!(
            "the table of {} has none of the columns {}",
            self.source.name,
            self.options.score_columns.join(", ")
        );
        Refusal::new(Setting::ScoreColumn, Cause::Data, reason)
    }
}

fn join_tables(before: Option<Table>, table: Table, file: &Path) -> Result<Table, EngineError> {
    match before {
        None => Ok(table),
        Some(before) => before.joined_with(table, &file.display().to_string()),
    }
}
