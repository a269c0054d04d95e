//! Reading the rows of published tables, which need not be tables: what is none is somebody else's
//! to read.

use super::source::open_decompressed;
use super::table::{Columns, Purpose, Table, TableRow, system_twice};
use super::table_fields::{
    bootstrap_scores, column_of, finite_number, interval_ends, lacking_field, wrong_field,
};
use super::table_report::ranking_of;
use evenhand_core::Refusal;
use evenhand_engine::{EngineError, conditions_of};
use evenhand_formats::records::{DataProblem, Input, Place, read_objects};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// The value that a column of systems is to hold.
const A_NAME: &str = "the name of a system";
const SYSTEM: [&str; 4] = ["system", "model", "Model", "name"];
/// Fields of records that are about an item, and not about a system.
const OF_AN_ITEM: [&str; 8] = [
    "item",
    "question_id",
    "uid",
    "instruction_id",
    "instruction",
    "idx",
    "trial",
    "judgment",
];

impl Table {
    /// Reads the table in a file; None where it is no table: a record for each response, or without
    /// a system or a score.
    pub(super) fn read(
        path: &Path,
        columns: &Columns,
        purpose: Purpose,
    ) -> Result<Option<Table>, EngineError> {
        let reader = TableReader { columns, purpose };
        match ranking_of(path)? {
            Some(ranking) => reader.table_of_report(path, &ranking).map(Some),
            None => reader.table_of_records(path),
        }
    }
}

/// Which columns of a file are read, and what for.
#[derive(Clone, Copy)]
struct TableReader<'a> {
    columns: &'a Columns,
    purpose: Purpose,
}

impl<'a> TableReader<'a> {
    fn table_of_report(self, path: &Path, ranking: &[Value]) -> Result<Table, EngineError> {
        let place = &Place::file(path.display().to_string().as_str());
        let mut table = Table {
            ranked: true,
            ..Table::default()
        };
        for row in ranking {
            self.record(row, place).add_to(&mut table)?;
        }
        Ok(table)
    }

    /// Reads a table with a record for each system; None where the file is no such table.
    fn table_of_records(self, path: &Path) -> Result<Option<Table>, EngineError> {
        let name = path.display().to_string();
        let filter = conditions_of(&self.columns.filter, &[path.to_path_buf()]);
        let input = Input {
            filter: Some(&filter),
            ..Input::new(&name)
        };
        let mut begun = BegunTable::new(self, &name);
        let file = open_decompressed(path)?;
        match read_objects(file, &input, |record, place| begun.add(&record, place)) {
            Ok(_) => Ok(Some(begun.table)),
            Err(stop) => begun.error(stop).map_or(Ok(None), Err),
        }
    }

    fn record(self, record: &'a Value, place: &'a Place) -> TableRecord<'a> {
        TableRecord {
            reader: self,
            record,
            place,
        }
    }

    fn system_column(self, record: &Value) -> Option<&'a str> {
        column_of(record, self.columns.system.as_deref(), &SYSTEM)
    }

    fn score_column(self, record: &Value) -> Option<&'a str> {
        let named = self.columns.score.as_deref();
        column_of(record, named, self.purpose.score_names())
    }

    /// Whether a record is a system's score and not a response's.
    fn is_of_table(self, record: &Value) -> bool {
        self.system_column(record).is_some()
            && self.score_column(record).is_some()
            && !is_of_item(record)
    }
}

fn is_of_item(record: &Value) -> bool {
    OF_AN_ITEM.iter().any(|field| record.get(field).is_some())
}

/// A table of which records were read, perhaps none yet.
struct BegunTable<'a> {
    reader: TableReader<'a>,
    name: &'a str,
    table: Table,
    /// Whether a record was one of a table.
    has_begun: bool,
    /// The systems that have a row.
    systems: HashSet<String>,
}

impl<'a> BegunTable<'a> {
    fn new(reader: TableReader<'a>, name: &'a str) -> BegunTable<'a> {
        BegunTable {
            reader,
            name,
            table: Table::default(),
            has_begun: false,
            systems: HashSet::new(),
        }
    }

    fn add(&mut self, record: &Value, place: &Place) -> Result<(), ReadStop> {
        self.has_begun = self.has_begun || self.reader.is_of_table(record);
        if !self.has_begun {
            return Err(ReadStop::NoTable);
        }
        let record = TableRecord {
            reader: self.reader,
            record,
            place,
        };
        record.add_to(&mut self.table)?;
        self.check_last_row()
    }

    /// Stops at a system that has a row already, which makes the file no table, or an error where
    /// columns were named; so no more than one row for each system is held of a file of any length.
    fn check_last_row(&mut self) -> Result<(), ReadStop> {
        self.table.check_size(self.name)?;
        // A record without a score added no row.
        let is_new = self.table.rows.len() > self.systems.len();
        match self.table.rows.last().filter(|_| is_new) {
            Some(row) if !self.systems.insert(row.system.clone()) => {
                Err(self.stop_at_second_row(&row.system))
            }
            _ => Ok(()),
        }
    }

    fn stop_at_second_row(&self, system: &str) -> ReadStop {
        if self.reader.columns.score.is_some() {
            system_twice(self.name, system).into()
        } else {
            ReadStop::NoTable
        }
    }

    /// Returns the error that ended the reading. What is no table from its beginning is somebody
    /// else's to read, or to refuse.
    fn error(&self, stop: ReadStop) -> Option<EngineError> {
        match stop {
            ReadStop::Wrong(error) if self.has_begun || names_a_column_twice(&error) => Some(error),
            _ => None,
        }
    }
}

/// A record of a table, and how it is read.
#[derive(Clone, Copy)]
struct TableRecord<'a> {
    reader: TableReader<'a>,
    record: &'a Value,
    place: &'a Place,
}

impl<'a> TableRecord<'a> {
    fn add_to(self, table: &mut Table) -> Result<(), EngineError> {
        let system = self.system()?;
        let column = self.score_column()?;
        table.ranked |= self.record.get("rank_low").is_some();
        match self.number(column)? {
            Some(score) => table.rows.push(TableRow {
                system,
                ..self.scored_row(score, column, table.ranked)?
            }),
            None => table.without.push(system),
        }
        Ok(())
    }

    fn number(self, column: &str) -> Result<Option<f64>, EngineError> {
        Ok(finite_number(self.record, column, self.place)?)
    }

    fn score_column(self) -> Result<&'a str, Refusal> {
        let column = self.reader.score_column(self.record);
        column.ok_or_else(|| {
            let named = self.reader.columns.score.as_deref().unwrap_or("score");
            lacking_field(self.record, self.place, named, "a number")
        })
    }

    fn system_column(self) -> Result<&'a str, Refusal> {
        let column = self.reader.system_column(self.record);
        column.ok_or_else(|| {
            let named = self.reader.columns.system.as_deref().unwrap_or("system");
            lacking_field(self.record, self.place, named, A_NAME)
        })
    }

    fn system(self) -> Result<String, Refusal> {
        let column = self.system_column()?;
        let value = self.record.get(column);
        let name = value.and_then(system_name);
        name.ok_or_else(|| wrong_field(self.place, column, A_NAME, value))
    }

    /// Returns what a system is ordered by: in a ranking its rank, of which the smaller is better,
    /// where it has one; else its score.
    fn order(self, score: f64, is_ranked: bool) -> Result<f64, EngineError> {
        if is_ranked {
            Ok(self.number("rank")?.map_or(score, |rank| -rank))
        } else {
            Ok(score)
        }
    }

    /// Returns a score, what its system is ordered by, and how uncertain it is.
    fn scored_row(
        self,
        score: f64,
        column: &str,
        is_ranked: bool,
    ) -> Result<TableRow, EngineError> {
        let order = self.order(score, is_ranked)?;
        // The ends and draws that a record has are those of a table's main score.
        let uncertainty = if self.reader.purpose.score_names().contains(&column) {
            self.uncertainty()?
        } else {
            TableRow::default()
        };
        Ok(TableRow {
            score,
            order,
            ..uncertainty
        })
    }

    /// Returns a row that has the interval and the bootstrap scores alone.
    fn uncertainty(self) -> Result<TableRow, EngineError> {
        Ok(TableRow {
            ends: interval_ends(self.record, self.place)?,
            draws: bootstrap_scores(self.record, self.place)?,
            ..TableRow::default()
        })
    }
}

/// Returns the name that a field holds; None where it is none.
fn system_name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.trim().to_string()).filter(|name| !name.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Why the reading of a table ended early.
enum ReadStop {
    NoTable,
    Wrong(EngineError),
}

impl<E: Into<EngineError>> From<E> for ReadStop {
    fn from(error: E) -> Self {
        ReadStop::Wrong(error.into())
    }
}

/// Whether a header names a column twice. Such a file is a table all the same, and no other reader
/// says better what is wrong with it.
fn names_a_column_twice(error: &EngineError) -> bool {
    matches!(error, EngineError::Data(error) if matches!(*error.problem, DataProblem::TwiceInHeader(_)))
}
