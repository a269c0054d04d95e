//! `evenhand demo`: what it shows is what its commands print, and it needs nothing.

use crate::common::{Desk, assert_holds};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn it_shows_a_ranking_a_comparison_a_gate_and_an_audit() {
    let desk = Desk::empty();
    let said = desk.done("demo --run shown").stdout;
    let commands: Vec<&str> = said
        .lines()
        .filter_map(|line| line.trim().strip_prefix("$ evenhand "))
        .collect();
    assert_eq!(commands.len(), 8, "{said}");

    // Sentences are broken between words where a line would be too wide for a page.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences = said.lines().filter(|line| !line.contains("$ evenhand "));
    assert!(
        sentences
            .clone()
            .skip(2)
            .all(|line| line.chars().count() <= 78)
    );
    let all = words(&said);

    // The ranking: its answer first, then its table, as the command prints them.
    let ranked = desk.done(commands[0]).stdout;
    let answer = ranked.lines().next().unwrap();
    assert!(answer.contains("lead and cannot be separated"), "{answer}");
    let (table, _) = ranked.split_once("\n\n score ").unwrap();
    assert!(all.contains(&words(table)), "{table}\nis not in\n{said}");
    let (_, rows) = table.split_once("\n\n").unwrap();
    assert!(said.contains(rows), "{rows}\nis not in\n{said}");

    // The comparison, by its own sentence.
    let compared = desk.done(commands[1]).stdout;
    let answer = compared.lines().next().unwrap();
    assert_holds(answer, "smollm2-terse is worse than smollm2-warm");
    assert!(all.contains(answer), "{said}");

    // The gate stops, with the code that the demonstration names.
    let gate = desk.run(&commands[2].replace('\'', ""));
    assert_eq!(gate.code, Some(3), "{}", gate.stderr);
    assert!(said.contains("\nexit code 3\n"), "{said}");

    // The audit finds what was planted.
    let audited = desk.done(commands[3]).stdout;
    let answer = audited.lines().next().unwrap();
    assert!(answer.contains("2 of 2 tests found biases"), "{answer}");
    assert!(all.contains(answer), "{said}");

    // Whoever looks further finds both runs where it says.
    let listed = desk.done("runs shown/runs").stdout;
    assert_holds(&listed, "ranking");
    assert_holds(&listed, "audit");
    assert_eq!(commands[4], "view shown/runs");

    // The same again over itself, and never over what is another's.
    assert_eq!(desk.done("demo --run shown").stdout, said);
    desk.write("other/notes.txt", "mine");
    desk.refused("demo --run other", "name a new one");
    assert_eq!(fs::read_dir(desk.path("other")).unwrap().count(), 1);
    desk.write("mine/data/items.jsonl", "mine");
    assert_eq!(desk.run("demo --run mine").code, Some(2));
    assert_eq!(desk.read("mine/data/items.jsonl"), "mine");
}

#[test]
fn runs_that_lie_further_down_are_named_and_an_audit_has_no_judgments() {
    let desk = Desk::empty();
    desk.done("demo --run shown");
    let below = "there is no run here, but in shown/runs: audit, ranking\n";
    for dir in ["shown", "shown/runs"] {
        for command in [
            "report DIR --out x.html",
            "show DIR",
            "judgments DIR",
            "compare DIR a",
        ] {
            let line = command.replace("DIR", dir);
            let ran = desk.run(&line);
            assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
            assert_holds(&ran.stderr, &format!("error: {dir}: {below}"));
        }
    }
    desk.refused("view shown", below.trim_end());
    assert_eq!(desk.done("runs shown").stdout, format!("shown: {below}"));
    assert_eq!(desk.done("runs shown --format json").stdout, "[]\n");

    let audit = "shown/runs/audit: it is the run of an audit, which keeps calls and no verdicts on \
                 systems";
    let view = format!("{audit}; `evenhand view shown/runs/audit` shows what was found there");
    for command in [
        "judgments shown/runs/audit --where flipped",
        "judgments shown/runs/audit --format json",
        "plan shown/runs/audit",
        "publish shown/runs/audit --as preference-pairs --out pairs.jsonl",
    ] {
        desk.refused(command, &view);
    }
    desk.refused(
        "migrate shown/runs/audit --judge simulated",
        &format!("{audit}, so there is nothing to compare a new judge with"),
    );
    desk.refused(
        "compare shown/runs/audit",
        &format!("{audit}; rank the systems"),
    );
}

#[test]
fn what_it_judges_is_of_the_quickstart() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packed =
        |name: &str| fs::read_to_string(root.join(format!("data/demo-{name}.jsonl"))).unwrap();
    let quickstart = |name: &str| {
        fs::read_to_string(root.join(format!("../../examples/quickstart/{name}.jsonl"))).unwrap()
    };
    assert_eq!(packed("items"), quickstart("items"));
    let all = quickstart("responses");
    let shown = packed("responses");
    assert_eq!(shown.lines().count(), 4 * 30);
    for line in shown.lines() {
        assert!(all.lines().any(|other| other == line));
        let response: Value = serde_json::from_str(line).unwrap();
        assert_ne!(response["system"], "smollm2-offtopic");
    }
}
