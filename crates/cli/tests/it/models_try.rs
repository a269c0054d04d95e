//! `models try`: judges with planted defects, and the real small model where there is one.

use crate::common::{Desk, assert_holds};
use serde_json::{Value, json};

/// The first way of the first model.
fn first_way(report: &Value) -> &Value {
    &report["models"][0]["ways"][0]
}

fn ci(figure: &Value) -> [f64; 2] {
    [0, 1].map(|end| figure["ci"][end].as_f64().unwrap())
}

#[test]
fn the_planted_accuracy_is_in_the_interval() {
    let desk = Desk::empty();
    let mut held = 0;
    for seed in 0..10 {
        let report = desk.json(&format!("models try simulated:accuracy=0.8,seed={seed}"));
        let way = first_way(&report);
        assert_eq!(
            (&way["orders"], &way["trials"], &way["above_coin"]),
            (&json!("each"), &json!(208), &json!(true)),
            "{way}"
        );
        let [low, high] = ci(&way["accuracy"]);
        held += u32::from(low <= 0.8 && 0.8 <= high);
        // It tells nothing by length or place, and has no probabilities to average.
        assert_eq!(report["models"][0]["ways"].as_array().unwrap().len(), 1);
        assert_eq!(report["best"]["chosen_of"], 1);
    }
    assert!(held >= 8, "{held} of 10");
}

#[test]
fn a_preference_for_a_place_or_for_length_stands_in_its_column() {
    let desk = Desk::empty();
    let report = desk.json("models try simulated:accuracy=1,first-slot=0.6");
    let way = first_way(&report);
    let value = |name: &str| way[name]["value"].as_f64().unwrap();
    // Shown second, the better answer wins where the place does not decide.
    assert_eq!(value("accuracy_first"), 1.0);
    let [low, high] = ci(&way["accuracy_second"]);
    assert!(low <= 0.4 && 0.4 <= high, "{way}");
    let [low, high] = ci(&way["first_slot"]);
    assert!(low <= 0.8 && 0.8 <= high, "{way}");
    assert!(value("flips") > 0.4, "{way}");

    let mut held = [0; 3];
    for seed in 0..6 {
        let judge = format!("simulated:accuracy=0.5,length=0.8,seed={seed}");
        let report = desk.json(&format!("models try {judge}"));
        let way = first_way(&report);
        let planted = [
            ("accuracy_longer", 0.9),
            ("accuracy_shorter", 0.1),
            ("accuracy", 0.5),
        ];
        for (held, (name, value)) in held.iter_mut().zip(planted) {
            let [low, high] = ci(&way[name]);
            *held += u32::from(low <= value && value <= high);
        }
        assert_eq!(way["above_coin"], Value::Null, "{way}");
    }
    assert!(held.iter().all(|held| *held >= 5), "{held:?} of 6");
    // A judge of length alone is right on half of the pairs.
    let report = desk.json("models try simulated:accuracy=0.5,length=1");
    assert_eq!(first_way(&report)["accuracy"]["value"], 0.5);
}

#[test]
fn probabilities_are_averaged_over_both_orders() {
    let desk = Desk::empty();
    let said = desk.done("models try simulated:accuracy=0.9,first-slot=0.7,probabilities=true");
    said.prints("both orders averaged");
    let report = desk.json("models try simulated:accuracy=0.9,first-slot=0.7,probabilities=true");
    let ways = &report["models"][0]["ways"];
    // In each order the place decides; of the mean of both it is the answer.
    assert_eq!(ways[0]["accuracy"]["value"], 0.5);
    assert_eq!(ways[1]["orders"], "averaged");
    assert_eq!(ways[1]["accuracy"]["value"], 1.0);
    assert_eq!(ways[1]["flips"]["value"], Value::Null);
    assert_eq!(ways[1]["trials"], 104);
    let best = &report["best"];
    assert_eq!(best["orders"], "averaged");
    assert_eq!(best["chosen_of"], 2);
    assert_eq!(best["ahead_of_next"]["is_certain"], true);
}

#[test]
fn a_way_without_an_order_is_chosen_by_the_same_rule() {
    let desk = Desk::empty();
    let judge = "simulated:accuracy=0.9,first-slot=0.7,probabilities=true";
    let ways = "--way pairwise/direct/order-free --way pairwise/direct/swap";
    let report = desk.json(&format!("models try {judge} {ways}"));
    let way = first_way(&report);
    // One verdict a pair, in which no place decides.
    assert_eq!(
        (&way["orders"], &way["trials"], &way["accuracy"]["value"]),
        (&json!("free"), &json!(104), &json!(1.0)),
        "{way}"
    );
    assert_eq!(way["flips"]["value"], Value::Null);
    assert_eq!(way["first_slot"]["value"], Value::Null);
    // The mean of both orders is as right: of equals the first is named, and not told apart.
    let best = &report["best"];
    assert_eq!(best["way"], "pairwise/direct/order-free");
    assert_eq!(best["orders"], "free");
    assert_eq!(best["chosen_of"], 3);
    let next = &best["ahead_of_next"];
    assert_eq!(next["orders"], "averaged");
    assert_eq!(next["is_certain"], false);
    // A judge that cannot read so is told before anything is asked.
    let served = "models try openai:m@http://127.0.0.1:9/v1 --way pairwise/direct/order-free";
    let ran = desk.run(served);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let said = "cannot be asked to read responses side by side";
    ran.says(said);
}

#[test]
fn what_was_asked_is_not_asked_again_and_a_part_is_balanced() {
    let desk = Desk::empty();
    let tried = "models try simulated:accuracy=0.5,length=1 --pairs 12 --run r --out result.json";
    let first = desk.json(tried);
    assert_eq!(first["set"]["pairs"], 12);
    assert_eq!(first_way(&first)["accuracy"]["value"], 0.5);
    assert!(first_way(&first)["seconds_per_pair"].is_number(), "{first}");
    let written: Value = serde_json::from_str(&desk.read("result.json")).unwrap();
    assert_eq!(written, first);
    let again = desk.json(tried);
    assert_eq!(first_way(&again)["accuracy"], first_way(&first)["accuracy"]);
    assert_eq!(first_way(&again)["seconds_per_pair"], Value::Null);
    let csv = desk.done(&format!("{tried} --format csv")).stdout;
    assert!(csv.starts_with("judge,way,orders,accuracy,"), "{csv}");
    let markdown = desk.done(&format!("{tried} --format markdown")).stdout;
    assert!(markdown.contains("| judge | way |"), "{markdown}");
}

#[test]
fn several_models_are_compared_and_the_best_is_chosen_of_all_ways() {
    let desk = Desk::empty();
    let models = "models try simulated:accuracy=0.55 --judge simulated:accuracy=0.95";
    let report = desk.json(models);
    assert_eq!(report["models"].as_array().unwrap().len(), 2);
    let best = &report["best"];
    assert_eq!(best["judge"], report["models"][1]["judge"]);
    assert_eq!(best["chosen_of"], 2);
    assert_eq!(best["above_coin"], true);
    let said = desk.done(models).stdout;
    assert_holds(&said, "Of these 2 ways the best is simulated:accuracy=0.95");
    assert!(said.contains("small and ours"), "{said}");
}

#[test]
fn a_judge_that_always_fails_has_no_accuracy_and_the_command_fails() {
    let desk = Desk::empty();
    let ran = desk.run("models try simulated:invalid=1 --format json");
    ran.ends(1, "came to no verdict in any way");
    ran.says("unparsed");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let way = first_way(&report);
    assert_eq!(way["accuracy"]["value"], Value::Null, "{way}");
    assert_eq!(way["verdicts"], 0);
    assert_eq!(report["best"], Value::Null);
    // Some failures are told beside what came to a verdict.
    let report = desk.json("models try simulated:accuracy=0.9,invalid=0.3");
    let way = first_way(&report);
    let failed = way["failures"]["unparsed"].as_u64().unwrap();
    assert_eq!(way["verdicts"].as_u64().unwrap() + failed, 208);
    let [low, high] = ci(&way["accuracy"]);
    assert!(low <= 0.9 && 0.9 <= high, "{way}");
}

#[test]
fn what_cannot_be_tried_is_told_before_anything_is_asked() {
    let desk = Desk::empty();
    for (arguments, said) in [
        ("models try nowhere.gguf", "nowhere.gguf: cannot be read"),
        (
            "models try gguf:nowhere.gguf",
            "nowhere.gguf: cannot be read",
        ),
        (
            "models try smollm2-135m",
            "`evenhand models get smollm2-135m` fetches it",
        ),
        ("models try nonsense", "expected openai:MODEL"),
        ("models try simulated --way nonsense", "nonsense"),
        (
            "models try simulated --pairs 3",
            "expected a number from 4 to 104",
        ),
        (
            "models try simulated --pairs 105",
            "expected a number from 4 to 104",
        ),
        ("models try simulated --level 1", "level"),
    ] {
        desk.refused(&format!("{arguments} --format json"), said);
        assert!(!desk.path("runs").exists(), "{arguments}");
    }
}

#[cfg(feature = "embedded")]
mod embedded {
    use super::*;
    use evenhand_testing::small_model;

    #[test]
    fn the_small_model_is_tried_by_likelihood_and_by_verdicts() {
        let Some(model) = small_model() else { return };
        let desk = Desk::empty();
        let report = desk.json(&format!("models try {} --pairs 4", model.display()));
        let ways = report["models"][0]["ways"].as_array().unwrap();
        let orders: Vec<&Value> = ways.iter().map(|way| &way["orders"]).collect();
        assert_eq!(orders, ["free", "each", "averaged"]);
        for way in ways {
            assert!(way["accuracy"]["value"].is_number(), "{way}");
            assert!(way["tokens_per_pair"].as_f64().unwrap() > 10.0, "{way}");
        }
        assert_eq!(ways[0]["flips"]["value"], Value::Null);
        let free = "--pairs 4 --way pairwise/direct/order-free";
        let report = desk.json(&format!("models try {} {free}", model.display()));
        let way = first_way(&report);
        assert_eq!(
            (&way["orders"], &way["verdicts"]),
            (&json!("free"), &json!(4)),
            "{way}"
        );
        // A part of the set says too little to be kept.
        assert!(!desk.path(".cache/evenhand/models/tried").exists());
    }

    /// The file of a model that was right on so many of the pairs.
    fn write_kept(desk: &Desk, report: &Value, sha256: &Value, right: usize) {
        let mut set = report["set"].clone();
        set["pairs"] = set["of"].clone();
        let pairs = set["of"].as_u64().unwrap() as usize;
        let credits = (0..pairs).map(|pair| {
            let credit = f64::from(u8::from(pair < right));
            (format!("pair-{pair}"), json!([credit, 1.0]))
        });
        let credits: serde_json::Map<String, Value> = credits.collect();
        let way = json!({
            "judge": "gguf:model", "way": "likelihood:novel", "orders": "free", "credits": credits
        });
        let kept = json!({"set": set, "ways": [way]});
        let file = format!(
            ".cache/evenhand/models/tried/{}.json",
            sha256.as_str().unwrap()
        );
        desk.write(&file, kept.to_string());
    }

    #[test]
    fn models_shows_what_was_tried_and_recommends_only_what_is_better_than_a_coin() {
        let Some(model) = small_model() else { return };
        let desk = Desk::empty();
        let list = format!("models {}", model.display());
        let listed = |desk: &Desk| -> (Value, String) {
            let mut command = desk.command(&format!("{list} --format json"));
            let json = command.env_remove("XDG_CACHE_HOME").output().unwrap();
            let table = desk.command(&list).env_remove("XDG_CACHE_HOME").output();
            let table = String::from_utf8(table.unwrap().stdout).unwrap();
            (serde_json::from_slice(&json.stdout).unwrap(), table)
        };
        let (rows, table) = listed(&desk);
        assert_eq!(rows[0]["tried_accuracy"], Value::Null);
        assert_holds(&table, "None of these was tried as a judge");

        let report = desk.json("models try simulated --pairs 4");
        let pairs = report["set"]["of"].as_u64().unwrap() as usize;
        write_kept(&desk, &report, &rows[0]["sha256"], pairs * 3 / 4);
        let (rows, table) = listed(&desk);
        assert_eq!(rows[0]["tried_accuracy"], 0.75);
        assert_eq!(rows[0]["tried_above_coin"], true);
        assert!(table.contains("0.75 by likelihood:novel"), "{table}");
        assert!(table.contains("The best that was tried here is"), "{table}");
        assert!(table.contains("--protocol likelihood:novel"), "{table}");

        write_kept(&desk, &report, &rows[0]["sha256"], pairs / 2);
        let (rows, table) = listed(&desk);
        assert_eq!(rows[0]["tried_above_coin"], false);
        assert_holds(
            &table,
            "None of those that were tried was shown to be better than a coin",
        );
    }
}
