//! Conversations: MT-Bench's two turns and people's votes on them, judged turn by turn or as a
//! whole.

use crate::common::{Desk, assert_holds};
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SYSTEMS: [&str; 3] = ["gpt-4", "vicuna-13b-v1.3", "alpaca-13b"];

/// Two questions of two turns and the answers of three systems, as MT-Bench has them.
fn small_bench() -> Desk {
    let desk = Desk::empty();
    let questions = [81, 82].map(|id| {
        let turns = [format!("Ask {id} first."), format!("Ask {id} second.")];
        let reference = [
            format!("Reference {id}."),
            format!("Second reference {id}."),
        ];
        json!({"question_id": id, "category": "writing", "turns": turns, "reference": reference})
    });
    desk.write("question.jsonl", lines(&questions));
    for system in ["x", "y"] {
        let answers = [81, 82].map(|id| {
            let turns = answers_of(system, id);
            json!({"question_id": id, "model_id": system, "choices": [{"turns": turns}]})
        });
        desk.write(&format!("answers/{system}.jsonl"), lines(&answers));
    }
    desk
}

fn answers_of(system: &str, id: u32) -> [String; 2] {
    ["First", "Second"].map(|turn| format!("{turn} answer of {system} to {id}."))
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Votes on both turns, as `mt_bench_human_judgments` has them.
fn votes() -> String {
    let vote = |(id, turn): (u32, u32)| {
        let conversation = |system: &str| {
            let [first, second] = answers_of(system, id);
            json!([
                {"role": "user", "content": format!("Ask {id} first.")},
                {"role": "assistant", "content": first},
                {"role": "user", "content": format!("Ask {id} second.")},
                {"role": "assistant", "content": second},
            ])
        };
        json!({
            "question_id": id, "model_a": "x", "model_b": "y", "winner": "model_a",
            "judge": format!("expert_{turn}"), "turn": turn,
            "conversation_a": conversation("x"), "conversation_b": conversation("y"),
        })
    };
    lines(&[(81, 1), (81, 2), (82, 1), (82, 2)].map(vote))
}

fn prompt_of(desk: &Desk, options: &str) -> String {
    desk.done(&format!("prompts render {options} --trials 1"))
        .stdout
}

#[test]
fn the_second_turn_is_judged_with_the_first_in_view() {
    let desk = small_bench();
    let prompt = prompt_of(
        &desk,
        "--data question.jsonl answers --protocol pairwise/direct+reference --turn second",
    );
    let blocks = [
        "<<<< EARLIER USER TURN\nAsk 81 first.\n",
        "<<<< INSTRUCTION\nAsk 81 second.\n",
        "<<<< REFERENCE ANSWER\nSecond reference 81.\n",
        "<<<< ANSWER A TO THE EARLIER TURN, FOR CONTEXT\nFirst answer of x to 81.\n",
        "<<<< ANSWER A\nSecond answer of x to 81.\n",
        "<<<< ANSWER B TO THE EARLIER TURN, FOR CONTEXT\nFirst answer of y to 81.\n",
        "<<<< ANSWER B\nSecond answer of y to 81.\n",
    ];
    let places = blocks.map(|block| {
        prompt
            .find(block)
            .unwrap_or_else(|| panic!("{block}: {prompt}"))
    });
    assert!(places.is_sorted(), "{prompt}");
}

#[test]
fn the_first_turn_stays_as_it_was() {
    let desk = small_bench();
    let data = "--data question.jsonl answers --protocol pairwise";
    let prompt = prompt_of(&desk, data);
    assert_holds(&prompt, "<<<< ANSWER A\nFirst answer of x to 81.\n");
    assert!(
        !prompt.contains("EARLIER") && !prompt.contains("econd"),
        "{prompt}"
    );
    assert_eq!(prompt_of(&desk, &format!("{data} --turn 1")), prompt);
}

#[test]
fn a_whole_conversation_is_judged_as_one() {
    let desk = small_bench();
    let data = "--data question.jsonl answers --protocol pointwise:1-10 --turn whole";
    let prompt = prompt_of(&desk, data);
    for block in [
        "<<<< ANSWER, TURN 1 OF 2\nFirst answer of x to 81.\n",
        "<<<< ANSWER, TURN 2 OF 2\nSecond answer of x to 81.\n",
    ] {
        assert!(prompt.contains(block), "{prompt}");
    }
    // An estimate refuses what a run does, in the same words.
    let said = ["estimate", "judge", "rank"].map(|command| {
        let refused = desk.run(&format!(
            "{command} --data question.jsonl answers --judge simulated: --protocol \
             likelihood:given --turn whole"
        ));
        assert_eq!(refused.code, Some(2), "{command}: {}", refused.stderr);
        refused.stderr
    });
    assert!(
        said[0].contains("not the several of a whole conversation"),
        "{said:?}"
    );
    assert!(said.iter().all(|words| *words == said[0]), "{said:?}");
}

#[test]
fn every_form_and_method_works_on_a_second_turn_or_says_why_not() {
    let desk = small_bench();
    for protocol in [
        "pairwise/prepair+metrics/portia:2",
        "pairwise-tie/cot/swap-cot",
        "pairwise-score/cot/mec+bpc:2",
        "listwise/direct/single",
        "pointwise:1-10/prepair/single",
        "likelihood:novel",
    ] {
        let report = desk.json(&format!(
            "rank --data question.jsonl answers --judge simulated:accuracy=1 --turn 2 \
             --run run-{} --protocol {protocol}",
            protocol.replace(['/', ':', '+'], "-")
        ));
        let coverage = &report["coverage"];
        assert_eq!(
            coverage["verdicts"], coverage["trials"],
            "{protocol}: {report}"
        );
    }
    let ran = desk.run(
        "rank --data question.jsonl answers --judge simulated: --turn 2 --protocol \
         likelihood:contrast=1",
    );
    let all = ran.stdout + &ran.stderr;
    assert_holds(&all, "follows earlier turns; use null, novel or given");
}

#[test]
fn each_turn_is_an_item_and_a_ranking_of_its_own() {
    let desk = small_bench();
    let run = "rank --data question.jsonl answers --judge simulated:accuracy=0.9 --run run";
    let report = desk.json(&format!("{run} --turn each"));
    assert_eq!(report["coverage"]["trials"], 8);
    let turns: Vec<_> = report["turns"].as_array().unwrap().iter().collect();
    assert_eq!(turns.len(), 2);
    assert!(
        turns.iter().all(|turn| turn["ranking"][0]["n"] == 4),
        "{report}"
    );
    assert!(
        desk.json("rank --data question.jsonl answers --judge simulated: --run first")["turns"]
            .is_null()
    );
    let table = desk.done(&format!("{run} --turn each")).stdout;
    assert!(table.contains("Turn 2 alone"), "{table}");
}

#[test]
fn own_data_may_hold_conversations() {
    let desk = Desk::empty();
    desk.write(
        "data/items.jsonl",
        "{\"id\":\"a\",\"turns\":[\"one\",\"two\"]}\n{\"id\":\"b\",\"turns\":[\"three\"]}\n",
    );
    let texts = json!({"item": "a", "system": "s", "output": ["s1", "s2"]});
    let messages = json!({"item": "a", "system": "t", "output": [
        {"role": "assistant", "content": "t1"},
        {"role": "user", "content": "two"},
        {"role": "assistant", "content": "t2"},
    ]});
    let short = ["s", "t"].map(|system| json!({"item": "b", "system": system, "output": "only"}));
    desk.write(
        "data/responses.jsonl",
        lines(&[vec![texts, messages], short.to_vec()].concat()),
    );
    let prompt = prompt_of(&desk, "--data data --protocol pairwise --turn 2");
    for block in [
        "<<<< ANSWER A TO THE EARLIER TURN, FOR CONTEXT\ns1\n",
        "<<<< USER TURN AFTER ANSWER B\ntwo\n",
        "<<<< ANSWER B\nt2\n",
    ] {
        assert!(prompt.contains(block), "{prompt}");
    }
    let ran = desk.done("rank --data data --judge simulated: --turn 2");
    ran.says("items.jsonl: 1 conversations end before turn 2");
    let ran = desk.done("rank --data data --judge simulated:");
    ran.says("responses.jsonl: 2 conversations have later turns");
    let bad = desk.run("rank --data data --judge simulated: --turn 0");
    assert_eq!(bad.code, Some(2), "{}", bad.stderr);
}

/// The items of the judgments that a live run makes.
fn judged_items(desk: &Desk, options: &str) -> BTreeSet<String> {
    let judgments = desk.judgments(options);
    let items = judgments
        .iter()
        .map(|judgment| judgment["item"].as_str().unwrap().to_owned());
    items.collect()
}

#[test]
fn votes_join_the_items_of_their_turn_with_and_without_the_answers_files() {
    let desk = small_bench();
    desk.write("votes.jsonl", votes());
    for data in [
        "votes.jsonl",
        "question.jsonl votes.jsonl",
        "question.jsonl answers votes.jsonl",
    ] {
        let options = format!("--data {data} --judge simulated:accuracy=1");
        let items = judged_items(&desk, &format!("{options} --turn each"));
        assert_eq!(
            Vec::from_iter(&items),
            ["81/1", "81/2", "82/1", "82/2"],
            "{data}"
        );
        assert_eq!(
            Vec::from_iter(&judged_items(&desk, &format!("{options} --turn 2"))),
            ["81/2", "82/2"]
        );
        for (turn, pairs) in [("each", 4), ("2", 2), ("first", 2)] {
            let report = desk.json(&format!("meta {} --turn {turn}", judge(&options)));
            assert!(
                report.to_string().contains(&format!("\"pairs\":{pairs}")),
                "{data} {turn}: {report}"
            );
        }
    }
}

fn judge(options: &str) -> String {
    format!("judge {options}")
}

#[test]
fn recorded_judgments_of_both_turns_join_votes_by_turn() {
    let desk = small_bench();
    desk.write("votes.jsonl", votes());
    let games = [(81, 1), (81, 2), (82, 2)].map(|(id, turn)| {
        json!({
            "question_id": id, "turn": turn, "model_1": "x", "model_2": "y",
            "judge": ["gpt-4", "pair-v2"], "g1_winner": "model_1", "g2_winner": "model_1",
            "g1_judgment": "[[A]]", "g2_judgment": "[[B]]",
        })
    });
    desk.write("pairs.jsonl", lines(&games));
    let report = desk.json(
        "meta judge --recorded pairs.jsonl --data question.jsonl answers votes.jsonl --turn each",
    );
    assert!(report.to_string().contains("\"pairs\":3"), "{report}");
}

#[test]
fn mt_bench_has_160_items_and_a_ranking_for_each_turn() {
    let Some(shared) = shared_data() else { return };
    let bench = shared.join("mt_bench");
    let desk = Desk::empty();
    let answers = SYSTEMS.map(|system| format!("{}/answers/{system}.jsonl.gz", bench.display()));
    let report = desk.json(&format!(
        "rank --data {}/questions.jsonl {} --turn each --protocol pairwise/direct/swap:average \
         --judge simulated:accuracy=0.9",
        bench.display(),
        answers.join(" ")
    ));
    assert_eq!(report["coverage"]["trials"], 480);
    assert_eq!(report["coverage"]["verdicts"], 480);
    for turn in report["turns"].as_array().unwrap() {
        assert_eq!(turn["ranking"].as_array().unwrap().len(), 3, "{turn}");
        assert_eq!(turn["ranking"][0]["n"], 160, "{turn}");
    }
}

/// Reference answers as MT-Bench has them, of the first question.
fn write_references(desk: &Desk, path: &str) {
    let turns = ["GPT-4's first.", "GPT-4's second."];
    let answer = json!({"question_id": 81, "model_id": "gpt-4", "choices": [{"turns": turns}]});
    desk.write(path, lines(&[answer]));
}

#[test]
fn a_file_of_reference_answers_is_read_by_turn() {
    let desk = small_bench();
    write_references(&desk, "reference_answer/gpt-4.jsonl");
    write_references(&desk, "refs.jsonl");
    for data in [
        "question.jsonl answers reference_answer",
        "question.jsonl answers --reference-answers refs.jsonl",
    ] {
        let options = format!("--data {data} --protocol pointwise:1-10/direct+reference");
        for (turn, reference) in [
            ("first", "GPT-4's first."),
            ("2", "GPT-4's second."),
            ("whole", "GPT-4's first.\n\nGPT-4's second."),
        ] {
            let prompt = prompt_of(&desk, &format!("{options} --turn {turn}"));
            let block = format!("<<<< REFERENCE ANSWER\n{reference}\n>>>>");
            assert!(prompt.contains(&block), "{turn}: {prompt}");
        }
        let options = format!("{options} --turn each --trials 9");
        let prompts = desk.done(&format!("prompts render {options}"));
        for reference in ["GPT-4's second.", "Second reference 82."] {
            prompts.prints(reference);
        }
        prompts.says(
            "2 items have a reference answer of a file, 2 of them in the place of the items' own",
        );
    }
    let ran = desk.done("rank --data question.jsonl answers reference_answer --judge simulated:");
    assert!(!ran.stdout.contains("gpt-4"), "{}", ran.stdout);
}

#[test]
fn what_is_no_reference_answer_is_refused() {
    let desk = small_bench();
    write_references(&desk, "refs.jsonl");
    let data = "rank --data question.jsonl answers --judge simulated: --reference-answers";
    desk.refused(
        &format!("{data} refs.jsonl refs.jsonl"),
        "a second reference answer for the item `81` (first at refs.jsonl:1)",
    );
    desk.refused(
        &format!("{data} question.jsonl"),
        "question.jsonl:1: --reference-answers: expected answers",
    );
}
