//! Reading JSON whose shape is not to be relied on.

use crate::served::codec::LARGEST_BODY;
use crate::served::codec::one_line::one_line;
use crate::served::fault::{Fault, FaultKind};
use serde_json::Value;

/// A reply that is no reply.
pub(super) fn malformed(what: impl AsRef<str>) -> Fault {
    Fault::new(FaultKind::Malformed, one_line(what.as_ref()))
}

/// The whole of a body as JSON.
pub(super) fn whole(body: &[u8]) -> Result<Value, Fault> {
    if body.len() >= LARGEST_BODY {
        return Err(malformed(format!(
            "the reply has {LARGEST_BODY} bytes or more, and no more are read"
        )));
    }
    if body.trim_ascii().is_empty() {
        return Err(malformed("the reply is empty"));
    }
    serde_json::from_slice(body).map_err(|error| {
        malformed(format!(
            "the reply is not JSON ({error}): {}",
            excerpt(body)
        ))
    })
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(body.get(..200).unwrap_or(body)).into_owned()
}

/// A text that has something in it.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value
        .pointer(pointer)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}

/// A count; 0 where it is missing, negative or no number.
pub(super) fn count(value: &Value, pointer: &str) -> u64 {
    let number = value.pointer(pointer);
    // A float is cut to the nearest count: `as` saturates, and gives 0 for what is no number.
    number
        .and_then(|n| n.as_u64().or_else(|| n.as_f64().map(|n| n as u64)))
        .unwrap_or(0)
}
