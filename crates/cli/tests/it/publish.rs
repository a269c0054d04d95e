//! `publish` and `site` with the real binary.

use crate::common::Desk;
use serde_json::{Value, json};

fn desk() -> Desk {
    let desk = Desk::new(12, &["careful", "brief"]);
    desk.done("rank --data data --judge simulated:accuracy=0.8 --run runs/one --quiet");
    desk.done("rank --data data --judge simulated:accuracy=0.7,seed=2 --run runs/two --quiet");
    desk
}

#[test]
fn a_ranking_becomes_a_record_for_each_system() {
    let desk = desk();
    let report = desk.json("rank --data data --judge simulated:accuracy=0.8 --run runs/one");
    let told = desk.done(
        "publish runs/one --as every-eval-ever --out eee --organization Ours --dataset questions",
    );
    assert!(told.stderr.contains("2 records"), "{}", told.stderr);
    for row in report["ranking"].as_array().unwrap() {
        let system = row["system"].as_str().unwrap();
        let record: Value =
            serde_json::from_str(&desk.read(&format!("eee/{system}.json"))).unwrap();
        assert_eq!(record["schema_version"], "0.2.1");
        assert_eq!(record["model_info"], json!({"name": system, "id": system}));
        assert_eq!(record["source_metadata"]["evaluator_relationship"], "other");
        let result = &record["evaluation_results"][0];
        assert_eq!(
            result["source_data"],
            json!({"dataset_name": "questions", "source_type": "other"})
        );
        assert_eq!(result["score_details"]["score"], row["score"]);
        let interval = &result["score_details"]["uncertainty"]["confidence_interval"];
        assert_eq!(
            (&interval["lower"], &interval["confidence_level"]),
            (&row["ci"][0], &json!(0.95))
        );
        let judges = result["metric_config"]["llm_scoring"]["judges"]
            .as_array()
            .unwrap();
        assert!(
            judges[0]["model_info"]["id"]
                .as_str()
                .unwrap()
                .starts_with("simulated")
        );
        let details = result["metric_config"]["llm_scoring"]["additional_details"]
            .as_object()
            .unwrap();
        assert!(details.values().all(Value::is_string));
    }
}

/// A judge is sure of a pair where both orders say the same: each is held against the run.
#[test]
fn pairs_that_a_judge_is_sure_of_are_written_for_trainers() {
    let desk = desk();
    let judged = desk.done(
        "judge --data data --judge simulated:accuracy=0.7,seed=2 --run runs/two --format json",
    );
    let mut shares = std::collections::BTreeMap::<String, f64>::new();
    for line in judged.stdout.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let first = row["p_first"].as_f64().unwrap() + row["p_tie"].as_f64().unwrap() / 2.0;
        let is_careful = row["first"] == "careful";
        let share = if is_careful { first } else { 1.0 - first };
        *shares
            .entry(row["item"].as_str().unwrap().into())
            .or_default() += share / 2.0;
    }
    for (flags, least) in [("", 0.9), ("--confidence 0", 0.0)] {
        desk.done(&format!(
            "publish runs/two --as preference-pairs --out dpo.jsonl {flags}"
        ));
        let file = desk.read("dpo.jsonl");
        let pairs: Vec<Value> = file
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let sure = shares.values().map(|share| (2.0 * share - 1.0).abs());
        let wanted = sure
            .filter(|margin| *margin >= least && *margin > 0.0)
            .count();
        assert_eq!(pairs.len(), wanted);
        assert!(wanted > 0 && (least == 0.0 || wanted < 12), "{wanted}");
        for pair in &pairs {
            let margin = 2.0 * shares[pair["item"].as_str().unwrap()] - 1.0;
            assert!((pair["margin"].as_f64().unwrap() - margin.abs()).abs() < 1e-9);
            let chosen = if margin > 0.0 { "careful" } else { "brief" };
            assert_eq!(pair["chosen_system"], chosen);
            assert!(pair["chosen"].as_str().unwrap().contains(chosen), "{pair}");
            assert!(
                !pair["rejected"].as_str().unwrap().contains(chosen),
                "{pair}"
            );
            assert!(!pair["prompt"].as_str().unwrap().is_empty());
        }
    }
    let refused = desk.run("publish runs/two --as preference-pairs --out p.jsonl --confidence 2");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn two_systems_stand_side_by_side_for_llm_comparator() {
    let desk = desk();
    desk.done("publish runs/one --as llm-comparator --pair brief,careful --out pairs.json");
    let file: Value = serde_json::from_str(&desk.read("pairs.json")).unwrap();
    assert_eq!(
        file["models"],
        json!([{"name": "brief"}, {"name": "careful"}])
    );
    let examples = file["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 12);
    for example in examples {
        let ratings = example["individual_rater_scores"].as_array().unwrap();
        assert_eq!(ratings.len(), 2);
        let scores: Vec<f64> = ratings
            .iter()
            .map(|one| one["score"].as_f64().unwrap())
            .collect();
        assert!(scores.iter().all(|score| score.abs() <= 1.5));
        assert_eq!(
            example["score"].as_f64(),
            Some(f64::midpoint(scores[0], scores[1]))
        );
        assert_ne!(ratings[0]["is_flipped"], ratings[1]["is_flipped"]);
        assert!(example["output_text_a"].as_str().unwrap().contains("brief"));
    }
    let refused = desk.run("publish runs/one --as llm-comparator --pair brief,nobody --out p.json");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("careful, brief"),
        "{}",
        refused.stderr
    );
}

#[test]
fn runs_are_a_site_of_static_pages() {
    let desk = desk();
    desk.done("site runs --out public --title Ours");
    let index = desk.read("public/index.html");
    for name in ["one", "two"] {
        assert!(index.contains(&format!("href=\"{name}.html\"")), "{index}");
        assert!(
            desk.read(&format!("public/{name}.html"))
                .contains("evenhand-data")
        );
    }
    assert!(index.contains("<title>Ours</title>") && !index.contains("<script"));
    let nowhere = desk.run("site nowhere --out public");
    assert_eq!(nowhere.code, Some(2), "{}", nowhere.stderr);
}
