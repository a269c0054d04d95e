//! `evenhand runs`.

use crate::args::{FormatArgs, PriceArgs};
use crate::progress::SPEAKING;
use crate::{Done, Failed};
use clap::Args;
use evenhand_engine::list_runs;
use evenhand_report::{json_text, runs_csv, runs_table};
use evenhand_store::describe_runs_below;
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

/// Which runs there are: when, what, by which judge and protocol, at what cost.
pub(crate) fn runs(args: &RunsArgs) -> Result<Done, Failed> {
    let runs = list_runs(&args.dir, &args.prices.table()?)?;
    let dir = args.dir.display().to_string();
    let is_empty = runs.rows.is_empty() && runs.unreadable.is_empty();
    let below = is_empty.then(|| describe_runs_below(&args.dir)).flatten();
    args.format.print(
        || match &below {
            Some(below) => format!("{dir}: {below}\n"),
            None => runs_table(&runs.rows, &dir) + "\n",
        },
        || json_text(&runs.rows),
        || runs_csv(&runs.rows),
    )?;
    for (_, why) in &runs.unreadable {
        SPEAKING.say(&format!("left out: {why}"));
    }
    Ok(Done::Fine)
}
