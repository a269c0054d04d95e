//! Stages of a verdict.

use super::*;

#[test]
fn a_judge_of_position_goes_through_all_of_portia() {
    let ran = desk().run(
        "judge --data data --judge simulated:first-slot=1,probabilities=false \
                          --protocol portia",
    );
    assert_eq!(ran.code, Some(1), "no trial has a verdict: {}", ran.stderr);
    ran.prints("0 of 30 trials have a verdict (30 inconsistent)");
    ran.prints("trials ended 30 at semantic");
    ran.prints("the same outcome in both orders on 0 %");
}

#[test]
fn and_ties_where_that_is_asked_for() {
    let report = rank(
        &desk(),
        "--judge simulated:first-slot=1 --protocol \
         pairwise-tie/direct/portia:3,original-first,tie",
    );
    assert_eq!(report["coverage"]["verdicts"], json!(30));
    assert_eq!(report["stages"], json!({"semantic": 30}));
    assert_eq!(report["usage"]["calls"], json!(30 * 6));
    assert_eq!(report["consistency"]["value"], json!(0.0));
}

#[test]
fn looks_are_kept_with_the_judgment() {
    let all = desk().judgments(
        "--data data --judge simulated:first-slot=1 --protocol pairwise/direct/swap:average",
    );
    let looks = all[0]["looks"].as_array().unwrap();
    assert_eq!(looks.len(), 2);
    assert_eq!(looks[0]["swapped"], false);
    assert_eq!(looks[1]["swapped"], true);
    assert_eq!(all[0]["p_first"], 0.5);
    assert_eq!(all[0]["source"], "text");
}
