use super::*;
use crate::fixtures::{open, reply};
use crate::{Call, Reader, Store};
use evenhand_core::{AnswerOptions, Item, Message, Request, RequestKey, Task, Usage};
use rusqlite::params;
use std::path::Path;

/// Texts that JSON, a search or a template could take for something else.
const TEXTS: [&str; 12] = [
    "The quick brown fox jumps over the lazy dog.",
    "The quick brown fox jumps over the lazy dog. Twice: The quick brown fox jumps over the lazy dog.",
    "Zeilen\nund \"Zitate\" und \\Schrägstriche\\, alle mit Umlauten: ÄÖÜ.",
    "\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\",
    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
    "short",
    "",
    "A gap \u{fffc} of its own, in a text that is long enough.",
    "Control characters \u{0} \u{1} \u{1f} and \u{7f}, 日本語, 👩‍👩‍👧‍👦, at some length.",
    "3 i17 r58 r61 c904 3 i17 r58 r61 c904",
    "{\"judge\":\"test\",\"messages\":[],\"task\":{}}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

fn item(id: &str, text: &str) -> Item {
    Item {
        id: id.into(),
        messages: vec![Message::user(text)],
        ..Item::default()
    }
}

/// A request that shows texts, one after another, each between lines of its own.
fn request(shown: &[&str], about: About) -> Request {
    let content = shown.join("\n<<<<\n");
    Request {
        judge: "test".into(),
        messages: vec![Message::user(format!("Compare:\n{content}\n"))],
        task: Task::write(1),
        sample: 0,
        about,
    }
}

fn about(item: &str, systems: &[&str]) -> About {
    About {
        item: item.into(),
        responses: systems.iter().map(|one| Response::new(*one, "")).collect(),
        ..About::default()
    }
}

fn put(store: &mut Store, request: &Request, result: &CallResult) -> RequestKey {
    let key = request.key();
    let call = Call {
        key: &key,
        judge: &request.judge,
        request: &request.canonical(),
        about: &request.about,
        result,
        raw: None,
        batch: false,
    };
    store.put(&call).unwrap();
    key
}

/// Returns `calls.request` of all calls.
fn kept(dir: &Path) -> Vec<String> {
    let db = Connection::open(dir.join("run.sqlite")).unwrap();
    let mut select = db.prepare("SELECT request FROM calls ORDER BY id").unwrap();
    let rows = select.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Every text as item and as either response, in one item each; all requests.
fn fill(dir: &Path, whole: bool) -> Vec<Request> {
    let mut store = open(dir);
    if whole {
        store.keep_whole_prompts();
    }
    let mut asked = Vec::new();
    for (i, question) in TEXTS.iter().enumerate() {
        for (j, first) in TEXTS.iter().enumerate() {
            for (k, second) in TEXTS.iter().enumerate() {
                let id = format!("{i}-{j}-{k}");
                let responses = [Response::new("x", *first), Response::new("y", *second)];
                store.put_texts(&item(&id, question), &responses).unwrap();
                let both = request(&[question, first, second], about(&id, &["x", "y"]));
                let other = request(&[question, second, first], about(&id, &["y", "x"]));
                for request in [both, other] {
                    // Two items may ask the same.
                    if store.result(&request.key()).unwrap().is_none() {
                        put(&mut store, &request, &reply("A"));
                        asked.push(request);
                    }
                }
            }
        }
    }
    asked
}

#[test]
fn what_was_taken_apart_is_put_together_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let asked = fill(dir.path(), false);
    let reader = Reader::open(dir.path()).unwrap();
    for request in &asked {
        let found = reader.find_call(&request.key()).unwrap().unwrap();
        assert_eq!(found.request, request.canonical());
    }
    let kept = kept(dir.path());
    let apart = kept.iter().filter(|kept| !kept.starts_with('{')).count();
    assert!(apart * 10 > kept.len() * 7, "{apart} of {}", kept.len());
    // Also after the file is written anew, which may renumber rows without an id of their own.
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    db.execute_batch("VACUUM").unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    for request in &asked {
        assert!(reader.find_call(&request.key()).unwrap().is_some());
    }
}

#[test]
fn whole_prompts_are_kept_where_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let asked = fill(dir.path(), true);
    let whole: Vec<String> = asked.iter().map(Request::canonical).collect();
    assert_eq!(kept(dir.path()), whole);
}

#[test]
fn a_thousand_comparisons_of_ten_responses_share_one_template() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let names: Vec<String> = (0..10).map(|system| format!("s{system}")).collect();
    let mut asked = 0;
    for number in 0..12 {
        let id = format!("q{number}");
        let text =
            |system: &String| format!("{system} answers {id} in words, {}", "la ".repeat(300));
        let responses: Vec<Response> = names
            .iter()
            .map(|system| Response::new(system.as_str(), text(system)))
            .collect();
        let question = format!("What is the number {number}, in words?");
        store.put_texts(&item(&id, &question), &responses).unwrap();
        for first in &names {
            for second in names.iter().filter(|second| *second != first) {
                let shown = [question.clone(), text(first), text(second)];
                let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
                put(
                    &mut store,
                    &request(&shown, about(&id, &[first, second])),
                    &reply("A"),
                );
                asked += 1;
            }
        }
        // Whoever goes on with the run knows its templates.
        drop(store);
        store = open(dir.path());
    }
    drop(store);
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    let count = |sql: &str| -> i64 { db.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(count("SELECT count(*) FROM calls"), asked);
    assert_eq!(count("SELECT count(*) FROM templates"), 1);
    assert!(count("SELECT max(length(request)) FROM calls") < 20);
}

#[test]
fn a_reply_that_a_later_call_shows_is_kept_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let responses = [Response::new("x", TEXTS[0]), Response::new("y", TEXTS[2])];
    store.put_texts(&item("q", TEXTS[8]), &responses).unwrap();
    let analyses = [
        "It is about a fox;\nnothing \"is\" wrong.",
        "Words of a language that I read.",
    ];
    for (system, (text, analysis)) in ["x", "y"]
        .iter()
        .zip([TEXTS[0], TEXTS[2]].iter().zip(analyses))
    {
        put(
            &mut store,
            &request(&[TEXTS[8], text], about("q", &[system])),
            &reply(analysis),
        );
    }
    let shown = [TEXTS[8], TEXTS[0], analyses[0], TEXTS[2], analyses[1]];
    let compared = request(&shown, about("q", &["x", "y"]));
    put(&mut store, &compared, &reply("A"));
    drop(store);
    assert_eq!(kept(dir.path())[2], "2 i1 r1 c1 r2 c2");
    let reader = Reader::open(dir.path()).unwrap();
    let found = reader.find_call(&compared.key()).unwrap().unwrap();
    assert_eq!(found.request, compared.canonical());

    // Another run that reuses or merges it takes it apart by its own texts.
    let other = tempfile::tempdir().unwrap();
    let mut merged = open(other.path());
    merged
        .put_texts(&item("p", "Another item, which comes first."), &responses)
        .unwrap();
    let brought = merged.merge(std::slice::from_ref(&reader)).unwrap();
    assert_eq!((brought[0].calls, brought[0].calls_damaged), (3, 0));
    drop(merged);
    assert_eq!(kept(other.path())[2], "2 i2 r3 c1 r4 c2");
    let merged = Reader::open(other.path()).unwrap();
    let found = merged.find_call(&compared.key()).unwrap().unwrap();
    assert_eq!(found.request, compared.canonical());
    let third = tempfile::tempdir().unwrap();
    let mut store = open(third.path());
    store.put_texts(&item("q", TEXTS[8]), &responses).unwrap();
    store.set_reused_runs(vec![merged]);
    assert!(store.reuse_call(&compared.key()).unwrap());
    drop(store);
    let kept = kept(third.path());
    assert!(kept[0].starts_with("1 i1 r1 r2"), "{kept:?}");
    let reader = Reader::open(third.path()).unwrap();
    let found = reader.find_call(&compared.key()).unwrap().unwrap();
    assert_eq!(found.request, compared.canonical());
}

/// A text that was changed in the data, against the rules, is not the one that is kept.
#[test]
fn only_what_is_kept_stands_in_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store
        .put_texts(&item("q", TEXTS[0]), &[Response::new("x", TEXTS[2])])
        .unwrap();
    store
        .put_texts(&item("q", TEXTS[0]), &[Response::new("x", TEXTS[8])])
        .unwrap();
    let request = request(&[TEXTS[0], TEXTS[8]], about("q", &["x"]));
    put(&mut store, &request, &reply("A"));
    drop(store);
    assert_eq!(kept(dir.path()), ["1 i1"]);
    let found = Reader::open(dir.path()).unwrap().find_call(&request.key());
    assert_eq!(found.unwrap().unwrap().request, request.canonical());
}

#[test]
fn a_call_without_known_texts_is_kept_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    for about in [About::default(), about("none", &["x"])] {
        let request = request(&[TEXTS[0], &about.item], about.clone());
        put(&mut store, &request, &reply("A"));
    }
    drop(store);
    assert!(kept(dir.path()).iter().all(|kept| kept.starts_with('{')));
}

#[test]
fn parts_of_a_foreign_run_that_do_not_fit_are_a_call_that_was_changed() {
    for hostile in [
        "",
        "7",
        "1",
        "1 i1",
        "1 i1 r1 r2 r2",
        "1 i1 r1 x2",
        "1 i1 r1 r99",
        "1 i1 r1 c77",
        "1 i1 r1 é",
        "1 i1 r1 r",
        "99999999999999999999 i1 r1 r2",
        "1  i1 r1",
        "1 r2 r1 i1",
        "2 i1",
        "3 i1",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path());
        let responses = [Response::new("x", TEXTS[0]), Response::new("y", TEXTS[2])];
        store.put_texts(&item("q", TEXTS[8]), &responses).unwrap();
        let shown = request(&[TEXTS[8], TEXTS[0], TEXTS[2]], about("q", &["x", "y"]));
        let key = put(&mut store, &shown, &reply("A"));
        drop(store);
        assert_eq!(kept(dir.path()), ["1 i1 r1 r2"]);
        let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
        db.execute_batch("DROP TRIGGER calls_are_never_changed")
            .unwrap();
        // A template with more gaps than memory: its text would be put in a million times.
        let bomb = format!(
            "{{\"judge\":\"test\"{}",
            String::from(GAP).repeat(1_000_000)
        );
        db.execute("INSERT INTO templates (id, text) VALUES (2, ?1)", [bomb])
            .unwrap();
        let long = "x".repeat(1 << 20);
        db.execute(
            "UPDATE items SET text = ?1 WHERE ?2 = '3 i1'",
            [&*long, hostile],
        )
        .unwrap();
        let many = format!("3{}", " i1".repeat(1_000_000));
        let hostile = if hostile == "3 i1" { &*many } else { hostile };
        db.execute(
            "INSERT INTO templates (id, text) SELECT 3, text FROM templates WHERE id = 2",
            [],
        )
        .unwrap();
        db.execute("UPDATE calls SET request = ?1", [hostile])
            .unwrap();
        let sql = "CREATE TRIGGER calls_are_never_changed BEFORE UPDATE ON calls BEGIN SELECT \
                   RAISE(ABORT, 'calls are append-only'); END";
        db.execute_batch(sql).unwrap();
        drop(db);
        let reader = Reader::open(dir.path()).unwrap();
        let found = reader.find_call(&key);
        assert!(
            matches!(found, Err(StoreError::Changed { .. })),
            "{hostile:.20}"
        );
    }
}

#[test]
fn what_was_asked_for_is_known_of_calls_that_were_taken_apart() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store
        .put_texts(&item("q", TEXTS[0]), &[Response::new("x", TEXTS[2])])
        .unwrap();
    for (number, wants) in [true, false].into_iter().enumerate() {
        let mut request = request(&[TEXTS[0], TEXTS[2]], about("q", &["x"]));
        request.sample = number as u32;
        if let (Task::Generate { answers, .. }, true) = (&mut request.task, wants) {
            *answers = Some(AnswerOptions {
                options: vec!["A".into(), "B".into()],
                after: String::new(),
            });
        }
        put(&mut store, &request, &reply("A"));
    }
    let missing = store.missing_probabilities().unwrap();
    assert_eq!((missing[0].asked, missing[0].without), (1, 1));
    drop(store);
    assert!(kept(dir.path()).iter().all(|kept| kept.ends_with(" i1 r1")));
}

#[test]
fn exported_requests_are_taken_apart_and_imported_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store
        .put_texts(&item("q", TEXTS[0]), &[Response::new("x", TEXTS[2])])
        .unwrap();
    let request = request(&[TEXTS[0], TEXTS[2]], about("q", &["x"]));
    let (key, text) = (request.key(), request.canonical());
    assert!(
        store
            .export_request(&key, "test", &text, &request.about)
            .unwrap()
    );
    drop(store);
    let mut store = open(dir.path());
    let exported = store.exported_request(&key).unwrap().unwrap();
    assert_eq!(exported.request, text);
    store
        .import_result(&Call {
            key: &key,
            judge: &exported.judge,
            request: &exported.request,
            about: &exported.about,
            result: &reply("A"),
            raw: None,
            batch: true,
        })
        .unwrap();
    drop(store);
    assert_eq!(kept(dir.path()), ["1 i1 r1"]);
}

/// A run of format 8 goes on: what it holds stays whole, and is read as what is new.
#[test]
fn a_run_of_format_8_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    db.execute_batch(&crate::schema::tables(8)).unwrap();
    db.pragma_update(None, "application_id", 0x4556_454e)
        .unwrap();
    db.pragma_update(None, "user_version", 8).unwrap();
    db.execute_batch(
        "INSERT INTO sessions VALUES (1, 0, 'evenhand', 0); INSERT INTO judges VALUES (1, 'test');",
    )
    .unwrap();
    let old = request(&[TEXTS[0], TEXTS[2]], about("q", &["x"]));
    for (system, text) in [("a", TEXTS[1]), ("x", TEXTS[2])] {
        let sql = "INSERT INTO responses (item, system, text) VALUES ('q', ?1, ?2)";
        db.execute(sql, [system, text]).unwrap();
    }
    db.execute(
        "INSERT INTO items (item, text) VALUES ('q', ?1)",
        [TEXTS[0]],
    )
    .unwrap();
    let stored = serde_json::to_string(&reply("A").unwrap()).unwrap();
    db.execute(
        "INSERT INTO calls VALUES (1, ?1, 0, 1, ?2, ?3, NULL, 3, 0, 0, 0, NULL, 0, 1)",
        params![&old.key().0[..], old.canonical(), stored],
    )
    .unwrap();
    drop(db);
    let reader = Reader::open(dir.path()).unwrap();
    let systems = ["a".to_owned(), "x".to_owned()];
    assert_eq!(reader.systems().unwrap(), systems);
    assert_eq!(
        reader.find_call(&old.key()).unwrap().unwrap().request,
        old.canonical()
    );
    drop(reader);
    let mut new = old.clone();
    new.sample = 1;
    put(&mut open(dir.path()), &new, &reply("B"));
    assert_eq!(kept(dir.path()), [old.canonical(), "1 i1 r2".to_owned()]);
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.systems().unwrap(), systems);
    for request in [old, new] {
        let found = reader.find_call(&request.key()).unwrap().unwrap();
        assert_eq!(found.request, request.canonical());
    }
    let usage = reader.totals().unwrap()[0].usage;
    assert_eq!(
        usage,
        Usage {
            prompt_tokens: 6,
            ..Usage::default()
        }
    );
}

#[test]
fn a_text_is_found_where_others_begin_like_it() {
    let pieces = ["a", "ab", "b", "\u{e9}"];
    let texts = [
        "abab".repeat(30),
        "a".repeat(100),
        format!("{}b", "a".repeat(99)),
        "\u{e9}".repeat(40),
    ];
    for text in &texts {
        let part = Part::new('r', 1, text);
        for piece in pieces {
            for count in [0, 7, 40, 300] {
                let before = piece.repeat(count);
                let within = format!("{before}{text}{before}");
                for haystack in [&before, &within] {
                    let found = part.find(haystack.as_bytes());
                    assert_eq!(found, haystack.find(text.as_str()), "{text} in {haystack}");
                }
            }
        }
    }
}
