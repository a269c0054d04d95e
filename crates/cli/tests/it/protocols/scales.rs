//! Scales of scores.

use super::*;

#[test]
fn a_scale_can_be_named_either_way() {
    let one = rank(&desk(), "--judge simulated --protocol pointwise:0..1:0.25");
    let other = rank(
        &desk(),
        "--judge simulated --protocol pointwise --scale 0..1:0.25",
    );
    assert_eq!(one["ranking"], other["ranking"]);
    assert_eq!(one["protocol"], other["protocol"]);
    let rows = desk().judgments(
        "--data data --judge simulated:probabilities=false --protocol \
                                 pointwise --scale 0..1:0.25",
    );
    assert!(
        rows.iter()
            .all(|row| [0.0, 0.25, 0.5, 0.75, 1.0].contains(&row["score"].as_f64().unwrap())),
        "{rows:?}"
    );
    let ran = desk().run("rank --data data --judge simulated --protocol pairwise --scale 1..5");
    ran.ends(2, "--scale 1-5: pairwise has no scale");
}

#[test]
fn steps_weigh_what_they_are_told_to() {
    let desk = desk();
    let plain = rank(
        &desk,
        "--judge simulated --protocol pairwise-5point --run run",
    );
    let weighed = rank(
        &desk,
        "--judge simulated --protocol pairwise-5point --run run --strength 6,2,2",
    );
    assert_ne!(plain["ranking"][0]["score"], weighed["ranking"][0]["score"]);
    desk.refused(
        "rank --data data --judge simulated --strength 3,1,1",
        "--strength: pairwise has no steps",
    );
}
