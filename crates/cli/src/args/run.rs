//! The settings that decide which judgments are made, shared by all commands that ask a judge.

use super::help::{DATA, JUDGE, LIMITS, RUN};
use super::{AskArgs, BenchArgs, DataArgs, LimitArgs, OutputArgs, ThreadArgs};
use crate::Failed;
use crate::data::read_text;
use clap::Args;
use evenhand_engine::{JudgeOptions, NamedJudges, PriceTable};
use std::path::{Path, PathBuf};

/// The settings that decide which judgments are made.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Who judges; several are a panel
    ///
    /// One of openai:MODEL[@BASE_URL], anthropic:MODEL, gguf:PATH, simulated[:SPEC],
    /// recorded:RUN_DIR, panel:FILE (fitted by `meta judge --fit`), or a name from the
    /// configuration. See `evenhand help judges`.
    #[arg(long, required = true, help_heading = JUDGE)]
    pub(crate) judge: Vec<String>,
    /// The configuration's judges.
    #[arg(skip)]
    pub(crate) judges: NamedJudges,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    /// Ask no server to hold replies to a JSON schema
    ///
    /// Where one does, a verdict with its reasoning, or one that no probabilities come with, is a
    /// field of an object and is not looked for in prose. A probe of one call shows it.
    #[arg(long, help_heading = LIMITS)]
    pub(crate) free_replies: bool,
    /// Verdicts of people in place of the judge's
    ///
    /// A file of --for-review with `preferred` filled in.
    #[arg(long, value_name = "FILE", help_heading = DATA)]
    pub(crate) reviewed: Option<PathBuf>,
    /// Where the run is kept
    ///
    /// [default: a directory under runs/ that is named after the settings]
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    /// Files whose judges may name addresses and keys
    ///
    /// A panel: file that came with data may not, unless it is named here.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = LIMITS)]
    pub(crate) trust: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// The machine that an embedded judge may use.
#[derive(Clone, Debug, Args)]
pub(crate) struct ComputeArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Context of the embedded judge in tokens
    ///
    /// [default: the model's own, at most 8192]
    #[arg(long, value_name = "TOKENS", help_heading = JUDGE)]
    pub(crate) context: Option<u32>,
}

impl ComputeArgs {
    /// Returns the options that a judge is opened with.
    pub(crate) fn judge_options(&self, raw_marks: bool, temperature: f64) -> JudgeOptions {
        JudgeOptions {
            threads: self.threads.threads,
            context: self.context,
            raw_marks,
            free_replies: false,
            temperature,
        }
    }
}

/// Which other runs' replies are reused.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ReuseArgs {
    /// Runs, or folders of runs, whose replies are used again
    ///
    /// Where the same was asked: of other items, systems, protocols, of audits and studies. Those
    /// under runs/ are used by themselves.
    #[arg(long, num_args = 1.., value_name = "RUN_DIR", help_heading = RUN)]
    pub(crate) reuse: Vec<PathBuf>,
    /// Reuse nothing from the runs under runs/
    #[arg(long, help_heading = RUN)]
    pub(crate) no_reuse: bool,
}

/// The prices of judges.
#[derive(Clone, Debug, Args)]
pub(crate) struct PriceArgs {
    /// Prices of judges (TOML), whose rows beat the built-in ones
    #[arg(long, value_name = "FILE", help_heading = RUN)]
    pub(crate) prices: Option<PathBuf>,
}

impl PriceArgs {
    /// Returns the built-in prices, overlaid with those of the file.
    pub(crate) fn table(&self) -> Result<PriceTable, Failed> {
        read_prices(self.prices.as_deref())
    }
}

/// Reads a file of prices over the built-in ones.
pub(crate) fn read_prices(file: Option<&Path>) -> Result<PriceTable, Failed> {
    let Some(path) = file else {
        return Ok(PriceTable::built_in());
    };
    let text = read_text("--prices", path)?;
    Ok(PriceTable::built_in().with(&text, &path.display().to_string())?)
}
