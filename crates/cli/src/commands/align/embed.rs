//! The embeddings of the answers that are aligned by them.

use super::Pair;
use crate::Failed;
use crate::commands::align::{AlignArgs, SimilarityBy};
use evenhand_align::{find_cuts, pieces_to_embed};
use evenhand_core::{CallErrorKind, Embeddings, Reply};
use evenhand_engine::{Embedder, JudgeOptions, JudgeSpec};

/// The embeddings of a pair's answers, by their pieces.
pub(super) type Both = [Embeddings; 2];

/// Opens the model that embeds, where one is wanted.
pub(super) fn open_embedder(args: &AlignArgs) -> Result<Option<Embedder>, Failed> {
    match (args.similarity, &args.embedder) {
        (SimilarityBy::TokenOverlap, None) => Ok(None),
        (SimilarityBy::Embedding, Some(name)) => {
            let options = JudgeOptions {
                threads: args.threads.threads,
                gpu_layers: args.gpu.gpu_layers,
                ..JudgeOptions::default()
            };
            Ok(Some(Embedder::open(&JudgeSpec::parse(name)?, options)?))
        }
        (SimilarityBy::TokenOverlap, Some(name)) => Err(Failed::Usage(format!(
            "--embedder {name}: token overlap embeds nothing; add --similarity embedding, or leave \
             the embedder out"
        ))),
        (SimilarityBy::Embedding, None) => Err(Failed::usage(
            "--similarity embedding: name who embeds the answers' pieces with --embedder \
                 gguf:PATH, openai:MODEL[@BASE_URL] or simulated",
        )),
    }
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
    let split = |text: &str| -> Option<Vec<String>> {
        let cuts = find_cuts(text, args.segmentation);
        let pieces = pieces_to_embed(text, &cuts).into_iter();
        let is_long_enough = cuts.places().len() + 1 >= args.k;
        is_long_enough.then(|| pieces.map(String::from).collect())
    };
    let pieces = pairs
        .iter()
        .map(|pair| Some([split(&pair.a)?, split(&pair.b)?]));
    let pieces: Vec<Option<[Vec<String>; 2]>> = pieces.collect();
    let texts = pieces.iter().flatten().flatten().cloned().collect();
    // They come in order, two for each pair that was embedded.
    let mut results = embedder.embed(texts)?.into_iter();
    let mut embedded = Vec::with_capacity(pairs.len());
    for (pair, pieces) in pairs.iter().zip(&pieces) {
        let mut next = || match results.next() {
            Some(Ok(Reply {
                embeddings: Some(embeddings),
                ..
            })) => Ok(embeddings),
            Some(Err(error)) => Err((error.kind, error.message)),
            _ => Err((CallErrorKind::Model, "the model gave no embeddings".into())),
        };
        let both = pieces.as_ref().map(|_| Ok([next()?, next()?])).transpose();
        embedded.push(both.map_err(|(kind, why)| {
            let line = pair.line;
            let message = format!("{name}:{line}: the answers cannot be embedded: {why}");
            // Another text may be embedded where this one is invalid: then the input is to blame.
            match kind {
                CallErrorKind::Invalid => Failed::Usage(message),
                _ => Failed::Run(message),
            }
        })?);
    }
    Ok(embedded)
}
