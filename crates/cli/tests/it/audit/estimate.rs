//! What an audit would ask, and what that would cost.

use super::*;

#[test]
fn an_estimate_asks_nobody_and_foresees_the_calls() {
    let desk = Desk::new(12, &["a", "b", "c", "d"]);
    desk.write("prices.toml", PRICES);
    let probes = "--probes \
                  position,distractors,protocols,null-answer,transitivity,choice-set,scale,leaderboard";
    let audit = format!(
        "{AUDIT} --judge simulated:accuracy=1,gap=1,log=asked {probes} --rewriter simulated \
         --prices prices.toml"
    );
    let before = desk.json(&format!("{audit} --estimate"));
    assert!(
        !desk.path("run").exists() && desk.lines("asked").is_empty(),
        "an estimate leaves no trace"
    );
    let report = desk.json(&audit);
    let parts = before["protocols"].as_array().unwrap();
    let (writing, asking): (Vec<&Value>, Vec<&Value>) = parts.iter().partition(|part| {
        part["protocol"]
            .as_str()
            .unwrap()
            .contains(", rewritten by simulated")
    });
    let sum = |parts: &[&Value], key: &str| parts.iter().map(|part| count(part, key)).sum::<u64>();
    assert_eq!(sum(&asking, "calls"), count(&report["usage"], "calls"));
    assert_eq!(
        sum(&asking, "prompt_tokens"),
        count(&report["usage"], "prompt_tokens")
    );
    assert_eq!(writing.len(), 3);
    assert_eq!(sum(&writing, "calls"), count(&report["rewriting"], "calls"));
    assert!(sum(&writing, "calls") < 3 * 12 * 4, "only what is shown");
    assert_eq!(
        sum(&asking, "calls") + sum(&writing, "calls"),
        count(&before, "calls")
    );
    let usd = |value: &Value| value.as_f64().unwrap();
    assert!(
        (usd(&before["cost_usd_at_least"]) - count(&before, "prompt_tokens") as f64 / 1e3).abs()
            < 1e-6,
        "{before}"
    );
    assert!(usd(&before["cost_usd"]) >= usd(&report["usage"]["cost_usd"]));
    assert!(
        before["note"]
            .as_str()
            .unwrap()
            .starts_with("An estimate: ")
    );
    // What is in the run directory is not counted again, and its verdicts are followed.
    let after = desk.json(&format!("{audit} --estimate"));
    assert_eq!(
        json!([
            after["calls"],
            after["calls_stored"],
            after["prompt_tokens"]
        ]),
        json!([before["calls"], before["calls"], 0])
    );
}

#[test]
fn an_estimate_is_at_most_what_pairs_ask() {
    let desk = Desk::new(30, &["a", "b"]);
    let audit = format!("{AUDIT} --judge simulated:gap=0 --protocol pairwise-tie/direct/swap");
    let estimate = desk.json(&format!("{audit} --estimate"));
    let table = desk.done(&format!("{audit} --estimate")).stdout;
    for part in [
        "judge ",
        "trials ",
        "prompt tokens ",
        "pairwise-tie/direct/swap ",
        "An estimate: later questions depend on",
    ] {
        assert!(
            table
                .lines()
                .any(|line| line.trim_start().starts_with(part)),
            "{part}: {table}"
        );
    }
    assert_eq!(
        desk.done(&format!("{audit} --estimate --format csv"))
            .stdout
            .lines()
            .count(),
        2
    );
    // Nothing to ask leaves the header.
    let none = "--probes protocols --protocol pairwise/direct/single --estimate --format csv";
    let header = desk
        .done(&format!("{AUDIT} --judge simulated {none}"))
        .stdout;
    assert!(header.starts_with("protocol,trials,calls"), "{header}");
    let (asked, most) = (
        count(&desk.json(&audit)["usage"], "calls"),
        count(&estimate, "calls"),
    );
    assert!(asked < most && most < 2 * asked, "{asked} of {most}");
}
