#![doc = include_str!("../README.md")]

mod checkpoints;
mod connect;
mod error;
mod foreign;
mod kept;
mod keys;
mod labels;
mod lookup;
mod manifest;
mod merge;
mod own_file;
mod progress;
mod prompts;
mod query;
mod reader;
mod results;
mod scan;
mod schema;
mod search;
mod sessions;
mod store;
mod texts;
mod totals;

#[cfg(test)]
#[path = "tests/fixtures.rs"]
mod fixtures;

#[cfg(test)]
#[path = "tests/kept.rs"]
mod tests;

pub use error::StoreError;
pub use foreign::{describe_runs_below, run_in_folder};
pub use kept::{KeptCall, KeptJudgment};
pub use labels::KeptLabel;
pub use manifest::{CALLS_ALONE, Difference, Manifest, describe_calls_alone};
pub use merge::MergedRun;
pub use own_file::{
    FileLock, NewFile, begin_hidden_file, directory_of, open_own_file, write_whole_file,
};
pub use progress::{RunProgress, RunState};
pub use reader::{JudgmentCounts, Reader};
pub use results::{KeptReport, keep_report, keep_summary};
pub use scan::{CallColumns, CopiedCalls, JudgmentColumns};
pub use store::{Call, ExportedRequest, Store, WantedCall};
pub use totals::{Answered, MissingProbabilities, ProbabilityBounds, Totals};
