//! What the pages are told of a run, and of a folder of runs.

use crate::common::{Server, make_run, open_store, put_judgments};
use evenhand_core::Side;
use evenhand_pages::PersonLabel;
use evenhand_store::keep_report;
use evenhand_viewer::{ViewError, ViewOptions};
use serde_json::{Value, json};
use std::time::Duration;

fn served() -> (tempfile::TempDir, Server) {
    let dir = tempfile::tempdir().unwrap();
    make_run(&dir.path().join("one"));
    let server = Server::of(&dir.path().join("one"));
    (dir, server)
}

#[test]
fn the_pages_are_served_as_they_were_built() {
    let (dir, server) = served();
    let page = server.get("");
    assert!(page.body.contains(r#"{"mode":"server"}"#), "{}", page.body);
    // A folder's page says so, and asks for the list alone.
    let page = Server::of(dir.path()).get("");
    assert!(page.body.contains(r#"{"mode":"folder"}"#), "{}", page.body);
    for (path, kind) in [
        ("", "text/html; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"),
        ("app.css", "text/css; charset=utf-8"),
        ("api/version", "application/json"),
    ] {
        assert_eq!(
            server.get(path).header("content-type"),
            Some(kind),
            "{path}"
        );
    }
}

#[test]
fn the_overview_sums_the_run() {
    let (dir, server) = served();
    let overview = server.json("api/overview");
    assert_eq!(overview["mode"], "server");
    assert_eq!(overview["title"], "one");
    assert_eq!(overview["live"], false);
    assert_eq!(
        overview["systems"],
        json!(["careful", "hasty", "plain", "wordy"])
    );
    assert_eq!(overview["counts"]["judgments"], 300);
    assert_eq!(overview["items"], 25);
    assert_eq!(overview["counts"]["rows"], 150);
    assert_eq!(overview["matrix"].as_array().unwrap().len(), 6);
    assert!(!overview.to_string().contains(dir.path().to_str().unwrap()));
    let version = server.json("api/version");
    assert_eq!(version["version"], overview["version"]);
    keep_report(
        &dir.path().join("one"),
        "rank",
        r#"{"ranking":[]}"#,
        "[{\"kind\":\"dots\"}]",
    )
    .unwrap();
    let later = wait_for(&server, "api/overview", |later| !later["report"].is_null());
    assert_eq!(later["report"], json!({"ranking": []}));
    assert_eq!(later["figures"], json!([{"kind": "dots"}]));
    assert_ne!(later["version"], overview["version"]);
}

#[test]
fn rows_are_filtered_sorted_and_cut_to_pages() {
    let (_dir, server) = served();
    let page = server.json("api/rows");
    assert_eq!(page["total"], 150);
    assert_eq!(page["rows"].as_array().unwrap().len(), 100);
    assert_eq!(page["rows"][0]["excerpt"], "Name thing number 0.");
    let flipped = server.json("api/rows?flipped=1&sort=-confidence&limit=5&offset=2");
    assert_eq!([&flipped["total"], &flipped["of"]], [50, 150]);
    assert_eq!(flipped["offset"], 2);
    assert!(
        flipped["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["flipped"] == true)
    );
    let all = server.json("api/rows?limit=100000000");
    assert_eq!(all["rows"].as_array().unwrap().len(), 150);
    for (query, ids) in [
        ("text=needle", json!([6])),
        ("text=NEEDLE", json!([6])),
        ("failure=any", json!([8])),
        ("item=q3&pair=plain~careful", json!([38])),
        ("text=no+such+words", json!([])),
    ] {
        let page = server.json(&format!("api/rows?{query}"));
        let found = page["rows"].as_array().unwrap();
        assert_eq!(
            Value::Array(found.iter().map(|row| row["id"].clone()).collect()),
            ids
        );
    }
}

#[test]
fn a_filter_that_cannot_be_read_is_explained() {
    let (_dir, server) = served();
    for (query, why) in [
        ("odd=1", "odd: there is no such filter"),
        ("system=nobody", "system: the run has no"),
        ("limit=-1", "limit: expected a whole number"),
        ("flipped=1&flipped=0", "flipped: given twice"),
        ("confidence=x", "confidence: expected a range"),
        ("sort=", "sort: expected one of"),
        (
            "offset=99999999999999999999",
            "offset: expected a whole number",
        ),
    ] {
        let answer = server.get(&format!("api/rows?{query}"));
        assert_eq!(answer.status, 400, "{query}");
        assert!(
            answer.error().starts_with(why),
            "{query}: {}",
            answer.error()
        );
    }
    assert_eq!(
        server.json("api/rows?offset=18446744073709551615")["rows"],
        json!([])
    );
}

#[test]
fn a_judgment_is_shown_in_full() {
    let (_dir, server) = served();
    let failed = server.json("api/judgment/9");
    assert_eq!(failed["outcome"]["failure"], "unparsed");
    assert_eq!(failed["detail"], "<b>no verdict</b>");
    assert_eq!(failed["item"]["text"], "Name thing number 0.");
    assert_eq!(failed["responses"][0]["text"], "Thing 0, says wordy.");
    assert_eq!(
        failed["calls"][0]["messages"][0]["content"],
        "Which is better? 9"
    );
    for trial in ["300", "-1", "x", "1.5", "18446744073709551615"] {
        let answer = server.get(&format!("api/judgment/{trial}"));
        assert_eq!(answer.status, 404, "{trial}");
        assert!(answer.error().contains(trial), "{}", answer.error());
    }
}

#[test]
fn labels_of_people_stand_beside_the_rows() {
    let dir = tempfile::tempdir().unwrap();
    make_run(dir.path());
    let label = PersonLabel {
        item: "q3".into(),
        a: "plain".into(),
        b: "careful".into(),
        outcome: Side::First,
    };
    let server = Server::start(ViewOptions {
        labels: vec![label],
        ..ViewOptions::new(dir.path())
    });
    let counts = &server.json("api/overview")["counts"];
    assert_eq!(counts["people"], json!({"compared": 1, "disagree": 1}));
    let rows = server.json("api/rows?people=disagree");
    assert_eq!(rows["total"], 1);
    assert_eq!(rows["rows"][0]["people"], "b");
}

#[test]
fn a_folder_lists_its_runs_and_serves_each() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["one", "two words & 50%", "three"] {
        make_run(&dir.path().join("runs").join(name));
    }
    make_run(&dir.path().join("outside"));
    let server = Server::of(&dir.path().join("runs"));
    let listed = server.json("api/runs");
    let listed = listed.as_array().unwrap();
    assert_eq!(listed.len(), 3);
    for run in listed {
        assert_eq!(run["judgments"], 300);
        assert_eq!(run["run"], run["name"]);
    }
    assert!(
        !json!(listed)
            .to_string()
            .contains(dir.path().to_str().unwrap())
    );
    let overview = server.json("run/two%20words%20%26%2050%25/api/overview");
    assert_eq!(overview["title"], "two words & 50%");
    assert_eq!(server.json("run/one/api/rows?flipped")["total"], 50);
    for path in [
        "api/overview",
        "api/rows",
        "run/none/api/overview",
        "run/../outside/api/overview",
        "run/..%2foutside/api/overview",
        "run/%2e%2e%2foutside/api/overview",
        "run/.%2fone/api/overview",
        "run/one%2f/api/overview",
        "run/%00/api/overview",
        "run/%ff/api/overview",
        "run//api/overview",
        "run/one/api/runs",
    ] {
        assert!([400, 404].contains(&server.get(path).status), "{path}");
    }
    let detail = server.json("run/one/api/judgment/6");
    let others = detail["others"].as_array().unwrap();
    let told = |other: &Value| (other["run"].clone(), other["trial"].clone());
    assert_eq!(others.len(), 4);
    assert!(
        others
            .iter()
            .map(told)
            .any(|other| other == (json!("three"), json!(7)))
    );
}

#[test]
fn one_run_has_no_list_and_no_others() {
    let (_dir, server) = served();
    assert_eq!(server.get("api/runs").status, 404);
    assert_eq!(server.get("run/one/api/overview").status, 404);
    assert_eq!(server.json("api/judgment/0")["others"], json!([]));
}

#[test]
fn a_run_grows_under_its_reader() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open_store(dir.path());
    put_judgments(&mut store, 0..10);
    let server = Server::of(dir.path());
    let before = server.json("api/overview");
    assert_eq!(before["counts"]["judgments"], 10);
    assert_eq!(before["live"], true);
    put_judgments(&mut store, 10..120);
    let after = wait_for(&server, "api/overview", |now| {
        now["counts"]["judgments"] == 120
    });
    assert_ne!(after["version"], before["version"]);
    assert_eq!(server.json("api/rows?text=thing+9")["total"], 6);
}

#[test]
fn a_run_that_vanishes_is_an_error_and_another_in_its_place_is_shown() {
    let (dir, server) = served();
    let path = dir.path().join("one");
    assert_eq!(server.json("api/rows")["total"], 150);
    std::fs::rename(&path, dir.path().join("away")).unwrap();
    let gone = server.get("api/rows");
    assert_eq!(gone.status, 500);
    let said = gone.error();
    assert!(said.contains("no file or folder of this name"), "{said}");
    put_judgments(&mut open_store(&path), 0..12);
    assert_eq!(server.json("api/rows")["total"], 6);
    assert_eq!(server.get("").status, 200);
}

#[test]
fn many_questions_at_once_have_the_same_answers() {
    let (_dir, server) = served();
    let queries = [
        "flipped=1",
        "sort=-confidence",
        "text=says",
        "system=hasty",
        "",
    ];
    let expected = queries.map(|query| server.json(&format!("api/rows?{query}")));
    std::thread::scope(|scope| {
        for at in 0..100 {
            let (server, expected) = (&server, &expected);
            scope.spawn(move || {
                let query = queries[at % queries.len()];
                let found = server.json(&format!("api/rows?{query}"));
                assert_eq!(found, expected[at % queries.len()], "{query}");
            });
        }
    });
}

#[test]
fn a_stopped_server_ends_in_good_order() {
    let (_dir, server) = served();
    let idle = std::net::TcpStream::connect(server.address).unwrap();
    server.json("api/version");
    server.end().unwrap();
    drop(idle);
}

#[test]
fn what_cannot_be_served_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let missing = refuse(ViewOptions::new(dir.path().join("none")));
    assert!(matches!(missing, ViewError::NoFolder { .. }), "{missing}");
    std::fs::write(dir.path().join("run.sqlite"), "no database").unwrap();
    let broken = refuse(ViewOptions::new(dir.path()));
    assert!(
        matches!(broken, ViewError::Run(_)) && broken.is_usage(),
        "{broken}"
    );
    std::fs::remove_file(dir.path().join("run.sqlite")).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = refuse(ViewOptions {
        port: taken.local_addr().unwrap().port(),
        host: Some("127.0.0.1".into()),
        ..ViewOptions::new(dir.path())
    });
    assert!(matches!(refused, ViewError::Bind { .. }), "{refused}");
}

fn refuse(options: ViewOptions) -> ViewError {
    let stop = std::sync::Arc::default();
    let served = evenhand_viewer::serve(options, &stop, |ready| panic!("{ready:?}"));
    served.unwrap_err()
}

/// Asks until the answer is the one that is waited for.
fn wait_for(server: &Server, path: &str, is_there: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..600 {
        let answer = server.json(path);
        if is_there(&answer) {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{path} never answered what was waited for");
}
