//! Judges outside this program: functions of another language, and programs that speak JSON lines.

mod program;
mod reply;

pub use program::open_program;
pub use reply::{Replied, read_reply};

use reply::check_task;

use crate::{Answer, Model, ModelError, UnderWay, Work};
use evenhand_core::{CallError, CallErrorKind, CallResult, Request, RequestKey};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// For how long replies are waited for before it is looked whether the run is to end.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A request on its way, under a number of its own.
pub type Numbered = (u64, Arc<Request>);

/// Takes requests to where they are answered.
pub trait Carrier {
    /// Sends requests, together where that is quicker. The answer of each comes through the
    /// channel that the [`Outside`] was made with.
    ///
    /// # Errors
    /// Nothing can be sent any more.
    fn send(&mut self, requests: Vec<Numbered>) -> Result<(), ModelError>;
}

/// How requests are sent.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// The most requests that are under way at a time; at least 1.
    pub under_way: usize,
    /// The most that are sent together; at least 1.
    pub together: usize,
    /// After so long a request counts as failed, and its reply is not waited for any more.
    pub timeout: Duration,
}

/// An answer by the number of its request; None where the judge can answer nothing any more, with
/// the reason.
pub type Carried = Result<(u64, CallResult), ModelError>;

/// A judge outside this program.
pub struct Outside {
    identity: String,
    carrier: Box<dyn Carrier>,
    answers: Receiver<Carried>,
    sending: Sending,
    sent: Sent,
}

impl Outside {
    /// A judge of this identity: requests go by the carrier, and answers come by the channel.
    pub fn new(
        identity: String,
        carrier: Box<dyn Carrier>,
        answers: Receiver<Carried>,
        sending: Sending,
    ) -> Outside {
        Outside {
            identity,
            carrier,
            answers,
            sending,
            sent: Sent::default(),
        }
    }

    /// Sends what is ready, as far as there is room.
    fn send_ready(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        loop {
            let ready = self.take_ready(work);
            if ready.is_empty() {
                return Ok(());
            }
            self.carrier.send(ready)?;
        }
    }

    fn take_ready(&mut self, work: &mut dyn Work) -> Vec<Numbered> {
        let most = self.count_free();
        let mut ready = Vec::new();
        while ready.len() < most
            && let Some((key, request)) = work.next_request()
        {
            match check_task(&request) {
                Ok(()) => ready.push((self.sent.add(key), request)),
                Err(error) => work.deliver(key, Answer::from(Err(error))),
            }
        }
        ready
    }

    /// Counts the requests that may be sent now.
    fn count_free(&self) -> usize {
        let most = self.sending.under_way.max(1);
        let free = most.saturating_sub(self.sent.len());
        free.min(self.sending.together.max(1))
    }

    /// Delivers the answers that are there, and waits a moment where there is none.
    fn deliver_answers(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        match self.answers.recv_timeout(LOOK_EVERY) {
            Ok(carried) => self.deliver(work, carried)?,
            Err(RecvTimeoutError::Timeout) => work.flush(),
            Err(RecvTimeoutError::Disconnected) => return Err(self.describe_gone()),
        }
        while let Ok(carried) = self.answers.try_recv() {
            self.deliver(work, carried)?;
        }
        Ok(())
    }

    fn deliver(&mut self, work: &mut dyn Work, carried: Carried) -> Result<(), ModelError> {
        let (number, result) = carried?;
        // An answer that comes after its time, or twice, is to no request any more.
        if let Some(key) = self.sent.take(number) {
            work.deliver(key, Answer::from(result));
        }
        Ok(())
    }

    fn give_up_late(&mut self, work: &mut dyn Work) {
        for key in self.sent.take_late(self.sending.timeout) {
            work.deliver(key, Answer::from(Err(self.describe_late())));
        }
    }

    fn describe_late(&self) -> CallError {
        CallError {
            kind: CallErrorKind::Model,
            message: format!("no reply within {} s", self.sending.timeout.as_secs_f64()),
        }
    }

    fn describe_gone(&self) -> ModelError {
        ModelError::Serve(format!("{}: it answers no more", self.identity))
    }
}

impl Model for Outside {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
        None
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        while !work.is_stopped() {
            self.send_ready(work)?;
            if self.sent.len() == 0 {
                return Ok(());
            }
            self.deliver_answers(work)?;
            self.give_up_late(work);
            work.under_way(self.sent.under_way());
        }
        Ok(())
    }
}

/// The requests that are under way, by their numbers: the first was sent first.
#[derive(Default)]
struct Sent {
    next: u64,
    keys: BTreeMap<u64, (RequestKey, Instant)>,
}

impl Sent {
    fn add(&mut self, key: RequestKey) -> u64 {
        self.next += 1;
        self.keys.insert(self.next, (key, Instant::now()));
        self.next
    }

    fn take(&mut self, number: u64) -> Option<RequestKey> {
        self.keys.remove(&number).map(|(key, _)| key)
    }

    /// Takes those that were sent longer ago than this.
    fn take_late(&mut self, timeout: Duration) -> Vec<RequestKey> {
        let mut late = Vec::new();
        // The oldest come first.
        while let Some(first) = self.keys.first_entry()
            && first.get().1.elapsed() > timeout
        {
            late.push(first.remove().0);
        }
        late
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn under_way(&self) -> UnderWay {
        UnderWay {
            calls: self.len() as u64,
            oldest: self.keys.values().next().map(|(_, sent)| *sent),
            ..UnderWay::default()
        }
    }
}

#[cfg(test)]
mod tests;
