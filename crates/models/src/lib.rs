//! Who answers a request.
//!
//! A [`Model`] pulls requests from a [`Work`] queue as fast as it can use them and delivers what
//! became of each: one seam for an embedded model that sorts a batch by shared prefix, and for a
//! served one that keeps thousands in flight.

pub mod chat;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod gguf;
pub mod served;
pub mod simulated;
mod team;

pub use team::Team;

use evenhand_core::{CallError, CallResult, Request, RequestKey};
use std::sync::Arc;
use std::time::Instant;

/// Where a model gets its requests, and where it puts the replies.
pub trait Work {
    /// The next request, if one is ready now. None may mean that more will come once replies are
    /// delivered.
    fn next(&mut self) -> Option<(RequestKey, Arc<Request>)>;

    /// Hands in what became of a request. It may make further requests ready.
    fn deliver(&mut self, key: RequestKey, answer: Answer);

    /// Nothing comes in for a while: what was delivered is to be kept now. Told again as long as it
    /// lasts.
    fn rest(&mut self) {}

    /// Something that the user must know of how the requests were served.
    fn note(&mut self, _: String) {}

    /// What the model has under way now, every half second or so.
    fn under_way(&mut self, _: UnderWay) {}

    /// True when the run is to end: a model returns soon, and what it has not delivered stays
    /// unasked.
    fn stopped(&self) -> bool;
}

/// What a model has under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// Requests that were sent and have no reply yet.
    pub calls: u64,
    /// When the one was sent that has waited longest.
    pub oldest: Option<Instant>,
    /// Since when nothing gets through, where the model waits for that.
    pub paused: Option<Instant>,
    /// Tokens of prompts read in this process, those of shared prefixes once, where the model
    /// counts them as it goes.
    pub read: u64,
    /// Tokens written in this process, where the model counts them as it goes.
    pub written: u64,
}

impl std::ops::Add for UnderWay {
    type Output = UnderWay;

    /// What two models have under way together.
    fn add(self, other: UnderWay) -> UnderWay {
        let earlier = |one: Option<Instant>, two: Option<Instant>| one.into_iter().chain(two).min();
        UnderWay {
            calls: self.calls + other.calls,
            oldest: earlier(self.oldest, other.oldest),
            paused: earlier(self.paused, other.paused),
            read: self.read + other.read,
            written: self.written + other.written,
        }
    }
}

/// What became of a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The reply, or why there is none.
    pub result: CallResult,
    /// What a server sent, byte for byte, where it was text.
    pub raw: Option<String>,
}

impl From<CallResult> for Answer {
    fn from(result: CallResult) -> Answer {
        Answer { result, raw: None }
    }
}

/// Anything that answers requests.
pub trait Model {
    /// What makes this model's replies its own: part of every request and of the manifest.
    fn identity(&self) -> &str;

    /// Tokens of the prompt as this model would see it; None where the model has no tokenizer at
    /// hand.
    fn prompt_tokens(&self, request: &Request) -> Option<u64>;

    /// The prompt as this model reads it, chat template and all; None where only its server knows.
    fn prompt(&self, _: &Request) -> Option<String> {
        None
    }

    /// What this model's server would be sent; None for a model with no server, or one of another
    /// name.
    fn encoded(&self, _: &Request) -> Option<Result<served::Encoded, CallError>> {
        None
    }

    /// False for a model that only gives back what was recorded: nothing is spent on its replies.
    fn asks(&self) -> bool {
        true
    }

    /// Answers requests until none is ready and none is under way, or [`Work::stopped`] says so.
    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError>;
}

/// A model that cannot be used at all. A single call that fails is a [`CallResult`] instead.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The model cannot be opened, with what to do.
    #[error("{0}")]
    Open(String),
    /// The model broke down while it served.
    #[error("{0}")]
    Serve(String),
}
