//! The command line of batch files.

use super::help::{OUTPUT, RUN};
use super::{FormatArgs, JudgeScaleArgs, RunArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// Write the requests that are missing now to batch files (the flags of `judge`)
    #[command(args_override_self = true)]
    Export(Box<ExportArgs>),
    /// Take the results of batch files, in any order
    Import(ImportArgs),
}

/// The requests to export, and where to.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// The directory for the files; none that is there is touched
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// The most requests in one file [OpenAI's limit: 50000]
    #[arg(long, default_value_t = 50_000, value_name = "N", help_heading = OUTPUT)]
    pub(crate) max_lines: usize,
    /// The most bytes in one file [OpenAI's limit: 200 MB]
    #[arg(long, default_value_t = 200_000_000, value_name = "BYTES", help_heading = OUTPUT)]
    pub(crate) max_bytes: usize,
}

/// The results to import, and into which run.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Files of results
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The run directory of the export
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
