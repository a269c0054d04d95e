//! Judges that were recorded.

use super::*;
use crate::common::json_line;

#[test]
fn recordings_in_both_orders_have_cards() {
    let desk = Desk::new(12, &["a", "b"]);
    let label = |at: usize| {
        json_line(json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"}))
    };
    desk.write("data/labels.jsonl", (0..12).map(label).collect::<String>());
    let judged = desk
        .done("judge --data data --judge simulated:first-slot=1 --quiet --run run --format json")
        .stdout;
    desk.write("judgments.jsonl", judged);
    let report = desk.json("audit --recorded judgments.jsonl --labels data/labels.jsonl");
    let first = found(&report, "first slot");
    assert_eq!(first["value"].as_f64(), Some(1.0));
    assert_eq!(first["items"].as_u64(), Some(12));
    assert_eq!(first["biased"].as_bool(), Some(true));
    assert_eq!(found(&report, "flips by order")["value"], 1.0);
}

/// Figures of the order need no labels, and how often the longer is preferred needs the data alone.
#[test]
fn recordings_without_labels_have_a_card_of_the_order() {
    let desk = Desk::new(24, &["a", "bee"]);
    let judge = "judge --data data --judge simulated:first-slot=1 --quiet --run run --format json";
    desk.write("judgments.jsonl", desk.done(judge).stdout);
    for data in ["", "--data data"] {
        let report = desk.json(&format!("audit --recorded judgments.jsonl {data}"));
        let first = found(&report, "first slot");
        assert_eq!(
            (&first["value"], &first["items"]),
            (&json!(1.0), &json!(24))
        );
        assert_eq!(first["biased"], true);
        let findings = report["findings"].as_array().unwrap();
        let names = findings.iter().map(|one| one["name"].as_str().unwrap());
        assert!(
            !names.clone().any(|name| name.contains("people")),
            "{findings:?}"
        );
        let warnings = report["warnings"].to_string();
        assert!(warnings.contains("no labels of people"), "{warnings}");
        // The lengths are known of the data.
        let longer = names.clone().any(|name| name == "longer, by the judge");
        let has_lengths = findings
            .iter()
            .any(|one| one["probe"] == "length preference");
        assert_eq!(has_lengths, !data.is_empty(), "{longer} {findings:?}");
    }
}

/// Battles do not say who judged: of an audit they are the judge's, unless other files hold what it
/// said. A measure of a judge needs people's labels.
#[test]
fn battles_without_labels_are_what_the_judge_said() {
    let desk = Desk::empty();
    let head = "item,model_a,model_b,winner\n";
    let first_wins = |at: usize| format!("q{at},a,b,model_a\nq{at},b,a,model_a\n");
    desk.write(
        "both.csv",
        head.to_owned() + &(0..12).map(first_wins).collect::<String>(),
    );
    let report = desk.json("audit --recorded both.csv");
    let first = found(&report, "first slot");
    assert_eq!(
        (&first["value"], &first["items"], &first["biased"]),
        (&json!(1.0), &json!(12), &json!(true))
    );
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("battles do not say who judged"),
        "{warnings}"
    );
    // In one order each, nothing is known of places, and that is said.
    let once = |at: usize| format!("q{at},a,b,model_a\n");
    desk.write(
        "once.csv",
        head.to_owned() + &(0..12).map(once).collect::<String>(),
    );
    let report = desk.json("audit --recorded once.csv");
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("which response was shown first"),
        "{warnings}"
    );
    desk.refused(
        "meta judge --recorded once.csv",
        "--recorded once.csv: no judge's verdict is in it, only labels, or battles, which are \
         taken as people's votes; for battles by a judge, give people's labels with --labels FILE",
    );
    desk.refused(
        "audit --recorded both.csv ./both.csv",
        "--recorded ./both.csv: the file is given twice (also as both.csv); give it once",
    );
}

#[test]
fn recorded_judges_of_the_field_have_cards() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let file = |name: &str| {
        data.join(format!("llmbar/natural/evaluators/{name}.jsonl.gz"))
            .display()
            .to_string()
    };
    let files = [
        "GPT-4__Rating",
        "GPT-4__CoT",
        "ChatGPT-0301__Vanilla",
        "PaLM2__CoT",
    ]
    .map(file)
    .join(" ");
    let run = format!(
        "audit --recorded {files} --data {}",
        data.join("llmbar/natural/dataset.jsonl").display()
    );
    let report = desk.json(&run);
    let audits = report["audits"].as_array().unwrap();
    // Each response is rated by itself: equal ratings, which the file gives to the second slot, are
    // ties, and no order turns anything.
    let [first, flips] = ["first slot", "flips by order"]
        .map(|name| found(&audits[0], name)["value"].as_f64().unwrap());
    assert!(first == 0.5 && flips == 0.0, "{first} {flips}");
    assert!(
        found(&audits[0], "consistency, highest third by length")["items"].as_u64() >= Some(30)
    );
    // The answer of all comes first, then that of each judge, then a row for each.
    let table = desk.done(&run).stdout;
    for audit in audits {
        let judge = audit["judge"].as_str().unwrap();
        let starts = |start: String| {
            table
                .lines()
                .filter(|line| line.starts_with(&start))
                .count()
        };
        let lines = [format!("{judge}: "), format!(" {judge} ")].map(starts);
        assert_eq!(lines, [1, 1], "{judge}: {table}");
    }
}

/// A card explains an interval beside a bias that seems to say that there is none, and no other.
#[test]
fn an_interval_that_holds_the_unbiased_value_is_explained() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    for (judge, explained) in [("PaLM2", true), ("Falcon", false)] {
        let file = format!("llmbar/natural/evaluators/{judge}__Vanilla.jsonl.gz");
        let file = data.join(file);
        let ran = desk.done(&format!("audit --recorded {}", file.display()));
        assert!(
            ran.stdout.contains("Found in 1 of 1 test"),
            "{}",
            ran.stdout
        );
        assert_eq!(
            ran.stdout.contains(
                "\nAn interval may hold the unbiased value although a bias was found: the test \
                 counts to which side each question moved, and the interval also allows for how \
                 far, so it is the wider."
            ),
            explained,
            "{}",
            ran.stdout
        );
    }
}
