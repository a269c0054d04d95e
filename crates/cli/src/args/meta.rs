//! The command line of meta-evaluation.

use super::choices::{ListedNames, names, parse_names, words};
use super::figure::parse_figure_file;
use super::help::{DATA, OUTPUT, STATISTICS};
use super::ranking::parse_aggregation;
use super::{
    ConfigArgs, FormatArgs, JudgmentArgs, MetaConsistencyArgs, MetaJudgeArgs, MetaPeopleArgs,
    MetaSelectArgs, QuietArgs, RecordArgs, ReportFileArgs, ResamplingArgs, SeedArgs, StudyArgs,
    ThreadArgs,
};
use clap::{Args, Subcommand, ValueEnum};
use evenhand_ranking::{Aggregation, EqualScores, Votes};
use evenhand_studies::bencher::Aggregate;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum MetaCommand {
    /// A judge against people's labels: live, from a run, or from recorded outputs
    #[command(args_override_self = true, mut_arg("data", |arg| arg.required(false)), mut_arg("judge", |arg| arg.required(false)))]
    Judge(Box<MetaJudgeArgs>),
    /// A judge's consistency before and after answers are split and merged: PORTIA's tables
    #[command(args_override_self = true)]
    Consistency(Box<MetaConsistencyArgs>),
    /// How far people agree among themselves, from labels that name their annotators
    #[command(args_override_self = true)]
    People(Box<MetaPeopleArgs>),
    /// Which of a judge's verdicts to accept, so that few are wrong
    #[command(args_override_self = true, mut_arg("data", |arg| arg.required(false)))]
    Select(Box<MetaSelectArgs>),
    /// Rankings against reference ratings, or against people's own judgments
    #[command(args_override_self = true)]
    Bencher(Box<BencherArgs>),
    /// A grid of benchers over one store: tables, figures, and which to take
    #[command(args_override_self = true)]
    Study(Box<StudyArgs>),
}

/// Which benchers are held against what.
#[derive(Debug, Args)]
pub(crate) struct BencherArgs {
    /// A bencher: a ranking, a table of scores, or judgments
    ///
    /// As PATH or NAME=PATH[,PATH...]: a ranking or table of scores, rows with bootstrap scores, or
    /// judgments, battles and scores as `leaderboard` reads them. A directory stands for its files.
    #[arg(long, required = true, num_args = 1.., value_name = "[NAME=]PATH", help_heading = DATA)]
    pub(crate) ranking: Vec<String>,
    /// Reference ratings
    ///
    /// A table with the columns system (or model), rating, and perhaps ci_low, ci_high.
    #[arg(
        long, value_name = "FILE", required_unless_present = "labels", conflicts_with = "labels",
        help_heading = DATA
    )]
    pub(crate) ratings: Option<PathBuf>,
    /// In place of ratings: people's judgments
    ///
    /// They are aggregated as the bencher's are, on the same resampled items.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// How several labels of the same pair count: each, or their majority once
    #[arg(
        long, default_value = "each", help_heading = STATISTICS,
        value_parser = words(&[("each", Votes::Each), ("majority", Votes::Majority)])
    )]
    pub(crate) votes: Votes,
    /// A table each of whose rows holds the names of one system in several vocabularies
    #[arg(long, value_name = "FILE", help_heading = DATA)]
    pub(crate) names: Option<PathBuf>,
    /// How recorded judgments become scores, each a bencher
    ///
    /// See `evenhand help aggregations`; length-control is for AlpacaEval files. [default: mean for
    /// scores, else bradley-terry]
    #[arg(
        long, value_delimiter = ',', value_parser = names(aggregates(), parse_aggregate),
        hide_possible_values = true, value_name = "NAME,...", help_heading = STATISTICS
    )]
    pub(crate) aggregate: Vec<Aggregate>,
    /// Columns of published tables with a score, each a bencher
    ///
    /// [default: score, win_rate or rating]
    #[arg(long, value_parser = parse_names, value_name = "COLUMN,...", help_heading = DATA)]
    pub(crate) score_column: Vec<ListedNames>,
    /// The column of published tables with the system [default: system or model]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) system_column: Option<String>,
    /// The column of --ratings with the rating [default: rating or score]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) rating_column: Option<String>,
    /// The column of --ratings with the system [default: system or model]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) rating_system_column: Option<String>,
    /// Further thresholds of tau_u, in the unit of the ratings
    #[arg(long, value_delimiter = ',', value_name = "U,...", help_heading = STATISTICS)]
    pub(crate) u: Vec<f64>,
    /// Only these systems of the benchers
    #[arg(long, value_parser = parse_names, value_name = "A,B,...", help_heading = DATA)]
    pub(crate) systems: Option<Vec<ListedNames>>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    /// The judgments' format, where it is not recognised
    ///
    /// One of battles, counts, or a name of docs/formats.md.
    #[arg(long, value_name = "NAME", help_heading = DATA)]
    pub(crate) input_format: Option<String>,
    #[command(flatten)]
    pub(crate) judgments: JudgmentArgs,
    /// How equal scores count where an aggregation of comparisons is made of scores
    #[arg(long, value_enum, default_value = "tie", help_heading = STATISTICS)]
    pub(crate) equal_scores: EqualBy,
    /// Ridge prior on Bradley-Terry strengths
    ///
    /// On log-odds, of variance 1/WEIGHT.
    #[arg(long, value_name = "WEIGHT", help_heading = STATISTICS)]
    pub(crate) prior: Option<f64>,
    /// Draw the curves of tau_u to FILE
    ///
    /// As SVG or PNG by its ending, with their intervals.
    #[arg(
        long, value_name = "FILE.svg|FILE.png", value_parser = parse_figure_file,
        help_heading = OUTPUT
    )]
    pub(crate) figure: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Exit with 3 if a condition holds of any bencher
    ///
    /// Such as 'spearman<0.9' or 'tau_u<0.5' (over all pairs that differ).
    #[arg(long, value_name = "EXPR", help_heading = OUTPUT)]
    pub(crate) fail_if: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

const LENGTH_CONTROL: &str = "length-control";

fn aggregates() -> impl Iterator<Item = &'static str> {
    let known = Aggregation::ALL.into_iter().map(Aggregation::name);
    known.chain([LENGTH_CONTROL])
}

fn parse_aggregate(name: &str) -> Result<Aggregate, String> {
    match name {
        LENGTH_CONTROL => Ok(Aggregate::LengthControl),
        name => parse_aggregation(name)
            .map(Aggregate::By)
            .map_err(|known| format!("{known}, {LENGTH_CONTROL}")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EqualBy {
    /// A tie, half a win for both
    Tie,
    /// No comparison
    Nothing,
}

impl From<EqualBy> for EqualScores {
    fn from(equal: EqualBy) -> Self {
        match equal {
            EqualBy::Tie => EqualScores::Tie,
            EqualBy::Nothing => EqualScores::Nothing,
        }
    }
}
