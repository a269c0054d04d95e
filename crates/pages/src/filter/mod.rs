//! Filters on rows, as they stand in the query of an address and after `--where`.
//!
//! [`Filter::parse`] reads `system=x&flipped=1`, [`RunIndex::select`](crate::RunIndex::select)
//! finds the rows that pass, sorted and cut to a page.

mod error;
mod parse;
mod select;

pub use error::FilterError;
pub use select::{Selected, TextHits};

use evenhand_core::{FailureKind, Side};

/// Which rows are wanted, in which order, and which page of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// One of the systems that were shown.
    pub system: Option<String>,
    /// The two systems, in either order, as `A~B`.
    pub pair: Option<String>,
    /// The item's id.
    pub item: Option<String>,
    /// The item's category.
    pub category: Option<String>,
    /// Which system the row prefers; Some(None) for rows without a verdict on two.
    pub outcome: Option<Option<Side>>,
    /// The system that the row prefers.
    pub winner: Option<String>,
    /// Whether the orders prefer different systems.
    pub flipped: Option<bool>,
    /// Whether votes or samples disagree.
    pub split: Option<bool>,
    /// Whether people said the same.
    pub people: Option<PeopleFilter>,
    /// Judgments without a verdict.
    pub failure: Option<FailureFilter>,
    /// How far from a toss-up.
    pub confidence: Option<Range>,
    /// USD.
    pub cost: Option<Range>,
    /// Text that stands in the instruction, a response or the judge's words, in any case.
    pub text: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Rows left out before the page.
    pub offset: usize,
    /// Rows on the page; None for the default of whoever asks.
    pub limit: Option<usize>,
}

/// How people's label and a row's outcome compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeopleFilter {
    /// They are the same.
    Agree,
    /// They are not.
    Disagree,
    /// There is a label.
    Any,
}

/// Which failures are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureFilter {
    /// Any.
    Any,
    /// Those of one kind.
    Kind(FailureKind),
}

/// A range of numbers, with both its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl Range {
    /// Whether there is a value, and it lies in the range.
    pub fn holds(self, value: Option<f64>) -> bool {
        value.is_some_and(|value| self.low <= value && value <= self.high)
    }
}

/// The order of rows. Rows without the figure come last, and equal ones in plan order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Trials in plan order.
    #[default]
    Plan,
    /// By confidence, the least first.
    Confidence,
    /// By confidence, the most first.
    ConfidenceDown,
    /// By cost, the least first.
    Cost,
    /// By cost, the most first.
    CostDown,
    /// By item, in the order of the data.
    Item,
}
