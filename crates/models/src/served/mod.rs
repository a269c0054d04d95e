//! Served judges: models behind an HTTP API.
//!
//! `codec` says what is sent and how the answer is read, `provider` how each service wants it,
//! `schedule` when and where to; all are pure, and `fault` is what they have in common. `http`
//! makes one attempt, `line` keeps many under way on a thread of its own, and `feed` is where the
//! engine meets it. `batch` is the way around all that: the same requests and replies as lines of
//! files.

mod address;
mod batch;
mod call_loop;
pub mod codec;
pub mod fault;
mod feed;
mod http;
mod key;
mod key_policy;
pub mod provider;
mod resolve;
pub mod schedule;
mod spec;
mod timeouts;

pub use batch::{BatchLine, Reader};
pub use key::{Key, KeySource};
pub use spec::{ServedSpec, Settings, is_served};

use crate::identity::{check_distinct, unknown_model};
use crate::{EncodedRequest, Model, ModelError, Target, UnderWay, Work};
use bytes::Bytes;
use call_loop::Job;
use codec::{Dialect, Scoring, encode};
use evenhand_core::{CallError, Request, Task};
use feed::{Feed, Handed};
use http::Http;
use reqwest::Url;
use resolve::Service;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc;
use std::time::Duration;
use timeouts::CallSize;

/// Judges behind HTTP APIs, asked at the same time.
#[derive(Debug)]
pub struct Served {
    judges: Vec<One>,
    identity: String,
}

/// One of them.
#[derive(Debug)]
struct One {
    spec: ServedSpec,
    identity: String,
    dialect: Dialect,
    place: Service,
    schedule: schedule::Settings,
}

/// What the line needs to ask a judge.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(crate) shown: String,
    pub(crate) dialect: Dialect,
    /// Where each of its servers is.
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) http: Http,
    pub(crate) key: Key,
    pub(crate) schedule: schedule::Settings,
    /// How long a reply is waited for: at least, and at most.
    pub(crate) waits: (Duration, Duration),
}

/// The addresses of calls at one server.
#[derive(Debug)]
pub(crate) struct Endpoint {
    chat: Url,
    embeddings: Url,
    score: Url,
}

impl Endpoint {
    /// Where a request of this kind goes.
    pub(crate) fn url(&self, task: &Task) -> &Url {
        match task {
            Task::Generate { .. } => &self.chat,
            Task::Score { .. } => &self.score,
            Task::Embed { .. } => &self.embeddings,
        }
    }
}

/// How many calls are held for each that may be under way: enough to sort by prefix, few enough for
/// memory.
const HELD: usize = 2;
/// The most calls that are held.
const MOST_HELD: usize = 16_384;
/// Bytes to a token, about, for limits by the minute; what the server counts corrects it.
const BYTES_PER_TOKEN: u64 = 4;

impl Served {
    /// Checks everything that can be checked without asking; keys are looked for when they are
    /// needed. No judge may be named twice.
    pub fn open(specs: &[ServedSpec]) -> Result<Served, ModelError> {
        let judges = specs.iter().map(One::open).collect::<Result<Vec<_>, _>>()?;
        let identities: Vec<&str> = judges.iter().map(|judge| judge.identity.as_str()).collect();
        check_distinct(&identities)?;
        Ok(Served {
            identity: identities.join("\n"),
            judges,
        })
    }

    fn position(&self, request: &Request) -> Option<usize> {
        self.judges
            .iter()
            .position(|judge| *judge.identity == *request.judge)
    }

    /// A call on its line: the judge's place among the others, and what is sent.
    fn job(&self, handed: &Handed) -> Result<(usize, Job), CallError> {
        let at = self
            .position(&handed.1)
            .ok_or_else(|| unknown_model(&handed.1))?;
        Ok((at, self.judges[at].job(handed)?))
    }
}

impl One {
    fn open(spec: &ServedSpec) -> Result<One, ModelError> {
        spec.settings.check(&spec.shown())?;
        let dialect = spec.dialect()?;
        let place = spec.place()?;
        Ok(One {
            identity: spec.identity(),
            dialect,
            place,
            schedule: spec.schedule(),
            spec: spec.clone(),
        })
    }

    /// What the line needs, the key among it.
    fn judge(&self) -> Result<Judge, ModelError> {
        let (key, headers) = self.spec.key_and_headers(&self.place)?;
        let secure = self
            .place
            .addresses
            .iter()
            .any(|address| address.scheme() == "https");
        Ok(Judge {
            shown: self.spec.shown(),
            dialect: self.dialect.clone(),
            endpoints: self
                .place
                .addresses
                .iter()
                .map(|base| self.endpoint(base))
                .collect(),
            http: Http::new(headers, secure, self.spec.waits().1)?,
            key,
            schedule: self.schedule.clone(),
            waits: self.spec.waits(),
        })
    }

    fn endpoint(&self, base: &Url) -> Endpoint {
        let url = |path: &str| address::call_url(base, path);
        let Dialect { path, .. } = &self.dialect;
        Endpoint {
            chat: url(path),
            embeddings: url(&self.dialect.embeddings_path()),
            score: url(&self.dialect.score_path()),
        }
    }

    fn job(&self, (key, request): &Handed) -> Result<Job, CallError> {
        let body = encode(&self.dialect, request)?;
        let most = match &request.task {
            Task::Generate { decoding, .. } => {
                u64::from(decoding.max_tokens) + u64::from(self.dialect.reasoning_tokens)
            }
            Task::Score { .. } | Task::Embed { .. } => 0,
        };
        let size = CallSize {
            body: body.len() as u64,
            most,
        };
        let tokens = size.body / BYTES_PER_TOKEN + most;
        Ok(Job {
            key: *key,
            prefix: prefix(request),
            body: Bytes::from(body),
            tokens,
            size,
            request: request.clone(),
        })
    }
}

/// Prompts about one item begin alike: the rules, then the instruction, then the responses.
fn prefix(request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    request.about.item.hash(&mut hasher);
    hasher.finish()
}

impl Model for Served {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
        None
    }

    fn encode_request(&self, request: &Request) -> Option<Result<EncodedRequest, CallError>> {
        let judge = &self.judges[self.position(request)?];
        let body = encode(&judge.dialect, request);
        let target = match (&request.task, judge.dialect.likelihood) {
            (Task::Embed { .. }, _) => Target::Embeddings,
            (Task::Score { .. }, Scoring::Echo) => Target::Completions,
            _ => Target::Chat,
        };
        Some(body.map(|body| EncodedRequest {
            api: judge.dialect.api,
            target,
            body,
        }))
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        // Where the store answers everything, no key is needed.
        let Some(first) = work.next_request() else {
            return Ok(());
        };
        let judges = self
            .judges
            .iter()
            .map(One::judge)
            .collect::<Result<Vec<_>, _>>()?;
        let (tell, events) = mpsc::channel();
        std::thread::scope(|scope| {
            let mut lines = Vec::new();
            for (number, judge) in judges.iter().enumerate() {
                let (jobs, incoming) = tokio::sync::mpsc::unbounded_channel();
                let (runtime, tell) = (runtime()?, tell.clone());
                scope.spawn(move || {
                    runtime.block_on(call_loop::serve(judge, number, incoming, &tell))
                });
                lines.push(jobs);
            }
            drop(tell);
            let under_way = vec![UnderWay::default(); judges.len()];
            let feed = Feed {
                work,
                lines,
                events,
                room: room(&judges),
                open: 0,
                under_way,
            };
            feed.run(first, |handed| self.job(handed))
        })
    }
}

/// How many calls may be held for all judges together.
fn room(judges: &[Judge]) -> usize {
    let held = |judge: &Judge| HELD * judge.schedule.most as usize * judge.endpoints.len();
    judges.iter().map(held).sum::<usize>().min(MOST_HELD)
}

fn runtime() -> Result<tokio::runtime::Runtime, ModelError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map_err(|e| ModelError::Serve(format!("no thread for the network: {e}")))
}
