//! `rank --design adaptive` with the real binary.

use crate::common::{Desk, assert_holds, systems};
use serde_json::Value;

fn judged(report: &Value) -> (u64, u64) {
    (
        report["adaptive"]["judged"].as_u64().unwrap(),
        report["adaptive"]["of"].as_u64().unwrap(),
    )
}

#[test]
fn a_clear_order_is_certain_before_everything_is_judged() {
    let desk = Desk::new(150, &["a", "b", "c", "d"]);
    let run = "rank --data data --judge simulated:accuracy=0.95 --design adaptive --quiet";
    let report = desk.json(&format!("{run} --run all"));
    let (made, of) = judged(&report);
    assert_eq!(of, 6 * 150);
    assert!(made < of, "{made} of {of}");
    assert_eq!(report["adaptive"]["ended"].as_str(), Some("certain"));
    assert_eq!(report["adaptive"]["certainty"].as_f64(), Some(0.95));
    // Both orders of a pair are one comparison.
    assert_eq!(report["coverage"]["trials"].as_u64().unwrap(), 2 * made);
    assert_eq!(report["adaptive"]["certified"].as_array().unwrap().len(), 6);
    // What is certified is the order of judging everything.
    let everything = desk.json(
        "rank --data data --judge simulated:accuracy=0.95 --run everything --quiet \
                   --aggregate average-win-rate",
    );
    let order = systems(&everything);
    let place = |name: &Value| order.iter().position(|system| *name == **system).unwrap();
    for pair in report["adaptive"]["certified"].as_array().unwrap() {
        assert!(place(&pair["above"]) < place(&pair["below"]), "{pair}");
    }
    // A certified pair's interval is on one side of 0, and the headline has no p-value that ignores
    // the design.
    for pair in report["adaptive"]["differences"].as_array().unwrap() {
        let [low, high] = [0, 1].map(|end| pair["ci"][end].as_f64().unwrap());
        assert!(low >= 0.0 || high <= 0.0, "{pair}");
    }
    let answer = &report["answer"];
    let text = answer["text"].as_str().unwrap();
    assert!(
        text.contains("certified at 95 %") && !text.contains("(p ") && answer["p"].is_null(),
        "{answer}"
    );
    // The same command asks nothing again and says the same.
    let again = desk.json(&format!("{run} --run all"));
    assert_eq!(report["adaptive"], again["adaptive"]);
    assert_eq!(report["ranking"], again["ranking"]);
}

#[test]
fn less_is_asked_for_less() {
    let desk = Desk::new(120, &["a", "b", "c", "d", "e"]);
    let made = |flags: &str| {
        let run = flags.replace([' ', ':', '-', '.'], "");
        judged(&desk.json(&format!(
            "rank --data data --judge simulated:accuracy=0.8 --design adaptive \
                                {flags} --run r{run} --quiet"
        )))
        .0
    };
    let all = made("--until order");
    assert!(made("--until share:0.5") < all);
    assert!(made("--until top:1") < all);
    assert_eq!(made("--budget 70"), 70);
    // Scores of single responses: every system on the same items.
    let report = desk.json(
        "rank --data data --judge simulated --protocol pointwise:1-10 --design \
                            adaptive --run points --quiet",
    );
    assert_eq!(judged(&report).1, 5 * 120);
}

#[test]
fn weights_of_items_change_what_is_asked() {
    let desk = Desk::new(200, &["a", "b", "c"]);
    let rows = |weight: fn(u32) -> u32| {
        (0..200)
            .map(|item| format!("q{item},{}\n", weight(item)))
            .collect::<String>()
    };
    desk.write(
        "weights.csv",
        format!("item,weight\n{}", rows(|item| u32::from(item < 40))),
    );
    let found = |flags: &str, run: &str| {
        let ran = "rank --data data --judge simulated:accuracy=0.55 --design adaptive --budget 60 \
                   --quiet";
        let report = desk.json(&format!("{ran} {flags} --run {run}"));
        assert_eq!(judged(&report).0, 60);
        report["adaptive"]["differences"].clone()
    };
    let weighted = found("--item-weights weights.csv", "weighted");
    assert_ne!(found("", "alike"), weighted);
    assert_eq!(found("--item-weights weights.csv", "again"), weighted);
}

#[test]
fn a_judge_that_cannot_tell_certifies_nothing_false() {
    let desk = Desk::new(60, &["a", "b", "c"]);
    let report = desk.json(
        "rank --data data --judge simulated:accuracy=0.5,first-slot=0.4 \
                            --design adaptive --quiet --run run",
    );
    let found = &report["adaptive"];
    let open = found["differences"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|pair| pair["certified"] == false);
    for pair in open {
        let ci = [0, 1].map(|at| pair["ci"][at].as_f64().unwrap());
        assert!(-1.0 <= ci[0] && ci[0] <= ci[1] && ci[1] <= 1.0, "{pair}");
    }
    assert!(["certain", "exhausted"].contains(&found["ended"].as_str().unwrap()));
    let table = desk
        .done(
            "rank --data data --judge simulated:accuracy=0.5,first-slot=0.4 --design \
                   adaptive --quiet --run run",
        )
        .stdout;
    assert_holds(&table, "certain");
    assert_holds(&table, "of 180 were judged");
}

#[test]
fn what_cannot_be_adaptive_is_said() {
    let desk = Desk::new(3, &["a", "b"]);
    let refused = |arguments: &str, expected: &str| {
        desk.refused(arguments, expected);
    };
    refused(
        "judge --data data --judge simulated --design adaptive",
        "judge asks everything",
    );
    refused(
        "rank --data data --judge simulated --budget 5",
        "--budget: it is not used here: it is for --design adaptive; leave it out",
    );
    // A word that is the default as well.
    refused(
        "rank --data data --judge simulated --until order",
        "--until: it is not used here: it is for --design adaptive; leave it out",
    );
    desk.write("weights.csv", "item,weight\nq1,1\n");
    let weighted = "rank --data data --judge simulated --design adaptive --item-weights";
    refused(
        &format!("{weighted} weights.csv"),
        "weights.csv: there is no weight for the item `",
    );
    desk.write("negative.csv", "item,weight\nq1,-1\n");
    refused(
        &format!("{weighted} negative.csv"),
        "negative.csv:2: field `weight`: expected a number from 0 to 1e100, found \"-1\"",
    );
    refused(
        &format!("{weighted} no.csv"),
        "--item-weights no.csv: cannot be read",
    );
    refused(
        "rank --data data --judge simulated --design adaptive --until top:2",
        "number of best systems",
    );
    refused(
        "rank --data data --judge simulated --design adaptive --until most",
        "expected order, top:K or share:S",
    );
    refused(
        "rank --data data --judge simulated --design adaptive --protocol listwise",
        "a list of several",
    );
    refused(
        "rank --data data --judge simulated --design adaptive --protocol likelihood",
        "on a scale, and likelihood has none",
    );
}

/// How often the order of two systems is certain, over seeds of the judge.
fn orders(judge: &str, certain_for: &str, seeds: u32) -> usize {
    let desk = Desk::new(100, &["a", "b"]);
    let of = |seed: u32| {
        let run = format!(
            "--seed {seed} --run r{seed} --no-reuse --design adaptive --certain-for {certain_for} \
             --quiet"
        );
        let report = desk.json(&format!(
            "rank --data data --judge simulated:{judge},seed={seed} {run}"
        ));
        assert_eq!(report["adaptive"]["certain_for"], certain_for);
        report["adaptive"]["certified"].as_array().unwrap().len()
    };
    (0..seeds).map(of).sum()
}

/// Two equal systems differ on nearly any hundred items, and on those alone.
#[test]
fn equal_systems_have_an_order_on_these_items_and_none_on_items_such_as_these() {
    assert!(orders("gap=0", "items", 20) > 12);
    assert!(orders("gap=0", "population", 20) <= 3);
    assert!(orders("gap=2", "population", 5) == 5);
}

#[test]
fn what_is_certain_of_which_items_is_said() {
    let desk = Desk::new(60, &["a", "b"]);
    desk.write(
        "weights.csv",
        "item,weight\n".to_string()
            + &(0..60)
                .map(|item| format!("q{item},1\n"))
                .collect::<String>(),
    );
    let run = "rank --data data --judge simulated:gap=2 --design adaptive --quiet --run run";
    let items = desk.done(&format!("{run}1")).stdout;
    assert_holds(&items, "pairs on these very items, all with chance 0.95");
    let population = desk
        .done(&format!("{run}2 --certain-for population"))
        .stdout;
    assert_holds(
        &population,
        "pairs on items such as these, of which these are a random sample, all with",
    );
    desk.refused(
        &format!("{run}3 --certain-for population --item-weights weights.csv"),
        "needs items that are drawn alike",
    );
    // What one item of a question shows the others show too.
    let (mut items, mut responses) = (String::new(), String::new());
    for item in ["x", "y"] {
        items += &format!("{{\"id\":\"{item}\",\"instruction\":\"Why?\"}}\n");
        for system in ["a", "b"] {
            responses += &format!(
                "{{\"item\":\"{item}\",\"system\":\"{system}\",\"output\":\"{system} of {item}\"}}\n"
            );
        }
    }
    desk.write("twice/items.jsonl", items);
    desk.write("twice/responses.jsonl", responses);
    let twice = "rank --data twice --judge simulated --design adaptive --quiet --run twice-run";
    let estimate = twice.replacen("rank", "estimate", 1);
    for command in [twice, estimate.as_str()] {
        desk.refused(
            &format!("{command} --certain-for population"),
            "these are 2 items of 1 question",
        );
    }
}
