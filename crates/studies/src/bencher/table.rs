//! Published tables: a row for each system with its score, perhaps an interval, perhaps bootstrap
//! scores. A file need not be one: what is none is somebody else's to read.

use super::source::open_decompressed;
use super::table_record::{Columns, Purpose, RecordReader, TableRow};
use evenhand_core::{Refusal, Setting};
use evenhand_engine::{EngineError, conditions_of};
use evenhand_formats::records::{DataProblem, Input, Place, read_objects};
use serde::Deserialize;
use serde_json::{Deserializer, Map, Value};
use std::collections::HashSet;
use std::io::{BufRead, Read};
use std::path::Path;

/// A table, and the systems in it that have no score.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    pub(super) rows: Vec<TableRow>,
    pub(super) without: Vec<String>,
    /// Whether the ranks are those of `evenhand leaderboard` or `rank`.
    pub(super) ranked: bool,
}

/// The most rows that a table may have.
const MOST_ROWS: usize = 100_000;
/// The most bytes of a report that are read, decompressed.
const MOST_BYTES: u64 = 64 << 20;

impl Table {
    /// Reads the table in a file; None where it is no table: a record for each response, or without
    /// a system or a score.
    pub(super) fn read(
        path: &Path,
        columns: &Columns,
        purpose: Purpose,
    ) -> Result<Option<Table>, EngineError> {
        let reader = RecordReader { columns, purpose };
        let name = path.display().to_string();
        let mut table = Table::default();
        if let Some(ranking) = ranking_of(path)? {
            table.ranked = true;
            for row in ranking {
                table.add(&row, &Place::file(name.as_str()), reader)?;
            }
            return Ok(Some(table));
        }
        let filter = conditions_of(&columns.filter, &[path.to_path_buf()]);
        let input = Input {
            filter: Some(&filter),
            ..Input::new(&name)
        };
        let (mut has_begun, mut systems) = (false, HashSet::new());
        let add = |record: Value, place: &Place| {
            has_begun = has_begun || reader.is_of_table(&record);
            if !has_begun {
                return Err(ReadStop::NoTable);
            }
            table.add(&record, place, reader)?;
            if table.rows.len() + table.without.len() > MOST_ROWS {
                let why = format!("{name}: the table has more than {MOST_ROWS} rows");
                return Err(Refusal::of_input(why).into());
            }
            // A system that has a row already makes the file no table, or is an error where columns
            // were named; so no more than one row for each system is held of a file of any length.
            // A record without a score added no row.
            let is_new = table.rows.len() > systems.len();
            match table.rows.last().filter(|_| is_new) {
                Some(row) if !systems.insert(row.system.clone()) => match columns.score {
                    Some(_) => Err(system_twice(&name, &row.system).into()),
                    None => Err(ReadStop::NoTable),
                },
                _ => Ok(()),
            }
        };
        match read_objects(open_decompressed(path)?, &input, add) {
            Ok(_) => Ok(Some(table)),
            // What is no table from its beginning is somebody else's to read, or to refuse.
            Err(ReadStop::Wrong(error)) if has_begun || names_a_column_twice(&error) => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn add(
        &mut self,
        record: &Value,
        place: &Place,
        reader: RecordReader<'_>,
    ) -> Result<(), Refusal> {
        self.ranked |= record.get("rank_low").is_some();
        match reader.row(record, place, self.ranked)? {
            Ok(row) => self.rows.push(row),
            Err(system) => self.without.push(system),
        }
        Ok(())
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
        let is_known = |system: &str| self.rows.iter().any(|row| row.system == system);
        if let Some(row) = other.rows.iter().find(|row| is_known(&row.system)) {
            return Err(system_twice(name, &row.system).into());
        }
        self.rows.extend(other.rows);
        self.without.extend(other.without);
        Ok(self)
    }
}

/// Returns the `ranking` of a report of `evenhand rank` or `leaderboard` as JSON; None where the
/// file is no report.
fn ranking_of(path: &Path) -> Result<Option<Vec<Value>>, EngineError> {
    /// The part that is read; all else is passed over and not kept.
    #[derive(Deserialize)]
    struct JsonReport {
        ranking: Vec<Map<String, Value>>,
    }
    let mut file = open_decompressed(path)?;
    let begin = file.fill_buf();
    if !begin.is_ok_and(|text| text.trim_ascii_start().starts_with(b"{")) {
        return Ok(None);
    }
    let mut values = Deserializer::from_reader(file.take(MOST_BYTES)).into_iter::<JsonReport>();
    let Some(Ok(report)) = values.next() else {
        return Ok(None);
    };
    let end = values.byte_offset();
    if values.next().is_some() {
        return Err(Refusal::of_input(format!(
            "{}: there is text after the report, which ends at byte {end}; expected one report of \
             `{} json` and nothing else",
            path.display(),
            Setting::Format
        ))
        .into());
    }
    Ok(Some(
        report.ranking.into_iter().map(Value::Object).collect(),
    ))
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

fn system_twice(name: &str, system: &str) -> Refusal {
    Refusal::of_input(format!(
        "{name}: the system {system} is there twice; expected one row for each system"
    ))
}
