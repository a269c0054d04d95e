//! Protocols from end to end: calls as stated, panels, the second stage, review by people, prompts,
//! scales.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, answer, item, systems};
use serde_json::{Value, json};

const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

/// Items with answers of several sentences, so that portia has something to split.
fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..5).map(item).collect::<String>());
    let text = |item: usize, system: &str| {
        format!(
            "Thing {item} is one that {system} names. It has a colour. It also has a size, says \
             {system}. That is all."
        )
    };
    let all = (0..5).flat_map(|item| {
        SYSTEMS
            .iter()
            .map(move |system| answer(item, system, &text(item, system)))
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    desk
}

fn rank(desk: &Desk, rest: &str) -> Value {
    desk.json(&format!("rank --data data --rounds 50 {rest}"))
}

/// Calls and trials of a protocol on 5 items and 4 systems: 30 pairs.
#[track_caller]
fn assert_calls(protocol: &str, trials: u64, calls: u64) {
    let desk = desk();
    let report = rank(
        &desk,
        &format!("--judge simulated:gap=2,accuracy=1 --protocol {protocol}"),
    );
    assert_eq!(
        (&report["coverage"]["trials"], &report["usage"]["calls"]),
        (&json!(trials), &json!(calls)),
        "{protocol}"
    );
    let estimate = desk.json(&format!(
        "estimate --data data --judge simulated:accuracy=1 --protocol {protocol}"
    ));
    let between = (
        estimate["calls_at_least"].as_u64().unwrap(),
        estimate["calls"].as_u64().unwrap(),
    );
    assert!(
        between.0 <= calls && calls <= between.1,
        "{protocol}: {calls} calls, {between:?} estimated"
    );
}

#[test]
fn prepair_analyses_each_response_once() {
    assert_calls("prepair", 60, 5 * 4 + 60);
    assert_calls("pairwise/prepair+metrics/swap", 60, 5 * 4 + 5 + 60);
    assert_calls("prepair-star", 60, 60 + 60);
}

#[test]
fn both_orders_within_one_trial_are_two_calls() {
    assert_calls("pairwise/direct/swap:tie", 30, 60);
    assert_calls("pairwise-5point/cot+reference/swap:average", 30, 5 + 60);
}

#[test]
fn samples_of_evidence_stay_samples() {
    assert_calls("pairwise/cot/mec:3", 30, 90);
    assert_calls("pairwise-score/cot/mec+bpc:2", 30, 120);
    assert_calls("pointwise/pros-cons/mec:2", 20, 40);
}

#[test]
fn lists_are_one_call_for_all() {
    assert_calls("listwise", 10, 10);
    assert_calls("listwise:3/direct/single", 20, 20);
}

#[test]
fn a_consistent_judge_needs_one_step_of_portia() {
    assert_calls("portia", 30, 60);
    assert_calls("portia-likert", 30, 60);
    assert_calls("llmbar-swap-cot", 30, 60);
}

#[test]
fn every_form_finds_the_planted_order() {
    for protocol in [
        "pairwise-tie/cot/swap-cot",
        "pairwise-5point",
        "pairwise-likert/direct/portia:2",
        "pairwise-score/direct/swap:average",
        "pointwise:0..1:0.1",
        "listwise",
        "pairwise/prepair/portia",
        "pairwise-likert/cot/mec+bpc:2",
    ] {
        let report = rank(
            &desk(),
            &format!(
                "--judge simulated:gap=4 --prior 0.1 --aggregate bradley-terry --protocol \
                 {protocol}"
            ),
        );
        assert_eq!(systems(&report), SYSTEMS, "{protocol}");
    }
}

mod stages {
    use super::*;

    #[test]
    fn a_judge_of_position_goes_through_all_of_portia() {
        let ran = desk().run(
            "judge --data data --judge simulated:first-slot=1,probabilities=false \
                              --protocol portia",
        );
        assert_eq!(ran.code, Some(1), "no trial has a verdict: {}", ran.stderr);
        assert!(
            ran.stdout
                .contains("0 of 30 trials have a verdict (30 inconsistent)"),
            "{}",
            ran.stdout
        );
        assert!(
            ran.stdout.contains("trials ended 30 at semantic"),
            "{}",
            ran.stdout
        );
        assert!(
            ran.stdout
                .contains("the same outcome in both orders on 0 %"),
            "{}",
            ran.stdout
        );
    }

    #[test]
    fn and_ties_where_that_is_asked_for() {
        let report = rank(
            &desk(),
            "--judge simulated:first-slot=1 --protocol \
             pairwise-tie/direct/portia:3,original-first,tie",
        );
        assert_eq!(report["coverage"]["verdicts"], json!(30));
        assert_eq!(report["stages"], json!({"semantic": 30}));
        assert_eq!(report["usage"]["calls"], json!(30 * 6));
        assert_eq!(report["consistency"]["value"], json!(0.0));
    }

    #[test]
    fn looks_are_kept_with_the_judgment() {
        let all = desk().judgments(
            "--data data --judge simulated:first-slot=1 --protocol pairwise/direct/swap:average",
        );
        let looks = all[0]["looks"].as_array().unwrap();
        assert_eq!(looks.len(), 2);
        assert_eq!(
            (&looks[0]["swapped"], &looks[1]["swapped"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(
            (&all[0]["p_first"], &all[0]["source"]),
            (&json!(0.5), &json!("text"))
        );
    }
}

mod panels {
    use super::*;

    #[test]
    fn three_judges_make_one_verdict_and_their_agreement_is_said() {
        let judges = "--judge simulated:seed=1,gap=2 --judge simulated:seed=2,gap=2 --judge \
                      simulated:seed=3,gap=2";
        let report = rank(&desk(), &format!("{judges} --panel majority --prior 0.1"));
        assert_eq!(systems(&report), SYSTEMS);
        assert_eq!(
            (&report["coverage"]["trials"], &report["usage"]["calls"]),
            (&json!(60), &json!(180))
        );
        let agreement = &report["agreement"];
        assert_eq!(agreement["n"], json!(180));
        assert!(agreement["value"].as_f64().unwrap() > 0.6, "{agreement}");
    }

    #[test]
    fn the_order_of_the_judges_decides_nothing() {
        let [a, b] = [
            "simulated:seed=1,first-slot=0.4",
            "simulated:seed=2,length=0.3,invalid=0.2",
        ];
        for panel in ["mean", "majority"] {
            let [one, other] = [(a, b), (b, a)].map(|(a, b)| {
                rank(
                    &desk(),
                    &format!("--judge {a} --judge {b} --panel {panel} --prior 0.1 --run {panel}"),
                )
            });
            assert_eq!(one["ranking"], other["ranking"]);
        }
    }

    #[test]
    fn a_recorded_panel_is_replayed() {
        let desk = desk();
        let run = "rank --data data --rounds 50 --run run --protocol prepair --prior 0.1 --panel \
                   majority";
        let live = desk.json(&format!(
            "{run} --judge simulated:seed=1 --judge simulated:seed=2"
        ));
        let again = desk.json(&format!(
            "{} --judge recorded:run",
            run.replace("--run run", "--run again")
        ));
        assert_eq!(
            (&live["ranking"], &live["judge"]),
            (&again["ranking"], &again["judge"])
        );
    }

    #[test]
    fn the_same_judge_twice_is_refused() {
        let ran = desk().run("rank --data data --judge simulated --judge simulated");
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.stderr
                .contains("is named twice; a panel needs different judges"),
            "{}",
            ran.stderr
        );
    }
}

mod second_stage {
    use super::*;

    #[test]
    fn what_it_reads_is_counted_apart() {
        let desk = desk();
        let strict = rank(
            &desk,
            "--judge simulated:invalid=0.5,probabilities=false --prior 0.1 --run strict",
        );
        let failed = strict["coverage"]["failures"]["unparsed"].as_u64().unwrap();
        let judge =
            "--judge simulated:invalid=0.5,probabilities=false --second-stage simulated:seed=9";
        let report = rank(&desk, &format!("{judge} --prior 0.1 --run second"));
        assert_eq!(report["coverage"]["verdicts"], json!(60));
        assert_eq!(
            report["sources"],
            json!({"text": 60 - failed, "second-stage": failed})
        );
    }
}

mod embeddings {
    use super::*;
    use crate::common::{answer, database};

    const PORTIA: &str = "--data data --protocol pairwise/direct/portia:2,embedding,tie";

    /// Answers of several sentences, and a judge that always takes the first slot.
    fn torn() -> Desk {
        let desk = Desk::new(3, &[]);
        let text = |item: usize, system: &str| {
            format!(
                "Thing {item} is one that {system} names. It has a colour. It also has a size, \
                 says {system}. That is all."
            )
        };
        let all = (0..3).flat_map(|item| {
            ["ant", "bee", "cat"].map(|system| answer(item, system, &text(item, system)))
        });
        desk.write("data/responses.jsonl", all.collect::<String>());
        desk
    }

    /// How many calls of a run were for embeddings, of this judge and of all others.
    fn embedded(desk: &Desk, run: &str, judge: &str) -> (u64, u64) {
        let db = database(&desk.path(run)).unwrap();
        let sql = "SELECT count(*) FILTER (WHERE j.identity LIKE ?1), count(*) FILTER (WHERE \
                   j.identity NOT LIKE ?1)
            FROM calls AS c JOIN judges AS j ON j.id = c.judge WHERE json_extract(c.request, '$.task.kind') = 'embed'";
        let row =
            |row: &rusqlite::Row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64));
        db.query_row(sql, [format!("%{judge}%")], row).unwrap()
    }

    #[test]
    fn are_made_once_for_each_response_by_the_judge_or_by_another() {
        let desk = torn();
        let judge = "--judge simulated:first-slot=1,seed=7";
        let own = desk.judgments(&format!("{PORTIA} {judge} --run own"));
        assert_eq!(
            embedded(&desk, "own", "seed=7"),
            (9, 0),
            "3 items, 3 systems"
        );
        let other = desk.judgments(&format!(
            "{PORTIA} {judge} --embedder simulated:seed=5 --run other"
        ));
        assert_eq!(embedded(&desk, "other", "seed=5"), (9, 0));
        assert_eq!(own.len(), 9);
        let stages = |rows: &[Value]| {
            rows.iter()
                .map(|row| row["looks"].to_string().matches("semantic").count())
                .sum::<usize>()
        };
        assert_eq!(
            (stages(&own), stages(&other)),
            (18, 18),
            "both orders of 9 pairs"
        );
        let replay = desk.judgments(
            "--data data --protocol pairwise/direct/portia:2,embedding,tie --judge recorded:other",
        );
        assert_eq!(replay, other);
        let estimate = desk.json(&format!(
            "estimate {PORTIA} {judge} --embedder simulated:seed=5"
        ));
        assert_eq!(estimate["calls"], json!(9 * 4 + 9), "{estimate}");
        assert_eq!(estimate["calls_at_least"], json!(9 * 2));
    }

    #[test]
    fn of_another_embedder_are_another_run() {
        let desk = torn();
        desk.judgments(&format!(
            "{PORTIA} --judge simulated:first-slot=1 --run run"
        ));
        let ran = desk.run(&format!(
            "judge {PORTIA} --judge simulated:first-slot=1 --embedder simulated:seed=5 --run run"
        ));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("embedder"), "{}", ran.stderr);
    }

    #[test]
    fn that_no_protocol_asks_for_are_bad_usage() {
        let ran = torn().run(
            "judge --data data --protocol portia --judge simulated --embedder simulated:seed=5",
        );
        assert_eq!(ran.code, Some(2));
        let said = |text: &str| ran.stderr.contains(text);
        assert!(
            said("error: --embedder simulated:seed=5: ") && said(" embeds nothing; leave it out"),
            "{}",
            ran.stderr
        );
    }

    #[test]
    fn that_a_provider_does_not_have_fail_the_judgments_and_say_what_to_do() {
        let desk = torn();
        let judge = "--judge simulated:first-slot=1 --embedder anthropic:m@http://127.0.0.1:9";
        let ran = desk.run(&format!("judge {PORTIA} {judge} --format json"));
        let rows: Vec<Value> = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!((ran.code, rows.len()), (Some(1), 9), "{}", ran.stderr);
        assert!(
            rows.iter().all(|row| row["failure"] == "invalid"),
            "{rows:?}"
        );
        assert!(
            rows[0]["detail"]
                .as_str()
                .unwrap()
                .contains("name another model with --embedder"),
            "{}",
            rows[0]
        );
    }
}

mod review {
    use super::*;

    #[test]
    fn divided_pairs_go_to_a_person_whose_verdict_counts() {
        let desk = desk();
        let judge = "--data data --judge simulated:gap=0.2,seed=4 --protocol \
                     pairwise/cot/mec+bpc:3 --run run";
        let ran = desk.done(&format!(
            "judge {judge} --for-review unsure.jsonl --review-share 0.5"
        ));
        let mut lines: Vec<Value> = desk
            .lines("unsure.jsonl")
            .iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(
            ran.stderr
                .contains(&format!("{} pairs for a person to look at", lines.len())),
            "{}",
            ran.stderr
        );
        assert!((1..=15).contains(&lines.len()), "{}", lines.len());
        let entropies: Vec<f64> = lines
            .iter()
            .map(|line| line["entropy"].as_f64().unwrap())
            .collect();
        assert!(entropies.is_sorted_by(|a, b| a >= b), "{entropies:?}");
        let looks = |line: &Value| {
            ["preferred_a", "ties", "preferred_b"]
                .map(|key| line[key].as_u64().unwrap())
                .iter()
                .sum::<u64>()
        };
        assert!(lines.iter().all(|line| looks(line) == 6));
        lines
            .iter_mut()
            .for_each(|line| line["preferred"] = json!("b"));
        desk.write(
            "reviewed.jsonl",
            lines
                .iter()
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
        );
        let reviewed = desk.json(&format!(
            "rank {judge} --reviewed reviewed.jsonl --rounds 50 --prior 0.1"
        ));
        assert_eq!(reviewed["sources"]["person"], json!(lines.len()));
        let all = desk.judgments(&format!("{judge} --reviewed reviewed.jsonl"));
        let person = all.iter().find(|row| row["source"] == "person").unwrap();
        let of = |line: &&Value| {
            line["item"] == person["item"]
                && line["a"] == person["first"]
                && line["b"] == person["second"]
        };
        assert!(
            lines.iter().any(|line| of(&line)) && person["p_second"] == json!(1.0),
            "{person}"
        );
    }

    #[test]
    fn a_verdict_on_what_is_not_judged_is_refused_and_named() {
        let desk = desk();
        let line = |item: &str, a: &str| {
            json!({"item": item, "a": a, "b": "bee", "preferred": "a"}).to_string() + "\n"
        };
        for (wrong, named) in [
            (line("q99", "ant"), "item `q99`"),
            (line("q0", "aunt"), "system `aunt`"),
        ] {
            desk.write("reviewed.jsonl", line("q0", "ant") + &wrong);
            let ran = desk.run(
                "rank --data data --judge simulated:log=asked --run run --reviewed reviewed.jsonl",
            );
            let said = format!(
                "--reviewed reviewed.jsonl:2: there is no {named} in what is judged (1 of 2 \
                 reviewed pairs"
            );
            assert!(
                ran.code == Some(2) && ran.stderr.contains(&said),
                "{}",
                ran.stderr
            );
            assert!(
                desk.lines("asked").is_empty(),
                "refused before anything is asked"
            );
        }
    }

    #[test]
    fn a_form_without_pairs_has_nothing_to_review() {
        let ran = desk()
            .run("judge --data data --judge simulated --protocol pointwise --for-review x.jsonl");
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.stderr.contains("--for-review: it lists pairs"),
            "{}",
            ran.stderr
        );
    }
}

mod prompts {
    use super::*;

    #[test]
    fn all_are_listed_and_shown() {
        let desk = Desk::empty();
        let list = desk.done("prompts list").stdout;
        for name in [
            "pairwise-likert",
            "rubrics/rules",
            "reconsider",
            "portia-score",
            "first_text",
        ] {
            assert!(list.contains(name), "{name} in {list}");
        }
        assert!(
            desk.done("prompts show pairwise")
                .stdout
                .contains("marker = \"Verdict:\"")
        );
        let ran = desk.run("prompts show pairwize");
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.stderr
                .starts_with("error: no prompt is called pairwize; there are analyse, "),
            "{}",
            ran.stderr
        );
    }

    #[test]
    fn what_is_rendered_is_what_is_sent() {
        let desk = desk();
        for protocol in [
            "pairwise/prepair/swap",
            "pairwise-tie/cot+metrics+reference/swap-cot",
            "pairwise/direct/portia",
        ] {
            let run = format!(
                "--judge simulated:first-slot=0.5 --protocol {protocol} --run run-{}",
                protocol.len()
            );
            desk.done(&format!("judge --data data {run}"));
            let file = desk.path(&format!("run-{}/run.sqlite", protocol.len()));
            let calls = rusqlite::Connection::open(file).unwrap();
            let first = calls
                .query_row("SELECT request FROM calls WHERE id = 1", [], |row| {
                    row.get::<_, String>(0)
                })
                .unwrap();
            let sent: Value = serde_json::from_str(&first).unwrap();
            let rendered = desk
                .done(&format!(
                    "prompts render --data data --protocol {protocol} --format json"
                ))
                .stdout;
            let rendered: Value = serde_json::from_str(rendered.lines().next().unwrap()).unwrap();
            assert_eq!(rendered["messages"], sent["messages"], "{protocol}");
        }
    }

    #[test]
    fn later_rounds_are_rendered_with_stand_ins() {
        let text = desk()
            .done("prompts render --data data --protocol prepair")
            .stdout;
        assert_eq!(
            text.matches("=== item q0, ant, round 1").count()
                + text.matches("=== item q0, ant then bee, round 1").count(),
            2
        );
        assert!(
            text.contains("round 2\n") && text.contains("<<<< ANALYSIS OF ANSWER A\nstand-in"),
            "{text}"
        );
    }

    #[test]
    fn a_pack_takes_the_place_of_a_prompt() {
        let desk = desk();
        let ours = desk.done("prompts show pairwise").stdout;
        desk.write(
            "pack/pairwise.toml",
            ours.replace("You are an impartial judge.", "You weigh answers."),
        );
        desk.write("pack/rubrics/brief.toml", "text = 'Shorter is better.'\n");
        let rendered = desk
            .done(
                "prompts render --data data --prompt-pack pack --protocol \
                                  pairwise/direct/swap/brief",
            )
            .stdout;
        assert!(
            rendered.contains("You weigh answers.") && rendered.contains("Shorter is better."),
            "{rendered}"
        );
        assert!(
            desk.done("prompts list --prompt-pack pack")
                .stdout
                .contains("[from the pack]")
        );
        let report = rank(
            &desk,
            "--judge simulated:gap=4 --prior 0.1 --prompt-pack pack --protocol \
             pairwise/direct/swap/brief",
        );
        assert_eq!(report["protocol"], json!("pairwise/direct/swap/brief"));
    }

    #[test]
    fn a_faulty_pack_is_refused_with_file_and_line() {
        let desk = desk();
        let ours = desk.done("prompts show pairwise").stdout;
        let refused = |name: &str, text: &str| {
            desk.write(&format!("{name}/pairwise.toml"), text);
            let ran = desk.run(&format!(
                "rank --data data --judge simulated --prompt-pack {name}"
            ));
            assert_eq!(ran.code, Some(2), "{}", ran.stderr);
            ran.stderr
        };
        let error = refused("unknown", &ours.replace("{{ rubric }}", "{{ rubrik }}"));
        assert!(
            error.contains(
                "unknown/pairwise.toml:6: the template names `rubrik`, which is \
                            unknown; known are rubric, "
            ),
            "{error}"
        );
        let error = refused("syntax", &ours.replace("{{ material }}", "{{ material"));
        assert!(
            error.contains("syntax/pairwise.toml:11: syntax error"),
            "{error}"
        );
        let error = refused("missing", &ours.replace("system = ", "sistem = "));
        assert!(
            error.contains("missing/pairwise.toml:4: unknown field `sistem`"),
            "{error}"
        );
        let error = refused(
            "blind",
            &ours.replace("{{ material }}", "{{ instruction }}"),
        );
        assert!(error.contains("the template shows no answer"), "{error}");
        let error = refused(
            "notation",
            &ours.replace("marker = \"Verdict:\"", "notation = \"smiley\""),
        );
        assert!(
            error.contains("notation/pairwise.toml:3: unknown notation `smiley`"),
            "{error}"
        );
        let error = refused(
            "filter",
            &ours.replace("{{ material }}", "{{ material|trim }}"),
        );
        assert!(
            error.contains(
                "filter/pairwise.toml:9: the template cannot be filled in: unknown filter"
            ),
            "{error}"
        );
        let error = refused("sum", &ours.replace("{{ material }}", "{{ material + 1 }}"));
        assert!(
            error.contains("sum/pairwise.toml:9: the template cannot be filled in: "),
            "{error}"
        );
        let endless = "{% for a in material %}{% for b in material %}x{% endfor %}{% endfor %}";
        let error = refused("endless", &ours.replace("{{ material }}", endless));
        assert!(
            error.contains("endless/pairwise.toml:9: the template takes too many steps"),
            "{error}"
        );
        desk.write("misspelt/pairwize.toml", "");
        let ran = desk.run("rank --data data --judge simulated --prompt-pack misspelt");
        assert!(
            ran.stderr
                .contains("misspelt/pairwize.toml: no prompt has this name"),
            "{}",
            ran.stderr
        );
    }
}

mod scales {
    use super::*;

    #[test]
    fn a_scale_can_be_named_either_way() {
        let one = rank(&desk(), "--judge simulated --protocol pointwise:0..1:0.25");
        let other = rank(
            &desk(),
            "--judge simulated --protocol pointwise --scale 0..1:0.25",
        );
        assert_eq!(
            (&one["ranking"], &one["protocol"]),
            (&other["ranking"], &other["protocol"])
        );
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
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.stderr.contains("--scale 1-5: pairwise has no scale"),
            "{}",
            ran.stderr
        );
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
        let ran = desk.run("rank --data data --judge simulated --strength 3,1,1");
        assert!(
            ran.code == Some(2) && ran.stderr.contains("--strength: pairwise has no steps"),
            "{}",
            ran.stderr
        );
    }
}
