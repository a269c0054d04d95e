#![doc = include_str!("../README.md")]

mod filter;
mod index;
mod names;

pub use filter::{
    FailureFilter, Filter, FilterError, PeopleFilter, Range, Selected, Sort, TextHits,
};
pub use index::{
    Counts, EntryOutcome, JudgmentEntry, LookFlags, MatrixCell, PeopleCounts, PersonLabel,
    RowFacts, RowOutcome, RunIndex,
};
pub use names::Names;
