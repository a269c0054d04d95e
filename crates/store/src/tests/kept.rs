//! Texts, judgments, reports and the version of a run, as readers find them.

use crate::fixtures::{key, open, put, reply};
use crate::{JudgmentColumns, Reader, Store, keep_report};
use evenhand_core::{
    Criterion, Failure, FailureKind, Item, Judgment, Look, Message, Outcome, Response, Stage,
    Trajectory, Trial, Verdict, VerdictSource,
};
use std::sync::Arc;

fn pair(first: f64) -> Verdict {
    Verdict::pair([first, 0.0, 1.0 - first], 0.0, VerdictSource::Text)
}

fn look(swapped: bool, first: f64) -> Look {
    Look {
        judge: 0,
        stage: Stage::Only,
        sample: 0,
        swapped,
        outcome: Ok(pair(first)),
        criterion: None,
    }
}

fn judge(store: &mut Store, index: u64, outcome: Outcome, looks: Vec<Look>) {
    let trial = Trial {
        index,
        item: 0,
        systems: vec![0, 1],
        replicate: 0,
    };
    let judgment = Judgment {
        trial,
        outcome,
        calls: vec![key("asked")],
        looks,
    };
    let responses = ["x", "y"].map(|system| Response::new(system, system));
    store.put_judgment(&judgment, "q", &responses).unwrap();
}

#[test]
fn texts_come_back_as_they_stood_in_the_data() {
    let dir = tempfile::tempdir().unwrap();
    let plain = Item {
        id: "z".into(),
        messages: vec![Message::user("who?")],
        category: Some("c".into()),
        ..Item::default()
    };
    let rich = Item {
        id: "a".into(),
        messages: vec![Message::system("be brief"), Message::user("and then?")],
        reference: Some("r".into()),
        criteria: vec![Criterion::new("is short")],
        turn: Some(2),
        ..Item::default()
    };
    let responses = [
        Response::new("y", "short"),
        Response {
            earlier: vec![Message::user("before")].into(),
            whole: true,
            trajectory: Some(Arc::new(Trajectory::default())),
            ..Response::new("x", "final")
        },
    ];
    let mut store = open(dir.path());
    store.put_texts(&plain, &[]).unwrap();
    store.put_texts(&rich, &responses).unwrap();
    let changed = Response::new("y", "another text");
    store.put_texts(&rich, &[changed]).unwrap();
    store.commit().unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.items().unwrap(), [plain, rich.clone()]);
    assert_eq!(reader.item("a").unwrap(), Some(rich));
    assert_eq!(reader.item("b").unwrap(), None);
    assert_eq!(reader.responses("a").unwrap(), responses, "the first stays");
    assert_eq!(store.count_texts().unwrap(), (2, 2));
}

#[test]
fn a_scan_gives_plain_columns_from_a_trial_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    put(&mut store, "asked", &reply("A"));
    judge(&mut store, 0, Ok(pair(0.9)), Vec::new());
    let flipped = vec![look(false, 0.9), look(true, 0.1)];
    judge(&mut store, 1, Ok(pair(0.5)), flipped);
    let split = vec![look(false, 0.9), look(false, 0.1)];
    judge(&mut store, 2, Ok(pair(0.5)), split);
    let failure = Failure::new(FailureKind::Unparsed, "bad");
    judge(&mut store, 3, Err(failure), Vec::new());
    store.commit().unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    let mut flags = Vec::new();
    let keep = |row: JudgmentColumns| {
        let failure = row.failure.map(String::from);
        flags.push((row.trial, row.preference, row.flipped, row.split, failure));
    };
    reader.for_each_judgment(1, keep).unwrap();
    let half = Some([0.5, 0.0, 0.5]);
    assert_eq!(
        flags,
        [
            (1, half, true, false, None),
            (2, half, false, true, None),
            (3, None, false, false, Some("unparsed".into())),
        ]
    );
}

#[test]
fn a_judgment_comes_with_its_calls() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    put(&mut store, "asked", &reply("A"));
    judge(&mut store, 7, Ok(pair(1.0)), Vec::new());
    store.commit().unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    let found = reader.judgment(7).unwrap().unwrap();
    assert_eq!((&*found.item, found.systems.len()), ("q", 2));
    assert_eq!(found.verdict, Some(pair(1.0)));
    let [call] = &found.calls[..] else {
        panic!("one call")
    };
    assert_eq!((&*call.judge, &call.result), ("test", &reply("A")));
    assert_eq!((call.usage.prompt_tokens, call.copied), (3, false));
    assert_eq!(reader.judgment(8).unwrap(), None);
}

#[test]
fn the_last_report_is_found_and_changes_the_version() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let reader = Reader::open(dir.path()).unwrap();
    let empty = reader.version().unwrap();
    put(&mut store, "asked", &reply("A"));
    store.commit().unwrap();
    let asked = reader.version().unwrap();
    judge(&mut store, 0, Ok(pair(1.0)), Vec::new());
    drop(store);
    let judged = reader.version().unwrap();
    let mut versions = vec![empty, asked, judged];
    for (command, report) in [("rank", "1"), ("judge", "2"), ("rank", "3")] {
        keep_report(dir.path(), command, report, "[1]").unwrap();
        let last = reader.last_report().unwrap().unwrap();
        assert_eq!((&*last.command, &*last.report), (command, report));
        versions.push(reader.version().unwrap());
    }
    let count = versions.len();
    versions.dedup();
    assert_eq!(versions.len(), count);
}
