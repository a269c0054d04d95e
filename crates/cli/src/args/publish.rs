//! The command lines of `publish` and `site`.

use super::choices::words;
use super::help::{DATA, OUTPUT};
use super::{PriceArgs, QuietArgs};
use clap::{Args, ValueEnum};
use evenhand_report::publish::Relationship;
use std::path::PathBuf;

/// Which run is published, and in which format.
#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The format
    ///
    /// Every Eval Ever: a record for each system. LLM Comparator: two systems side by side, with
    /// all texts.
    #[arg(long = "as", id = "as", value_enum, value_name = "FORMAT", help_heading = OUTPUT)]
    pub(crate) form: PublishForm,
    /// The folder (every-eval-ever) or the file (llm-comparator) to write
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// The two systems, for llm-comparator [default: the only two]
    #[arg(long, value_name = "A,B", help_heading = DATA)]
    pub(crate) pair: Option<String>,
    /// Who evaluated, for every-eval-ever
    #[arg(long, value_name = "NAME", default_value = "unknown", help_heading = OUTPUT)]
    pub(crate) organization: String,
    /// How the evaluator stands to the systems, for every-eval-ever
    ///
    /// first-party (the evaluator made them), third-party, collaborative or other.
    #[arg(
        long, default_value = "other", hide_default_value = true, hide_possible_values = true,
        value_name = "WHO", value_parser = words(RELATIONSHIPS), help_heading = OUTPUT
    )]
    pub(crate) relationship: Relationship,
    /// The name of the input set, for every-eval-ever
    ///
    /// [default: the run's name]
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    pub(crate) dataset: Option<String>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// The formats of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PublishForm {
    EveryEvalEver,
    LlmComparator,
}

/// How an evaluator may stand to what is evaluated.
const RELATIONSHIPS: &[(&str, Relationship)] = &[
    ("first-party", Relationship::FirstParty),
    ("third-party", Relationship::ThirdParty),
    ("collaborative", Relationship::Collaborative),
    ("other", Relationship::Other),
];

/// Which runs are a site, and where.
#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// Runs, or folders of runs
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<PathBuf>,
    /// The folder to write
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// The heading of the first page
    #[arg(long, value_name = "TEXT", default_value = "Rankings", help_heading = OUTPUT)]
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}
