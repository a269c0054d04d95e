//! Judges outside this program: functions of another language, and programs that speak JSON lines.

mod program;
mod reply;

pub use program::open_program;
pub use reply::Replied;

use reply::{check_task, read_reply};

use crate::identity::failed;
use crate::{Answer, Model, ModelError, UnderWay, Work};
use evenhand_core::{Request, RequestKey};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// For how long replies are waited for before it is looked whether the run is to end.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A request on its way, under a number of its own.
pub type Numbered = (u64, Arc<Request>);

/// For how long replies on their way are waited for at least when the run is to end.
const LAST_REPLIES: Duration = Duration::from_secs(5);

/// Takes requests to where they are answered.
pub trait Carrier {
    /// Sends requests, together where that is quicker. The reply to each comes through the
    /// channel that the [`Outside`] was made with.
    ///
    /// # Errors
    /// Nothing can be sent any more.
    fn send(&mut self, requests: Vec<Numbered>) -> Result<(), ModelError>;

    /// Takes back the requests that nobody has begun to answer: the run is to end. Each comes
    /// through the channel, without a reply.
    fn recall(&mut self) {}

    /// Returns what may keep replies back, and after how long without any that is said; None where
    /// nothing is.
    fn explain_silence(&self) -> Option<(Duration, &'static str)> {
        None
    }
}

/// The limits of sending requests.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// The most requests that are under way at a time; at least 1.
    pub under_way: usize,
    /// The most that are sent together; at least 1.
    pub together: usize,
    /// After so long a request counts as failed, and its reply is not waited for any more.
    pub timeout: Duration,
}

/// A reply with the number of its request, or the reason why no more come. None for a request that
/// is not answered, since the run is to end: it is no failure, and the next run asks it again.
pub type Carried = Result<(u64, Option<Replied>), ModelError>;

/// A judge outside this program.
pub struct Outside {
    identity: String,
    carrier: Box<dyn Carrier>,
    replies: Receiver<Carried>,
    sending: Sending,
    sent: Sent,
    /// How long the slowest reply took so far.
    slowest: Duration,
    /// True once there was a reply, or its silence was explained.
    is_heard: bool,
}

impl Outside {
    /// A judge of this identity: requests go by the carrier, and replies come by the channel.
    pub fn new(
        identity: String,
        carrier: Box<dyn Carrier>,
        replies: Receiver<Carried>,
        sending: Sending,
    ) -> Outside {
        Outside {
            identity,
            carrier,
            replies,
            sending,
            sent: Sent::default(),
            slowest: Duration::ZERO,
            is_heard: false,
        }
    }

    /// Sends what is ready, as far as there is room.
    fn send_ready(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        loop {
            let free = self
                .sending
                .under_way
                .max(1)
                .saturating_sub(self.sent.len());
            let most = free.min(self.sending.together.max(1));
            let mut ready = Vec::new();
            while ready.len() < most
                && let Some((key, request)) = work.next_request()
            {
                match check_task(&request) {
                    Ok(()) => ready.push((self.sent.add(key, &request), request)),
                    Err(error) => work.deliver(key, Answer::from(Err(error))),
                }
            }
            if ready.is_empty() {
                return Ok(());
            }
            self.carrier.send(ready)?;
        }
    }

    /// Delivers the answers that are there, and waits a moment where there is none.
    fn deliver_answers(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        match self.replies.recv_timeout(LOOK_EVERY) {
            Ok(carried) => self.deliver(work, carried)?,
            Err(RecvTimeoutError::Timeout) => work.flush(),
            Err(RecvTimeoutError::Disconnected) => {
                let identity = &self.identity;
                return Err(ModelError::Serve(format!(
                    "{identity}: it no longer answers"
                )));
            }
        }
        while let Ok(carried) = self.replies.try_recv() {
            self.deliver(work, carried)?;
        }
        Ok(())
    }

    fn deliver(&mut self, work: &mut dyn Work, carried: Carried) -> Result<(), ModelError> {
        let (number, replied) = carried?;
        match (self.sent.waiting.remove(&number), replied) {
            (Some(waiting), Some(replied)) => {
                self.slowest = self.slowest.max(waiting.sent.elapsed());
                self.is_heard = true;
                let result = read_reply(&waiting.request, replied);
                work.deliver(waiting.key, Answer::from(result));
            }
            // It was recalled before it was begun.
            (_, None) => {}
            // It comes after its time, and is to no request any more.
            (None, Some(_)) if self.sent.late.remove(&number) => {}
            // A judge that mixes up its requests may have mixed up others too, and the one that
            // this reply was meant for would be waited for until its time is over.
            (None, Some(_)) => {
                let last = self.sent.next;
                let what = if (1..=last).contains(&number) {
                    "which was answered before".into()
                } else {
                    format!("which it was never sent: ids so far are 1 to {last}")
                };
                return Err(ModelError::Serve(format!(
                    "{}: it answered the request of id {number}, {what}; expected one reply to \
                     each request, with the request's id",
                    self.identity
                )));
            }
        }
        Ok(())
    }

    /// Says what may keep the replies back, once, where none has come for long.
    fn explain_silence(&mut self, work: &mut dyn Work) {
        if self.is_heard {
            return;
        }
        if let Some((patience, why)) = self.carrier.explain_silence()
            && let Some(first) = self.sent.waiting.values().next()
            && first.sent.elapsed() >= patience
        {
            self.is_heard = true;
            work.add_note(format!("{}: {why}", self.identity));
        }
    }

    /// Gives up those that were sent too long ago.
    fn give_up_late(&mut self, work: &mut dyn Work) {
        let timeout = self.sending.timeout;
        // All are taken before any is delivered, so that none is late because another was written.
        let mut late = Vec::new();
        // The oldest come first.
        while let Some(first) = self.sent.waiting.first_entry()
            && first.get().sent.elapsed() > timeout
        {
            self.sent.late.insert(*first.key());
            late.push(first.remove().key);
        }
        for key in late {
            let error = failed(format!("no reply within {} s", timeout.as_secs_f64()));
            work.deliver(key, Answer::from(Err(error)));
        }
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
            self.explain_silence(work);
            self.give_up_late(work);
            work.under_way(self.sent.under_way());
        }
        // The run is to end. What is being answered may be paid for: it is waited for about as long
        // as replies take here, and the rest is left to the next run.
        self.carrier.recall();
        let patience = LAST_REPLIES.max(2 * self.slowest);
        let end = Instant::now() + patience.min(self.sending.timeout);
        while self.sent.len() > 0 && Instant::now() < end {
            self.deliver_answers(work)?;
            work.under_way(self.sent.under_way());
        }
        Ok(())
    }
}

/// The requests that are under way, by their numbers: the first was sent first.
#[derive(Default)]
struct Sent {
    next: u64,
    waiting: BTreeMap<u64, Waiting>,
    /// Those that were given up, whose replies may still come.
    late: BTreeSet<u64>,
}

/// A request that has no reply yet.
struct Waiting {
    key: RequestKey,
    request: Arc<Request>,
    sent: Instant,
}

impl Sent {
    fn add(&mut self, key: RequestKey, request: &Arc<Request>) -> u64 {
        self.next += 1;
        let waiting = Waiting {
            key,
            request: request.clone(),
            sent: Instant::now(),
        };
        self.waiting.insert(self.next, waiting);
        self.next
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn under_way(&self) -> UnderWay {
        UnderWay {
            calls: self.len() as u64,
            oldest: self.waiting.values().next().map(|first| first.sent),
            ..UnderWay::default()
        }
    }
}

#[cfg(test)]
mod tests;
