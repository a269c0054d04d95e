//! The command lines of `runs`, `show` and `judgments`: what is kept, and what it says.

use super::help::{DATA, OUTPUT};
use super::{FormatArgs, PriceArgs, VerboseArgs};
use crate::Failed;
use clap::{Args, ValueEnum};
use evenhand_pages::Filter;
use std::path::PathBuf;

/// Which runs are listed.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The folder that holds them
    #[arg(value_name = "DIR", default_value = evenhand_engine::RUNS)]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Names a run, and what to show of it.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The number of a judgment; without it, the run in one screen
    ///
    /// Its question, both answers, the verdicts in both orders and the judge's words.
    #[arg(value_name = "N")]
    pub(crate) trial: Option<u64>,
    /// The prompts too, as they were sent
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) prompt: bool,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    /// Form of the output
    #[arg(long, value_enum, default_value = "table", help_heading = OUTPUT)]
    pub(crate) format: ShowFormat,
}

/// The forms in which a run or a judgment is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    Table,
    Json,
}

/// Which judgments of a run are listed, and how.
#[derive(Debug, Args)]
pub(crate) struct JudgmentsArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Only rows that pass; given more than once, all must hold
    ///
    /// flipped, split, system=NAME, pair=A~B, item=ID, category=NAME, winner=NAME,
    /// outcome=a|b|tie|none, failure=any|KIND, confidence=LO..HI, cost=LO..HI, text=WORDS,
    /// people=agree|disagree|any. A row is both orders of a pair, a single response, or a list.
    #[arg(id = "where", long = "where", value_name = "FILTER", help_heading = DATA)]
    pub(crate) filters: Vec<String>,
    /// The order: plan, item, cost, -cost, confidence, -confidence
    #[arg(
        long, value_name = "ORDER", allow_hyphen_values = true, default_value = "plan",
        hide_possible_values = true, hide_default_value = true,
        value_parser = ["plan", "confidence", "-confidence", "cost", "-cost", "item"],
        help_heading = OUTPUT
    )]
    pub(crate) sort: String,
    /// At most N rows [default: 100 in a table, else all]
    #[arg(long, value_name = "N", help_heading = OUTPUT)]
    pub(crate) limit: Option<usize>,
    /// People's labels, in place of those that the run keeps
    ///
    /// Comparisons in any format of judgments, as for `view --labels`. Of several labels of a pair
    /// the majority counts.
    #[arg(long, num_args = 1.., value_name = "LABELS", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    /// Form of the output
    ///
    /// A table has a line for each row; json and csv have one for each judgment, with its texts and
    /// the judge's words. json is one object a line, as jsonl.
    #[arg(long, value_enum, default_value = "table", help_heading = OUTPUT)]
    pub(crate) format: JudgmentsFormat,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

/// The forms in which judgments are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgmentsFormat {
    Table,
    #[value(alias = "jsonl")]
    Json,
    Csv,
}

impl JudgmentsArgs {
    /// Returns the filter with the order of rows.
    pub(crate) fn filter(&self) -> Result<Filter, Failed> {
        // The value of a filter stands as it is.
        let filters = self.filters.iter();
        let filters = filters.map(|filter| filter.split_once('=').unwrap_or((filter, "")));
        let pairs = filters.chain([("sort", self.sort.as_str())]);
        Filter::from_pairs(pairs).map_err(|error| Failed::usage(format!("--where {error}")))
    }
}
