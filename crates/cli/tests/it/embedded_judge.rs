//! The real binary with the real small model (`EVENHAND_MODEL`, else the cache directory).
#![cfg(feature = "embedded")]

use crate::common::{Desk, assert_holds, json_line};
use evenhand_testing::{is_slow, small_model};
use serde_json::Value;

/// Short answers, of which one system's are on topic, one's are of the next item, and one's are
/// empty talk.
fn desk() -> Desk {
    let desk = Desk::empty();
    let facts = [
        (
            "What is the capital of France?",
            "The capital of France is Paris, on the river Seine.",
        ),
        (
            "How many legs does a spider have?",
            "A spider has eight legs, four on each side of its body.",
        ),
        (
            "Name a metal that is liquid at room temperature.",
            "Mercury is a metal that is liquid at room temperature.",
        ),
        (
            "Why is the sky blue?",
            "Air scatters the blue part of sunlight more than the red part.",
        ),
    ];
    let line = |value: Value| format!("{value}\n");
    let item = |(at, fact): (usize, &(&str, &str))| {
        line(serde_json::json!({"id": at.to_string(), "instruction": fact.0}))
    };
    desk.write(
        "data/items.jsonl",
        facts.iter().enumerate().map(item).collect::<String>(),
    );
    let answers = |at: usize| {
        [
            ("on", facts[at].1),
            ("off", facts[(at + 1) % 4].1),
            ("talk", "I am glad that you asked me this."),
        ]
    };
    let row = |at: usize, (system, output): (&str, &str)| {
        line(serde_json::json!({"item": at.to_string(), "system": system, "output": output}))
    };
    let rows = (0..4).flat_map(|at| answers(at).map(|answer| row(at, answer)));
    desk.write("data/responses.jsonl", rows.collect::<String>());
    desk
}

/// The two have the same texts, each to its own question or to the next: between them lies more
/// than kernels of processors differ by. Empty talk lies within that of the right answers.
#[test]
fn a_small_model_ranks_by_likelihood_and_puts_answers_that_are_on_topic_before_others() {
    let Some(model) = small_model() else { return };
    let report = desk().json(&format!(
        "rank --data data --judge gguf:{} --rounds 50",
        model.display()
    ));
    assert_eq!(
        report["protocol"],
        "likelihood:novel,surprisal=0.1/direct/single"
    );
    assert_eq!(report["coverage"]["verdicts"], 12);
    let rank = |system: &str| {
        let row = report["ranking"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["system"] == system)
            .unwrap();
        row["rank"].as_u64().unwrap()
    };
    assert!(rank("on") < rank("off"), "{report}");
    assert_eq!(
        report["consistency"],
        Value::Null,
        "no two responses are shown together"
    );
    let warnings = report["warnings"].to_string();
    assert_holds(&warnings, "orders strong systems roughly at best");
}

/// The small model names the first response whatever stands there. What its replies hold beside
/// that is the verdict where no calibration is named, and a run that keeps less says how to get it.
#[test]
fn verdicts_are_averaged_by_default_and_a_run_that_kept_less_says_how_to_get_them_for_nothing() {
    let Some(model) = small_model() else { return };
    let desk = desk();
    let common = format!(
        "--data data --items 2 --judge gguf:{} --rounds 50",
        model.display()
    );
    let by_slot = desk.json(&format!(
        "rank {common} --protocol pairwise,mode/direct/swap --run by-slot"
    ));
    let scores = |report: &Value| -> Vec<f64> {
        let rows = report["ranking"].as_array().unwrap();
        rows.iter()
            .map(|row| row["score"].as_f64().unwrap())
            .collect()
    };
    assert_eq!(scores(&by_slot), [1000.0; 3]);
    let warnings = by_slot["warnings"].to_string();
    let named = "--protocol pairwise/direct/swap:average and --reuse RUN";
    assert_holds(&warnings, "`,mode` counts nothing else");
    assert_holds(&warnings, named);

    let averaged = desk.done(&format!(
        "rank {common} --protocol pairwise/direct --run averaged --reuse by-slot --format json"
    ));
    averaged.says("0 calls made now, 12 reused");
    let averaged = averaged.json();
    assert_eq!(averaged["protocol"], "pairwise/direct/swap:average");
    let found = scores(&averaged);
    assert!(found[0] > found[2], "{found:?}");

    let both = desk.json(&format!(
        "rank {common} --protocol pairwise/direct/swap --run both --reuse by-slot"
    ));
    assert_eq!(
        both["protocol"], "pairwise/direct/swap",
        "what is named stays what it is"
    );
    let warnings = both["warnings"].to_string();
    assert!(warnings.contains(named), "{warnings}");
}

#[test]
fn what_repeats_the_question_wins_by_plain_likelihood_and_not_by_the_default() {
    let Some(model) = small_model() else { return };
    let desk = desk();
    let items = std::fs::read_to_string(desk.path("data/items.jsonl")).unwrap();
    let echo = |line: &str| {
        let item: Value = serde_json::from_str(line).unwrap();
        json_line(serde_json::json!({
            "item": item["id"], "system": "echo", "output": item["instruction"],
        }))
    };
    let answers = std::fs::read_to_string(desk.path("data/responses.jsonl")).unwrap();
    desk.write(
        "data/responses.jsonl",
        items
            .lines()
            .map(echo)
            .fold(answers, |all, line| all + &line),
    );
    let ask = |protocol: &str| {
        let report = desk.json(&format!(
            "rank --data data --judge gguf:{} --rounds 50{protocol}",
            model.display()
        ));
        report["ranking"][0]["system"].clone()
    };
    assert_eq!(ask(" --protocol likelihood"), "echo");
    assert_ne!(ask(""), "echo");
}

#[test]
fn analyses_and_scores_are_written_by_the_model_and_are_the_same_whatever_the_threads() {
    let Some(model) = small_model() else { return };
    let (desk, model) = (desk(), model.display());
    for protocol in [
        "pairwise/prepair/swap:average",
        "pairwise-score/direct/portia:2",
    ] {
        // By some kernels an analysis goes round in circles to its limit: its verdict is then too
        // long for so small a context, in place of thousands of tokens that are read.
        let run = |threads: usize| {
            let run = format!("{}-{threads}", protocol.replace(['/', ':'], "-"));
            let what = format!(
                "--data data --items 1 --systems on,talk --judge gguf:{model} --context 1024 \
                 --protocol {protocol}"
            );
            // Scores of so small a model may be no verdict at all, which ends with 1.
            desk.run(&format!(
                "judge {what} --threads {threads} --run {run} --format json --quiet"
            ))
            .stdout
        };
        let one = run(1);
        assert!(one.contains("\"trial\":0"), "{one}");
        // Most is written before the verdict of prepair; both where EVENHAND_SLOW=1 is set.
        if is_slow() || protocol.starts_with("pairwise/prepair") {
            assert_eq!(one, run(2), "{protocol}");
        }
    }
    let file = desk.path("pairwise-prepair-swap-average-1/run.sqlite");
    let calls = rusqlite::Connection::open(file).unwrap();
    let written: Vec<u64> = calls
        .prepare("SELECT completion_tokens FROM calls ORDER BY id")
        .and_then(|mut select| {
            select
                .query_map([], |row| row.get::<_, i64>(0).map(|n| n as u64))?
                .collect()
        })
        .unwrap();
    assert!(
        written.len() == 4 && written[..2].iter().all(|tokens| *tokens > 20),
        "two analyses, two verdicts: {written:?}"
    );
}

#[test]
fn prompts_are_shown_as_the_model_reads_them() {
    let Some(model) = small_model() else { return };
    let text = desk()
        .done(&format!(
            "prompts render --data data --protocol pairwise --judge gguf:{}",
            model.display()
        ))
        .stdout;
    assert_holds(&text, "<|im_start|>system\nYou are an impartial judge.");
    assert_holds(&text, "<|im_start|>assistant");
}

#[test]
fn a_killed_run_ends_with_the_bytes_of_an_undisturbed_one() {
    let Some(model) = small_model() else { return };
    let desk = desk();
    let command = |run: &str, threads: usize| {
        let model = model.display();
        format!(
            "rank --data data --items 1 --judge gguf:{model} --protocol pairwise --rounds 50 \
             --format json --threads {threads} --run {run}"
        )
    };
    let undisturbed = desk.done(&command("whole", 2));
    let mut killed = 0;
    for calls in [1, 4] {
        let mut child = desk.start(&command("broken", 1));
        while calls_in(&desk, "broken") < calls && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > 0, "every start ended before it could be killed");
    let resumed = desk.done(&command("broken", 2));
    assert_eq!(resumed.timeless(), undisturbed.timeless());
    assert_eq!(
        calls_in(&desk, "broken"),
        6,
        "6 ordered pairs, each asked once"
    );
}

fn calls_in(desk: &Desk, run: &str) -> i64 {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let open = rusqlite::Connection::open_with_flags(desk.path(run).join("run.sqlite"), flags);
    open.and_then(|db| db.query_row("SELECT count(*) FROM calls", [], |row| row.get(0)))
        .unwrap_or(0)
}

#[test]
fn every_prompted_form_comes_to_verdicts_from_probabilities() {
    let Some(model) = small_model() else { return };
    let desk = desk();
    for (protocol, trials) in [
        ("pairwise/direct/swap", 2),
        ("pairwise", 1),
        ("pairwise-tie/direct/single", 1),
        ("pointwise:0-9", 2),
        ("pointwise", 2),
    ] {
        let common = format!(
            "--data data --items 1 --systems on,talk --judge gguf:{} --protocol {protocol}",
            model.display()
        );
        let report = desk.json(&format!("rank {common} --ci none"));
        assert_eq!(
            report["coverage"]["verdicts"], trials,
            "{protocol}: {report}"
        );
        let outside = report["outside"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&outside), "{protocol}: {outside}");
        let estimate = desk.json(&format!("estimate {common} --run unused --no-reuse"));
        assert_eq!(
            estimate["prompt_tokens"], report["usage"]["prompt_tokens"],
            "{protocol}: counted before, counted after"
        );
    }
}

#[test]
fn a_prompt_beyond_the_context_is_a_named_failure() {
    let Some(model) = small_model() else { return };
    let arguments = format!(
        "rank --data data --judge gguf:{} --protocol pairwise --context 64 --ci none",
        model.display()
    );
    let ran = desk().run(&format!("{arguments} --format json"));
    let report = ran.json();
    assert_eq!(
        (ran.code, &report["coverage"]["failures"]["too-long"]),
        (Some(1), &Value::from(12)),
        "{report}"
    );
    assert_eq!(report["ranking"][0]["score"], Value::Null);
}
