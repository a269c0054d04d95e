//! A record that is a system's row in a table.

use evenhand_core::Refusal;
use evenhand_formats::records::{Filter, Place};
use serde_json::{Map, Value};

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

const SCORE: [&str; 5] = ["score", "win_rate", "rating", "elo", "mean_score"];
const RATING: [&str; 4] = ["rating", "score", "elo", "win_rate"];

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
const LOW: [&str; 4] = ["ci_low", "ci_lower", "lower", "rating_q025"];
const HIGH: [&str; 4] = ["ci_high", "ci_upper", "upper", "rating_q975"];

/// What a table is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Ranking,
    Ratings,
}

impl Purpose {
    /// Returns the usual names of the score's column, the first to be tried first.
    pub(super) fn score_names(self) -> &'static [&'static str] {
        match self {
            Purpose::Ranking => &SCORE,
            Purpose::Ratings => &RATING,
        }
    }
}

/// Which columns of a record are read, and what for.
#[derive(Clone, Copy)]
pub(super) struct RecordReader<'a> {
    pub(super) columns: &'a Columns,
    pub(super) purpose: Purpose,
}

impl<'a> RecordReader<'a> {
    fn system_column(self, record: &Value) -> Option<&'a str> {
        column_of(record, self.columns.system.as_deref(), &SYSTEM)
    }

    fn score_column(self, record: &Value) -> Option<&'a str> {
        let named = self.columns.score.as_deref();
        column_of(record, named, self.purpose.score_names())
    }

    /// Whether a record is a system's score and not a response's.
    pub(super) fn is_of_table(self, record: &Value) -> bool {
        self.system_column(record).is_some()
            && self.score_column(record).is_some()
            && !OF_AN_ITEM.iter().any(|field| record.get(field).is_some())
    }

    /// Reads the row of a record, of a ranking or not; the name of its system where that has no
    /// score.
    pub(super) fn row(
        self,
        record: &Value,
        place: &Place,
        is_ranked: bool,
    ) -> Result<Result<TableRow, String>, Refusal> {
        let lacking = |named: &Option<String>, usual, expected| {
            lacking_field(record, place, named.as_deref().unwrap_or(usual), expected)
        };
        let column = self.system_column(record);
        let column = column.ok_or_else(|| lacking(&self.columns.system, "system", A_NAME))?;
        let system = match record.get(column) {
            Some(Value::String(name)) if !name.trim().is_empty() => name.trim().to_string(),
            Some(Value::Number(number)) => number.to_string(),
            found => return Err(wrong_field(place, column, A_NAME, found)),
        };
        let column = self.score_column(record);
        let column = column.ok_or_else(|| lacking(&self.columns.score, "score", "a number"))?;
        let Some(score) = finite_number(record, column, place)? else {
            return Ok(Err(system));
        };
        // In a ranking systems are ordered by rank, of which the smaller is better, where there is
        // one.
        let rank = match is_ranked {
            true => finite_number(record, "rank", place)?,
            false => None,
        };
        let mut row = TableRow {
            system,
            score,
            order: rank.map_or(score, |rank| -rank),
            ..TableRow::default()
        };
        // The ends and draws that a record has are those of a table's main score.
        if self.purpose.score_names().contains(&column) {
            row.ends = interval_ends(record, place)?;
            row.draws = bootstrap_scores(record, place)?;
        }
        Ok(Ok(row))
    }
}

/// Returns the column of this name, or the first of the usual ones that is there.
fn column_of<'a>(record: &Value, named: Option<&'a str>, usual: &[&'a str]) -> Option<&'a str> {
    let is_there = |name: &&str| record.get(*name).is_some();
    match named {
        Some(name) => Some(name).filter(is_there),
        None => usual.iter().copied().find(is_there),
    }
}

/// Returns the interval of a row; None where it has none, or an end is open.
fn interval_ends(record: &Value, place: &Place) -> Result<Option<[f64; 2]>, Refusal> {
    let end_in = |names: &[&'static str]| match column_of(record, None, names) {
        Some(name) => finite_number(record, name, place),
        None => Ok(None),
    };
    let [low, high] = match record.get("ci") {
        Some(Value::Array(ci)) => match &ci[..] {
            [low, high] => [low.as_f64(), high.as_f64()],
            _ => [None, None],
        },
        _ => [end_in(&LOW)?, end_in(&HIGH)?],
    };
    Ok(low.zip(high).map(<[f64; 2]>::from))
}

/// Returns the bootstrap scores of a row; none where it has none.
fn bootstrap_scores(record: &Value, place: &Place) -> Result<Vec<f64>, Refusal> {
    const EXPECTED: &str = "a list of bootstrap scores";
    let Some(results) = record.get("results") else {
        return Ok(Vec::new());
    };
    let finite = |value: &Value| value.as_f64().filter(|number| number.is_finite());
    let list = results.as_array();
    list.and_then(|list| list.iter().map(finite).collect())
        .ok_or_else(|| wrong_field(place, "results", EXPECTED, Some(results)))
}

/// Returns a number; None where the field is missing or null.
fn finite_number(record: &Value, column: &str, place: &Place) -> Result<Option<f64>, Refusal> {
    let Some(value) = record.get(column).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    // Cells of a CSV file are texts.
    let number: Option<f64> = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    };
    match number.filter(|number| number.is_finite() && number.abs() <= 1e100) {
        Some(number) => Ok(Some(number)),
        None => Err(wrong_field(place, column, "a finite number", Some(value))),
    }
}

/// Refuses a field that holds something else; shows as much of it as fits a message.
fn wrong_field(place: &Place, column: &str, expected: &str, found: Option<&Value>) -> Refusal {
    let found = found.map_or("nothing".into(), Value::to_string);
    let found: String = found.chars().take(40).collect();
    Refusal::of_input(format!(
        "{place}: field `{column}`: expected {expected}, found {found}"
    ))
}

/// Refuses a record without a field; lists the first dozen of those that it has.
fn lacking_field(record: &Value, place: &Place, column: &str, expected: &str) -> Refusal {
    let fields = record.as_object().into_iter().flat_map(Map::keys);
    let fields = fields.take(12).cloned().collect::<Vec<_>>().join(", ");
    Refusal::of_input(format!(
        "{place}: there is no field `{column}` with {expected}; the record has {fields}"
    ))
}
