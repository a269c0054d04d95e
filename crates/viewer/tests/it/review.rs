//! People judge: what they are shown, what is kept, and what becomes of it.

use crate::common::desk::{Desk, lines_of, options};
use crate::common::{SYSTEMS, Server, make_run};
use evenhand_pages::Filter;
use evenhand_viewer::{ReviewOptions, Sample, ViewError, ViewOptions};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn refuse(options: ViewOptions) -> ViewError {
    let stop = std::sync::Arc::default();
    let served = evenhand_viewer::serve(options, &stop, |ready| panic!("{ready:?}"));
    served.unwrap_err()
}

/// Returns the system whose response this is: the fixture's responses name theirs.
fn system_in(text: &Value) -> &'static str {
    let text = text.as_str().unwrap();
    SYSTEMS
        .into_iter()
        .find(|system| text.contains(system))
        .unwrap()
}

#[test]
fn a_pair_is_shown_without_systems_and_kept_with_them() {
    let desk = Desk::new();
    assert_eq!(desk.server.json("api/overview")["review"], true);
    let mut sides = BTreeSet::new();
    for number in 0..30 {
        let shown = desk.next("ann", "random");
        let task = &shown["task"];
        let [left, right] = ["left", "right"].map(|side| system_in(&task[side]["text"]));
        let fields: Vec<&String> = task.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["id", "draw", "item", "left", "right"]);
        assert_eq!(
            task["left"].as_object().unwrap().keys().collect::<Vec<_>>(),
            ["text"]
        );
        desk.label("ann", "random", "left", &format!("key-{number:04}"));
        let line = desk.lines().pop().unwrap();
        let preferred = line["preferred"].as_str().unwrap();
        assert_eq!(line[preferred], json!(left));
        assert_eq!(line["item"], task["item"]["id"]);
        let other = if preferred == "a" { "b" } else { "a" };
        assert_eq!(line[other], json!(right));
        assert_eq!(line["annotator"], "ann");
        sides.insert(preferred.to_owned());
    }
    assert_eq!(sides.len(), 2, "each system stands on either side");
    let after = desk.next("ann", "random");
    assert_eq!((&after["done"], &after["left"]), (&json!(30), &json!(120)));
    assert_eq!(after["last"]["key"], "key-0029");
    assert_eq!(after["last"]["choice"], "left");
    let first = |name: &str| desk.next(name, "random")["task"]["id"].clone();
    assert_eq!(first("bea"), first("cho"), "all begin with the same pair");
}

#[test]
fn a_label_that_is_sent_again_is_kept_once() {
    let desk = Desk::new();
    let mut sent = desk.label("ann", "random", "right", "key-0001");
    for _ in 0..3 {
        let again = desk.post("label", &sent).json();
        assert_eq!(
            again,
            json!({"saved": true, "repeated": true, "key": "key-0001"})
        );
    }
    assert_eq!(desk.lines().len(), 1);
    for (field, value) in [
        ("choice", "tie"),
        ("key", "key-0002"),
        ("draw", "0000000000000000"),
    ] {
        let kept = std::mem::replace(&mut sent[field], json!(value));
        let refused = desk.post("label", &sent);
        assert_eq!(refused.status, 409, "{field}: {refused:?}");
        assert!(!refused.error().is_empty());
        sent[field] = kept;
    }
    assert_eq!(desk.lines().len(), 1);
}

#[test]
fn a_label_can_be_taken_back() {
    let desk = Desk::new();
    desk.label("ann", "random", "tie", "key-0001");
    let sent = desk.label("ann", "random", "both-bad", "key-0002");
    assert_eq!(desk.lines()[1]["both_bad"], true);
    let undo = json!({"annotator": "ann", "key": "key-0002"});
    let stranger = json!({"annotator": "bea", "key": "key-0002"});
    assert_eq!(desk.post("undo", &stranger).json()["undone"], false);
    assert_eq!(desk.post("undo", &undo).json()["undone"], true);
    assert_eq!(desk.post("undo", &undo).json()["undone"], false);
    assert_eq!(desk.lines().len(), 1);
    let next = desk.next("ann", "random");
    assert_eq!(next["task"]["id"], sent["id"]);
    assert_eq!(next["last"]["key"], "key-0001");
    desk.label("ann", "random", "left", "key-0003");
    assert_eq!(
        desk.lines().len(),
        2,
        "what comes after goes to the new file"
    );
}

#[test]
fn a_skipped_pair_is_no_label_and_is_not_shown_again() {
    let desk = Desk::new();
    let sent = desk.label("ann", "random", "skip", "key-0001");
    assert_eq!(desk.lines().len(), 0);
    assert_eq!(
        lines_of(&desk.dir.path().join("labels.skipped.jsonl")).len(),
        1
    );
    let next = desk.next("ann", "random");
    assert_ne!(next["task"]["id"], sent["id"]);
    assert_eq!((&next["skipped"], &next["left"]), (&json!(1), &json!(149)));
}

#[test]
fn what_was_said_last_may_be_a_skipped_pair() {
    let desk = Desk::new();
    let last = || desk.next("ann", "random")["last"]["key"].clone();
    desk.label("ann", "random", "left", "key-0001");
    desk.label("ann", "random", "skip", "key-0002");
    desk.label("bea", "random", "left", "key-0003");
    assert_eq!(last(), "key-0002");
    assert_eq!(desk.next("ann", "random")["last"]["choice"], "skip");
    desk.label("ann", "random", "tie", "key-0004");
    for (key, before) in [("key-0004", "key-0002"), ("key-0002", "key-0001")] {
        desk.post("undo", &json!({"annotator": "ann", "key": key}));
        assert_eq!(last(), before);
    }
    assert_eq!(desk.lines().len(), 2, "one of each annotator");
}

#[test]
fn queues_begin_with_what_tells_most() {
    let desk = Desk::new();
    let disagreed = desk.next("ann", "disagreed");
    assert_eq!(disagreed["left"], 50);
    let id = disagreed["task"]["id"].as_str().unwrap();
    assert_eq!(
        desk.server.json(&format!("api/judgment/{id}"))["row"]["flipped"],
        true
    );
    let uncertain = desk.next("ann", "uncertain");
    let id = uncertain["task"]["id"].as_str().unwrap();
    let row = &desk.server.json(&format!("api/judgment/{id}"))["row"];
    assert_eq!(uncertain["left"], 150);
    assert_eq!(row["confidence"], 0.0);
    assert_eq!(desk.next("ann", "adjudicate")["task"], Value::Null);
    desk.label("ann", "uncertain", "left", "key-0001");
    let summary = desk.server.json("api/review/summary");
    let note = summary["ranking_note"].as_str().unwrap();
    assert!(note.contains("random queue"), "{note}");
}

#[test]
fn annotators_who_disagree_are_decided_between() {
    let desk = Desk::new();
    let mut asked = Vec::new();
    // Labels are listed by name, whoever came first.
    for (annotator, key) in [("bea", "key-000b"), ("ann", "key-000a")] {
        let task = desk.next(annotator, "random")["task"].clone();
        // Both mean another system.
        let [left, right] = ["left", "right"].map(|side| system_in(&task[side]["text"]));
        let wanted = if annotator == "ann" {
            left.min(right)
        } else {
            left.max(right)
        };
        let choice = if wanted == left { "left" } else { "right" };
        desk.label(annotator, "random", choice, key);
        asked.push(task["id"].clone());
    }
    assert_eq!(asked[0], asked[1]);
    let listed = &desk.server.json("api/review/disagreements")["disagreements"];
    assert_eq!(listed[0]["id"], asked[0]);
    // The owner sees the systems, and who said what.
    let (a, b) = (&listed[0]["a"], &listed[0]["b"]);
    let said = json!([
        {"annotator": "ann", "preferred": a, "both_bad": false, "decides": false, "comment": null},
        {"annotator": "bea", "preferred": b, "both_bad": false, "decides": false, "comment": null},
    ]);
    assert!(a.as_str().unwrap() < b.as_str().unwrap());
    assert_eq!(listed[0]["said"], said);
    let judgment = format!("api/judgment/{}", asked[0].as_str().unwrap());
    assert_eq!(desk.server.json(&judgment)["said"], said);
    let summary = desk.server.json("api/review/summary");
    assert_eq!(summary["pairs"], 1);
    assert_eq!(summary["disagreements"], 1);
    let next = desk.next("cho", "adjudicate");
    let said = next["task"]["said"].as_array().unwrap();
    let choices: BTreeSet<&str> = said
        .iter()
        .map(|one| one["choice"].as_str().unwrap())
        .collect();
    assert_eq!(choices, BTreeSet::from(["left", "right"]));
    desk.label("ann", "adjudicate", "tie", "key-000c");
    assert_eq!(desk.lines()[2]["adjudicated"], true);
    assert_eq!(desk.next("cho", "adjudicate")["task"], Value::Null);
    let rows = desk.server.json("api/rows?people=any");
    assert_eq!(rows["total"], 1);
    assert_eq!(rows["rows"][0]["people"], "tie");
    let summary = desk.server.json("api/review/summary");
    assert_eq!(summary["adjudicated"], 1);
    assert_eq!(summary["disagreements"], 1);
    let listed = desk.server.json("api/review/disagreements");
    assert_eq!(listed["disagreements"], json!([]));
    let note = summary["ranking_note"].as_str().unwrap();
    assert!(!note.contains("random queue"), "{note}");
}

#[test]
fn the_summary_says_how_far_people_agree() {
    let desk = Desk::new();
    for number in 0..12 {
        for annotator in ["ann", "bea"] {
            let task = desk.next(annotator, "random")["task"].clone();
            let [left, right] = ["left", "right"].map(|side| system_in(&task[side]["text"]));
            // They agree but for every fourth pair; the better names come earlier.
            let wanted = if annotator == "bea" && number % 4 == 0 {
                left.max(right)
            } else {
                left.min(right)
            };
            let choice = if wanted == left { "left" } else { "right" };
            desk.label(
                annotator,
                "random",
                choice,
                &format!("key-{annotator}-{number}"),
            );
        }
    }
    let summary = desk.server.json("api/review/summary");
    assert_eq!(summary["labels"], 24);
    assert_eq!(summary["pairs"], 12);
    let both = &summary["agreement"]["kappas"][0];
    assert_eq!(both["a"], "ann");
    assert_eq!(both["b"], "bea");
    assert_eq!(both["n"], 12);
    assert_eq!(both["agree"], 0.75);
    assert_eq!(summary["agreement"]["units"], 12);
    assert!(summary["agreement"]["alpha"].is_f64(), "{summary}");
    assert_eq!(summary["judge"]["n"], 12);
    assert_eq!(summary["annotators"][1]["annotator"], "bea");
    let note = summary["ranking_note"].as_str().unwrap();
    assert!(note.contains("more labels are needed"), "{note}");
}

#[test]
fn the_ranking_is_corrected_by_what_people_said() {
    let desk = Desk::new();
    for number in 0..60 {
        // Sides are drawn, so that every system is preferred now and then.
        desk.next("ann", "random");
        desk.label("ann", "random", "left", &format!("key-ann-{number}"));
    }
    let summary = desk.server.json("api/review/summary");
    assert_eq!(summary["ranking_note"], Value::Null, "{summary}");
    let report = &summary["ranking"];
    let systems: BTreeSet<&str> = report["ranking"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["system"].as_str().unwrap())
        .collect();
    assert_eq!(systems, BTreeSet::from(SYSTEMS));
    assert_eq!(report["labels"]["matched"], 60, "{report}");
}

#[test]
fn what_is_wrong_is_refused_with_a_reason() {
    let desk = Desk::new();
    let task = &desk.next("ann", "random")["task"];
    let good = json!({
        "annotator": "ann", "id": task["id"], "draw": task["draw"], "choice": "left",
        "key": "key-0001",
    });
    let long = "x".repeat(4001);
    for (field, value, status, why) in [
        ("annotator", json!(""), 400, "annotator: expected a name"),
        (
            "annotator",
            json!(" ann"),
            400,
            "annotator: expected a name",
        ),
        (
            "annotator",
            json!("a\nb"),
            400,
            "annotator: expected a name",
        ),
        ("annotator", json!(7), 400, "what was sent cannot be read"),
        ("id", json!("99999"), 404, "id: there is no pair"),
        ("id", json!("../x"), 404, "id: there is no pair"),
        ("choice", json!("a"), 400, "what was sent cannot be read"),
        ("key", json!("short"), 400, "key: expected 8 to 64"),
        ("key", json!("key 0001"), 400, "key: expected 8 to 64"),
        ("queue", json!("mine"), 400, "queue: expected one of random"),
        ("comment", json!(long), 400, "comment: expected at most"),
        ("draw", json!("x"), 409, "the sides of this pair"),
        (
            "queue",
            json!("adjudicate"),
            409,
            "this pair is decided already",
        ),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let answer = desk.post("label", &body);
        assert_eq!(answer.status, status, "{field}: {answer:?}");
        assert!(
            answer.error().starts_with(why),
            "{field}: {}",
            answer.error()
        );
    }
    assert_eq!(desk.post("label", &json!(["x".repeat(70_000)])).status, 413);
    assert_eq!(desk.post("label", &json!("{")).status, 400);
    assert_eq!(desk.server.get("api/review/next?queue=random").status, 400);
    assert_eq!(desk.server.get("api/review/label").status, 405);
    let target = format!("{}api/review/label", desk.server.base);
    let foreign = "origin: http://evil.example\r\n";
    let body = good.to_string();
    let answer = desk
        .server
        .send("POST", &target, &desk.server.host(), foreign, &body);
    assert_eq!(answer.status, 403);
    assert_eq!(desk.lines().len(), 0);
}

#[test]
fn a_line_that_was_cut_off_is_taken_off() {
    let mut desk = Desk::new();
    desk.label("ann", "random", "left", "key-0001");
    desk.label("ann", "random", "left", "key-0002");
    let whole = std::fs::read(desk.labels()).unwrap();
    for (cut, kept) in [(1, 2), (2, 1), (40, 1)] {
        let Desk { dir, server } = desk;
        server.end().unwrap();
        std::fs::write(dir.path().join("labels.jsonl"), &whole[..whole.len() - cut]).unwrap();
        let server = Server::start(options(dir.path()));
        desk = Desk { dir, server };
        assert_eq!(desk.next("ann", "random")["done"], kept, "{cut}");
        desk.label("ann", "random", "right", "key-0003");
        assert_eq!(desk.lines().len(), kept + 1, "{cut}");
    }
}

#[test]
fn labels_that_cannot_be_kept_are_refused_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("runs/one");
    make_run(&run);
    let path = run.join("labels.jsonl");
    std::fs::write(&path, "{\"item\":\"q\"}\n{}\n").unwrap();
    let refused = refuse(options(&run));
    assert!(
        refused.is_usage() && refused.to_string().contains("line 1"),
        "{refused}"
    );
    std::fs::remove_file(&path).unwrap();
    let server = Server::start(options(&run));
    let second = refuse(options(&run));
    assert!(
        second
            .to_string()
            .contains("another server writes these labels"),
        "{second}"
    );
    server.end().unwrap();
    let many = refuse(ViewOptions {
        review: Some(ReviewOptions {
            labels: Some(path),
            ..ReviewOptions::default()
        }),
        ..ViewOptions::new(dir.path().join("runs"))
    });
    assert!(matches!(many, ViewError::LabelsOfMany { .. }), "{many}");
}

#[test]
fn a_folder_has_a_desk_for_each_run_and_none_without_review() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        make_run(&dir.path().join(name));
    }
    let plain = Server::of(dir.path());
    assert_eq!(
        plain.get("run/one/api/review/next?annotator=ann").status,
        404
    );
    assert_eq!(plain.json("run/one/api/overview")["review"], false);
    plain.end().unwrap();
    assert!(!dir.path().join("one/labels.jsonl").exists());
    let server = Server::start(options(dir.path()));
    assert_eq!(
        server.json("run/two/api/review/next?annotator=ann")["left"],
        150
    );
    assert_eq!(server.json("run/two/api/overview")["review"], true);
    assert!(dir.path().join("two/labels.jsonl").exists());
}

#[test]
fn labels_of_many_at_once_are_all_kept_and_each_once() {
    let desk = Desk::new();
    std::thread::scope(|scope| {
        for person in 0..8 {
            let desk = &desk;
            scope.spawn(move || {
                let name = format!("person-{person}");
                for number in 0..10 {
                    let sent = desk.label(
                        &name,
                        "random",
                        "left",
                        &format!("key-000{person}-{number}"),
                    );
                    assert_eq!(desk.post("label", &sent).json()["repeated"], true);
                }
            });
        }
    });
    let lines = desk.lines();
    let keys: BTreeSet<&str> = lines
        .iter()
        .map(|line| line["key"].as_str().unwrap())
        .collect();
    assert_eq!((lines.len(), keys.len()), (80, 80));
    let labels = evenhand_viewer::read_labels(&[desk.labels()]).unwrap();
    assert!(labels.len() >= 10, "the readers of labels take the file");
}

/// A colleague's lines, a file that git put in place of ours, one that was moved: read again or
/// refused, never acknowledged into nowhere.
#[test]
fn labels_that_somebody_else_changes_are_read_again_or_refused() {
    let desk = Desk::new();
    desk.label("ann", "random", "left", "key-0001");
    let colleague = json!({"item": "q001", "a": "alpha", "b": "beta", "preferred": "a",
        "annotator": "colleague"});
    let path = desk.labels();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}{colleague}\n")).unwrap();
    let undo = json!({"annotator": "ann", "key": "key-0001"});
    assert_eq!(desk.post("undo", &undo).json()["undone"], true);
    assert_eq!(desk.lines(), std::slice::from_ref(&colleague));

    // Another file in its place, with another's labels.
    let other = path.with_extension("other");
    std::fs::write(&other, format!("{colleague}\n{colleague}\n")).unwrap();
    std::fs::rename(&other, &path).unwrap();
    desk.label("ann", "random", "left", "key-0002");
    assert_eq!(desk.lines().len(), 3);

    let task = desk.next("ann", "random")["task"].clone();
    let sent = json!({
        "annotator": "ann", "id": task["id"], "draw": task["draw"], "choice": "left",
        "queue": "random", "key": "key-0003", "comment": null,
    });
    let away = path.with_extension("away");
    std::fs::rename(&path, &away).unwrap();
    for _ in 0..2 {
        let refused = desk.post("label", &sent);
        assert_eq!(refused.status, 409, "{refused:?}");
        assert!(refused.error().contains("put it back"), "{refused:?}");
        assert!(!path.exists());
    }
    assert_eq!(lines_of(&away).len(), 3);
    std::fs::rename(&away, &path).unwrap();
    assert_eq!(desk.post("label", &sent).status, 200);
    assert_eq!(desk.lines().len(), 4);

    std::fs::write(&path, "mine now\n").unwrap();
    let refused = desk.post("undo", &json!({"annotator": "ann", "key": "key-0003"}));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine now\n");
}

/// A run from elsewhere: where the names of the files of labels lead is neither read nor written.
#[cfg(unix)]
#[test]
fn files_of_labels_in_a_foreign_run_lead_nowhere() {
    use std::os::unix::fs::symlink;
    for name in [
        "labels.jsonl",
        "labels.skipped.jsonl",
        "labels.lock",
        "labels.torn",
    ] {
        for target in ["../home/absent", "../home/precious", "/dev/zero"] {
            let under = tempfile::tempdir().unwrap();
            let (run, home) = (under.path().join("run"), under.path().join("home"));
            std::fs::create_dir(&run).unwrap();
            std::fs::create_dir(&home).unwrap();
            std::fs::write(home.join("precious"), "precious").unwrap();
            make_run(&run);
            if name == "labels.torn" {
                let torn = "{\"item\":\"q\",\"a\":\"x\",\"b\":\"y\"}\n{\"item\":\"q";
                std::fs::write(run.join("labels.jsonl"), torn).unwrap();
            }
            symlink(target, run.join(name)).unwrap();
            let error = refuse(options(&run)).to_string();
            assert!(error.contains("symbolic link"), "{name} {target}: {error}");
            assert!(!home.join("absent").exists());
            let kept = std::fs::read_to_string(home.join("precious")).unwrap();
            assert_eq!(kept, "precious");
        }
    }
    // The name that the new file once had on its way leads nowhere either.
    let under = tempfile::tempdir().unwrap();
    let run = under.path().join("run");
    std::fs::create_dir(&run).unwrap();
    make_run(&run);
    std::fs::write(under.path().join("precious"), "precious").unwrap();
    symlink("../precious", run.join("labels.new")).unwrap();
    let server = Server::start(options(&run));
    let target = format!("{}api/review/next?annotator=a&queue=random", server.base);
    let (host, origin) = (server.host(), server.origin());
    let next = server.send("GET", &target, &host, &origin, "").json();
    let label = json!({
        "annotator": "a", "id": next["task"]["id"], "draw": next["task"]["draw"], "choice": "left",
        "queue": "random", "key": "key-0001", "comment": null,
    });
    let send = |path: &str, body: &Value| {
        let target = format!("{}api/review/{path}", server.base);
        server.send("POST", &target, &host, &origin, &body.to_string())
    };
    assert_eq!(send("label", &label).status, 200);
    let undo = json!({"annotator": "a", "key": "key-0001"});
    assert_eq!(send("undo", &undo).json()["undone"], true);
    let kept = std::fs::read_to_string(under.path().join("precious")).unwrap();
    assert_eq!(kept, "precious");
}

/// The address of those who judge opens the pairs, and no ranking, row, system or other page.
#[test]
fn who_judges_sees_the_review_alone() {
    let desk = Desk::new();
    let server = &desk.server;
    assert_ne!(server.blind.as_ref(), Some(&server.base));
    let page = server.get_blind("");
    assert_eq!(page.status, 200);
    assert!(page.body.contains(r#"{"mode":"review"}"#), "{}", page.body);
    for asset in ["app.js", "app.css"] {
        assert_eq!(server.get_blind(asset).status, 200, "{asset}");
    }
    for path in [
        "api/overview",
        "api/version",
        "api/rows",
        "api/rows?limit=1",
        "api/judgment/0",
        "api/runs",
        "api/review/summary",
        "api/review/disagreements",
        "api/review/",
        "api/review/next/more",
        "api/",
        "api",
        "run/one/api/overview",
        "run/one/api/review/next?annotator=ann",
        "nowhere",
    ] {
        let refused = server.get_blind(path);
        assert_eq!(refused.status, 403, "{path}: {refused:?}");
        assert!(
            refused.error().contains("review alone"),
            "{path}: {refused:?}"
        );
    }
    // What the others said is for who decides between them, at the other address.
    let next = server
        .get_blind("api/review/next?annotator=ann&queue=adjudicate")
        .json();
    assert_eq!(next["queue"], "random");
    let fields: Vec<&String> = next["task"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["id", "draw", "item", "left", "right"]);
    assert_eq!(next["task"], desk.next("ann", "random")["task"]);

    let label = json!({
        "annotator": "ann", "id": next["task"]["id"], "draw": next["task"]["draw"],
        "choice": "left", "queue": "adjudicate", "key": "key-0001",
    });
    let base = server.blind.as_ref().unwrap();
    let post = |path: &str, body: &Value| {
        let target = format!("{base}api/review/{path}");
        server.send(
            "POST",
            &target,
            &server.host(),
            &server.origin(),
            &body.to_string(),
        )
    };
    assert_eq!(post("label", &label).json()["saved"], true);
    let kept = &desk.lines()[0];
    assert_eq!(kept["queue"], "random");
    assert_eq!(kept["adjudicated"], Value::Null);
    assert_eq!(post("summary", &label).status, 403);

    // A name is no password: who gives another's reads nothing that was said under it, and takes
    // nothing back that was given or decided at the other address.
    let kept = desk.lines();
    let other = if kept[0]["preferred"] == "a" {
        "b"
    } else {
        "a"
    };
    let left = system_in(&desk.next("bea", "random")["task"]["left"]["text"]);
    let choice = if kept[0][other] == left {
        "left"
    } else {
        "right"
    };
    desk.label("bea", "random", choice, "key-0002");
    desk.label("cho", "adjudicate", "tie", "key-0003");
    assert_eq!(desk.lines()[2]["adjudicated"], true);
    let kept = desk.lines();
    for (annotator, key) in [("bea", "key-0002"), ("cho", "key-0003")] {
        assert_eq!(desk.next(annotator, "random")["last"]["key"], key);
        let path = format!("api/review/next?annotator={annotator}");
        assert_eq!(server.get_blind(&path).json()["last"], Value::Null);
        let undo = json!({"annotator": annotator, "key": key, "blind": false});
        let refused = post("undo", &undo);
        assert_eq!(refused.status, 409, "{refused:?}");
        assert!(refused.error().contains("shows everything"), "{refused:?}");
        let unknown = json!({"annotator": annotator, "key": "key-0001"});
        assert_eq!(post("undo", &unknown).json()["undone"], false);
    }
    assert_eq!(desk.lines(), kept);

    let undo = json!({"annotator": "ann", "key": "key-0001"});
    assert_eq!(post("undo", &undo).json()["undone"], true);
    assert_eq!(desk.lines(), kept[1..]);
}

/// The address of who decides opens the pairs on which annotators disagree, and nothing that was
/// said of them.
#[test]
fn who_decides_sees_the_disputed_pairs_alone() {
    let desk = Desk::new();
    let server = &desk.server;
    let base = server.adjudicator.as_deref().unwrap();
    assert!(base != server.base && Some(base) != server.blind.as_deref());
    let get = |path: &str| server.send("GET", &format!("{base}{path}"), &server.host(), "", "");
    let post = |base: &str, path: &str, body: &Value| {
        let (host, origin) = (server.host(), server.origin());
        let target = format!("{base}api/review/{path}");
        server.send("POST", &target, &host, &origin, &body.to_string())
    };
    assert!(get("").body.contains(r#"{"mode":"adjudication"}"#));
    for path in [
        "api/overview",
        "api/rows",
        "api/judgment/0",
        "api/review/summary",
        "api/review/disagreements",
    ] {
        assert_eq!(get(path).status, 403, "{path}");
    }
    let asked = "api/review/next?annotator=cho&queue=random";
    let before = get(asked).json();
    assert_eq!(
        (&before["queue"], &before["task"]),
        (&json!("adjudicate"), &Value::Null)
    );

    // Two annotators mean other systems.
    for (annotator, first) in [("ann", true), ("bea", false)] {
        let task = desk.next(annotator, "random")["task"].clone();
        let [left, right] = ["left", "right"].map(|side| system_in(&task[side]["text"]));
        let choice = if (left < right) == first {
            "left"
        } else {
            "right"
        };
        desk.label(annotator, "random", choice, &format!("key-{annotator}-1"));
    }
    let disputed = desk.next("cho", "adjudicate")["task"].clone();
    assert_eq!(disputed["said"].as_array().unwrap().len(), 2);
    let next = get(asked).json();
    assert_eq!((&next["left"], &next["last"]), (&json!(1), &Value::Null));
    let fields: Vec<&String> = next["task"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["id", "draw", "item", "left", "right"]);
    assert_eq!(next["task"]["id"], disputed["id"]);

    // A pair on which nobody disagrees is not decided here, whatever the page names.
    let other = desk.next("ann", "random")["task"].clone();
    let label = |task: &Value, annotator: &str, key: &str| {
        json!({
            "annotator": annotator, "id": task["id"], "draw": task["draw"], "choice": "tie",
            "queue": "random", "key": key,
        })
    };
    let refused = post(base, "label", &label(&other, "ann", "key-cho-0"));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(desk.lines().len(), 2);

    let decision = label(&next["task"], "cho", "key-cho-1");
    assert_eq!(post(base, "label", &decision).json()["saved"], true);
    let kept = &desk.lines()[2];
    assert_eq!(
        [&kept["queue"], &kept["adjudicated"], &kept["blind"]],
        [&json!("adjudicate"), &json!(true), &json!(true)]
    );
    let after = get(asked).json();
    assert_eq!(
        [&after["task"], &after["done"], &after["left"]],
        [&Value::Null, &json!(1), &json!(0)]
    );

    // Each takes back what was given at the same address.
    let undo = |annotator: &str, key: &str| json!({"annotator": annotator, "key": key});
    let annotators = server.blind.as_deref().unwrap();
    for (base, body) in [
        (annotators, undo("cho", "key-cho-1")),
        (base, undo("ann", "key-ann-1")),
    ] {
        assert_eq!(post(base, "undo", &body).status, 409, "{body}");
    }
    assert_eq!(desk.lines().len(), 3);
    let undone = post(base, "undo", &undo("cho", "key-cho-1"));
    assert_eq!(undone.json()["undone"], true);
    assert_eq!(desk.lines().len(), 2);
    assert_eq!(get(asked).json()["left"], 1);
}

#[test]
fn only_a_review_of_one_run_has_an_address_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    make_run(&dir.path().join("one"));
    for server in [
        Server::start(options(dir.path())),
        Server::of(&dir.path().join("one")),
    ] {
        assert_eq!((&server.blind, &server.adjudicator), (&None, &None));
    }
}

/// A review of so many pairs comes to its end, and asks everybody the same, whatever was said.
#[test]
fn a_review_of_some_pairs_has_an_end() {
    for sample in [Sample::Random, Sample::Uncertain, Sample::Disagreed] {
        let desk = Desk::with(ReviewOptions {
            sample,
            items: Some(4),
            ..ReviewOptions::default()
        });
        let mut asked = [Vec::new(), Vec::new()];
        for (annotator, asked) in ["ann", "bea"].into_iter().zip(&mut asked) {
            for number in 0..4 {
                let next = desk.next(annotator, "");
                assert_eq!(next["done"], json!(number));
                assert_eq!(next["left"], json!(4 - number));
                let id = next["task"]["id"].as_str().unwrap().to_owned();
                let row = &desk.server.json(&format!("api/judgment/{id}"))["row"];
                match sample {
                    Sample::Random => {}
                    Sample::Uncertain => assert_eq!(row["confidence"], 0.0),
                    Sample::Disagreed => assert_eq!(row["flipped"], true),
                }
                asked.push(id);
                desk.label(annotator, "", "left", &format!("key-{annotator}-{number}"));
            }
            let end = desk.next(annotator, "");
            assert_eq!((&end["task"], &end["left"]), (&Value::Null, &json!(0)));
        }
        assert_eq!(asked[0], asked[1], "{sample:?}");
        let other = Desk::with(ReviewOptions {
            sample,
            items: Some(4),
            ..ReviewOptions::default()
        });
        assert_eq!(
            other.next("cho", "")["task"]["id"],
            asked[0][0].as_str(),
            "{sample:?}"
        );
    }
}

/// The hardest pairs are no random sample, whatever queue a page names, and correct no ranking.
#[test]
fn hard_pairs_are_not_recorded_as_drawn_at_random() {
    for (sample, queue) in [
        (Sample::Random, "random"),
        (Sample::Uncertain, "filtered"),
        (Sample::Disagreed, "filtered"),
    ] {
        let desk = Desk::with(ReviewOptions {
            sample,
            items: Some(4),
            ..ReviewOptions::default()
        });
        desk.label("ann", "random", "left", "key-0001");
        assert_eq!(desk.lines()[0]["queue"], queue, "{sample:?}");
        let note = desk.server.json("api/review/summary")["ranking_note"].clone();
        let is_without = note
            .as_str()
            .is_some_and(|note| note.contains("random queue"));
        assert_eq!(is_without, queue == "filtered", "{sample:?}: {note}");
    }
}

/// What is done are pairs of the queue, each once, so that with what is left they are all of it.
#[test]
fn done_counts_each_pair_of_the_queue_once() {
    let desk = Desk::new();
    let counts = |annotator: &str, queue: &str| {
        let next = desk.next(annotator, queue);
        ["done", "skipped", "left"].map(|field| next[field].as_u64().unwrap())
    };
    let [_, _, hard] = counts("cho", "disagreed");
    assert!((1..150).contains(&hard), "{hard}");
    desk.label("ann", "random", "left", "key-0001");
    let first = desk.lines()[0].clone();
    // The two see the pair on sides of their own; they are to disagree on it.
    let other = if first["preferred"] == "a" { "b" } else { "a" };
    let left = system_in(&desk.next("bea", "random")["task"]["left"]["text"]);
    let choice = if first[other] == left {
        "left"
    } else {
        "right"
    };
    desk.label("bea", "random", choice, "key-0002");
    desk.label("ann", "adjudicate", "tie", "key-0003");
    assert_eq!(desk.lines().len(), 3);
    assert_eq!(counts("ann", "random"), [1, 0, 149]);
    assert_eq!(counts("ann", "adjudicate"), [1, 0, 0]);
    for queue in ["random", "uncertain", "disagreed"] {
        let [done, skipped, left] = counts("ann", queue);
        let [_, _, all] = counts("cho", queue);
        assert_eq!(done + skipped + left, all, "{queue}");
    }
}

#[test]
fn a_review_asks_for_what_passes_a_filter_alone() {
    let filtered = |words: &[&str]| ReviewOptions {
        filter: Some(
            Filter::from_words(&words.iter().map(|word| (*word).into()).collect::<Vec<_>>())
                .unwrap(),
        ),
        ..ReviewOptions::default()
    };
    let desk = Desk::with(filtered(&["category=odd", "pair=hasty~plain"]));
    let next = desk.next("ann", "");
    assert_eq!(next["left"], 13);
    for side in ["left", "right"] {
        assert!(["hasty", "plain"].contains(&system_in(&next["task"][side]["text"])));
    }
    // A pair beside them is refused, also where its sides are told.
    let other = Desk::new().next("ann", "random")["task"].clone();
    let label = json!({
        "annotator": "ann", "id": other["id"], "draw": other["draw"], "choice": "left",
        "queue": "", "key": "key-0001",
    });
    let row = &desk
        .server
        .json(&format!("api/judgment/{}", other["id"].as_str().unwrap()))["row"];
    assert!(row["a"] != "hasty" || row["b"] != "plain" || row["category"] != "odd");
    assert_eq!(desk.post("label", &label).status, 404);
    // These are no random sample, and do not correct a ranking.
    desk.label("ann", "", "left", "key-0002");
    assert_eq!(desk.lines()[0]["queue"], "filtered");
    let note = &desk.server.json("api/review/summary")["ranking_note"];
    assert!(note.as_str().unwrap().contains("random queue"), "{note}");

    let dir = tempfile::tempdir().unwrap();
    make_run(dir.path());
    for (words, why) in [
        (
            ["system=nobody", "flipped=0"],
            "system: the run has no \"nobody\"",
        ),
        (
            ["failure=refused", "flipped=0"],
            "no pair of the run matches",
        ),
        (
            ["people=any", "flipped=0"],
            "people: labels change while people judge",
        ),
        (
            ["sort=cost", "flipped=0"],
            "sort: pairs to judge have their own order",
        ),
        (
            ["offset=1", "flipped=0"],
            "offset: pairs to judge have their own order",
        ),
        (
            ["limit=2", "flipped=0"],
            "limit: pairs to judge have their own order",
        ),
    ] {
        let refused = refuse(ViewOptions {
            review: Some(filtered(&words)),
            ..ViewOptions::new(dir.path())
        });
        assert!(refused.to_string().contains(why), "{refused}");
    }
}
