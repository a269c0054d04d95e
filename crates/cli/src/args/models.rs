//! The command line of `models`.

use super::FormatArgs;
use super::help::OUTPUT;
use clap::Args;
use std::path::PathBuf;

/// Which models are described.
#[derive(Clone, Debug, Args)]
pub(crate) struct ModelsArgs {
    /// GGUF files to describe [default: those in the cache directory]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Write the one named model to FILE as Q8_0
    ///
    /// A CPU reads Q8_0 1.7 times as fast as Q4_1.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) requantize: Option<PathBuf>,
}
