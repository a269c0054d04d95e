//! The look-up of a call by its content. The last attempt at a call answers it.

use crate::query::find_row;
use evenhand_core::{CallError, CallErrorKind, CallResult, Reply, RequestKey};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::sync::Arc;

/// The SQL that selects these columns of the last attempt at a call.
macro_rules! of_last_attempt {
    ($columns:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM calls WHERE key = ?1 ORDER BY attempt DESC LIMIT 1"
        )
    };
}

/// A call with all that is kept of it.
pub(crate) struct StoredCall {
    /// Who was asked, by identity.
    pub(crate) judge: Arc<str>,
    /// The request's canonical text.
    pub(crate) request: String,
    pub(crate) result: CallResult,
    pub(crate) raw: Option<String>,
    pub(crate) batch: bool,
}

impl StoredCall {
    /// Whether the request is the one whose key it stands under, and names the judge who answered.
    pub(crate) fn is_unchanged(&self, key: &RequestKey) -> bool {
        let judge = serde_json::to_string(&*self.judge).unwrap_or_default();
        let names_judge = self
            .request
            .strip_prefix("{\"judge\":")
            .is_some_and(|rest| !judge.is_empty() && rest.starts_with(&judge));
        names_judge && RequestKey::of(&self.request) == *key
    }

    /// Whether its row could be read: an unreadable one is an error of a kind that is stored in no
    /// other way.
    pub(crate) fn is_readable(&self) -> bool {
        !matches!(&self.result, Err(error) if error.kind == CallErrorKind::Model)
    }
}

/// Finds what became of a call.
pub(crate) fn find_result(
    db: &Connection,
    key: &RequestKey,
) -> rusqlite::Result<Option<CallResult>> {
    let sql = of_last_attempt!("reply, error");
    find_row(db, sql, [&key.0[..]], |row| {
        Ok(read_result(key, read_text(row, 0)?, read_text(row, 1)?))
    })
}

/// Finds a call with all that is kept of it.
pub(crate) fn find_call(db: &Connection, key: &RequestKey) -> rusqlite::Result<Option<StoredCall>> {
    let sql = of_last_attempt!(
        "reply, error, request, raw, batch = 1, (SELECT identity FROM judges WHERE id = judge)"
    );
    find_row(db, sql, [&key.0[..]], |row| {
        Ok(StoredCall {
            result: read_result(key, read_text(row, 0)?, read_text(row, 1)?),
            request: read_text(row, 2)?.unwrap_or_default(),
            raw: read_text(row, 3)?,
            batch: row.get(4)?,
            judge: read_text(row, 5)?.unwrap_or_default().into(),
        })
    })
}

/// Finds the row of a call.
pub(crate) fn find_id(db: &Connection, key: &RequestKey) -> rusqlite::Result<Option<i64>> {
    let sql = of_last_attempt!("id");
    find_row(db, sql, [&key.0[..]], |row| row.get(0))
}

/// Reads what became of a call from its reply and its error. What cannot be read is an error of
/// this one call, so that the rest of the run can be used.
fn read_result(key: &RequestKey, reply: Option<String>, error: Option<String>) -> CallResult {
    let read = match (reply, error) {
        (Some(reply), _) => serde_json::from_str::<Reply>(&reply).map(Ok),
        (None, error) => serde_json::from_str::<CallError>(&error.unwrap_or_default()).map(Err),
    };
    read.unwrap_or_else(|why| {
        let message = format!(
            "call {key} of the run's database cannot be read ({why}): its row was changed or \
             damaged"
        );
        Err(CallError {
            kind: CallErrorKind::Model,
            message,
        })
    })
}

/// Reads what became of a call whose request is at hand.
pub(crate) fn read_kept_result(
    request: &str,
    reply: Option<String>,
    error: Option<String>,
) -> CallResult {
    read_result(&RequestKey::of(request), reply, error)
}

/// Reads a column of texts, whatever stands in it: bytes that are no text are replaced, and a
/// number is an empty text.
fn read_text(row: &Row, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => None,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        ValueRef::Integer(_) | ValueRef::Real(_) => Some(String::new()),
    })
}
