//! Published tables: a row for each system with its score, perhaps an interval, perhaps bootstrap
//! scores.

use super::source::open;
use evenhand_engine::EngineError;
use evenhand_engine::conditions_of;
use evenhand_formats::records::Filter;
use evenhand_formats::records::{DataError, DataProblem, Input, Place, read_objects};
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
pub(super) struct Row {
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
    pub(super) rows: Vec<Row>,
    pub(super) without: Vec<String>,
    /// Whether the ranks are those of `evenhand leaderboard` or `rank`.
    pub(super) ranked: bool,
}

const SYSTEM: [&str; 4] = ["system", "model", "Model", "name"];
const SCORE: [&str; 5] = ["score", "win_rate", "rating", "elo", "mean_score"];
const RATING: [&str; 4] = ["rating", "score", "elo", "win_rate"];
const LOW: [&str; 4] = ["ci_low", "ci_lower", "lower", "rating_q025"];
const HIGH: [&str; 4] = ["ci_high", "ci_upper", "upper", "rating_q975"];

/// What a table is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Ranking,
    Ratings,
}

impl Purpose {
    fn usual(self) -> &'static [&'static str] {
        if self == Purpose::Ranking {
            &SCORE
        } else {
            &RATING
        }
    }
}

impl Table {
    /// The table in a file; None where it is none: a record for each response, or without a system
    /// or a score.
    pub(super) fn read(
        path: &Path,
        columns: &Columns,
        purpose: Purpose,
    ) -> Result<Option<Table>, EngineError> {
        let name = path.display().to_string();
        if let Some(ranking) = ranking_of(path)? {
            let mut table = Table {
                ranked: true,
                ..Table::default()
            };
            let place = Place::file(name.as_str());
            ranking
                .iter()
                .try_for_each(|row| table.add(row, &place, columns, purpose))?;
            return Ok(Some(table));
        }
        let (mut table, mut begun, mut systems) = (Table::default(), false, HashSet::new());
        let filter = conditions_of(&columns.filter, &[path.to_path_buf()]);
        let input = Input {
            filter: Some(&filter),
            ..Input::new(&name)
        };
        let read = read_objects(open(path)?, &input, |record, place| {
            begun = begun || of_a_table(&record, columns, purpose);
            if !begun {
                return Err(Stop::NoTable);
            }
            table.add(&record, place, columns, purpose)?;
            table.last_is_new(&mut systems, &name, columns)
        });
        match read {
            Ok(_) => Ok(Some(table)),
            // What is no table from its beginning is somebody else's to read, or to refuse.
            Err(Stop::NoTable) => Ok(None),
            Err(Stop::Wrong(error)) if !begun && !names_a_column_twice(&error) => Ok(None),
            Err(Stop::Wrong(error)) => Err(error),
        }
    }

    fn add(
        &mut self,
        record: &Value,
        place: &Place,
        columns: &Columns,
        purpose: Purpose,
    ) -> Result<(), EngineError> {
        let Some(column) = column(record, columns.system.as_deref(), &SYSTEM) else {
            return Err(lacking(
                record,
                place,
                columns.system.as_deref().unwrap_or("system"),
                "the name of a system",
            ));
        };
        let system = match record.get(column) {
            Some(Value::String(name)) if !name.trim().is_empty() => name.trim().to_string(),
            Some(Value::Number(number)) => number.to_string(),
            other => return Err(wrong(place, column, "the name of a system", other)),
        };
        let Some(score) = self::column(record, columns.score.as_deref(), purpose.usual()) else {
            return Err(lacking(
                record,
                place,
                columns.score.as_deref().unwrap_or("score"),
                "a number",
            ));
        };
        self.ranked |= record.get("rank_low").is_some();
        let Some(found) = number(record, score, place)? else {
            self.without.push(system);
            return Ok(());
        };
        let rank = if self.ranked {
            number(record, "rank", place)?
        } else {
            None
        };
        let order = rank.map_or(found, |rank| -rank);
        // The ends that a table has are those of its main score.
        let usual = purpose.usual().contains(&score);
        let ends = if usual { ends(record, place)? } else { None };
        let draws = if usual {
            draws(record, place)?
        } else {
            Vec::new()
        };
        self.rows.push(Row {
            system,
            score: found,
            order,
            ends,
            draws,
        });
        Ok(())
    }

    /// Stops at a system that has a row already, which is no table, and an error where columns were
    /// named; so no more than one row for each system is held of a file of any length.
    fn last_is_new(
        &self,
        systems: &mut HashSet<String>,
        name: &str,
        columns: &Columns,
    ) -> Result<(), Stop> {
        if self.rows.len() + self.without.len() > MOST_ROWS {
            return Err(EngineError::Setting(format!(
                "{name}: the table has more than {MOST_ROWS} rows"
            ))
            .into());
        }
        let Some(row) = self.rows.last().filter(|_| self.rows.len() > systems.len()) else {
            return Ok(());
        };
        match systems.insert(row.system.clone()) {
            true => Ok(()),
            false if columns.score.is_some() => Err(twice(name, &row.system).into()),
            false => Err(Stop::NoTable),
        }
    }

    /// Two tables as one.
    ///
    /// # Errors
    /// A system that is in both.
    pub(super) fn and(mut self, other: Table, name: &str) -> Result<Table, EngineError> {
        if let Some(row) = other
            .rows
            .iter()
            .find(|row| self.rows.iter().any(|own| own.system == row.system))
        {
            return Err(twice(name, &row.system));
        }
        self.rows.extend(other.rows);
        self.without.extend(other.without);
        Ok(self)
    }
}

/// The most rows that a table may have.
const MOST_ROWS: usize = 100_000;

/// The most bytes of a report that are read, decompressed.
const MOST_BYTES: u64 = 64 << 20;

enum Stop {
    NoTable,
    Wrong(EngineError),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Stop::Wrong(error)
    }
}

impl From<DataError> for Stop {
    fn from(error: DataError) -> Self {
        Stop::Wrong(error.into())
    }
}

/// Such a file is a table all the same, and nobody else has a better word for it.
fn names_a_column_twice(error: &EngineError) -> bool {
    matches!(error, EngineError::Data(error) if matches!(*error.problem, DataProblem::TwiceInHeader(_)))
}

fn twice(name: &str, system: &str) -> EngineError {
    EngineError::Setting(format!(
        "{name}: the system {system} is there twice; expected one row for each system"
    ))
}

/// Whether a record is a system's score and not a response's.
fn of_a_table(record: &Value, columns: &Columns, purpose: Purpose) -> bool {
    let has = |column: Option<&str>, usual: &[&str]| self::column(record, column, usual).is_some();
    let of_an_item = [
        "item",
        "question_id",
        "uid",
        "instruction_id",
        "instruction",
        "idx",
        "trial",
        "judgment",
    ];
    has(columns.system.as_deref(), &SYSTEM)
        && has(columns.score.as_deref(), purpose.usual())
        && !of_an_item.iter().any(|field| record.get(field).is_some())
}

/// The column of this name, or the first of the usual ones that is there.
fn column<'a>(record: &Value, named: Option<&'a str>, usual: &[&'a str]) -> Option<&'a str> {
    match named {
        Some(name) => record.get(name).map(|_| name),
        None => usual
            .iter()
            .copied()
            .find(|name| record.get(name).is_some()),
    }
}

/// What is read of a report of `evenhand rank` or `leaderboard` as JSON; all else is passed over
/// and not kept.
#[derive(Deserialize)]
struct Report {
    ranking: Vec<Map<String, Value>>,
}

/// The `ranking` of a report as JSON; None where the file is none.
fn ranking_of(path: &Path) -> Result<Option<Vec<Value>>, EngineError> {
    let mut file = open(path)?;
    if !file
        .fill_buf()
        .is_ok_and(|text| text.trim_ascii_start().starts_with(b"{"))
    {
        return Ok(None);
    }
    let mut values =
        serde_json::Deserializer::from_reader(file.take(MOST_BYTES)).into_iter::<Report>();
    let Some(Ok(report)) = values.next() else {
        return Ok(None);
    };
    let end = values.byte_offset();
    if values.next().is_some() {
        let told = format!(
            "{}: there is more after the report, which ends at byte {end}",
            path.display()
        );
        return Err(EngineError::Setting(format!(
            "{told}; expected one report of `--format json` and nothing else"
        )));
    }
    Ok(Some(
        report.ranking.into_iter().map(Value::Object).collect(),
    ))
}

fn ends(record: &Value, place: &Place) -> Result<Option<[f64; 2]>, EngineError> {
    if let Some(Value::Array(ci)) = record.get("ci") {
        let [low, high] = ci.as_slice() else {
            return Ok(None);
        };
        return Ok(low
            .as_f64()
            .zip(high.as_f64())
            .map(|(low, high)| [low, high]));
    }
    let of = |names: &[&'static str]| match column(record, None, names) {
        Some(name) => number(record, name, place),
        None => Ok(None),
    };
    Ok(of(&LOW)?.zip(of(&HIGH)?).map(|(low, high)| [low, high]))
}

fn draws(record: &Value, place: &Place) -> Result<Vec<f64>, EngineError> {
    let Some(found) = record.get("results") else {
        return Ok(Vec::new());
    };
    let all = found.as_array().map(|values| {
        values
            .iter()
            .map(|value| value.as_f64().filter(|x| x.is_finite()))
    });
    let all: Option<Vec<f64>> = all.and_then(|values| values.collect());
    all.ok_or_else(|| wrong(place, "results", "a list of bootstrap scores", Some(found)))
}

fn number(record: &Value, column: &str, place: &Place) -> Result<Option<f64>, EngineError> {
    let found = record.get(column);
    let number = match found {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    let finite = number.filter(|number: &f64| number.is_finite() && number.abs() <= 1e100);
    finite
        .map(Some)
        .ok_or_else(|| wrong(place, column, "a finite number", found))
}

fn wrong(place: &Place, column: &str, expected: &str, found: Option<&Value>) -> EngineError {
    let found: String = found
        .map_or("nothing".into(), Value::to_string)
        .chars()
        .take(40)
        .collect();
    EngineError::Setting(format!(
        "{place}: field `{column}`: expected {expected}, found {found}"
    ))
}

fn lacking(record: &Value, place: &Place, column: &str, expected: &str) -> EngineError {
    let fields = record.as_object().map(|object| {
        object
            .keys()
            .take(12)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ")
    });
    let fields = fields.unwrap_or_default();
    EngineError::Setting(format!(
        "{place}: there is no field `{column}` with {expected}; the record has {fields}"
    ))
}
