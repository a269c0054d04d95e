//! All pairs of an item beside a drawn one, and settings of a file that a probe does not use.

use super::*;
use crate::common::assert_holds;

/// Every two of four systems, on every item; a question counts once, however many pairs it has.
#[test]
fn every_pair_is_compared() {
    let desk = Desk::new(9, &["a", "b", "c", "d"]);
    let audit = "audit --data data --quiet --judge simulated:accuracy=1,gap=1 --probes \
                 position,distractors,null-answer,people --rewrites assertive,flattery";
    let counts = |choice: &str, name: &str| {
        let report = desk.json(&format!("{audit} --run {choice} --pairs {choice}"));
        assert_eq!(report["pairs"], choice);
        let found = found(&report, name);
        (count(found, "items"), count(found, "clusters"))
    };
    assert_eq!(counts("drawn", "flips by order"), (9, 9));
    assert_eq!(counts("all", "flips by order"), (9 * 6, 9));
    // Each response against itself.
    assert_eq!(counts("drawn", "flattery: preferred"), (9, 9));
    assert_eq!(counts("all", "flattery: preferred"), (9 * 4, 9));
    assert_eq!(counts("all", "wins"), (9 * 4, 9));
    let card = desk.done(&format!("{audit} --run all --pairs all")).stdout;
    assert_holds(&card, ", every two systems compared");
    assert_holds(&card, "pairs (questions)");

    // The estimate counts the same calls, as this judge never contradicts itself.
    let report = desk.json(&format!("{audit} --run all --pairs all"));
    let estimate = desk.json(&format!("{audit} --run new --pairs all --estimate"));
    assert_eq!(count(&estimate, "calls"), count(&report["usage"], "calls"));
}

#[test]
fn the_pairs_that_people_compared_are_compared() {
    let desk = Desk::new(6, &["a", "b", "c"]);
    // Two on the first item, one of them twice; one on the second; none on the others.
    let label = |item: &str, a: &str, b: &str| {
        json!({"item": item, "a": a, "b": b, "preferred": "a"}).to_string() + "\n"
    };
    let labels = [
        label("q0", "a", "b"),
        label("q0", "b", "a"),
        label("q0", "c", "b"),
        label("q1", "a", "c"),
    ];
    desk.write("data/labels.jsonl", labels.concat());
    let audit = format!("{AUDIT} --judge simulated --probes position,people --pairs labelled");
    let report = desk.json(&audit);
    let order = found(&report, "flips by order");
    assert_eq!((count(order, "items"), count(order, "clusters")), (3, 2));
    assert_eq!(count(found(&report, "longer, by people"), "failed"), 0);
}

/// A file is for several commands: what one of them does not use is left out aloud. On the line it
/// is refused.
#[test]
fn a_file_may_name_a_tweak_set_beside_other_probes() {
    let desk = Desk::new(6, &["a", "b"]);
    desk.done("audit tweak-set tweaks --items 12");
    desk.write(
        "audit.toml",
        "data = [\"data\"]\ntweak-set = \"tweaks\"\nrewrites = [\"assertive\"]\nrepeats = 3\n",
    );
    let audit = "audit --config audit.toml --judge simulated --run run";
    let ran = desk.done(&format!("{audit} --probes distractors"));
    for key in ["repeats", "tweak-set"] {
        let note = format!("--config: `{key}` is not used here: it is for --probes ");
        ran.says(&note);
    }
    let quiet = desk.done(&format!("{audit} --probes distractors --quiet"));
    assert!(!quiet.stderr.contains("--config"), "{}", quiet.stderr);
    desk.refused(
        &format!("{audit} --probes distractors --tweak-set tweaks"),
        "--tweak-set: it is not used here",
    );

    // Where the probe is asked for, the same file gives it, and the items are limited there too.
    let report = desk.json(&format!("{audit} --probes severity --items 5"));
    assert_eq!(count(found(&report, "1 broken: accuracy"), "items"), 5);
    let all = desk.json(&format!("{audit} --probes severity"));
    assert_eq!(count(found(&all, "1 broken: accuracy"), "items"), 12);
}

/// Tables 2 and 3 and figures 2 and 3 of the paper, of two judges.
#[test]
fn tables_and_figures_have_the_papers_layout() {
    let desk = Desk::new(12, &["a", "b"]);
    desk.done("audit tweak-set tweaks --items 8");
    let audit = "audit --data data --tweak-set tweaks --quiet --rewrites assertive,filler --probes \
                 distractors,severity --figures figures";
    let judges = "--judge simulated:distractor=0.9,tie=0.1 --judge simulated:seed=1 --apart";
    let text = desk.done(&format!("{audit} {judges}")).stdout;
    for column in [
        "assertive: absolute",
        "assertive: pairs",
        "filler: absolute",
        "average: pairs",
    ] {
        assert_eq!(
            text.matches(column).count(),
            // Flips and ties of each judge, and of both.
            6,
            "{column}: {text}"
        );
    }
    assert_eq!(text.matches("\n average over judges ").count(), 2, "{text}");
    let preferred = desk.read("figures/preferred.svg");
    for part in [
        "simulated:",
        "assertive",
        "filler",
        "Preferred for being rewritten",
    ] {
        assert!(preferred.contains(part), "{part}: {preferred}");
    }
    let severity = desk.read("figures/1-severity.svg");
    for part in [
        "1 broken, plain",
        "3 broken, assertive",
        "pairwise-tie",
        "pointwise:1-7",
    ] {
        assert!(severity.contains(part), "{part}: {severity}");
    }
    let report = desk.json(&format!("{audit} {judges}"));
    assert_eq!(report["ties"]["rows"].as_array().unwrap().len(), 9);
}

/// Under two criteria no two rows of a figure are alike.
#[test]
fn rows_name_their_criteria() {
    let desk = Desk::new(8, &["a", "b", "c"]);
    desk.done(&format!(
        "{AUDIT} --judge simulated --probes position,transitivity --protocol \
         pairwise-tie/direct/swap --criteria overall,instruction-following --figures figures"
    ));
    for file in ["card", "rates"] {
        let svg = desk.read(&format!("figures/{file}.svg"));
        // The title of a mark without its numbers.
        let titles = svg.split("<g><title>").skip(1);
        let titles = titles.filter_map(|title| title.split("</title>").next());
        let mut labels: Vec<String> = titles
            .map(|title| title.replace(|c: char| c.is_ascii_digit(), ""))
            .collect();
        assert!(labels.len() > 3, "{svg}");
        let all = labels.len();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), all, "{labels:?}");
        for criterion in ["overall", "instruction-following"] {
            assert!(svg.contains(&format!("pairwise-tie, {criterion}")), "{svg}");
        }
    }
}
