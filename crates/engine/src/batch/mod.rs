//! Batch files: a missing reply is a line in a file instead of a call.
//!
//! [`export`] writes the requests of the present wave, [`import`] takes their results; the next
//! export writes the next wave, until nothing is missing and `rank` answers from the store. What a
//! result means is the judge's codec's to say, the same as for a live reply.
//! [`run`] takes the files to the judges' own providers, wave after wave.

mod export;
mod files;
mod import;
mod run;

pub use export::{Exported, export};
pub use files::{BatchFormat, FileLimits};
pub use import::{Imported, LineProblem, import};
pub use run::{BatchProgress, BatchRun, RunOptions, check_judges, is_under_way, run};
