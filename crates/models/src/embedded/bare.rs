//! What llama.cpp alone needs for the prompts of some requests: what the benchmark compares with.

use super::engine::Engine;
use super::llama::Token;
use evenhand_core::Request;
use std::time::{Duration, Instant};

/// Reads the requests' prompts in the order and the chunks in which they are served, and does nothing else; returns how long
/// that takes.
pub(super) fn time(engine: &mut Engine, requests: &[Request]) -> Result<Duration, String> {
    let prepared = requests.iter().map(|request| engine.prepare(request).map(|job| job.tokens));
    let mut prompts = prepared.collect::<Result<Vec<_>, _>>().map_err(|error| error.message)?;
    prompts.sort();
    let mut before: &[Token] = &[];
    let mut sizes = Vec::new();
    for prompt in &prompts {
        sizes.push((engine.stack.kept_after(before, prompt), prompt.len()));
        before = prompt;
    }
    let started = Instant::now();
    engine.stack.read_bare(&sizes)?;
    Ok(started.elapsed())
}
