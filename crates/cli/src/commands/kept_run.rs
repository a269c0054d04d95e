//! Runs that are kept, opened for reading.

use crate::Failed;
use evenhand_engine::{EngineError, PriceTable};
use evenhand_pages::OpenRun;
use evenhand_store::StoreError;
use std::path::Path;

/// Opens a run for reading; its owner may go on judging.
pub(super) fn open_kept(dir: &Path, prices: PriceTable) -> Result<OpenRun, Failed> {
    OpenRun::open(dir, prices).map_err(|error| match error {
        StoreError::NotARun { .. } => Failed::usage(format!(
            "{error}\n  `evenhand runs` lists the runs that are kept"
        )),
        error => describe_unread(error),
    })
}

/// Returns the failure that a run which cannot be read is.
pub(super) fn describe_unread(error: StoreError) -> Failed {
    EngineError::from(error).into()
}

/// Returns why there is no judgment of this number, and which there are.
pub(super) fn describe_unknown_trial(run: &OpenRun, trial: u64) -> Failed {
    let dir = run.reader().dir().display();
    let index = run.index();
    let there_are = match index.last_trial() {
        None => "it keeps none: audits and studies keep calls alone".into(),
        Some(last) => describe_trials(run, last),
    };
    Failed::usage(format!("{dir}: there is no judgment {trial}; {there_are}"))
}

fn describe_trials(run: &OpenRun, last: u64) -> String {
    let first = run.index().first_trial().unwrap_or_default();
    match run.index().judgments() as u64 {
        1 => format!("there is one, of number {last}"),
        count if count == last - first + 1 => format!("there are those from {first} to {last}"),
        count => format!("there are {count}, with numbers between {first} and {last}"),
    }
}
