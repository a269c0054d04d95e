//! The command line of `view`.

use super::{PriceArgs, QuietArgs};
use crate::Failed;
use clap::Args;
use evenhand_viewer::{ViewOptions, read_labels};
use std::path::PathBuf;

/// What is shown in a browser, and where it is served.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// A run, or a folder of runs
    #[arg(value_name = "RUN|FOLDER", default_value = evenhand_engine::RUNS)]
    pub(crate) path: PathBuf,
    /// The port [default: one that is free]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
    /// The address that is listened on [default: this machine's own]
    ///
    /// With the address of a network, everybody who reaches it and has the token can read the runs,
    /// and whoever listens on the way sees the token: nothing is encrypted.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
    /// People's labels, shown beside the judgments
    ///
    /// Comparisons in any format of judgments, as for `leaderboard --labels`. Of several labels of a
    /// pair the majority counts.
    #[arg(long, num_args = 1.., value_name = "LABELS")]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

impl ViewArgs {
    /// Reads labels and prices.
    pub(crate) fn options(&self) -> Result<ViewOptions, Failed> {
        Ok(ViewOptions {
            path: self.path.clone(),
            port: self.port,
            host: self.host.clone(),
            prices: self.prices.table()?,
            labels: read_labels(&self.labels)?,
        })
    }
}
