//! A discrimination for each judge of a column.

use crate::common::Desk;
use serde_json::Value;

/// Three systems in a clear order as two judges see it, and a third that says the opposite half
/// of the time and agrees else.
fn panel() -> String {
    let mut rows = String::from("item,model_a,model_b,winner,judge\n");
    for item in 0..60 {
        for (a, b) in [("best", "middle"), ("middle", "worst"), ("best", "worst")] {
            let good = if item % 4 == 0 { "model_b" } else { "model_a" };
            let coin = if item % 2 == 0 { "model_b" } else { "model_a" };
            for (judge, winner) in [("one", good), ("two", good), ("coin", coin)] {
                rows += &format!("{item},{a},{b},{winner},{judge}\n");
            }
        }
    }
    rows
}

fn judge<'a>(report: &'a Value, name: &str) -> &'a Value {
    let panel = report["panel"].as_array().unwrap();
    panel.iter().find(|judge| judge["judge"] == name).unwrap()
}

#[test]
fn better_judges_count_more_and_a_coin_is_named() {
    let desk = Desk::empty();
    desk.write("panel.csv", panel());
    let board = "leaderboard panel.csv --judge-column judge --scale log-odds";
    let report = desk.json(board);
    let of = |name| judge(&report, name)["discrimination"].as_f64().unwrap();
    assert!((of("one") - 1.5).abs() < 0.01 && (of("one") - of("two")).abs() < 1e-6);
    assert!(of("coin").abs() < 0.01, "{}", report["panel"]);
    assert_eq!(judge(&report, "coin")["n"], 180);
    let note = &judge(&report, "coin")["note"];
    assert_eq!(note, "not shown to be better than chance");
    assert!(judge(&report, "one").get("note").is_none());
    assert!(desk.done(board).stdout.contains("one: discrimination 1.5"));
}

#[test]
fn what_has_no_place_for_judges_is_refused() {
    let desk = Desk::empty();
    desk.write("panel.csv", panel());
    for (more, why) in [
        ("--judge-column who", "no column `who`"),
        (
            "--judge-column judge --aggregate elo",
            "it is for bradley-terry",
        ),
        (
            "--judge-column judge --update board.json --date 2026-01-01",
            "a board does not say who judged",
        ),
        (
            "--judge-column judge --length-control-weights w.csv --instruction-difficulty d.csv",
            "leave --length-control-weights out",
        ),
        ("--judge-column judge --ci sandwich", "--ci bootstrap"),
        ("--judge-column judge --prior 1", "leave --prior out"),
        (
            "--judge-column judge --min-battles 2",
            "leave --min-battles out",
        ),
        (
            "--judge-column judge --control order",
            "--where judge=JUDGE, with --control alone",
        ),
    ] {
        desk.refused(&format!("leaderboard panel.csv {more}"), why);
    }
    // What is advised there works.
    desk.done("leaderboard panel.csv --where judge=one --control order --ci none");
}

/// Items and judges are read one after the other: a row that is left out of one reading would give
/// every battle after it to another judge.
#[test]
fn rows_without_a_judge_are_not_left_out() {
    let desk = Desk::empty();
    let rows = panel().replacen("model_a,one\n", "model_a,\n", 1);
    desk.write("panel.csv", rows);
    let ran = desk.run("leaderboard panel.csv --judge-column judge --skip-bad 3");
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    let why = "it needs rows that can all be read";
    ran.says(why);
}
