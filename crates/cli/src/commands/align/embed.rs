//! The embeddings of the answers that are aligned by them.

use super::{Pair, segmentation};
use crate::Failed;
use crate::args::{AlignArgs, SimilarityBy};
use evenhand_align::{find_cuts, pieces_to_embed};
use evenhand_core::{CallError, CallErrorKind, CallResult, Embeddings};
use evenhand_engine::{Embedder, JudgeOptions, JudgeSpec};

/// The embeddings of a pair's answers, by their pieces.
pub(super) type Both = [Embeddings; 2];

/// The texts that are embedded of a pair's answers.
type Pieces = [Vec<String>; 2];

/// Opens the model that embeds, where one is wanted.
pub(super) fn open_embedder(args: &AlignArgs) -> Result<Option<Embedder>, Failed> {
    match (args.similarity, &args.embedder) {
        (SimilarityBy::TokenOverlap, None) => Ok(None),
        (SimilarityBy::Embedding, Some(name)) => open_named(name, args).map(Some),
        (SimilarityBy::TokenOverlap, Some(name)) => Err(describe_idle(name)),
        (SimilarityBy::Embedding, None) => Err(Failed::usage(
            "--similarity embedding: name who embeds the answers' pieces with --embedder \
                 gguf:PATH, openai:MODEL[@BASE_URL] or simulated",
        )),
    }
}

fn open_named(name: &str, args: &AlignArgs) -> Result<Embedder, Failed> {
    let options = JudgeOptions {
        threads: args.threads.threads,
        ..JudgeOptions::default()
    };
    Ok(Embedder::open(&JudgeSpec::parse(name)?, options)?)
}

fn describe_idle(embedder: &str) -> Failed {
    Failed::Usage(format!(
        "--embedder {embedder}: token overlap embeds nothing; add --similarity embedding, or leave \
         the embedder out"
    ))
}

/// Embeds both answers of each pair; None where one is too short to split.
///
/// # Errors
/// The file's `name` with the line whose answers cannot be embedded.
pub(super) fn embed_pairs(
    embedder: &mut Embedder,
    pairs: &[Pair],
    args: &AlignArgs,
    name: &str,
) -> Result<Vec<Option<Both>>, Failed> {
    let pieces: Vec<Option<Pieces>> = pairs.iter().map(|pair| split_answers(pair, args)).collect();
    let texts = pieces.iter().flatten().flatten().cloned().collect();
    let mut results = embedder.embed(texts)?.into_iter();
    let mut embedded = Vec::with_capacity(pairs.len());
    for (pair, pieces) in pairs.iter().zip(&pieces) {
        let both = pieces.as_ref().map(|_| take_both(&mut results)).transpose();
        embedded.push(both.map_err(|error| error.locate(name, pair.line))?);
    }
    Ok(embedded)
}

/// Takes the two results of a pair that was embedded: they come in order.
fn take_both(results: &mut impl Iterator<Item = CallResult>) -> Result<Both, EmbeddingError> {
    let a = read_embeddings(results.next())?;
    let b = read_embeddings(results.next())?;
    Ok([a, b])
}

/// Why a text has no embeddings.
struct EmbeddingError {
    kind: CallErrorKind,
    why: String,
}

impl EmbeddingError {
    fn missing() -> Self {
        EmbeddingError {
            kind: CallErrorKind::Model,
            why: "the model gave no embeddings".into(),
        }
    }

    fn locate(self, file: &str, line: u64) -> Failed {
        let why = self.why;
        let message = format!("{file}:{line}: the answers cannot be embedded: {why}");
        // Another text may be embedded where this one is invalid: then the input is to blame.
        match self.kind {
            CallErrorKind::Invalid => Failed::Usage(message),
            _ => Failed::Run(message),
        }
    }
}

impl From<CallError> for EmbeddingError {
    fn from(error: CallError) -> Self {
        EmbeddingError {
            kind: error.kind,
            why: error.message,
        }
    }
}

/// Returns what is embedded of both answers; None where one is too short to split.
fn split_answers(pair: &Pair, args: &AlignArgs) -> Option<Pieces> {
    let a = split_answer(&pair.a, args)?;
    let b = split_answer(&pair.b, args)?;
    Some([a, b])
}

fn split_answer(text: &str, args: &AlignArgs) -> Option<Vec<String>> {
    let cuts = find_cuts(text, segmentation(args));
    let pieces = pieces_to_embed(text, &cuts).into_iter();
    let is_long_enough = cuts.places().len() + 1 >= args.k;
    is_long_enough.then(|| pieces.map(String::from).collect())
}

fn read_embeddings(result: Option<CallResult>) -> Result<Embeddings, EmbeddingError> {
    let reply = result.ok_or_else(EmbeddingError::missing)??;
    reply.embeddings.ok_or_else(EmbeddingError::missing)
}
