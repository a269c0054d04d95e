//! The embeddings of the answers that are aligned by them.

use super::{Pair, segmentation};
use crate::Failed;
use crate::args::{AlignArgs, SimilarityBy};
use evenhand_align::{find_cuts, pieces_to_embed};
use evenhand_core::{CallErrorKind, CallResult, Embeddings};
use evenhand_engine::{Embedder, JudgeOptions, JudgeSpec};

/// The embeddings of a pair's answers, by their pieces.
pub(super) type Both = [Embeddings; 2];

/// The model that embeds, where one is wanted.
pub(super) fn embedder(args: &AlignArgs) -> Result<Option<Embedder>, Failed> {
    match (args.similarity, &args.embedder) {
        (SimilarityBy::TokenOverlap, None) => Ok(None),
        (SimilarityBy::TokenOverlap, Some(name)) => Err(Failed::Usage(format!(
            "--embedder {name}: token overlap embeds nothing; add --similarity embedding, or leave \
             the embedder out"
        ))),
        (SimilarityBy::Embedding, None) => {
            let message = "--similarity embedding: name who embeds the answers' pieces with \
                           --embedder gguf:PATH, openai:MODEL[@BASE_URL] or simulated";
            Err(Failed::Usage(message.into()))
        }
        (SimilarityBy::Embedding, Some(name)) => {
            let options = JudgeOptions {
                threads: args.threads.threads,
                ..JudgeOptions::default()
            };
            Ok(Some(Embedder::open(&JudgeSpec::parse(name)?, options)?))
        }
    }
}

/// For each pair the embeddings of both answers; None where one is too short to split, or the
/// file's `name` with the line that failed.
pub(super) fn embedded(
    embedder: &mut Embedder,
    pairs: &[Pair],
    args: &AlignArgs,
    name: &str,
) -> Result<Vec<Option<Both>>, Failed> {
    let pieces: Vec<Option<[Vec<String>; 2]>> =
        pairs.iter().map(|pair| pieces(pair, args)).collect();
    let mut results = embedder
        .embed(pieces.iter().flatten().flatten().cloned().collect())?
        .into_iter();
    let of = |(pair, pieces): (&Pair, &Option<[Vec<String>; 2]>)| match pieces {
        None => Ok(None),
        Some(_) => match [results.next(), results.next()].map(embeddings) {
            [Ok(a), Ok(b)] => Ok(Some([a, b])),
            [Err((kind, why)), _] | [_, Err((kind, why))] => {
                let message = format!(
                    "{name}:{}: the answers cannot be embedded: {why}",
                    pair.line
                );
                Err(if kind == CallErrorKind::Invalid {
                    Failed::Usage(message)
                } else {
                    Failed::Run(message)
                })
            }
        },
    };
    pairs.iter().zip(&pieces).map(of).collect()
}

/// What is embedded of both answers.
fn pieces(pair: &Pair, args: &AlignArgs) -> Option<[Vec<String>; 2]> {
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

fn embeddings(result: Option<CallResult>) -> Result<Embeddings, (CallErrorKind, String)> {
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
