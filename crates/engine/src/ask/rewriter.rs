//! Texts that a model writes outside a protocol, kept in a store: what was asked is not asked
//! again.

use crate::{EngineError, Estimate, Forecast, JudgeOptions, JudgeSpec};
use evenhand_core::{
    About, CallResult, Decoding, Item, Message, Request, RequestKey, Response, Task, Wanted,
};
use evenhand_models::{Answer, Model, UnderWay, Work};
use evenhand_store::{Call, Store};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A model that rewrites responses.
pub struct Rewriter {
    model: Box<dyn Model>,
    breaks_marks: bool,
}

/// A response that is to be rewritten, and the prompt that says how.
pub struct ToRewrite<'a> {
    /// What was answered.
    pub item: &'a Item,
    /// The response.
    pub response: Response,
    /// The prompt.
    pub messages: Vec<Message>,
    /// The most tokens that the rewritten one may have.
    pub max_tokens: u32,
}

impl Rewriter {
    /// Opens the model; `systems` are those of the data set, for a simulated one. A recorded run is
    /// none.
    pub fn open(
        spec: &JudgeSpec,
        systems: &[Arc<str>],
        options: JudgeOptions,
    ) -> Result<Rewriter, EngineError> {
        Ok(Rewriter {
            model: spec.open(systems, options)?,
            breaks_marks: spec.reads_marks()? && !options.raw_marks,
        })
    }

    /// Whether marks of chat templates are to be broken up in what it is shown.
    pub fn breaks_marks(&self) -> bool {
        self.breaks_marks
    }

    /// The model's name.
    pub fn identity(&self) -> &str {
        self.model.identity()
    }

    /// What a forecast has for each, in order; the calls are counted in `sum`.
    ///
    /// # Errors
    /// What reading the forecast's run directory meets.
    pub fn foresee(
        &self,
        all: Vec<ToRewrite<'_>>,
        forecast: &mut Forecast,
        sum: &mut Estimate,
    ) -> Result<Vec<CallResult>, EngineError> {
        let judge: Arc<str> = self.model.identity().into();
        let requests = all.into_iter().map(|one| request(judge.clone(), one));
        requests
            .map(|request| forecast.reply(&request.key(), &request, self.model.as_ref(), sum))
            .collect()
    }

    /// A reply for each and the call that it is, from the store or from the model, in order; `each`
    /// is told as replies come. Equal prompts are one call.
    ///
    /// # Errors
    /// What the model or the store meets; [`EngineError::Stopped`] once `stop` is true, with what
    /// came kept.
    pub fn rewrite(
        &mut self,
        all: Vec<ToRewrite<'_>>,
        store: &mut Store,
        each: &mut dyn FnMut(u64),
        stop: &AtomicBool,
    ) -> Result<Vec<(RequestKey, CallResult)>, EngineError> {
        let judge: Arc<str> = self.model.identity().into();
        let requests: Vec<Request> = all
            .into_iter()
            .map(|one| request(judge.clone(), one))
            .collect();
        let keys: Vec<RequestKey> = requests.iter().map(Request::key).collect();
        let mut calls = Calls {
            ready: VecDeque::new(),
            bodies: HashMap::new(),
            results: HashMap::new(),
            store,
            each,
            error: None,
            stop,
        };
        keys.iter()
            .zip(requests)
            .try_for_each(|(key, request)| calls.want(*key, request))?;
        let served = self.model.serve(&mut calls);
        calls.error.take().map_or(Ok(()), Err)?;
        served?;
        calls.store.commit()?;
        let result = |key: &RequestKey| Some((*key, calls.results.get(key)?.clone()));
        let results: Vec<_> = keys.iter().filter_map(result).collect();
        if results.len() == keys.len() {
            Ok(results)
        } else {
            Err(EngineError::Stopped {
                judged: results.len() as u64,
            })
        }
    }
}

fn request(
    judge: Arc<str>,
    ToRewrite {
        item,
        response,
        messages,
        max_tokens,
    }: ToRewrite<'_>,
) -> Request {
    let decoding = Decoding {
        max_tokens,
        temperature: 0.0,
        seed: 0,
    };
    let about = About::new(item, &[response]).wanting(Wanted::Rewritten);
    Request {
        judge,
        messages,
        task: Task::Generate {
            decoding,
            answers: None,
        },
        sample: 0,
        about,
    }
}

/// Calls, and what became of them.
struct Calls<'a> {
    ready: VecDeque<(RequestKey, Arc<Request>)>,
    bodies: HashMap<RequestKey, (Arc<str>, String)>,
    results: HashMap<RequestKey, CallResult>,
    store: &'a mut Store,
    each: &'a mut dyn FnMut(u64),
    error: Option<EngineError>,
    stop: &'a AtomicBool,
}

impl Calls<'_> {
    fn want(&mut self, key: RequestKey, request: Request) -> Result<(), EngineError> {
        self.store.take_over(&key)?;
        if let Some(result) = self.store.result(&key)? {
            self.results.insert(key, result);
        } else if let Entry::Vacant(place) = self.bodies.entry(key) {
            place.insert((request.judge.clone(), request.canonical()));
            self.ready.push_back((key, Arc::new(request)));
        }
        Ok(())
    }

    fn keep(&mut self, key: &RequestKey, answer: &Answer) -> Result<(), EngineError> {
        let Some((judge, request)) = self.bodies.get(key) else {
            return Err(EngineError::Unasked);
        };
        let kept = answer
            .result
            .as_ref()
            .map_or_else(|error| error.kind.is_final(), |_| true);
        let call = Call {
            key,
            judge,
            request,
            result: &answer.result,
            raw: answer.raw.as_deref(),
            batch: false,
        };
        if kept {
            Ok(self.store.put(&call)?)
        } else {
            Ok(())
        }
    }
}

impl Work for Calls<'_> {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        if self.is_stopped() {
            None
        } else {
            self.ready.pop_front()
        }
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        if let Err(error) = self.keep(&key, &answer) {
            self.error.get_or_insert(error);
        }
        self.results.insert(key, answer.result);
        (self.each)(self.results.len() as u64);
    }

    fn flush(&mut self) {
        if let Err(error) = self.store.commit() {
            self.error.get_or_insert(error.into());
        }
    }

    fn under_way(&mut self, _: UnderWay) {
        self.flush();
    }

    fn is_stopped(&self) -> bool {
        self.error.is_some() || self.stop.load(Ordering::Relaxed)
    }
}
