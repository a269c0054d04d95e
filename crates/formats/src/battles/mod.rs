//! Battles at speed: files of pairwise outcomes, to counts for each pair, to rows, or block by
//! block.
//!
//! A file of battles has a row for each comparison: two systems and who won (`model_a`, `model_b`,
//! `winner`, or `left`, `right`, `winner`), and if need be a weight, a cluster and covariates
//! ([`Columns`]). A file of counts has a row for each pair ([`read_tallied`]). Either is CSV (tabs
//! in a `.tsv`), one JSON object a line, each plain or gzip, or Parquet.
//!
//! A file is cut into pieces of whole rows; threads parse the pieces, and the caller's thread takes
//! them in the order of the file. So the result does not depend on the number of threads, and
//! errors are those of the first bad row.
//!
//! Nothing here opens a file: the caller gives [`BattleSource`]s.

mod blocks;
mod chunk;
mod clusters;
mod columns;
mod counts;
mod csv;
mod fault;
mod feed;
mod intern;
mod jsonl;
mod merge;
mod parallel;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet;
#[cfg(any(feature = "parquet", feature = "arrow"))]
mod pieces;
mod plan;
mod read_file;
mod rows;
mod source;
#[cfg(feature = "arrow")]
mod table;

#[cfg(test)]
mod tests;

pub use blocks::{Block, Totals, for_each_block};

pub use crate::outcomes::{BattleOutcome, Spellings};
pub use clusters::{ClusterCount, ClusterCounts, read_cluster_counts, read_tallied_clusters};
pub use columns::{Column, Columns, Options, RankedRows};
pub use counts::{Counts, OutcomeTotals, PairCount, read_counts, read_tallied};
pub use plan::{MAX_SYSTEMS, SIDES};
pub use read_file::{TableKind, detect_table};
pub use rows::{Rows, read_rows};
pub use source::{BattleSource, Input};
#[cfg(feature = "arrow")]
pub use table::Table;

pub(crate) use plan::{SYSTEMS, spell_usual_columns};
