//! A run that is kept, for people: the run in one screen, and a judgment in full.

mod call;
mod judgment;
mod page;
mod run;
mod verdict;

pub use judgment::{JudgmentPage, judgment_json, judgment_page};
pub use run::{RunPage, run_json, run_page};
