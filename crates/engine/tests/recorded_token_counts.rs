//! The approximation of token counts against counts that were recorded beside the texts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "a test may read files")]

use evenhand_engine::approximate_tokens;
use evenhand_testing::shared_data;
use serde_json::Value;
use std::io::Read;
use std::path::PathBuf;

/// Approximation by recorded count, of every answer of Arena-Hard with at least 50 tokens (14
/// systems, 500 prompts each).
fn ratios(folder: PathBuf) -> Vec<f64> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(answers)
        .filter_map(|row| ratio(&row))
        .collect()
}

fn answers(path: &PathBuf) -> Vec<Value> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn ratio(row: &Value) -> Option<f64> {
    let recorded = row["token_len"].as_u64().filter(|count| *count >= 50)?;
    Some(approximate_tokens(row["answer"].as_str()?) as f64 / recorded as f64)
}

#[test]
fn answers_have_about_the_tokens_that_were_recorded() {
    let Some(shared) = shared_data() else { return };
    let mut ratios = ratios(shared.join("arena_hard/answers"));
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| ratios[(share * (ratios.len() - 1) as f64) as usize];
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    eprintln!(
        "{} answers: mean {mean:.3}, 95 % from {:.3} to {:.3}",
        ratios.len(),
        at(0.025),
        at(0.975)
    );
    assert!(ratios.len() > 5000);
    assert!((0.98..1.05).contains(&mean), "{mean}");
    assert!(
        at(0.025) > 0.8 && at(0.975) < 1.25,
        "{} to {}",
        at(0.025),
        at(0.975)
    );
}
