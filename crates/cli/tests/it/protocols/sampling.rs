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
    let other = desk.run(&format!("{ask} --run warm"));
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(other.stderr.contains("temperature"), "{}", other.stderr);
}

#[test]
fn a_temperature_without_meaning_is_refused() {
    let desk = desk();
    let scored = desk.run(
        "rank --data data --judge simulated --protocol likelihood/direct/single --temperature 0.7",
    );
    assert_eq!(scored.code, Some(2));
    assert!(
        scored.stderr.contains("writes nothing"),
        "{}",
        scored.stderr
    );
    for bad in ["-1", "2.5", "warm", "NaN"] {
        let ran = desk.run(&format!(
            "rank --data data --judge simulated --temperature={bad}"
        ));
        assert_eq!(ran.code, Some(2), "{bad}");
        assert!(
            ran.stderr.contains("a number from 0 to 2"),
            "{}",
            ran.stderr
        );
    }
}
