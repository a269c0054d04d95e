//! Every form of a report begins with the same answer, and holds what came of `--fail-if`.

use crate::common::{Desk, answer, json_lines};
use serde_json::{Value, json};

/// A desk with what every command that answers needs, small.
fn desk() -> Desk {
    let desk = Desk::new(12, &["ant", "bee", "cat"]);
    let label = |item: usize, annotator: &str, preferred: &str| {
        json!({"item": format!("q{item}"), "a": "ant", "b": "bee", "preferred": preferred,
               "annotator": annotator})
    };
    let labels = (0..12).flat_map(|item| {
        let other = if item % 4 == 0 { "b" } else { "a" };
        [label(item, "x", "a"), label(item, "y", other)]
    });
    desk.write("labels.jsonl", json_lines(labels));
    for file in ["items.jsonl", "responses.jsonl"] {
        desk.write(
            &format!("labelled/{file}"),
            desk.read(&format!("data/{file}")),
        );
    }
    let labels = (0..12).map(|item| label(item, "x", "a"));
    desk.write("labelled/labels.jsonl", json_lines(labels));
    let battles = (0..24).map(|at| {
        let winner = if at % 3 == 0 { "model_b" } else { "model_a" };
        format!("q{at},ant,bee,{winner}\n")
    });
    let battles: String = battles.collect();
    desk.write(
        "battles.csv",
        "item,model_a,model_b,winner\n".to_owned() + &battles,
    );
    desk.write("scores.csv", "system,score\nant,3\nbee,2\ncat,1\ndog,0\n");
    desk.write("ratings.csv", "system,rating\nant,9\nbee,5\ncat,6\ndog,1\n");

    let constrained = (0..4).map(|at| {
        json!({"id": at.to_string(), "instruction": "Say it.",
               "constraints": [{"id": "punctuation:no_comma"}]})
    });
    desk.write("check/items.jsonl", json_lines(constrained));
    let kept = (0..4).flat_map(|at: usize| {
        ["good", "bad"].map(|system| {
            let output = if system == "bad" && at > 0 {
                "a, b"
            } else {
                "a b"
            };
            json!({"item": at.to_string(), "system": system, "output": output})
        })
    });
    desk.write("check/responses.jsonl", json_lines(kept));

    let languages = (0..24).map(|at| {
        let language = ["en", "de"][at % 2];
        json!({"id": format!("q{at}"), "language": language, "question_id": (at / 2).to_string(),
               "instruction": format!("Name thing {} in {language}.", at / 2)})
    });
    desk.write("languages/items.jsonl", json_lines(languages));
    let told = (0..24).flat_map(|at| ["a", "b"].map(|one| answer(at, one, &format!("{one} {at}"))));
    desk.write("languages/responses.jsonl", told.collect::<String>());

    for (name, salt) in [("plain", 1), ("formal", 2)] {
        let rows = (0..90_u64).map(|item| {
            let luck = (item * 53 + salt * 17 + item * item * (salt + 3)) % 17;
            let score = 1 + ((item * 37 + 11) % 90 + luck).saturating_sub(8).min(89) / 18;
            json!({"item": item.to_string(), "system": "x", "score": score})
        });
        desk.write(&format!("{name}.jsonl"), json_lines(rows));
    }
    let judged = (0..60).map(|item| {
        json!({"trial": item, "item": format!("q{item}"), "first": "v1", "second": null,
               "p_first": null, "p_tie": null, "p_second": null, "score": 1 + item * 7 % 10,
               "failure": null})
    });
    desk.write("judged.jsonl", json_lines(judged));
    let people = (0..60).map(|item| format!("q{item},v1,{}\n", 1 + item * 7 % 10 / 2));
    desk.write(
        "people.csv",
        "item,system,score\n".to_owned() + &people.collect::<String>(),
    );

    let judge = "judge --data labelled --judge simulated:accuracy=0.9 --run recorded --quiet";
    let recorded = desk.done(&format!("{judge} --format json")).stdout;
    desk.write("recorded.jsonl", recorded);
    for (run, seed) in [("old", 1), ("new", 2)] {
        let judge = format!("simulated:accuracy=0.8,seed={seed}");
        desk.done(&format!(
            "rank --data data --judge {judge} --run {run} --quiet"
        ));
    }
    desk
}

/// Words alone: without the breaks of lines and the signs of Markdown.
fn words_of(text: &str) -> String {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let plain = text.replace(['\\', '*', '\u{200b}'], "");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_form_begins_with_the_answer() {
    let desk = desk();
    let judged = "--judge simulated:accuracy=0.8,first-slot=0.2 --quiet";
    for command in [
        &format!("rank --data data {judged} --run rank --rounds 100"),
        "leaderboard battles.csv --rounds 100",
        "compare old new",
        "compare old --pair ant,bee",
        &format!("audit --data data {judged} --run audit --probes position"),
        &format!("audit --data data {judged} --judge simulated:seed=2 --apart --probes position"),
        "audit --recorded battles.csv",
        "check check",
        "plan old",
        "models try simulated:accuracy=0.8",
        &format!("meta judge --data labelled {judged} --run labelled-run --rounds 100"),
        "meta bencher --ranking one=scores.csv --score-column score --ratings ratings.csv",
        "meta people --labels labels.jsonl --rounds 100",
        "meta conformal --recorded judged.jsonl --labels people.csv",
        "meta select --recorded recorded.jsonl --labels labelled/labels.jsonl",
        "meta self-preference --recorded battles.csv --own battles=ant",
        "meta wordings --recorded plain.jsonl formal.jsonl",
        &format!("meta translations --data languages {judged} --run languages-run"),
        &format!(
            "meta consistency --data data {judged} --run consistency --rounds 100 --protocol \
             pairwise/direct/swap:none"
        ),
    ] {
        let report = desk.json(command);
        let answer = words_of(report["answer"]["text"].as_str().unwrap_or_default());
        assert!(!answer.is_empty(), "{command}: {report}");
        let first = words_of(&desk.done(command).stdout);
        assert!(first.starts_with(&answer), "{command}: {answer}\n{first}");
        let markdown = desk.done(&format!("{command} --format markdown")).stdout;
        // Before any table.
        let above = markdown.split("\n|").next().unwrap_or_default();
        assert!(
            words_of(above).contains(&answer),
            "{command}: {answer}\n{markdown}"
        );
    }
}

#[test]
fn markdown_and_json_hold_what_came_of_conditions() {
    let desk = desk();
    let judged = "--judge simulated:accuracy=0.8,first-slot=0.2 --quiet";
    for (command, met, passed) in [
        (
            format!("rank --data data {judged} --run rank --rounds 100"),
            "failures<1",
            "failures>1",
        ),
        (
            "leaderboard battles.csv --rounds 100".into(),
            "failures<1",
            "failures>1",
        ),
        (
            format!("audit --data data {judged} --run audit --probes position,failures"),
            "failures<0.5",
            "failures>0.5",
        ),
        (
            "check check".into(),
            "prompt_strict<0.9",
            "prompt_strict<0.1",
        ),
        (
            format!("meta judge --data labelled {judged} --run labelled-run --rounds 100"),
            "failures<1",
            "failures>1",
        ),
        (
            "meta bencher --ranking one=scores.csv --score-column score --ratings ratings.csv"
                .into(),
            "spearman<1",
            "spearman<-0.5",
        ),
        (
            format!("meta translations --data languages {judged} --run languages-run"),
            "failures<1",
            "failures>1",
        ),
        (
            format!(
                "meta consistency --data data {judged} --run consistency --rounds 100 --protocol \
                 pairwise/direct/swap:none"
            ),
            "failures<1",
            "failures>1",
        ),
        ("compare old new".into(), "items<100", "items<2"),
    ] {
        for (condition, code, outcome) in [(met, 3, "met"), (passed, 0, "passed")] {
            let run = |form: &str| {
                let arguments = format!("{command} --fail-if {condition} --format {form}");
                let ran = desk.run(&arguments);
                assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
                ran
            };
            let gates = run("json").json()["gates"].clone();
            assert_eq!(gates[0]["condition"], condition, "{command}: {gates}");
            assert_eq!(gates[0]["outcome"], outcome, "{command}: {gates}");
            let rows = run("markdown").stdout;
            let is_row =
                |line: &str| words_of(line).starts_with(&format!("| {condition} | {outcome} |"));
            assert!(rows.lines().any(is_row), "{command}: {rows}");
            // Rows alone.
            let csv = run("csv").stdout;
            assert!(!csv.contains(condition), "{csv}");
        }
        let free = desk.json(&command);
        let has_none = |gates: &Value| gates.is_null() || *gates == json!([]);
        assert!(has_none(&free["gates"]), "{command}");
    }
}
