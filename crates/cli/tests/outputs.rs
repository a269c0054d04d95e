//! What a run prints: the promised keys, the same figures in every format, and figures that are
//! right.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, answer, response, rows, systems};
use serde_json::{Value, json};

const RANK: &str = "rank --data data --run run --judge simulated";
const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

fn desk() -> Desk {
    Desk::new(6, &SYSTEMS)
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

mod json_report {
    use super::*;

    type Is = fn(&Value) -> bool;

    fn is_ends(value: &Value) -> bool {
        value.as_array().is_some_and(|ends| {
            ends.len() == 2 && ends.iter().all(|end| end.is_null() || end.is_number())
        })
    }

    fn is_texts(value: &Value) -> bool {
        value
            .as_array()
            .is_some_and(|all| all.iter().all(Value::is_string))
    }

    #[track_caller]
    fn assert_keys(object: &Value, keys: &[(&str, Is)]) {
        for (key, is_right) in keys {
            let value = object
                .get(key)
                .unwrap_or_else(|| panic!("no key {key} in {object}"));
            assert!(is_right(value), "{key}: {value}");
        }
    }

    #[test]
    fn has_the_promised_keys_with_their_types() {
        let report = desk().json(RANK);
        let top: [(&str, Is); 9] = [
            ("ranking", Value::is_array),
            ("aggregation", Value::is_string),
            ("ci", Value::is_object),
            ("seed", Value::is_u64),
            ("judge", Value::is_string),
            ("protocol", Value::is_string),
            ("design", Value::is_string),
            ("coverage", Value::is_object),
            ("warnings", is_texts),
        ];
        assert_keys(&report, &top);
        let ci: [(&str, Is); 4] = [
            ("method", Value::is_string),
            ("cluster", Value::is_string),
            ("rounds", Value::is_u64),
            ("level", Value::is_f64),
        ];
        assert_keys(&report["ci"], &ci);
        assert_keys(
            &report["coverage"],
            &[
                ("trials", Value::is_u64),
                ("verdicts", Value::is_u64),
                ("failures", Value::is_object),
            ],
        );
        assert_keys(&report["usage"], &usage());
    }

    fn usage() -> [(&'static str, Is); 5] {
        [
            ("calls", Value::is_u64),
            ("prompt_tokens", Value::is_u64),
            ("completion_tokens", Value::is_u64),
            ("cost_usd", Value::is_null),
            ("seconds", Value::is_f64),
        ]
    }

    #[test]
    fn has_the_promised_keys_for_every_system() {
        let row: [(&str, Is); 6] = [
            ("system", Value::is_string),
            ("score", Value::is_f64),
            ("ci", is_ends),
            ("rank", Value::is_u64),
            ("rank_ci", |ends| {
                is_ends(ends) && ends[0].is_u64() && ends[1].is_u64()
            }),
            ("n", Value::is_u64),
        ];
        let report = desk().json(RANK);
        assert_eq!(rows(&report).len(), 4);
        rows(&report)
            .iter()
            .for_each(|system| assert_keys(system, &row));
    }

    #[test]
    fn names_what_was_run() {
        let settings = "--protocol pairwise-tie/cot --design reference:bee --aggregate win-ratio \
                        --rounds 50 --level 0.9 --seed 7";
        let report = desk().json(&format!("{RANK} --cluster none {settings}"));
        let named =
            ["aggregation", "seed", "judge", "protocol", "design"].map(|key| report[key].clone());
        let expected = json!([
            "win-ratio",
            7,
            "simulated:gap=0.5,seed=0",
            "pairwise-tie/cot/swap",
            "reference:bee"
        ]);
        assert_eq!(json!(named), expected);
        assert_eq!(
            report["ci"],
            json!({"method": "bootstrap", "cluster": "none", "rounds": 50, "level": 0.9})
        );
    }

    #[test]
    fn lists_systems_in_rank_order_within_their_intervals() {
        for protocol in ["pairwise", "pairwise-tie", "pointwise", "likelihood"] {
            let report = desk().json(&format!("{RANK} --run {protocol} --protocol {protocol}"));
            let ranks: Vec<f64> = rows(&report)
                .iter()
                .map(|row| number(&row["rank"]))
                .collect();
            assert!(
                ranks.is_sorted() && ranks[0] == 1.0,
                "{protocol}: {ranks:?}"
            );
            let scores: Vec<f64> = rows(&report)
                .iter()
                .map(|row| number(&row["score"]))
                .collect();
            assert!(scores.is_sorted_by(|a, b| a >= b), "{protocol}: {scores:?}");
            rows(&report)
                .iter()
                .for_each(assert_is_within_its_intervals);
        }
    }

    fn assert_is_within_its_intervals(row: &Value) {
        let (score, rank) = (number(&row["score"]), number(&row["rank"]));
        let end = |key: &str, at: usize, open: f64| row[key][at].as_f64().unwrap_or(open);
        assert!(
            end("ci", 0, f64::NEG_INFINITY) <= score && score <= end("ci", 1, f64::INFINITY),
            "{row}"
        );
        // A system without a finite score in some resamples has no rank interval, and says so.
        let unranked = row["rank_ci"].is_null()
            && row["note"]
                .as_str()
                .is_some_and(|note| note.contains("no interval"));
        assert!(
            unranked || (end("rank_ci", 0, 99.0) <= rank && rank <= end("rank_ci", 1, 0.0)),
            "{row}"
        );
    }

    #[test]
    fn centres_elo_points_on_1000_and_log_odds_on_0() {
        let mean = |scale: &str| {
            let report = desk().json(&format!("{RANK} --scale {scale}"));
            rows(&report)
                .iter()
                .map(|row| number(&row["score"]))
                .sum::<f64>()
                / 4.0
        };
        assert!((mean("elo") - 1000.0).abs() < 1e-6, "{}", mean("elo"));
        assert!(mean("log-odds").abs() < 1e-9, "{}", mean("log-odds"));
    }

    #[test]
    fn is_the_same_whatever_the_threads() {
        let desk = desk();
        let ranked = |threads: usize| {
            desk.done(&format!(
                "{RANK}:tie=0.2,invalid=0.1 --run of-{threads} --threads {threads} --format json \
                 --protocol pairwise-tie"
            ))
            .timeless()
        };
        assert_eq!(ranked(1), ranked(2));
    }
}

mod formats {
    use super::*;

    /// The cells of a row of CSV, of which every other part between quotes is quoted.
    fn cells(line: &str) -> Vec<String> {
        let parts = line.split('"').enumerate();
        let marked: String = parts
            .map(|(at, part)| {
                if at % 2 == 0 {
                    part.replace(',', "\n")
                } else {
                    part.into()
                }
            })
            .collect();
        marked.split('\n').map(String::from).collect()
    }

    fn as_cells(row: &Value) -> Vec<String> {
        let figures = [
            &row["score"],
            &row["ci"][0],
            &row["ci"][1],
            &row["rank"],
            &row["rank_ci"][0],
            &row["rank_ci"][1],
            &row["n"],
        ];
        let cell = |value: &Value| {
            value
                .as_f64()
                .map(|number| number.to_string())
                .unwrap_or_default()
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        [
            vec![text(&row["system"])],
            figures.map(cell).to_vec(),
            vec![text(&row["note"])],
        ]
        .concat()
    }

    /// Up to the last bit, which the reader of JSON that the tests use may lose.
    fn assert_same(cells: &[String], expected: &[String]) {
        assert_eq!(cells.len(), expected.len());
        for (cell, expected) in cells.iter().zip(expected) {
            match (cell.parse::<f64>(), expected.parse::<f64>()) {
                (Ok(cell), Ok(expected)) => assert!(
                    (cell - expected).abs() <= 1e-12 * expected.abs(),
                    "{cell} and {expected}"
                ),
                _ => assert_eq!(cell, expected),
            }
        }
    }

    #[test]
    fn csv_has_the_figures_of_the_json() {
        for settings in [
            "",
            "--ci none",
            "--protocol pointwise --aggregate median",
            "--items 1",
        ] {
            let run = format!(
                "{RANK} --run run-{} {settings}",
                settings.replace([' ', '-'], "")
            );
            let desk = desk();
            let report = desk.json(&run);
            let csv = desk.done(&format!("{run} --format csv")).stdout;
            let mut lines: Vec<Vec<String>> = csv.lines().map(cells).collect();
            assert_eq!(
                lines.remove(0),
                [
                    "system",
                    "score",
                    "ci_low",
                    "ci_high",
                    "rank",
                    "rank_low",
                    "rank_high",
                    "n",
                    "note"
                ]
            );
            assert_eq!(lines.len(), rows(&report).len());
            lines
                .iter()
                .zip(rows(&report))
                .for_each(|(cells, row)| assert_same(cells, &as_cells(row)));
        }
    }

    #[test]
    fn the_table_has_the_systems_and_scores_of_the_json() {
        let desk = desk();
        let report = desk.json(RANK);
        let table = desk.done(RANK).stdout;
        let shown: Vec<Vec<&str>> = table
            .lines()
            .skip(1)
            .take(4)
            .map(|line| line.split_whitespace().take(3).collect())
            .collect();
        let expected = rows(&report).iter().map(|row| {
            vec![
                row["rank"].to_string(),
                row["system"].as_str().unwrap().into(),
                format!("{:.0}", number(&row["score"])),
            ]
        });
        assert_eq!(shown, expected.collect::<Vec<_>>());
        assert!(
            table.contains("coverage  72 of 72 trials have a verdict (no failure)"),
            "{table}"
        );
    }

    #[test]
    fn a_system_name_with_a_comma_is_quoted_in_csv() {
        let csv = Desk::new(2, &["ant, large", "bee"])
            .done(&format!("{RANK} --format csv"))
            .stdout;
        assert_eq!(
            csv.lines()
                .filter(|line| line.starts_with("\"ant, large\","))
                .count(),
            1,
            "{csv}"
        );
    }

    #[test]
    fn judge_prints_one_json_line_for_each_trial() {
        let judgments = desk().judgments("--data data --run run --judge simulated");
        let trials: Vec<u64> = judgments
            .iter()
            .map(|row| row["trial"].as_u64().unwrap())
            .collect();
        assert_eq!(trials, (0..72).collect::<Vec<u64>>());
        for row in &judgments {
            let p = ["p_first", "p_tie", "p_second"].map(|key| number(&row[key]));
            assert_eq!(
                (p.iter().sum::<f64>(), &row["score"], &row["failure"]),
                (1.0, &Value::Null, &Value::Null)
            );
            assert!(
                SYSTEMS.map(Value::from).contains(&row["first"]) && row["first"] != row["second"],
                "{row}"
            );
        }
        let of_the_first_item = judgments.iter().filter(|row| row["item"] == "q0").count();
        assert_eq!(of_the_first_item, 12);
    }

    #[test]
    fn judge_prints_scores_of_single_responses() {
        let judgments =
            desk().judgments("--data data --run run --judge simulated --protocol pointwise:1-5");
        assert_eq!(judgments.len(), 24);
        for row in judgments {
            assert!((1.0..=5.0).contains(&number(&row["score"])), "{row}");
            assert_eq!(
                json!([row["second"], row["p_first"], row["p_tie"], row["p_second"]]),
                json!([null, null, null, null])
            );
        }
    }

    #[test]
    fn judge_prints_csv_with_the_same_rows() {
        let desk = desk();
        let judgments = desk.judgments("--data data --run run --judge simulated");
        let csv = desk
            .done("judge --data data --run run --judge simulated --format csv")
            .stdout;
        let mut lines = csv.lines().map(cells);
        assert_eq!(
            lines.next().unwrap(),
            [
                "trial", "item", "first", "second", "p_first", "p_tie", "p_second", "score",
                "failure", "detail", "strength", "source", "systems", "places"
            ]
        );
        let heads: Vec<Vec<String>> = lines.map(|cells| cells[..4].to_vec()).collect();
        let expected = judgments.iter().map(|row| {
            vec![
                row["trial"].to_string(),
                text(&row["item"]),
                text(&row["first"]),
                text(&row["second"]),
            ]
        });
        assert_eq!(heads, expected.collect::<Vec<_>>());
    }

    fn text(value: &Value) -> String {
        value.as_str().unwrap().into()
    }
}

mod streams {
    use super::*;

    #[test]
    fn data_goes_to_stdout_and_talk_to_stderr() {
        let desk = desk();
        for format in ["json", "csv", "table"] {
            let ran = desk.done(&format!("{RANK} --run {format} --format {format}"));
            assert_eq!(
                ran.stderr,
                format!("run kept in {format}: 72 calls made now, 0 answered from the store\n")
            );
            assert!(!ran.stdout.contains("run kept in"), "{}", ran.stdout);
        }
    }

    #[test]
    fn quiet_says_nothing_on_stderr() {
        let desk = desk();
        for command in [
            RANK,
            "judge --data data --run run --judge simulated --format json",
        ] {
            let (talk, quiet) = (desk.done(command), desk.done(&format!("{command} --quiet")));
            assert_eq!(
                (quiet.stderr.as_str(), quiet.stdout.is_empty()),
                ("", false)
            );
            assert_ne!(talk.stderr, "");
        }
    }

    #[test]
    fn without_a_run_directory_one_is_named_after_the_settings() {
        let desk = desk();
        let rank = "rank --data data --judge simulated --ci none";
        let runs = || std::fs::read_dir(desk.path("runs")).unwrap().count();
        desk.done(rank);
        let again = desk.done(rank).stderr;
        assert!(
            again.starts_with("run kept in runs/pairwise-direct-swap-"),
            "{again}"
        );
        assert!(
            again.ends_with(": 0 calls made now, 72 answered from the store\n"),
            "{again}"
        );
        assert_eq!(runs(), 1);
        desk.done(&format!("{rank} --protocol pairwise/cot"));
        assert_eq!(runs(), 2);
    }
}

mod conditions {
    use super::*;

    #[track_caller]
    fn assert_met(condition: &str, figure: &str) {
        let ran = desk().run(&format!(
            "{RANK}:first-slot=1 --quiet --format json --fail-if {condition}"
        ));
        assert_eq!(
            (ran.code, &ran.stderr),
            (Some(3), &format!("--fail-if: {figure}\n"))
        );
        assert_eq!(
            systems(&ran.json()).len(),
            4,
            "the ranking is printed all the same"
        );
    }

    #[test]
    fn that_are_met_end_with_code_3_and_the_figure() {
        assert_met("consistency<0.5", "consistency<0.5 (it is 0)");
        assert_met("coverage<0.5,first_slot>=1", "first_slot>=1 (it is 1)");
        assert_met("score.bee<=1000", "score.bee<=1000 (it is 1000)");
        assert_met("rank.dog<2", "rank.dog<2 (it is 1)");
        assert_met("failures<1", "failures<1 (it is 0)");
    }

    #[test]
    fn that_are_not_met_end_with_code_0() {
        let ran = desk().run(&format!(
            "{RANK} --quiet --fail-if coverage<1,failures>0,score.ant<0,rank.ant>4"
        ));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    }

    #[test]
    fn hold_for_judgments_alone_too() {
        let judge = "judge --data data --run run --judge simulated:invalid=0.5 --quiet --fail-if \
                     coverage<0.95";
        let ran = desk().run(judge);
        assert_eq!(ran.code, Some(3), "{}", ran.stderr);
        assert!(
            ran.stderr.starts_with("--fail-if: coverage<0.95 (it is 0."),
            "{}",
            ran.stderr
        );
    }
}

mod configuration {
    use super::*;

    const CONFIG: &str = "data = ['data/items.jsonl', 'data/responses.jsonl']\njudge = 'mine'\nrun \
                          = 'run'\nrounds = 20\nseed = 3\nsystems = ['bee', \
                          'cat']\n[judges.mine]\nspec = 'simulated:gap=2'\n";

    #[test]
    fn gives_what_the_flags_leave_out() {
        let desk = desk();
        desk.write("my.toml", CONFIG);
        let report = desk.json("rank --config my.toml");
        assert_eq!(
            json!([report["judge"], report["seed"], report["ci"]["rounds"]]),
            json!(["simulated:gap=2,seed=0", 3, 20])
        );
        assert_eq!(report["coverage"]["trials"], 12);
    }

    #[test]
    fn is_beaten_by_a_flag() {
        let desk = desk();
        desk.write("my.toml", CONFIG);
        let report = desk.json(
            "rank --config my.toml --seed 4 --rounds=30 --systems ant,bee,cat \
                                --judge simulated --run other",
        );
        assert_eq!(
            json!([report["judge"], report["seed"], report["ci"]["rounds"]]),
            json!(["simulated:gap=0.5,seed=0", 4, 30])
        );
        assert_eq!(report["coverage"]["trials"], 36);
    }
}

/// The responses of `bee` and `cat` to the first item are the same: their two orders are one
/// prompt, and one call.
#[test]
fn an_estimate_is_what_the_run_then_asks() {
    let desk = desk();
    let others = desk.lines("data/responses.jsonl").split_off(3);
    let same = ["bee", "cat"].map(|system| answer(0, system, "The same."));
    desk.write(
        "data/responses.jsonl",
        response(0, "ant") + &same.concat() + &others.join("\n"),
    );
    let pairs = [
        "pairwise",
        "pairwise/direct/single",
        "pairwise-tie",
        "pairwise-tie/direct/single",
        "pairwise/cot",
        "pairwise/cot/single",
    ];
    for protocol in pairs {
        for design in ["all-pairs", "reference:bee", "sample:2"] {
            assert_estimate_holds(&desk, &format!("--protocol {protocol} --design {design}"));
        }
    }
    for protocol in ["pointwise", "pointwise:1-5/cot", "likelihood"] {
        assert_estimate_holds(&desk, &format!("--protocol {protocol}"));
    }
}

fn assert_estimate_holds(desk: &Desk, settings: &str) {
    let name: String = settings
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let common = format!("--data data --judge simulated:log={name}.log --run {name} {settings}");
    let before = desk.json(&format!("estimate {common}"));
    assert!(
        !desk.path(&name).exists() && desk.lines(&format!("{name}.log")).is_empty(),
        "an estimate leaves no trace"
    );
    let report = desk.json(&format!("rank --ci none {common}"));
    let (usage, asked) = (&report["usage"], desk.lines(&format!("{name}.log")).len());
    assert_eq!(
        (&before["calls"], &before["calls_stored"]),
        (&usage["calls"], &json!(0)),
        "{settings}"
    );
    assert_eq!(
        (&before["calls"], &before["trials"]),
        (&json!(asked), &report["coverage"]["trials"]),
        "{settings}"
    );
    assert_eq!(
        before["prompt_tokens"], usage["prompt_tokens"],
        "{settings}"
    );
    assert!(
        usage["completion_tokens"].as_u64() <= before["completion_tokens_at_most"].as_u64(),
        "{settings}"
    );
    let after = desk.json(&format!("estimate {common}"));
    assert_eq!(
        json!([
            after["calls"],
            after["calls_stored"],
            after["prompt_tokens"]
        ]),
        json!([asked, asked, 0]),
        "{settings}"
    );
}

#[test]
fn the_same_prompt_in_two_trials_is_one_call() {
    let desk = Desk::new(1, &["ant"]);
    desk.append(
        "data/responses.jsonl",
        answer(0, "bee", "Thing 0, says ant."),
    );
    let report = desk.json(&format!("{RANK}:log=asked"));
    assert_eq!(
        json!([
            report["coverage"]["trials"],
            report["usage"]["calls"],
            desk.lines("asked").len()
        ]),
        json!([2, 1, 1])
    );
}

#[test]
fn help_names_every_command_and_topic() {
    let help = Desk::empty().done("help").stdout;
    for name in [
        "rank",
        "judge",
        "estimate",
        "models",
        "aggregations",
        "protocols",
        "judges",
    ] {
        assert!(
            help.lines()
                .any(|line| line.split_whitespace().next() == Some(name)),
            "{name} is not in {help}"
        );
    }
}

/// People's work and other files stay, whatever is written beside them.
#[test]
fn what_people_filled_in_is_kept_and_what_is_not_ours_is_left_alone() {
    let desk = Desk::new(8, &["ant", "bee", "cat"]);
    let judge = "judge --data data --judge simulated:gap=0.1 --protocol mec+bpc --review-share 1 \
                 --for-review unsure.jsonl";
    desk.done(&format!("{judge} --run run"));
    let first = desk.lines("unsure.jsonl");
    assert!(first.len() > 4, "{first:?}");
    let filled: Vec<String> = first
        .iter()
        .map(|line| line.replace("\"preferred\":null", "\"preferred\":\"a\""))
        .collect();
    assert!(
        filled
            .iter()
            .all(|line| line.contains("\"preferred\":\"a\""))
    );
    desk.write("unsure.jsonl", filled.join("\n"));
    let failed = desk.run(&format!(
        "{} --data nowhere",
        judge.replace("--data data", "")
    ));
    assert_eq!(
        (failed.code, desk.read("unsure.jsonl")),
        (Some(2), filled.join("\n"))
    );
    for more in ["--run run", "--run few --items 2"] {
        let said = desk.done(&format!("{judge} {more}")).stderr;
        assert!(
            said.contains(&format!("({} filled in before are kept)", filled.len())),
            "{said}"
        );
        let kept = desk
            .lines("unsure.jsonl")
            .iter()
            .filter(|line| line.contains("\"preferred\":\"a\""))
            .count();
        assert_eq!(kept, filled.len());
    }
    for (file, arguments) in [
        (
            "data/responses.jsonl",
            "judge --data data --judge simulated --for-review",
        ),
        (
            "data/items.jsonl",
            "judge --data data --judge simulated --for-review",
        ),
    ] {
        let before = desk.read(file);
        let ran = desk.run(&format!("{arguments} {file}"));
        assert_eq!((ran.code, desk.read(file)), (Some(2), before));
        assert!(
            ran.stderr
                .contains("is no file of pairs for review (line 1)"),
            "{}",
            ran.stderr
        );
    }
    let before = desk.read("data/items.jsonl");
    for arguments in [
        "audit tweak-set data --items 2",
        "check data --verdicts data/items.jsonl",
    ] {
        let ran = desk.run(arguments);
        assert_eq!(
            (ran.code, desk.read("data/items.jsonl")),
            (Some(2), before.clone()),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("is there already"), "{}", ran.stderr);
    }
}
