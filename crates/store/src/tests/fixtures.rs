//! Requests, replies and runs for tests.

use crate::{Call, Manifest, Store};
use evenhand_core::{
    About, CallResult, Decoding, Message, Reply, Request, RequestKey, Task, Usage,
};
use std::path::Path;

pub(crate) fn request(text: &str) -> Request {
    let decoding = Decoding::greedy(1);
    Request::new(
        "test".into(),
        vec![Message::user(text)],
        Task::Generate {
            decoding,
            answers: None,
        },
    )
}

pub(crate) fn key(text: &str) -> RequestKey {
    request(text).key()
}

/// A reply to a prompt of 3 tokens.
pub(crate) fn reply(text: &str) -> CallResult {
    Ok(Reply {
        text: text.into(),
        usage: Usage {
            prompt_tokens: 3,
            ..Usage::default()
        },
        ..Reply::default()
    })
}

pub(crate) fn put(store: &mut Store, text: &str, result: &CallResult) {
    let call = Call {
        key: &key(text),
        judge: &"test".into(),
        request: &request(text).canonical(),
        about: &About::default(),
        result,
        raw: None,
        batch: false,
    };
    store.put(&call).unwrap();
}

/// Opens a run without settings.
pub(crate) fn open(dir: &Path) -> Store {
    Store::open(dir, &Manifest::default()).unwrap()
}
