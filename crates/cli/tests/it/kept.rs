//! A run keeps the texts that were judged, and the last report.

use crate::common::Desk;
use evenhand_store::Reader;
use serde_json::Value;

#[test]
fn a_run_keeps_what_was_judged_and_what_was_reported() {
    let desk = Desk::new(3, &["ant", "bee"]);
    let printed = desk.json("rank --data data --judge simulated:gap=0.2 --run run --format json");
    let run = Reader::open(&desk.path("run")).unwrap();
    let items = run.items().unwrap();
    assert_eq!(items.len(), 3);
    assert!(items.iter().any(|kept| kept.id == "q0"));
    assert_eq!(run.responses(&items[0].id).unwrap().len(), 2);
    let kept = run.last_report().unwrap().unwrap();
    let report: Value = serde_json::from_str(&kept.report).unwrap();
    assert_eq!((&*kept.command, report), ("rank", printed));
}

#[test]
fn a_run_that_goes_on_keeps_each_text_once() {
    let desk = Desk::new(3, &["ant", "bee"]);
    for _ in 0..2 {
        desk.done("rank --data data --judge simulated:gap=0.2 --run run");
    }
    let run = Reader::open(&desk.path("run")).unwrap();
    assert_eq!(run.items().unwrap().len(), 3);
}
