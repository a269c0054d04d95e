//! Sessions: who worked on a run, and when.

use crate::query::read_rows;
use crate::totals::read_count;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// What stands between the program and the run that a session copied from.
const FROM: &str = ", copied from ";

/// Begins a session of this process, and returns its id: of calls that are made for this run, or of
/// those that are copied from another, of this name, and are not spent again.
pub(crate) fn begin_session(db: &Connection, copied_from: Option<&str>) -> rusqlite::Result<i64> {
    let mut program = concat!("evenhand ", env!("CARGO_PKG_VERSION")).to_string();
    if let Some(run) = copied_from {
        program += FROM;
        program += run;
    }
    db.execute(
        "INSERT INTO sessions (started, program, reused) VALUES (?1, ?2, ?3)",
        params![seconds_now(), program, copied_from.is_some()],
    )?;
    Ok(db.last_insert_rowid())
}

/// Lists the runs that calls were copied from, by name, and how many came from each; the name is
/// None where an earlier version did not keep it.
pub(crate) fn list_copied(db: &Connection) -> rusqlite::Result<Vec<(Option<String>, u64)>> {
    let sql = "SELECT program, count(*) FROM calls JOIN sessions ON sessions.id = calls.session \
               WHERE reused = 1 GROUP BY sessions.id";
    let sessions: Vec<(String, u64)> =
        read_rows(db, sql, |row| Ok((row.get(0)?, read_count(row, 1)?)))?;
    let mut runs: BTreeMap<Option<String>, u64> = BTreeMap::new();
    for (program, calls) in sessions {
        let run = program.split_once(FROM).map(|(_, run)| run.to_string());
        *runs.entry(run).or_default() += calls;
    }
    Ok(runs.into_iter().collect())
}

/// Returns the time, in seconds since 1970.
pub(crate) fn seconds_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
