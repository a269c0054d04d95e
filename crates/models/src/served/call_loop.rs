//! The line to the servers: one thread that keeps many calls under way. When and where to is the
//! scheduler's to say, what is sent and how it is read the codec's; here is only what waits.

use super::Judge;
use super::codec::{WaitHint, decode};
use super::fault::{Fault, FaultKind};
use super::key::Key;
use super::schedule::{After, GivenUp, Outcome, Scheduler, Send, Ticket};
use super::timeouts::{AttemptTimeouts, CallSize};
use crate::{Answer, UnderWay};
use bytes::Bytes;
use evenhand_core::{CallError, CallErrorKind, Reply, Request, RequestKey};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::mpsc::UnboundedReceiver;

/// A call to be made.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) key: RequestKey,
    pub(crate) request: Arc<Request>,
    pub(crate) body: Bytes,
    /// The same for calls whose prompts begin with the same long text.
    pub(crate) prefix: u64,
    /// Tokens that it may take, about.
    pub(crate) tokens: u64,
    pub(crate) size: CallSize,
}

/// What happens on the line.
#[derive(Debug)]
pub(crate) enum Event {
    /// A call is over.
    Ended(RequestKey, Box<Answer>),
    /// The user must know this.
    Note(String),
    /// What the line of this number has under way.
    UnderWay(usize, UnderWay),
    /// The run must end, for this reason.
    Stop(String),
}

/// A reply with what was sent, or a fault.
type Attempted = Result<(Reply, Option<String>), Fault>;
type Attempt<'a> = Pin<Box<dyn Future<Output = Ended> + 'a>>;

/// An attempt that is over.
struct Ended {
    send: Send,
    /// Its number among all attempts.
    number: u64,
    took: Duration,
    attempted: Attempted,
}

/// The state of the line.
pub(crate) struct Line<'a> {
    judge: &'a Judge,
    /// Its number among the lines.
    number: usize,
    events: &'a Sender<Event>,
    scheduler: Scheduler,
    started: Instant,
    jobs: HashMap<u64, Job>,
    next: u64,
    patience: Rc<RefCell<AttemptTimeouts>>,
    /// Attempts so far, and when each was made that is under way.
    attempts: u64,
    sent: BTreeMap<u64, Instant>,
    /// When it was told last what is under way, and how many calls.
    told: Duration,
    told_calls: usize,
    running: FuturesUnordered<Attempt<'a>>,
    stopped: bool,
    /// When it ends, once no more calls can come.
    closing: Option<Duration>,
}

/// How often it is told what is under way.
const TELL_EVERY: Duration = Duration::from_millis(500);
/// How often an attempt looks how long it may still take: that changes with the replies to others.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long replies are waited for, once no more calls are wanted: they are paid for.
const GRACE: Duration = Duration::from_secs(5);

/// Serves jobs until the run must end or nobody listens any more. When no more can come, what is
/// under way may end.
pub(crate) async fn serve(
    judge: &Judge,
    number: usize,
    mut incoming: UnboundedReceiver<Job>,
    events: &Sender<Event>,
) {
    let mut line = Line::new(judge, number, events);
    let sleep = tokio::time::sleep(Duration::ZERO);
    tokio::pin!(sleep);
    loop {
        line.send();
        line.tell_under_way();
        let wake = line.wake();
        if let Some(at) = wake {
            sleep.as_mut().reset((line.started + at).into());
        }
        tokio::select! {
            biased;
            Some(ended) = line.running.next(), if !line.running.is_empty() => line.ended(ended),
            job = incoming.recv(), if line.closing.is_none() => match job {
                Some(job) => line.offer(job),
                None => line.closing = Some(line.started.elapsed() + GRACE),
            },
            () = &mut sleep, if wake.is_some() => {}
        }
        while let Ok(job) = incoming.try_recv() {
            line.offer(job);
        }
        if line.is_over() {
            return;
        }
    }
}

impl<'a> Line<'a> {
    fn new(judge: &'a Judge, number: usize, events: &'a Sender<Event>) -> Line<'a> {
        let scheduler = Scheduler::new(judge.schedule.clone(), judge.endpoints.len());
        let started = Instant::now();
        let (least, longest) = judge.waits;
        Line {
            judge,
            number,
            events,
            scheduler,
            started,
            jobs: HashMap::new(),
            next: 0,
            patience: Rc::new(RefCell::new(AttemptTimeouts::new(least, longest))),
            attempts: 0,
            sent: BTreeMap::new(),
            told: Duration::ZERO,
            told_calls: 0,
            running: FuturesUnordered::new(),
            stopped: false,
            closing: None,
        }
    }

    fn offer(&mut self, job: Job) {
        let ticket = Ticket {
            id: self.next,
            prefix: job.prefix,
            tokens: job.tokens,
        };
        self.jobs.insert(self.next, job);
        self.next += 1;
        self.scheduler.offer(ticket, self.started.elapsed());
    }

    /// When something is to be done though nothing ends before.
    fn wake(&self) -> Option<Duration> {
        let tell = (!self.sent.is_empty()).then(|| self.told + TELL_EVERY);
        self.closing.or_else(|| {
            self.scheduler
                .wake(self.started.elapsed())
                .into_iter()
                .chain(tell)
                .min()
        })
    }

    /// Tells what is under way, if that was long ago, or nothing is any more.
    fn tell_under_way(&mut self) {
        let now = self.started.elapsed();
        let ended = self.sent.is_empty() && self.told_calls > 0;
        if now < self.told + TELL_EVERY && !ended {
            return;
        }
        (self.told, self.told_calls) = (now, self.sent.len());
        let paused = self
            .scheduler
            .paused(now)
            .and_then(|pause| Instant::now().checked_sub(pause));
        let oldest = self.sent.first_key_value().map(|(_, sent)| *sent);
        let under_way = UnderWay {
            calls: self.sent.len() as u64,
            oldest,
            paused,
            ..UnderWay::default()
        };
        self.tell(Event::UnderWay(self.number, under_way));
    }

    fn is_over(&self) -> bool {
        let closed = |end: Duration| self.running.is_empty() || self.started.elapsed() >= end;
        self.stopped || self.closing.is_some_and(closed)
    }

    /// Sends what is due.
    fn send(&mut self) {
        if self.closing.is_some() {
            return;
        }
        while let Some(send) = self.scheduler.next(self.started.elapsed()) {
            let Some(job) = self.jobs.get(&send.id) else {
                continue;
            };
            let (judge, body, request, size) =
                (self.judge, job.body.clone(), job.request.clone(), job.size);
            let (number, sent, patience) = (self.attempts, Instant::now(), self.patience.clone());
            self.attempts += 1;
            self.sent.insert(number, sent);
            self.running.push(Box::pin(async move {
                let allowed = || patience.borrow().allows(size, send.attempt);
                let attempted =
                    in_time(attempt(judge, send.endpoint, body, &request), sent, allowed).await;
                Ended {
                    send,
                    number,
                    took: sent.elapsed(),
                    attempted,
                }
            }));
        }
        let now = self.started.elapsed();
        while let Some((id, given_up)) = self.scheduler.overdue(now) {
            self.over(id, Err(given_up_error(&given_up)).into());
        }
        let notes = self.scheduler.take_notes();
        notes
            .into_iter()
            .for_each(|note| self.tell(Event::Note(format!("{}: {note}", self.judge.shown))));
        if let Some(stop) = self.scheduler.stopped() {
            let why = format!("{}: {stop}", self.judge.shown);
            self.stopped = true;
            self.tell(Event::Stop(why));
        }
    }

    fn ended(
        &mut self,
        Ended {
            send,
            number,
            took,
            attempted,
        }: Ended,
    ) {
        self.sent.remove(&number);
        let outcome = match &attempted {
            Ok((reply, _)) => {
                let size = self
                    .jobs
                    .get(&send.id)
                    .map(|job| job.size)
                    .unwrap_or_default();
                self.patience
                    .borrow_mut()
                    .replied(took, size, written(reply));
                Outcome::Replied {
                    tokens: reply
                        .usage
                        .prompt_tokens
                        .saturating_add(reply.usage.completion_tokens),
                }
            }
            Err(fault) => Outcome::Failed(fault),
        };
        match (
            self.scheduler
                .ended(send.id, send.endpoint, outcome, self.started.elapsed()),
            attempted,
        ) {
            (After::Done, Ok((reply, raw))) => self.over(
                send.id,
                Answer {
                    result: Ok(reply),
                    raw,
                },
            ),
            (After::GivenUp(given_up), _) => {
                self.over(send.id, Err(given_up_error(&given_up)).into())
            }
            // What stops the run is told by the next look at what is due.
            _ => {}
        }
    }

    fn over(&mut self, id: u64, answer: Answer) {
        if let Some(job) = self.jobs.remove(&id) {
            self.tell(Event::Ended(job.key, Box::new(answer)));
        }
    }

    fn tell(&mut self, event: Event) {
        // Nobody listens any more: the run has ended.
        self.stopped |= self.events.send(event).is_err();
    }
}

/// Bytes to a token, about, of a reply whose server does not count them.
const BYTES_PER_TOKEN: u64 = 4;

/// Tokens that a reply was made of.
fn written(reply: &Reply) -> u64 {
    let thought = reply.reasoning.as_ref().map_or(0, String::len);
    reply
        .usage
        .completion_tokens
        .max((reply.text.len() + thought) as u64 / BYTES_PER_TOKEN)
}

/// An attempt that was made at `sent`, or a fault once it has taken longer than is allowed by then.
async fn in_time(
    attempt: impl Future<Output = Attempted>,
    sent: Instant,
    allowed: impl Fn() -> Duration,
) -> Attempted {
    tokio::pin!(attempt);
    loop {
        let left = allowed().saturating_sub(sent.elapsed());
        match tokio::time::timeout(left.min(LOOK_EVERY), &mut attempt).await {
            Ok(attempted) => return attempted,
            Err(_) if sent.elapsed() < allowed() => {}
            Err(_) => {
                let message = format!(
                    "no whole reply within {:.0} s",
                    sent.elapsed().as_secs_f64()
                );
                return Err(Fault::new(FaultKind::Timeout, message));
            }
        }
    }
}

/// One attempt at a call: sent, received, read.
async fn attempt(judge: &Judge, endpoint: usize, body: Bytes, request: &Request) -> Attempted {
    let hidden = |fault: Fault| Fault {
        message: judge.key.hide(&fault.message).into_owned(),
        ..fault
    };
    let received = judge
        .http
        .post(judge.endpoints[endpoint].url(&request.task), body)
        .await
        .map_err(hidden)?;
    let told = WaitHint::read(
        received
            .headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))),
        SystemTime::now(),
    );
    let body = judge.key.hide_in(received.body);
    let reply = decode(&judge.dialect, request, received.status, &told, &body).map_err(hidden)?;
    let raw = is_kept(&reply).then(|| String::from_utf8_lossy(&body).into_owned());
    Ok((without_key(reply, &judge.key), raw))
}

/// Whether what a server sent is kept beside what was read of it. Embeddings are not: every number
/// is in the reply.
pub(crate) fn is_kept(reply: &Reply) -> bool {
    reply.embeddings.is_none()
}

/// A server may have written the key in a way that only reading shows.
fn without_key(reply: Reply, key: &Key) -> Reply {
    let hidden = |text: String| key.hide(&text).into_owned();
    Reply {
        text: hidden(reply.text),
        reasoning: reply.reasoning.map(hidden),
        ..reply
    }
}

/// A call that is given up, for the store and the report.
fn given_up_error(given_up: &GivenUp) -> CallError {
    let kind = given_up
        .fault
        .as_ref()
        .map_or(CallErrorKind::Model, |fault| kind(fault.kind));
    CallError {
        kind,
        message: given_up.to_string(),
    }
}

/// A fault that ends a call at once.
pub(crate) fn call_error(fault: &Fault) -> CallError {
    CallError {
        kind: kind(fault.kind),
        message: format!("{}: {}", fault.kind.name(), fault.message),
    }
}

fn kind(fault: FaultKind) -> CallErrorKind {
    match fault {
        FaultKind::TooLong => CallErrorKind::TooLong,
        FaultKind::Filtered => CallErrorKind::Refused,
        _ => CallErrorKind::Model,
    }
}
