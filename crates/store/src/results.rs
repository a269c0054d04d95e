//! The reports that commands printed on a run.

use crate::connect::{connect, lock};
use crate::query::find_row;
use crate::sessions::seconds_now;
use crate::{Reader, StoreError};
use rusqlite::{Connection, params};
use std::path::Path;

/// The name in `derived` of the sums over all judgments.
const SUMMARY: &str = "summary";

/// A report on a run, as the command printed it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptReport {
    /// The command: `rank`, `judge`, ..
    pub command: String,
    /// When it was made, in seconds since 1970.
    pub made: f64,
    /// The object that the command prints as JSON.
    pub report: String,
    /// The figures that draw it, as a JSON array.
    pub figures: String,
}

/// Keeps the report of a finished command in its run, with its figures as a JSON array, in place of
/// that command's earlier one. No session begins.
///
/// # Errors
/// [`StoreError::InUse`] while another process has the directory, a directory without a run, and
/// one that cannot be written.
pub fn keep_report(
    dir: &Path,
    command: &str,
    report: &str,
    figures: &str,
) -> Result<(), StoreError> {
    let manifest = Reader::open(dir)?.manifest()?;
    let _lock = lock(dir)?;
    let (db, _) = connect(dir, &manifest)?;
    // The id grows with each report, so that the last one is found and readers see the change.
    db.execute(
        "INSERT OR REPLACE INTO results (id, session, command, made, report)
         VALUES ((SELECT coalesce(max(id), 0) + 1 FROM results),
           (SELECT coalesce(max(id), 0) FROM sessions WHERE reused = 0), ?1, ?2, ?3)",
        params![command, seconds_now(), report],
    )?;
    db.execute(
        "INSERT OR REPLACE INTO figures VALUES (?1, ?2)",
        params![command, figures],
    )?;
    Ok(())
}

/// Keeps sums over all judgments of a run, as a text that the caller reads, after the session that
/// they are of ([`Store::session`](crate::Store::session)); nothing where another has begun since.
/// The next one takes them back.
///
/// # Errors
/// Those of [`keep_report`].
pub fn keep_summary(dir: &Path, session: i64, summary: &str) -> Result<(), StoreError> {
    let manifest = Reader::open(dir)?.manifest()?;
    let _lock = lock(dir)?;
    let (db, _) = connect(dir, &manifest)?;
    let insert = "INSERT OR REPLACE INTO derived (name, text) SELECT ?1, ?2 \
                  WHERE ?3 = (SELECT max(id) FROM sessions WHERE reused = 0)";
    db.execute(insert, params![SUMMARY, summary, session])?;
    Ok(())
}

/// Takes the sums back: the run may change now.
pub(crate) fn drop_summary(db: &Connection) -> rusqlite::Result<()> {
    let delete = "DELETE FROM derived WHERE name = ?1";
    db.execute(delete, [SUMMARY]).map(drop)
}

impl Reader {
    /// Returns the sums that the last session kept; None where it kept none.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn summary(&self) -> Result<Option<String>, StoreError> {
        let sql = "SELECT text FROM derived WHERE name = ?1";
        Ok(find_row(&self.db, sql, [SUMMARY], |row| row.get(0))?)
    }

    /// Returns the report of the command that finished last on this run; None where none is kept.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn last_report(&self) -> Result<Option<KeptReport>, StoreError> {
        let sql = "SELECT command, made, report, coalesce(figures, '[]')
                   FROM results LEFT JOIN figures USING (command) ORDER BY id DESC LIMIT 1";
        Ok(find_row(&self.db, sql, [], |row| {
            Ok(KeptReport {
                command: row.get(0)?,
                made: row.get(1)?,
                report: row.get(2)?,
                figures: row.get(3)?,
            })
        })?)
    }

    /// Whether the last session that judged has kept no report: it is under way, or was ended
    /// early.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn is_unfinished(&self) -> Result<bool, StoreError> {
        let sql = "SELECT coalesce((SELECT max(id) FROM sessions WHERE reused = 0), 0)
                   > coalesce((SELECT max(session) FROM results), 0)";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns a text that changes whenever the run has grown: by a call, a judgment, the texts or
    /// a report, or has another plan, and when a process begins or ends its work on it. It is found
    /// without reading any of them.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn version(&self) -> Result<String, StoreError> {
        let sql = "SELECT (SELECT coalesce(max(id), 0) FROM calls) || '-' ||
                   (SELECT coalesce(max(trial), -1) + 1 FROM judgments) || '-' ||
                   (SELECT coalesce(max(id), 0) FROM items) || '-' ||
                   (SELECT coalesce(max(id), 0) FROM results) || '-' ||
                   (SELECT coalesce(max(trials), 0) FROM plan)";
        let running = self.is_running();
        let grown: String = self.db.query_row(sql, [], |row| row.get(0))?;
        Ok(grown + if running { "-running" } else { "" })
    }
}
