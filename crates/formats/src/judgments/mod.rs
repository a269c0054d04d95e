//! Readers of judgments and scores that exist already: who won which comparison, or how good each
//! response was.
//!
//! A file is recognised by the fields of its first record and read record by record, plain or gzip,
//! JSON lines, one JSON array or CSV ([`crate::records`]): memory grows with the verdicts kept, not
//! with the judges' texts. A judgment without a verdict is counted as a failure by its kind, never
//! read as a tie.
//!
//! ```
//! use evenhand_formats::judgments::{Options, read_judgments};
//!
//! let file = r#"[{"instruction": "Name a prime.", "generator_1": "reference",
//!     "generator_2": "mine", "preference": 1.75}]"#;
//! let recorded = read_judgments([("annotations.json", file.as_bytes())], &Options::default())?;
//! assert_eq!(recorded.systems, ["reference", "mine"]);
//! assert_eq!((recorded.comparisons[0].wins_a, recorded.comparisons[0].wins_b), (0.25, 0.75));
//! # Ok::<(), evenhand_formats::DataError>(())
//! ```

mod alpaca_eval;
mod arena_hard;
mod battles;
mod builder;
mod evenhand_files;
pub mod games;
mod judgment_format;
mod judgment_row;
mod mt_bench;
mod pandalm;
mod reader;
mod recognise;
mod score_pairs;
mod scores;
mod verdicts;

#[cfg(test)]
mod tests;

pub use judgment_format::JudgmentFormat;
pub use reader::{JudgmentReader, read_judgments};
pub use recognise::detect_format;
pub use verdicts::{RecordedComparison, RecordedJudgments, RecordedScore, SourceFile, Strength};

use crate::battles::Columns;

/// How files are understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format of every file, where it is not to be recognised.
    pub kind: Option<JudgmentFormat>,
    /// The baseline of Arena-Hard judgments that do not name theirs.
    pub baseline: Option<String>,
    /// MT-Bench's own reading of a pair's two games (Zheng et al. 2023, section 3.4): one
    /// comparison, won if both games have the same winner, else a tie; a failure if either game has
    /// no verdict. Otherwise two comparisons.
    pub both_games: bool,
    /// The column with the system of [`JudgmentFormat::Scores`], in place of `system` or `model`.
    /// Naming any of the three columns says that every file is of this kind.
    pub system: Option<String>,
    /// The column with the item, in place of `item`, `question_id` or `id`. Where there is none,
    /// every record is an item of its own.
    pub item: Option<String>,
    /// The column with the score, in place of `score`.
    pub score: Option<String>,
    /// Whether battles whose items have names are judgments too: one comparison a row.
    pub battles: bool,
    /// The columns of battles with the first system, the second and the winner, and of all files:
    /// spellings of outcomes, which records are read (a verdict on a pair that is left out is left
    /// out with it), and how many that cannot be read are left out, and listed.
    pub columns: Columns,
    /// Whether reviews with two scores are two scores, and not the comparison that they make.
    pub scored: bool,
}

/// Returns the other name of a question's first turn: `81/1` for `81`, and `81` for `81/1`. Files
/// with the first turn alone do not number it.
pub fn other_turn_name(item: &str) -> String {
    match item.strip_suffix("/1") {
        Some(question) => question.to_owned(),
        None => format!("{item}/1"),
    }
}

/// The kind of failure of a judgment in whose place the source has nothing.
const UNPARSED: &str = "unparsed";
