//! The command line of limits.

use clap::Args;

/// What a run may take at most.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Stop, to go on later, when N calls were made for this run
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// Stop, to go on later, when the calls for this run have cost this much
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// Stop, to go on later, after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) deadline: Option<f64>,
    /// Ask on where the first 20 trials all fail in one way
    #[arg(long)]
    pub(crate) keep_going: bool,
}
