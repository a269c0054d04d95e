//! Trials without a verdict.

use super::*;

const RUN: &str = "--data data --run run --judge simulated:gap=0.3,invalid=0.3,refuse=0.1";

fn count(judgments: &[Value], failure: &str) -> u64 {
    judgments
        .iter()
        .filter(|row| row["failure"] == failure)
        .count() as u64
}

#[test]
fn are_counted_by_kind_and_make_up_the_trials_with_the_verdicts() {
    let desk = Desk::new(20, &SYSTEMS);
    let judgments = desk.judgments(RUN);
    let report = desk.json(&format!("rank {RUN}"));
    let (unparsed, refused) = (count(&judgments, "unparsed"), count(&judgments, "refused"));
    // 240 trials: refused 0.1 of them, unparsed 0.3 of the rest; both within 3.5 standard
    // deviations.
    assert!(
        (8..=40).contains(&refused) && (41..=88).contains(&unparsed),
        "{refused} refused, {unparsed} unparsed"
    );
    let verdicts = 240 - unparsed - refused;
    let failures = json!({"unparsed": unparsed, "refused": refused});
    assert_eq!(
        report["coverage"],
        json!({"trials": 240, "verdicts": verdicts, "failures": failures})
    );
    assert_eq!(
        judgments
            .iter()
            .filter(|row| row["p_first"].is_number())
            .count() as u64,
        verdicts
    );
}

#[test]
fn count_for_nobody() {
    let desk = Desk::new(20, &SYSTEMS);
    let judgments = desk.judgments(RUN);
    let report = desk.json(&format!("rank {RUN} --aggregate win-ratio"));
    for system in SYSTEMS {
        let (won, n) = won(&judgments, system);
        let row = row(&report, system);
        assert_eq!(row["n"], n as u64, "{system}");
        assert!(
            (number(&row["score"]) - won / n).abs() < 1e-12,
            "{system}: {row}, by hand {won} of {n}"
        );
    }
}

/// Returns the comparisons with a verdict in both orders that a system won, and how many it has.
fn won(judgments: &[Value], system: &str) -> (f64, f64) {
    let turned = |row: &Value| [&row["item"], &row["second"], &row["first"]].map(Value::clone);
    let failed: Vec<[Value; 3]> = judgments
        .iter()
        .filter(|row| !row["failure"].is_null())
        .map(turned)
        .collect();
    let shares = judgments
        .iter()
        .filter(|row| row["failure"].is_null())
        .filter(|row| {
            !failed.contains(&[&row["item"], &row["first"], &row["second"]].map(Value::clone))
        })
        .filter_map(|row| match system {
            first if row["first"] == first => {
                Some(number(&row["p_first"]) + number(&row["p_tie"]) / 2.0)
            }
            second if row["second"] == second => {
                Some(number(&row["p_second"]) + number(&row["p_tie"]) / 2.0)
            }
            _ => None,
        });
    shares.fold((0.0, 0.0), |(won, n), share| (won + share, n + 1.0))
}

#[test]
fn leave_scores_of_single_responses_alone() {
    let desk = Desk::new(20, &SYSTEMS);
    let judgments = desk.judgments(&format!("{RUN} --protocol pointwise"));
    let report = desk.json(&format!("rank {RUN} --protocol pointwise"));
    assert!(count(&judgments, "unparsed") > 0 && count(&judgments, "refused") > 0);
    for system in SYSTEMS {
        let scores: Vec<f64> = judgments
            .iter()
            .filter(|row| row["first"] == system)
            .filter_map(|row| row["score"].as_f64())
            .collect();
        let (row, mean) = (
            row(&report, system),
            scores.iter().sum::<f64>() / scores.len() as f64,
        );
        assert_eq!(row["n"], scores.len());
        assert!(
            (number(&row["score"]) - mean).abs() < 1e-12,
            "{system}: {row}, by hand {mean}"
        );
    }
}

#[test]
fn in_numbers_are_warned_of() {
    let report = Desk::new(5, &SYSTEMS).json(&format!("rank {RUN}"));
    let failures = &report["coverage"]["failures"];
    let (refused, unparsed) = (
        failures["refused"].as_u64().unwrap(),
        failures["unparsed"].as_u64().unwrap(),
    );
    let failed = refused + unparsed;
    let warning = format!(
        "{failed} of 60 trials have no verdict (refused {refused}, unparsed {unparsed}); they \
         are excluded"
    );
    assert!(
        warnings(&report).contains(&warning),
        "{}",
        warnings(&report)
    );
}

#[test]
fn alone_leave_every_score_undefined() {
    let ran = Desk::new(3, &SYSTEMS)
        .run("rank --data data --run run --judge simulated:invalid=1 --keep-going --format json");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let report = ran.json();
    for row in rows(&report) {
        assert_eq!(
            json!([row["score"], row["rank"], row["n"], row["note"]]),
            json!([null, null, 0, "no score: there is no data"])
        );
    }
    assert_eq!(
        json!([report["consistency"], report["first_slot"]]),
        json!([null, null])
    );
}

/// Two responses were shown together in every trial, so that nothing is consistent by
/// construction.
#[test]
fn alone_measure_no_consistency() {
    let table = Desk::new(3, &SYSTEMS)
        .run("rank --data data --run run --judge simulated:invalid=1 --keep-going")
        .stdout;
    assert!(table.contains("position"), "{table}");
    assert!(!table.contains("by construction"), "{table}");
}
