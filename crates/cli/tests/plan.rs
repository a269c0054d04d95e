//! `plan` with the real binary, on pilots whose judge's chance is known; `rank --repeats`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::Desk;

/// A judge that says who is better by drawing, whatever the item: all variance is of repeats.
const RANK: &str = "rank --data data --judge simulated:accuracy=0.75,seed=1 --run";

fn desk() -> Desk {
    Desk::new(40, &["good", "bad"])
}

#[test]
fn a_pilot_with_repeats_is_planned_from() {
    let desk = desk();
    let report = desk.json(&format!("{RANK} pilot --repeats 3"));
    assert_eq!(
        report["coverage"]["trials"], 240,
        "40 items, both orders, three times"
    );
    let plan = desk.json("plan pilot --difference 5 --power 0.9");
    let variance = &plan["variance"];
    let of = |name: &str| variance[name].as_f64().unwrap();
    assert_eq!(
        (&variance["items"], &variance["pairs"]),
        (&40.into(), &1.into())
    );
    // A lead of 1 with chance 3/4, of -1 otherwise: 1 - 1/4.
    let total = of("item") + of("order") + of("item_order") + of("repeat");
    assert!(
        (total - 0.75).abs() < 0.15 && of("repeat") > 0.5,
        "{variance}"
    );
    let best = &plan["designs"][0];
    let number = |name: &str| best[name].as_u64().unwrap();
    assert_eq!(number("calls"), number("judgments"));
    assert_eq!(
        number("judgments"),
        number("items") * number("orders") * number("repeats")
    );
    assert!((500..1200).contains(&number("judgments")), "{best}");
    let text = desk.done("plan pilot --difference 5 --power 0.9").stdout;
    assert!(
        text.starts_with("To see a difference of 5 points with power 90 %, judge "),
        "{text}"
    );
    let noise = "two identical systems would differ by up to";
    assert!(text.contains(noise) && desk.done("show pilot").stdout.contains(noise));
}

#[test]
fn a_budget_finds_the_more_the_larger_it_is() {
    let desk = desk();
    desk.done(&format!("{RANK} pilot"));
    let found = |calls: u64| {
        let plan = desk.json(&format!("plan pilot --max-calls {calls}"));
        assert!(plan["difference"].is_null());
        plan["designs"][0]["detectable"].as_f64().unwrap()
    };
    assert!((found(400) / found(1600) - 2.0).abs() < 0.05);
    // Without repeats none are planned.
    let plan = desk.json("plan pilot");
    let designs = plan["designs"].as_array().unwrap();
    assert!(designs.iter().all(|design| design["repeats"] == 1));
}

#[test]
fn what_is_no_plan_is_refused() {
    let desk = desk();
    desk.done(&format!("{RANK} pilot"));
    desk.done(&format!("{RANK} alone --protocol pointwise"));
    for (arguments, why) in [
        (
            "plan pilot --power 1",
            "--power: expected a number strictly between",
        ),
        (
            "plan pilot --difference 0",
            "--difference: expected points above 0",
        ),
        ("plan pilot --max-calls 2", "too few items"),
        (
            "plan pilot --max-cost 1",
            "the price of the pilot's calls is not known",
        ),
        (
            "plan pilot --pair good,best",
            "expected two systems of the run",
        ),
        ("plan alone", "no comparisons of two systems"),
        ("plan --variance 1,2", "expected four numbers"),
        ("plan", "required"),
        (
            "rank --data data --judge simulated --repeats 2 --design adaptive",
            "not for --design adaptive",
        ),
    ] {
        let ran = desk.run(arguments);
        assert!(
            ran.code == Some(2) && ran.stderr.contains(why),
            "{arguments}: {}",
            ran.stderr
        );
    }
    let assumed = desk.json("plan --variance 1,0,0,0 --difference 10");
    assert_eq!(assumed["designs"][0]["items"], 199);
}
