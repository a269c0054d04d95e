//! Conditions of `--where`, in every command that reads data.

use super::*;

#[test]
fn a_condition_picks_records_in_every_command_that_reads_data() {
    let desk = battles(&["A", "B", "A", "B", "A", "B"]);
    assert_eq!(outcomes(&desk, "--where lang=en"), json!([3, 0, "x"]));
    assert_eq!(outcomes(&desk, "--where lang=de"), json!([3, 0, "y"]));
    assert_eq!(
        outcomes(
            &desk,
            "--where lang=de --where lang=en --where question_id=q2"
        ),
        json!([1, 0, "x"])
    );
    let near = "--where langs=en: no field `langs`";
    let ran = desk.run("leaderboard b.csv --where langs=en");
    assert!(
        ran.code == Some(2) && ran.stderr.contains("(`lang` comes near)"),
        "{near}: {}",
        ran.stderr
    );
    refused(
        &desk,
        "leaderboard b.csv --where lang=fr",
        "--where lang=fr: no row is left; values must match exactly, capitals included",
    );
    refused(
        &desk,
        "leaderboard b.csv --where lang",
        "--where `lang`: expected FIELD=VALUE",
    );
    // Of a data set, items; what is said of the others goes with them.
    let desk = Desk::new(0, &[]);
    let category = |at: usize| if at.is_multiple_of(2) { "a" } else { "b" };
    let item =
        |at: usize| json!({"id": format!("q{at}"), "instruction": "x", "category": category(at)});
    desk.write("data/items.jsonl", json_lines((0..6).map(item)));
    let answers =
        (0..6).flat_map(|at| ["s", "t"].map(|system| crate::common::response(at, system)));
    desk.write("data/responses.jsonl", answers.collect::<String>());
    let label =
        |at: usize| json!({"item": format!("q{at}"), "a": "s", "b": "t", "preferred": "first"});
    desk.write("data/labels.jsonl", json_lines((0..6).map(label)));
    let asked = |command: &str| {
        desk.json(&format!(
            "{command} --data data --where category=b --judge simulated --quiet"
        ))
    };
    assert_eq!(asked("rank --run r --rounds 20")["coverage"]["trials"], 6);
    assert_eq!(asked("estimate --run none")["trials"], 6);
    assert_eq!(asked("meta judge --run m --rounds 20")["n"], 3);
    assert_eq!(
        desk.judgments("--data data --where category=b --judge simulated --run j --quiet")
            .len(),
        6
    );
    let rendered = "prompts render --data data --where category=b --format json";
    let ran = desk.done(&format!("{rendered} --items 1"));
    ran.prints("Thing 1, says");
    refused(
        &desk,
        "rank --data data --where catgory=b --judge simulated",
        "(`category` comes near)",
    );
    refused(
        &desk,
        "rank --data data --where category=c --judge simulated",
        "--where category=c: nothing is left",
    );
}

#[test]
fn pairs_to_align_are_picked_too() {
    let desk = Desk::empty();
    let pair = |at: usize| json!({"a": "One. Two. Three.", "b": "Uno. Dos. Tres.", "lang": if at < 2 { "es" } else { "fr" }});
    desk.write("pairs.jsonl", json_lines((0..5).map(pair)));
    assert_eq!(
        desk.done("align pairs.jsonl --where lang=es")
            .stdout
            .lines()
            .count(),
        2
    );
    refused(
        &desk,
        "align pairs.jsonl --where lang=de",
        "--where lang=de: no pair of pairs.jsonl is left",
    );
}

#[test]
fn tables_of_rankings_and_of_constraints_are_picked_too() {
    let desk = battles(&["A", "B", "A", "B", "A", "B", "tie", "tie"]);
    desk.write("ratings.csv", "system,rating\nx,1000\ny,1100\n");
    let of = |picked: &str| {
        let report = desk.json(&format!(
            "meta bencher --ranking b.csv --ratings ratings.csv --rounds 20 {picked}"
        ));
        report["strict_agreement"].as_f64()
    };
    assert_eq!(of("--where lang=en"), Some(0.0));
    assert_eq!(of("--where lang=de"), Some(1.0));
    // Of a published table, and of the reference.
    desk.write(
        "all.csv",
        "system,score,split\nx,1,dev\ny,2,dev\nx,2,test\ny,1,test\n",
    );
    let table = |picked: &str| {
        desk.json(&format!(
            "meta bencher --ranking all.csv --ratings ratings.csv {picked}"
        ))
    };
    let agreement = ["dev", "test"]
        .map(|split| table(&format!("--where split={split}"))["strict_agreement"].as_f64());
    assert_eq!(agreement, [Some(1.0), Some(0.0)]);
    let bencher = "meta bencher --ranking all.csv --ratings ratings.csv";
    refused(
        &desk,
        &format!("{bencher} --where split=train"),
        "--where split=train: nothing is left",
    );
    refused(
        &desk,
        &format!("{bencher} --where spilt=dev"),
        "--where spilt=dev: no file has a field `spilt` (`split` comes near)",
    );
    let item = |id: &str, kind: &str| {
        json!({"id": id, "instruction": "x", "category": kind,
               "constraints": {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}})
    };
    desk.write(
        "items.jsonl",
        json_lines([
            item("a", "k"),
            item("b", "l"),
            item("c", "k"),
            item("d", "l"),
        ]),
    );
    let answer = |id: &str, output: &str| json!({"item": id, "system": "s", "output": output});
    desk.write(
        "responses.jsonl",
        json_lines([
            answer("a", "none"),
            answer("b", "a, b"),
            answer("c", "none"),
            answer("d", "c, d"),
        ]),
    );
    let kept = |picked: &str| {
        desk.json(&format!(
            "check items.jsonl responses.jsonl --rounds 20 {picked}"
        ))["systems"][0]["prompt_strict"]
            .as_f64()
    };
    assert_eq!(kept(""), Some(0.5));
    assert_eq!(kept("--where category=k"), Some(1.0));
    assert_eq!(kept("--where category=l"), Some(0.0));
}

#[test]
fn a_study_picks_records_and_reads_words_too() {
    let desk = Desk::new(6, &["a", "b"]);
    let label =
        |at: usize| json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "won"});
    desk.write("data/labels.jsonl", json_lines((0..6).map(label)));
    let study = |picked: &str| {
        let input =
            format!("[labelled.p]\ndata = ['data']\noutcomes = 'won=first'\nwhere = [{picked}]\n");
        desk.write(
            "S.toml",
            format!("types = ['pairwise']\nrounds = 20\n{input}[judges.j]\nspec = 'simulated'\n"),
        );
        desk.run("meta study S.toml")
    };
    let ran = study("'id=q1', 'id=q2'");
    ran.ends(0, "pairwise/direct/swap: 4 trials");
    let ran = study("'idd=q1'");
    let message = "error: [labelled.p] where idd=q1: no file has a field `idd` (`id` comes near)";
    assert!(
        ran.code == Some(2) && ran.stderr.starts_with(message),
        "{}",
        ran.stderr
    );
}
