//! A result in one HTML file: `--report` and `evenhand report`.

use crate::common::Desk;
use base64::Engine;
use serde_json::{Value, json};
use std::io::Read;

/// Reads the data that a page embeds.
pub(crate) fn embedded(page: &str) -> Value {
    let mark = r#"<script type="application/octet-stream" id="evenhand-data">"#;
    let (_, rest) = page.split_once(mark).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let engine = base64::engine::general_purpose::STANDARD;
    let packed = engine.decode(data).unwrap();
    let mut json = String::new();
    let mut decoder = flate2::read::DeflateDecoder::new(&packed[..]);
    decoder.read_to_string(&mut json).unwrap();
    serde_json::from_str(&json).unwrap()
}

const RANK: &str = "rank --data data --judge simulated:gap=0.2 --protocol pairwise --run run";

#[test]
fn a_ranking_and_its_judgments_are_in_the_file() {
    let desk = Desk::new(3, &["ant", "bee"]);
    let printed = desk.json(&format!("{RANK} --format json --report out.html"));
    let page = desk.read("out.html");
    let data = embedded(&page);
    assert_eq!(data["overview"]["report"], printed);
    assert_eq!(data["overview"]["title"], "run");
    assert_eq!(data["judgments"]["trial"].as_array().unwrap().len(), 6);
    assert_eq!(data["items"].as_array().unwrap().len(), 3);
    assert!(page.contains("connect-src 'none'"));
    assert!(!page.contains("http-equiv=\"refresh\"") && !page.contains("src=\"http"));
}

#[test]
fn the_file_of_a_run_is_that_of_its_command() {
    let desk = Desk::new(3, &["ant", "bee"]);
    desk.done(&format!("{RANK} --report now.html"));
    let ran = desk.done("report run --out later.html");
    ran.says_first("report written to later.html (0.");
    assert_eq!(
        desk.read("now.html"),
        desk.read("later.html"),
        "the same bytes"
    );
}

#[test]
fn labels_of_the_data_are_held_against_the_judge() {
    let desk = Desk::new(3, &["ant", "bee"]);
    let label = |item: usize| {
        json!({"item": format!("q{item}"), "a": "bee", "b": "ant", "preferred": "a"}).to_string()
    };
    desk.write("data/labels.jsonl", [label(0), label(2)].join("\n"));
    let measure = "meta judge --data data --judge simulated:gap=0.2 --protocol pairwise --run run";
    desk.done(&format!("{measure} --report out.html"));
    let data = embedded(&desk.read("out.html"));
    assert_eq!(data["overview"]["command"], "meta judge");
    assert_eq!(data["overview"]["counts"]["people"]["compared"], 2);
    assert!(data["overview"]["report"]["accuracy"].is_number());
}

#[test]
fn results_without_a_run_have_a_file_too() {
    let desk = Desk::empty();
    let hostile = "</script><script>alert(1)</script>";
    desk.write(
        "battles.csv",
        format!("model_a,model_b,winner\n{hostile},bee,model_a\nbee,{hostile},tie\n"),
    );
    desk.done("leaderboard battles.csv --report out.html");
    let page = desk.read("out.html");
    assert!(!page.contains("alert(1)"));
    let data = embedded(&page);
    assert_eq!(data["overview"]["title"], "battles.csv");
    assert_eq!(data["overview"]["report"]["ranking"][0]["system"], hostile);
}

#[test]
fn a_place_that_takes_no_file_is_refused_before_anything_is_asked() {
    let desk = Desk::new(1, &["ant", "bee"]);
    let ran = desk.run(&format!("{RANK} --report nowhere/out.html"));
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: nowhere/out.html: cannot be written: expected the name of a file in an existing \
         folder\n"
    );
    assert!(!desk.path("run").exists());
    let ran = desk.run("report nothing --out out.html");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}
