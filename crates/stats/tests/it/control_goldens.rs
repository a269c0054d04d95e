//! Length-controlled win rates of AlpacaEval 2, from the published weights and fitted anew.

use crate::common::{csv_rows, json_lines, number};
use evenhand_stats::control::{
    LengthWeights, Preferences, fit_length_control, length_controlled_win_rate, length_feature,
};
use evenhand_testing::shared_data;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What was published: by model its length-controlled win rate in per cent and how many positions
/// it averages.
fn published(folder: &std::path::Path) -> BTreeMap<String, (f64, usize)> {
    let text =
        std::fs::read_to_string(folder.join("expected/alpaca_eval_length_control.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    let entry = |entry: &Value| {
        let rate = entry["length_controlled_winrate"].as_f64().unwrap();
        let positions = entry["n_positions_averaged"].as_u64().unwrap() as usize;
        (
            entry["model"].as_str().unwrap().to_string(),
            (rate, positions),
        )
    };
    expected["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect()
}

fn difficulty(folder: &std::path::Path) -> Vec<f64> {
    let path = folder.join("alpaca_eval/length_control/instruction_difficulty.csv");
    csv_rows(path)
        .iter()
        .map(|row| number(row, "instruction_difficulty"))
        .collect()
}

#[test]
fn published_weights_give_the_published_win_rates() {
    let Some(folder) = shared_data() else { return };
    let (published, difficulty) = (published(&folder), difficulty(&folder));
    let weights = csv_rows(folder.join("alpaca_eval/length_control/glm_weights.csv"));
    let (mut found, mut worst) = (0, 0.0);
    for row in &weights {
        let weights = LengthWeights {
            model: number(row, "w_model"),
            length: number(row, "w_length"),
            difficulty: number(row, "w_difficulty"),
        };
        let Some((expected, positions)) = published.get(&row["model"]) else {
            panic!("{} is not expected", row["model"])
        };
        let rate = 100.0 * length_controlled_win_rate(&weights, &difficulty[..*positions]).unwrap();
        worst = f64::max(worst, (rate - expected).abs());
        found += 1;
    }
    eprintln!("largest difference of {found}: {worst:e} points");
    assert_eq!((found, published.len()), (177, 177));
    assert!(worst < 1e-6, "{worst}");
}

/// Preferences of one model: preferred, and the lengths of the reference's and the model's output.
fn preferences(path: PathBuf) -> (Vec<Option<f64>>, Vec<f64>, Vec<f64>) {
    let rows = json_lines(path);
    // 0 is a draw as well as 1.5.
    let preferred = |row: &Value| {
        row["preference"]
            .as_f64()
            .map(|x| if x == 0.0 { 0.5 } else { x - 1.0 })
    };
    let column = |field: &str| {
        rows.iter()
            .map(|row| row[field].as_f64().unwrap())
            .collect()
    };
    (
        rows.iter().map(preferred).collect(),
        column("len_output_1"),
        column("len_output_2"),
    )
}

/// AlpacaEval's own fit has an L1 penalty and two padded baselines that are not public, so this
/// cannot be exact.
#[test]
fn fitted_win_rates_are_close_to_the_published_ones() {
    let Some(folder) = shared_data() else { return };
    let (published, difficulty) = (published(&folder), difficulty(&folder));
    let (mut gaps, mut raw_gaps) = (vec![], vec![]);
    for entry in
        std::fs::read_dir(folder.join("alpaca_eval/preferences/weighted_alpaca_eval_gpt4_turbo"))
            .unwrap()
    {
        let path = entry.unwrap().path();
        let model = path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".jsonl.gz")
            .to_string();
        let (preferred, reference, own) = preferences(path);
        let Some((expected, _)) = published
            .get(&model)
            .filter(|_| model != "gpt4_1106_preview")
        else {
            continue;
        };
        let length = length_feature(&reference, &own).unwrap();
        let difficulty = Some(&difficulty[..preferred.len()]);
        let found = fit_length_control(
            &Preferences {
                preferred: &preferred,
                length: &length,
                difficulty,
            },
            0.95,
        )
        .unwrap();
        assert!(found.fit.converged && found.interval.is_ok(), "{model}");
        gaps.push((100.0 * found.win_rate - expected).abs());
        raw_gaps.push((100.0 * found.raw_win_rate - expected).abs());
        eprintln!(
            "{model}: raw {:.2}, fitted {:.2} (se {:.2}), published {expected:.2}",
            100.0 * found.raw_win_rate,
            100.0 * found.win_rate,
            100.0 * found.interval.unwrap().standard_error
        );
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let largest = gaps.iter().copied().fold(0.0, f64::max);
    eprintln!(
        "{} models: mean gap {:.3}, largest {largest:.3}; of raw win rates {:.3}",
        gaps.len(),
        mean(&gaps),
        mean(&raw_gaps)
    );
    assert!(gaps.len() >= 30);
    assert!(mean(&gaps) < 0.5 * mean(&raw_gaps));
}
