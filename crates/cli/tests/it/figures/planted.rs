//! Planted defects, and how near the figures come.

use super::*;

#[test]
fn accuracy_is_recovered() {
    let report = Desk::new(300, &["ant", "bee"])
        .json("rank --data data --run run --judge simulated:accuracy=0.8 --aggregate win-ratio");
    let ant = row(&report, "ant");
    assert_recovered(number(&ant["score"]), &ant["ci"], 0.8, 0.05);
    // Both orders are judged apart: they agree where both are right or both are wrong.
    let consistency = &report["consistency"];
    assert_recovered(
        number(&consistency["value"]),
        &consistency["ci"],
        0.8 * 0.8 + 0.2 * 0.2,
        0.08,
    );
    let first = &report["first_slot"];
    assert_recovered(number(&first["value"]), &first["ci"], 0.5, 0.05);
    assert_eq!(json!([consistency["n"], first["n"]]), json!([300, 600]));
}

#[test]
fn gaps_in_strength_are_recovered_by_bradley_terry() {
    let report = Desk::new(300, &["ant", "bee", "cat"])
        .json("rank --data data --run run --judge simulated:gap=0.7 --scale log-odds");
    assert_eq!(systems(&report), ["ant", "bee", "cat"]);
    for (system, planted) in [("ant", 0.7), ("bee", 0.0), ("cat", -0.7)] {
        assert_recovered(
            number(&row(&report, system)["score"]),
            &row(&report, system)["ci"],
            planted,
            0.2,
        );
    }
}

#[test]
fn probabilities_are_counted_in_part() {
    let run = "--data data --run run --judge simulated:accuracy=0.75,probabilities=true";
    let desk = Desk::new(4, &["ant", "bee"]);
    assert!(
        desk.judgments(run)
            .iter()
            .all(|row| row["p_first"] == 0.75 || row["p_first"] == 0.25)
    );
    let report = desk.json(&format!("rank {run} --scale log-odds"));
    let gap = number(&row(&report, "ant")["score"]) - number(&row(&report, "bee")["score"]);
    assert!((gap - 3f64.ln()).abs() < 1e-9, "odds of 3 to 1: {gap}");
    assert_eq!(report["outside"], 0.0);
}

#[test]
fn ties_count_half() {
    let report = Desk::new(40, &["ant", "bee"]).json(
        "rank --data data --run run --judge simulated:tie=1 --protocol pairwise-tie \
               --aggregate win-ratio",
    );
    assert_eq!(
        json!([rows(&report)[0]["score"], rows(&report)[1]["score"]]),
        json!([0.5, 0.5])
    );
    assert_eq!(
        json!([rows(&report)[0]["rank"], rows(&report)[1]["rank"]]),
        json!([1, 1])
    );
}

#[test]
fn a_preference_for_the_first_slot_is_found_and_the_order_not_supported() {
    let report =
        Desk::new(5, &SYSTEMS).json("rank --data data --run run --judge simulated:first-slot=1");
    assert_eq!(
        json!([
            report["consistency"]["value"],
            report["first_slot"]["value"]
        ]),
        json!([0.0, 1.0])
    );
    let warning = "the judge keeps its verdict on 0 % of pairs when the two responses change \
                   places (a coin: 50 %): the order of this ranking is not supported by it";
    assert!(warnings(&report).contains(warning), "{}", warnings(&report));
    assert!(
        rows(&report).iter().all(|row| row["rank"] == 1),
        "both orders cancel: {}",
        report["ranking"]
    );
}

#[test]
fn a_warning_is_named_by_its_kind() {
    let desk = Desk::new(5, &SYSTEMS);
    let run = "rank --data data --run run --judge simulated:first-slot=1";
    let report = desk.json(run);
    let kinds = report["warning_kinds"].as_array().unwrap();
    assert_eq!(kinds.len(), report["warnings"].as_array().unwrap().len());
    assert!(kinds.contains(&json!("position")), "{report}");
    for (condition, code) in [
        ("warnings.position>0", 3),
        ("warnings.labels>0", 0),
        ("warnings.few-rounds>=1", 0),
    ] {
        assert_eq!(
            desk.run(&format!("{run} --fail-if {condition}")).code,
            Some(code),
            "{condition}"
        );
    }
    desk.refused(
        &format!("{run} --fail-if warnings.positoin>0"),
        "; KIND is one of position, coin, small-model, ",
    );
}

#[test]
fn a_sound_judge_is_not_warned_of() {
    let report = Desk::new(60, &["ant", "bee"])
        .json("rank --data data --run run --judge simulated:accuracy=0.95");
    assert_eq!(warnings(&report), "");
}

#[test]
fn one_order_measures_no_consistency() {
    let report = Desk::new(20, &SYSTEMS)
        .json("rank --data data --run run --judge simulated --protocol pairwise/direct/single");
    assert_eq!(
        json!([report["consistency"], report["first_slot"]["n"]]),
        json!([null, 120])
    );
}
