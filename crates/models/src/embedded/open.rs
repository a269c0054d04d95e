//! Opening a model file: everything that can be wrong with it is found before llama.cpp sees it, as
//! far as possible.

use super::Options;
use super::embed::{Embedder, Pooling};
use super::engine::Engine;
use super::kernels::name_kernels;
use super::llama::{Context, Weights};
use super::llama_options::{ContextOptions, Output};
use super::prompt::Prompter;
use super::stack::Stack;
use super::threads::{Threads, physical_cores};
use super::vocabulary::Vocabulary;
use crate::ModelError;
use crate::chat::{Template, TemplateError};
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
pub(super) fn open_model(
    path: &Path,
    options: &Options,
) -> Result<(Vec<Engine>, String), ModelError> {
    let header = read_header(path).map_err(|error| ModelError::Open(error.to_string()))?;
    let length = choose_context_length(path, &header, options)?;
    let weights = Arc::new(load_weights(path, &header)?);
    let prompter = Arc::new(make_prompter(path, &header, &weights)?);
    let plan = EnginePlan::new(&header, length, options);
    let engines = open_engines(path, &plan, &weights, &prompter)?;
    Ok((engines, name_identity(path, length, plan.chunk)?))
}

/// The settings that all engines of a model have in common.
struct EnginePlan {
    length: u32,
    chunk: u32,
    share_prefixes: bool,
    workers: usize,
    pooling: Pooling,
    /// Whether the model writes text; one that only embeds does not.
    writes: bool,
    threads_each: usize,
    /// Whether threads give way to other programs.
    yields: bool,
}

impl EnginePlan {
    fn new(header: &Header, length: u32, options: &Options) -> EnginePlan {
        let cores = options.threads.unwrap_or_else(physical_cores).max(1);
        let memory = u64::from(length).saturating_mul(memory_per_token(header));
        let workers = count_workers(cores, memory);
        EnginePlan {
            length,
            chunk: options.chunk.clamp(1, length),
            share_prefixes: options.share_prefixes,
            workers,
            pooling: find_pooling(header),
            writes: !is_encoder(header),
            threads_each: cores / workers,
            yields: options.threads.is_none() && workers == 1,
        }
    }

    fn context_options(&self) -> ContextOptions {
        ContextOptions {
            length: self.length,
            chunk: self.chunk,
            threads: self.threads().most(),
            output: Output::Logits,
        }
    }

    fn make_embedder(&self, weights: &Arc<Weights>) -> Embedder {
        Embedder::new(
            weights.clone(),
            self.pooling,
            self.length,
            self.chunk,
            self.threads(),
        )
    }

    fn threads(&self) -> Threads {
        Threads::new(self.threads_each, self.yields)
    }
}

fn make_prompter(
    path: &Path,
    header: &Header,
    weights: &Arc<Weights>,
) -> Result<Prompter, ModelError> {
    Ok(Prompter {
        template: compile_template(path, header, weights)?,
        vocabulary: Vocabulary::new(weights.clone(), header.text(TEMPLATE)),
    })
}

fn open_engines(
    path: &Path,
    plan: &EnginePlan,
    weights: &Arc<Weights>,
    prompter: &Arc<Prompter>,
) -> Result<Vec<Engine>, ModelError> {
    (0..plan.workers)
        .map(|_| open_engine(path, plan, weights, prompter))
        .collect()
}

fn open_engine(
    path: &Path,
    plan: &EnginePlan,
    weights: &Arc<Weights>,
    prompter: &Arc<Prompter>,
) -> Result<Engine, ModelError> {
    let context = Context::new(weights.clone(), &plan.context_options())
        .map_err(|cause| no_context(path, plan.length, &cause))?;
    let chunk = plan.chunk as usize;
    Ok(Engine {
        stack: Stack::new(context, plan.threads(), chunk, plan.share_prefixes),
        prompter: prompter.clone(),
        embedder: plan.make_embedder(weights),
        writes: plan.writes,
    })
}

/// Returns how many contexts work side by side, each with its share of the cores. One core to a
/// context is the fastest: threads that share one wait for each other many times a token, and on a
/// busy machine they wait for the scheduler too.
fn count_workers(cores: usize, memory: u64) -> usize {
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

/// Returns the length of the context: what is asked for, or what the model was trained for within
/// what is sane.
fn choose_context_length(
    path: &Path,
    header: &Header,
    options: &Options,
) -> Result<u32, ModelError> {
    let trained = header
        .of_architecture("context_length")
        .unwrap_or(DEFAULT_CONTEXT);
    let length = options
        .context
        .map_or_else(|| default_length(header, trained), u64::from);
    if length > trained {
        return Err(context_too_long(path, length, trained));
    }
    // llama.cpp rounds up to this, so that the identity says what is so.
    Ok(u32::try_from(length.next_multiple_of(SHORTEST)).unwrap_or(u32::MAX))
}

fn context_too_long(path: &Path, length: u64, trained: u64) -> ModelError {
    ModelError::Open(format!(
        "{}: a context of {length} tokens was asked for, and the model was trained for {trained}. \
         Ask for at most {trained}",
        path.display()
    ))
}

fn default_length(header: &Header, trained: u64) -> u64 {
    let fits = DEFAULT_MEMORY / memory_per_token(header).max(1);
    trained.min(DEFAULT_CONTEXT).min(fits).max(SHORTEST)
}

const SHORTEST: u64 = 256;

/// Returns the bytes of a context's memory for each token: keys and values in 16 bits, in every
/// layer.
fn memory_per_token(header: &Header) -> u64 {
    let layers = header.of_architecture("block_count").unwrap_or(0);
    layers
        .saturating_mul(values_per_layer(header))
        .saturating_mul(2)
}

/// Returns how many numbers a layer keeps for a token, keys and values together.
fn values_per_layer(header: &Header) -> u64 {
    let find = |name| header.of_architecture(name);
    let heads = find("attention.head_count").unwrap_or(1).max(1);
    let usual = find("embedding_length").unwrap_or(0) / heads;
    let key = find("attention.key_length").unwrap_or(usual);
    let value = find("attention.value_length").unwrap_or(usual);
    let kept = find("attention.head_count_kv").unwrap_or(heads);
    kept.saturating_mul(key.saturating_add(value))
}

/// llama.cpp's numbers for "no pooling" and for the score of a reranker.
const NO_POOLING: u64 = 0;
const RANK_POOLING: u64 = 4;

fn find_pooling(header: &Header) -> Pooling {
    match header.of_architecture("pooling_type") {
        None | Some(NO_POOLING) => Pooling::MeanOfStates,
        Some(_) => Pooling::OfModel,
    }
}

/// Returns whether every token of a text sees all others, so that none can be written after them.
fn is_encoder(header: &Header) -> bool {
    header.of_architecture("attention.causal") == Some(0)
}

fn refuse_reranker(path: &Path, header: &Header) -> Result<(), ModelError> {
    if header.of_architecture("pooling_type") != Some(RANK_POOLING) {
        return Ok(());
    }
    Err(ModelError::Open(format!(
        "{}: this model scores pairs of texts (a reranker): it neither judges nor embeds. Choose a \
         decoder-only language model to judge, or a sentence-embedding model to embed",
        path.display()
    )))
}

fn load_weights(path: &Path, header: &Header) -> Result<Weights, ModelError> {
    refuse_reranker(path, header)?;
    let weights =
        Weights::load(path).map_err(|cause| ModelError::Open(not_loaded(path, header, &cause)))?;
    if weights.is_text_model() {
        Ok(weights)
    } else {
        Err(writes_no_text(path))
    }
}

fn writes_no_text(path: &Path) -> ModelError {
    ModelError::Open(format!(
        "{}: this model does not write text token by token, so it cannot judge. Choose a \
         decoder-only language model",
        path.display()
    ))
}

fn not_loaded(path: &Path, header: &Header, cause: &str) -> String {
    let path = path.display();
    if cause.contains("unknown model architecture") {
        let architecture = header.text("general.architecture").unwrap_or("");
        return format!(
            "{path}: the architecture {architecture:?} is not supported by the llama.cpp in this \
             program. Choose another model, or a newer evenhand"
        );
    }
    format!("{path}: llama.cpp cannot load this model: {cause}. Fetch it again, or choose another")
}

fn compile_template(
    path: &Path,
    header: &Header,
    weights: &Weights,
) -> Result<Option<Template>, ModelError> {
    let Some(source) = header.text(TEMPLATE) else {
        return Ok(None);
    };
    let (bos, eos) = weights.end_texts();
    match Template::new(source, &bos, &eos) {
        Ok(template) => Ok(Some(template)),
        Err(error) => Err(refuse_template(path, &error)),
    }
}

fn refuse_template(path: &Path, error: &TemplateError) -> ModelError {
    ModelError::Open(format!("{}: {error}", path.display()))
}

/// Names all that can change a reply: the model, the context, the chunk, and the kernels that
/// llama.cpp was compiled with. Threads and prefix sharing cannot.
fn name_identity(path: &Path, length: u32, chunk: u32) -> Result<String, ModelError> {
    let digest = file_digest(path).map_err(|error| ModelError::Open(error.to_string()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "gguf:{stem}:{digest}:ctx{length}:chunk{chunk}:cpu{}",
        name_kernels()
    ))
}
