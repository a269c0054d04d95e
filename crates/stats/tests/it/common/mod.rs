//! Simulated data, readers and laws of several test files.

use evenhand_stats::{Estimate, Fit, Scores, Tally};
use flate2::read::MultiGzDecoder;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The rows of a CSV file, each under its header.
pub(crate) fn csv_rows(path: PathBuf) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path)
        .unwrap()
        .deserialize()
        .map(Result::unwrap)
        .collect()
}

/// The number in a field of a row.
pub(crate) fn number(row: &BTreeMap<String, String>, field: &str) -> f64 {
    row[field].parse().unwrap()
}

/// The values of a gzipped file of JSON lines.
pub(crate) fn json_lines(path: impl AsRef<Path>) -> Vec<Value> {
    let lines = BufReader::new(MultiGzDecoder::new(File::open(path).unwrap())).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// The numbers of a JSON list.
pub(crate) fn numbers(list: &Value) -> Vec<f64> {
    let numbers = list.as_array().unwrap().iter();
    numbers.map(|x| x.as_f64().unwrap()).collect()
}

/// Two systems, and the weight of the comparisons that the first won, tied and lost.
pub(crate) type Row = (usize, usize, f64, f64, f64);

/// Rows between different ones of k systems, weights in quarters, many of them 0.
pub(crate) fn row(k: usize) -> impl Strategy<Value = Row> {
    let weight = || prop_oneof![Just(0.0), (0u8..20).prop_map(|x| f64::from(x) / 4.0)];
    (0..k, 1..k, weight(), weight(), weight())
        .prop_map(move |(a, d, x, t, y)| (a, (a + d) % k, x, t, y))
}

pub(crate) fn tally(k: usize, rows: &[Row]) -> Tally {
    let mut tally = Tally::new(k).unwrap();
    rows.iter()
        .for_each(|&(a, b, x, t, y)| tally.add(a, b, x, t, y).unwrap());
    tally
}

/// The estimates, all of which are finite.
pub(crate) fn finite(estimates: &[Estimate]) -> Vec<f64> {
    estimates.iter().map(|x| x.finite().unwrap()).collect()
}

/// The estimates of a fit that ended with a gradient below this, all of which are finite.
pub(crate) fn fitted(scores: &Scores, gradient: f64) -> Vec<f64> {
    let has_ended = |fit: Fit| fit.converged && fit.gradient < gradient;
    assert!(scores.fit.is_none_or(has_ended), "{:?}", scores.fit);
    finite(&scores.estimates)
}

/// Whether two lists agree number by number, within a distance.
pub(crate) fn close(x: &[f64], y: &[f64], within: f64) -> bool {
    x.len() == y.len() && x.iter().zip(y).all(|(x, y)| (x - y).abs() <= within)
}

const GRAIN: u32 = 1 << 24;

/// Numbers strictly between 0 and 1.
pub(crate) fn uniforms(seed: u64, stream: u64) -> impl Iterator<Item = f64> {
    let draws = evenhand_stats::draw_numbers(seed, stream, GRAIN);
    draws.map(|draw| (f64::from(draw) + 0.5) / f64::from(GRAIN))
}

/// Uniform and normal numbers, one by one.
pub(crate) struct Draws(Box<dyn Iterator<Item = u32>>);

impl Draws {
    pub(crate) fn new(seed: u64, stream: u64) -> Draws {
        Draws(Box::new(evenhand_stats::draw_numbers(
            seed,
            stream,
            1 << 30,
        )))
    }

    /// A number strictly between 0 and 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        (f64::from(self.0.next().unwrap()) + 0.5) / f64::from(1 << 30)
    }

    /// A standard normal number (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// Standard normal numbers (Box and Muller 1958).
pub(crate) fn normals(seed: u64, stream: u64, n: usize) -> Vec<f64> {
    let mut draws = uniforms(seed, stream);
    let mut next = || draws.next().unwrap();
    let normal = |(radius, angle): (f64, f64)| {
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    };
    (0..n).map(|_| normal((next(), next()))).collect()
}
