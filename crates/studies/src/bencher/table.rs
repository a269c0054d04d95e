//! Published tables: a row for each system with its score, perhaps an interval, perhaps bootstrap
//! scores.

use super::source::open_decompressed;
use super::table_fields::{
    bootstrap_scores, column_of, finite_number, interval_ends, lacking_field, wrong_field,
};
use evenhand_core::Setting;
use evenhand_engine::{EngineError, conditions_of};
use evenhand_formats::records::{DataError, DataProblem, Filter, Input, Place, read_objects};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::io::{BufRead, Read};
use std::path::Path;

/// The columns of a table; None: the usual names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The system.
    pub system: Option<String>,
    /// The score or rating.
    pub score: Option<String>,
    /// Which rows are read, as far as the table has the fields.
    pub filter: Filter,
}

/// One system of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TableRow {
    pub(super) system: String,
    pub(super) score: f64,
    /// What systems are ordered by, higher better: the score, or a rank that the table gives.
    pub(super) order: f64,
    pub(super) ends: Option<[f64; 2]>,
    /// Bootstrap scores.
    pub(super) draws: Vec<f64>,
}

/// A table, and the systems in it that have no score.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    pub(super) rows: Vec<TableRow>,
    pub(super) without: Vec<String>,
    /// Whether the ranks are those of `evenhand leaderboard` or `rank`.
    pub(super) ranked: bool,
}

/// The value that a column of systems is to hold.
const A_NAME: &str = "the name of a system";
const SYSTEM: [&str; 4] = ["system", "model", "Model", "name"];
const SCORE: [&str; 5] = ["score", "win_rate", "rating", "elo", "mean_score"];
const RATING: [&str; 4] = ["rating", "score", "elo", "win_rate"];
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

/// The most rows that a table may have.
const MOST_ROWS: usize = 100_000;

/// The most bytes of a report that are read, decompressed.
const MOST_BYTES: u64 = 64 << 20;

/// What a table is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Ranking,
    Ratings,
}

impl Purpose {
    /// Returns the usual names of the score's column, the first to be tried first.
    fn score_names(self) -> &'static [&'static str] {
        match self {
            Purpose::Ranking => &SCORE,
            Purpose::Ratings => &RATING,
        }
    }
}

/// Which columns of a file are read, and what for.
#[derive(Clone, Copy)]
struct TableReader<'a> {
    columns: &'a Columns,
    purpose: Purpose,
}

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

    /// Keeps only these systems; without a selection, all.
    pub(super) fn only_systems(mut self, systems: Option<&[String]>) -> Table {
        if let Some(systems) = systems {
            self.rows.retain(|row| systems.contains(&row.system));
            self.without.retain(|system| systems.contains(system));
        }
        self
    }

    /// Joins two tables.
    ///
    /// # Errors
    /// A system that is in both.
    pub(super) fn joined_with(mut self, other: Table, name: &str) -> Result<Table, EngineError> {
        if let Some(row) = other.rows.iter().find(|row| self.has_row_of(&row.system)) {
            return Err(system_twice(name, &row.system));
        }
        self.rows.extend(other.rows);
        self.without.extend(other.without);
        Ok(self)
    }

    fn has_row_of(&self, system: &str) -> bool {
        self.rows.iter().any(|row| row.system == system)
    }

    fn check_size(&self, name: &str) -> Result<(), EngineError> {
        if self.rows.len() + self.without.len() <= MOST_ROWS {
            return Ok(());
        }
        Err(EngineError::Setting(format!(
            "{name}: the table has more than {MOST_ROWS} rows"
        )))
    }

    /// Returns what a system is ordered by: in a ranking its rank, of which the smaller is better,
    /// where it has one; else its score.
    fn order_of(&self, score: f64, record: &Value, place: &Place) -> Result<f64, EngineError> {
        if !self.ranked {
            return Ok(score);
        }
        let rank = finite_number(record, "rank", place)?;
        Ok(rank.map_or(score, |rank| -rank))
    }
}

impl TableReader<'_> {
    fn table_of_report(self, path: &Path, ranking: &[Value]) -> Result<Table, EngineError> {
        let place = Place::file(path.display().to_string().as_str());
        let mut table = Table {
            ranked: true,
            ..Table::default()
        };
        for row in ranking {
            self.add_record(&mut table, row, &place)?;
        }
        Ok(table)
    }

    fn table_of_records(self, path: &Path) -> Result<Option<Table>, EngineError> {
        let name = path.display().to_string();
        let (mut table, mut begun, mut systems) = (Table::default(), false, HashSet::new());
        let filter = conditions_of(&self.columns.filter, &[path.to_path_buf()]);
        let input = Input {
            filter: Some(&filter),
            ..Input::new(&name)
        };
        let read = read_objects(open_decompressed(path)?, &input, |record, place| {
            begun = begun || self.is_of_table(&record);
            if !begun {
                return Err(ReadStop::NoTable);
            }
            self.add_record(&mut table, &record, place)?;
            self.check_last_row(&table, &mut systems, &name)
        });
        match read {
            Ok(_) => Ok(Some(table)),
            // What is no table from its beginning is somebody else's to read, or to refuse.
            Err(ReadStop::NoTable) => Ok(None),
            Err(ReadStop::Wrong(error)) if !begun && !names_a_column_twice(&error) => Ok(None),
            Err(ReadStop::Wrong(error)) => Err(error),
        }
    }

    fn system_column(&self, record: &Value) -> Option<&str> {
        column_of(record, self.columns.system.as_deref(), &SYSTEM)
    }

    fn score_column(&self, record: &Value) -> Option<&str> {
        let named = self.columns.score.as_deref();
        column_of(record, named, self.purpose.score_names())
    }

    /// Whether a record is a system's score and not a response's.
    fn is_of_table(&self, record: &Value) -> bool {
        let is_there = |field: &&str| record.get(*field).is_some();
        self.system_column(record).is_some()
            && self.score_column(record).is_some()
            && !OF_AN_ITEM.iter().any(is_there)
    }

    fn add_record(
        &self,
        table: &mut Table,
        record: &Value,
        place: &Place,
    ) -> Result<(), EngineError> {
        let system = self.system_name(record, place)?;
        let column = self.score_column(record);
        let column = column.ok_or_else(|| self.lacking_score(record, place))?;
        table.ranked |= record.get("rank_low").is_some();
        let Some(score) = finite_number(record, column, place)? else {
            table.without.push(system);
            return Ok(());
        };
        let row = TableRow {
            system,
            score,
            order: table.order_of(score, record, place)?,
            ends: None,
            draws: Vec::new(),
        };
        table
            .rows
            .push(self.with_uncertainty(row, column, record, place)?);
        Ok(())
    }

    fn lacking_score(&self, record: &Value, place: &Place) -> EngineError {
        let named = self.columns.score.as_deref().unwrap_or("score");
        lacking_field(record, place, named, "a number")
    }

    /// Adds the ends and draws that the record has: they are those of a table's main score.
    fn with_uncertainty(
        &self,
        row: TableRow,
        column: &str,
        record: &Value,
        place: &Place,
    ) -> Result<TableRow, EngineError> {
        if !self.purpose.score_names().contains(&column) {
            return Ok(row);
        }
        Ok(TableRow {
            ends: interval_ends(record, place)?,
            draws: bootstrap_scores(record, place)?,
            ..row
        })
    }

    fn system_name(&self, record: &Value, place: &Place) -> Result<String, EngineError> {
        let Some(column) = self.system_column(record) else {
            let named = self.columns.system.as_deref().unwrap_or("system");
            return Err(lacking_field(record, place, named, A_NAME));
        };
        match record.get(column) {
            Some(Value::String(name)) if !name.trim().is_empty() => Ok(name.trim().to_string()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            other => Err(wrong_field(place, column, A_NAME, other)),
        }
    }

    /// Stops at a system that has a row already, which makes the file no table, or an error where
    /// columns were named; so no more than one row for each system is held of a file of any length.
    fn check_last_row(
        &self,
        table: &Table,
        systems: &mut HashSet<String>,
        name: &str,
    ) -> Result<(), ReadStop> {
        table.check_size(name)?;
        // A record without a score added no row.
        let is_new = table.rows.len() > systems.len();
        match table.rows.last().filter(|_| is_new) {
            Some(row) if !systems.insert(row.system.clone()) => {
                Err(self.stop_at_second_row(name, &row.system))
            }
            _ => Ok(()),
        }
    }

    fn stop_at_second_row(&self, name: &str, system: &str) -> ReadStop {
        if self.columns.score.is_some() {
            system_twice(name, system).into()
        } else {
            ReadStop::NoTable
        }
    }
}

/// Why the reading of a table ended early.
enum ReadStop {
    NoTable,
    Wrong(EngineError),
}

impl From<EngineError> for ReadStop {
    fn from(error: EngineError) -> Self {
        ReadStop::Wrong(error)
    }
}

impl From<DataError> for ReadStop {
    fn from(error: DataError) -> Self {
        ReadStop::Wrong(error.into())
    }
}

/// Whether a header names a column twice. Such a file is a table all the same, and no other reader
/// says better what is wrong with it.
fn names_a_column_twice(error: &EngineError) -> bool {
    matches!(error, EngineError::Data(error) if matches!(*error.problem, DataProblem::TwiceInHeader(_)))
}

fn system_twice(name: &str, system: &str) -> EngineError {
    EngineError::Setting(format!(
        "{name}: the system {system} is there twice; expected one row for each system"
    ))
}

/// What is read of a report of `evenhand rank` or `leaderboard` as JSON; all else is passed over
/// and not kept.
#[derive(Deserialize)]
struct JsonReport {
    ranking: Vec<Map<String, Value>>,
}

/// Returns the `ranking` of a report as JSON; None where the file is no report.
fn ranking_of(path: &Path) -> Result<Option<Vec<Value>>, EngineError> {
    let mut file = open_decompressed(path)?;
    if !begins_with_object(&mut file) {
        return Ok(None);
    }
    let reader = serde_json::Deserializer::from_reader(file.take(MOST_BYTES));
    let mut values = reader.into_iter::<JsonReport>();
    let Some(Ok(report)) = values.next() else {
        return Ok(None);
    };
    let end = values.byte_offset();
    if values.next().is_some() {
        return Err(more_after_report(path, end));
    }
    let rows = report.ranking.into_iter();
    Ok(Some(rows.map(Value::Object).collect()))
}

fn begins_with_object(file: &mut impl BufRead) -> bool {
    let begin = file.fill_buf();
    begin.is_ok_and(|text| text.trim_ascii_start().starts_with(b"{"))
}

fn more_after_report(path: &Path, end: usize) -> EngineError {
    EngineError::Setting(format!(
        "{}: there is more after the report, which ends at byte {end}; expected one report of \
         `{} json` and nothing else",
        path.display(),
        Setting::Format
    ))
}
