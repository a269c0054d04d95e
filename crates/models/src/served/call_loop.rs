//! One thread that keeps many calls to one judge under way. The scheduler says when and where calls
//! go, the codec what is sent and how it is read; here is only what waits.

use super::Judge;
use super::attempt::{Allowed, Attempted, attempt_in_time, call_error_of};
use super::codec::{Dialect, encode, encode_together};
use super::fault::FaultKind;
use super::hangs::{FEW, HangWatch};
use super::schedule::{After, AttemptOutcome, Note, Scheduler, Send, Ticket};
use super::timeouts::{AttemptTimeouts, CallSize};
use crate::identity::failed;
use crate::{Answer, UnderWay};
use bytes::Bytes;
use evenhand_core::{CallError, Reply, Request, RequestKey, Task, Usage};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// A request as the engine hands it out.
pub(crate) type Handed = (RequestKey, Arc<Request>);

/// What one call is to ask.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) parts: Vec<Handed>,
    /// Whether a request of it failed to the end in an earlier session.
    pub(crate) failed_before: bool,
}

/// A call to be made.
#[derive(Debug)]
struct Job {
    /// The requests that it answers: one, or several questions about one state.
    parts: Vec<Handed>,
    body: Bytes,
    /// Equal for calls whose prompts begin with the same long text.
    prefix: u64,
    /// Tokens that it may take, about.
    tokens: u64,
    size: CallSize,
    /// Attempts so far that hung: they say nothing of how long this call takes.
    hung: u32,
}

impl Job {
    /// Makes the call of a request, or of several questions about one state.
    fn new(dialect: &Dialect, parts: Vec<Handed>) -> Result<Job, CallError> {
        let Some((_, request)) = parts.first() else {
            return Err(failed("there is no request"));
        };
        let body = match &parts[..] {
            [(_, request)] => encode(dialect, request)?,
            parts => {
                let requests: Vec<&Request> = parts.iter().map(|(_, request)| &**request).collect();
                encode_together(dialect, &requests)?
            }
        };
        let size = CallSize {
            body: body.len() as u64,
            most: match &request.task {
                Task::Generate { decoding, .. } => {
                    u64::from(decoding.max_tokens) + u64::from(dialect.reasoning_tokens)
                }
                Task::Score { .. }
                | Task::Embed { .. }
                | Task::SideBySide { .. }
                | Task::Decide { .. }
                | Task::Reward => 0,
            },
        };
        // Prompts about one item begin alike: the rules, then the instruction, then the responses.
        let mut prefix = DefaultHasher::new();
        request.about.item.hash(&mut prefix);
        Ok(Job {
            prefix: prefix.finish(),
            body: Bytes::from(body),
            tokens: size.body / BYTES_PER_TOKEN + size.most,
            size,
            parts,
            hung: 0,
        })
    }
}

/// An event that a loop tells the engine's end.
#[derive(Debug)]
pub(crate) enum Event {
    /// A request has its reply, or none; and whether it is the last one of its call.
    Ended(RequestKey, Box<Answer>, bool),
    /// The user must know this.
    Note(String),
    /// Something that is so only now.
    PassingNote(String),
    /// The loop of this number has this under way.
    UnderWay(usize, UnderWay),
    /// The run must end, for this reason.
    Stop(String),
}

type Attempt<'a> = Pin<Box<dyn Future<Output = Ended> + 'a>>;

/// An attempt that is over.
struct Ended {
    send: Send,
    /// Its number among all attempts.
    number: u64,
    took: Duration,
    attempted: Attempted,
}

/// The state of the loop.
struct CallLoop<'a> {
    judge: &'a Judge,
    /// Its number among the loops.
    number: usize,
    events: &'a Sender<Event>,
    scheduler: Scheduler,
    started: Instant,
    jobs: HashMap<u64, Job>,
    next: u64,
    waits: Rc<RefCell<Waits>>,
    /// Attempts so far, and when each was made that is under way.
    attempts: u64,
    sent: BTreeMap<u64, Instant>,
    /// When it told last what is under way, and how many calls that were.
    told: Duration,
    told_calls: usize,
    running: FuturesUnordered<Attempt<'a>>,
    /// When it was last found that nothing more is due.
    looked_at: Duration,
    stopped: bool,
    /// When it ends, once no more calls can come.
    closing: Option<Duration>,
}

/// What is known of how long replies take.
struct Waits {
    timeouts: AttemptTimeouts,
    /// A watch for each endpoint; none where the user says how long each reply is waited for.
    hangs: Vec<HangWatch>,
    /// Whether nothing waits, and little is under way.
    is_end: bool,
    /// A call's attempt of this number may be its last.
    last: u32,
}

impl Waits {
    /// Returns how long an attempt may take at a call of this size of which so many hung before.
    fn allowed_for(&self, send: Send, number: u64, size: CallSize, hung: u32) -> Allowed {
        let attempt = send.attempt.saturating_sub(hung);
        let time = self.timeouts.allowed_for(size, attempt);
        let hangs = self
            .hangs
            .get(send.endpoint)
            .filter(|_| send.attempt < self.last);
        match hangs.and_then(|watch| watch.allowed_for(number, size, send.attempt, self.is_end)) {
            Some(soon) if soon < time => Allowed {
                time: soon,
                hangs: true,
            },
            _ => Allowed { time, hangs: false },
        }
    }
}

/// How often it tells what is under way.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// How long replies are waited for, once no more calls are wanted: they are paid for.
const GRACE: Duration = Duration::from_secs(5);

/// Serves jobs until the run must end or nobody listens any more. When no more can come, what is
/// under way may end.
pub(crate) async fn serve_calls(
    judge: &Judge,
    number: usize,
    mut incoming: UnboundedReceiver<Offer>,
    events: &Sender<Event>,
) {
    let mut calls = CallLoop::new(judge, number, events);
    let sleep = tokio::time::sleep(Duration::ZERO);
    tokio::pin!(sleep);
    loop {
        calls.do_what_is_due();
        calls.tell_under_way();
        let wake = calls.wake_at();
        if let Some(at) = wake {
            sleep.as_mut().reset((calls.started + at).into());
        }
        tokio::select! {
            biased;
            Some(ended) = calls.running.next(), if !calls.running.is_empty() => calls.end_attempt(ended),
            job = incoming.recv(), if calls.closing.is_none() => match job {
                Some(offer) => calls.offer(offer),
                // No more can come.
                None => calls.closing = Some(calls.started.elapsed() + GRACE),
            },
            () = &mut sleep, if wake.is_some() => {}
        }
        while let Ok(offer) = incoming.try_recv() {
            calls.offer(offer);
        }
        let is_late = |end| calls.running.is_empty() || calls.started.elapsed() >= end;
        if calls.stopped || calls.closing.is_some_and(is_late) {
            return;
        }
    }
}

impl<'a> CallLoop<'a> {
    fn new(judge: &'a Judge, number: usize, events: &'a Sender<Event>) -> CallLoop<'a> {
        let addresses = judge.endpoints.iter().map(|one| one.shown.clone());
        let scheduler = Scheduler::new(judge.schedule.clone(), judge.endpoints.len());
        let scheduler = scheduler.with_addresses(addresses.collect());
        CallLoop {
            judge,
            number,
            events,
            scheduler,
            started: Instant::now(),
            jobs: HashMap::new(),
            next: 0,
            waits: Rc::new(RefCell::new(Waits {
                timeouts: AttemptTimeouts::new(judge.waits),
                hangs: match judge.waits.watches_hangs {
                    true => vec![HangWatch::default(); judge.endpoints.len()],
                    false => Vec::new(),
                },
                is_end: false,
                last: judge.schedule.attempts,
            })),
            attempts: 0,
            sent: BTreeMap::new(),
            told: Duration::ZERO,
            told_calls: 0,
            running: FuturesUnordered::new(),
            looked_at: Duration::ZERO,
            stopped: false,
            closing: None,
        }
    }

    /// Takes what one call is to ask. The body is made here, since the engine's thread has more to
    /// do for each call.
    fn offer(&mut self, offer: Offer) {
        let Offer {
            parts,
            failed_before,
        } = offer;
        let keys: Vec<RequestKey> = parts.iter().map(|(key, _)| *key).collect();
        let job = match Job::new(&self.judge.dialect, parts) {
            Ok(job) => job,
            Err(error) => return self.fail_parts(&keys, &error),
        };
        let ticket = Ticket {
            id: self.next,
            prefix: job.prefix,
            tokens: job.tokens,
            failed_before,
        };
        self.jobs.insert(self.next, job);
        self.next += 1;
        self.scheduler.offer_call(ticket, self.started.elapsed());
    }

    /// Returns when something is to be done though nothing ends before.
    fn wake_at(&self) -> Option<Duration> {
        if self.closing.is_some() {
            return self.closing;
        }
        // As of the last look, not of now: what came due in between would be passed over, and where
        // no call is under way nothing else would ever wake the loop.
        let due = self.scheduler.wake_at(self.looked_at);
        // What is under way is told from time to time.
        let telling = (!self.sent.is_empty()).then(|| self.told + TELL_EVERY);
        due.into_iter().chain(telling).min()
    }

    /// Tells what is under way, if that was long ago, or nothing is any more.
    fn tell_under_way(&mut self) {
        let now = self.started.elapsed();
        let has_ended = self.sent.is_empty() && self.told_calls > 0;
        if now < self.told + TELL_EVERY && !has_ended {
            return;
        }
        self.told = now;
        self.told_calls = self.sent.len();
        let pause = self.scheduler.paused_for(now);
        let under_way = UnderWay {
            calls: self.sent.len() as u64,
            oldest: self.sent.first_key_value().map(|(_, sent)| *sent),
            paused: pause.and_then(|pause| Instant::now().checked_sub(pause)),
            ..UnderWay::default()
        };
        self.tell(Event::UnderWay(self.number, under_way));
    }

    fn do_what_is_due(&mut self) {
        if self.closing.is_some() {
            return;
        }
        let now = self.started.elapsed();
        while let Some(send) = self.scheduler.next_send(now) {
            self.start_attempt(send);
        }
        self.looked_at = now;
        self.waits.borrow_mut().is_end =
            self.scheduler.count_waiting() == 0 && self.sent.len() <= FEW;
        while let Some((id, given_up)) = self.scheduler.take_overdue(now) {
            self.fail_call(id, &call_error_of(&given_up));
        }
        let shown = &self.judge.shown;
        for note in self.scheduler.take_notes() {
            let text = format!("{shown}: {note}");
            self.tell(match note {
                Note::Paused { .. } | Note::StillPaused { .. } | Note::Waits { .. } => {
                    Event::PassingNote(text)
                }
                _ => Event::Note(text),
            });
        }
        if let Some(stop) = self.scheduler.stop_reason() {
            let why = format!("{shown}: {stop}");
            self.stopped = true;
            self.tell(Event::Stop(why));
        }
    }

    fn start_attempt(&mut self, send: Send) {
        let Some(job) = self.jobs.get(&send.id) else {
            return;
        };
        let judge = self.judge;
        let body = job.body.clone();
        let requests: Vec<Arc<Request>> = job
            .parts
            .iter()
            .map(|(_, request)| request.clone())
            .collect();
        let size = job.size;
        let hung = job.hung;
        let number = self.attempts;
        let sent = Instant::now();
        let waits = self.waits.clone();
        self.attempts += 1;
        self.sent.insert(number, sent);
        self.running.push(Box::pin(async move {
            let allowed = || waits.borrow().allowed_for(send, number, size, hung);
            let endpoint = &judge.endpoints[send.endpoint];
            let requests: Vec<&Request> = requests.iter().map(|one| &**one).collect();
            Ended {
                send,
                number,
                attempted: attempt_in_time(judge, endpoint, body, &requests, sent, allowed).await,
                took: sent.elapsed(),
            }
        }));
    }

    fn end_attempt(&mut self, ended: Ended) {
        self.sent.remove(&ended.number);
        let outcome = match &ended.attempted {
            Ok((replies, _)) => self.learn_from_replies(replies, &ended),
            Err(fault) => {
                if fault.kind == FaultKind::Hung
                    && let Some(job) = self.jobs.get_mut(&ended.send.id)
                {
                    job.hung += 1;
                }
                AttemptOutcome::Failed(fault)
            }
        };
        let Send { id, endpoint, .. } = ended.send;
        let now = self.started.elapsed();
        let after = self.scheduler.end_attempt(id, endpoint, outcome, now);
        match (after, ended.attempted) {
            (After::Done, Ok((replies, raw))) => self.end_call(id, replies, raw),
            (After::GivenUp(given_up), _) => self.fail_call(id, &call_error_of(&given_up)),
            // What stops the run is told by the next look at what is due.
            _ => {}
        }
    }

    fn learn_from_replies(&self, replies: &[Reply], ended: &Ended) -> AttemptOutcome<'static> {
        let job = self.jobs.get(&ended.send.id);
        let size = job.map(|job| job.size).unwrap_or_default();
        // How many tokens it was made of.
        let (mut usage, mut bytes) = (Usage::default(), 0);
        for reply in replies {
            usage += reply.usage;
            bytes += reply.text.len() + reply.reasoning.as_ref().map_or(0, String::len);
        }
        let written = usage.completion_tokens.max(bytes as u64 / BYTES_PER_TOKEN);
        let took = ended.took;
        let mut waits = self.waits.borrow_mut();
        waits.timeouts.record_reply(took, size, written);
        if let Some(watch) = waits.hangs.get_mut(ended.send.endpoint) {
            watch.record_reply(ended.number, took, size, written);
        }
        let Usage {
            prompt_tokens,
            completion_tokens,
            ..
        } = usage;
        AttemptOutcome::Replied {
            tokens: prompt_tokens.saturating_add(completion_tokens),
        }
    }

    /// Hands each request its reply. What the server sent stands beside the first: it is the answer
    /// to all of them, and is kept once.
    fn end_call(&mut self, id: u64, replies: Vec<Reply>, raw: Option<String>) {
        let Some(job) = self.jobs.remove(&id) else {
            return;
        };
        let (mut raw, mut left) = (raw, job.parts.len());
        for ((key, _), reply) in job.parts.into_iter().zip(replies) {
            left -= 1;
            let answer = Answer {
                result: Ok(reply),
                raw: raw.take(),
            };
            self.tell(Event::Ended(key, Box::new(answer), left == 0));
        }
    }

    /// Tells of each request of a call that the call gave no reply.
    fn fail_call(&mut self, id: u64, error: &CallError) {
        let parts = self.jobs.remove(&id).map_or_else(Vec::new, |job| job.parts);
        let keys: Vec<RequestKey> = parts.iter().map(|(key, _)| *key).collect();
        self.fail_parts(&keys, error);
    }

    fn fail_parts(&mut self, keys: &[RequestKey], error: &CallError) {
        let last = keys.len().saturating_sub(1);
        for (at, key) in keys.iter().enumerate() {
            let answer = Err(error.clone()).into();
            self.tell(Event::Ended(*key, Box::new(answer), at == last));
        }
    }

    fn tell(&mut self, event: Event) {
        // Nobody listens any more: the run has ended.
        self.stopped |= self.events.send(event).is_err();
    }
}

/// Bytes to a token, about: for limits by the minute, which what the server counts corrects, and of
/// a reply whose server does not count them.
const BYTES_PER_TOKEN: u64 = 4;
