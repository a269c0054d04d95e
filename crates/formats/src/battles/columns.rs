//! Which column of a file plays which part, and how files are read.

use crate::StyleCovariate;
use crate::filter::Filter;
use crate::outcomes::{BattleOutcome, Spellings};

/// A column that a file may have or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// By its usual name, where the file has it.
    #[default]
    Auto,
    /// Not read.
    Ignored,
    /// By this name; a file without it is an error.
    Named(String),
}

/// The names of the columns, and what their cells mean. The default finds them by their usual
/// names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The first system; by default `model_a`, else `left`, else `system_a`.
    pub left: Option<String>,
    /// The second system; by default `model_b`, else `right`, else `system_b`.
    pub right: Option<String>,
    /// Who won; by default `winner`.
    pub winner: Option<String>,
    /// How much the row counts, at least 0 and finite; by default `weight`, and 1 where there is
    /// none.
    pub weight: Column,
    /// The column of what rows that must be resampled together have in common; by default
    /// `question_id`, else `item`.
    pub cluster: Column,
    /// Whether the values of that column are kept, and not their numbers alone.
    pub keep_clusters: bool,
    /// Numbers to be read beside each row, finite.
    pub covariates: Vec<String>,
    /// Of which rows those, and texts, are read. The others have 0 in their place, whatever stands
    /// there.
    pub covariates_of: RankedRows,
    /// Columns of responses' texts, which are counted while they are read and not kept; an empty
    /// text is one.
    pub texts: Vec<String>,
    /// The counts that are taken of each of those.
    pub counted: Vec<StyleCovariate>,
    /// Spellings of outcomes beside those that are known.
    pub outcomes: Spellings,
    /// How many rows of a file that cannot be read are left out, and listed.
    pub skip_bad: u64,
    /// Which rows are read; all, where it is empty. Each of its fields is a column.
    pub filter: Filter,
    /// A column whose values are kept beside the rows, empty where a row has none. Only
    /// [`read_rows`](super::read_rows) keeps them.
    pub label: Option<String>,
}

/// The rows that are ranked; the default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedRows {
    /// Those between these systems; None for all.
    pub systems: Option<Vec<String>>,
    /// Whether those that ended with "both are bad" are none of them.
    pub without_both_bad: bool,
}

impl RankedRows {
    /// Whether a row between these systems that ended so is one of them.
    pub fn hold(&self, systems: [&str; 2], outcome: Option<BattleOutcome>) -> bool {
        let is_kept = |name: &&str| match &self.systems {
            Some(kept) => kept.iter().any(|kept| kept == name),
            None => true,
        };
        let is_apart = self.without_both_bad && outcome == Some(BattleOutcome::BothBad);
        !is_apart && systems.iter().all(is_kept)
    }
}

/// How files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which columns are read.
    pub columns: Columns,
    /// How many threads parse, beside the caller's, which takes what they parsed; at least 1. The
    /// result is the same for any number.
    pub threads: usize,
    /// How many bytes of text a thread parses at a time. The result is the same for any number.
    pub chunk_bytes: usize,
    /// Whether only the beginning of each file is read: rows until there are so many, or somewhat
    /// more.
    pub beginning: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            columns: Columns::default(),
            threads: 2,
            chunk_bytes: 256 << 10,
            beginning: None,
        }
    }
}
