//! The command line of `runs`.

use super::{FormatArgs, PriceArgs};
use clap::Args;
use std::path::PathBuf;

/// Which runs are listed.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The folder that holds them
    #[arg(value_name = "DIR", default_value = evenhand_engine::RUNS)]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
