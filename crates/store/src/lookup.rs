//! A call as it is kept. The last attempt at a call answers it.

use crate::prompts::put_together;
use crate::query::find_row;
use crate::totals::read_tokens;
use evenhand_core::{About, CallError, CallErrorKind, CallResult, Reply, RequestKey, Usage};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::sync::Arc;

/// A call with all that is kept of it.
pub(crate) struct StoredCall {
    /// Who was asked, by identity.
    pub(crate) judge: Arc<str>,
    /// The request's canonical text; empty where it cannot be put together.
    pub(crate) request: String,
    /// The item and the systems' responses that it shows, where it is kept by its parts.
    pub(crate) about: About,
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

/// Reads what became of the call of this id.
pub(crate) fn read_result_of(
    db: &Connection,
    key: &RequestKey,
    id: i64,
) -> rusqlite::Result<Option<CallResult>> {
    let sql = "SELECT reply, error, prompt_tokens, completion_tokens, cached_tokens, \
               reasoning_tokens FROM calls WHERE id = ?1";
    find_row(db, sql, [id], |row| {
        let (reply, error) = (read_text(row, 0)?, read_text(row, 1)?);
        Ok(read_result(key, reply, error, read_tokens(row, 2)?))
    })
}

/// Reads the call of this id with all that is kept of it.
pub(crate) fn read_call(
    db: &Connection,
    key: &RequestKey,
    id: i64,
) -> rusqlite::Result<Option<StoredCall>> {
    let sql = "SELECT reply, error, request, raw, batch = 1, \
               (SELECT identity FROM judges WHERE id = judge), prompt_tokens, completion_tokens, \
               cached_tokens, reasoning_tokens FROM calls WHERE id = ?1";
    find_row(db, sql, [id], |row| {
        let kept = read_text(row, 2)?.unwrap_or_default();
        let (request, about) = put_together(db, &kept)?.unwrap_or_default();
        let (reply, error) = (read_text(row, 0)?, read_text(row, 1)?);
        Ok(StoredCall {
            result: read_result(key, reply, error, read_tokens(row, 6)?),
            request,
            about,
            raw: read_text(row, 3)?,
            batch: row.get(4)?,
            judge: read_text(row, 5)?.unwrap_or_default().into(),
        })
    })
}

/// Reads what became of a call from its reply, its error and its tokens, which up to format 8 stood
/// in the reply, too. What cannot be read is an error of this one call, so that the rest of the run
/// can be used.
fn read_result(
    key: &RequestKey,
    reply: Option<String>,
    error: Option<String>,
    usage: Usage,
) -> CallResult {
    let read = match (reply, error) {
        (Some(reply), _) => serde_json::from_str::<Reply>(&reply).map(|reply| {
            let own = reply.usage != Usage::default();
            let usage = if own { reply.usage } else { usage };
            Ok(Reply { usage, ..reply })
        }),
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
    usage: Usage,
) -> CallResult {
    read_result(&RequestKey::of(request), reply, error, usage)
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
