//! The whole flow: data, plan, run, resume, estimate, rank.
//!
//! [`load`] opens the data, [`Job`] fixes what is asked, [`run`] obtains the judgments, [`Collected`] gathers them, and
//! [`rank`] makes the ranking.

mod collect;
mod data;
mod design;
mod driver;
mod error;
mod estimate;
mod job;
mod judge;
mod plan;
mod rank;
mod recorded;
mod report;
mod run;
mod spill;
mod warn;

pub use collect::{Collected, Coverage};
pub use data::{DataOptions, load};
pub use design::Design;
pub use driver::{Progress, Sink};
pub use error::EngineError;
pub use estimate::{Estimate, estimate};
pub use job::Job;
pub use judge::{JudgeOptions, JudgeSpec};
pub use plan::Plan;
pub use rank::{Aggregation, RankOptions, RankScale, rank};
pub use report::{Interval, Report, Row, Share};
pub use run::{Finished, open_store, run, run_dir, stored};
