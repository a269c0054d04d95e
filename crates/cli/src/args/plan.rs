//! The command line of `plan`.

use super::help::{DATA, LIMITS, STATISTICS};
use super::{FormatArgs, PriceArgs};
use clap::Args;
use std::path::PathBuf;

/// Says what a comparison of two systems is to find, and what is known of the outcomes.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Pilot runs of comparisons or scores, which tell where outcomes vary
    ///
    /// One run, by one judge or by a panel; or several of the same data, each by another judge.
    #[arg(value_name = "RUN", required_unless_present = "variance")]
    pub(crate) runs: Vec<PathBuf>,
    /// The difference to be found, in points [default: 5, of comparisons]
    ///
    /// Points are hundredths of the share of comparisons won, ties half: 55 % against 45 % is 5
    /// points from even, as `compare` counts. Of scores they are the scores' own.
    #[arg(long, value_name = "POINTS", help_heading = STATISTICS)]
    pub(crate) difference: Option<f64>,
    /// Plan for what other judges like the pilot's would find too
    ///
    /// How many judges that takes stands in the designs. Without it, a plan is for the pilot's
    /// judges: what lies between them and others does not count.
    #[arg(long, help_heading = STATISTICS)]
    pub(crate) other_judges: bool,
    /// The chance to find it
    #[arg(long, default_value_t = 0.8, help_heading = STATISTICS)]
    pub(crate) power: f64,
    /// 1 - alpha of the test, and how sure the noise floor is
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
    /// A budget of calls: what is the smallest difference that they find?
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_calls: Option<u64>,
    /// A budget in US dollars, by what the pilot's calls cost
    #[arg(long, value_name = "USD", conflicts_with = "max_calls", help_heading = LIMITS)]
    pub(crate) max_cost: Option<f64>,
    /// Plan for these two systems of RUN alone; otherwise for its average pair
    #[arg(long, value_name = "A,B", help_heading = DATA)]
    pub(crate) pair: Option<String>,
    /// Variances in place of a pilot
    ///
    /// Of items, order, item with order, and repeats, of one judgment's outcome from -1 (lost) to 1
    /// (won); then, if given, of judges, and of items with their judges. Their sum is at most about
    /// 1 where judges always decide.
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "V,V,V,V",
        conflicts_with_all = ["runs", "pair", "max_cost"], help_heading = STATISTICS
    )]
    pub(crate) variance: Option<Vec<f64>>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
