//! `evenhand runs`.

use crate::args::RunsArgs;
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_engine::list_runs;
use evenhand_report::{runs_csv, runs_json, runs_table};

/// Which runs there are: when, what, by which judge and protocol, at what cost.
pub(crate) fn runs(args: &RunsArgs) -> Result<Done, Failed> {
    let runs = list_runs(&args.dir, &args.prices.table()?)?;
    let dir = args.dir.display().to_string();
    args.format.print(
        || runs_table(&runs.rows, &dir) + "\n",
        || runs_json(&runs.rows),
        || runs_csv(&runs.rows),
    )?;
    for (_, why) in &runs.unreadable {
        say(&format!("left out: {why}"));
    }
    Ok(Done::Fine)
}
