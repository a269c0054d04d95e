//! `meta wordings` with the real binary.

use crate::common::{Desk, assert_holds, json_line};
use serde_json::json;

/// Scores from 1 to 5 of 90 responses under a wording: the response's quality, moved by luck of
/// this reach.
fn write_wording(desk: &Desk, name: &str, salt: u64, reach: u64) {
    let mut rows = String::new();
    for item in 0..90_u64 {
        let quality = (item * 37 + 11) % 90;
        let luck = (item * 53 + salt * 17 + item * item * (salt + 3)) % (2 * reach + 1);
        let score = 1 + (quality + luck).saturating_sub(reach).min(89) / 18;
        let row = json!({"item": item.to_string(), "system": "x", "score": score});
        rows += &format!("{row}\n");
    }
    desk.write(name, rows);
}

#[test]
fn a_wording_that_says_less_has_the_lower_discrimination() {
    let desk = Desk::empty();
    write_wording(&desk, "plain.jsonl", 1, 8);
    write_wording(&desk, "formal.jsonl", 2, 8);
    write_wording(&desk, "vague.jsonl", 3, 60);
    let command = "meta wordings --recorded plain.jsonl formal.jsonl vague.jsonl";
    let report = desk.json(command);
    assert_eq!(
        (&report["converged"], &report["questions"]),
        (&true.into(), &90.into())
    );
    assert_eq!(report["grades"], json!([1.0, 2.0, 3.0, 4.0, 5.0]));
    let slope = |at: usize| {
        report["wordings"][at]["discrimination"]["value"]
            .as_f64()
            .unwrap()
    };
    assert!(
        slope(0) > 2.0 * slope(2) && slope(1) > 2.0 * slope(2),
        "{report}"
    );
    let ci = report["wordings"][2]["discrimination"]["ci"]
        .as_array()
        .unwrap();
    assert!(ci[0].as_f64().unwrap() > 0.0);
    assert_eq!(
        report["wordings"][0]["thresholds"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    assert_eq!(report["responses"].as_array().unwrap().len(), 90);
    let reliability = report["reliability"].as_f64().unwrap();
    assert!((0.7..1.0).contains(&reliability));
    assert!(
        desk.done(command)
            .stdout
            .contains("tells the responses apart: ")
    );
    let differences = report["differences"].as_array().unwrap();
    let told: Vec<(&str, bool)> = differences
        .iter()
        .map(|row| {
            let second = row["wordings"][1].as_str().unwrap();
            (
                second,
                row["discrimination_ratio"]["differs"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("formal", false), ("vague", true), ("vague", true)]);
    let answer = desk.done(command).stdout;
    assert_holds(&answer, "says less under vague than under plain");
    let csv = desk.done(&format!("{command} --format csv")).stdout;
    assert_eq!(csv.lines().count(), 1 + 3 * 6, "{csv}");
}

#[test]
fn what_is_undefined_or_wrong_is_said() {
    let desk = Desk::empty();
    write_wording(&desk, "plain.jsonl", 1, 8);
    write_wording(&desk, "formal.jsonl", 2, 8);
    let constant: String = (0..90)
        .map(|item| json_line(json!({"item": item.to_string(), "system": "x", "score": 3})))
        .collect();
    desk.write("constant.jsonl", &constant);
    let report = desk.json("meta wordings --recorded plain.jsonl constant.jsonl formal.jsonl");
    assert_eq!(
        report["wordings"][1]["note"],
        "it gave all responses one score"
    );
    desk.write("again.jsonl", desk.read("plain.jsonl"));
    desk.refused(
        "meta wordings --recorded plain.jsonl formal.jsonl again.jsonl",
        "--recorded: plain and again have the same scores throughout: give one of them",
    );
    desk.write(
        "few/plain.jsonl",
        desk.read("plain.jsonl")
            .lines()
            .take(20)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    desk.write(
        "few/formal.jsonl",
        desk.read("formal.jsonl")
            .lines()
            .take(20)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    let few = desk.json("meta wordings --recorded few");
    assert!(
        few["wordings"][0]["note"]
            .as_str()
            .unwrap()
            .contains("20 questions"),
        "{few}"
    );
    assert!(few["wordings"][0]["severity"]["ci"].is_null());
    assert_eq!(few["differences"], json!([]));
    let fine: String = (0..90)
        .map(|item| {
            json_line(
                json!({"item": item.to_string(), "system": "x", "score": f64::from(item) / 7.0}),
            )
        })
        .collect();
    desk.write("fine.jsonl", fine);
    desk.write(
        "battles.jsonl",
        "{\"item\": \"1\", \"model_a\": \"x\", \"model_b\": \"y\", \"winner\": \"model_a\"}\n",
    );
    for (arguments, expected) in [
        ("plain.jsonl", "there is one wording, plain"),
        ("plain.jsonl few/plain.jsonl", "there is one wording, plain"),
        (
            "plain.jsonl formal.jsonl plain.jsonl",
            "--recorded plain.jsonl: the file is given twice; give it once",
        ),
        (
            "few/plain.jsonl few",
            "few/plain.jsonl: the file is given twice; give it once",
        ),
        (
            "plain.jsonl constant.jsonl",
            "only 0 of 2 have scores that vary on responses",
        ),
        ("plain.jsonl fine.jsonl", "at most 25 grades"),
        ("plain.jsonl battles.jsonl", "comparisons of two responses"),
        ("owl.jsonl", "owl.jsonl"),
    ] {
        desk.refused(&format!("meta wordings --recorded {arguments}"), expected);
    }
}
