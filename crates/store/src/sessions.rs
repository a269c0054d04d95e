//! Sessions: who worked on a run, and when.

use rusqlite::{Connection, params};
use std::time::{SystemTime, UNIX_EPOCH};

/// The contents of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionKind {
    /// Calls that were made for this run.
    Asked,
    /// Calls that were copied from other runs: they are not spent again.
    Reused,
}

/// Begins a session of this process, and returns its id.
pub(crate) fn begin_session(db: &Connection, kind: SessionKind) -> rusqlite::Result<i64> {
    let started = seconds_now();
    let program = concat!("evenhand ", env!("CARGO_PKG_VERSION"));
    db.execute(
        "INSERT INTO sessions (started, program, reused) VALUES (?1, ?2, ?3)",
        params![started, program, kind == SessionKind::Reused],
    )?;
    Ok(db.last_insert_rowid())
}

/// Returns the time, in seconds since 1970.
pub(crate) fn seconds_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
