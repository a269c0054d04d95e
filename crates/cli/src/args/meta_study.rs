//! The command line of `meta study`.

use super::{Format, LimitArgs, ReuseArgs};
use clap::Args;
use std::path::PathBuf;

/// Which study is run.
#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    /// The study: input sets, judges, evaluation types, aggregations, references
    ///
    /// See docs/meta-evaluation.md.
    #[arg(value_name = "STUDY.toml")]
    pub(crate) file: PathBuf,
    /// Files whose judges may name addresses and keys
    ///
    /// The study's own file, if its judges name any; a file that came with data may not.
    #[arg(long, value_name = "FILE")]
    pub(crate) trust: Vec<PathBuf>,
    /// Leave marks of chat templates such as <|im_end|> as they are
    ///
    /// In what a server is shown; it may read them as turns.
    #[arg(long)]
    pub(crate) raw_marks: bool,
    /// Draw the figures into DIR, as SVG
    #[arg(long, value_name = "DIR")]
    pub(crate) figures: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    /// Threads of embedded judges [default: the machine's cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Context of embedded judges in tokens
    ///
    /// [default: the model's own, at most 8192]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context: Option<u32>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
    /// No progress, no talk on stderr but errors
    #[arg(long)]
    pub(crate) quiet: bool,
}
