//! `audit` with the real binary.

mod climbs;
mod criteria;
mod estimate;
mod pairs;
mod recorded;
mod turns;

use crate::common::{Desk, answer, assert_holds};
use evenhand_testing::shared_data;
use serde_json::{Value, json};

const AUDIT: &str = "audit --data data --quiet --run run";

fn found<'a>(report: &'a Value, name: &str) -> &'a Value {
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|finding| finding["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {findings:#?}"))
}

/// A pull request has the answer, what was found, what to do, and the card's own columns.
#[test]
fn a_card_in_markdown_has_the_advice_and_the_columns_of_the_terminal() {
    let desk = Desk::new(60, &["a", "b", "c"]);
    let audit = format!("{AUDIT} --judge simulated:gap=0.5,distractor=0.9");
    let text = desk.done(&format!("{audit} --format markdown")).stdout;
    let places = [
        "**simulated",
        "Found in ",
        "- distractor, assertive",
        "Take ",
        "**Warning:**",
    ];
    let places = places.map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")));
    assert!(places.is_sorted(), "{places:?} {text}");
    let head = "|  | probe | figure | protocol | value | unbiased | adjusted p | detectable |";
    assert!(text.contains(head), "{text}");
    assert!(
        text.contains("&lt; 0.001") && !text.contains(" 0.000 "),
        "{text}"
    );
}

/// A panel has a verdict where any member has one, and the card says which of them fails.
#[test]
fn a_panel_s_card_names_the_member_that_fails() {
    let desk = Desk::new(40, &["a", "b"]);
    let panel = "--judge simulated:gap=1,seed=1 --judge simulated:gap=1,seed=2,invalid=0.3";
    let audit = format!("{AUDIT} {panel} --probes position,failures");
    let report = desk.json(&audit);
    let members = report["members"].as_array().unwrap();
    let failed = |member: &Value| {
        let of = |name: &str| member["coverage"][name].as_u64().unwrap();
        (of("trials") - of("verdicts")) as f64 / of("trials") as f64
    };
    assert_eq!(failed(&members[0]), 0.0);
    assert!((failed(&members[1]) - 0.3).abs() < 0.15, "{members:?}");
    let answer = report["answer"]["text"].as_str().unwrap();
    assert!(
        answer.contains("Of the panel, simulated:gap=1,invalid=0.3,seed=2 fails in "),
        "{answer}"
    );
    let card = desk.done(&audit).stdout;
    assert!(card.contains("These 2 judges are one panel"), "{card}");
    assert!(card.contains("--apart shows each judge"), "{card}");
    let alone = desk.json(&format!(
        "audit --data data --quiet --run one {}",
        "--judge simulated --probes position"
    ));
    assert!(alone["members"].is_null());
}

#[test]
fn a_judge_card_names_what_was_planted() {
    let desk = Desk::new(80, &["a", "b", "c"]);
    let audit = format!("{AUDIT} --judge simulated:gap=0.5,first-slot=0.5,distractor=0.5");
    let report = desk.json(&audit);
    assert_eq!(report["items"].as_u64(), Some(80));
    assert_eq!(report["level"].as_f64(), Some(0.95));
    let first = found(&report, "first slot");
    assert!(
        first["biased"] == true && first["ci"][0].as_f64().unwrap() > 0.5,
        "{first}"
    );
    assert!(found(&report, "assertive: preferred")["biased"] == true);
    assert!(found(&report, "flattery: preferred")["biased"] == false);
    assert!(report["biased"].as_u64().unwrap() >= 2 && report["tested"].as_u64().unwrap() > 10);
    assert!(
        report["advice"]["protocol"].is_string(),
        "{}",
        report["advice"]
    );
    let card = desk.done(&audit).stdout;
    for part in [
        "Judge card: simulated:",
        "Found in ",
        "- position, first slot: ",
        "Take ",
        "Warning: the data has no labels",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
    let rows = desk.done(&format!("{audit} --format csv")).stdout;
    assert_eq!(
        rows.lines().count(),
        1 + report["findings"].as_array().unwrap().len()
    );
}

#[test]
fn protocols_are_compared_on_the_same_items() {
    let desk = Desk::new(30, &["a", "b"]);
    let run = format!(
        "{AUDIT} --judge simulated --compare pairwise/direct/swap,pointwise:1-10 --probes \
         distractors --rewrites assertive"
    );
    let report = desk.json(&run);
    let compared = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["probe"] == "protocols")
        .count();
    assert_eq!(compared, 1, "{report}");
}

#[test]
fn a_model_rewrites_by_an_instruction_of_the_users() {
    let desk = Desk::new(20, &["a", "b"]);
    desk.write("pirate.txt", "Speak as a pirate would.");
    let run = format!(
        "{AUDIT} --judge simulated:distractor=0.9 --rewrites none --rewriter simulated \
         --distractor pirate.txt --probes distractors"
    );
    let report = desk.json(&run);
    let written = &report["rewrites"][0];
    // One response of each item against itself, the other where it is preferred less.
    assert!(
        (20..=40).contains(&count(written, "responses")),
        "{written}"
    );
    assert_eq!(
        json!([written["name"], written["dropped"], written["reasons"]]),
        json!(["pirate", 0, {}])
    );
    assert!(
        found(&report, "pirate: preferred")["value"]
            .as_f64()
            .unwrap()
            > 0.8
    );
    // The same command asks nobody again: the rewritten responses are kept too.
    assert_eq!(desk.json(&run), report);
}

#[test]
fn only_what_is_shown_is_rewritten_and_what_is_dropped_is_said() {
    let desk = Desk::new(20, &["a", "b", "c", "d"]);
    let run = format!(
        "{AUDIT} --judge simulated --rewrites none --rewriter simulated:invalid=0.4 --probes \
         distractors"
    );
    let report = desk.json(&run);
    // Three instructions; of each item one response is shown rewritten, and a second one where it
    // is preferred less.
    let calls = count(&report["rewriting"], "calls");
    assert!((3 * 20..3 * 20 * 2).contains(&calls), "{calls}");
    assert_eq!(report["usage"]["rewriter"], report["rewriting"]);
    assert!(
        count(&report["rewriting"], "prompt_tokens") > 0,
        "{}",
        report["rewriting"]
    );
    let first = &report["rewrites"][0];
    let reasons = first["reasons"].as_object().unwrap();
    let sum = reasons.values().filter_map(Value::as_u64).sum::<u64>();
    assert!(sum > 5 && sum == count(first, "dropped"), "{first}");
    let written = report["rewrites"].as_array().unwrap().iter();
    assert_eq!(
        written.map(|one| count(one, "responses")).sum::<u64>(),
        calls
    );
    let card = desk.done(&run).stdout;
    let line = format!("\n{calls} calls to the rewriter, ");
    assert!(card.contains(&line), "{card}");
    let (name, dropped) = (first["name"].as_str().unwrap(), count(first, "dropped"));
    let all = count(first, "responses");
    let line = format!("{name}: {dropped} of {all} rewritten responses were dropped (");
    assert!(card.contains(&line), "{line} in {card}");
}

#[test]
fn flips_are_held_against_a_rewrite_that_nobody_sees() {
    let desk = Desk::new(120, &["a", "b"]);
    let audit =
        format!("{AUDIT} --protocol pairwise-tie/direct/swap --probes distractors --rewrites all");
    let report = desk.json(&format!("{audit} --judge simulated:gap=0,greedy=true"));
    let neutral = found(&report, "flips by a neutral rewrite");
    assert!(
        neutral["value"].as_f64().unwrap() > 0.1 && neutral["p"].is_null(),
        "{neutral}"
    );
    let findings = report["findings"].as_array().unwrap();
    let of = |end: &str| {
        let named = findings
            .iter()
            .filter(|found| found["name"].as_str().unwrap().ends_with(end));
        named.cloned().collect::<Vec<Value>>()
    };
    // Any change of the text makes this judge throw its coin again: nothing is a distractor's own,
    // and nothing is accused.
    let beyond = of("flips beyond repetition");
    assert!(
        beyond.len() > 4
            && beyond
                .iter()
                .all(|found| found["p"].is_null() && found["unbiased"].is_null()),
        "{beyond:#?}"
    );
    assert!(
        beyond
            .iter()
            .filter(|found| found["value"].as_f64() > Some(0.1))
            .count()
            > 4,
        "{beyond:#?}"
    );
    assert_eq!(
        of("flips beyond neutral")
            .iter()
            .filter(|found| found["biased"] == true)
            .count(),
        0,
        "{findings:#?}"
    );
    assert_eq!(report["biased"], 0, "{report:#}");
    let card = desk
        .done(&format!("{audit} --judge simulated:gap=0,distractor=0.9"))
        .stdout;
    assert!(
        card.lines()
            .any(|line| line.starts_with("- distractor, assertive: flips beyond neutral: ")),
        "{card}"
    );
    desk.refused(
        &format!("{audit} --judge simulated --rewrites neutral"),
        "expected all, or some of assertive",
    );
}

const PRICES: &str = "date = \"2026-01-02\"\n[[price]]\nprovider = \"simulated\"\nmodel \
                      = \"*\"\ninput = 1000\noutput = 10000\n";

fn count(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("no count {key} in {value}"))
}

#[test]
fn a_panel_a_second_reader_and_an_embedder_take_part() {
    let desk = Desk::new(30, &["a", "b"]);
    desk.write("prices.toml", PRICES);
    let audit = format!(
        "{AUDIT} --protocol pairwise-tie/direct/swap --probes position,failures --prices \
         prices.toml"
    );
    let usage = |report: &Value| {
        ["calls", "prompt_tokens", "completion_tokens"].map(|key| count(&report["usage"], key))
    };
    let panel = desk.json(&format!(
        "{audit} --judge simulated:seed=1 --judge simulated:seed=2 --panel majority"
    ));
    assert_eq!(
        panel["judge"],
        "simulated:gap=0.5,seed=1 + simulated:gap=0.5,seed=2"
    );
    let [calls, prompts, written] = usage(&panel);
    assert_eq!(calls, 2 * 4 * 30, "both judges, four looks at every item");
    let usd = panel["usage"]["cost_usd"].as_f64().unwrap();
    assert!(
        (usd - prompts as f64 / 1e3 - written as f64 / 1e2).abs() < 1e-6,
        "{usd} {panel}"
    );
    let strict = desk.json(&format!("{audit} --judge simulated:invalid=0.5"));
    let read = desk.json(&format!(
        "{audit} --judge simulated:invalid=0.5 --second-stage simulated:seed=9"
    ));
    assert!(found(&strict, "no verdict")["value"].as_f64().unwrap() > 0.3);
    assert_eq!(found(&read, "no verdict")["value"], 0.0);
    assert!(usage(&read)[0] > usage(&strict)[0]);
    let text = |at: usize, system: &str| {
        format!("Thing {at} is what {system} names. It has a colour. It has a size. That is all.")
    };
    let all = (0..30).flat_map(|at| ["a", "b"].map(|system| answer(at, system, &text(at, system))));
    desk.write("data/responses.jsonl", all.collect::<String>());
    let portia = audit.replace(
        "pairwise-tie/direct/swap",
        "pairwise/direct/portia:2,embedding,tie",
    );
    desk.done(&format!(
        "{portia} --judge simulated:first-slot=1 --embedder simulated:seed=5,log=embedded"
    ));
    assert!(!desk.lines("embedded").is_empty());
}

/// Probes that test nothing find nothing, and that is no finding of theirs.
#[test]
fn what_was_not_tested_is_not_said_to_be_sound() {
    let desk = Desk::new(8, &["a", "b"]);
    for probes in ["people", "failures", "reading", "failures,reading"] {
        let audit = format!("{AUDIT} --judge simulated --probes {probes}");
        let card = desk.done(&audit).stdout;
        assert!(
            card.contains("Nothing was tested or measured") && !card.contains(" 0 tests"),
            "{card}"
        );
        assert!(!card.contains("detectable"), "{card}");
        desk.refused(&format!("{audit} --fail-if biased>0"), "has no such figure");
    }
}

#[test]
fn conditions_and_refusals() {
    let desk = Desk::new(30, &["a", "b"]);
    let coded = |arguments: &str| {
        let ran = desk.run(arguments);
        (ran.code, ran.stderr)
    };
    let (code, why) = coded(&format!(
        "{AUDIT} --judge simulated:first-slot=0.9 --probes position --fail-if biased>0"
    ));
    assert!(
        code == Some(3) && why.contains("--fail-if: biased>0"),
        "{code:?} {why}"
    );
    assert_eq!(
        coded(&format!(
            "{AUDIT} --judge simulated --probes position --fail-if flips>0.99"
        ))
        .0,
        Some(0)
    );
    for (arguments, expected) in [
        (
            "audit --data data",
            "expected --data PATH... and --judge JUDGE, or --recorded FILE...",
        ),
        (
            &format!("{AUDIT} --judge simulated --probes severity"),
            "it needs --tweak-set DIR",
        ),
        (
            &format!("{AUDIT} --judge simulated --probes politeness"),
            "expected all, or some of position",
        ),
        (
            &format!("{AUDIT} --judge simulated --rewrites loud"),
            "expected all, or some of assertive",
        ),
        (
            &format!("{AUDIT} --judge simulated --own z"),
            "--own z: no such system; the data has a, b",
        ),
        (
            &format!("{AUDIT} --judge simulated --protocol listwise"),
            "lists have a separate probe",
        ),
        (
            &format!("{AUDIT} --judge simulated --fail-if cheating>0"),
            "with one of biased, detectable, flips, failures",
        ),
        (
            &format!("{AUDIT} --judge simulated --distractor x.txt"),
            "--rewriter",
        ),
        (
            &format!("{AUDIT} --judge simulated --estimate --fail-if biased>0"),
            "cannot be used with",
        ),
        (
            "audit --data data --estimate",
            "--estimate: expected --data PATH... and --judge JUDGE",
        ),
        (
            &format!("{AUDIT} --judge simulated --embedder simulated:seed=2"),
            "pointwise:1-7/direct/single embeds nothing",
        ),
        (
            &format!("{AUDIT} --judge simulated:seed=1 --judge simulated:seed=2 --panel majority"),
            "compares no two; use mean",
        ),
        (
            &format!("{AUDIT} --judge simulated --panel median"),
            "expected mean, majority, or escalate",
        ),
        (
            &format!("{AUDIT} --judge simulated --second-stage clever"),
            "--judge clever: expected",
        ),
        (
            &format!("{AUDIT} --judge simulated --rewriter simulated --distractor x.txt"),
            "x.txt: cannot be read",
        ),
    ] {
        let (code, why) = coded(arguments);
        assert!(
            code == Some(2) && why.contains(expected),
            "{arguments}: {why}"
        );
    }
}

/// With three items no p-value is below a quarter: nothing was looked for in vain, and no gate
/// passes.
#[test]
fn an_audit_that_could_find_nothing_decides_nothing() {
    let desk = Desk::new(30, &["a", "b"]);
    let audit = "audit --data data --quiet --judge simulated:first-slot=1,gap=0.6,seed=7 --probes \
                 position --protocol pairwise/direct/swap --rewrites none";
    let few = format!("{audit} --run few --items 3");
    let report = desk.json(&few);
    assert_eq!([&report["tested"], &report["deciding"]], [2, 0]);
    assert_eq!(found(&report, "first slot")["could_find"], false);
    assert!(
        report["advice"]["protocol"].is_null(),
        "{}",
        report["advice"]
    );
    let answer = report["answer"]["text"].as_str().unwrap();
    let too_few = "too few items to find a bias in 2 tests: 7 would do for one that shows on every \
                   item";
    assert_holds(answer, too_few);
    let card = desk.done(&few).stdout;
    assert_holds(&card, "Nothing is decided: ");
    assert_holds(&card, "too few items to find a bias");
    let gated = |audit: &str, condition: &str| {
        let ran = desk.run(&format!("{audit} --fail-if {condition}"));
        (ran.code, ran.stderr)
    };
    let (code, said) = gated(&few, "biased>0");
    assert_eq!(code, Some(4), "{said}");
    assert_holds(&said, too_few);
    assert_eq!(gated(&few, "detectable>15").0, Some(3));
    assert_eq!(gated(&few, "flips>0.5").0, Some(3));
    // As many as it says do.
    let enough = format!("{audit} --run enough --items 7");
    assert_eq!(desk.json(&enough)["deciding"], 2);
    assert_eq!(gated(&enough, "biased>0").0, Some(3));
}

/// Says how large an effect would have been found where none was, and takes conditions on that.
#[test]
fn an_audit_that_found_nothing_says_what_it_would_have_found() {
    let desk = Desk::new(30, &["a", "b"]);
    let audit = "audit --data data --quiet --run run --judge simulated:gap=0.6,seed=7 --probes \
                 position --protocol pairwise/direct/swap --rewrites none";
    let report = desk.json(audit);
    let answer = report["answer"]["text"].as_str().unwrap();
    assert_holds(answer, "no bias was found in 2 tests; effects of ");
    assert_holds(
        answer,
        " points or more would probably have been found, and smaller ones may be there",
    );
    for (condition, code) in [
        ("biased>0", 0),
        ("biased>0,detectable>100", 0),
        ("biased>0,detectable>1", 3),
    ] {
        let ran = desk.run(&format!("{audit} --fail-if {condition}"));
        assert_eq!(ran.code, Some(code), "{condition}: {}", ran.stderr);
    }
}
