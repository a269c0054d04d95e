//! The command line of `show`.

use super::PriceArgs;
use super::help::OUTPUT;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Names a run, and what to show of it.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The number of a judgment; without it, the run in one screen
    ///
    /// Its question, both answers, the verdicts in both orders and the judge's words.
    #[arg(value_name = "N")]
    pub(crate) trial: Option<u64>,
    /// The prompts too, as they were sent
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) prompt: bool,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    /// Form of the output
    #[arg(long, value_enum, default_value = "table", help_heading = OUTPUT)]
    pub(crate) format: ShowFormat,
}

/// The forms in which a run or a judgment is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    Table,
    Json,
}
