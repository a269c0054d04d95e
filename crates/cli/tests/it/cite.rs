//! `evenhand cite`: the program, and what a run or what is named rests on.

use crate::common::{Desk, assert_holds};
use rusqlite::Connection;
use serde_json::Value;

/// The keys of what is cited, in their order.
fn keys(cited: &Value) -> Vec<&str> {
    let citations = cited["citations"].as_array().unwrap().iter();
    citations.map(|one| one["key"].as_str().unwrap()).collect()
}

fn used_for<'a>(cited: &'a Value, key: &str) -> Vec<&'a str> {
    let citations = cited["citations"].as_array().unwrap();
    let one = citations.iter().find(|one| one["key"] == key);
    let uses = one.unwrap()["used_for"].as_array().unwrap().iter();
    uses.map(|one| one.as_str().unwrap()).collect()
}

#[test]
fn without_a_run_the_program_alone_is_cited() {
    let desk = Desk::empty();
    let cited = desk.json("cite");
    assert_eq!(keys(&cited), ["evenhand"]);
    let text = desk.done("cite").stdout;
    assert!(
        text.starts_with("The Evenhand authors (2026). Evenhand. Version "),
        "{text}"
    );
    assert_holds(&text, "https://github.com/evenhand/evenhand");
}

#[test]
fn a_run_rests_on_its_protocol_its_aggregation_and_its_intervals() {
    let desk = Desk::new(12, &["a", "b", "c"]);
    desk.done(
        "rank --data data --judge simulated:accuracy=0.9 --protocol pairwise-tie/prepair/portia:3 \
         --aggregate davidson --run run --quiet",
    );
    let cited = desk.json("cite run");
    for key in [
        "evenhand",
        "li2024split",
        "jeong2025comparative",
        "zeng2024evaluating",
        "bradley1952rank",
        "davidson1970extending",
        "efron1979bootstrap",
        "field2007bootstrapping",
        "westfall1993resampling",
    ] {
        assert!(keys(&cited).contains(&key), "{key}: {:?}", keys(&cited));
    }
    assert!(!keys(&cited).contains(&"rao1967ties"));
    assert_eq!(keys(&cited)[0], "evenhand");
    assert!(used_for(&cited, "li2024split").contains(&"responses split, aligned and merged"));

    // The same in BibTeX, with what each is used for above it.
    let bibtex = desk.done("cite run --format bibtex").stdout;
    let entries = bibtex.lines().filter(|line| line.starts_with('@')).count();
    assert_eq!(entries, keys(&cited).len());
    assert_holds(
        &bibtex,
        "% strengths from comparisons\n@article{bradley1952rank,\n",
    );
}

#[test]
fn an_audit_and_a_judge_against_people_rest_on_their_probes_and_settings() {
    let desk = Desk::new(12, &["a", "b", "c"]);
    desk.done(
        "audit --data data --judge simulated:accuracy=0.9 --probes position,transitivity \
         --run audit --quiet",
    );
    let cited = desk.json("cite audit");
    assert!(keys(&cited).contains(&"li2024split"), "{:?}", keys(&cited));
    assert_eq!(
        used_for(&cited, "tripathi2025pairwise"),
        ["circles of preferences"]
    );
    assert!(keys(&cited).contains(&"korn1998confidence"));
    // Holm is for slices, and there are none.
    assert!(keys(&cited).contains(&"benjamini1995controlling"));
    assert!(!keys(&cited).contains(&"holm1979simple"));
}

#[test]
fn a_study_rests_on_its_protocols_and_on_agreement() {
    let desk = Desk::new(12, &["a", "b"]);
    let label =
        |at: usize| format!("{{\"item\":\"q{at}\",\"a\":\"a\",\"b\":\"b\",\"preferred\":\"a\"}}\n");
    desk.write("data/labels.jsonl", (0..12).map(label).collect::<String>());
    desk.write(
        "study.toml",
        "types = [\"pairwise-tie/prepair/portia:3\"]\nrun = \"study\"\nrounds = 20\n\
         [labelled.pairs]\ndata = [\"data\"]\n\
         [judges.good]\nspec = \"simulated:accuracy=0.9\"\n",
    );
    desk.done("meta study study.toml --quiet");
    let cited = desk.json("cite study");
    for key in [
        "efron1979bootstrap",
        "li2024split",
        "jeong2025comparative",
        "korn1998confidence",
    ] {
        assert!(keys(&cited).contains(&key), "{key}: {:?}", keys(&cited));
    }
    let agreement = used_for(&cited, "korn1998confidence");
    assert_eq!(agreement, ["intervals of shares over items"]);
    // The type of recorded judges is a name that the user gave.
    let data = "--data data/items.jsonl data/responses.jsonl";
    let judged = desk.done(&format!(
        "judge {data} --judge simulated:accuracy=0.7 --run made --quiet --format json"
    ));
    desk.write("old.jsonl", judged.stdout);
    desk.append(
        "study.toml",
        "[[recorded]]\ninput = \"pairs\"\njudge = \"old\"\ntype = \"cot\"\nfiles = \
         [\"old.jsonl\"]\n",
    );
    desk.done("meta study study.toml --quiet");
    let ran = desk.run("cite study --format json");
    // Two judges are compared with each other, corrected by Holm's method.
    let with_recorded = ran.json();
    let mut found = keys(&with_recorded);
    found.retain(|key| *key != "holm1979simple");
    assert_eq!(found, keys(&cited), "{}", ran.stderr);
    assert!(!ran.stderr.contains("not built in"), "{}", ran.stderr);
}

/// A pack of prompts is no part of the protocol, and differences between judges are corrected by
/// Holm's method.
#[test]
fn a_study_with_packs_of_prompts_is_cited_by_its_protocols() {
    let desk = Desk::new(12, &["a", "b"]);
    let label =
        |at: usize| format!("{{\"item\":\"q{at}\",\"a\":\"a\",\"b\":\"b\",\"preferred\":\"a\"}}\n");
    desk.write("data/labels.jsonl", (0..12).map(label).collect::<String>());
    let built_in = include_str!("../../../protocols/prompts/pairwise.toml");
    desk.write(
        "pack/pairwise.toml",
        built_in.replace("You are an", "You, an"),
    );
    desk.write(
        "study.toml",
        "types = [\"pairwise\"]\nprompt-packs = [\"pack\"]\nrun = \"study\"\nrounds = 20\n\
         [labelled.pairs]\ndata = [\"data\"]\n\
         [judges.good]\nspec = \"simulated:accuracy=0.9\"\n",
    );
    desk.done("meta study study.toml --quiet");
    let ran = desk.run("cite study --format json");
    assert!(!ran.stderr.contains("not built in"), "{}", ran.stderr);
    assert_eq!(
        used_for(&ran.json(), "holm1979simple"),
        ["p-values of many comparisons"]
    );
}

#[test]
fn covariates_and_adjustments_are_cited_and_what_a_report_does_not_say_is_asked_for() {
    let desk = Desk::empty();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart");
    desk.done(&format!(
        "rank --data {data} --judge simulated:accuracy=0.9 --control length --differences \
         --adjust holm --rounds 50 --run run --quiet"
    ));
    let plain = desk.run("cite run --format json");
    let cited: Value = serde_json::from_str(&plain.stdout).unwrap();
    assert!(keys(&cited).contains(&"li2024does"), "{:?}", keys(&cited));
    assert!(!plain.stderr.contains("--adjust"), "{}", plain.stderr);
    assert_eq!(
        used_for(&cited, "holm1979simple"),
        ["p-values of many comparisons"]
    );
    // A simulated judge has no probabilities of answers.
    assert!(!keys(&cited).contains(&"wang2025improving"));
    // A report of before does not say it.
    let db = Connection::open(desk.path("run/run.sqlite")).unwrap();
    let forget = "UPDATE results SET report = json_remove(report, '$.adjust')";
    db.execute(forget, []).unwrap();
    drop(db);
    let plain = desk.run("cite run --format json");
    plain.says("--adjust");
    assert!(!plain.stdout.contains("holm1979simple"), "{}", plain.stdout);
    let named = desk.run("cite run --adjust holm --format json");
    assert!(!named.stderr.contains("--adjust"), "{}", named.stderr);
    named.prints("holm1979simple");
}

#[test]
fn methods_are_cited_by_their_names() {
    let desk = Desk::empty();
    let cited = desk.json(
        "cite --protocol mec+bpc --aggregate rao-kupper --ci bca --adjust bh --design swim \
         --probes severity --data-format judgebench,auto-j-pairs",
    );
    assert_eq!(
        keys(&cited),
        [
            "evenhand",
            "wang2024large",
            "wei2022chain",
            "zheng2023judging",
            "xu2025investigating",
            "bradley1952rank",
            "rao1967ties",
            "efron1979bootstrap",
            "field2007bootstrapping",
            "efron1987better",
            "efron1993introduction",
            "benjamini1995controlling",
            "tripathi2025pairwise",
            "zhou2023instruction",
            "tan2025judgebench",
            "li2024generative",
        ]
    );
}

#[test]
fn what_is_no_run_and_no_name_is_refused_with_what_was_expected() {
    let desk = Desk::new(2, &["a", "b"]);
    for (arguments, expected) in [
        ("cite data", "evenhand runs"),
        (
            "cite --protocol pairwise/nonsense",
            "--protocol pairwise/nonsense",
        ),
        ("cite --design sideways", "swiss:ROUNDS"),
        ("cite --data-format nonsense", "expected one of"),
        ("cite --probes nonsense", "position"),
    ] {
        desk.refused(arguments, expected);
    }
    let message = desk.run("cite --data-format nonsense").stderr;
    let (_, names) = message.split_once("expected one of ").unwrap();
    let mut names: Vec<&str> = names.trim().split(", ").collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "{message}");
}

#[test]
fn a_ranking_that_was_counted_in_an_unknown_way_is_refused() {
    let desk = Desk::empty();
    desk.write(
        "r.json",
        r#"{"aggregation": "bradly-terry", "ranking": []}"#,
    );
    let ran = desk.run("cite r.json");
    ran.ends(
        2,
        "r.json: field `aggregation`: `bradly-terry` is not known",
    );
    ran.ends(2, "did you mean `bradley-terry`?");
}
