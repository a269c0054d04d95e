//! The command line of `align`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What is aligned, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct AlignArgs {
    /// JSON lines {"a": "...", "b": "..."}, one pair of answers each; .gz too, and - for stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Segments that each answer is cut into, 2 to 32
    #[arg(long, default_value_t = 3, value_parser = segments, value_name = "K")]
    pub(crate) k: usize,
    /// What makes two segments alike
    #[arg(long, value_enum, default_value = "token-overlap")]
    pub(crate) similarity: SimilarityBy,
    /// Who embeds the pieces, with --similarity embedding: gguf:PATH, openai:MODEL[@BASE_URL] or simulated
    #[arg(long, value_name = "JUDGE")]
    pub(crate) embedder: Option<String>,
    /// Where an answer may be cut: at sentences, list items and statements of code, or by the plain rule for checks
    #[arg(long, value_enum, default_value = "full")]
    pub(crate) segmentation: SegmentationBy,
    /// What is printed on stdout: one line a pair, in order
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: AlignFormat,
    /// Threads [default: the machine's cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

fn segments(text: &str) -> Result<usize, String> {
    let k = text.parse().ok().filter(|k| (2..=evenhand_align::MAX_SEGMENTS).contains(k));
    k.ok_or_else(|| format!("expected a whole number from 2 to {}", evenhand_align::MAX_SEGMENTS))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimilarityBy {
    TokenOverlap,
    Embedding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SegmentationBy {
    Full,
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlignFormat {
    Jsonl,
}
