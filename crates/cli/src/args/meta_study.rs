//! The command line of `meta study`.

use super::help::{JUDGE, LIMITS, OUTPUT};
use super::{
    ComputeArgs, FormatArgs, LimitArgs, MarkArgs, QuietArgs, ReportFileArgs, ReuseArgs,
    SamplingArgs,
};
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
    /// One judge in the place of those of the study's file
    ///
    /// As `rank --judge` takes it; in the tables it is called `judge`.
    #[arg(long, value_name = "JUDGE", help_heading = JUDGE)]
    pub(crate) judge: Option<String>,
    /// Files whose judges may name addresses and keys
    ///
    /// The study's own file, if its judges name any; a file that came with data may not.
    #[arg(long, value_name = "FILE", help_heading = LIMITS)]
    pub(crate) trust: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) marks: MarkArgs,
    /// Draw the figures into DIR, as SVG
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) figures: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}
