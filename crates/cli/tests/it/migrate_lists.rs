//! `migrate` of runs whose judge ordered lists, and of checklists.

use crate::common::{Desk, response};
use crate::migrate::{calls, count, fates, migrated};
use serde_json::{Value, json};

const SYSTEMS: [&str; 3] = ["ant", "bee", "cat"];
const FIVE: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];

fn desk(items: usize, systems: &[&str], protocol: &str) -> Desk {
    let desk = Desk::new(items, systems);
    desk.done(&format!(
        "rank --data data --judge simulated:gap=2 --protocol {protocol} --run old --quiet"
    ));
    desk
}

/// Checks that the bounds of a part hold what asking everything says.
fn check_bounds(part: &Value, whole: &Value) {
    let pairs = part["pairs"].as_array().unwrap();
    for (part, whole) in pairs.iter().zip(whole["pairs"].as_array().unwrap()) {
        assert_eq!(part["above"], whole["above"]);
        let end = |of: &Value, end: usize| of["new"][end].as_f64().unwrap();
        let (exact, low, high) = (end(whole, 0), end(part, 0), end(part, 1));
        assert!((exact - end(whole, 1)).abs() < 1e-9);
        let holds = low - 1e-6 <= exact && exact <= high + 1e-6;
        assert!(holds, "{low} {exact} {high}");
    }
}

#[test]
fn a_list_is_asked_once_for_all_its_pairs() {
    let desk = desk(200, &SYSTEMS, "listwise");
    let new = "--judge simulated:gap=2,seed=9,log=asked --run new";
    let report = migrated(&desk, new, 0);
    assert_eq!(report["ranking"], "same");
    assert_eq!(fates(&report), ["kept"; 3]);
    assert_eq!(report["unit"], "share");
    // A list of all in both orders.
    assert_eq!(count(&report, "judgments"), 200 * 2);
    let asked = count(&report, "judgments_asked");
    assert!(asked < 200, "{asked} of 400");
    assert_eq!(desk.lines("asked").len() as u64, asked);
    assert_eq!(asked, 2 * count(&report, "items_asked"));
    assert!(report["consistency"]["new"]["pairs"].as_u64().unwrap() > 0);
    // The same command judges the rest, and pays for nothing twice.
    let all = migrated(&desk, &format!("{new} --all"), 0);
    assert_eq!(count(&all, "judgments_asked"), 400);
    check_bounds(&report, &all);
    assert_eq!(calls(&desk, "new"), 400);
    assert_eq!(desk.lines("asked").len(), 400);
    desk.done("compare old new");
    let again = desk.done(
        "rank --data data --judge simulated:gap=2,seed=9,log=asked --protocol listwise --run new",
    );
    again.says("0 calls made now");
    let short = migrated(&desk, new, 0);
    assert_eq!(count(&short, "judgments_asked"), asked);
}

#[test]
fn lists_of_a_limit_and_of_a_killed_process_go_on() {
    let desk = desk(200, &SYSTEMS, "listwise");
    let new = "--judge simulated:gap=2,seed=9,delay-ms=5,log=asked --run new";
    let report = migrated(&desk, &format!("{new} --max-calls 10"), 4);
    assert_eq!(report["ranking"], "undecided");
    assert_eq!(report["ended"]["why"], "limit");
    assert_eq!(desk.lines("asked").len(), 10);
    let mut child = desk.start(&format!("migrate old {new}"));
    desk.wait_for_lines("asked", 14);
    child.kill().unwrap();
    child.wait().unwrap();
    let (kept, before) = (calls(&desk, "new") as usize, desk.lines("asked").len());
    let done = migrated(&desk, new, 0);
    let asked = count(&done, "judgments_asked") as usize;
    assert_eq!(desk.lines("asked").len() - before, asked - kept);
    let undisturbed = migrated(
        &desk,
        "--judge simulated:gap=2,seed=9 --run other --no-reuse --threads 1",
        0,
    );
    assert_eq!(undisturbed["pairs"], done["pairs"]);
}

#[test]
fn a_judge_that_orders_lists_otherwise_changes_the_ranking() {
    let desk = desk(100, &SYSTEMS, "listwise");
    let ran = desk.run("migrate old --judge simulated:gap=-2 --run new --summary pr.md");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let said = "The ranking changes: of the 3 pairs";
    assert!(ran.stdout.starts_with(said), "{}", ran.stdout);
    let summary = desk.read("pr.md");
    assert!(summary.contains("| ant | bee | reversed |"), "{summary}");
}

#[test]
fn lists_without_an_order_are_no_evidence() {
    let desk = desk(100, &SYSTEMS, "listwise");
    let ran = desk.run("migrate old --judge simulated:invalid=1,log=asked --run dead");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let asked = desk.lines("asked").len();
    assert!((20..100).contains(&asked), "{asked} calls of a dead judge");
    let report = migrated(
        &desk,
        "--judge simulated:gap=2,invalid=0.9 --run half --keep-going",
        4,
    );
    assert_eq!(report["ranking"], "undecided");
    assert!(report["pairs"][0]["items_failed"].as_u64().unwrap() > 50);
}

#[test]
fn lists_of_three_by_every_design() {
    for design in ["sample:2", "reference:bee"] {
        let desk = Desk::new(120, &FIVE);
        desk.done(&format!(
            "rank --data data --judge simulated:gap=2 --protocol listwise:3 --design {design} \
             --run old --quiet"
        ));
        let new = "--judge simulated:gap=2,seed=8 --run new";
        let part = migrated(&desk, new, 0);
        assert_eq!((&part["ranking"], fates(&part).len()), (&json!("same"), 10));
        let asked = count(&part, "judgments_asked");
        assert!(asked < count(&part, "judgments"), "{design}: {asked}");
        check_bounds(&part, &migrated(&desk, &format!("{new} --all"), 0));
    }
}

#[test]
fn lists_of_two_are_lists() {
    let desk = desk(80, &["ant", "bee"], "listwise");
    let new = "--judge simulated:gap=2,seed=8 --run new";
    let part = migrated(&desk, new, 0);
    assert_eq!(fates(&part), ["kept"]);
    assert_eq!(part["pairs"][0]["items_old"], 80);
    check_bounds(&part, &migrated(&desk, &format!("{new} --all"), 0));
    desk.done("compare old new");
}

#[test]
fn people_are_held_against_lists() {
    let desk = desk(100, &SYSTEMS, "listwise");
    let label = |item: usize| {
        let label = json!({"item": format!("q{item}"), "a": "ant", "b": "bee", "preferred": "a"});
        format!("{label}\n")
    };
    desk.write("labels.jsonl", (0..100).map(label).collect::<String>());
    let new = "--judge simulated:gap=1,seed=2 --labels labels.jsonl";
    let all = migrated(&desk, &format!("{new} --run new --all"), 0);
    let found = &all["agreement"];
    assert_eq!(found["labels"], 100);
    assert_eq!(found["labels_asked"], 100);
    let of = |report: &Value, end: usize| report["agreement"]["new"][end].as_f64().unwrap();
    assert!((of(&all, 0) - of(&all, 1)).abs() < 1e-9);
    let part = migrated(&desk, &format!("{new} --run part --no-reuse"), 0);
    assert!(of(&part, 0) - 1e-6 <= of(&all, 0) && of(&all, 0) <= of(&part, 1) + 1e-6);
}

#[test]
fn checklists_have_bounds_by_their_weights() {
    let desk = Desk::empty();
    let item = |item: usize| {
        let item = json!({
            "id": format!("q{item}"), "instruction": format!("Name thing number {item}."),
            "criteria": [
                {"text": "It is about the number.", "weight": 3},
                {"text": "It is rude.", "weight": -2},
                "It is short.",
            ],
        });
        format!("{item}\n")
    };
    desk.write("data/items.jsonl", (0..100).map(item).collect::<String>());
    let all = (0..100).flat_map(|item| SYSTEMS.map(|system| response(item, system)));
    desk.write("data/responses.jsonl", all.collect::<String>());
    desk.done("rank --data data --judge simulated:gap=2 --protocol checklist --run old --quiet");
    let new = "--judge simulated:gap=2,seed=8 --run new";
    let part = migrated(&desk, new, 0);
    assert_eq!(part["unit"], "points");
    assert_eq!(fates(&part), vec!["kept"; 3]);
    assert!(part["pairs"][0]["old"].as_f64().unwrap() > 0.0);
    check_bounds(&part, &migrated(&desk, &format!("{new} --all"), 0));
}
