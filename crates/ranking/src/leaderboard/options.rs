//! Options of a leaderboard: which of its files is read, and how it is ranked.

use super::upkeep::Anchor;
use crate::method::Ci;
use crate::{RankOptions, StepWeights};
use evenhand_core::{Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_engine::files::files;
use evenhand_formats::battles::Spellings;
use evenhand_formats::judgments::JudgmentFormat;
use evenhand_formats::records::Filter;
use std::path::PathBuf;

/// Which rows are resampled together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClusterBy {
    /// Items where the files name them, else single comparisons.
    #[default]
    Auto,
    /// Items; files that do not name them are an error.
    Item,
    /// Single comparisons.
    None,
    /// Rows with the same value in this column.
    Column(String),
}

/// How "both are bad" counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothBad {
    /// A tie.
    Tie,
    /// Nothing: it is counted and shown, and decides nothing.
    Apart,
}

/// The format of a leaderboard's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedFormat {
    /// A comparison a row.
    Battles,
    /// A pair of systems a row, with counts.
    Counts,
    /// Judgments or scores of this kind.
    Judgments(JudgmentFormat),
}

/// Files that AlpacaEval publishes for its length control.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Weights of models: their win rates are then those of the weights, and no comparisons are
    /// read.
    pub weights: Option<PathBuf>,
    /// Difficulties of instructions, which are otherwise fitted.
    pub difficulty: Option<PathBuf>,
}

/// Which files are read, and how they are ranked.
#[derive(Clone, Debug, Default)]
pub struct LeaderboardOptions {
    /// Files, or directories of files, all of one sort.
    pub paths: Vec<PathBuf>,
    /// Which rows are read.
    pub filter: Filter,
    /// How many rows of a file that cannot be read are left out, and listed.
    pub skip_bad: u64,
    /// Spellings of outcomes beside those that are known.
    pub outcomes: Spellings,
    /// The column of battles with the first system, where it has another name than usual.
    pub left: Option<String>,
    /// The column with the second system.
    pub right: Option<String>,
    /// The column with the winner.
    pub winner: Option<String>,
    /// The column with the weight.
    pub weight: Option<String>,
    /// The format of the files, where that is not to be recognised.
    pub format: Option<RecordedFormat>,
    /// Which rows are resampled together.
    pub cluster: ClusterBy,
    /// How "both are bad" counts; None: a tie, but for the aggregations with a model of ties.
    pub both_bad: Option<BothBad>,
    /// Columns of covariates whose effect is taken out (style control), or counts of `texts`.
    pub control: Vec<String>,
    /// The columns of battles with the texts of the first and of the second response.
    pub texts: Option<[String; 2]>,
    /// The column of battles that says who judged: each judge then has a discrimination.
    pub judge_column: Option<String>,
    /// Columns of scores: system, item, score.
    pub columns: [Option<String>; 3],
    /// Only these systems.
    pub systems: Option<Vec<String>>,
    /// The baseline of Arena-Hard judgments that do not name theirs.
    pub baseline: Option<String>,
    /// MT-Bench's reading of the two games of a pair as one comparison.
    pub both_games: bool,
    /// The weights of a strong, a slight and an equal verdict on a five-step scale; None: one
    /// comparison each.
    pub strength: Option<StepWeights>,
    /// Files with people's labels of some of what a judge has judged: the ranking is then
    /// prediction-powered.
    pub labels: Vec<PathBuf>,
    /// Length-controlled win rates against one reference, in place of an aggregation.
    pub length_control: bool,
    /// The files that AlpacaEval publishes for length control, in place of a fit.
    pub published: Published,
    /// A system whose rating is fixed; the others are rated by their differences from it.
    pub anchor: Option<Anchor>,
    /// How many battles a system must have to be ranked.
    pub min_battles: u64,
    /// Whether a file may be given twice, and rows be added to a board that has them already.
    pub allow_duplicates: bool,
    /// The field by whose values the records are ranked once more.
    pub by: Option<String>,
    /// How it is ranked; `cluster` there is decided by the files and the field above.
    pub rank: RankOptions,
}

impl RecordedFormat {
    /// Returns the format of this name.
    ///
    /// # Errors
    /// An unknown name, with those that are known.
    pub fn named(name: &str) -> Result<Self, EngineError> {
        match name {
            "battles" => Ok(RecordedFormat::Battles),
            "counts" => Ok(RecordedFormat::Counts),
            _ => match JudgmentFormat::from_name(name) {
                Some(kind) => Ok(RecordedFormat::Judgments(kind)),
                None => {
                    let known = JudgmentFormat::names().join(", ");
                    let expected = format!("expected one of battles, counts, {known}");
                    Err(Refusal::of_value(Setting::InputFormat, name, expected).into())
                }
            },
        }
    }
}

impl LeaderboardOptions {
    /// Puts the files of directories in their places.
    pub(super) fn with_files(&self) -> Result<Self, EngineError> {
        Ok(LeaderboardOptions {
            paths: files_of_all(&self.paths)?,
            labels: files_of_all(&self.labels)?,
            ..self.clone()
        })
    }

    /// Whether rows need not be kept under their items: no intervals are made, or those of single
    /// comparisons.
    pub(super) fn streams(&self) -> bool {
        self.rank.ci == Ci::None || self.cluster == ClusterBy::None
    }

    /// Whether a column of battles has a name of the user's.
    pub(super) fn names_columns(&self) -> bool {
        self.left.is_some() || self.right.is_some() || self.winner.is_some()
    }
}

fn files_of_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(files(path)?);
    }
    Ok(all)
}
