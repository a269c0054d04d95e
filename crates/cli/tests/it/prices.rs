//! `--prices`: what a run has cost, and what it would.

use crate::common::{Desk, assert_holds};
use serde_json::{Value, json};

/// A thousandth of a USD for a token of a prompt, 0.01 for one written; and a row for no judge
/// here.
const PRICES: &str = "date = \"2026-01-02\"\n[[price]]\nprovider = \"simulated\"\nmodel \
                      = \"other\"\ninput = 9\noutput = 9\n[[price]]\nprovider \
                      = \"simulated\"\nmodel = \"*\"\ninput = 1000\noutput = 10000\nbatch_discount \
                      = 0.5\n";

fn desk() -> Desk {
    let desk = Desk::new(3, &["ant", "bee"]);
    desk.write("prices.toml", PRICES);
    desk
}

#[track_caller]
fn assert_usd(usd: &Value, expected: f64) {
    assert!(
        usd.as_f64()
            .is_some_and(|usd| (usd - expected).abs() < 1e-9),
        "{usd} is not {expected}"
    );
}

fn count(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no number {key} in {value}"))
}

#[test]
fn a_run_costs_its_tokens() {
    let desk = desk();
    let rank = "rank --data data --run run --judge simulated --ci none --quiet";
    let usage = desk.json(&format!("{rank} --prices prices.toml"))["usage"].clone();
    assert_usd(
        &usage["cost_usd"],
        count(&usage, "prompt_tokens") / 1e3 + count(&usage, "completion_tokens") / 1e2,
    );
    assert_eq!(usage["judges"][0]["cost_usd"], usage["cost_usd"]);
    assert_eq!(
        json!([usage["judges"][0]["judge"], usage["cached_tokens"]]),
        json!(["simulated:gap=0.5,seed=0", 0])
    );
    assert!(
        desk.done(&format!("{rank} --prices prices.toml"))
            .stdout
            .contains(" USD in all; ")
    );
    assert_eq!(desk.json(rank)["usage"]["cost_usd"], Value::Null);
}

#[test]
fn a_panel_is_listed_judge_by_judge() {
    let rank = "rank --data data --run run --judge simulated:seed=1 --judge simulated:seed=2 --ci \
                none --quiet --prices prices.toml";
    let desk = desk();
    let usage = desk.json(rank)["usage"].clone();
    let judges = usage["judges"].as_array().unwrap();
    assert_eq!(judges.len(), 2);
    assert_usd(
        &usage["cost_usd"],
        judges.iter().map(|judge| count(judge, "cost_usd")).sum(),
    );
    assert_eq!(
        judges
            .iter()
            .map(|judge| count(judge, "calls"))
            .sum::<f64>(),
        count(&usage, "calls")
    );
    let table = desk.done(rank).stdout;
    assert_holds(&table, "simulated:gap=0.5,seed=2: 6 calls, ");
}

/// Counts the tokens that a judge may use to think in the price, like those of its answer.
#[test]
fn an_estimate_has_room_to_think() {
    let desk = desk();
    let estimate = |judge: &str| desk.json(&format!("estimate --data data --judge {judge}"));
    let [plain, thinks] = ["openai:gpt-4o-mini", "openai:o3"].map(estimate);
    let calls = count(&thinks, "calls");
    assert_eq!(count(&plain, "thinking_tokens_at_most"), 0.0);
    assert_eq!(count(&thinks, "thinking_tokens_at_most"), 16_384.0 * calls);
    assert_eq!(
        count(&thinks, "completion_tokens_at_most"),
        count(&plain, "completion_tokens_at_most") + 16_384.0 * calls
    );
    let table = desk.done("estimate --data data --judge openai:o3").stdout;
    assert_holds(&table, " of them to think");
}

#[test]
fn a_misspelt_model_is_said_to_have_no_price_with_the_one_that_was_meant() {
    let desk = desk();
    let meant = "openai:gpt-4o-mni; did you mean `gpt-4o-mini`?";
    let estimate = desk.run("estimate --data data --judge openai:gpt-4o-mni");
    assert_eq!(estimate.code, Some(0), "{}", estimate.stderr);
    assert_holds(&estimate.stdout, meant);
    let limited = desk.run("rank --data data --judge openai:gpt-4o-mni --max-cost 1 --run r");
    assert_eq!(limited.code, Some(2), "{}", limited.stderr);
    assert_holds(&limited.stderr, "did you mean `gpt-4o-mini`?");
}

#[test]
fn an_estimate_runs_from_the_prompts_to_the_longest_replies() {
    let desk = desk();
    let estimate = desk.json(
        "estimate --data data --judge simulated --protocol pairwise/cot --prices prices.toml",
    );
    let (prompts, written) = (
        count(&estimate, "prompt_tokens"),
        count(&estimate, "completion_tokens_at_most"),
    );
    assert_usd(&estimate["cost_usd_at_least"], prompts / 1e3);
    assert_usd(&estimate["cost_usd"], prompts / 1e3 + written / 1e2);
    assert_usd(
        &estimate["cost_usd_batch"],
        (prompts / 1e3 + written / 1e2) / 2.0,
    );
    assert_usd(
        &estimate["cost_usd_expected"],
        prompts / 1e3 + 150.0 * count(&estimate, "calls") / 1e2,
    );
    assert_eq!(
        json!([estimate["prices_date"], estimate["tokens_approximate"]]),
        json!(["2026-01-02", false])
    );
    assert_eq!(estimate["judges"][0]["cost_usd"], estimate["cost_usd"]);
    let csv = desk
        .done("estimate --data data --judge simulated --prices prices.toml --format csv")
        .stdout;
    assert!(
        csv.starts_with("judge,") && csv.lines().count() == 2,
        "{csv}"
    );
    let table = desk.done("estimate --data data --judge simulated").stdout;
    assert!(table.contains("none: the judge runs here"), "{table}");
}

#[test]
fn a_wrong_file_is_refused_with_its_line() {
    let desk = desk();
    desk.write("prices.toml", PRICES.replace("input = 9", "input = -9"));
    let ran = desk.run("rank --data data --judge simulated --prices prices.toml");
    let message = "error: prices.toml:5: input: expected a number from 0 to 1000000000, found -9\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), message));
    let ran = desk.run("rank --data data --judge simulated --prices nowhere.toml");
    assert!(
        ran.code == Some(2)
            && ran
                .stderr
                .starts_with("error: --prices nowhere.toml: cannot be read: "),
        "{}",
        ran.stderr
    );
}
