//! `evenhand leaderboard --length-control`: win rates at equal lengths, against the fits themselves
//! and what was published.

use crate::common::{Desk, assert_holds, row, rows, systems};
use evenhand_stats::control::{
    JointPreferences, Preferences, fit_difficulty, fit_length_control, length_feature,
};
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Preferences of a model over `ref` on 60 items, better where its output is longer: neither side
/// wins everything.
fn preference(model: usize, item: usize) -> (f64, f64, f64) {
    let (reference, own) = (
        500.0 + (item * 37 % 200) as f64,
        420.0 + (item * (53 + model) % 310) as f64,
    );
    let noise = ((item * 29 + model * 11) % 17) as f64 / 17.0 - 0.5;
    let lead = 0.4 * model as f64 - 0.6 + (own - reference) / 150.0 + noise;
    (1.0 / (1.0 + (-lead).exp()), reference, own)
}

fn line(
    model: &str,
    reference: &str,
    item: usize,
    (won, reference_length, own): (f64, f64, f64),
) -> String {
    let record = json!({
        "instruction_id": item, "model": model, "reference": reference, "preference": 1.0 + won,
        "len_output_1": reference_length, "len_output_2": own,
    });
    format!("{record}\n")
}

fn file(models: usize) -> String {
    let lines = (0..models).flat_map(|model| {
        (0..60).map(move |item| line(&format!("m{model}"), "ref", item, preference(model, item)))
    });
    lines.collect()
}

fn desk(models: usize) -> Desk {
    let desk = Desk::empty();
    desk.write("p.jsonl", file(models));
    desk
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn three_models_are_fitted_with_difficulties_of_their_own() {
    let report = desk(3).json("leaderboard p.jsonl --length-control");
    let columns: Vec<Vec<(f64, f64, f64)>> = (0..3)
        .map(|m| (0..60).map(|i| preference(m, i)).collect())
        .collect();
    let length: Vec<Vec<f64>> = columns
        .iter()
        .map(|rows| {
            let (reference, own): (Vec<f64>, Vec<f64>) =
                rows.iter().map(|row| (row.1, row.2)).unzip();
            length_feature(&reference, &own).unwrap()
        })
        .collect();
    let model: Vec<u16> = (0..3).flat_map(|m| [m; 60]).collect();
    let item: Vec<u32> = (0..3).flat_map(|_| 0..60).collect();
    let preferred: Vec<f64> = columns
        .iter()
        .flatten()
        .map(|row| (1.0 + row.0) - 1.0)
        .collect();
    let data = JointPreferences {
        models: 3,
        items: 60,
        model: &model,
        item: &item,
        preferred: &preferred,
        length: &length.concat(),
    };
    let difficulty: Vec<f64> = fit_difficulty(&data, 1.0)
        .unwrap()
        .difficulty
        .into_iter()
        .map(Option::unwrap)
        .collect();
    for m in 0..3 {
        let own: Vec<Option<f64>> = preferred[60 * m..60 * (m + 1)]
            .iter()
            .copied()
            .map(Some)
            .collect();
        let data = Preferences {
            preferred: &own,
            length: &length[m],
            difficulty: Some(&difficulty),
        };
        let (found, shown) = (
            fit_length_control(&data, 0.95).unwrap(),
            row(&report, &format!("m{m}")),
        );
        let ends = found.interval.unwrap();
        close(&shown["score"], found.win_rate);
        close(&shown["raw_win_rate"], found.raw_win_rate);
        close(&shown["standard_error"], ends.standard_error);
        close(&shown["ci"][0], ends.low);
        close(&shown["ci"][1], ends.high);
        assert!(
            ends.low < found.win_rate && found.win_rate < ends.high && shown["rank_ci"].is_null()
        );
    }
    assert_eq!(
        report["protocol"],
        "recorded (alpaca-eval-preferences), length-controlled with difficulties of instructions \
         fitted over 3 models"
    );
    assert_eq!(report["warnings"].as_array().unwrap().len(), 0);
    assert_eq!(
        report["aggregation"].as_str(),
        Some("length-controlled-win-rate")
    );
    assert_eq!(
        report["ci"],
        json!({"method": "length-control", "cluster": "item", "rounds": 0, "level": 0.95})
    );
}

#[test]
fn the_reference_is_the_baseline() {
    let report = desk(3).json("leaderboard p.jsonl --length-control");
    let reference = row(&report, "ref");
    assert_eq!(reference["score"], 0.5);
    assert_eq!(reference["note"], "the reference: 0.5 by definition");
    assert!(
        reference["ci"].is_null()
            && reference.get("raw_win_rate").is_none()
            && reference.get("standard_error").is_none()
            && reference["n"] == 180
    );
    let (scores, ranks): (Vec<f64>, Vec<u64>) = rows(&report)
        .iter()
        .map(|row| {
            (
                row["score"].as_f64().unwrap(),
                row["rank"].as_u64().unwrap(),
            )
        })
        .unzip();
    assert!(
        scores.is_sorted_by(|x, y| x > y) && ranks == [1, 2, 3, 4],
        "{scores:?} {ranks:?}"
    );
    assert_eq!(systems(&report), ["m2", "ref", "m1", "m0"]);
}

#[test]
fn two_models_have_no_difficulties_and_it_is_said() {
    let report = desk(2).json("leaderboard p.jsonl --length-control");
    let warning = "the difficulty of instructions is left out, as it takes 3 models whose lengths \
                   vary; difficulty may then count as length";
    assert_eq!(report["warnings"], json!([warning]));
    assert_eq!(
        report["protocol"],
        "recorded (alpaca-eval-preferences), length-controlled without difficulties of instructions"
    );
    let rows: Vec<_> = (0..60).map(|item| preference(1, item)).collect();
    let column = |of: fn(&(f64, f64, f64)) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    let length = length_feature(&column(|row| row.1), &column(|row| row.2)).unwrap();
    let preferred: Vec<Option<f64>> = rows.iter().map(|row| Some((1.0 + row.0) - 1.0)).collect();
    let found = fit_length_control(
        &Preferences {
            preferred: &preferred,
            length: &length,
            difficulty: None,
        },
        0.95,
    )
    .unwrap();
    close(&row(&report, "m1")["score"], found.win_rate);
}

#[test]
fn several_verdicts_on_one_item_are_averaged() {
    let desk = desk(2);
    let twice = |model: usize| {
        (0..60).flat_map(move |item| {
            let (won, reference, own) = preference(model, item);
            let apart = won.min(1.0 - won) / 2.0;
            [won - apart, won + apart]
                .map(|won| line(&format!("m{model}"), "ref", item, (won, reference, own)))
        })
    };
    desk.write("twice.jsonl", (0..2).flat_map(twice).collect::<String>());
    let [once, twice] = ["p.jsonl", "twice.jsonl"]
        .map(|file| desk.json(&format!("leaderboard {file} --length-control")));
    for model in ["m0", "m1"] {
        for end in 0..2 {
            close(
                &row(&twice, model)["ci"][end],
                row(&once, model)["ci"][end].as_f64().unwrap(),
            );
        }
    }
}

#[test]
fn what_cannot_be_fitted_has_a_note() {
    let desk = desk(2);
    let all_won: String = (0..60)
        .map(|item| {
            line(
                "winner",
                "ref",
                item,
                (1.0, preference(0, item).1, preference(0, item).2),
            )
        })
        .collect();
    let same: String = (0..60)
        .map(|item| {
            line(
                "even",
                "ref",
                item,
                (
                    preference(0, item).0,
                    100.0 + item as f64,
                    90.0 + item as f64,
                ),
            )
        })
        .collect();
    let short: String = (0..60)
        .map(|item| {
            line(
                "short",
                "ref",
                item,
                (
                    preference(0, item).0,
                    900.0,
                    300.0 + (item * 97 % 550) as f64,
                ),
            )
        })
        .collect();
    let far: String = (0..60)
        .map(|item| {
            line(
                "far",
                "ref",
                item,
                (preference(0, item).0, 900.0, 10.0 + (item % 7) as f64),
            )
        })
        .collect();
    desk.append("p.jsonl", all_won + &same + &short + &far);
    let report = desk.json("leaderboard p.jsonl --length-control");
    let note = |system: &str| row(&report, system)["note"].as_str().unwrap().to_string();
    assert_eq!(
        note("winner"),
        "no score: its verdicts are too one-sided for a finite fit"
    );
    assert_eq!(
        note("even"),
        "no score: its outputs differ from the reference's by the same length everywhere"
    );
    assert_eq!(
        note("short"),
        "its outputs are shorter than the reference's on 100 % of items: equal lengths are an \
         extrapolation"
    );
    assert_eq!(
        note("far"),
        "no score: its lengths cannot be told from its strength or the difficulties"
    );
    assert!(row(&report, "winner")["score"].is_null() && row(&report, "even")["rank"].is_null());
}

#[test]
fn the_table_has_the_raw_win_rates() {
    let desk = desk(3);
    let table = desk.done("leaderboard p.jsonl --length-control").stdout;
    let report = desk.json("leaderboard p.jsonl --length-control");
    let raw = row(&report, "m1")["raw_win_rate"].as_f64().unwrap();
    assert_holds(
        &table,
        &format!("raw       m1: {raw:.3} of comparisons won at the lengths given\n"),
    );
    assert_holds(
        &table,
        "interval  robust covariance over items, normal in log-odds; no rank intervals\n",
    );
    let none = desk.json("leaderboard p.jsonl --length-control --ci none");
    assert_eq!(none["ci"]["method"], "none");
    assert_eq!(row(&none, "m1")["ci"], Value::Null);
}

#[test]
fn threads_change_nothing() {
    let desk = desk(3);
    let [one, two] = [1, 2].map(|n| {
        desk.done(&format!(
            "leaderboard p.jsonl --length-control --format json --threads {n}"
        ))
        .timeless()
    });
    assert_eq!(one, two);
}

#[test]
fn errors_are_exact() {
    let desk = desk(3);
    let other: String = (0..3)
        .map(|item| line("m9", "ref2", item, preference(1, item)))
        .collect();
    desk.write("other.jsonl", other);
    let robin = [("x", "y"), ("y", "z"), ("z", "x")]
        .map(|(model, reference)| line(model, reference, 0, preference(1, 0)));
    desk.write("robin.jsonl", robin.concat());
    let turned = [("x", "y"), ("y", "x")]
        .map(|(model, reference)| line(model, reference, 0, preference(1, 0)));
    desk.write("turned.jsonl", turned.concat());
    desk.write(
        "short.jsonl",
        "{\"instruction_id\":0,\"model\":\"m\",\"reference\":\"r\",\"preference\":1.5}\n",
    );
    desk.write("scores.csv", "system,item,score\na,1,2\n");
    desk.write("battles.csv", "model_a,model_b,winner\nx,y,model_a\n");
    desk.write("self.jsonl", line("r", "r", 0, preference(1, 0)));
    let refused = |arguments: &str, message: &str| {
        let ran = desk.run(&format!("leaderboard {arguments} --length-control"));
        let expected = format!("error: --length-control: {message}\n");
        ran.prints_nothing(2);
        assert_eq!(ran.stderr, expected);
    };
    refused(
        "p.jsonl other.jsonl",
        "the files have more than one reference: ref, ref2; give those with one of them",
    );
    refused(
        "robin.jsonl",
        "no system is in every comparison, so there is no common reference",
    );
    refused(
        "turned.jsonl",
        "either of y and x could be the reference; it must be output 1 of every comparison",
    );
    refused(
        "short.jsonl",
        "the files do not say how long the responses are; AlpacaEval's annotations and preferences \
         do",
    );
    refused(
        "scores.csv",
        "it needs comparisons with a reference, and these are scores",
    );
    refused(
        "battles.csv",
        "it is for AlpacaEval's annotations or preferences, and not for battles or counts",
    );
    refused(
        "self.jsonl",
        "the files hold no verdict on a model and another one as its reference",
    );
    for flag in [
        "--labels p.jsonl",
        "--aggregate win-ratio",
        "--differences",
        "--systems m1,ref",
        "--control length",
        "--prior 1",
        "--drop",
        "--strength 3,1,1",
    ] {
        let name = flag.split(' ').next().unwrap();
        refused(
            &format!("p.jsonl {flag}"),
            &format!("it does not go with {name}; leave one of the two out"),
        );
    }
    refused(
        "p.jsonl --ci bootstrap",
        "its intervals are its own; leave --ci out, or say --ci none",
    );
    refused(
        "p.jsonl --cluster none",
        "what is independent are the items; leave --cluster out",
    );
}

/// Every fourth of the models there are, the reference left out.
fn some_models(folder: &Path, published: &BTreeMap<String, f64>) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries
        .map(|name| name.trim_end_matches(".jsonl.gz").to_string())
        .collect();
    names.retain(|name| published.contains_key(name) && name != "gpt4_1106_preview");
    names.sort();
    names.into_iter().step_by(4).collect()
}

#[test]
fn win_rates_at_equal_lengths_come_close_to_the_published_ones() {
    let Some(data) = shared_data() else { return };
    let expected: Value = serde_json::from_str(
        &std::fs::read_to_string(data.join("expected/alpaca_eval_length_control.json")).unwrap(),
    )
    .unwrap();
    let entry = |model: &Value| {
        (
            model["model"].as_str().unwrap().to_string(),
            model["length_controlled_winrate"].as_f64().unwrap(),
        )
    };
    let published: BTreeMap<String, f64> = expected["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect();
    let folder = data.join("alpaca_eval/preferences/weighted_alpaca_eval_gpt4_turbo");
    let (desk, models) = (Desk::empty(), some_models(&folder, &published));
    assert_eq!(models.len(), 10);
    let mut all = String::new();
    for model in &models {
        let file = std::fs::File::open(folder.join(format!("{model}.jsonl.gz"))).unwrap();
        flate2::read::GzDecoder::new(file)
            .read_to_string(&mut all)
            .unwrap();
    }
    desk.write("all.jsonl", all);
    let report = desk.json("leaderboard all.jsonl --length-control");
    let gap = |figure: &str| {
        let gaps = models.iter().map(|model| {
            (100.0 * row(&report, model)[figure].as_f64().unwrap() - published[model]).abs()
        });
        gaps.sum::<f64>() / 10.0
    };
    let (controlled, raw) = (gap("score"), gap("raw_win_rate"));
    eprintln!(
        "mean gap to the published rates: {controlled:.2} points length-controlled, {raw:.2} raw"
    );
    assert!(controlled < raw / 2.0, "{controlled} against {raw}");
    assert_eq!(row(&report, "gpt4_1106_preview")["score"], 0.5);
}
