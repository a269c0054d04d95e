//! What is served, and where.

use evenhand_engine::PriceTable;
use evenhand_pages::{Filter, PersonLabel};
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
    /// Which pairs come first, where a page does not say.
    pub sample: Sample,
    /// Which pairs are asked; None for all.
    pub filter: Option<Filter>,
    /// How many pairs are asked, the first of the sample; None for all.
    pub items: Option<usize>,
}

/// Which pairs people are asked first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sample {
    /// Pairs drawn at random.
    #[default]
    Random,
    /// Pairs of which the judge is least certain.
    Uncertain,
    /// Pairs whose orders or votes disagree; without a count, also those where people do.
    Disagreed,
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
