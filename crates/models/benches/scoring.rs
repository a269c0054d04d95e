//! How fast responses are scored: tokens a second against llama.cpp's own rate of prefill, with and
//! without the logits of every position of a response, each in one run.
//!
//! `cargo bench -p evenhand-models --bench scoring`. The model is found by EVENHAND_MODEL or in the
//! user's cache, the data by EVENHAND_SHARED_DATA or in ../shared/data; EVENHAND_BENCH_PAIRS sets
//! how many pairs of LLMBar Natural (40), EVENHAND_BENCH_REPEATS how many passes, of which the best
//! counts (3), and EVENHAND_THREADS how many threads.

mod pairs;

use evenhand_core::{Message, Request, Task};
use evenhand_models::Model;
use evenhand_models::embedded::{Embedded, Logits, Options};
use pairs::{Queue, number, pairs};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// The calls of `likelihood` for both responses of a pair.
fn requests() -> Result<Vec<Request>, Box<dyn Error>> {
    let score = |instruction: &str, response: &str| {
        Request::new(
            "bench".into(),
            vec![Message::user(instruction)],
            Task::score(response),
        )
    };
    let of = |pair: pairs::Pair| {
        let of = |response: &str| [score(&pair.input, response), score("", response)];
        [of(&pair.output_1), of(&pair.output_2)].concat()
    };
    Ok(pairs()?.into_iter().flat_map(of).collect())
}

/// Seconds of the best pass.
fn best(mut pass: impl FnMut() -> Result<f64, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..number("EVENHAND_BENCH_REPEATS").unwrap_or(3) {
        best = best.min(pass()?);
    }
    Ok(best)
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let (path, requests) = (pairs::model_path(), requests()?);
    let options = Options {
        threads: number("EVENHAND_THREADS"),
        context: Some(4096),
        ..Options::default()
    };
    let mut model = Embedded::open(&path, &options)?;
    let mut tokens = 0;
    let served = best(|| {
        let (started, before) = (Instant::now(), model.evaluated_tokens());
        model.serve(&mut Queue(requests.iter().cloned().map(Arc::new).collect()))?;
        tokens = model.evaluated_tokens() - before;
        Ok(started.elapsed().as_secs_f64())
    })?;
    let needed = best(|| {
        Ok(model
            .time_bare_reads(&requests, Logits::Needed)?
            .as_secs_f64())
    })?;
    let last = best(|| {
        Ok(model
            .time_bare_reads(&requests, Logits::Last)?
            .as_secs_f64())
    })?;
    println!(
        "{} calls, {tokens} tokens read, {}\n",
        requests.len(),
        path.display()
    );
    println!(
        "{:46} {:>8} {:>9} {:>9}",
        "", "seconds", "tokens/s", "scored is"
    );
    for (name, seconds) in [
        ("scored", served),
        ("llama.cpp, every needed position's logits", needed),
        ("llama.cpp, the last position's logits", last),
    ] {
        println!(
            "{name:46} {seconds:8.2} {:9.1} {:8.1}%",
            tokens as f64 / seconds,
            seconds / served * 100.0
        );
    }
    Ok(())
}
