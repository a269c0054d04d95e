//! Recordings of judges, and labels beside them.

use super::*;

#[test]
fn verdicts_of_auto_j_in_the_second_order_are_turned_back() {
    let desk = auto_j();
    let report = desk.json("meta judge --recorded verdicts.jsonl --labels pairs.jsonl --rounds 2");
    let of = |key: &str| report[key].as_f64();
    assert_eq!(report["n"], 5);
    assert_eq!(of("consistency"), Some(0.8));
    assert_eq!(of("accuracy_both"), Some(0.6));
    assert_eq!(of("accuracy_forward"), Some(0.8));
    assert_eq!(of("accuracy_swapped"), Some(0.6));
    refused(
        &desk,
        "leaderboard verdicts.jsonl",
        "Auto-J verdicts do not name the systems",
    );
    let run = desk
        .json("rank --data pairs.jsonl --judge simulated:accuracy=1 --run run --quiet --rounds 20");
    assert_eq!(run["coverage"]["trials"], 10);
}

#[test]
fn reviews_with_two_scores_are_read_as_their_source_read_them() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let reviews = data.join("vicuna_bench/reviews");
    let all = desk.json(&format!("leaderboard {} --ci none", reviews.display()));
    let coverage = &all["coverage"];
    // Of the 720, 79 compare a system with itself, and are not ranked.
    assert_eq!(coverage["trials"].as_u64(), Some(641));
    assert_eq!(coverage["verdicts"].as_u64(), Some(639));
    assert_eq!(all["warning_kinds"][0], "self-comparisons");
    let expected =
        std::fs::read_to_string(data.join("expected/vicuna_bench_review_totals.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    for review in expected["reviews"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|review| review["published"] == true)
    {
        let [a, b] = ["answer_1_model", "answer_2_model"].map(|key| review[key].as_str().unwrap());
        let file = reviews.join(format!("gpt-4__{a}__vs__{b}.jsonl.gz"));
        let means = desk.json(&format!(
            "leaderboard {} --aggregate mean --ci none",
            file.display()
        ));
        for (system, sum) in [(a, &review["sum_score_1"]), (b, &review["sum_score_2"])] {
            let score = crate::common::row(&means, system)["score"]
                .as_f64()
                .unwrap();
            assert!(
                (80.0 * score - sum.as_f64().unwrap()).abs() < 1e-9,
                "{a} {b} {system}: {score}"
            );
        }
    }
}

#[test]
fn reviews_with_two_scores_are_held_against_people() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let file = |name: &str| data.join(name).display().to_string();
    let of = [
        "questions.jsonl",
        "answers/gpt-3.5-turbo.jsonl.gz",
        "answers/vicuna-13b.jsonl.gz",
    ];
    let files = of
        .map(|name| file(&format!("vicuna_bench/{name}")))
        .join(" ");
    let map = "item=question_id,instruction=question,category=category,system=model,output=answer,label=winner,\
               system_1:=gpt-3.5-turbo,system_2:=vicuna-13b";
    let judged = format!(
        "meta judge --recorded {} --data {files} {} --map {map} --rounds 2",
        file("vicuna_bench/reviews/gpt-4__gpt-3.5-turbo__vs__vicuna-13b.jsonl.gz"),
        file("faireval/human_gpt35_vs_vicuna13b.csv")
    );
    let report = desk.json(&judged);
    let picked = desk.json(&format!(
        "{judged} --where category=math --where category=fermi"
    ));
    // 42 of 80, counted by hand from the two files.
    assert_eq!(report["n"].as_u64(), Some(80));
    assert_eq!(report["accuracy_forward"].as_f64(), Some(0.525));
    // FairEval's own reviews name no systems: each is about the one pair of its question.
    let source =
        records(&data.join("vicuna_bench/reviews/gpt-4__gpt-3.5-turbo__vs__vicuna-13b.jsonl.gz"));
    let nameless = |review: &Value| {
        json!({"question_id": review["question_id"], "review": review["text"],
               "score": [review["score_1"], review["score_2"]]})
    };
    desk.write(
        "reviews/faireval.jsonl",
        json_lines(source.iter().map(nameless)),
    );
    let (_, beside) = judged.split_once(" --data ").unwrap();
    let other = desk.json(&format!("meta judge --recorded reviews --data {beside}"));
    assert_eq!(other["judge"], "faireval");
    assert_eq!(other["counts"], report["counts"]);
    refused(
        &desk,
        "leaderboard reviews",
        "reviews with two scores do not name the systems",
    );
    // Only the data set has categories: all that is said of other items is left out.
    assert_eq!(
        picked["subsets"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["fermi", "math"]
    );
    let said = picked["warnings"].to_string();
    assert!(
        picked["n"] == 13 && !said.contains("left out") && !said.contains("never judged"),
        "{said}"
    );
    assert_eq!(
        picked["subsets"]["fermi"]["accuracy"],
        report["subsets"]["fermi"]["accuracy"]
    );
    assert_eq!(report["differences"], json!([]));
    assert_eq!(report["recorded_counts"], report["counts"]);
}

#[test]
fn battles_that_name_their_items_are_recordings_and_labels() {
    let desk = Desk::empty();
    let vote = |question: usize, turn: usize, winner: &str, judge: &str| json!({"question_id": question, "model_a": "x", "model_b": "y", "winner": winner, "judge": judge, "turn": turn});
    // People prefer x in the first turn and y in the second; the judge prefers x in both.
    let people = (0..10).flat_map(|q| {
        [
            vote(q, 1, "model_a", "author_1"),
            vote(q, 2, "model_b", "expert_3"),
        ]
    });
    desk.write("human.jsonl", json_lines(people));
    desk.write(
        "gpt4.jsonl",
        json_lines((0..10).flat_map(|q| [1, 2].map(|turn| vote(q, turn, "model_a", "gpt-4")))),
    );
    let report = desk.json("meta judge --recorded gpt4.jsonl --labels human.jsonl --rounds 2");
    assert_eq!(report["n"].as_u64(), Some(20));
    assert_eq!(report["accuracy"].as_f64(), Some(0.5));
    let first = desk
        .json("meta judge --recorded gpt4.jsonl --labels human.jsonl --rounds 2 --where turn=1");
    assert_eq!(first["n"].as_u64(), Some(10));
    assert_eq!(first["accuracy"].as_f64(), Some(1.0));
    let first_slot = &report["first_slot"];
    assert!(
        first_slot.is_null(),
        "battles do not tell what was shown first: {first_slot}"
    );
    // A file of first turns does not number them.
    let unnumbered = (0..10)
        .map(|q| json!({"question_id": q, "model_a": "y", "model_b": "x", "winner": "model_b"}));
    desk.write("first.jsonl", json_lines(unnumbered));
    let joined = desk.json("meta judge --recorded first.jsonl --labels human.jsonl --rounds 2");
    assert_eq!(joined["n"].as_u64(), Some(10));
    assert_eq!(joined["accuracy"].as_f64(), Some(1.0));
    let some = (0..10).flat_map(|q| {
        [vote(
            q,
            1,
            if q.is_multiple_of(2) {
                "model_a"
            } else {
                "model_b"
            },
            "h",
        )]
    });
    desk.write("some.jsonl", json_lines(some.take(5)));
    let corrected = desk.json(
        "leaderboard gpt4.jsonl --labels some.jsonl --rounds 20 --where \
                               judge=h --where judge=gpt-4",
    );
    desk.write(
        "rated.jsonl",
        desk.read("some.jsonl").replace("\"judge\"", "\"rater\""),
    );
    let rated =
        desk.json("leaderboard gpt4.jsonl --labels rated.jsonl --rounds 20 --where rater=h");
    assert_eq!(
        rated["labels"], corrected["labels"],
        "a field of the labels alone"
    );
    refused(
        &desk,
        "leaderboard gpt4.jsonl --labels rated.jsonl --where ratr=h",
        "no file has a field `ratr` (`rater` comes near)",
    );
    assert_eq!(corrected["labels"]["matched"], 5, "{}", corrected["labels"]);
    assert_eq!(systems(&corrected).len(), 2);
    let data = desk.run("rank --data human.jsonl --judge simulated");
    assert_eq!(data.code, Some(2), "{}", data.stderr);
}

#[test]
fn ids_of_several_label_files_do_not_collide() {
    let desk = Desk::empty();
    // Of the same number, the first set's label is the first response and the other set's is the
    // second.
    for (set, label) in [("easy", 0), ("hard", 1)] {
        let pair = |index: usize| {
            json!({"index": index, "scenario": set, "label": label, "prompt": format!("{set} \
                {index}"),
                   "response 1": "one", "response 2": "two, longer"})
        };
        desk.write(&format!("{set}/pairs.jsonl"), json_lines((0..4).map(pair)));
        let verdict = |index: usize| json!({"index": index, "verdict_order_12": label, "verdict_order_21": 1 - label});
        desk.write(
            &format!("{set}/judge.jsonl"),
            json_lines((0..4).map(verdict)),
        );
    }
    let report = desk.json(
        "meta judge --recorded easy/judge.jsonl hard/judge.jsonl --labels easy/pairs.jsonl \
               hard/pairs.jsonl --rounds 2",
    );
    assert_eq!(report["n"].as_u64(), Some(8));
    assert_eq!(report["accuracy"].as_f64(), Some(1.0));
    assert_eq!(
        report["subsets"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["easy", "hard"]
    );
    let data = "--data easy/pairs.jsonl hard/pairs.jsonl";
    let ran = desk.done(&format!(
        "judge {data} --judge simulated --run r --format json"
    ));
    assert_eq!(ran.stdout.lines().count(), 16);
    ran.says("different items have the same id; the file is part of the id here, as in easy:ID");
    ran.prints(r#""item":"easy:0""#);
    ran.prints(r#""item":"hard:3""#);
    let recorded = desk.json(&format!(
        "meta judge --recorded easy/judge.jsonl hard/judge.jsonl {data} --rounds 2"
    ));
    assert_eq!(recorded["n"].as_u64(), Some(8));
    assert_eq!(recorded["accuracy"].as_f64(), Some(1.0));
}

#[test]
fn lengths_of_several_data_sets_reach_the_recordings_that_belong_to_them() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let of = |name: &str| {
        ["natural", "manual"]
            .map(|set| {
                data.join("llmbar")
                    .join(set)
                    .join(name)
                    .display()
                    .to_string()
            })
            .join(" ")
    };
    let report = desk.json(&format!(
        "meta judge --recorded {} --data {} --subsets file --rounds 2 --quiet",
        of("evaluators/GPT-4__Vanilla.jsonl.gz"),
        of("dataset.jsonl")
    ));
    for set in ["natural", "manual"] {
        let balanced = &report["subsets"][set]["accuracy_length_balanced"];
        assert!(balanced.is_number(), "{set}: {balanced}");
    }
    assert_eq!(report["n"], 146);
}

/// Both sets count their items from 0, and their labels differ on 47 of the 92 ids that both have.
#[test]
fn lengths_of_another_data_set_are_not_used() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let of = |name: &str| data.join("llmbar").join(name).display().to_string();
    let files = format!(
        "--recorded {} --data {}",
        of("gptinst/evaluators/LLaMA2__Vanilla.jsonl.gz"),
        of("natural/dataset.jsonl")
    );
    let warning = "LLaMA2__Vanilla.jsonl.gz: its labels differ from those of the data on 47 of 92 \
                   pairs of the same id, so it may be about another data set: the lengths, \
                   categories and questions of the data are not used here; give its own data set \
                   with --data";
    let judged = desk.json(&format!("meta judge {files} --rounds 2 --quiet"));
    assert!(judged["warnings"].to_string().contains(warning));
    assert_eq!(judged["accuracy_length_balanced"], Value::Null);
    let audited = desk.json(&format!("audit {files} --quiet"));
    assert!(audited["warnings"].to_string().contains(warning));
}

#[test]
fn votes_on_mt_bench_label_its_first_turns() {
    let desk = Desk::empty();
    let question = |id: usize| json!({"question_id": id, "category": "writing", "turns": ["Write.", "Rewrite."]});
    desk.write("question.jsonl", json_lines((81..91).map(question)));
    let answer = |id: usize, model: &str| json!({"question_id": id, "model_id": model, "choices": [{"turns": [model, "b"]}]});
    desk.write(
        "answer.jsonl",
        json_lines((81..91).flat_map(|id| ["x", "y"].map(|model| answer(id, model)))),
    );
    let vote = |id: usize, turn: usize| {
        json!({"question_id": id, "model_a": "x", "model_b": "y", "winner": "model_a", "judge": "author_0",
               "conversation_a": [], "conversation_b": [], "turn": turn})
    };
    desk.write(
        "votes.jsonl",
        json_lines((81..91).flat_map(|id| [vote(id, 1), vote(id, 2)])),
    );
    let judged = "meta judge --data question.jsonl answer.jsonl votes.jsonl --judge simulated \
                  --run r --rounds 2";
    let ran = desk.done(&format!("{judged} --format json"));
    assert_eq!(ran.json()["n"], 10);
    ran.says(
        "votes.jsonl: 10 votes on a second turn are left out; its items are first turns (--turn \
         each takes every turn)",
    );
}

/// Votes with their conversations are read alike in whatever order their turns stand.
#[test]
fn votes_on_other_turns_are_left_out_in_any_order() {
    let desk = Desk::empty();
    let vote = |id: usize, turn: usize| {
        let said = |model: &str| {
            let turns = (1..=turn).flat_map(|turn| {
                [
                    json!({"role": "user", "content": format!("Question {id}, turn {turn}")}),
                    json!({"role": "assistant", "content": format!("{model} answers {turn}")}),
                ]
            });
            turns.collect::<Vec<_>>()
        };
        json!({"question_id": id, "model_a": "x", "model_b": "y", "winner": "model_a",
               "judge": ["human", "author_0"], "conversation_a": said("x"),
               "conversation_b": said("y"), "turn": turn})
    };
    let reports = [[1, 2], [2, 1]].map(|turns| {
        desk.write(
            "votes.jsonl",
            json_lines((1..9).flat_map(|id| turns.map(|turn| vote(id, turn)))),
        );
        let ran = desk.done(
            "meta judge --data votes.jsonl --judge simulated --rounds 2 --no-reuse --format json",
        );
        ran.says("votes.jsonl: 8 votes on a second turn are left out");
        ran.json()
    });
    assert_eq!(reports[0]["n"], 8);
    assert_eq!(reports[0]["accuracy"], reports[1]["accuracy"]);
    desk.write("second.jsonl", json_lines((1..9).map(|id| vote(id, 2))));
    desk.refused(
        "meta judge --data second.jsonl --judge simulated --rounds 2",
        "all 8 votes are on other turns than those that are read; --turn each reads every turn",
    );
}

#[test]
fn each_of_pandalms_annotators_is_a_reference_by_a_path() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let read = |name: &str| records(&data.join("pandalm").join(name));
    let (pairs, verdicts) = (
        read("pairs.jsonl.gz"),
        read("judgments/gpt-3.5-turbo.jsonl.gz"),
    );
    let path = |name: &str| data.join("pandalm").join(name).display().to_string();
    for annotator in 0..3 {
        let right = pairs
            .iter()
            .zip(&verdicts)
            .filter(|(pair, said)| pair["human"][annotator] == said["verdict"])
            .count();
        let report = desk.json(&format!(
            "meta judge --recorded {} --data {} --allow-missing --rounds 2 --quiet --map \
             item=idx,instruction=instruction+input,\
             output_1=response_1,output_2=response_2,system_1=model_1,system_2=model_2,label=human.{annotator}",
            path("judgments/gpt-3.5-turbo.jsonl.gz"),
            path("pairs.jsonl.gz")
        ));
        let accuracy = report["accuracy"].as_f64().unwrap();
        assert_eq!(
            (report["n"].as_u64(), (999.0 * accuracy).round() as usize),
            (Some(999), right),
            "{annotator}"
        );
    }
}
