//! The embeddings of the answers that are aligned by them.

use super::{Pair, segmentation};
use crate::Failed;
use crate::args::{AlignArgs, SimilarityBy};
use evenhand_align::{find_cuts, pieces_to_embed};
use evenhand_core::{CallErrorKind, CallResult, Embeddings};
use evenhand_engine::{Embedder, JudgeOptions, JudgeSpec};

/// The embeddings of a pair's answers, by their pieces.
pub(super) type Both = [Embeddings; 2];

/// Opens the model that embeds, where one is wanted.
pub(super) fn open_embedder(args: &AlignArgs) -> Result<Option<Embedder>, Failed> {
    match (args.similarity, &args.embedder) {
        (SimilarityBy::TokenOverlap, None) => Ok(None),
        (SimilarityBy::TokenOverlap, Some(name)) => Err(Failed::Usage(format!(
            "--embedder {name}: token overlap embeds nothing; add --similarity embedding, or leave \
             the embedder out"
        ))),
        (SimilarityBy::Embedding, None) => Err(Failed::usage(
            "--similarity embedding: name who embeds the answers' pieces with --embedder \
                 gguf:PATH, openai:MODEL[@BASE_URL] or simulated",
        )),
        (SimilarityBy::Embedding, Some(name)) => {
            let options = JudgeOptions {
                threads: args.threads.threads,
                ..JudgeOptions::default()
            };
            Ok(Some(Embedder::open(&JudgeSpec::parse(name)?, options)?))
        }
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
    let pieces: Vec<Option<[Vec<String>; 2]>> =
        pairs.iter().map(|pair| split_answers(pair, args)).collect();
    let texts = pieces.iter().flatten().flatten().cloned().collect();
    let mut results = embedder.embed(texts)?.into_iter();
    let mut embedded = Vec::with_capacity(pairs.len());
    for (pair, pieces) in pairs.iter().zip(&pieces) {
        let both = pieces.as_ref().map(|_| {
            // Two results for each pair that was embedded, in order.
            let [a, b] = [results.next(), results.next()].map(read_embeddings);
            Ok([a?, b?])
        });
        let both = both.transpose();
        embedded.push(both.map_err(|error| locate_error(error, name, pair.line))?);
    }
    Ok(embedded)
}

fn locate_error((kind, why): (CallErrorKind, String), name: &str, line: u64) -> Failed {
    let message = format!("{name}:{line}: the answers cannot be embedded: {why}");
    if kind == CallErrorKind::Invalid {
        Failed::Usage(message)
    } else {
        Failed::Run(message)
    }
}

/// Returns what is embedded of both answers; None where one is too short to split.
fn split_answers(pair: &Pair, args: &AlignArgs) -> Option<[Vec<String>; 2]> {
    let [a, b] = [&pair.a, &pair.b].map(|text| {
        let cuts = find_cuts(text, segmentation(args));
        let pieces = pieces_to_embed(text, &cuts)
            .into_iter()
            .map(String::from)
            .collect();
        (cuts.places().len() + 1 >= args.k).then_some(pieces)
    });
    Some([a?, b?])
}

fn read_embeddings(result: Option<CallResult>) -> Result<Embeddings, (CallErrorKind, String)> {
    let none = || {
        (
            CallErrorKind::Model,
            "the model gave no embeddings".to_owned(),
        )
    };
    let reply = result
        .ok_or_else(none)?
        .map_err(|error| (error.kind, error.message))?;
    reply.embeddings.ok_or_else(none)
}
