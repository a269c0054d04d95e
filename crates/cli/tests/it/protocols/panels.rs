//! Panels of several judges.

use super::*;

#[test]
fn three_judges_make_one_verdict_and_their_agreement_is_said() {
    let judges = "--judge simulated:seed=1,gap=2 --judge simulated:seed=2,gap=2 --judge \
                  simulated:seed=3,gap=2";
    let report = rank(&desk(), &format!("{judges} --panel majority --prior 0.1"));
    assert_eq!(systems(&report), SYSTEMS);
    assert_eq!(report["coverage"]["trials"], 60);
    assert_eq!(report["usage"]["calls"], 180);
    let agreement = &report["agreement"];
    assert_eq!(agreement["n"], json!(180));
    assert!(agreement["value"].as_f64().unwrap() > 0.6, "{agreement}");
}

#[test]
fn the_order_of_the_judges_decides_nothing() {
    let [a, b] = [
        "simulated:seed=1,first-slot=0.4",
        "simulated:seed=2,length=0.3,invalid=0.2",
    ];
    for panel in ["mean", "majority"] {
        let [one, other] = [(a, b), (b, a)].map(|(a, b)| {
            rank(
                &desk(),
                &format!("--judge {a} --judge {b} --panel {panel} --prior 0.1 --run {panel}"),
            )
        });
        assert_eq!(one["ranking"], other["ranking"]);
    }
}

#[test]
fn a_recorded_panel_is_replayed() {
    let desk = desk();
    let run = "rank --data data --rounds 50 --run run --protocol prepair --prior 0.1 --panel \
               majority";
    let live = desk.json(&format!(
        "{run} --judge simulated:seed=1 --judge simulated:seed=2"
    ));
    let again = desk.json(&format!(
        "{} --judge recorded:run",
        run.replace("--run run", "--run again")
    ));
    assert_eq!(live["ranking"], again["ranking"]);
    assert_eq!(live["judge"], again["judge"]);
}

#[test]
fn the_same_judge_twice_is_refused() {
    let ran = desk().run("rank --data data --judge simulated --judge simulated");
    ran.ends(2, "is named twice; a panel needs different judges");
}
