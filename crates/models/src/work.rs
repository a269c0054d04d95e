//! The queue that a model serves, and the answers that it gives back.

use evenhand_core::{CallResult, Request, RequestKey};
use std::iter::Sum;
use std::ops::Add;
use std::sync::Arc;
use std::time::Instant;

/// Where a model gets its requests, and where it puts the replies.
pub trait Work {
    /// Returns the next request that is ready. None may mean that more become ready once replies
    /// are delivered.
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)>;

    /// Whether requests may be taken before there is room to send them: not where another process
    /// may have them answered meanwhile.
    fn may_wait(&self) -> bool {
        true
    }

    /// Whether a request that was handed out failed to the end in an earlier session, though others
    /// were answered: that it fails again says nothing of who is asked.
    fn failed_before(&self, _: &RequestKey) -> bool {
        false
    }

    /// Takes the outcome of a request. It may make further requests ready.
    fn deliver(&mut self, key: RequestKey, answer: Answer);

    /// Stores what was delivered so far: nothing more will come for a while. Called again and again
    /// while that lasts.
    fn flush(&mut self) {}

    /// Takes something that the user must know about how the requests were served.
    fn add_note(&mut self, _: String) {}

    /// Takes a note that holds only for now, such as that a server is waited for. Results do not
    /// keep it.
    fn add_passing_note(&mut self, note: String) {
        self.add_note(note);
    }

    /// Takes what the model has under way now, about every half second.
    fn under_way(&mut self, _: UnderWay) {}

    /// Whether the run is to end. A model then returns soon, and what it has not delivered stays
    /// unanswered.
    fn is_stopped(&self) -> bool;
}

/// The work that a model has under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// Requests that were sent and have no reply yet.
    pub calls: u64,
    /// When the request that has waited longest was sent.
    pub oldest: Option<Instant>,
    /// Since when nothing has got through, if the model is waiting for that.
    pub paused: Option<Instant>,
    /// Prompt tokens read in this process, those of shared prefixes once, where the model counts
    /// them as it goes.
    pub read: u64,
    /// Tokens written in this process, where the model counts them as it goes.
    pub written: u64,
}

impl Add for UnderWay {
    type Output = UnderWay;

    /// Returns what two models have under way together.
    fn add(self, other: UnderWay) -> UnderWay {
        UnderWay {
            calls: self.calls + other.calls,
            oldest: earlier_of(self.oldest, other.oldest),
            paused: earlier_of(self.paused, other.paused),
            read: self.read + other.read,
            written: self.written + other.written,
        }
    }
}

impl<'a> Sum<&'a UnderWay> for UnderWay {
    fn sum<I: Iterator<Item = &'a UnderWay>>(parts: I) -> UnderWay {
        parts.fold(UnderWay::default(), |sum, part| sum + *part)
    }
}

fn earlier_of(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    one.into_iter().chain(other).min()
}

/// The outcome of a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The reply, or why there is none.
    pub result: CallResult,
    /// The server's words, byte for byte, if they were text.
    pub raw: Option<String>,
}

impl From<CallResult> for Answer {
    fn from(result: CallResult) -> Answer {
        Answer { result, raw: None }
    }
}
