//! What prefix sharing saves: both orders of pairs of LLMBar Natural, with it and without it in one
//! run, and llama.cpp alone doing the same work beside each.
//!
//! `cargo bench -p evenhand-models --bench prefix_sharing`. The model is found by EVENHAND_MODEL or
//! in the user's cache, the data by EVENHAND_SHARED_DATA or in ../shared/data; EVENHAND_BENCH_PAIRS
//! sets how many pairs (40) and EVENHAND_THREADS how many threads.

mod pairs;

use evenhand_core::{AnswerOptions, Decoding, Message, Request, Task};
use evenhand_models::Model;
use evenhand_models::embedded::{Embedded, Logits, Options};
use pairs::{Queue, model_path, number, pairs};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const RUBRIC: &str = "You compare two responses to the same instruction and say which of them is \
                      better. Read the instruction first \
    and note what it asks for: the task, the form, the length, and anything that it forbids. A \
    response that does precisely what was \
    asked is better than one that does something else well. Among responses that do what was \
    asked, the one whose statements are \
    right is better; then the one that says what is of use and no more. Do not reward length, \
    politeness, confidence or decoration, \
    and do not let the order in which the responses are shown, or the letters that name them, \
    influence you. If a response is \
    unsafe or pretends to have done what it has not, it is worse. Decide for one of the two even \
    where the difference is small.";

/// The request for one order of a pair. What prompts share comes first: the rubric, then the
/// instruction.
fn request(instruction: &str, first: &str, second: &str) -> Request {
    let asked = "Which response is better? Answer with A or B only.";
    let user = format!(
        "Instruction:\n{instruction}\n\nResponse A:\n{first}\n\nResponse B:\n{second}\n\n{asked}"
    );
    let answers = Some(AnswerOptions {
        options: vec!["A".to_owned(), "B".to_owned()],
        after: String::new(),
    });
    Request::new(
        "bench".into(),
        vec![Message::system(RUBRIC), Message::user(user)],
        Task::Generate {
            decoding: Decoding::greedy(1),
            answers,
        },
    )
}

/// One way to evaluate, measured.
struct Measured {
    seconds: f64,
    bare_seconds: f64,
    tokens: u64,
}

fn measure(
    path: &Path,
    requests: &[Request],
    share_prefixes: bool,
) -> Result<Measured, Box<dyn Error>> {
    let threads = number("EVENHAND_THREADS");
    let mut model = Embedded::open(
        path,
        &Options {
            share_prefixes,
            threads,
            context: Some(4096),
            ..Options::default()
        },
    )?;
    let mut best = Measured {
        seconds: f64::INFINITY,
        bare_seconds: f64::INFINITY,
        tokens: 0,
    };
    for _ in 0..number("EVENHAND_BENCH_REPEATS").unwrap_or(1) {
        let (started, before) = (Instant::now(), model.evaluated_tokens());
        model.serve(&mut Queue(requests.iter().cloned().map(Arc::new).collect()))?;
        best.seconds = best.seconds.min(started.elapsed().as_secs_f64());
        best.tokens = model.evaluated_tokens() - before;
        best.bare_seconds = best.bare_seconds.min(
            model
                .time_bare_reads(requests, Logits::Needed)?
                .as_secs_f64(),
        );
    }
    Ok(best)
}

fn requests() -> Result<Vec<Request>, Box<dyn Error>> {
    let mut requests = Vec::new();
    for pair in pairs()? {
        requests.push(request(&pair.input, &pair.output_1, &pair.output_2));
        requests.push(request(&pair.input, &pair.output_2, &pair.output_1));
    }
    Ok(requests)
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let (path, requests) = (model_path(), requests()?);
    println!("{} prompts, {}\n", requests.len(), path.display());
    println!(
        "{:16} {:>8} {:>9} {:>9} {:>10} {:>11} {:>9}",
        "", "tokens", "seconds", "tokens/s", "bare s", "bare tok/s", "overhead"
    );
    let (with, without) = (
        measure(&path, &requests, true)?,
        measure(&path, &requests, false)?,
    );
    for (name, one) in [("prefixes shared", &with), ("not shared", &without)] {
        let (rate, bare) = (
            one.tokens as f64 / one.seconds,
            one.tokens as f64 / one.bare_seconds,
        );
        let overhead = (one.seconds / one.bare_seconds - 1.0) * 100.0;
        println!(
            "{name:16} {:8} {:9.2} {rate:9.1} {:10.2} {bare:11.1} {overhead:8.1}%",
            one.tokens, one.seconds, one.bare_seconds
        );
    }
    let fewer = without.tokens as f64 / with.tokens as f64;
    println!(
        "\nsharing prefixes: {:.2} times as fast, {fewer:.2} times fewer tokens",
        without.seconds / with.seconds
    );
    Ok(())
}
