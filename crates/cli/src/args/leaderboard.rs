//! The command line of `leaderboard`.

use super::choices::{ListedNames, parse_names, words};
use super::help::{DATA, STATISTICS};
use super::ranking::INTERVALS;
use super::records::SkipArgs;
use super::{
    FigureArgs, OutputArgs, RankingArgs, RecordArgs, ReportFileArgs, SeedArgs, SystemsArgs,
    ThreadArgs,
};
use crate::Failed;
use clap::Args;
use evenhand_ranking::{BothBad, Ci, StepWeights};
use std::path::PathBuf;

/// The files to read, and how they are ranked.
#[derive(Clone, Debug, Args)]
pub(crate) struct LeaderboardArgs {
    /// Battles, counts, recorded judgments or scores
    ///
    /// CSV, JSON lines or Parquet; .gz too (see docs/formats.md). A directory stands for its files.
    #[arg(
        required_unless_present_any = ["length_control_weights", "update"],
        value_name = "FILE"
    )]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) skip: SkipArgs,
    #[command(flatten)]
    pub(crate) ranking: RankingArgs,
    /// Decide conditions by what is there, though some judgments have no verdict
    #[arg(long, help_heading = DATA)]
    pub(crate) allow_missing: bool,
    /// Intervals
    ///
    /// [default: bootstrap; sandwich with --control; their own with --labels and --length-control]
    #[arg(long, value_parser = words(INTERVALS), help_heading = STATISTICS)]
    pub(crate) ci: Option<Ci>,
    /// Units that are resampled together
    ///
    /// Items, single judgments (none), or whatever has the same value in a COLUMN. [default: items
    /// where files name them]
    #[arg(long, value_name = "item|none|COLUMN", help_heading = STATISTICS)]
    pub(crate) cluster: Option<String>,
    /// The column with the first system
    ///
    /// [default: model_a, left or system_a]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) left: Option<String>,
    /// The column with the second system
    ///
    /// [default: model_b, right or system_b]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) right: Option<String>,
    /// The column with the winner [default: winner]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) winner: Option<String>,
    /// The column with a weight for each battle [default: weight, where there is one]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) weight: Option<String>,
    /// How ties count where both responses are bad
    ///
    /// A tie, or kept apart and not counted for either. [default: tie; apart for models of ties]
    #[arg(
        long, value_name = "AS", help_heading = DATA,
        value_parser = words(&[("tie", BothBad::Tie), ("apart", BothBad::Apart)])
    )]
    pub(crate) both_bad: Option<BothBad>,
    /// Take out the effect of covariates
    ///
    /// Columns of differences, or A/B for two columns; length for AlpacaEval files.
    #[arg(
        long, value_parser = parse_names, value_name = "COLUMN,A/B,...", help_heading = STATISTICS
    )]
    pub(crate) control: Vec<ListedNames>,
    /// Columns with the two responses' texts, for --control
    ///
    /// Length, headings, lists and bold are counted in the first and in the second response's text.
    #[arg(
        long, value_parser = parse_names, num_args = 1, value_name = "COLUMN_A,COLUMN_B",
        help_heading = DATA
    )]
    pub(crate) texts: Option<Vec<ListedNames>>,
    /// The column that says who judged: better judges then count more
    ///
    /// Bradley-Terry with a discrimination for each judge, found without labels.
    #[arg(long, value_name = "COLUMN", help_heading = STATISTICS)]
    pub(crate) judge_column: Option<String>,
    /// People's labels of some of what FILE judges
    ///
    /// Comparisons or scores, in any format of judgments: the ranking is then prediction-powered.
    #[arg(long, num_args = 1.., value_name = "LABELS", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// Length-controlled win rates, as AlpacaEval's
    ///
    /// For AlpacaEval annotations, or preferences against their one reference.
    #[arg(long, help_heading = STATISTICS)]
    pub(crate) length_control: bool,
    /// Published weights of models, in place of FILE
    ///
    /// AlpacaEval's: model, w_length, w_difficulty, w_model, or its own names of these columns;
    /// with --instruction-difficulty. The rates are those that it publishes.
    #[arg(long, value_name = "WEIGHTS", help_heading = STATISTICS)]
    pub(crate) length_control_weights: Option<PathBuf>,
    /// Published difficulties of instructions, for --length-control
    ///
    /// A table with instruction_difficulty, and instruction_id unless its rows are in order. They
    /// are otherwise fitted over the models of FILE.
    #[arg(long, value_name = "DIFFICULTIES", help_heading = STATISTICS)]
    pub(crate) instruction_difficulty: Option<PathBuf>,
    /// The files' format, where it is not recognised
    ///
    /// One of battles, counts, or a name of docs/formats.md.
    #[arg(long, value_name = "NAME", help_heading = DATA)]
    pub(crate) input_format: Option<String>,
    /// The file holds counts
    ///
    /// With the columns model_a, model_b, wins_a, wins_b, ties; otherwise recognised by these.
    #[arg(long, help_heading = DATA)]
    pub(crate) counts: bool,
    /// The column of a file of scores with the system [default: system or model]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) system_column: Option<String>,
    /// The column with the item [default: item or question_id; of scores id too]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) item_column: Option<String>,
    /// The column with the score [default: score]
    ///
    /// Several, A,B,..., are those of a system each, which has the column's name. True is 1, false
    /// 0.
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) score_column: Option<String>,
    #[command(flatten)]
    pub(crate) systems: SystemsArgs,
    /// A system whose rating is fixed
    ///
    /// The others are rated by their differences from it, and so are their intervals.
    #[arg(long, value_name = "SYSTEM=RATING", help_heading = DATA)]
    pub(crate) anchor: Option<String>,
    /// Leave out systems with fewer battles
    #[arg(
        long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = DATA
    )]
    pub(crate) min_battles: u64,
    /// Add FILE's battles to those that BOARD counts, and rank them all
    ///
    /// BOARD is written again, with this ranking in its history; it is made where there is none. A
    /// file whose battles are in it already is refused, and an export that brings them again. An
    /// --anchor is kept for later editions.
    #[arg(long, value_name = "BOARD.json", help_heading = DATA)]
    pub(crate) update: Option<PathBuf>,
    /// Count files and rows that come twice
    ///
    /// A file that is given twice, or rows that the board has already.
    #[arg(long, help_heading = DATA)]
    pub(crate) allow_duplicates: bool,
    /// The day of this edition, for --update
    #[arg(long, value_name = "YYYY-MM-DD", requires = "update", help_heading = DATA)]
    pub(crate) date: Option<String>,
    /// Rank by each value of FIELD too, and test whether they differ
    ///
    /// A field of the records, or a path such as meta.lang: a ranking for each value, and whether
    /// systems do better or worse there than overall.
    #[arg(long, value_name = "FIELD", conflicts_with = "update", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) judgments: JudgmentArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How recorded judgments are read, wherever they become a ranking.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgmentArgs {
    /// The baseline of Arena-Hard judgments that do not name theirs
    #[arg(long, value_name = "SYSTEM", help_heading = DATA)]
    pub(crate) baseline: Option<String>,
    /// MT-Bench pairs: a win counts only if both games say so, else a tie
    #[arg(long, help_heading = DATA)]
    pub(crate) both_games: bool,
    /// Weights of strong, slight and equal verdicts
    ///
    /// How much a strong, a slight and an equal verdict on a five-step scale count, as 3,1,1 or
    /// 6,2,2. [default: 1 each]
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "STRONG,SLIGHT,EQUAL",
        help_heading = STATISTICS
    )]
    pub(crate) strength: Option<Vec<f64>>,
}

impl JudgmentArgs {
    /// Returns the three weights of `--strength`, if it is given.
    pub(crate) fn strength(&self) -> Result<Option<StepWeights>, Failed> {
        Ok(self.strength.as_deref().map(StepWeights::new).transpose()?)
    }
}
