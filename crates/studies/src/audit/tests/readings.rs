//! Texts that say another verdict than their probabilities are counted.

use super::*;

#[test]
fn texts_that_say_another_verdict_are_counted() {
    // The text is drawn from the probabilities: it differs as often as the less probable side is
    // drawn.
    let report = run(
        "simulated:accuracy=0.7,probabilities=true,seed=3",
        80,
        |_| (),
        &[Probe::Position, Probe::Reading],
    );
    let other = found(&report, "text has another verdict", "pairwise");
    assert!(
        (other.figure.value.unwrap() - 0.3).abs() < 0.07,
        "{other:?}"
    );
}

#[test]
fn texts_that_name_another_answer_are_found() {
    let report = run(
        "simulated:accuracy=1,misread=0.2,probabilities=true,seed=3",
        80,
        |_| (),
        &[Probe::People, Probe::Reading],
    );
    for protocol in ["pairwise", "pointwise"] {
        let [other, none] = ["text has another verdict", "text has no verdict"]
            .map(|name| found(&report, name, protocol));
        assert!((other.figure.value.unwrap() - 0.2).abs() < 0.1, "{other:?}");
        assert_eq!((none.figure.value, none.items), (Some(0.0), 80));
    }
}
