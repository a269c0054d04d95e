//! What is served, and where.

use evenhand_engine::PriceTable;
use evenhand_pages::PersonLabel;
use std::path::PathBuf;

/// What is served, and where.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// A run, or a folder of runs.
    pub path: PathBuf,
    /// The port; 0 for one of the system's choosing.
    pub port: u16,
    /// The address or name that is listened on; None for this machine alone.
    pub host: Option<String>,
    /// The prices of judges.
    pub prices: PriceTable,
    /// What people said.
    pub labels: Vec<PersonLabel>,
    /// How people judge; None where they do not.
    pub review: Option<ReviewOptions>,
}

/// How people judge.
#[derive(Clone, Debug, Default)]
pub struct ReviewOptions {
    /// Where labels are kept; None for `labels.jsonl` in the run.
    pub labels: Option<PathBuf>,
    /// What the sides and the order are drawn by.
    pub seed: u64,
}

impl ViewOptions {
    /// Returns options for this path, on this machine alone.
    pub fn new(path: impl Into<PathBuf>) -> ViewOptions {
        ViewOptions {
            path: path.into(),
            port: 0,
            host: None,
            prices: PriceTable::built_in(),
            labels: Vec::new(),
            review: None,
        }
    }
}
