//! Opening a model file: everything that can be wrong with it is found before llama.cpp sees it, as
//! far as possible.

use super::Options;
use super::embed::Embedder;
use super::engine::Engine;
use super::llama::{Context, Weights, kernels_name};
use super::prompt::Prompter;
use super::stack::Stack;
use super::threads::{Threads, physical_cores};
use super::vocabulary::Vocabulary;
use crate::ModelError;
use crate::chat::Template;
use crate::gguf::{Header, file_digest, read_header};
use std::path::Path;
use std::sync::Arc;

/// A context of more tokens than this has to be asked for.
const DEFAULT_CONTEXT: u64 = 8192;

/// The memory of a context may have this many bytes, or its length has to be asked for.
const DEFAULT_MEMORY: u64 = 4 << 30;

/// The memory of all contexts together may have this many bytes before cores share a context
/// instead of having one each.
const WORKERS_MEMORY: u64 = 1 << 30;

/// Opens a model: an engine for each worker, and the identity that they answer under.
pub(super) fn open(path: &Path, options: &Options) -> Result<(Vec<Engine>, String), ModelError> {
    let header = read_header(path).map_err(|error| ModelError::Open(error.to_string()))?;
    let length = context_length(path, &header, options)?;
    let chunk = options.chunk.clamp(1, length);
    let weights = Arc::new(load(path, &header)?);
    let template = template(path, &header, &weights)?;
    let vocabulary = Vocabulary::new(weights.clone(), header.text(TEMPLATE));
    let prompter = Arc::new(Prompter {
        template,
        vocabulary,
    });
    let cores = options.threads.unwrap_or_else(physical_cores).max(1);
    let workers = workers(
        cores,
        u64::from(length).saturating_mul(memory_per_token(&header)),
    );
    let engine = |_| -> Result<Engine, ModelError> {
        let threads = || Threads::new(cores / workers, options.threads.is_none() && workers == 1);
        let context = Context::new(weights.clone(), length, chunk, threads().most())
            .map_err(|cause| no_context(path, length, &cause))?;
        let stack = Stack::new(context, threads(), chunk as usize, options.share_prefixes);
        Ok(Engine {
            stack,
            prompter: prompter.clone(),
            embedder: Embedder::new(weights.clone(), length, chunk, threads()),
        })
    };
    let engines = (0..workers).map(engine).collect::<Result<Vec<_>, _>>()?;
    Ok((engines, identity(path, length, chunk)?))
}

/// How many contexts work side by side, each with its share of the cores. One core to a context is
/// the fastest: threads that share one wait for each other many times a token, and on a busy
/// machine they wait for the scheduler too.
fn workers(cores: usize, memory: u64) -> usize {
    let fit = WORKERS_MEMORY / memory.max(1);
    usize::try_from(fit).unwrap_or(usize::MAX).clamp(1, cores)
}

fn no_context(path: &Path, length: u32, cause: &str) -> ModelError {
    ModelError::Open(format!(
        "{}: no context of {length} tokens could be made: {cause}. Ask for a shorter one",
        path.display()
    ))
}

const TEMPLATE: &str = "tokenizer.chat_template";

/// The length of the context: what is asked for, or what the model was trained for within what is
/// sane.
fn context_length(path: &Path, header: &Header, options: &Options) -> Result<u32, ModelError> {
    let trained = header
        .of_architecture("context_length")
        .unwrap_or(DEFAULT_CONTEXT);
    let fits = DEFAULT_MEMORY / memory_per_token(header).max(1);
    let default = trained.min(DEFAULT_CONTEXT).min(fits).max(SHORTEST);
    let length = options.context.map_or(default, u64::from);
    if length > trained {
        let told = format!(
            "{}: a context of {length} tokens was asked for, and the model was trained for \
             {trained}",
            path.display()
        );
        return Err(ModelError::Open(format!(
            "{told}. Ask for at most {trained}"
        )));
    }
    // llama.cpp rounds up to this, so that the identity says what is so.
    Ok(u32::try_from(length.next_multiple_of(SHORTEST)).unwrap_or(u32::MAX))
}

const SHORTEST: u64 = 256;

/// Bytes of the context's memory for each token: keys and values in 16 bits, in every layer.
fn memory_per_token(header: &Header) -> u64 {
    let of = |name| header.of_architecture(name);
    let heads = of("attention.head_count").unwrap_or(1).max(1);
    let width = of("embedding_length").unwrap_or(0);
    let key = of("attention.key_length").unwrap_or(width / heads);
    let value = of("attention.value_length").unwrap_or(width / heads);
    let kept = of("attention.head_count_kv")
        .unwrap_or(heads)
        .saturating_mul(key.saturating_add(value));
    of("block_count")
        .unwrap_or(0)
        .saturating_mul(kept)
        .saturating_mul(2)
}

fn load(path: &Path, header: &Header) -> Result<Weights, ModelError> {
    let weights =
        Weights::load(path).map_err(|cause| ModelError::Open(not_loaded(path, header, &cause)))?;
    if !weights.is_text_model() {
        let told = format!(
            "{}: this model does not write text token by token, so it cannot judge",
            path.display()
        );
        return Err(ModelError::Open(format!(
            "{told}. Choose a decoder-only language model"
        )));
    }
    Ok(weights)
}

fn not_loaded(path: &Path, header: &Header, cause: &str) -> String {
    let architecture = header.text("general.architecture").unwrap_or("");
    if cause.contains("unknown model architecture") {
        let told = format!(
            "{}: the architecture {architecture:?} is not supported by the llama.cpp in this \
             program",
            path.display()
        );
        return format!("{told}. Choose another model, or a newer evenhand");
    }
    format!(
        "{}: llama.cpp cannot load this model: {cause}. Fetch it again, or choose another",
        path.display()
    )
}

fn template(
    path: &Path,
    header: &Header,
    weights: &Weights,
) -> Result<Option<Template>, ModelError> {
    let Some(source) = header.text(TEMPLATE) else {
        return Ok(None);
    };
    let (bos, eos) = weights.ends();
    let template = Template::new(source, &bos, &eos);
    template
        .map(Some)
        .map_err(|error| ModelError::Open(format!("{}: {error}", path.display())))
}

/// All that can change a reply: the model, the context, the chunk, and the kernels that llama.cpp
/// was compiled with. Threads and prefix sharing cannot.
fn identity(path: &Path, length: u32, chunk: u32) -> Result<String, ModelError> {
    let digest = file_digest(path).map_err(|error| ModelError::Open(error.to_string()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "gguf:{stem}:{digest}:ctx{length}:chunk{chunk}:cpu{}",
        kernels_name()
    ))
}
