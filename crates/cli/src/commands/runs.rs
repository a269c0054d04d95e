//! `evenhand runs`.

use super::{print, unprintable};
use crate::args::{Format, RunsArgs};
use crate::job::price_table;
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_engine::list_runs;
use evenhand_report::{runs_csv, runs_json, runs_table};

/// Which runs there are: when, what, by which judge and protocol, at what cost.
pub(crate) fn runs(args: &RunsArgs) -> Result<Done, Failed> {
    let runs = list_runs(&args.dir, &price_table(args.prices.as_deref())?)?;
    print(&match args.format {
        Format::Table => runs_table(&runs.rows, &args.dir.display().to_string()) + "\n",
        Format::Json => runs_json(&runs.rows).map_err(unprintable)?,
        Format::Csv => runs_csv(&runs.rows).map_err(unprintable)?,
    })?;
    runs.unreadable
        .iter()
        .for_each(|(_, why)| say(&format!("left out: {why}")));
    Ok(Done::Fine)
}
