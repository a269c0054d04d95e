//! A judge's server on 127.0.0.1 for tests and benchmarks: scripted verdicts, faults and limits
//! behind OpenAI's `POST /v1/chat/completions` and Anthropic's `POST /v1/messages`; and OpenAI's
//! `POST /v1/embeddings`, by the words of the texts.
//!
//! ```
//! use evenhand_loopback::{Fault, Script, Server};
//!
//! let script = Script { faults: 0.3, fault_kinds: Fault::passing(), capacity: Some(8), ..Script::default() };
//! let server = Server::start(script)?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(server.stop().requests, 0);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Verdicts are a function of the messages and the seed; faults of the body, the number of its
//! attempt and the seed: not of time, of the connection, or of the order in which requests arrive.

mod batch;
mod connection;
mod draw;
mod embeddings;
mod fault;
mod fault_reply;
mod http;
mod ledger;
mod live_script;
mod prompt_scores;
mod reply;
mod script;
mod scripted_judge;
mod server;
mod shared;
mod stats;
mod verdict;

pub use batch::{BatchOptions, run_batch};
pub use fault::Fault;
pub use script::{Mode, RetryAfter, Script};
pub use scripted_judge::Judge;
pub use server::Server;
pub use stats::{Bin, Stats};

/// A request as it arrived; bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The request's line and its headers, up to the empty line.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Seen {
    fn of_bytes(head: &[u8], body: &[u8]) -> Seen {
        Seen {
            head: String::from_utf8_lossy(head).into_owned(),
            body: String::from_utf8_lossy(body).into_owned(),
        }
    }
}
