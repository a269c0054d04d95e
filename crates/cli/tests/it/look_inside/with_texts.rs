//! `evenhand judge --texts`.

use super::JUDGE;
use crate::common::Desk;
use serde_json::{Value, json};

fn judge_with_texts(desk: &Desk, more: &str) -> Vec<Value> {
    let judge = format!("--data data --judge {JUDGE} --protocol pairwise --run run {more}");
    desk.judgments(&format!("{judge} --texts"))
}

#[test]
fn judgments_come_with_what_was_judged_and_replied() {
    let desk = Desk::new(2, &["ant", "bee"]);
    let judged = judge_with_texts(&desk, "");
    assert_eq!(judged.len(), 4);
    assert_eq!(judged[1]["instruction"], "Name thing number 0.");
    let shown = json!([
        {"system": "bee", "text": "Thing 0, says bee."},
        {"system": "ant", "text": "Thing 0, says ant."}
    ]);
    assert_eq!(judged[1]["responses"], shown);
    assert!(["A", "B"].contains(&judged[1]["reply"].as_str().unwrap()));
    assert_eq!(judged[1]["row"], Value::Null);
}

#[test]
fn verdicts_are_those_without_texts_also_where_a_person_gave_them() {
    let desk = Desk::new(2, &["ant", "bee"]);
    let review = json!({
        "item": "q0", "a": "ant", "b": "bee", "preferred": "b",
        "instruction": "", "response_a": "", "response_b": ""
    });
    desk.write("reviewed.jsonl", format!("{review}\n"));
    let more = "--reviewed reviewed.jsonl";
    let plain = desk.judgments(&format!(
        "--data data --judge {JUDGE} --protocol pairwise --run run {more}"
    ));
    let with_texts = judge_with_texts(&desk, more);
    assert_eq!(plain.len(), with_texts.len());
    for (plain, with_texts) in plain.iter().zip(&with_texts) {
        for (key, value) in plain.as_object().unwrap() {
            assert_eq!(with_texts[key], *value, "{key}");
        }
    }
    assert_eq!(with_texts[0]["source"], "person");
}

#[test]
fn csv_has_the_texts_in_columns() {
    let desk = Desk::new(1, &["ant", "bee"]);
    let csv = desk.done(&format!(
        "judge --data data --judge {JUDGE} --protocol pairwise --run run --format csv --texts"
    ));
    let header = csv.stdout.lines().next().unwrap();
    assert!(
        header.ends_with(",response_first,response_second,responses,reply"),
        "{header}"
    );
    assert_eq!(csv.stdout.lines().count(), 3);
}

#[test]
fn a_table_has_no_place_for_texts() {
    let desk = Desk::new(1, &["ant", "bee"]);
    let ran = desk.run(&format!("judge --data data --judge {JUDGE} --texts"));
    assert_eq!(ran.code, Some(2));
    let message = "error: --texts: a table does not list judgments; give --format json or csv\n";
    assert_eq!(ran.stderr, message);
}
