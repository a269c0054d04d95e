//! Labelled pairs with several packs of prompts.

use super::*;

/// The built-in prompt for pairs with one word in front, which makes every request another.
fn write_pack(desk: &Desk, name: &str, word: &str) {
    let built_in = include_str!("../../../../protocols/prompts/pairwise.toml");
    let text = built_in.replace(
        "You are an impartial judge",
        &format!("{word}, impartial judge"),
    );
    desk.write(&format!("packs/{name}/pairwise.toml"), text);
}

const PACKS: &str = "prompt-packs = [\"packs/plain\", \"packs/curt\"]\nrounds";

/// A simulated judge decides by the request: other words are other draws of the same accuracy.
#[test]
fn packs_of_prompts_stand_side_by_side() {
    let desk = desk();
    write_pack(&desk, "plain", "Dear colleague");
    write_pack(&desk, "curt", "You");
    let toml = STUDY.replacen("rounds", PACKS, 1);
    let toml = toml.replacen(
        "\"pairwise/cot\", \"pairwise/prepair\"",
        "\"pairwise-tie\"",
        1,
    );
    let report = study(&desk, &toml, "--judge simulated:accuracy=0.8");
    let names: Vec<&str> = report["labelled"].as_array().unwrap()[..4]
        .iter()
        .map(|one| one["protocol"].as_str().unwrap())
        .collect();
    // The packs leave pairwise-tie as it is.
    assert_eq!(
        names,
        [
            "pairwise",
            "pairwise, prompts plain",
            "pairwise, prompts curt",
            "pairwise-tie"
        ]
    );
    let [one] = &report["prompt_variations"].as_array().unwrap()[..] else {
        panic!("one evaluation type varies")
    };
    assert_eq!(one["protocol"], "pairwise");
    assert_eq!(one["total"], "total");
    assert_eq!(one["prompts"], json!(["built-in", "plain", "curt"]));
    let accuracies = numbers(&one["accuracy"]["accuracies"]);
    let totals = report["totals"].as_array().unwrap();
    for (at, accuracy) in accuracies.iter().enumerate() {
        assert!((accuracy - totals[at]["accuracy"].as_f64().unwrap()).abs() < 1e-12);
        assert!((accuracy - 0.8).abs() < 0.12, "{accuracies:?}");
        // Each has the interval that accuracies have elsewhere, over the clusters of its pairs.
        assert_eq!(
            one["accuracy"]["accuracies_ci"][at],
            totals[at]["accuracy_ci"]
        );
    }
    let (mean, sd) = mean_and_deviation(&accuracies);
    assert!((one["accuracy"]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((one["accuracy"]["sd"].as_f64().unwrap() - sd).abs() < 1e-9 && sd > 0.0);
    let differences = one["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 2);
    for (at, difference) in differences.iter().enumerate() {
        assert_eq!(difference["pairs"], 60);
        let expected = accuracies[0] - accuracies[at + 1];
        assert!((difference["difference"].as_f64().unwrap() - expected).abs() < 1e-12);
        // No difference is planted.
        assert!(
            difference["p_holm"].as_f64().unwrap() > 0.01,
            "{difference}"
        );
    }
    // Protocols are compared with the built-in prompts alone.
    let compared = &report["protocol_differences"][0]["differences"];
    assert_eq!(compared.as_array().unwrap().len(), 1);
    let table = desk.done("meta study STUDY.toml").stdout;
    assert!(table.contains("built-in ahead by"), "{table}");
}

#[test]
fn a_pack_that_cannot_be_used_is_refused_before_anything_is_asked() {
    let desk = desk();
    let toml = STUDY.replacen("rounds", PACKS, 1);
    desk.write("STUDY.toml", &toml);
    write_pack(&desk, "plain", "Dear colleague");
    desk.refused("meta study STUDY.toml", "packs/curt");
    assert!(!desk.path("run").exists());
    write_pack(&desk, "other/plain", "You");
    desk.write(
        "STUDY.toml",
        toml.replace("packs/curt", "packs/other/plain"),
    );
    let ran = desk.run("meta study STUDY.toml");
    ran.says("two directories are called plain");
}

/// A pack may show a field of the items, which the built-in prompts do not know of.
#[test]
fn a_pack_shows_fields_of_items() {
    let desk = Desk::empty();
    let line = |at: usize| {
        json!({"id": at, "prompt": format!("Do {at}."), "chosen": format!("Done {at}."),
            "rejected": format!("No {at}."), "hint": format!("Hint {at}.")})
        .to_string()
            + "\n"
    };
    desk.write("pairs.jsonl", (0..6).map(line).collect::<String>());
    let built_in = include_str!("../../../../protocols/prompts/pairwise.toml");
    let shown = built_in.replace("{{ material }}", "{{ material }}\n{{ item.hint }}");
    desk.write("packs/hinting/pairwise.toml", shown);
    let toml = "types = ['pairwise']\nprompt-packs = ['packs/hinting']\nrounds = 100\n\
                [labelled.all]\ndata = ['pairs.jsonl']\n[judges.j]\nspec = 'simulated'\n";
    let report = study(&desk, toml, "--quiet");
    let row = &report["labelled"][1];
    assert_eq!(row["protocol"], "pairwise, prompts hinting");
    assert_eq!(row["coverage"]["verdicts"], 12);
}
