//! What the benchmarks share: pairs of LLMBar Natural, the model, and a queue of calls.

use evenhand_core::{Request, RequestKey};
use evenhand_models::{Answer, Work};
use serde::Deserialize;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An instruction and two responses.
#[derive(Deserialize)]
pub(crate) struct Pair {
    pub(crate) input: String,
    pub(crate) output_1: String,
    pub(crate) output_2: String,
}

/// The first pairs, as many as EVENHAND_BENCH_PAIRS says, else 40.
pub(crate) fn pairs() -> Result<Vec<Pair>, Box<dyn Error>> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("EVENHAND_SHARED_DATA").map_or(workspace, PathBuf::from);
    let text = std::fs::read_to_string(data.join("llmbar/natural/dataset.jsonl"))?;
    let lines = text
        .lines()
        .take(number("EVENHAND_BENCH_PAIRS").unwrap_or(40));
    Ok(lines.map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Calls that are ready, served from the last to the first.
pub(crate) struct Queue(pub(crate) Vec<Arc<Request>>);

impl Work for Queue {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        self.0.pop().map(|request| (request.key(), request))
    }

    fn deliver(&mut self, _: RequestKey, Answer { result, .. }: Answer) {
        if let Err(error) = result {
            eprintln!("{}", error.message);
        }
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

/// A number set in the environment.
pub(crate) fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// The model that is measured.
pub(crate) fn model_path() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.unwrap_or_else(|| {
        PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache")
    });
    let cached = cache.join("evenhand/models/SmolLM2-135M-Instruct-Q8_0.gguf");
    std::env::var_os("EVENHAND_MODEL").map_or(cached, PathBuf::from)
}
