//! The command line of `align`.

use super::choices::words;
use super::help::{JUDGE, OUTPUT, PROTOCOL};
use super::{FilterArgs, ThreadArgs};
use clap::{Args, ValueEnum};
use evenhand_align::{MAX_SEGMENTS, Segmentation};
use std::ops::RangeInclusive;
use std::path::PathBuf;

const SEGMENTS: RangeInclusive<usize> = 2..=MAX_SEGMENTS;

/// The pairs to align, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct AlignArgs {
    /// JSON lines {"a": "...", "b": "..."}, a pair of answers each
    ///
    /// May end in .gz; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Segments that each answer is cut into, 2 to 32
    #[arg(
        long, default_value_t = 3, value_parser = parse_segments, value_name = "K",
        help_heading = PROTOCOL
    )]
    pub(crate) k: usize,
    /// How segments are compared
    ///
    /// [default: token-overlap]
    #[arg(
        long, value_enum, value_name = "HOW", hide_default_value = true,
        default_value = "token-overlap", help_heading = PROTOCOL
    )]
    pub(crate) similarity: SimilarityBy,
    /// With --similarity embedding: who embeds the pieces
    ///
    /// One of gguf:PATH, openai:MODEL[@BASE_URL], simulated.
    #[arg(long, value_name = "JUDGE", help_heading = JUDGE)]
    pub(crate) embedder: Option<String>,
    /// Where an answer may be cut
    ///
    /// At sentences, list items and statements of code (full), or by the plain rule for checks
    /// (plain). [default: full]
    #[arg(
        long, value_name = "HOW", hide_default_value = true, default_value = "full",
        value_parser = words(&[("full", Segmentation::Full), ("plain", Segmentation::Plain)]),
        help_heading = PROTOCOL
    )]
    pub(crate) segmentation: Segmentation,
    /// Form of the output
    ///
    /// One line a pair, in order.
    #[arg(long, value_enum, default_value = "jsonl", help_heading = OUTPUT)]
    pub(crate) format: AlignFormat,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

fn parse_segments(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(k) if SEGMENTS.contains(&k) => Ok(k),
        _ => Err(format!("expected a whole number from 2 to {MAX_SEGMENTS}")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimilarityBy {
    TokenOverlap,
    Embedding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlignFormat {
    Jsonl,
}
