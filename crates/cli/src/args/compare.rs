//! The command line of `compare` and of `baseline`.

use super::choices::{ListedNames, parse_names};
use super::help::{DATA, GATE, OUTPUT, STATISTICS};
use super::records::RecordingArgs;
use super::{
    ConfigArgs, FigureArgs, FormatArgs, PriceArgs, QuietArgs, RecordArgs, ResamplingArgs, SeedArgs,
    ThreadArgs, VerboseArgs,
};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// ListedNames what is compared with what, and when a pipeline stops.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The earlier side: a run, a file of judgments, or a file of `baseline save`
    #[arg(value_name = "BASELINE")]
    pub(crate) baseline: PathBuf,
    /// The later side; without it, two systems of BASELINE
    #[arg(value_name = "CURRENT")]
    pub(crate) current: Option<PathBuf>,
    /// The system that NEW is compared with, and NEW
    ///
    /// OLD is a system of BASELINE, NEW one of CURRENT, or both of the one run. Without it, each
    /// system is compared with itself.
    #[arg(long, value_name = "OLD,NEW", help_heading = DATA)]
    pub(crate) pair: Option<String>,
    /// Only these systems
    #[arg(long, value_parser = parse_names, value_name = "A,B,...", help_heading = DATA)]
    pub(crate) systems: Vec<ListedNames>,
    /// Items that never change: the judge's own change is measured on them alone
    ///
    /// A file with an id on each line, or JSON lines with id, item or question_id. They count for
    /// no system.
    #[arg(long, value_name = "FILE", help_heading = DATA)]
    pub(crate) anchors: Option<PathBuf>,
    /// Compare the items of each value of FIELD by themselves too
    ///
    /// In place of their categories. A run keeps the fields that its prompts show.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// The format of files of judgments, where it is not recognised
    #[arg(long, value_name = "NAME", help_heading = DATA)]
    pub(crate) input_format: Option<String>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Exit with 3 if a condition holds
    ///
    /// Such as 'worse(v2,v1)', 'inferior(v2,v1,0.05)', 'difference(v2,v1).low<-0.02', 'worse in
    /// any', 'drift' or 'coverage<0.95', separated by commas; see docs/gates.md.
    #[arg(long, value_name = "EXPR", help_heading = GATE)]
    pub(crate) fail_if: Option<String>,
    /// Fail with exit code 4, or pass, where the data do not decide a condition
    #[arg(long, value_enum, default_value = "fail", help_heading = GATE)]
    pub(crate) inconclusive: Inconclusive,
    /// Decide conditions by what is there, though something is missing
    ///
    /// Without it a condition that would pass on data that are missing in part is not decided: a
    /// system or items of BASELINE that CURRENT lacks, judgments without a verdict, a run that was
    /// stopped. What is missing is the first line of the answer either way.
    #[arg(long, help_heading = GATE)]
    pub(crate) allow_missing: bool,
    /// Write the conditions as test cases, in JUnit's XML
    #[arg(long, value_name = "FILE", help_heading = GATE)]
    pub(crate) junit: Option<PathBuf>,
    /// Write a summary in Markdown, for a pull request
    #[arg(long, value_name = "FILE.md", help_heading = GATE)]
    pub(crate) summary: Option<PathBuf>,
    /// The address of the report to which the summary links items
    ///
    /// [default: the file of --report]
    #[arg(long, value_name = "URL", help_heading = GATE)]
    pub(crate) link: Option<String>,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    /// Write a report to look into, in one HTML file
    ///
    /// It holds the comparison, its figures and the judgments of CURRENT.
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

/// Says how a command ends where the data do not decide a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Inconclusive {
    Pass,
    Fail,
}

/// Lists what is done with baselines.
#[derive(Debug, Subcommand)]
pub(crate) enum BaselineCommand {
    /// Writes what a run's judge said, item by item, into a file small enough to commit
    ///
    /// It holds verdicts and the digests of texts, and no texts: `compare` reads it in place of the
    /// run.
    Save(BaselineArgs),
}

/// Which run is saved, and where.
#[derive(Debug, Args)]
pub(crate) struct BaselineArgs {
    /// The run's directory, or a file of judgments
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE.json", default_value = "baseline.json", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}
