//! The order of the responses as a parameter of the ranking: `--control order`.

use super::*;
use crate::common::assert_holds;

/// A judge that is right in most cases and likes the first response, asked in one order.
const LIKES_FIRST: &str = "--data data --judge simulated:gap=0.6,first-slot=0.25,seed=2 --protocol \
                           pairwise/direct/single --quiet";

const NOBODY_FIRST: &str = "--control order: the files do not say which response was shown first, \
                            or their judgments are of both orders";

/// Judgments of a judge that is asked in one order.
fn judged_once(desk: &Desk) -> Vec<Value> {
    let ran = desk.done(&format!("judge {LIKES_FIRST} --run run --format json"));
    let lines = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn what_the_first_place_is_worth_is_taken_out_and_told_with_its_interval() {
    let desk = desk(60);
    let judgments = judged_once(&desk);
    let report = desk.json(&format!("rank {LIKES_FIRST} --run run --control order"));
    assert_eq!(systems(&report), SYSTEMS, "{report}");
    let [log_odds, low, high] = effect(&report, "order");
    assert!(0.0 < low && low < log_odds && log_odds < high, "{report}");
    let elo = &report["style"][0]["elo"];
    let points = |log_odds: f64| log_odds * 400.0 / f64::ln(10.0);
    assert!((number(&elo["points"]) - points(log_odds)).abs() < 1e-9);
    assert!((number(&elo["ci"][0]) - points(low)).abs() < 1e-9);
    let text = desk
        .done(&format!("rank {LIKES_FIRST} --run run --control order"))
        .stdout;
    assert_holds(&text, "order: being shown first is worth +");

    // The same from the file of judgments, and from battles that name the first response first.
    let mut lines = String::new();
    let mut battles = "item,model_a,model_b,winner\n".to_owned();
    for row in &judgments {
        lines += &format!("{row}\n");
        let winner = if number(&row["p_first"]) == 1.0 {
            "model_a"
        } else {
            "model_b"
        };
        let cell = |name: &str| row[name].as_str().unwrap().to_owned();
        let (item, first, second) = (cell("item"), cell("first"), cell("second"));
        battles += &format!("{item},{first},{second},{winner}\n");
    }
    desk.write("judgments.jsonl", lines);
    desk.write("battles.csv", battles);
    for file in ["judgments.jsonl", "battles.csv"] {
        for how in ["", " --aggregate davidson", " --aggregate rao-kupper"] {
            let one = desk.json(&format!(
                "rank {LIKES_FIRST} --run run --control order{how}"
            ));
            let two = desk.json(&format!("leaderboard {file} --control order{how}"));
            let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-6, "{file}{how}: {one} {two}");
            let [of_run, of_file] = [&one, &two].map(|report| effect(report, "order"));
            of_run.iter().zip(of_file).for_each(|(x, y)| near(*x, y));
            for name in SYSTEMS {
                let [x, y] = [&one, &two].map(|report| row(report, name)["ci"].clone());
                (0..2).for_each(|end| near(number(&x[end]), number(&y[end])));
            }
        }
    }
    // It goes with style.
    let both = desk.json(&format!(
        "rank {LIKES_FIRST} --run run --control order,length"
    ));
    assert_eq!(both["style"].as_array().unwrap().len(), 2, "{both}");
    assert!(effect(&both, "order")[1] > 0.0, "{both}");
}

#[test]
fn where_it_cannot_be_told_it_is_refused() {
    let desk = desk(6);
    let mut battles = "item,model_a,model_b,winner\n".to_owned();
    for item in 0..30 {
        let other = SYSTEMS[1 + item % 3];
        let winner = ["model_a", "model_b", "tie"][item % 3];
        battles += &format!("i{item},ant,{other},{winner}\n");
        battles += &format!("i{item},ant,{other},model_b\n");
        battles += &format!("i{item},ant,{other},model_a\n");
    }
    desk.write("b.csv", &battles);
    let alone = "which systems are compared determines which is shown first (one of them always \
                 is, perhaps), so the effect of the place cannot be told from the strengths; judge \
                 some items in the other order too, or leave it out";
    for how in ["", " --aggregate davidson"] {
        let message = format!("--control order: {alone}");
        refused(
            &desk,
            &format!("leaderboard b.csv --control order{how}"),
            &message,
        );
    }
    desk.write(
        "once.csv",
        "question_id,model_a,model_b,winner\nq1,ant,bee,model_a\nq2,bee,cat,model_a\n",
    );
    refused(
        &desk,
        "leaderboard once.csv --control order",
        "--control order: no two systems have both won and lost against each other, directly or \
         through others, so no strengths are finite; it takes more comparisons of the same systems",
    );
    let annotation = |preference: u8| {
        json!({"instruction": format!("i{preference}"), "generator_1": "ant", "generator_2": "bee",
               "output_1": "x", "output_2": "yy", "preference": preference})
    };
    let annotations = json!([annotation(1), annotation(2)]);
    desk.write("annotations.json", annotations.to_string());
    refused(
        &desk,
        "leaderboard annotations.json --control order",
        NOBODY_FIRST,
    );
    // A verdict of both orders in one judgment is of no order, in every form of the file.
    for (protocol, file) in [
        ("pairwise/direct/swap:none", "both.jsonl"),
        ("pairwise-score/cot/mec+bpc:2", "mean.csv"),
    ] {
        let format = if file.ends_with("csv") { "csv" } else { "json" };
        let judged = desk.done(&format!(
            "judge --data data --judge simulated:gap=0.6,first-slot=0.25,seed=2 --protocol \
             {protocol} --quiet --run {format} --format {format}"
        ));
        desk.write(file, judged.stdout);
        refused(
            &desk,
            &format!("leaderboard {file} --control order"),
            NOBODY_FIRST,
        );
        // Nor does the judge prefer the first slot there, where one looks for that.
        let labels = "--labels labels.jsonl";
        let label = |item: usize| {
            let (a, b) = (SYSTEMS[0], SYSTEMS[1]);
            json!({"item": format!("q{item}"), "a": a, "b": b, "preferred": "a"})
        };
        let lines: String = (0..6).map(|item| format!("{}\n", label(item))).collect();
        desk.write("labels.jsonl", lines);
        let against = desk.json(&format!(
            "meta judge --recorded {file} {labels} --rounds 20"
        ));
        assert!(against["first_slot"].is_null(), "{protocol}: {against}");
    }
    for (protocol, why) in [
        (
            "pointwise",
            "judges responses one by one, so that none is first; leave it out",
        ),
        ("listwise", "shows more; leave it out"),
    ] {
        desk.refused(
            &format!(
                "rank --data data --judge simulated:log=asked --protocol {protocol} --control order"
            ),
            why,
        );
    }
    assert!(desk.lines("asked").is_empty());
}
