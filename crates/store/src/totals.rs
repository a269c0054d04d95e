//! Sums over the calls of a run.

use crate::query::read_rows;
use evenhand_core::{RequestKey, Usage};
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;

/// The calls of one judge in a run, summed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The judge's identity.
    pub judge: String,
    /// Calls with a reply or a final error.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
    /// Of these, the tokens of calls by batch files.
    pub by_batch: Usage,
}

/// Calls of a judge that asked for the probabilities of answers and got none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingProbabilities {
    /// The judge's identity.
    pub judge: String,
    /// Calls that asked.
    pub asked: u64,
    /// Of these, calls that got none.
    pub without: u64,
}

/// How far probabilities are known that a server gave only within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbabilityBounds {
    /// Calls with such probabilities.
    pub calls: u64,
    /// Half of the width of the bounds: the mean over these calls.
    pub mean: f64,
    /// Half of the width of the widest bounds.
    pub most: f64,
}

/// Columns of tokens, in the order in which [`read_usage`] reads them.
const TOKEN_COLUMNS: [&str; 4] = [
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
];

/// Sums the calls of a run, judge by judge in the order of their first calls.
pub(crate) fn sum_all(db: &Connection) -> rusqlite::Result<Vec<Totals>> {
    sum_where(db, "")
}

/// Sums the calls that were made for this run, leaving out those that were copied from others.
pub(crate) fn sum_spent(db: &Connection) -> rusqlite::Result<Vec<Totals>> {
    sum_where(
        db,
        "WHERE session NOT IN (SELECT id FROM sessions WHERE reused = 1)",
    )
}

fn sum_where(db: &Connection, condition: &str) -> rusqlite::Result<Vec<Totals>> {
    let all = token_sums("1");
    let by_batch = token_sums("(batch = 1)");
    let sql = format!(
        "SELECT identity, count(*), {all}, {by_batch}
         FROM calls JOIN judges ON judges.id = calls.judge {condition}
         GROUP BY judges.id ORDER BY judges.id",
    );
    read_rows(db, &sql, |row| {
        Ok(Totals {
            judge: row.get(0)?,
            calls: read_count(row, 1)?,
            usage: read_usage(row, 2)?,
            by_batch: read_usage(row, 6)?,
        })
    })
}

/// Sums these calls, judge by judge in the order in which the judges were first asked in this run,
/// each call once with the tokens of all its attempts. A call that is not there counts nothing.
pub(crate) fn sum_of<'k>(
    db: &Connection,
    keys: impl Iterator<Item = &'k RequestKey>,
) -> rusqlite::Result<Vec<Totals>> {
    // Beside `max`, SQLite takes plain columns from the row of the maximum: the last attempt.
    let sql = format!(
        "SELECT judges.id, identity, batch = 1, {}, max(attempt)
         FROM calls JOIN judges ON judges.id = calls.judge WHERE key = ?1 GROUP BY key",
        token_sums("1")
    );
    let mut select = db.prepare_cached(&sql)?;
    let mut totals: BTreeMap<i64, Totals> = BTreeMap::new();
    for key in keys {
        let mut rows = select.query([&key.0[..]])?;
        if let Some(row) = rows.next()? {
            let sum = totals.entry(row.get(0)?).or_default();
            sum.judge = row.get(1)?;
            let usage = read_usage(row, 3)?;
            sum.calls += 1;
            sum.usage += usage;
            if row.get(2)? {
                sum.by_batch += usage;
            }
        }
    }
    Ok(totals.into_values().collect())
}

/// The SQL of four sums of tokens, each count weighed by `weight` and held between 0 and
/// [`Usage::MOST`] whatever stands in the row, so that no sum overflows.
fn token_sums(weight: &str) -> String {
    let most = Usage::MOST;
    TOKEN_COLUMNS
        .map(|column| format!("sum({weight} * min(max(CAST({column} AS INTEGER), 0), {most}))"))
        .join(", ")
}

pub(crate) fn read_usage(row: &Row, first: usize) -> rusqlite::Result<Usage> {
    Ok(Usage {
        prompt_tokens: read_count(row, first)?,
        completion_tokens: read_count(row, first + 1)?,
        cached_tokens: read_count(row, first + 2)?,
        reasoning_tokens: read_count(row, first + 3)?,
    })
}

/// Reads a count, which SQLite has as a signed number.
pub(crate) fn read_count(row: &Row, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.max(0) as u64)
}

/// Counts, for each judge that did not give all the probabilities that it was asked for, how many
/// it did not.
pub(crate) fn missing_probabilities(
    db: &Connection,
) -> rusqlite::Result<Vec<MissingProbabilities>> {
    let sql = "SELECT identity, count(*), sum(reply ->> '$.answers' IS NULL) AS lacking
         FROM calls JOIN judges ON judges.id = calls.judge
         WHERE CASE WHEN json_valid(reply) AND json_valid(request)
           THEN request ->> '$.task.answers' IS NOT NULL END
         GROUP BY judges.id HAVING lacking > 0 ORDER BY judges.id";
    read_rows(db, sql, |row| {
        Ok(MissingProbabilities {
            judge: row.get(0)?,
            asked: read_count(row, 1)?,
            without: read_count(row, 2)?,
        })
    })
}

/// Returns how far probabilities are known that servers gave within bounds; None where all are
/// exact.
pub(crate) fn probability_bounds(db: &Connection) -> rusqlite::Result<Option<ProbabilityBounds>> {
    let sql = "SELECT count(*), coalesce(avg(within), 0), coalesce(max(within), 0) FROM
               (SELECT CASE WHEN json_valid(reply) THEN reply ->> '$.answers_within' END AS within FROM calls
                WHERE instr(reply, '\"answers_within\"') > 0) WHERE within > 0";
    let bounds = db.query_row(sql, [], |row| {
        Ok(ProbabilityBounds {
            calls: read_count(row, 0)?,
            mean: row.get(1)?,
            most: row.get(2)?,
        })
    })?;
    Ok((bounds.calls > 0).then_some(bounds))
}

/// Counts calls whose log-probabilities cannot be. The mark is found by its text: within a text its
/// quotes would be escaped.
pub(crate) fn count_impossible(db: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT count(*) FROM calls WHERE instr(reply, '\"answers_impossible\":true') > 0";
    db.query_row(sql, [], |row| read_count(row, 0))
}
