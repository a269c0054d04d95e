//! A shared store in use.

use super::*;
use evenhand_core::Reply;

fn reply(text: &str) -> SharedReply {
    SharedReply {
        reply: Reply {
            text: text.into(),
            ..Reply::default()
        },
        raw: None,
        batch: false,
    }
}

fn open(dir: &std::path::Path, signer: Signer) -> SharedStore {
    let address = StoreAddress::parse(&dir.to_string_lossy(), |_| None).unwrap();
    SharedStore::open(&address, signer).unwrap()
}

#[test]
fn what_is_given_is_there_when_the_giver_ends_and_is_given_once() {
    let dir = tempfile::tempdir().unwrap();
    let keys = ["a", "b", "c"].map(RequestKey::of);
    let ours = open(dir.path(), Signer::unsigned());
    for text in ["A", "another"] {
        ours.give(keys[0], reply(text));
    }
    ours.give(keys[1], reply("B"));
    ours.flush();
    assert_eq!(ours.counts().given, 2);
    drop(ours);
    let theirs = open(dir.path(), Signer::unsigned());
    let found = theirs.find(&keys);
    assert_eq!(found, [(keys[0], reply("A")), (keys[1], reply("B"))]);
    assert_eq!(theirs.lacking(&keys), [keys[2]]);
    assert_eq!((theirs.counts().found, theirs.take_notes()), (2, vec![]));
}

#[test]
fn entries_without_the_team_s_signature_are_refused_counted_and_said_once() {
    let dir = tempfile::tempdir().unwrap();
    let keys = ["a", "b"].map(RequestKey::of);
    let stranger = open(dir.path(), Signer::unsigned());
    for key in keys {
        stranger.give(key, reply("A"));
    }
    drop(stranger);
    let signer = Signer::with_key("the key of our team").unwrap();
    let ours = open(dir.path(), signer.clone());
    assert_eq!(ours.find(&keys), []);
    assert_eq!((ours.find(&keys), ours.counts().refused), (vec![], 4));
    let notes = ours.take_notes();
    assert!(
        notes.len() == 1 && notes[0].contains("not signed"),
        "{notes:?}"
    );
    // The judge is asked instead, and its reply is found beside the stranger's.
    ours.give(keys[0], reply("B"));
    drop(ours);
    assert_eq!(
        open(dir.path(), signer).find(&keys),
        [(keys[0], reply("B"))]
    );
}

#[test]
fn a_store_that_goes_away_is_said_once_and_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("store");
    let ours = open(&inside, Signer::unsigned());
    std::fs::remove_dir_all(&inside).unwrap();
    let key = RequestKey::of("a");
    ours.give(key, reply("A"));
    ours.flush();
    ours.give(key, reply("A"));
    assert_eq!((ours.find(&[key]), ours.lacking(&[key])), (vec![], vec![]));
    assert_eq!(ours.counts().kept_back, 2);
    let notes = ours.take_notes();
    assert!(
        notes.len() == 1 && notes[0].contains("goes on without the store"),
        "{notes:?}"
    );
    assert_eq!(ours.take_notes(), Vec::<String>::new());
}

#[test]
fn a_place_that_cannot_be_used_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let address = StoreAddress::parse(&file.to_string_lossy(), |_| None).unwrap();
    let said = SharedStore::open(&address, Signer::unsigned())
        .unwrap_err()
        .to_string();
    assert!(said.starts_with("the shared store "), "{said}");
    // Nobody serves on port 1.
    let nobody = "postgres://me:s3cret-w@127.0.0.1:1/x";
    let address = StoreAddress::parse(nobody, |_| None).unwrap();
    let said = SharedStore::open(&address, Signer::unsigned())
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("postgres://127.0.0.1:1/x") && !said.contains("s3cret"),
        "{said}"
    );
}
