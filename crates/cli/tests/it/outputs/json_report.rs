//! The JSON of a ranking.

use super::*;

type Is = fn(&Value) -> bool;

fn is_ends(value: &Value) -> bool {
    value.as_array().is_some_and(|ends| {
        ends.len() == 2 && ends.iter().all(|end| end.is_null() || end.is_number())
    })
}

fn is_texts(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|all| all.iter().all(Value::is_string))
}

#[track_caller]
fn assert_keys(object: &Value, keys: &[(&str, Is)]) {
    for (key, is_right) in keys {
        let value = object
            .get(key)
            .unwrap_or_else(|| panic!("no key {key} in {object}"));
        assert!(is_right(value), "{key}: {value}");
    }
}

#[test]
fn has_the_promised_keys_with_their_types() {
    let report = desk().json(RANK);
    let top: [(&str, Is); 9] = [
        ("ranking", Value::is_array),
        ("aggregation", Value::is_string),
        ("ci", Value::is_object),
        ("seed", Value::is_u64),
        ("judge", Value::is_string),
        ("protocol", Value::is_string),
        ("design", Value::is_string),
        ("coverage", Value::is_object),
        ("warnings", is_texts),
    ];
    assert_keys(&report, &top);
    let ci: [(&str, Is); 4] = [
        ("method", Value::is_string),
        ("cluster", Value::is_string),
        ("rounds", Value::is_u64),
        ("level", Value::is_f64),
    ];
    assert_keys(&report["ci"], &ci);
    assert_keys(
        &report["coverage"],
        &[
            ("trials", Value::is_u64),
            ("verdicts", Value::is_u64),
            ("failures", Value::is_object),
        ],
    );
    assert_keys(&report["usage"], &usage());
}

fn usage() -> [(&'static str, Is); 5] {
    [
        ("calls", Value::is_u64),
        ("prompt_tokens", Value::is_u64),
        ("completion_tokens", Value::is_u64),
        ("cost_usd", Value::is_null),
        ("seconds", Value::is_f64),
    ]
}

#[test]
fn has_the_promised_keys_for_every_system() {
    let row: [(&str, Is); 6] = [
        ("system", Value::is_string),
        ("score", Value::is_f64),
        ("ci", is_ends),
        ("rank", Value::is_u64),
        ("rank_ci", |ends| {
            is_ends(ends) && ends[0].is_u64() && ends[1].is_u64()
        }),
        ("n", Value::is_u64),
    ];
    let report = desk().json(RANK);
    assert_eq!(rows(&report).len(), 4);
    rows(&report)
        .iter()
        .for_each(|system| assert_keys(system, &row));
}

#[test]
fn names_what_was_run() {
    let settings = "--protocol pairwise-tie/cot --design reference:bee --aggregate win-ratio \
                    --rounds 50 --level 0.9 --seed 7";
    let report = desk().json(&format!("{RANK} --cluster none {settings}"));
    let named =
        ["aggregation", "seed", "judge", "protocol", "design"].map(|key| report[key].clone());
    let expected = json!([
        "win-ratio",
        7,
        "simulated:gap=0.5,seed=0",
        "pairwise-tie/cot/swap",
        "reference:bee"
    ]);
    assert_eq!(json!(named), expected);
    assert_eq!(
        report["ci"],
        json!({"method": "bootstrap", "cluster": "none", "rounds": 50, "level": 0.9})
    );
}

#[test]
fn lists_systems_in_rank_order_within_their_intervals() {
    for protocol in ["pairwise", "pairwise-tie", "pointwise", "likelihood"] {
        let report = desk().json(&format!("{RANK} --run {protocol} --protocol {protocol}"));
        let ranks: Vec<f64> = rows(&report)
            .iter()
            .map(|row| number(&row["rank"]))
            .collect();
        assert!(
            ranks.is_sorted() && ranks[0] == 1.0,
            "{protocol}: {ranks:?}"
        );
        let scores: Vec<f64> = rows(&report)
            .iter()
            .map(|row| number(&row["score"]))
            .collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{protocol}: {scores:?}");
        rows(&report)
            .iter()
            .for_each(assert_is_within_its_intervals);
    }
}

fn assert_is_within_its_intervals(row: &Value) {
    let (score, rank) = (number(&row["score"]), number(&row["rank"]));
    let end = |key: &str, at: usize, open: f64| row[key][at].as_f64().unwrap_or(open);
    assert!(
        end("ci", 0, f64::NEG_INFINITY) <= score && score <= end("ci", 1, f64::INFINITY),
        "{row}"
    );
    // A system without a finite score in some resamples has no rank interval, and says so.
    let unranked = row["rank_ci"].is_null()
        && row["note"]
            .as_str()
            .is_some_and(|note| note.contains("no interval"));
    assert!(
        unranked || (end("rank_ci", 0, 99.0) <= rank && rank <= end("rank_ci", 1, 0.0)),
        "{row}"
    );
}

#[test]
fn centres_elo_points_on_1000_and_log_odds_on_0() {
    let mean = |scale: &str| {
        let report = desk().json(&format!("{RANK} --scale {scale}"));
        rows(&report)
            .iter()
            .map(|row| number(&row["score"]))
            .sum::<f64>()
            / 4.0
    };
    assert!((mean("elo") - 1000.0).abs() < 1e-6, "{}", mean("elo"));
    assert!(mean("log-odds").abs() < 1e-9, "{}", mean("log-odds"));
}

#[test]
fn is_the_same_whatever_the_threads() {
    let desk = desk();
    let ranked = |threads: usize| {
        desk.done(&format!(
            "{RANK}:tie=0.2,invalid=0.1 --run of-{threads} --threads {threads} --format json \
             --protocol pairwise-tie"
        ))
        .timeless()
    };
    assert_eq!(ranked(1), ranked(2));
}
