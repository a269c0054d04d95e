//! Sessions: who worked on a run, and when.

use rusqlite::{Connection, params};
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

/// Returns the run that a session copied replies from, by what is kept of its program.
pub(crate) fn run_of_program(program: &str) -> Option<String> {
    program.split_once(FROM).map(|(_, run)| run.to_string())
}

/// Returns the time, in seconds since 1970.
pub(crate) fn seconds_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
