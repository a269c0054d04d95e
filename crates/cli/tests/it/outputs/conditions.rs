//! Conditions of `--fail-if`.

use super::*;

#[track_caller]
fn assert_met(condition: &str, figure: &str) {
    let ran = desk().run(&format!(
        "{RANK}:first-slot=1 --quiet --format json --fail-if {condition}"
    ));
    assert_eq!(
        (ran.code, &ran.stderr),
        (Some(3), &format!("--fail-if: {figure}\n"))
    );
    assert_eq!(
        systems(&ran.json()).len(),
        4,
        "the ranking is printed all the same"
    );
}

#[test]
fn that_are_met_end_with_code_3_and_the_figure() {
    assert_met("consistency<0.5", "consistency<0.5 (it is 0)");
    assert_met("coverage<0.5,first_slot>=1", "first_slot>=1 (it is 1)");
    assert_met("score.bee<=1000", "score.bee<=1000 (it is 1000)");
    assert_met("rank.dog<2", "rank.dog<2 (it is 1)");
    assert_met("failures<1", "failures<1 (it is 0)");
}

#[test]
fn that_are_not_met_end_with_code_0() {
    let ran = desk().run(&format!(
        "{RANK} --quiet --fail-if coverage<1,failures>0,score.ant<0,rank.ant>3"
    ));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn hold_for_judgments_alone_too() {
    let judge = "judge --data data --run run --judge simulated:invalid=0.5 --quiet --fail-if \
                 coverage<0.95";
    let ran = desk().run(judge);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    ran.says_first("--fail-if: coverage<0.95 (it is 0.");
}
