//! A run directory: what is kept, found, counted and refused.

use super::*;
use crate::fixtures::request;
use crate::{MissingProbabilities, schema};
use evenhand_core::{
    About, CallError, CallErrorKind, CallResult, Decoding, Failure, FailureKind, Judgment, Reply,
    Request, Response, Task, Trial, Usage, Verdict, VerdictSource,
};

fn reply(text: &str) -> CallResult {
    let usage = Usage {
        prompt_tokens: 3,
        completion_tokens: 1,
        ..Usage::default()
    };
    Ok(Reply {
        text: text.into(),
        answers: Some(vec![0.25, 0.5]),
        usage,
        ..Reply::default()
    })
}

fn put(store: &mut Store, request: &Request, result: &CallResult) -> Result<(), StoreError> {
    let (key, canonical) = (request.key(), request.canonical());
    store.put(&Call {
        key: &key,
        judge: &request.judge,
        request: &canonical,
        about: &About::default(),
        result,
        raw: None,
        batch: false,
    })
}

fn settings(seed: &str) -> Manifest {
    let mut manifest = Manifest::default();
    manifest.set("seed", seed);
    manifest
}

#[test]
fn a_label_is_kept_and_is_no_setting() {
    let dir = tempfile::tempdir().unwrap();
    let label = || Reader::open(dir.path()).unwrap().manifest().unwrap().label;
    drop(Store::open(dir.path(), &settings("0")).unwrap());
    assert_eq!(label(), None);
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    store.set_label("first").unwrap();
    store.set_label("<b>second\u{1b}[31m").unwrap();
    drop(store);
    // Whoever goes on without a name has the same run, and its name.
    drop(Store::open(dir.path(), &settings("0")).unwrap());
    assert_eq!(label().as_deref(), Some("<b>second\u{1b}[31m"));
    let manifest = Reader::open(dir.path()).unwrap().manifest().unwrap();
    assert_eq!(manifest.settings, settings("0").settings);
}

#[test]
fn a_run_was_last_at_work_when_it_was_last_written() {
    let dir = tempfile::tempdir().unwrap();
    drop(Store::open(dir.path(), &settings("0")).unwrap());
    let file = std::fs::File::options()
        .append(true)
        .open(dir.path().join("run.sqlite"))
        .unwrap();
    let written_in = |seconds: u64| {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        file.set_modified(at).unwrap();
        Reader::open(dir.path())
            .unwrap()
            .last_written_utc()
            .unwrap()
    };
    assert_eq!(written_in(4_102_444_800), "2100-01-01 00:00:00");
    // A file that keeps an older time than its last session has nothing to say.
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(written_in(978_307_200), reader.last_used_utc().unwrap());
}

#[test]
fn replies_survive_and_are_found_by_content() {
    let dir = tempfile::tempdir().unwrap();
    let (asked, error) = (request("who?"), request("too long"));
    let too_long = Err(CallError {
        kind: CallErrorKind::TooLong,
        message: "9 tokens, room for 8".into(),
    });
    {
        let mut store = Store::open(dir.path(), &settings("0")).unwrap();
        put(&mut store, &asked, &reply("A")).unwrap();
        put(&mut store, &error, &too_long).unwrap();
    }
    let store = Store::open(dir.path(), &settings("0")).unwrap();
    assert_eq!(store.result(&asked.key()).unwrap(), Some(reply("A")));
    assert_eq!(store.result(&error.key()).unwrap(), Some(too_long));
    assert_eq!(store.result(&request("other").key()).unwrap(), None);
}

#[test]
fn the_same_call_cannot_be_paid_for_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    let asked = request("who?");
    put(&mut store, &asked, &reply("A")).unwrap();
    let again = put(&mut store, &asked, &reply("B")).unwrap_err();
    assert!(matches!(again, StoreError::PaidTwice { .. }), "{again}");
    assert_eq!(store.result(&asked.key()).unwrap(), Some(reply("A")));
}

#[test]
fn calls_are_append_only_for_any_client() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    let asked = request("who?");
    put(&mut store, &asked, &reply("A")).unwrap();
    store.commit().unwrap();
    let client = Connection::open(dir.path().join("run.sqlite")).unwrap();
    assert!(
        client
            .execute("DELETE FROM calls", [])
            .unwrap_err()
            .to_string()
            .contains("append-only")
    );
    assert!(
        client
            .execute("UPDATE calls SET reply = ''", [])
            .unwrap_err()
            .to_string()
            .contains("append-only")
    );
}

#[test]
fn judges_without_probabilities_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    let asking = |text: &str| {
        let answers = Some(evenhand_core::AnswerOptions {
            options: vec!["A".into()],
            after: String::new(),
        });
        let task = Task::Generate {
            decoding: Decoding::greedy(1),
            answers,
        };
        Request {
            task,
            ..request(text)
        }
    };
    put(&mut store, &request("not asked"), &Ok(Reply::default())).unwrap();
    put(&mut store, &asking("given"), &reply("A")).unwrap();
    assert!(store.missing_probabilities().unwrap().is_empty());
    put(&mut store, &asking("not given"), &Ok(Reply::default())).unwrap();
    assert_eq!(
        store.missing_probabilities().unwrap(),
        [MissingProbabilities {
            judge: "test".into(),
            asked: 2,
            without: 1
        }]
    );
}

#[test]
fn bounds_are_gathered_from_the_replies_that_have_some() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    put(&mut store, &request("exact"), &reply("A")).unwrap();
    assert_eq!(store.probability_bounds().unwrap(), None);
    for (text, answers_within) in [("near", 0.01), ("far", 0.03)] {
        put(
            &mut store,
            &request(text),
            &Ok(Reply {
                answers_within,
                ..Reply::default()
            }),
        )
        .unwrap();
    }
    let bounds = store.probability_bounds().unwrap().unwrap();
    assert_eq!((bounds.calls, bounds.most), (2, 0.03));
    assert!((bounds.mean - 0.02).abs() < 1e-12);
}

/// Rows as a server, another program or a bad disk may have left them: all but the text of the
/// reply is as it was.
fn with_row(column: &str, value: &str) -> (tempfile::TempDir, Request) {
    let (dir, asked) = (tempfile::tempdir().unwrap(), request("who?"));
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    (1..4).for_each(|n| put(&mut store, &request(&n.to_string()), &reply("A")).unwrap());
    put(&mut store, &asked, &reply("A")).unwrap();
    drop(store);
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    let tables = schema::tables(schema::VERSION);
    let trigger = tables
        .lines()
        .find(|line| line.contains("calls_are_never_changed"))
        .unwrap();
    let change = format!("UPDATE calls SET {column} = {value} WHERE id > 2");
    db.execute_batch(&format!(
        "DROP TRIGGER calls_are_never_changed; {change}; {trigger}"
    ))
    .unwrap();
    (dir, asked)
}

#[test]
fn counts_that_no_server_can_mean_do_not_overflow_any_sum() {
    for (count, expected) in [
        ("9223372036854775807", Usage::MOST),
        ("-9223372036854775808", 0),
        ("1e300", Usage::MOST),
        ("'many'", 0),
        ("x'00ff'", 0),
    ] {
        let (dir, asked) = with_row("prompt_tokens", count);
        let store = Store::open(dir.path(), &settings("0")).unwrap();
        let total = &store.totals().unwrap()[0];
        assert_eq!(
            (total.calls, total.usage.prompt_tokens),
            (4, 6 + 2 * expected),
            "{count}"
        );
        assert_eq!(
            store.usage_of([asked.key()].iter()).unwrap().prompt_tokens,
            expected
        );
        assert_eq!(
            store.totals_of([asked.key()].iter()).unwrap()[0]
                .usage
                .prompt_tokens,
            expected
        );
    }
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    let usage = Usage {
        prompt_tokens: u64::MAX,
        ..Usage::default()
    };
    (0..3).for_each(|n| {
        put(
            &mut store,
            &request(&n.to_string()),
            &Ok(Reply {
                usage,
                ..Reply::default()
            }),
        )
        .unwrap()
    });
    assert_eq!(
        store.totals().unwrap()[0].usage.prompt_tokens,
        3 * Usage::MOST
    );
}

#[test]
fn a_row_that_cannot_be_read_is_named_and_no_other_suffers() {
    for value in ["'{\"text\":'", "x'ff00'", "7", "'{}{}'"] {
        let (dir, asked) = with_row("reply", value);
        let store = Store::open(dir.path(), &settings("0")).unwrap();
        let error = store.result(&asked.key()).unwrap().unwrap().unwrap_err();
        assert!(
            error.message.contains(&asked.key().to_string())
                && error.message.contains("cannot be read"),
            "{error:?}"
        );
        assert_eq!(
            store.result(&request("1").key()).unwrap(),
            Some(reply("A")),
            "{value}"
        );
        assert_eq!(store.missing_probabilities().unwrap(), Vec::new());
        assert_eq!(store.probability_bounds().unwrap(), None);
        let other = tempfile::tempdir().unwrap();
        let mut other = Store::open(other.path(), &settings("0")).unwrap();
        let run = Reader::open(dir.path()).unwrap();
        assert_eq!(run.result(&asked.key()).unwrap(), Some(Err(error)));
        other.set_reused_runs(vec![run]);
        assert_eq!(
            ["1", "who?"].map(|text| other.reuse_call(&request(text).key()).unwrap()),
            [true, false],
            "{value}"
        );
    }
}

#[test]
fn impossible_probabilities_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    put(
        &mut store,
        &request("said"),
        &reply("\"answers_impossible\":true"),
    )
    .unwrap();
    assert_eq!(store.count_impossible().unwrap(), 0);
    put(
        &mut store,
        &request("meant"),
        &Ok(Reply {
            answers_impossible: true,
            ..Reply::default()
        }),
    )
    .unwrap();
    assert_eq!(store.count_impossible().unwrap(), 1);
}

#[test]
fn a_second_process_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let _first = Store::open(dir.path(), &settings("0")).unwrap();
    let second = Store::open(dir.path(), &settings("0")).unwrap_err();
    assert!(matches!(second, StoreError::InUse { .. }), "{second}");
}

#[test]
fn another_configuration_is_named_key_by_key() {
    let dir = tempfile::tempdir().unwrap();
    drop(Store::open(dir.path(), &settings("0")).unwrap());
    let other = Store::open(dir.path(), &settings("7")).unwrap_err();
    assert!(
        other
            .to_string()
            .contains("\n  seed: the directory has 0, this command has 7"),
        "{other}"
    );
}

#[test]
fn a_file_that_is_no_run_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("run.sqlite"),
        "some notes of mine, long enough to be read as a page header".repeat(20),
    )
    .unwrap();
    let error = Store::open(dir.path(), &settings("0")).unwrap_err();
    assert!(matches!(error, StoreError::NotARun { .. }), "{error}");
}

#[test]
fn judgments_are_rows_for_any_reader() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    let asked = request("who?");
    put(&mut store, &asked, &reply("A")).unwrap();
    let trial = Trial {
        index: 4,
        item: 0,
        systems: vec![0, 1],
        replicate: 0,
    };
    let verdict = Verdict::pair([1.0, 0.0, 0.0], 0.0, VerdictSource::Text);
    let responses = ["x", "y"].map(|system| Response::new(system, ""));
    let failed = Err(Failure::new(FailureKind::Unparsed, "no verdict"));
    for outcome in [failed, Ok(verdict)] {
        let judgment = Judgment {
            trial: trial.clone(),
            outcome,
            calls: vec![asked.key()],
            looks: Vec::new(),
        };
        store.put_judgment(&judgment, "item", &responses).unwrap();
    }
    store.commit().unwrap();
    let row = store.db.query_row(
        "SELECT trial, first, second, failure, calls FROM judgments",
        [],
        |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        },
    );
    let expected: (i64, String, String, Option<String>, String) =
        (4, "x".into(), "y".into(), None, "[1]".into());
    assert_eq!(row.unwrap(), expected);
    assert_eq!(
        Reader::open(dir.path()).unwrap().totals().unwrap()[0].calls,
        1
    );
}

#[test]
fn a_directory_that_is_gone_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut store = Store::open(&path, &settings("0")).unwrap();
    put(&mut store, &request("kept"), &reply("A")).unwrap();
    store.commit().unwrap();
    std::fs::rename(&path, dir.path().join("elsewhere")).unwrap();
    let mut commit =
        |text: &str| put(&mut store, &request(text), &reply("A")).and_then(|()| store.commit());
    assert!(matches!(commit("lost"), Err(StoreError::Gone { .. })));
    drop(Store::open(&path, &settings("0")).unwrap());
    assert!(
        matches!(commit("lost too"), Err(StoreError::Gone { .. })),
        "another run stands there"
    );
}

/// While a judge is waited for nothing is written, and all the same it is to be known.
#[test]
fn a_directory_that_is_gone_is_told_where_nothing_waits_to_be_committed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut store = Store::open(&path, &settings("0")).unwrap();
    store.commit().unwrap();
    std::fs::remove_dir_all(&path).unwrap();
    assert!(matches!(store.commit(), Err(StoreError::Gone { .. })));
}

/// What came between two looks is in the file that was moved: the advice to move it back is sound.
#[test]
fn a_directory_that_was_moved_holds_all_that_came() {
    let dir = tempfile::tempdir().unwrap();
    let [path, moved] = ["run", "moved"].map(|name| dir.path().join(name));
    let mut store = Store::open(&path, &settings("0")).unwrap();
    put(&mut store, &request("before"), &reply("A")).unwrap();
    std::fs::rename(&path, &moved).unwrap();
    put(&mut store, &request("after"), &reply("B"))
        .and_then(|()| store.commit())
        .unwrap_err();
    drop(store);
    std::fs::rename(&moved, &path).unwrap();
    let store = Store::open(&path, &settings("0")).unwrap();
    let kept = ["before", "after"].map(|text| store.result(&request(text).key()).unwrap());
    assert_eq!(kept, ["A", "B"].map(|text| Some(reply(text))));
}

/// Somebody's triggers would run, and a view in the place of a table may never end.
#[test]
fn a_database_with_more_than_a_run_holds_is_refused() {
    for sql in [
        "CREATE TRIGGER more AFTER INSERT ON sessions BEGIN DELETE FROM exported; END",
        "CREATE VIEW more AS SELECT * FROM calls",
        "DROP TRIGGER calls_are_never_changed",
        "ALTER TABLE calls RENAME TO others; CREATE VIEW calls AS WITH RECURSIVE n(i) AS (SELECT 1 \
         UNION ALL SELECT i FROM n) SELECT i FROM n",
    ] {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::open(dir.path(), &settings("0")).unwrap());
        Connection::open(dir.path().join("run.sqlite"))
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        for error in [
            Reader::open(dir.path()).unwrap_err(),
            Store::open(dir.path(), &settings("0")).unwrap_err(),
        ] {
            assert!(
                error
                    .to_string()
                    .contains("does not have the tables of a run"),
                "{sql}: {error}"
            );
        }
    }
}

#[test]
fn a_long_log_is_moved_to_the_database_beside_the_commits() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), &settings("0")).unwrap();
    let long = reply(&"x".repeat(1 << 20));
    for number in 0..17 {
        put(&mut store, &request(&number.to_string()), &long).unwrap();
    }
    store.commit().unwrap();
    // What it was told to move, the thread moves before it ends.
    assert!(store.checkpoints.take().is_some());
    let moved = std::fs::metadata(dir.path().join("run.sqlite")).unwrap();
    assert!(moved.len() > 16 << 20, "{} bytes", moved.len());
    put(&mut store, &request("17"), &long).unwrap();
    drop(store);
    assert!(!dir.path().join("run.sqlite-wal").exists());
    let store = Store::open(dir.path(), &settings("0")).unwrap();
    for number in 0..18 {
        let key = request(&number.to_string()).key();
        assert_eq!(store.result(&key).unwrap(), Some(long.clone()));
    }
}

#[test]
fn the_log_of_another_directory_is_left_alone() {
    let [ours, theirs] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let store = Store::open(ours.path(), &settings("0")).unwrap();
    let other = Store::open(theirs.path(), &settings("0")).unwrap();
    assert!(Checkpoints::start(ours.path(), store.file).is_some());
    assert!(Checkpoints::start(ours.path(), other.file).is_none());
    assert!(Checkpoints::start(&ours.path().join("none"), store.file).is_none());
}
