//! `evenhand leaderboard` with AlpacaEval's published weights and difficulties, against the rates
//! that it publishes.

use crate::common::{Desk, row, rows, systems};
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const WEIGHTS: &str =
    "model,w_length,w_difficulty,w_model\nbase,0,0,0\nbetter,-1.5,1,0.5\nworse,-1,0.5,-2\n";
const DIFFICULTIES: &str = "instruction_id,instruction_difficulty\n0,-1\n1,0\n2,2\n";
const BOARD: &str = "leaderboard --length-control-weights w.csv --instruction-difficulty d.csv";

fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("w.csv", WEIGHTS);
    desk.write("d.csv", DIFFICULTIES);
    desk
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    assert!(
        (found.as_f64().unwrap() - expected).abs() < 1e-12,
        "{found} is not {expected}"
    );
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_rate_is_the_mean_chance_at_equal_lengths() {
    let report = desk().json(BOARD);
    assert_eq!(systems(&report), ["better", "base", "worse"]);
    let chances = [-0.5, 0.5, 2.5].map(sigmoid);
    let mean = chances.iter().sum::<f64>() / 3.0;
    let squares: f64 = chances.iter().map(|chance| (chance - mean).powi(2)).sum();
    let better = row(&report, "better");
    close(&better["score"], mean);
    close(&better["standard_error"], (squares / 2.0 / 3.0).sqrt());
    assert_eq!(better["n"], 3);
    assert_eq!(better["ci"], Value::Null);
    assert_eq!(better["rank"], 1);
    let base = row(&report, "base");
    assert_eq!(base["score"], 0.5);
    assert_eq!(base["note"], "the reference: 0.5 by definition");
    assert!(base.get("standard_error").is_none());
    assert_eq!(report["aggregation"], "length-controlled-win-rate");
    assert_eq!(
        report["protocol"],
        "published weights, with difficulties of 3 instructions"
    );
}

#[test]
fn the_table_says_what_the_rates_are() {
    let table = desk().done(BOARD).stdout;
    for said in [
        "standard error",
        "none: weights are published without their uncertainty",
        "with difficulties of 3 instructions",
    ] {
        assert!(table.contains(said), "{said}: {table}");
    }
    assert!(!table.contains("0 of 0 trials"), "{table}");
}

#[test]
fn columns_may_have_the_names_of_alpaca_evals_own_files() {
    let desk = desk();
    let names = ",np.tanh(std_delta_len),instruction_difficulty,not_gamed_baseline.astype(float)";
    desk.write(
        "own.csv",
        WEIGHTS.replace("model,w_length,w_difficulty,w_model", names),
    );
    desk.write("plain.csv", "instruction_difficulty\n-1\n0\n2\n");
    let own = desk
        .json("leaderboard --length-control-weights own.csv --instruction-difficulty plain.csv");
    assert_eq!(own["ranking"], desk.json(BOARD)["ranking"]);
}

#[test]
fn some_models_can_be_named_and_some_have_fewer_instructions() {
    let desk = desk();
    desk.write("w.csv", "model,w_length,w_difficulty,w_model,n_total\nbase,0,0,0,3\nbetter,-1.5,1,0.5,2\nworse,-1,0.5,-2,\n");
    let report = desk.json(&format!("{BOARD} --systems better,worse"));
    assert_eq!(systems(&report), ["better", "worse"]);
    close(
        &row(&report, "better")["score"],
        (sigmoid(-0.5) + sigmoid(0.5)) / 2.0,
    );
    assert_eq!(
        [&row(&report, "better")["n"], &row(&report, "worse")["n"]],
        [&json!(2), &json!(3)]
    );
    assert_eq!(
        rows(&desk.json(&format!("{BOARD} --where model=worse"))).len(),
        1
    );
}

#[test]
fn what_is_wrong_is_said() {
    let desk = desk();
    let refused = |arguments: &str, message: &str| {
        let ran = desk.run(arguments);
        ran.is_refused(message);
    };
    let number = "expected a number from -1e30 to 1e30, in log-odds";
    let weights = |text: &str, message: &str| {
        desk.write("bad.csv", text);
        let arguments =
            "leaderboard --length-control-weights bad.csv --instruction-difficulty d.csv";
        refused(
            arguments,
            &format!("--length-control-weights bad.csv:{message}"),
        );
    };
    let fields = "; the fields are: model, w_length, w_difficulty";
    weights(
        "model,w_length,w_difficulty\na,1,1\n",
        &format!(
            "2: field `w_model` or `not_gamed_baseline.astype(float)`: {number}, found \
             nothing{fields}"
        ),
    );
    weights(
        "model,w_length,w_difficulty\na,1,x\n",
        &format!(
            "2: field `w_difficulty` or `instruction_difficulty`: {number}, found \"x\"{fields}"
        ),
    );
    weights(
        &format!("{WEIGHTS}base,1,1,1\n"),
        "5: the model `base` has weights already",
    );
    let counted = WEIGHTS.replace("w_model\nbase,0,0,0", "w_model,n_total\nbase,0,0,0,4");
    let whole =
        "expected a whole number from 1 to 3, as many as there are difficulties, found \"4\"";
    let fields = "; the fields are: model, w_length, w_difficulty, w_model, n_total";
    weights(
        counted
            .lines()
            .take(2)
            .collect::<Vec<_>>()
            .join("\n")
            .as_str(),
        &format!("2: field `n_total`: {whole}{fields}"),
    );

    refused(
        &format!("{BOARD} --systems bse"),
        "--systems: no system bse is in the files; those that are: base, better, worse; did you mean `base`?",
    );
    let alone = "--length-control: --length-control-weights needs --instruction-difficulty, the \
                 file beside it";
    refused("leaderboard --length-control-weights w.csv", alone);
    let idle = "it does not go with --baseline: the rates are those of the weights; leave one of \
                the two out";
    refused(
        &format!("{BOARD} --baseline base"),
        &format!("--length-control-weights: {idle}"),
    );
    // Of what the user gave: upkeep sets more of its own.
    refused(
        &format!("{BOARD} --both-bad tie --min-battles 9"),
        &format!(
            "--length-control-weights: {}",
            idle.replace("--baseline", "--both-bad")
        ),
    );
    refused(
        &format!("{BOARD} --min-battles 9"),
        "--min-battles 9: no system has that many; the most is 3",
    );
    refused(
        &format!("{BOARD} --anchor base=1000"),
        "--anchor base=1000: only strengths on Elo's scale have an origin to choose",
    );
    let all = desk.json(&format!("{BOARD} --min-battles 3"));
    assert_eq!(all["ranking"], desk.json(BOARD)["ranking"]);
    desk.write(
        "twice.csv",
        "instruction_id,instruction_difficulty\n0,1\n0,2\n",
    );
    refused(
        "leaderboard --length-control-weights w.csv --instruction-difficulty twice.csv",
        "--instruction-difficulty twice.csv:3: the instruction `0` has a difficulty already",
    );
    let line = |item: usize| {
        let lengths = json!({"len_output_1": 10 + item, "len_output_2": 20 + item * item});
        let mut record =
            json!({"instruction_id": item, "model": "new", "reference": "base", "preference": 1.4});
        record
            .as_object_mut()
            .unwrap()
            .extend(lengths.as_object().unwrap().clone());
        format!("{record}\n")
    };
    desk.write("p.jsonl", (0..4).map(line).collect::<String>());
    refused(
        "leaderboard p.jsonl --instruction-difficulty d.csv",
        "--instruction-difficulty d.csv: there is no difficulty of the instruction `3`, one of 4 \
         that the files have verdicts on; \
         the file has 3, by `instruction_id` or else numbered from 0: give one that has them all",
    );
}

/// Models with the rates that AlpacaEval publishes for them, and how many instructions those are
/// over.
fn published(data: &Path) -> BTreeMap<String, (f64, u64)> {
    let expected = read(&data.join("expected/alpaca_eval_length_control.json"));
    let one = |model: &Value| {
        let (rate, n) = (
            &model["length_controlled_winrate"],
            &model["n_positions_averaged"],
        );
        (
            model["model"].as_str().unwrap().to_string(),
            (rate.as_f64().unwrap(), n.as_u64().unwrap()),
        )
    };
    expected["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(one)
        .collect()
}

#[test]
fn alpaca_evals_weights_give_the_rates_that_it_publishes() {
    let Some(data) = shared_data() else { return };
    let (published, folder) = (published(&data), data.join("alpaca_eval/length_control"));
    let (weights, difficulty) = (
        folder.join("glm_weights.csv"),
        folder.join("instruction_difficulty.csv"),
    );
    let difficulty = difficulty.display();
    let desk = Desk::empty();
    let met = |weights: &str| {
        let report = desk.json(&format!(
            "leaderboard --length-control-weights {weights} --instruction-difficulty {difficulty}"
        ));
        assert_eq!(rows(&report).len(), 177);
        let gap = |(model, (rate, _)): (&String, &(f64, u64))| {
            (100.0 * row(&report, model)["score"].as_f64().unwrap() - rate).abs()
        };
        (
            published.iter().map(gap).filter(|gap| *gap < 1e-6).count(),
            report,
        )
    };
    // Seven models have fewer instructions, which the weights do not say.
    let whole = published.values().filter(|(_, n)| *n == 805).count();
    assert_eq!((met(&weights.display().to_string()).0, whole), (170, 170));
    let text = std::fs::read_to_string(&weights).unwrap();
    let mut lines = text.lines();
    let mut with_counts = format!("{},n_total\n", lines.next().unwrap());
    lines.for_each(|line| {
        with_counts += &format!("{line},{}\n", published[line.split(',').next().unwrap()].1)
    });
    desk.write("counted.csv", with_counts);
    let (all, report) = met("counted.csv");
    assert_eq!(all, 177);
    assert_eq!(row(&report, "phi-2")["n"], 803);
    assert_eq!(
        errors_met(
            &report,
            &read(&data.join("expected/alpaca_eval_win_rates.json"))
        ),
        4
    );
}

/// How many of the published standard errors are met, of those that are published.
fn errors_met(report: &Value, expected: &Value) -> usize {
    let entries = expected["annotators"]["weighted_alpaca_eval_gpt4_turbo"]
        .as_array()
        .unwrap();
    let published = entries.iter().filter_map(|entry| {
        Some((
            entry["model"].as_str()?,
            entry["lc_standard_error"].as_f64()?,
        ))
    });
    let mut met = 0;
    for (model, error) in published {
        let found = 100.0 * row(report, model)["standard_error"].as_f64().unwrap();
        assert!(
            (found - error).abs() < 1e-6,
            "{model}: {found}, not {error}"
        );
        met += 1;
    }
    met
}

/// Models whose preferences are recorded, and which have published rates: every fourth.
fn recorded(folder: &Path, published: &BTreeMap<String, (f64, u64)>) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries
        .map(|name| name.trim_end_matches(".jsonl.gz").to_string())
        .collect();
    names.retain(|name| published.contains_key(name) && name != "gpt4_1106_preview");
    names.sort();
    if std::env::var_os("EVENHAND_SLOW").is_some() {
        names
    } else {
        names.into_iter().step_by(4).collect()
    }
}

#[test]
fn a_model_read_alone_comes_close_by_the_published_difficulties() {
    let Some(data) = shared_data() else { return };
    let (published, desk) = (published(&data), Desk::empty());
    let folder = data.join("alpaca_eval/preferences/weighted_alpaca_eval_gpt4_turbo");
    let difficulty = data.join("alpaca_eval/length_control/instruction_difficulty.csv");
    let models = recorded(&folder, &published);
    let mut gaps = [0.0; 3];
    for model in &models {
        let file = folder.join(format!("{model}.jsonl.gz"));
        let board = |more: &str| {
            desk.json(&format!(
                "leaderboard {} --length-control {more}",
                file.display()
            ))
        };
        let (with, without) = (
            board(&format!(
                "--instruction-difficulty {}",
                difficulty.display()
            )),
            board(""),
        );
        assert_eq!(
            (
                &with["warnings"],
                with["protocol"]
                    .as_str()
                    .unwrap()
                    .contains("published difficulties of 805")
            ),
            (&json!([]), true)
        );
        let gap = |found: &Value| {
            (100.0 * found.as_f64().unwrap() - published[model].0).abs() / models.len() as f64
        };
        gaps[0] += gap(&row(&with, model)["score"]);
        gaps[1] += gap(&row(&without, model)["score"]);
        gaps[2] += gap(&row(&with, model)["raw_win_rate"]);
    }
    let [with, without, raw] = gaps;
    eprintln!(
        "{} models alone, mean gap in points: {with:.2} with published difficulties, {without:.2} \
         without, {raw:.2} raw",
        models.len()
    );
    assert!(with < raw / 2.0 && with < without / 2.0, "{gaps:?}");
}
