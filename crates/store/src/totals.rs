//! Sums over the calls of a run.

use crate::query::read_rows;
use evenhand_core::{Answerer, JudgeKind, Usage};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The calls of one judge in a run, summed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Calls of a judge that one model answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    /// The judge's identity.
    pub judge: String,
    /// The model, as its server names it.
    #[serde(flatten)]
    pub by: Answerer,
    /// Its calls, each attempt by itself.
    pub calls: u64,
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

/// Lists who answered the calls behind the one of id `after`, judge by judge and in the order of
/// their first calls; nothing of judges whose servers do not say, or that are on this machine.
pub(crate) fn list_answered(db: &Connection, after: i64) -> rusqlite::Result<Vec<Answered>> {
    let judges: Vec<String> = read_rows(db, "SELECT identity FROM judges", |row| row.get(0))?;
    // Whoever is on this machine is its identity, and the replies need not be read.
    if judges.iter().all(|judge| JudgeKind::of(judge).is_local()) {
        return Ok(Vec::new());
    }
    // Within a text of the reply the quotes of the name would be escaped.
    let sql = format!(
        "SELECT identity, substr(answered ->> '$.model', 1, 300) AS model, \
               substr(answered ->> '$.fingerprint', 1, 300) AS fingerprint, count(*)
               FROM (SELECT id, judge,
                 CASE WHEN json_valid(reply) THEN reply -> '$.answered_by' END AS answered
                 FROM calls WHERE id > {after} AND instr(reply, '\"answered_by\"') > 0) AS told
               JOIN judges ON judges.id = told.judge
               GROUP BY judges.id, model, fingerprint HAVING model IS NOT NULL
               ORDER BY judges.id, min(told.id)"
    );
    read_rows(db, &sql, |row| {
        Ok(Answered {
            judge: row.get(0)?,
            by: Answerer {
                model: row.get(1)?,
                fingerprint: row.get(2)?,
            },
            calls: read_count(row, 3)?,
        })
    })
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

/// Reads the tokens of one call, each count between 0 and [`Usage::MOST`] whatever stands in the
/// row.
pub(crate) fn read_tokens(row: &Row, first: usize) -> rusqlite::Result<Usage> {
    let count = |column: usize| -> rusqlite::Result<u64> {
        let count = match row.get_ref(first + column)? {
            ValueRef::Integer(count) => count.max(0) as u64,
            // What is beyond the numbers of 64 bits, `as` puts at their ends.
            ValueRef::Real(count) => count as u64,
            _ => 0,
        };
        Ok(count.min(Usage::MOST))
    };
    Ok(Usage {
        prompt_tokens: count(0)?,
        completion_tokens: count(1)?,
        cached_tokens: count(2)?,
        reasoning_tokens: count(3)?,
    })
}

/// Reads a count, which SQLite has as a signed number.
pub(crate) fn read_count(row: &Row, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.max(0) as u64)
}
