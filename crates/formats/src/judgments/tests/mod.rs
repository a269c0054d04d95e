//! The readers, file by file: what they make of a record, and the exact words of their errors.

mod own_files;
mod tools;

use super::*;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

pub(super) fn try_files(
    files: &[(&str, &str)],
    options: &Options,
) -> Result<RecordedJudgments, String> {
    read_judgments(
        files.iter().map(|(name, text)| (*name, text.as_bytes())),
        options,
    )
    .map_err(|error| error.to_string())
}

pub(super) fn one(file: &str) -> RecordedJudgments {
    try_files(&[("f", file)], &Options::default()).unwrap()
}

pub(super) fn error(file: &str) -> String {
    try_files(&[("f", file)], &Options::default()).unwrap_err()
}

/// (item, a, b, wins_a, ties, wins_b) by name.
pub(super) fn verdicts(recorded: &RecordedJudgments) -> Vec<(&str, &str, &str, [f64; 3])> {
    let name = |system: u16| &recorded.systems[usize::from(system)][..];
    let item = |item: u32| &recorded.items[item as usize][..];
    recorded
        .comparisons
        .iter()
        .map(|c| {
            (
                item(c.item),
                name(c.a),
                name(c.b),
                [c.wins_a, c.ties, c.wins_b],
            )
        })
        .collect()
}

/// (item, system, score) by name.
fn scored(recorded: &RecordedJudgments) -> Vec<(&str, &str, f64)> {
    let row = |s: &RecordedScore| {
        (
            &recorded.items[s.item as usize][..],
            &recorded.systems[usize::from(s.system)][..],
            s.score,
        )
    };
    recorded.scores.iter().map(row).collect()
}

pub(super) fn failures(recorded: &RecordedJudgments) -> Vec<(&str, u64)> {
    recorded
        .failures
        .iter()
        .map(|(kind, n)| (&kind[..], *n))
        .collect()
}

const HALF: [f64; 3] = [0.0, 1.0, 0.0];
const WON: [f64; 3] = [1.0, 0.0, 0.0];
const LOST: [f64; 3] = [0.0, 0.0, 1.0];
