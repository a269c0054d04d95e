//! The command line of `report`, and of `--report`.

use super::help::OUTPUT;
use super::{PriceArgs, QuietArgs};
use clap::Args;
use std::path::PathBuf;

/// A report in one file beside what is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportFileArgs {
    /// Write a report to look into, in one HTML file
    ///
    /// It holds the result, its figures and the judgments with their texts, opens in a browser
    /// without a network, and loads nothing from anywhere.
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub(crate) report: Option<PathBuf>,
}

/// Which run is put into a file, and where.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The HTML file to write
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}
