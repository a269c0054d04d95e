//! Calibrated panels, and likelihoods from a server, with the real binary.

use crate::common::{Desk, answer, item, json_line, systems};
use evenhand_testing::server::{Script, Server};
use serde_json::{Value, json};

/// 40 items; people prefer a to b on all but every fifth.
fn desk() -> Desk {
    let desk = Desk::new(40, &["a", "b"]);
    let label = |at: usize| {
        let preferred = if at % 5 == 4 { "b" } else { "a" };
        json_line(json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": preferred}))
    };
    desk.write("data/labels.jsonl", (0..40).map(label).collect::<String>());
    desk
}

const TEMPLATE: &str = r#"
members = [
    { judge = "simulated:gap=1", protocol = "likelihood" },
    { judge = "simulated:accuracy=0.5,seed=3", protocol = "pairwise" },
]
features = [ { name = "length" } ]
"#;

fn judges(report: &Value) -> Vec<(&str, f64)> {
    let judges = report["judges"].as_array().unwrap().iter();
    judges
        .map(|judge| {
            (
                judge["judge"].as_str().unwrap(),
                judge["accuracy"].as_f64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_panel_is_fitted_written_and_judges() {
    let desk = desk();
    desk.write("template.toml", TEMPLATE);
    let fit =
        "meta judge --data data --judge panel:template.toml --fit panel.toml --run fit --quiet";
    let foreseen =
        desk.json("estimate --data data --judge panel:template.toml --design labelled --run fit");
    let report = desk.json(fit);
    let shown = judges(&report);
    let names: Vec<&str> = shown.iter().map(|(name, _)| *name).collect();
    let own = [
        "simulated:gap=1 likelihood",
        "simulated:accuracy=0.5,seed=3 pairwise",
        "length",
    ];
    assert_eq!(
        names,
        [["panel, cross-validated"].as_slice(), &own].concat()
    );
    assert!(
        shown[0].1 > 0.7 && shown[1].1 > 0.7,
        "the first member knows: {shown:?}"
    );
    // Likelihood: two calls for each of 80 responses; pairwise: both orders of 40 pairs.
    assert_eq!(report["usage"]["calls"], 2 * 80 + 2 * 40);
    assert_eq!(
        foreseen["calls"], report["usage"]["calls"],
        "an estimate needs no weights"
    );
    let panel = desk.read("panel.toml");
    assert_eq!(panel.matches("\nweight = ").count(), 3, "{panel}");
    for key in [
        "pairs = 40",
        "items = 40",
        "log-loss",
        "calibration-error",
        "penalty",
    ] {
        assert!(panel.contains(key), "{key}: {panel}");
    }
    let again = desk.json(fit);
    assert_eq!(again["judges"], report["judges"]);
    assert_eq!(again["usage"]["calls"].as_u64(), Some(240));
    assert_eq!(desk.read("panel.toml"), panel);
    let measured =
        desk.json("meta judge --data data --judge panel:panel.toml --run fitted --quiet");
    assert!(
        measured["accuracy"].as_f64().unwrap() > 0.7 && measured["consistency"] == 1.0,
        "{measured}"
    );
    assert!(
        measured["calibration_error"].is_f64() && measured["brier"].is_f64(),
        "{measured}"
    );
    let ranked = desk.json("rank --data data --judge panel:panel.toml --run ranked --quiet");
    assert_eq!(systems(&ranked), ["a", "b"]);
    assert!(
        ranked["warnings"][0]
            .as_str()
            .unwrap()
            .contains("labels of other data"),
        "{}",
        ranked["warnings"]
    );
    assert_eq!(
        ranked["protocol"],
        "panel of likelihood/direct/single + pairwise/direct/swap"
    );
}

#[test]
fn judges_on_the_command_line_are_a_panel_too() {
    let desk = desk();
    let fit = "meta judge --data data --judge simulated:gap=1 --judge simulated:gap=0.5 --protocol \
               pointwise --fit panel.toml --quiet --run run";
    let report = desk.json(fit);
    assert_eq!(
        judges(&report).len(),
        1 + 2 + 3,
        "two judges and three features"
    );
    assert!(desk.read("panel.toml").contains("protocol = \"pointwise\""));
}

#[test]
fn what_is_no_panel_is_refused() {
    let desk = desk();
    desk.write("template.toml", TEMPLATE);
    let refused = |arguments: &str, why: &str| {
        desk.refused(arguments, why);
    };
    refused(
        "rank --data data --judge panel:template.toml",
        "the panel is not fitted, and its 3 terms have no weights",
    );
    refused(
        "rank --data data --judge panel:template.toml --judge simulated",
        "a calibrated panel judges alone",
    );
    refused(
        "rank --data data --judge panel:template.toml --protocol pairwise",
        "leave --protocol out",
    );
    refused(
        "rank --data data --judge panel:nothing.toml",
        "panel nothing.toml: cannot be read",
    );
    refused(
        "audit --data data --judge panel:template.toml",
        "can judge in rank, judge, estimate and meta judge",
    );
    refused(
        "meta judge --fit panel.toml --data data",
        "--fit: expected --data PATH... with labelled pairs, and --judge",
    );
    desk.write("odd.toml", TEMPLATE.replace("\"length\"", "\"tone\""));
    refused(
        "meta judge --data data --judge panel:odd.toml --fit panel.toml",
        "there is no feature `tone`; expected one of length, overlap, constraints",
    );
    desk.write(
        "many.toml",
        TEMPLATE.replace("\"pairwise\"", "\"listwise\""),
    );
    refused(
        "meta judge --data data --judge panel:many.toml --fit panel.toml",
        "a member of a panel shows one response or two",
    );
    desk.write("misspelt.toml", TEMPLATE.replace("features", "feature"));
    refused(
        "meta judge --data data --judge panel:misspelt.toml --fit panel.toml",
        "feature",
    );
    let few = Desk::new(5, &["a", "b"]);
    let label = |at: usize| {
        json_line(json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"}))
    };
    few.write("data/labels.jsonl", (0..5).map(label).collect::<String>());
    let ran =
        few.run("meta judge --data data --judge simulated --protocol pointwise --fit panel.toml");
    ran.ends(2, "5 labelled pairs with a winner, on 5 items, are too few");
}

/// Two systems: one repeats the words of the instruction, the other does not.
fn on_topic() -> Desk {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..6).map(item).collect::<String>());
    let said = |at: usize| {
        let good = format!("Name thing number {at}: thing number {at}.");
        answer(at, "good", &good)
            + &answer(
                at,
                "odd",
                "Bananas ripen faster inside paper bags overnight.",
            )
    };
    desk.write("data/responses.jsonl", (0..6).map(said).collect::<String>());
    desk
}

#[test]
fn a_server_that_scores_prompts_gives_likelihoods() {
    let (desk, server) = (
        on_topic(),
        Server::start(Script {
            keep: 99,
            ..Script::default()
        })
        .unwrap(),
    );
    for (scoring, path) in [
        ("prompt-logprobs", "POST /v1/chat/completions "),
        ("echo", "POST /v1/completions "),
    ] {
        let config = format!(
            "[judges.mine]\nspec = \"openai:m@{}\"\n[judges.mine.dialect]\nlikelihood \
             = \"{scoring}\"\n",
            server.url()
        );
        desk.write("judges.toml", config);
        let rank = format!(
            "rank --config judges.toml --data data --judge mine --protocol likelihood --aggregate \
             mean --run {scoring} --quiet"
        );
        let report = desk.json(&rank);
        assert_eq!(systems(&report), ["good", "odd"], "{scoring}");
        assert_eq!(report["coverage"]["verdicts"], 12);
        assert!(server.requests().last().unwrap().head.starts_with(path));
    }
}

#[test]
fn a_server_that_gives_no_likelihood_is_named_before_it_is_asked() {
    let (desk, server) = (on_topic(), Server::start(Script::default()).unwrap());
    desk.refused(
        &format!(
            "rank --data data --judge openai:m@{} --protocol likelihood --run run",
            server.url()
        ),
        "gives no likelihood of a text",
    );
    assert_eq!(server.stats().requests, 0);
}

/// A cheap judge decides what it is sure of: the second is asked of the rest alone, the same
/// judgments come of it as of asking both, and a run that is repeated asks nobody again.
#[test]
fn the_next_judge_is_asked_only_where_one_is_not_sure() {
    let desk = Desk::new(40, &["careful", "brief"]);
    let judges = "--judge simulated:accuracy=0.7,seed=1 --judge simulated:accuracy=0.95,seed=2";
    let rank = |panel: &str, run: &str| {
        desk.json(&format!(
            "rank --data data {judges} --protocol pairwise/cot/mec+bpc:1 --panel {panel} --run {run}"
        ))
    };
    let (all, escalated) = (rank("mean", "all"), rank("escalate:0.6", "some"));
    let calls = |report: &serde_json::Value| report["usage"]["calls"].as_u64().unwrap();
    assert!(calls(&escalated) < calls(&all), "{escalated}");
    assert!(calls(&escalated) > calls(&all) / 2, "{escalated}");
    assert_eq!(
        escalated["coverage"]["verdicts"],
        all["coverage"]["verdicts"]
    );
    let again = rank("escalate:0.6", "some");
    assert_eq!(again["ranking"], escalated["ranking"]);
    let sure = rank("escalate:0.01", "sure");
    assert!(calls(&sure) <= calls(&escalated));
    desk.refused(
        &format!("rank --data data {judges} --protocol pointwise --panel escalate:0.6"),
        "this form compares no two",
    );
}
