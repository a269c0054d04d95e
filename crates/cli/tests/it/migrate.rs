//! `migrate`: another judge for a run, from as few calls as it takes.

use crate::common::served::{configure, quick, start};
use crate::common::{Desk, assert_holds, database};
use crate::report_file::embedded;
use evenhand_testing::server::Script;
use serde_json::{Value, json};
use std::time::Duration;

const SYSTEMS: [&str; 3] = ["ant", "bee", "cat"];
const OLD: &str = "rank --data data --judge simulated:gap=2 --run old --quiet";

fn desk(items: usize) -> Desk {
    let desk = Desk::new(items, &SYSTEMS);
    desk.done(OLD);
    desk
}

/// The JSON of a migration that ends with this code.
pub(crate) fn migrated(desk: &Desk, arguments: &str, code: i32) -> Value {
    let ran = desk.run(&format!("migrate old {arguments} --format json"));
    assert_eq!(
        ran.code,
        Some(code),
        "{arguments}: {}{}",
        ran.stdout,
        ran.stderr
    );
    ran.json()
}

pub(crate) fn fates(report: &Value) -> Vec<&str> {
    let pairs = report["pairs"].as_array().unwrap();
    pairs
        .iter()
        .map(|pair| pair["fate"].as_str().unwrap())
        .collect()
}

pub(crate) fn count(report: &Value, field: &str) -> u64 {
    report[field].as_u64().unwrap()
}

pub(crate) fn calls(desk: &Desk, run: &str) -> i64 {
    let db = database(&desk.path(run)).unwrap();
    db.query_row("SELECT count(*) FROM calls", [], |row| row.get(0))
        .unwrap()
}

#[test]
fn the_same_ranking_is_certain_from_a_part() {
    let desk = desk(200);
    let new = "--judge simulated:gap=2,seed=9,log=asked --run new";
    let report = migrated(&desk, new, 0);
    assert_eq!(report["ranking"], "same");
    assert_eq!(fates(&report), ["kept"; 3]);
    assert_eq!(count(&report, "judgments"), 200 * 6);
    let asked = count(&report, "judgments_asked");
    assert!(asked < 400, "{asked} of 1200");
    assert_eq!(desk.lines("asked").len() as u64, asked);
    assert_eq!(report["ended"]["why"], "decided");
    let bounds = report["bounds"].as_str().unwrap();
    assert_holds(
        bounds,
        "new and shift are bounds on what all items would give",
    );
    // Nothing stopped it, and the run says so.
    assert_eq!(desk.json("show new")["state"], "decided");
    let shown = desk.done("show new").stdout;
    assert_holds(&shown, "decided, asked as much as needed");
    // Every interval holds what asking everything says.
    let all = migrated(&desk, &format!("{new} --all"), 0);
    assert_eq!(count(&all, "judgments_asked"), 1200);
    for (part, whole) in report["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .zip(all["pairs"].as_array().unwrap())
    {
        let exact = whole["new"][0].as_f64().unwrap();
        assert!((exact - whole["new"][1].as_f64().unwrap()).abs() < 1e-9);
        let [low, high] = [0, 1].map(|end| part["new"][end].as_f64().unwrap());
        assert!(
            low - 1e-6 <= exact && exact <= high + 1e-6,
            "{low} {exact} {high}"
        );
    }
    // Nothing was paid for twice, and the run is one that the other commands read.
    assert_eq!(calls(&desk, "new"), 1200);
    assert_eq!(desk.lines("asked").len(), 1200);
    desk.done("compare old new");
    let again = desk.done("rank --data data --judge simulated:gap=2,seed=9,log=asked --run new");
    again.says("0 calls made now");
    // After all was asked, the short form asks nothing and leaves the run whole.
    let short = migrated(&desk, new, 0);
    assert_eq!(count(&short, "judgments_asked"), asked);
    let shown = desk.json("runs .").to_string();
    assert!(!shown.contains("stopped"), "{shown}");
}

#[test]
fn the_same_bytes_at_any_thread_count_and_no_call_without_need() {
    let desk = desk(60);
    let run = |name: &str, threads: u32| {
        let ran = desk.run(&format!(
            "migrate old --judge simulated:gap=2,seed=4 --run {name} --threads {threads} --format json"
        ));
        let mut report = ran.json();
        report["new_run"] = Value::Null;
        report.to_string()
    };
    let one = run("one", 1);
    assert_eq!(one, run("four", 4));
    assert_eq!(one, run("one", 2), "what is kept is not asked again");
}

#[test]
fn a_judge_that_reverses_is_said_to_change_the_ranking() {
    let desk = desk(120);
    let outputs = "--summary pr.md --report page.html";
    let ran = desk.run(&format!(
        "migrate old --judge simulated:accuracy=0.05 --run new {outputs}"
    ));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    // The page of the file, and of the new run, has the answer.
    desk.done("report new --out kept.html");
    for page in ["page.html", "kept.html"] {
        let overview = &embedded(&desk.read(page))["overview"];
        assert_eq!(overview["command"], "migrate", "{page}");
        let answer = overview["report"]["answer"].as_str().unwrap();
        assert!(ran.stdout.starts_with(answer), "{answer}");
    }
    assert!(
        ran.stdout
            .starts_with("The ranking changes: of the 3 pairs"),
        "{}",
        ran.stdout
    );
    ran.prints("ant is below bee");
    let summary = desk.read("pr.md");
    assert!(
        summary.starts_with("### Evenhand: the ranking changes"),
        "{summary}"
    );
    assert!(summary.contains("| ant | bee | reversed |"), "{summary}");
}

#[test]
fn a_limit_leaves_it_undecided_and_the_same_command_goes_on() {
    let desk = desk(200);
    let new = "--judge simulated:gap=2,seed=9,log=asked --run new";
    let report = migrated(&desk, &format!("{new} --max-calls 20"), 4);
    assert_eq!(report["ranking"], "undecided");
    assert_eq!(report["ended"]["why"], "limit");
    assert_eq!(desk.lines("asked").len(), 20);
    let done = migrated(&desk, new, 0);
    assert_eq!(
        desk.lines("asked").len() as u64,
        count(&done, "judgments_asked")
    );
    let undisturbed = migrated(
        &desk,
        "--judge simulated:gap=2,seed=9 --run other --no-reuse",
        0,
    );
    assert_eq!(undisturbed["pairs"], done["pairs"]);
}

#[test]
fn killed_it_goes_on_and_pays_for_nothing_twice() {
    let desk = desk(200);
    let new = "--judge simulated:gap=2,seed=9,delay-ms=5,log=asked --run new";
    let mut child = desk.start(&format!("migrate old {new}"));
    desk.wait_for_lines("asked", 40);
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = calls(&desk, "new") as usize;
    let before = desk.lines("asked").len();
    let report = migrated(&desk, new, 0);
    let asked = count(&report, "judgments_asked") as usize;
    assert_eq!(
        desk.lines("asked").len() - before,
        asked - kept,
        "{kept} were kept"
    );
    let undisturbed = migrated(
        &desk,
        "--judge simulated:gap=2,seed=9 --run other --no-reuse",
        0,
    );
    assert_eq!(undisturbed["pairs"], report["pairs"]);
}

#[test]
fn an_order_bias_shows_in_the_consistency() {
    let desk = desk(150);
    let report = migrated(
        &desk,
        "--judge simulated:gap=2,first-slot=0.8,seed=3 --run new --all",
        0,
    );
    let share = |who: &str| report["consistency"][who]["share"].as_f64().unwrap();
    assert!(
        share("new") + 0.3 < share("old"),
        "{}",
        report["consistency"]
    );
}

#[test]
fn a_dead_judge_is_no_evidence() {
    let desk = desk(100);
    let ran = desk.run("migrate old --judge simulated:invalid=1,log=asked --run new");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(!ran.stdout.contains("stays the same"), "{}", ran.stdout);
    let asked = desk.lines("asked").len();
    assert!((20..100).contains(&asked), "{asked} calls of a dead judge");
    // One that does not answer until the time is over gives no evidence either, and the limit is
    // told as it was given.
    let server = start(Script {
        latency: Duration::from_secs(60),
        ..quick()
    });
    configure(&desk, &[&server.url()], "");
    let silent = "--config judge.toml --judge mine --run silent --deadline 1.5";
    let ran = desk.run(&format!("migrate old {silent}"));
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    let said = "gave no verdict: --deadline 1.5 stopped it";
    ran.says(said);
    ran.prints("--deadline 1.5 ended it");
    // One that fails on many items is judged by the others, and by what these could say at worst.
    let report = migrated(
        &desk,
        "--judge simulated:gap=2,invalid=0.9 --run half --keep-going",
        4,
    );
    assert_eq!(report["ranking"], "undecided");
    assert!(report["pairs"][0]["items_failed"].as_u64().unwrap() > 50);
}

#[test]
fn labels_of_people_say_what_agreement_was_and_is() {
    let desk = desk(100);
    let label = |item: usize| {
        let label = json!({"item": format!("q{item}"), "a": "ant", "b": "bee", "preferred": "a"});
        format!("{label}\n")
    };
    desk.write("labels.jsonl", (0..100).map(label).collect::<String>());
    let report = migrated(
        &desk,
        "--judge simulated:gap=1,seed=2 --run new --labels labels.jsonl --all",
        0,
    );
    let found = &report["agreement"];
    assert_eq!(found["labels"], 100);
    assert_eq!(found["labels_asked"], 100);
    let [low, high] = [0, 1].map(|end| found["new"][end].as_f64().unwrap());
    assert!((low - high).abs() < 1e-9 && low < found["old"].as_f64().unwrap());
    let part = migrated(
        &desk,
        "--judge simulated:gap=1,seed=2 --run part --labels labels.jsonl",
        0,
    );
    let [from, to] = [0, 1].map(|end| part["agreement"]["new"][end].as_f64().unwrap());
    assert!(from - 1e-6 <= low && low <= to + 1e-6, "{from} {low} {to}");
}

#[test]
fn what_cannot_be_migrated_is_said() {
    let desk = desk(6);
    let refused = |arguments: &str, why: &str| {
        desk.refused(arguments, why);
    };
    refused("migrate none --judge simulated", "none");
    refused(
        "migrate old --judge simulated --confidence 1",
        "between 0 and 1",
    );
    desk.run("rank --data data --judge simulated:invalid=1 --run dead --keep-going");
    refused("migrate dead --judge simulated --run x", "gave no verdict");
    desk.done("rank --data data --judge simulated:gap=3 --design adaptive --run adaptive");
    refused(
        "migrate adaptive --judge simulated --run x",
        "chose what to judge",
    );
    // The old run is not the new one, however it is spelt.
    std::os::unix::fs::symlink(desk.path("old"), desk.path("linked")).unwrap();
    for place in ["old", "./old/", "data/../old", "linked"] {
        refused(
            &format!("migrate old --judge simulated:seed=3 --run {place}"),
            "this is the old run",
        );
    }
    refused(
        "migrate linked --judge simulated:gap=2 --run old",
        "this is the old run",
    );
    for form in ["reward", "likelihood"] {
        desk.run(&format!(
            "rank --data data --judge simulated --protocol {form} --run {form}-run"
        ));
        refused(
            &format!("migrate {form}-run --judge simulated --run new-{form}"),
            &format!("on a scale, and {form} has none"),
        );
    }
}

#[test]
fn few_items_two_systems_and_runs_that_are_incomplete() {
    // One item tells nothing apart: there is no order to keep, and nothing is asked.
    let one = Desk::new(1, &["ant", "bee"]);
    one.done(OLD);
    let report = migrated(&one, "--judge simulated:gap=2 --run new --no-reuse", 4);
    assert_eq!(report["ranking"], "nothing-to-keep");
    assert_eq!(report["judgments_asked"], 0);
    let report = migrated(
        &one,
        "--judge simulated:gap=2 --run new --all --no-reuse",
        4,
    );
    assert_eq!(report["judgments_asked"], 2);

    // An old run that was stopped: what it has no verdict on is asked of the new judge all the
    // same.
    let desk = Desk::new(80, &["ant", "bee"]);
    let ran =
        desk.run("rank --data data --judge simulated:gap=3 --run old --max-calls 100 --quiet");
    assert_ne!(ran.code, Some(0));
    let report = migrated(&desk, "--judge simulated:gap=3,seed=5 --run new", 0);
    let pair = &report["pairs"][0];
    assert_eq!(pair["items"].as_u64(), Some(80));
    assert_eq!(pair["items_old"].as_u64(), Some(50));
    assert_eq!(fates(&report), ["kept"]);
    assert_eq!(count(&report, "items_old"), 50);
    assert_eq!(count(&report, "items"), 80);
    // The shift is of all 80 items: the old judge could have said anything of 30 of them.
    let number = |field: &str| pair[field].as_f64().unwrap();
    let [low, high] = [0, 1].map(|end| pair["new"][end].as_f64().unwrap());
    let (known, unknown) = (number("old") * 50.0 / 80.0, 0.5 * 30.0 / 80.0);
    for (end, expected) in [(0, low - known - unknown), (1, high - known + unknown)] {
        let found = pair["shift"][end].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    let text = desk.run("migrate old --judge simulated:gap=3,seed=5 --run new --summary pr.md");
    for shown in [text.stdout, desk.read("pr.md")] {
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_holds(&shown, "it lacks verdicts on 1 of 1 pair");
        assert!(shown.contains("it has 50 of 80 items"), "{shown}");
    }
    // What is told of an old run that says nothing counts the items that it judged.
    let even = Desk::new(60, &["ant", "bee"]);
    even.run("rank --data data --judge simulated:gap=0 --run old --max-calls 24 --quiet");
    let ran = even.run("migrate old --judge simulated:gap=0,seed=5 --run new");
    let said = "the 12 that it has verdicts on, of 60 items";
    let shown = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(said), "{shown}");
}

#[test]
fn scores_and_shares_against_a_reference_are_migrated() {
    let desk = Desk::new(100, &SYSTEMS);
    desk.done("rank --data data --judge simulated:gap=2 --protocol pointwise --run old --quiet");
    let report = migrated(&desk, "--judge simulated:gap=2,seed=8 --run new", 0);
    assert_eq!(report["unit"].as_str(), Some("points"));
    assert_eq!(count(&report, "judgments"), 300);
    assert!(report["pairs"][0]["old"].as_f64().unwrap() > 0.0);

    let desk = Desk::new(100, &SYSTEMS);
    desk.done("rank --data data --judge simulated:gap=2 --design reference:bee --run old --quiet");
    let report = migrated(&desk, "--judge simulated:gap=2,seed=8 --run new", 0);
    assert_eq!(report["ranking"].as_str(), Some("same"));
    assert_eq!(fates(&report).len(), 3);
}

#[test]
fn a_recorded_run_is_a_judge_to_migrate_to() {
    let desk = desk(100);
    desk.done("rank --data data --judge simulated:gap=2,seed=7 --run other --quiet");
    let report = migrated(&desk, "--judge recorded:other --run new", 0);
    assert_eq!(report["ranking"], "same");
    assert!(count(&report, "judgments_asked") < count(&report, "judgments"));
}
