#![doc = include_str!("../README.md")]

mod connect;
mod error;
mod foreign;
mod lookup;
mod manifest;
mod reader;
mod retries;
mod reused;
mod schema;
mod sessions;
mod store;
mod totals;

#[cfg(test)]
#[path = "tests/fixtures.rs"]
mod fixtures;

pub use error::StoreError;
pub use manifest::{Difference, Manifest};
pub use reader::{JudgmentCounts, Reader};
pub use store::{Call, ExportedRequest, Store};
pub use totals::{MissingProbabilities, ProbabilityBounds, Totals};
