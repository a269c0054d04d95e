//! The command line of `runs`.

use super::Format;
use clap::Args;
use std::path::PathBuf;

/// Which runs are listed.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The folder that holds them
    #[arg(value_name = "DIR", default_value = evenhand_engine::RUNS)]
    pub(crate) dir: PathBuf,
    /// Prices of judges (TOML), whose rows beat the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
}
