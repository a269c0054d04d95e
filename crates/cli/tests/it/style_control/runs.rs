//! Style in runs: `rank --control`.

use super::*;

#[test]
fn a_run_is_controlled_as_its_battles_are() {
    let desk = desk(40);
    for (run, how) in [
        (LIKES_LENGTH, ""),
        (LIKES_LENGTH, " --prior 1 --ci none"),
        (DRAWS, ""),
        (DRAWS, " --cluster none"),
    ] {
        desk.write("b.csv", judged(&desk, run.strip_prefix("rank ").unwrap()));
        let report = desk.json(&format!("{run} --control {ALL}{how}"));
        let battles = desk.json(&format!(
            "leaderboard b.csv --control la/lb,ha/hb,ia/ib,ba/bb{how}"
        ));
        let near = |x: &Value, y: &Value| {
            assert!(
                (number(x) - number(y)).abs() < 1e-6,
                "{how}: {report} {battles}"
            )
        };
        for name in SYSTEMS {
            let (one, two) = (row(&report, name), row(&battles, name));
            near(&one["score"], &two["score"]);
            assert_eq!(one["rank_ci"], two["rank_ci"]);
            if one["ci"].is_array() {
                (0..2).for_each(|end| near(&one["ci"][end], &two["ci"][end]));
            }
        }
        let effects = report["style"]
            .as_array()
            .unwrap()
            .iter()
            .zip(battles["style"].as_array().unwrap());
        assert_eq!(
            effects
                .map(|(one, two)| near(&one["log_odds"], &two["log_odds"]))
                .count(),
            4
        );
    }
}

#[test]
fn a_run_gives_the_same_bytes_for_any_number_of_threads_and_from_a_file() {
    let desk = desk(30);
    let of = |arguments: &str| {
        desk.done(&format!("{LIKES_LENGTH} --format json {arguments}"))
            .timeless()
    };
    let one = of(&format!("--control {ALL} --threads 1"));
    assert_eq!(one, of(&format!("--control {ALL} --threads 2")));
    assert_eq!(one, of(&format!("--control {ALL} --ci sandwich")));
    desk.write(
        "c.toml",
        "control = [\"length\", \"headings\", \"lists\", \"bold\"]\n",
    );
    assert_eq!(one, of("--config c.toml"));
}

#[test]
fn what_a_run_cannot_control_is_refused_before_anything_is_asked() {
    let desk = desk(3);
    let run = "rank --data data --judge simulated:log=asked --run run";
    let intervals = "--control: its intervals are --ci sandwich, or --ci none";
    for (arguments, message) in [
        ("--control length --ci bootstrap", intervals),
        ("--control length --ci bca", intervals),
        (
            "--control length --aggregate elo",
            "--control: it is for bradley-terry, rao-kupper and davidson, not for elo",
        ),
        (
            "--control length --protocol pointwise --aggregate mean",
            "--control: it is for bradley-terry, rao-kupper and davidson, not for mean",
        ),
        (
            "--control length --drop",
            "--drop: it is not known with --control; leave one of them out",
        ),
    ] {
        refused(&desk, &format!("{run} {arguments}"), message);
        refused(
            &desk,
            &format!("{} {arguments}", run.replacen("rank", "estimate", 1)),
            message,
        );
    }
    let ran = desk.run(&format!("{run} --control length,width"));
    let message = "invalid value 'length,width' for '--control <NAME,...>': expected one of \
                   length, headings, lists, bold, order, or response.FIELD";
    ran.ends(2, message);
    let plain = Desk::new(3, &["a", "b"]);
    let nothing = "--control bold: no two responses to an item differ in it, so it says nothing; \
                   leave it out";
    refused(&plain, &format!("{run} --control bold"), nothing);
    assert!(desk.lines("asked").is_empty() && plain.lines("asked").is_empty());
    // Known only when the verdicts are: it is named all the same.
    let twice = format!("{LIKES_LENGTH} --control length,length");
    refused(
        &desk,
        &twice,
        "--control length: it is determined by length; leave one of them out",
    );
}

/// A judge that tosses a coin, on data in which bold stands in two responses of one item.
#[test]
fn an_effect_that_rests_on_few_items_has_no_interval_and_says_so() {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..40).map(item).collect::<String>());
    let all = (0..40).flat_map(|item| {
        SYSTEMS.iter().enumerate().map(move |(system, name)| {
            let bold = usize::from(item == 7 && system < 2);
            let words = 5 + (item * 7 + system * 11) % 17;
            answer(item, name, &text([0, 0, bold, words]).0)
        })
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    for seed in 0..5 {
        let run = format!("rank --data data --judge simulated:accuracy=0.5,seed={seed} --quiet");
        let report = desk.json(&format!("{run} --run run{seed} --control length,bold"));
        let [length, bold] = [&report["style"][0], &report["style"][1]];
        assert!(length["ci"].is_array() && length["note"].is_null());
        assert_eq!(bold["ci"], Value::Null);
        let note = "it varies in 1 item; an interval needs 5";
        assert_eq!(bold["note"], note);
        let again = desk.done(&format!("{run} --run run{seed} --control length,bold"));
        let line = format!("log-odds for one standard deviation; no interval: {note}");
        again.prints(&line);
    }
}
