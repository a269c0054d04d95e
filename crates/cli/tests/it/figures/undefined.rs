//! Figures that are undefined, and why.

use super::*;

/// A judge that is always right: `ant` wins everything, `dog` nothing.
const RANK: &str = "rank --data data --run run --judge simulated:accuracy=1";

#[test]
fn scores_are_null_with_the_cause_and_ranks_stand() {
    let report = Desk::new(5, &SYSTEMS).json(RANK);
    assert_eq!(systems(&report), SYSTEMS);
    let rank_and_score: Vec<Value> = rows(&report)
        .iter()
        .map(|row| json!([row["rank"], row["score"]]))
        .collect();
    assert_eq!(
        json!(rank_and_score),
        json!([[1, null], [2, null], [3, null], [4, null]])
    );
    assert_eq!(
        row(&report, "ant")["note"],
        "it won every comparison: no finite score exists"
    );
    assert_eq!(
        row(&report, "dog")["note"],
        "it lost every comparison: no finite score exists"
    );
    assert!(
        row(&report, "bee")["note"]
            .as_str()
            .unwrap()
            .starts_with("no score: "),
        "{report}"
    );
}

#[test]
fn scores_are_nowhere_nan() {
    let desk = Desk::new(5, &SYSTEMS);
    for format in ["json", "csv", "table"] {
        let Ran { stdout, .. } = desk.done(&format!("{RANK} --format {format}"));
        assert!(
            !stdout.contains("NaN") && !stdout.contains("nan"),
            "{stdout}"
        );
        assert!(stdout.contains("it won every comparison"), "{stdout}");
    }
}

/// The other systems are scored without the one that won everything.
#[test]
fn scores_leave_the_others_theirs() {
    let desk = Desk::new(30, &["ant", "bee", "cat"]);
    let report = desk.json("rank --data data --run run --judge simulated:gap=0.2,self=ant:1");
    let [ant, bee, cat] = ["ant", "bee", "cat"].map(|system| row(&report, system));
    assert_eq!(json!([ant["score"], ant["rank"]]), json!([null, 1]));
    assert!(
        (number(&bee["score"]) + number(&cat["score"]) - 2000.0).abs() < 1e-6,
        "{report}"
    );
}

/// Whatever its interval is said to be, it is not all numbers.
#[test]
fn scores_have_no_interval_from_minus_to_plus_infinity() {
    let table = Desk::new(5, &["ant", "bee"]).done(RANK).stdout;
    let ant = table.lines().find(|line| line.contains("  ant  ")).unwrap();
    assert!(
        ant.contains("+inf") && !ant.contains("-inf"),
        "it won in every resample too: {ant}"
    );
}

#[test]
fn intervals_of_one_item_are_null_with_the_cause() {
    let report = Desk::new(1, &["ant", "bee"])
        .json("rank --data data --run run --judge simulated --protocol pointwise");
    for row in rows(&report) {
        assert_eq!(json!([row["ci"], row["rank_ci"]]), json!([null, null]));
        let note = row["note"].as_str().unwrap();
        assert!(
            note.starts_with("no interval: ") && note.ends_with("an interval needs at least 2"),
            "{note}"
        );
    }
}

#[test]
fn order_between_unlinked_systems_is_said() {
    let desk = Desk::new(4, &SYSTEMS);
    let apart = [
        (0, ["ant", "bee"]),
        (1, ["ant", "bee"]),
        (2, ["cat", "dog"]),
        (3, ["cat", "dog"]),
    ];
    let answers = apart.map(|(item, pair)| pair.map(|system| response(item, system)).concat());
    desk.write("data/responses.jsonl", answers.concat());
    let report = desk.json("rank --data data --run run --judge simulated --allow-missing");
    assert_eq!(
        report["components"],
        json!([["ant", "bee"], ["cat", "dog"]])
    );
    assert!(
        rows(&report).iter().all(|row| row["rank"].is_null()),
        "{}",
        report["ranking"]
    );
    assert!(
        warnings(&report).contains("nothing can be said between them: ant, bee | cat, dog"),
        "{}",
        warnings(&report)
    );
}
