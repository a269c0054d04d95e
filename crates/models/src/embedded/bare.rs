//! What llama.cpp alone needs for the prompts of some requests: what the benchmark compares with.

use super::engine::Engine;
use super::llama::Token;
use super::serve::stretches;
use evenhand_core::Request;
use std::time::{Duration, Instant};

/// Reads the requests' prompts in the order, the chunks and the stretches in which they are served, and does nothing else;
/// returns how long that takes.
pub(super) fn time(engines: &mut [Engine], requests: &[Request]) -> Result<Duration, String> {
    let engine = engines.first().ok_or("the model has no engine")?;
    let prepared = requests.iter().map(|request| engine.prepare(request).map(|job| job.tokens));
    let mut prompts = prepared.collect::<Result<Vec<_>, _>>().map_err(|error| error.message)?;
    prompts.sort();
    let stretches = stretches(prompts, engines.len(), Vec::len);
    let sizes: Vec<Vec<(usize, usize)>> =
        engines.iter().zip(&stretches).map(|(engine, prompts)| sizes(engine, prompts)).collect();
    let started = Instant::now();
    std::thread::scope(|scope| {
        let reading = engines.iter_mut().zip(&sizes).map(|(engine, sizes)| scope.spawn(|| engine.stack.read_bare(sizes)));
        let reading: Vec<_> = reading.collect();
        reading.into_iter().try_for_each(|one| one.join().unwrap_or_else(|_| Err("a thread broke down".into())))
    })?;
    Ok(started.elapsed())
}

/// Of each prompt how much is kept from the one before, and its length.
fn sizes<'a>(engine: &Engine, prompts: impl IntoIterator<Item = &'a Vec<Token>>) -> Vec<(usize, usize)> {
    let mut before: &[Token] = &[];
    let mut sizes = Vec::new();
    for prompt in prompts {
        sizes.push((engine.stack.kept_after(before, prompt), prompt.len()));
        before = prompt;
    }
    sizes
}
