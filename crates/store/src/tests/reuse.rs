//! Calls that other runs made already.

use super::*;
use crate::Manifest;
use evenhand_core::{About, CallError, CallErrorKind, CallResult, Reply, Usage};
use std::path::Path;
use std::sync::Arc;

fn request(number: u8) -> String {
    format!("{{\"judge\":\"j\",\"number\":{number}}}")
}

fn key(number: u8) -> RequestKey {
    RequestKey::of(&request(number))
}

/// A run of one reply, by a batch, and one final error.
fn another(dir: &Path) -> (CallResult, CallResult) {
    let mut manifest = Manifest::default();
    manifest.set("protocol", "another");
    let mut store = Store::open(dir, &manifest).unwrap();
    let usage = Usage {
        prompt_tokens: 7,
        ..Usage::default()
    };
    let reply = Ok(Reply {
        text: "a".into(),
        usage,
        ..Reply::default()
    });
    let error = Err(CallError {
        kind: CallErrorKind::TooLong,
        message: "too long".into(),
    });
    let judge: Arc<str> = "j".into();
    for (number, result, raw, batch) in [(1, &reply, Some("raw"), true), (2, &error, None, false)] {
        store
            .put(&Call {
                key: &key(number),
                judge: &judge,
                request: &request(number),
                about: &About::default(),
                result,
                raw,
                batch,
            })
            .unwrap();
    }
    (reply, error)
}

#[test]
fn what_another_run_asked_is_reused_whole_and_counts_as_not_spent() {
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (reply, error) = another(theirs.path());
    let mut store = Store::open(ours.path(), &Manifest::default()).unwrap();
    assert!(!store.reuse_call(&key(1)).unwrap(), "no run is named yet");
    store.set_reused_runs(vec![Reader::open(theirs.path()).unwrap()]);
    assert_eq!(
        [1, 2, 1, 3].map(|number| store.reuse_call(&key(number)).unwrap()),
        [true, true, false, false]
    );
    drop(theirs);
    assert_eq!(store.result(&key(1)).unwrap(), Some(reply));
    assert_eq!(store.result(&key(2)).unwrap(), Some(error));
    let totals = store.totals().unwrap();
    assert_eq!(totals[0].judge.as_str(), "j");
    assert_eq!(totals[0].calls, 2);
    assert_eq!(totals[0].by_batch.prompt_tokens, 7);
    assert_eq!(store.spent().unwrap(), []);
    let result = Ok(Reply::default());
    store
        .put(&Call {
            key: &key(3),
            judge: &"j".into(),
            request: &request(3),
            about: &About::default(),
            result: &result,
            raw: None,
            batch: false,
        })
        .unwrap();
    assert_eq!(store.totals().unwrap()[0].calls, 3);
    assert_eq!(store.spent().unwrap()[0].calls, 1);
}

/// A run whose row for this key holds another request, or another judge.
#[test]
fn what_was_changed_is_not_reused() {
    for (judge, text) in [
        ("j", request(9)),
        ("openai:gpt-4o", request(1)),
        ("j", "{}".into()),
    ] {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut store = Store::open(theirs.path(), &Manifest::default()).unwrap();
        let (result, judge) = (Ok(Reply::default()), judge.into());
        store
            .put(&Call {
                key: &key(1),
                judge: &judge,
                request: &text,
                about: &About::default(),
                result: &result,
                raw: None,
                batch: false,
            })
            .unwrap();
        drop(store);
        let run = Reader::open(theirs.path()).unwrap();
        assert!(
            run.result(&key(1))
                .unwrap_err()
                .to_string()
                .contains("was changed")
        );
        let mut store = Store::open(ours.path(), &Manifest::default()).unwrap();
        store.set_reused_runs(vec![run]);
        assert!(!store.reuse_call(&key(1)).unwrap());
    }
}
