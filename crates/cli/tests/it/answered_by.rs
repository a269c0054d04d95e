//! Who answered: what a server says of the model behind a name is kept, shown and compared.

use crate::common::served::*;
use crate::common::{Desk, assert_holds};
use evenhand_testing::server::{Script, Server};
use serde_json::{Value, json};

fn answering_as(model: &str, fingerprint: &str) -> Server {
    start(Script {
        answers_as: Some((model.into(), fingerprint.into())),
        ..quick()
    })
}

fn rank(run: &str) -> String {
    format!("rank {MINE} --run {run} --ci none --no-reuse --format json")
}

/// Ranks once by a server that answers as this model, and returns the report.
fn ranked(desk: &Desk, run: &str, model: &str, fingerprint: &str) -> Value {
    let server = answering_as(model, fingerprint);
    configure(desk, &[&server.url()], "");
    desk.done(&rank(run)).json()
}

/// The warnings of a report that its judge was not the same all the time.
fn told_to_have_changed(report: &Value) -> Vec<&str> {
    let warnings = report["warnings"].as_array().unwrap().iter();
    let texts = warnings.filter_map(Value::as_str);
    texts
        .filter(|text| text.contains("may not be those of one judge"))
        .collect()
}

#[test]
fn a_run_says_who_answered_and_a_comparison_who_answers_now() {
    let desk = Desk::new(10, &SYSTEMS);
    let report = ranked(&desk, "before", "m-2026-08-06", "fp_1");
    assert!(told_to_have_changed(&report).is_empty(), "{report}");

    let calls = 10 * CALLS_OF_ITEM;
    let shown = desk.done("show before").stdout;
    let line = format!("answered by m-2026-08-06 (fp_1): {calls} calls");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&shown).contains(&line), "{shown}");
    let shown = desk.done("show before --format json").json();
    assert_eq!(
        shown["answered_by"],
        json!([{"judge": shown["judges"][0], "model": "m-2026-08-06", "fingerprint": "fp_1",
            "calls": calls}])
    );

    // The same model again is no difference; a new one behind the old name is.
    ranked(&desk, "again", "m-2026-08-06", "fp_1");
    ranked(&desk, "after", "m-2026-11-20", "fp_1");
    let differs = |baseline: &str, current: &str| {
        let compared = desk.done(&format!("compare {baseline} {current} --format json"));
        compared.json()["settings"].clone()
    };
    assert_eq!(differs("before", "again"), json!([]));
    let expected = json!([{"setting": "answered by", "baseline": "m-2026-08-06 (fp_1)",
        "current": "m-2026-11-20 (fp_1)"}]);
    assert_eq!(differs("before", "after"), expected);
    desk.done("baseline save before --out kept.json");
    assert_eq!(differs("kept.json", "after"), expected);
}

#[test]
fn a_judge_that_is_several_models_is_a_warning() {
    let desk = Desk::new(30, &SYSTEMS);
    let one = answering_as("m-1", "fp_1");
    for (model, fingerprint, what) in [
        ("m-1", "fp_1", None),
        ("m-2", "fp_1", Some("more than one model answered")),
        ("m-1", "fp_2", Some("the server's configuration changed")),
    ] {
        let other = answering_as(model, fingerprint);
        configure(&desk, &[&one.url(), &other.url()], "");
        let report = desk
            .done(&rank(&format!("run-{model}-{fingerprint}")))
            .json();
        let told = told_to_have_changed(&report);
        match what {
            None => assert!(told.is_empty(), "{report}"),
            Some(what) => assert!(told.len() == 1 && told[0].contains(what), "{report}"),
        }
    }
}

/// A server that names another configuration in every reply is a few lines all the same.
#[test]
fn many_answerers_are_folded() {
    let desk = Desk::new(30, &SYSTEMS);
    let run = |name: &str, numbers: std::ops::Range<usize>| {
        let servers: Vec<Server> = numbers
            .map(|number| answering_as("m", &format!("fp_{number:02}")))
            .collect();
        let urls: Vec<String> = servers.iter().map(Server::url).collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        configure(&desk, &urls, "");
        desk.done(&rank(name)).json()
    };
    let report = run("one", 0..12);
    run("two", 3..15);
    let told = told_to_have_changed(&report);
    assert!(
        told.len() == 1 && told[0].contains(" and 7 more"),
        "{told:?}"
    );
    let shown = desk.done("show one").stdout;
    assert_eq!(shown.matches("fp_").count(), 5, "{shown}");
    assert!(shown.contains("7 more: "), "{shown}");
    let compared = desk.done("compare one two").stdout;
    let compared = compared.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(compared.contains("9 that both have"), "{compared}");
    assert_holds(&compared, "m (fp_00), m (fp_01), m (fp_02), 9 that");
    // Programs have them all.
    let json = desk.done("show one --format json").json();
    assert_eq!(json["answered_by"].as_array().unwrap().len(), 12);
}

#[test]
fn a_hostile_name_is_one_short_line() {
    let desk = Desk::new(2, &SYSTEMS);
    let name = format!("m\u{1b}[2J\nranking of {}", "x".repeat(100_000));
    ranked(&desk, "run", &name, "fp\n\u{7}");
    let shown = desk.done("show run").stdout;
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{7}'));
    let json = desk.done("show run --format json").json();
    let model = json["answered_by"][0]["model"].as_str().unwrap();
    assert!(
        model.chars().count() <= 300 && !model.contains('\n'),
        "{model}"
    );
}
