//! Served judges: models behind an HTTP API.
//!
//! `codec` says what is sent and how the answer is read, `provider` how each service wants it,
//! `schedule` when and where to; all are pure, and `fault` is what they have in common. `attempt`
//! makes one attempt through `http`, `call_loop` keeps many under way on a thread of its own, and
//! `feed` is where the engine meets it. `batch` is the way around all that: the same requests and
//! replies as lines of files, and `batch_api` takes such files to a provider.

mod address;
mod attempt;
mod batch;
mod batch_api;
mod call_loop;
pub mod codec;
pub mod fault;
mod feed;
mod groups;
mod hangs;
mod http;
mod key;
mod key_policy;
mod plain_http;
pub mod provider;
mod resolve;
pub mod schedule;
mod spec;
mod timeouts;

pub use batch::{BatchLine, BatchReader};
pub use batch_api::{BatchApi, BatchFault, BatchFaultKind, BatchLook, BatchStage};
pub use key::{Key, KeySource};
pub use resolve::Holding;
pub use spec::{SERVED_APIS, ServedSpec, Settings, StateOrder, is_served};

use crate::identity::{check_distinct, unknown_model};
use crate::{EncodedRequest, Model, ModelError, Target, UnderWay, Work};
use address::{call_url, shown_address};
use call_loop::serve_calls;
use codec::{Dialect, Scoring, encode};
use evenhand_core::{CallError, Request, Task};
use feed::Feed;
use groups::Groups;
use http::Http;
use provider::is_loopback;
use reqwest::Url;
use resolve::Service;
use std::sync::mpsc;
use timeouts::WaitBounds;
use tokio::runtime::Builder;
use tokio::sync::mpsc::unbounded_channel;

/// Judges behind HTTP APIs, asked at the same time.
#[derive(Debug)]
pub struct Served {
    judges: Vec<ServedJudge>,
    identity: String,
}

/// A judge as it was configured, before its key is looked for.
#[derive(Debug)]
struct ServedJudge {
    spec: ServedSpec,
    identity: String,
    dialect: Dialect,
    service: Service,
    schedule: schedule::Settings,
}

/// Everything that a call loop needs to ask a judge.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(crate) shown: String,
    pub(crate) dialect: Dialect,
    /// Where each of its servers is.
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) http: Http,
    pub(crate) key: Key,
    pub(crate) schedule: schedule::Settings,
    pub(crate) waits: WaitBounds,
}

/// The addresses of calls at one server.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// The base URL, for people.
    pub(crate) shown: String,
    is_here: bool,
    /// Of chats, of the questions of a decision API, or of rewards.
    chat: Url,
    embeddings: Url,
    score: Url,
}

impl Endpoint {
    /// Returns what a person is told where no connection could be made, which its system says so.
    pub(crate) fn nobody_answers(&self, why: &str) -> String {
        // The innermost cause is the one that says something.
        let why = why
            .rsplit_once("connect error: ")
            .map_or(why, |(_, why)| why);
        let question = match self.is_here {
            true => "is the server running?",
            false => "are the address and the network right?",
        };
        format!("nothing answers at {}; {question} {why}", self.shown)
    }

    /// Returns where a request of this kind goes.
    pub(crate) fn url_for(&self, task: Option<&Task>) -> &Url {
        match task {
            Some(Task::Score { .. }) => &self.score,
            Some(Task::Embed { .. }) => &self.embeddings,
            Some(
                Task::Generate { .. }
                | Task::SideBySide { .. }
                | Task::Decide { .. }
                | Task::Reward,
            )
            | None => &self.chat,
        }
    }
}

/// How many calls are held for each that may be under way, where they may wait: enough to sort by
/// prefix, few enough for memory.
const HELD: usize = 2;
/// The fewest calls that are held, where they may wait: where some prompts always fail, there must
/// be others to see that the server answers.
const LEAST_HELD: usize = 64;
/// The most calls that are held.
const MOST_HELD: usize = 16_384;

impl Served {
    /// Checks everything that can be checked without asking; keys are looked for when they are
    /// needed. No judge may be named twice.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] with the judge and what is wrong with it: a setting, an address, a
    /// provider's name, or that it is named twice.
    pub fn open(specs: &[ServedSpec]) -> Result<Served, ModelError> {
        let mut judges = Vec::with_capacity(specs.len());
        for spec in specs {
            spec.settings.check(&spec.display_name())?;
            judges.push(ServedJudge {
                dialect: spec.dialect()?,
                service: spec.find_service()?,
                identity: spec.identity(),
                schedule: spec.schedule(),
                spec: spec.clone(),
            });
        }
        let identities: Vec<&str> = judges.iter().map(|judge| judge.identity.as_str()).collect();
        check_distinct(&identities)?;
        Ok(Served {
            identity: identities.join("\n"),
            judges,
        })
    }

    fn find_judge(&self, request: &Request) -> Option<usize> {
        self.judges
            .iter()
            .position(|judge| *judge.identity == *request.judge)
    }
}

impl ServedJudge {
    /// Returns what the call loop needs, the key among it.
    fn connect(&self) -> Result<Judge, ModelError> {
        let (key, headers) = self.spec.key_and_headers(&self.service)?;
        let waits = self.spec.wait_bounds();
        let dialect = &self.dialect;
        let addresses = &self.service.addresses;
        let is_secure = addresses.iter().any(|base| base.scheme() == "https");
        let endpoints = addresses.iter().map(|base| Endpoint {
            shown: shown_address(base),
            is_here: is_loopback(base),
            chat: call_url(base, dialect.main_path()),
            embeddings: call_url(base, &dialect.embeddings_path()),
            score: call_url(base, &dialect.score_path()),
        });
        Ok(Judge {
            shown: self.spec.display_name(),
            dialect: dialect.clone(),
            endpoints: endpoints.collect(),
            http: Http::new(headers, is_secure, waits.longest)?,
            key,
            schedule: self.schedule.clone(),
            waits,
        })
    }
}

impl Model for Served {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
        None
    }

    fn tokens_to_think(&self, request: &Request) -> u64 {
        let judge = self.find_judge(request).map(|at| &self.judges[at]);
        judge.map_or(0, |judge| u64::from(judge.dialect.reasoning_tokens))
    }

    fn encode_request(&self, request: &Request) -> Option<Result<EncodedRequest, CallError>> {
        let judge = &self.judges[self.find_judge(request)?];
        let body = encode(&judge.dialect, request);
        Some(body.map(|body| EncodedRequest {
            api: judge.dialect.api,
            target: match (&request.task, judge.dialect.likelihood) {
                (Task::Embed { .. }, _) => Target::Embeddings,
                (Task::Score { .. }, Scoring::Echo) => Target::Completions,
                _ => Target::Chat,
            },
            body,
        }))
    }

    fn open_batches(&self, judge: &str) -> Option<Result<BatchApi, ModelError>> {
        let mut judges = self.judges.iter();
        let judge = judges.find(|one| one.identity == judge)?;
        Some(BatchApi::open(
            &judge.spec,
            &judge.service,
            judge.dialect.api,
        ))
    }

    fn check_ready(&self) -> Result<(), ModelError> {
        self.judges
            .iter()
            .try_for_each(|judge| judge.spec.key_and_headers(&judge.service).map(drop))
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        // Where the store answers everything, no key is needed.
        let Some(first) = work.next_request() else {
            return Ok(());
        };
        let judges = self.judges.iter().map(ServedJudge::connect);
        let judges = judges.collect::<Result<Vec<Judge>, _>>()?;
        let each = if work.may_wait() { HELD } else { 1 };
        let held = judges
            .iter()
            .map(|judge| each * judge.schedule.most as usize * judge.endpoints.len());
        let least = if work.may_wait() { LEAST_HELD } else { 1 };
        let room = held.sum::<usize>().clamp(least, MOST_HELD);
        std::thread::scope(|scope| {
            let (tell, events) = mpsc::channel();
            let mut loops = Vec::new();
            // A call loop for each judge, in a thread of its own.
            for (number, judge) in judges.iter().enumerate() {
                let (jobs, incoming) = unbounded_channel();
                let runtime = Builder::new_current_thread().enable_all().build();
                let runtime = runtime
                    .map_err(|e| ModelError::Serve(format!("no thread for the network: {e}")))?;
                let tell = tell.clone();
                scope.spawn(move || runtime.block_on(serve_calls(judge, number, incoming, &tell)));
                loops.push(jobs);
            }
            // The loops alone may hold the channel open: its end says that they have ended.
            drop(tell);
            let feed = Feed {
                work,
                loops,
                events,
                room,
                open: 0,
                under_way: vec![UnderWay::default(); judges.len()],
                groups: Groups::default(),
            };
            feed.run(first, |request| {
                self.find_judge(request)
                    .ok_or_else(|| unknown_model(request))
            })
        })
    }
}
