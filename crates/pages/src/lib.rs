#![doc = include_str!("../README.md")]

pub mod assets;
mod file;
mod filter;
mod index;
mod names;
mod run;

pub use file::{FileReport, MOST_JUDGMENTS, script_source, without_addresses, write_page};
pub use filter::{
    FailureFilter, Filter, FilterError, PeopleFilter, Range, Selected, Sort, TextHits,
};
pub use index::{
    Counts, EntryOutcome, JudgmentEntry, LookFlags, MatrixCell, PeopleCounts, PersonLabel,
    RowFacts, RowSums, RunIndex, side_name,
};
pub use names::Names;
pub use run::{
    CallDetail, CallTokens, Cell, Detail, FoundTexts, ItemText, LookDetail, OpenRun, OtherRun,
    Overview, PageOverview, ResponseText, Row, RowPage, RowsError, RunSummary, Sample, Summing,
    majority_labels, search_texts,
};
