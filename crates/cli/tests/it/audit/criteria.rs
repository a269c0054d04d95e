//! Several criteria and several judges in one audit: tables 2, 4 and 5 of distracted evaluation.

use super::*;

const ORDER: &str = "--probes position,transitivity,choice-set --criteria \
                     overall,instruction-following --protocol pairwise-tie/direct/swap";

fn of_criterion<'a>(report: &'a Value, name: &str, criterion: &str) -> &'a Value {
    let rows = report["by_criterion"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("no {name} in {rows:#?}"));
    &row["criteria"][criterion]
}

#[test]
fn both_criteria_are_asked_and_tested_side_by_side() {
    let desk = Desk::new(60, &["a", "b", "c", "d"]);
    let judge = "simulated:intransitive=0.95,choice-set=1";
    let report = desk.json(&format!("{AUDIT} --judge {judge} {ORDER}"));
    assert_eq!(
        report["criteria"],
        json!(["overall", "instruction-following"])
    );
    assert_eq!(
        report["protocols"],
        json!([
            "pairwise-tie/direct/swap/overall",
            "pairwise-tie/direct/swap/instruction-following"
        ])
    );
    for name in [
        "certain circles",
        "reversals beyond neutral, third response last",
    ] {
        for criterion in ["overall", "instruction-following"] {
            let figure = of_criterion(&report, name, criterion);
            assert_eq!(figure["biased"], true, "{name}, {criterion}: {figure}");
        }
    }
    let leaning = desk.json(&format!("{AUDIT} --judge simulated:first-slot=0.6 {ORDER}"));
    for criterion in ["overall", "instruction-following"] {
        let first = of_criterion(&leaning, "first slot", criterion);
        assert_eq!(first["biased"], true, "{criterion}: {first}");
    }
    let one = desk.json(&format!(
        "{AUDIT} --judge {judge} --probes position,transitivity,choice-set --protocol \
         pairwise-tie/direct/swap"
    ));
    assert_eq!(count(&report, "tested"), 2 * count(&one, "tested"));
    assert_eq!(one["by_criterion"], json!([]));
    let card = desk
        .done(&format!("{AUDIT} --judge {judge} {ORDER}"))
        .stdout;
    let said = format!("all tests of this audit ({})", report["tested"]);
    assert!(
        card.replace('\n', " ").contains(&said) && card.contains("By criterion"),
        "{card}"
    );
}

#[test]
fn judges_without_a_defect_are_accused_under_neither_criterion() {
    let desk = Desk::new(30, &["a", "b", "c", "d"]);
    let accused = (0..6).filter(|seed| {
        let report = desk.json(&format!(
            "{AUDIT}-{seed} --judge simulated:gap=0.6,seed={seed} {ORDER}"
        ));
        report["biased"] != 0
    });
    assert_eq!(accused.count(), 0);
}

#[test]
fn criteria_are_rubrics() {
    let desk = Desk::new(8, &["a", "b"]);
    desk.refused(
        &format!("{AUDIT} --judge simulated --probes position --criteria overall,beauty"),
        "beauty",
    );
    // A protocol with a rubric of its own keeps it; two criteria are not set against each other.
    let report = desk.json(&format!(
        "{AUDIT} --judge simulated --rewrites assertive --criteria overall,rules --probes \
         distractors,protocols --protocol pairwise/direct/swap/none,pairwise-tie,pointwise:1-7"
    ));
    let protocols = report["protocols"].as_array().unwrap();
    assert_eq!(protocols.len(), 5, "{protocols:?}");
    let findings = report["findings"].as_array().unwrap();
    let compared = findings.iter().filter(|one| one["probe"] == "protocols");
    let compared: Vec<&str> = compared
        .map(|one| one["protocol"].as_str().unwrap())
        .collect();
    assert_eq!(
        compared,
        [
            "pairwise-tie/direct/swap/overall against pointwise:1-7/direct/single/overall",
            "pairwise-tie/direct/swap against pointwise:1-7/direct/single",
        ]
    );
}

fn share(row: &Value, protocol: usize) -> f64 {
    row["flips"][protocol]["value"].as_f64().unwrap()
}

/// Table 2: distractors by protocol, with averages over distractors and judges.
#[test]
fn flips_stand_in_the_layout_of_the_paper() {
    let desk = Desk::new(40, &["a", "b"]);
    let judges = "--judge simulated:gap=0.5,distractor=0.9 --judge simulated:gap=0.5,seed=3";
    let audit = format!(
        "{AUDIT} --apart {judges} --probes distractors --rewrites assertive,filler,flattery"
    );
    let report = desk.json(&audit);
    assert_eq!(report["audits"].as_array().unwrap().len(), 2);
    let table = &report["flips"];
    assert_eq!(table["kinds"], json!(["pairs", "absolute"]));
    let rows = table["rows"].as_array().unwrap();
    // Three distractors and their average, of two judges and their average.
    assert_eq!(rows.len(), 4 * 3);
    let row = |judge: usize, distractor: usize| &rows[4 * judge + distractor];
    assert_eq!(row(0, 0)["distractor"], "assertive");
    assert!(row(0, 3)["distractor"].is_null() && row(2, 0)["judge"].is_null());
    for protocol in 0..2 {
        for judge in 0..2 {
            let single = (0..3).map(|distractor| share(row(judge, distractor), protocol));
            let mean = single.sum::<f64>() / 3.0;
            assert!((share(row(judge, 3), protocol) - mean).abs() < 0.02);
            assert!(row(judge, 3)["flips"][protocol]["ci"][0].is_number());
        }
        for distractor in 0..4 {
            let both = [0, 1].map(|judge| share(row(judge, distractor), protocol));
            let average = row(2, distractor);
            assert!((share(average, protocol) - (both[0] + both[1]) / 2.0).abs() < 1e-9);
            let range = &average["flips"][protocol]["range"];
            assert_eq!(range[0].as_f64(), Some(both[0].min(both[1])));
        }
    }
    // What was planted in the first judge shows in its row.
    assert!(share(row(0, 0), 0) > 0.6 && share(row(0, 0), 0) > share(row(1, 0), 0));
    let card = desk.done(&audit).stdout;
    for part in ["absolute", "pairs", "average over judges"] {
        assert!(card.contains(part), "{part}: {card}");
    }
    // As a panel the same judges are one.
    let panel = desk.json(&audit.replace("--apart ", ""));
    assert_eq!(panel["flips"]["rows"].as_array().unwrap().len(), 4);
}

/// A judge's run is complete once it is audited, and keeps its card, whoever else was audited.
#[test]
fn each_of_several_judges_keeps_its_card() {
    let desk = Desk::new(12, &["a", "b"]);
    let judges = "--judge simulated:gap=0.5 --judge simulated:gap=0.5,seed=3";
    let audit = format!("audit --data data --quiet --apart {judges} --probes position");
    let report = desk.json(&audit);
    let answer = report["answer"]["text"].as_str().unwrap();
    assert!(answer.contains("of 2 judges"), "{answer}");
    assert!(desk.done(&audit).stdout.starts_with(answer));
    let runs = desk.json("runs");
    let runs = runs.as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert!(
        runs.iter().all(|run| run["state"] == "complete"),
        "{runs:?}"
    );
    // One run for all of them keeps what is said of all.
    desk.json(&format!("{audit} --run all"));
    let runs = desk.json("runs .");
    assert_eq!(runs[0]["state"], "complete", "{runs}");
}
