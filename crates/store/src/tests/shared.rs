//! Calls that a team shares.

use crate::{Call, Manifest, Reader, Store, WantedCall};
use evenhand_core::{About, CallError, CallErrorKind, CallResult, Reply, RequestKey};
use evenhand_shared_store::{SharedStore, Signer, StoreAddress};
use std::path::Path;
use std::sync::Arc;

fn request(number: u8) -> String {
    format!("{{\"judge\":\"j\",\"number\":{number}}}")
}

fn key(number: u8) -> RequestKey {
    RequestKey::of(&request(number))
}

fn share(store: &mut Store, team: &Path) {
    let address = StoreAddress::parse(&team.to_string_lossy(), |_| None).unwrap();
    let shared = SharedStore::open(&address, Signer::unsigned()).unwrap();
    store.set_shared_store(shared).unwrap();
}

fn put(store: &mut Store, number: u8, result: &CallResult) {
    let judge: Arc<str> = "j".into();
    store
        .put(&Call {
            key: &key(number),
            judge: &judge,
            request: &request(number),
            about: &About::default(),
            result,
            raw: Some("raw"),
            batch: true,
        })
        .unwrap();
}

/// Takes these calls, as many as are there.
fn reuse(store: &mut Store, numbers: &[u8]) -> u64 {
    let (judge, about): (Arc<str>, _) = ("j".into(), About::default());
    let texts: Vec<(RequestKey, String)> = numbers
        .iter()
        .map(|number| (key(*number), request(*number)))
        .collect();
    let wanted = texts.iter().map(|(key, request)| WantedCall {
        key,
        judge: &judge,
        request,
        about: &about,
    });
    store.reuse_calls(&wanted.collect::<Vec<_>>()).unwrap()
}

#[test]
fn replies_are_shared_whole_failures_are_not_and_what_was_there_before_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let reply = |text: &str| {
        Ok(Reply {
            text: text.into(),
            ..Reply::default()
        })
    };
    let mut ours = Store::open(&at("ours"), &Manifest::default()).unwrap();
    put(&mut ours, 1, &reply("before"));
    share(&mut ours, &at("team"));
    put(&mut ours, 2, &reply("after"));
    let error = CallError {
        kind: CallErrorKind::TooLong,
        message: "too long".into(),
    };
    put(&mut ours, 3, &Err(error));
    let (_, counts) = ours.flush_shared().unwrap();
    assert_eq!(counts.given, 2);
    drop(ours);

    let mut theirs = Store::open(&at("theirs"), &Manifest::default()).unwrap();
    share(&mut theirs, &at("team"));
    assert_eq!(reuse(&mut theirs, &[1, 2, 3, 4]), 2);
    assert_eq!(reuse(&mut theirs, &[1, 2, 3, 4]), 0);
    assert_eq!(theirs.result(&key(1)).unwrap(), Some(reply("before")));
    assert_eq!(theirs.result(&key(2)).unwrap(), Some(reply("after")));
    assert_eq!(theirs.spent().unwrap(), []);
    assert_eq!(theirs.reused_from(), [(at("team"), 2)]);
    drop(theirs);
    // The run stands on its own.
    std::fs::remove_dir_all(at("team")).unwrap();
    let run = Reader::open(&at("theirs")).unwrap();
    assert_eq!(run.result(&key(2)).unwrap(), Some(reply("after")));
}
