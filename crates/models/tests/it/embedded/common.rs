//! The model, requests of every kind, and a queue that serves them.

use evenhand_core::{
    AnswerOptions, CallResult, Decoding, Message, Reply, Request, RequestKey, Task,
};
use evenhand_models::embedded::{Embedded, Options};
use evenhand_models::{Answer, Model, Work};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The model's file, or None, said aloud, where it is not there; in continuous integration it must
/// be.
pub(crate) fn model_path() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let names =
        ["Q8_0", "Q4_1"].map(|kind| format!("evenhand/models/SmolLM2-135M-Instruct-{kind}.gguf"));
    let cached = names
        .iter()
        .filter_map(|name| Some(cache.as_ref()?.join(name)));
    let named = std::env::var_os("EVENHAND_MODEL").map(PathBuf::from);
    let found = named.into_iter().chain(cached).find(|path| path.exists());
    assert!(
        found.is_some() || std::env::var_os("CI").is_none(),
        "the default model is missing: run scripts/fetch-model"
    );
    if found.is_none() {
        println!("SKIPPED: the default model is missing: run scripts/fetch-model");
    }
    found
}

/// One test at a time, and one thread unless it is about threads: llama.cpp's threads wait for one
/// another without sleep, and are many times slower when there are more of them than cores.
pub(crate) fn open(options: &Options) -> Option<(Embedded, MutexGuard<'static, ()>)> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Some((reopen(options)?, turn))
}

pub(crate) fn reopen(options: &Options) -> Option<Embedded> {
    let (threads, context) = (options.threads.or(Some(1)), options.context.or(Some(1024)));
    Some(
        Embedded::open(
            model_path()?,
            &Options {
                threads,
                context,
                ..options.clone()
            },
        )
        .expect("the model opens"),
    )
}

pub(crate) fn request(messages: Vec<Message>, task: Task) -> Request {
    Request::new("test".into(), messages, task)
}

pub(crate) fn generate(
    prompt: &str,
    max_tokens: u32,
    temperature: f64,
    answers: Option<(&[&str], &str)>,
) -> Request {
    let answers = answers.map(|(options, after)| AnswerOptions {
        options: options.iter().map(ToString::to_string).collect(),
        after: after.to_owned(),
    });
    let task = Task::Generate {
        decoding: Decoding {
            max_tokens,
            temperature,
            seed: 3,
            schema: None,
        },
        answers,
    };
    request(vec![Message::system(RUBRIC), Message::user(prompt)], task)
}

pub(crate) fn score(messages: Vec<Message>, continuation: &str) -> Request {
    request(messages, Task::score(continuation))
}

pub(crate) fn logprob(model: &mut Embedded, messages: &[Message], continuation: &str) -> f64 {
    let reply = model
        .answer_one(&score(messages.to_vec(), continuation))
        .expect("a score");
    reply.likelihood.expect("a likelihood").logprob
}

pub(crate) const RUBRIC: &str = "You compare two responses to an instruction. A response is better \
                      when it does what was asked, is right, and \
    says no more than is of use. Do not let the order of the responses, their length or their \
    style move you. Read the \
    instruction first, then both responses, and decide.";

pub(crate) const PAIRS: [(&str, &str, &str); 2] = [
    (
        "Write one line about rain.",
        "Grey needles stitch the street.",
        "Rain is water. Rain is wet. Rain falls.",
    ),
    (
        "What is 17 plus 25?",
        "42",
        "17 plus 25 equals 43, as anyone can check.",
    ),
];

/// Requests of every kind, many of which begin alike.
pub(crate) fn requests() -> Vec<Request> {
    let mut requests = Vec::new();
    for (instruction, one, other) in PAIRS {
        for (first, second) in [(one, other), (other, one)] {
            let prompt = format!(
                "Instruction: {instruction}\n\nResponse A: {first}\n\nResponse B: \
                 {second}\n\nWhich is better?"
            );
            requests.push(generate(&prompt, 1, 0.0, Some((&["A", "B"], ""))));
            requests.push(generate(&prompt, 1, 0.0, Some((&["1", "2", "10"], ""))));
        }
        requests.push(generate(instruction, 12, 0.0, Some((&["A", "B"], ":"))));
        requests.push(generate(instruction, 6, 0.9, None));
        requests.push(score(vec![Message::user(instruction)], other));
        requests.push(score(vec![Message::user("")], other));
    }
    requests
}

/// A queue that may say "stop" after some looks.
pub(crate) struct Queue {
    pub(crate) waiting: Vec<Arc<Request>>,
    pub(crate) replies: BTreeMap<RequestKey, CallResult>,
    pub(crate) looks_left: Cell<usize>,
}

impl Queue {
    pub(crate) fn new(requests: &[Request]) -> Queue {
        let waiting = requests.iter().rev().cloned().map(Arc::new).collect();
        Queue {
            waiting,
            replies: BTreeMap::new(),
            looks_left: Cell::new(usize::MAX),
        }
    }
}

impl Work for Queue {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        self.waiting.pop().map(|request| (request.key(), request))
    }

    fn deliver(&mut self, key: RequestKey, Answer { result, .. }: Answer) {
        assert!(
            self.replies.insert(key, result).is_none(),
            "delivered twice"
        );
    }

    fn is_stopped(&self) -> bool {
        self.looks_left.set(self.looks_left.get().saturating_sub(1));
        self.looks_left.get() == 0
    }
}

/// A reply with its floating-point numbers as bits.
pub(crate) fn bits(reply: &CallResult) -> (Reply, Vec<u64>) {
    let reply = reply.clone().expect("a reply");
    let numbers = reply
        .answers
        .iter()
        .flatten()
        .copied()
        .chain(reply.likelihood.map(|likelihood| likelihood.logprob));
    (reply.clone(), numbers.map(f64::to_bits).collect())
}

pub(crate) fn same(
    one: &BTreeMap<RequestKey, CallResult>,
    other: &BTreeMap<RequestKey, CallResult>,
) {
    assert_eq!(one.len(), other.len());
    for (key, result) in one {
        assert_eq!(bits(result), bits(&other[key]));
    }
}

pub(crate) fn served(
    model: &mut Embedded,
    requests: &[Request],
) -> BTreeMap<RequestKey, CallResult> {
    let mut queue = Queue::new(requests);
    model.serve(&mut queue).expect("served");
    queue.replies
}
