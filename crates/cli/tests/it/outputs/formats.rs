//! The same figures in every format.

use super::*;
use crate::common::assert_holds;

/// The cells of a row of CSV, of which every other part between quotes is quoted.
fn cells(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let marked: String = parts
        .map(|(at, part)| {
            if at % 2 == 0 {
                part.replace(',', "\n")
            } else {
                part.into()
            }
        })
        .collect();
    marked.split('\n').map(String::from).collect()
}

fn as_cells(row: &Value) -> Vec<String> {
    let figures = [
        &row["score"],
        &row["ci"][0],
        &row["ci"][1],
        &row["rank"],
        &row["rank_ci"][0],
        &row["rank_ci"][1],
        &row["n"],
    ];
    let cell = |value: &Value| {
        value
            .as_f64()
            .map(|number| number.to_string())
            .unwrap_or_default()
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    [
        vec![text(&row["system"])],
        figures.map(cell).to_vec(),
        vec![text(&row["note"])],
    ]
    .concat()
}

/// Up to the last bit, which the reader of JSON that the tests use may lose.
fn assert_same(cells: &[String], expected: &[String]) {
    assert_eq!(cells.len(), expected.len());
    for (cell, expected) in cells.iter().zip(expected) {
        match (cell.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(cell), Ok(expected)) => assert!(
                (cell - expected).abs() <= 1e-12 * expected.abs(),
                "{cell} and {expected}"
            ),
            _ => assert_eq!(cell, expected),
        }
    }
}

#[test]
fn csv_has_the_figures_of_the_json() {
    for settings in [
        "",
        "--ci none",
        "--protocol pointwise --aggregate median",
        "--items 1",
    ] {
        let run = format!(
            "{RANK} --run run-{} {settings}",
            settings.replace([' ', '-'], "")
        );
        let desk = desk();
        let report = desk.json(&run);
        let csv = desk.done(&format!("{run} --format csv")).stdout;
        let mut lines: Vec<Vec<String>> = csv.lines().map(cells).collect();
        assert_eq!(
            lines.remove(0),
            [
                "system",
                "score",
                "ci_low",
                "ci_high",
                "rank",
                "rank_low",
                "rank_high",
                "n",
                "note"
            ]
        );
        assert_eq!(lines.len(), rows(&report).len());
        lines
            .iter()
            .zip(rows(&report))
            .for_each(|(cells, row)| assert_same(cells, &as_cells(row)));
    }
}

#[test]
fn the_table_has_the_systems_and_scores_of_the_json() {
    let desk = desk();
    let report = desk.json(RANK);
    let table = desk.done(RANK).stdout;
    let shown: Vec<Vec<&str>> = table
        .lines()
        .skip(3)
        .take(4)
        .map(|line| line.split_whitespace().take(3).collect())
        .collect();
    let expected = rows(&report).iter().map(|row| {
        vec![
            row["rank"].to_string(),
            row["system"].as_str().unwrap().into(),
            format!("{:.0}", number(&row["score"])),
        ]
    });
    assert_eq!(shown, expected.collect::<Vec<_>>());
    assert_holds(
        &table,
        "coverage  72 of 72 trials have a verdict (no failure)",
    );
}

#[test]
fn a_system_name_with_a_comma_is_quoted_in_csv() {
    let csv = Desk::new(2, &["ant, large", "bee"])
        .done(&format!("{RANK} --format csv"))
        .stdout;
    assert_eq!(
        csv.lines()
            .filter(|line| line.starts_with("\"ant, large\","))
            .count(),
        1,
        "{csv}"
    );
}

#[test]
fn judge_prints_one_json_line_for_each_trial() {
    let judgments = desk().judgments("--data data --run run --judge simulated");
    let trials: Vec<u64> = judgments
        .iter()
        .map(|row| row["trial"].as_u64().unwrap())
        .collect();
    assert_eq!(trials, (0..72).collect::<Vec<u64>>());
    for row in &judgments {
        let p = ["p_first", "p_tie", "p_second"].map(|key| number(&row[key]));
        assert_eq!(p.iter().sum::<f64>(), 1.0);
        assert_eq!(row["score"], Value::Null);
        assert_eq!(row["failure"], Value::Null);
        assert!(
            SYSTEMS.map(Value::from).contains(&row["first"]) && row["first"] != row["second"],
            "{row}"
        );
    }
    let of_the_first_item = judgments.iter().filter(|row| row["item"] == "q0").count();
    assert_eq!(of_the_first_item, 12);
}

#[test]
fn judge_prints_scores_of_single_responses() {
    let judgments =
        desk().judgments("--data data --run run --judge simulated --protocol pointwise:1-5");
    assert_eq!(judgments.len(), 24);
    for row in judgments {
        assert!((1.0..=5.0).contains(&number(&row["score"])), "{row}");
        assert_eq!(
            json!([row["second"], row["p_first"], row["p_tie"], row["p_second"]]),
            json!([null, null, null, null])
        );
    }
}

#[test]
fn judge_prints_csv_with_the_same_rows() {
    let desk = desk();
    let judgments = desk.judgments("--data data --run run --judge simulated");
    let csv = desk
        .done("judge --data data --run run --judge simulated --format csv")
        .stdout;
    let mut lines = csv.lines().map(cells);
    assert_eq!(
        lines.next().unwrap(),
        [
            "trial",
            "item",
            "first",
            "second",
            "p_first",
            "p_tie",
            "p_second",
            "score",
            "failure",
            "detail",
            "strength",
            "source",
            "systems",
            "places",
            "both_orders",
            "question_id"
        ]
    );
    let heads: Vec<Vec<String>> = lines.map(|cells| cells[..4].to_vec()).collect();
    let expected = judgments.iter().map(|row| {
        vec![
            row["trial"].to_string(),
            text(&row["item"]),
            text(&row["first"]),
            text(&row["second"]),
        ]
    });
    assert_eq!(heads, expected.collect::<Vec<_>>());
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().into()
}
