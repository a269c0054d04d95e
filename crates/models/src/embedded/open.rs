//! Opening a model file: everything that can be wrong with it is found before llama.cpp sees it, as
//! far as possible.

use super::Options;
use super::beside::{Forest, SEQUENCES};
use super::embed::{Embedder, Pooling};
use super::engine::Engine;
use super::footprint::{Footprint, memory_per_token};
use super::kernels::name_kernels;
use super::llama::{Context, Weights};
use super::llama_options::{ContextOptions, Output};
use super::placement::Placement;
use super::prompt::Prompter;
use super::stack::Stack;
use super::states::StateReader;
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
pub(super) fn open_model(
    path: &Path,
    options: &Options,
) -> Result<(Vec<Engine>, String), ModelError> {
    let header = read_header(path).map_err(|error| ModelError::Open(error.to_string()))?;
    let length = choose_context_length(path, &header, options)?;
    let refuse = |why| ModelError::Open(format!("{}: {why}", path.display()));
    let footprint = Footprint::new(&header, length, options.chunk.clamp(1, length));
    let placement = Placement::choose(&footprint, options.gpu_layers).map_err(refuse)?;
    let plan = EnginePlan::new(&header, length, options, placement.layers);
    placement.check_room(&footprint).map_err(refuse)?;
    let weights = Arc::new(load_weights(path, &header, &placement)?);
    let prompter = Arc::new(Prompter {
        template: compile_template(path, &header, &weights)?,
        scored: header.text(SCORED_TEMPLATE).map(String::from),
        vocabulary: Vocabulary::new(weights.clone(), header.text(TEMPLATE)),
    });
    let forest = Arc::default();
    let mut engines = Vec::with_capacity(plan.workers);
    for _ in 0..plan.workers {
        engines.push(open_engine(path, &plan, &weights, &prompter, &forest)?);
    }
    // The identity names all that can change a reply: the model, the context, the chunk, the
    // kernels that llama.cpp was compiled with, and which layers are on which device. Threads and
    // prefix sharing cannot.
    let digest = file_digest(path).map_err(|error| ModelError::Open(error.to_string()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let chunk = plan.chunk;
    let (kernels, device) = (name_kernels(), placement.name());
    // By its end it is known for a model that gives rewards (`JudgeKind::of`).
    let kind = if header.scores() { ":reward" } else { "" };
    let identity =
        format!("gguf:{stem}:{digest}:ctx{length}:chunk{chunk}:cpu{kernels}{device}{kind}");
    Ok((engines, identity))
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
    fn new(header: &Header, length: u32, options: &Options, on_device: u32) -> EnginePlan {
        let cores = options.threads.unwrap_or_else(physical_cores).max(1);
        let memory = u64::from(length).saturating_mul(memory_per_token(header));
        // Contexts work side by side, each with its share of the cores. One core to a context is
        // the fastest: threads that share one wait for each other many times a token, and on a busy
        // machine they wait for the scheduler too.
        let fit = WORKERS_MEMORY / memory.max(1);
        let workers = match on_device {
            0 => usize::try_from(fit).unwrap_or(usize::MAX).clamp(1, cores),
            // A device is busy with one context.
            _ => 1,
        };
        // Where every token of a text sees all others, none can be written after them.
        let is_encoder = header.of_architecture("attention.causal") == Some(0);
        EnginePlan {
            length,
            chunk: options.chunk.clamp(1, length),
            share_prefixes: options.share_prefixes,
            workers,
            pooling: match header.of_architecture("pooling_type") {
                _ if header.scores() => Pooling::Score,
                None | Some(NO_POOLING) => Pooling::MeanOfStates,
                Some(_) => Pooling::OfModel,
            },
            writes: !is_encoder && !header.scores(),
            threads_each: cores / workers,
            yields: options.threads.is_none() && workers == 1,
        }
    }

    fn threads(&self) -> Threads {
        Threads::new(self.threads_each, self.yields)
    }
}

fn open_engine(
    path: &Path,
    plan: &EnginePlan,
    weights: &Arc<Weights>,
    prompter: &Arc<Prompter>,
    forest: &Arc<Forest>,
) -> Result<Engine, ModelError> {
    let options = ContextOptions {
        length: plan.length,
        chunk: plan.chunk,
        threads: plan.threads().most,
        // Others have a state for each sequence, and read nothing side by side.
        sequences: if weights.can_forget() { SEQUENCES } else { 1 },
        output: Output::Logits,
    };
    let context = Context::new(weights.clone(), &options).map_err(|cause| {
        ModelError::Open(format!(
            "{}: no context of {} tokens could be made: {cause}. Ask for a shorter one",
            path.display(),
            plan.length
        ))
    })?;
    let chunk = plan.chunk as usize;
    Ok(Engine {
        stack: Stack::new(context, plan.threads(), chunk, plan.share_prefixes),
        prompter: prompter.clone(),
        embedder: Embedder::new(
            weights.clone(),
            plan.pooling,
            plan.length,
            plan.chunk,
            plan.threads(),
        ),
        states: StateReader::new(weights.clone(), plan.length, plan.chunk, plan.threads()),
        forest: forest.clone(),
        writes: plan.writes,
    })
}

const TEMPLATE: &str = "tokenizer.chat_template";
const SCORED_TEMPLATE: &str = "tokenizer.chat_template.rerank";

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
    let length = match options.context {
        Some(context) => u64::from(context),
        None => {
            let fits = DEFAULT_MEMORY / memory_per_token(header).max(1);
            trained.min(DEFAULT_CONTEXT).min(fits).max(SHORTEST)
        }
    };
    if length > trained {
        return Err(ModelError::Open(format!(
            "{}: a context of {length} tokens was asked for, and the model was trained for \
             {trained}. Ask for at most {trained}",
            path.display()
        )));
    }
    // llama.cpp rounds up to this, so that the identity says what is so.
    Ok(u32::try_from(length.next_multiple_of(SHORTEST)).unwrap_or(u32::MAX))
}

const SHORTEST: u64 = 256;

/// llama.cpp's number for "no pooling".
const NO_POOLING: u64 = 0;

fn load_weights(
    path: &Path,
    header: &Header,
    placement: &Placement,
) -> Result<Weights, ModelError> {
    let shown = path.display();
    let weights = Weights::load(path, placement).map_err(|cause| {
        if cause.contains("unknown model architecture") {
            let architecture = header.text("general.architecture").unwrap_or("");
            return ModelError::Open(format!(
                "{shown}: the architecture {architecture:?} is not supported by the llama.cpp in \
                 this program. Choose another model, or a newer evenhand"
            ));
        }
        ModelError::Open(format!(
            "{shown}: llama.cpp cannot load this model: {cause}. Fetch it again, or choose another"
        ))
    })?;
    if header.scores() {
        check_scorer(header, &weights).map_err(|why| {
            let hint = "Choose a reward model or reranker with one number";
            ModelError::Open(format!(
                "{shown}: this model scores texts, and {why}. {hint}"
            ))
        })?;
        return Ok(weights);
    }
    if !weights.is_text_model() {
        return Err(ModelError::Open(format!(
            "{shown}: this model does not write text token by token, so it cannot judge. Choose a \
             decoder-only language model"
        )));
    }
    Ok(weights)
}

/// Refuses a model that scores texts otherwise than by one number, higher for a better text.
fn check_scorer(header: &Header, weights: &Weights) -> Result<(), String> {
    if !header.has_score_head {
        return Err("has no head that makes a number of what it reads".into());
    }
    let has = |mark| {
        header
            .text(SCORED_TEMPLATE)
            .is_none_or(|text| text.contains(mark))
    };
    if !has("{query}") || !has("{document}") {
        return Err(format!(
            "its {SCORED_TEMPLATE} has no place for a question and an answer ({{query}} and \
             {{document}})"
        ));
    }
    let classes = weights.score_classes();
    // There llama.cpp gives the share of each class.
    let gives_shares = matches!(
        header.text("general.architecture"),
        Some("qwen3" | "qwen3vl")
    );
    match classes.as_slice() {
        [_] if !gives_shares => Ok(()),
        [_] => Err("llama.cpp gives the same number for every text to models of its kind".into()),
        [Some(yes), _] if gives_shares && yes.eq_ignore_ascii_case("yes") => Ok(()),
        classes => {
            let names = classes.iter().map(|name| name.as_deref().unwrap_or("?"));
            let names: Vec<&str> = names.collect();
            Err(format!(
                "has {} classes ({}), of which none is known to mean a better text",
                names.len(),
                names.join(", ")
            ))
        }
    }
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
    let template = Template::new(source, &bos, &eos);
    template
        .map(Some)
        .map_err(|error| ModelError::Open(format!("{}: {error}", path.display())))
}
