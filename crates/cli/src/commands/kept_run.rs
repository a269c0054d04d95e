//! Runs that are kept, opened for reading.

use crate::Failed;
use evenhand_core::shell_word;
use evenhand_engine::{EngineError, PriceTable, spent};
use evenhand_pages::OpenRun;
use evenhand_report::Usage;
use evenhand_store::{StoreError, describe_calls_alone};
use std::path::Path;

/// Opens a run for reading; its owner may go on judging.
pub(super) fn open_kept(dir: &Path, prices: PriceTable) -> Result<OpenRun, Failed> {
    OpenRun::open(dir, prices).map_err(describe_unopened)
}

/// Opens a run whose judgments are read, and refuses one that can have none.
pub(super) fn open_judged(dir: &Path, prices: PriceTable) -> Result<OpenRun, Failed> {
    let run = open_kept(dir, prices)?;
    let manifest = run.reader().manifest().map_err(describe_unread)?;
    match describe_calls_alone(&manifest.settings) {
        Some(kind) if run.index().judgments() == 0 => {
            let dir = dir.display();
            Err(Failed::Usage(format!(
                "{dir}: {kind}; `evenhand view {}` shows what was found there",
                shell_word(&dir.to_string())
            )))
        }
        _ => Ok(run),
    }
}

/// Returns the failure that a directory is which was to be a run.
pub(super) fn describe_unopened(error: StoreError) -> Failed {
    match error {
        StoreError::NotARun { .. } => {
            Failed::usage(format!("{error}\n  `evenhand runs` lists your runs"))
        }
        error => describe_unread(error),
    }
}

/// Returns the failure that a run which cannot be read is.
pub(super) fn describe_unread(error: StoreError) -> Failed {
    EngineError::from(error).into()
}

/// Returns what all calls of a run have used.
pub(super) fn usage_of_run(run: &OpenRun, prices: &PriceTable) -> Result<Usage, Failed> {
    let totals = run.reader().totals().map_err(describe_unread)?;
    Ok(Usage::new(&spent(&totals, prices), 0.0))
}
