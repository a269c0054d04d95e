//! How long the alignment of a pair takes, segmentation and tokens included: `cargo run --release
//! -p evenhand-align --example align_speed [-- ROUNDS]`, on one thread. Each pair's figure is its
//! least over the rounds, so that a busy machine counts less.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement prints, and stops where it has no data"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and this reads files and the clock"
)]

#[path = "../tests/it/common/mod.rs"]
#[allow(dead_code, reason = "an example needs a part of it")]
mod common;

use common::{found, recorded_pairs};
use evenhand_align::Segmentation;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .map_or(20, |rounds| rounds.parse().unwrap());
    let texts: Vec<(String, String)> = recorded_pairs()
        .unwrap()
        .into_iter()
        .map(|pair| (pair.a, pair.b))
        .collect();
    println!(
        "{} pairs of vicuna_bench, ms a pair (least of {rounds} rounds)\nsegmentation  k  median   \
         mean  worst",
        texts.len()
    );
    for segmentation in [Segmentation::Plain, Segmentation::Full] {
        for k in 2..=8 {
            let mut times: Vec<f64> = texts
                .iter()
                .map(|(a, b)| least(a, b, segmentation, k, rounds))
                .collect();
            times.sort_by(f64::total_cmp);
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            let name = format!("{segmentation:?}");
            println!(
                "{name:12} {k:2} {:7.3} {mean:6.3} {:6.2}",
                times[times.len() / 2],
                times.last().unwrap()
            );
        }
    }
    for (name, a, b) in long_pairs(&texts) {
        let times = [2, 3, 4, 5, 6, 7, 8].map(|k| format!("{:.0}", ran(&a, &b, k)));
        println!(
            "{name}: {} ms of processor time for k = 2 to 8",
            times.join(" ")
        );
    }
}

/// Milliseconds, by the time of day.
fn least(a: &str, b: &str, segmentation: Segmentation, k: usize, rounds: usize) -> f64 {
    let once = || {
        let started = Instant::now();
        black_box(found(black_box(a), black_box(b), segmentation, k));
        started.elapsed().as_secs_f64() * 1e3
    };
    (0..rounds).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Milliseconds that this thread ran, where the system tells it.
fn ran(a: &str, b: &str, k: usize) -> f64 {
    let before = on_processor();
    let elapsed = least(a, b, Segmentation::Plain, k, 1);
    before
        .zip(on_processor())
        .map_or(elapsed, |(before, after)| after - before)
}

/// Milliseconds on a processor since the thread began.
fn on_processor() -> Option<f64> {
    // The system brings its figure up to date when the thread gives way.
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split(' ')
        .next()?
        .parse::<f64>()
        .ok()
        .map(|nanoseconds| nanoseconds / 1e6)
}

/// Pairs of 200 sentences each: what the answers say one after another, one answer again and again,
/// one sentence again and again.
fn long_pairs(texts: &[(String, String)]) -> Vec<(&'static str, String, String)> {
    let sentences = |text: String| text.split_inclusive(". ").take(200).collect::<String>();
    let all = |side: fn(&(String, String)) -> &String| {
        sentences(
            texts
                .iter()
                .map(|pair| {
                    side(pair)
                        .replace(['\n', '!', '?'], " ")
                        .trim_end()
                        .to_string()
                        + ". "
                })
                .collect(),
        )
    };
    let again = |text: &str| {
        sentences((text.replace(['\n', '!', '?'], " ").trim_end().to_string() + ". ").repeat(200))
    };
    vec![
        (
            "200 sentences of many answers",
            all(|pair| &pair.0),
            all(|pair| &pair.1),
        ),
        (
            "200 sentences of one answer, repeated",
            again(&texts[0].0),
            again(&texts[0].1),
        ),
        (
            "200 times one sentence",
            "The cat sat there. ".repeat(200),
            "A cat sat on it. ".repeat(200),
        ),
    ]
}
