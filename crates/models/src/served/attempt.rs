//! One attempt at a call: sent, received and read, within its time.

use super::codec::decode_together;
use super::fault::{Fault, FaultKind};
use super::http::{Received, wait_of};
use super::schedule::GivenUp;
use super::{Endpoint, Judge};
use bytes::Bytes;
use evenhand_core::{Answerer, CallError, CallErrorKind, Reply, Request};
use std::time::{Duration, Instant};

/// A reply to each request of a call with what was sent, or a fault.
pub(crate) type Attempted = Result<(Vec<Reply>, Option<String>), Fault>;

/// How often an attempt looks how long it may still take: that changes with the replies to others.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How long an attempt may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    /// So long.
    pub(crate) time: Duration,
    /// Whether it hangs where it takes longer: the server answers others meanwhile.
    pub(crate) hangs: bool,
}

/// Makes one attempt that began at `sent`; a fault once it has taken longer than is allowed by
/// then.
pub(crate) async fn attempt_in_time(
    judge: &Judge,
    endpoint: &Endpoint,
    body: Bytes,
    requests: &[&Request],
    sent: Instant,
    allowed: impl Fn() -> Allowed,
) -> Attempted {
    let attempt = attempt(judge, endpoint, body, requests);
    tokio::pin!(attempt);
    loop {
        let left = allowed().time.saturating_sub(sent.elapsed());
        let waited = tokio::time::timeout(left.min(LOOK_EVERY), &mut attempt).await;
        if let Ok(attempted) = waited {
            return attempted;
        }
        let elapsed = sent.elapsed();
        let Allowed { time, hangs } = allowed();
        if elapsed < time {
            continue;
        }
        let seconds = elapsed.as_secs_f64();
        return Err(if hangs {
            let message =
                format!("no whole reply within {seconds:.1} s, in which others were answered");
            Fault::new(FaultKind::Hung, message)
        } else {
            let message = format!("no whole reply within {seconds:.0} s");
            Fault::new(FaultKind::Timeout, message)
        });
    }
}

async fn attempt(
    judge: &Judge,
    endpoint: &Endpoint,
    body: Bytes,
    requests: &[&Request],
) -> Attempted {
    let url = endpoint.url_for(requests.first().map(|request| &request.task));
    judge
        .http
        .post(url, body)
        .await
        .and_then(|received| read_replies(judge, requests, received))
        .map_err(|fault| {
            let said = match fault.kind {
                FaultKind::Unreachable => endpoint.nobody_answers(&fault.message),
                _ => fault.message,
            };
            let said = judge.key.hide(&said);
            // Whoever is refused looks at the key first, and should look at the right one.
            let sent = match fault.kind {
                FaultKind::Denied => judge.key.describe_sent(),
                _ => String::new(),
            };
            let message = match (said.is_empty(), sent.is_empty()) {
                (_, true) => said.into_owned(),
                (true, false) => sent,
                (false, false) => format!("{said}; {sent}"),
            };
            Fault {
                message,
                kind: fault.kind,
                retry_after: fault.retry_after,
            }
        })
}

fn read_replies(judge: &Judge, requests: &[&Request], received: Received) -> Attempted {
    let key = &judge.key;
    let wait = wait_of(&received.headers);
    // Before anything is read from it: what is read may be cut within the key.
    let body = key.hide_in_bytes(received.body);
    let replies = decode_together(&judge.dialect, requests, received.status, wait, &body)?;
    let as_text = |body| {
        String::from_utf8(body)
            .unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into_owned())
    };
    let raw = replies.iter().all(is_raw_kept).then(|| as_text(body));
    // Once more: a server may have written the key in a way that only reading shows.
    let replies = replies.into_iter().map(|reply| Reply {
        text: key.hide(&reply.text).into_owned(),
        reasoning: reply.reasoning.map(|text| key.hide(&text).into_owned()),
        answered_by: reply.answered_by.map(|by| Answerer {
            model: key.hide(&by.model).into_owned(),
            fingerprint: by.fingerprint.map(|text| key.hide(&text).into_owned()),
        }),
        ..reply
    });
    Ok((replies.collect(), raw))
}

/// Whether what a server sent is kept beside what was read of it. Embeddings are not: every number
/// is in the reply.
pub(crate) fn is_raw_kept(reply: &Reply) -> bool {
    reply.embeddings.is_none()
}

/// Returns the error of a call that is given up, for the store and the report.
pub(crate) fn call_error_of(given_up: &GivenUp) -> CallError {
    let fault = given_up.fault.as_ref();
    CallError {
        kind: fault.map_or(CallErrorKind::Model, |fault| error_kind(fault.kind)),
        message: given_up.to_string(),
    }
}

/// Returns the error of a call that a fault ends at once.
pub(crate) fn call_error(fault: &Fault) -> CallError {
    CallError {
        kind: error_kind(fault.kind),
        message: format!("{}: {}", fault.kind.name(), fault.message),
    }
}

fn error_kind(fault: FaultKind) -> CallErrorKind {
    match fault {
        FaultKind::TooLong => CallErrorKind::TooLong,
        FaultKind::Filtered => CallErrorKind::Refused,
        _ => CallErrorKind::Model,
    }
}
