//! The command line of `meta judge`.

use super::records::RecordingArgs;
use super::{FigureArgs, JudgeScaleArgs, ReportFileArgs, ResamplingArgs, RunArgs};
use clap::{Args, ValueEnum};
use evenhand_protocols::Notation;
use evenhand_studies::judge::{Failures, Subsets, Ties};
use std::path::PathBuf;

/// Which judge is evaluated on which pairs.
#[derive(Debug, Args)]
pub(crate) struct MetaJudgeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Judge outputs that exist already: no judge is asked
    ///
    /// Of LLMBar, JudgeBench, MT-Bench, Arena-Hard, PandaLM, AlpacaEval, Auto-J, Vicuna, FairEval,
    /// battles that name their items, or our own. A directory stands for its files.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) recorded: Vec<PathBuf>,
    /// People's labels or votes on pairs, for recordings that hold none
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "recorded")]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// Fit a calibrated panel to the labelled pairs, and write it
    ///
    /// Of all judges named under the protocol, or of those of an unfitted panel:FILE.
    #[arg(long, value_name = "PANEL.toml", conflicts_with = "recorded")]
    pub(crate) fit: Option<PathBuf>,
    /// Give the pairs of each value of an item's FIELD figures of their own
    ///
    /// Such as subset or source, in place of the items' categories.
    #[arg(long, value_name = "FIELD", help_heading = "Statistics")]
    pub(crate) by: Option<String>,
    /// Judge every pair K times, and show how far the accuracy varies
    ///
    /// Repeats are further samples at --temperature; the first is what is judged without. At
    /// temperature 0 a server may still vary; a judge on this machine says the same and is refused.
    #[arg(
        long,
        default_value = "1",
        value_name = "K",
        help_heading = "Protocol",
        value_parser = clap::value_parser!(u32).range(1..=1000),
        conflicts_with_all = ["recorded", "fit"]
    )]
    pub(crate) repeats: u32,
    /// How ties count: an outcome of their own, half of either, or not at all
    #[arg(long, value_enum, default_value = "class")]
    pub(crate) ties: TiesBy,
    /// How failures count
    #[arg(long, value_enum, default_value = "wrong")]
    pub(crate) failures: FailuresBy,
    /// The notation of the recorded texts
    ///
    /// Where it is not their format's own (see docs/design/extraction.md).
    #[arg(long, value_parser = parse_notation, value_name = "NAME", requires = "recorded")]
    pub(crate) notation: Option<Notation>,
    /// Parts that get figures of their own
    ///
    /// The items' categories, or the files of a judge.
    #[arg(long, value_enum, default_value = "category", requires = "recorded")]
    pub(crate) subsets: SubsetsBy,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
}

fn parse_notation(name: &str) -> Result<Notation, String> {
    name.parse()
        .map_err(|error: evenhand_protocols::UnknownNotation| error.to_string())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TiesBy {
    Class,
    Half,
    Exclude,
}

impl From<TiesBy> for Ties {
    fn from(ties: TiesBy) -> Self {
        match ties {
            TiesBy::Class => Ties::Class,
            TiesBy::Half => Ties::Half,
            TiesBy::Exclude => Ties::Exclude,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailuresBy {
    Wrong,
    Exclude,
}

impl From<FailuresBy> for Failures {
    fn from(failures: FailuresBy) -> Self {
        match failures {
            FailuresBy::Wrong => Failures::Wrong,
            FailuresBy::Exclude => Failures::Exclude,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SubsetsBy {
    Category,
    File,
}

impl From<SubsetsBy> for Subsets {
    fn from(subsets: SubsetsBy) -> Self {
        match subsets {
            SubsetsBy::Category => Subsets::Category,
            SubsetsBy::File => Subsets::File,
        }
    }
}
