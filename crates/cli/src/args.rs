//! The command line.

use crate::topics;
use clap::builder::Styles;
use clap::{Args, Parser, Subcommand, ValueEnum};
use evenhand_engine::{Aggregation, RankScale};
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(name = "evenhand", version, about, styles = Styles::plain(), args_override_self = true)]
#[command(
    long_about = "Ranks language-model systems with language-model judges, and says how far the ranking can be trusted.\n\nstdout is data, stderr is talk. Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 a --fail-if condition met."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan, judge, aggregate, rank, report: the main job
    #[command(args_override_self = true)]
    Rank(RankArgs),
    /// Judgments only
    #[command(args_override_self = true)]
    Judge(RunArgs),
    /// Calls, tokens and the smallest difference the plan can detect, before anything is spent
    #[command(args_override_self = true)]
    Estimate(RankArgs),
    /// Local models that are there, and how to get one
    Models(ModelsArgs),
    /// What the scores of each aggregation mean
    #[command(long_about = topics::AGGREGATIONS)]
    Aggregations,
    /// The protocols: forms, reasoning, calibration
    #[command(long_about = topics::PROTOCOLS)]
    Protocols,
    /// The judges, and a simulated judge's defects
    #[command(long_about = topics::JUDGES)]
    Judges,
}

/// What decides which judgments are made.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Files or directories with items and responses (see docs/formats.md)
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub(crate) data: Vec<PathBuf>,
    /// Who judges: gguf:PATH, simulated[:SPEC], recorded:RUN_DIR, or a name from the configuration
    #[arg(long)]
    pub(crate) judge: String,
    /// How it is asked: form[/reasoning[/calibration]] [default: pairwise/direct/swap; likelihood for a small local model]
    #[arg(long)]
    pub(crate) protocol: Option<String>,
    /// Which pairs are compared: all-pairs, reference:SYSTEM or sample:K
    #[arg(long, default_value = "all-pairs")]
    pub(crate) design: String,
    /// Only the first N items
    #[arg(long, value_name = "N")]
    pub(crate) items: Option<usize>,
    /// Only these systems
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub(crate) systems: Option<Vec<String>>,
    /// Which field is which, for files of no known format: output=answer,item=question_id,...
    #[arg(long, value_name = "NAME=FIELD,...")]
    pub(crate) map: Option<String>,
    /// The files' format, where it is not to be recognised by content
    #[arg(long, value_name = "NAME")]
    pub(crate) input_format: Option<String>,
    /// Go on although some systems lack responses to some items
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Where the run is kept [default: a directory under runs/ that is named after the settings]
    #[arg(long, value_name = "DIR")]
    pub(crate) run: Option<PathBuf>,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Threads of the embedded judge and of the resampling [default: the machine's cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Context of the embedded judge in tokens [default: the model's own, at most 8192]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context: Option<u32>,
    /// What is printed on stdout
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
    /// Exit with 3 if a condition on the result holds, such as 'consistency<0.6' or 'coverage<0.95,failures>10'
    #[arg(long, value_name = "EXPR")]
    pub(crate) fail_if: Option<String>,
    /// Settings from a TOML file; a flag beats the file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// No progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// What decides how the judgments become a ranking.
#[derive(Debug, Args)]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// How judgments become scores [default: mean for scores on a scale, else bradley-terry]
    #[arg(long, value_enum)]
    pub(crate) aggregate: Option<Aggregate>,
    /// The unit of Bradley-Terry scores
    #[arg(long, value_enum, default_value = "elo")]
    pub(crate) scale: Scale,
    /// How intervals are made
    #[arg(long, value_enum, default_value = "bootstrap")]
    pub(crate) ci: Ci,
    /// What is resampled: whole items, or single judgments
    #[arg(long, value_enum, default_value = "item")]
    pub(crate) cluster: ClusterBy,
    /// Bootstrap resamples
    #[arg(long, default_value_t = 1000)]
    pub(crate) rounds: usize,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95)]
    pub(crate) level: f64,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// GGUF files to describe [default: those in the cache directory]
    pub(crate) paths: Vec<PathBuf>,
    /// What is printed on stdout
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
    /// Write the one named model to FILE as Q8_0, which a CPU reads 1.7 times as fast as Q4_1
    #[arg(long, value_name = "FILE")]
    pub(crate) requantize: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Aggregate {
    BradleyTerry,
    WinRatio,
    Mean,
    Median,
}

impl From<Aggregate> for Aggregation {
    fn from(aggregate: Aggregate) -> Self {
        match aggregate {
            Aggregate::BradleyTerry => Aggregation::BradleyTerry,
            Aggregate::WinRatio => Aggregation::WinRatio,
            Aggregate::Mean => Aggregation::Mean,
            Aggregate::Median => Aggregation::Median,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scale {
    Elo,
    LogOdds,
}

impl From<Scale> for RankScale {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Elo => RankScale::Elo,
            Scale::LogOdds => RankScale::LogOdds,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    Bootstrap,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterBy {
    Item,
    None,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
