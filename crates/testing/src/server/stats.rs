//! Counts of the server's requests and replies.

use super::Fault;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Counts since the start. A request is a whole `POST` to one of the two endpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Connections accepted.
    pub connections: u64,
    /// Requests that arrived, whatever became of them, up to the server's death.
    pub requests: u64,
    /// Good replies with status 200 that were written whole. (A reply that the client hung up on
    /// before reading may count.)
    pub replied: u64,
    /// Good replies that could not be written: the client was gone.
    pub unwritten: u64,
    /// Requests turned away with 429 for want of capacity.
    pub rejected: u64,
    /// Requests turned away with 401 for want of a key.
    pub unauthorized: u64,
    /// Requests that the server does not know: 400, 404, 411, 413, 431.
    pub refused: u64,
    /// Attempts that ended, or will end, in each fault.
    pub faults: BTreeMap<Fault, u64>,
    /// The most requests that were being answered at the same time.
    pub most_at_once: usize,
    /// Bodies that were told apart, of the requests that were let in.
    pub distinct_bodies: u64,
    /// Bodies that got more than one good reply: what was paid for twice. (Samples of one prompt
    /// with equal bodies count too.)
    pub bodies_replied_more_than_once: u64,
    /// For each request whose body had a good reply already, how long before it came: what was
    /// under way when it was asked again is not in it.
    pub asked_after_reply: Vec<Duration>,
    /// The width of a bin.
    pub bin: Duration,
    /// Counts over time since the start, in bins of equal width, up to the last that is not empty
    /// (100,000 at most).
    pub bins: Vec<Bin>,
}

/// Counts within one bin of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Requests let in.
    pub accepted: u64,
    /// Requests turned away for want of capacity.
    pub rejected: u64,
    /// The most requests being answered at the same time, looked at as each was let in.
    pub most_at_once: usize,
}

impl Stats {
    /// Counts faults of all kinds.
    pub fn count_faults(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Returns the counts as a JSON object; `bins` as arrays of `[accepted, rejected,
    /// most_at_once]`.
    pub fn to_json(&self) -> Value {
        let faults = self
            .faults
            .iter()
            .map(|(kind, n)| (kind.name().to_string(), json!(n)));
        let bins = self.bins.iter();
        let bins = bins.map(|bin| json!([bin.accepted, bin.rejected, bin.most_at_once]));
        json!({
            "connections": self.connections,
            "requests": self.requests,
            "replied": self.replied,
            "unwritten": self.unwritten,
            "rejected": self.rejected,
            "unauthorized": self.unauthorized,
            "refused": self.refused,
            "faults": faults.collect::<Value>(),
            "most_at_once": self.most_at_once,
            "distinct_bodies": self.distinct_bodies,
            "bodies_replied_more_than_once": self.bodies_replied_more_than_once,
            "asked_after_reply_s": self.asked_after_reply.iter().map(Duration::as_secs_f64)
                .collect::<Vec<f64>>(),
            "bin_s": self.bin.as_secs_f64(),
            "bins": bins.collect::<Vec<Value>>(),
        })
    }
}
