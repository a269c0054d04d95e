//! `--temperature`: part of the run, replayed as it was asked, refused where nothing is written.

use super::*;

#[test]
fn a_temperature_is_part_of_the_run_and_of_its_replay() {
    let desk = desk();
    let ask = "rank --data data --protocol pairwise/cot/swap --rounds 50 --judge simulated:gap=2";
    desk.json(&format!("{ask} --run warm --temperature 0.7"));
    let replayed =
        "rank --data data --protocol pairwise/cot/swap --rounds 50 --judge recorded:warm";
    let (live, again) = (
        desk.json(&format!("{ask} --run warm --temperature 0.7")),
        desk.json(replayed),
    );
    assert_eq!(live["ranking"], again["ranking"]);
    assert_eq!(live["coverage"]["judged"], again["coverage"]["judged"]);
    desk.refused(&format!("{ask} --run warm"), "temperature");
}

#[test]
fn a_temperature_without_meaning_is_refused() {
    let desk = desk();
    desk.refused(
        "rank --data data --judge simulated --protocol likelihood/direct/single --temperature 0.7",
        "writes nothing",
    );
    for bad in ["-1", "2.5", "warm", "NaN"] {
        desk.refused(
            &format!("rank --data data --judge simulated --temperature={bad}"),
            "a number from 0 to 2",
        );
    }
}
