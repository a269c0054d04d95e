//! The command line of `check`.

use super::help::{OUTPUT, STATISTICS};
use super::{
    ConfigArgs, FigureArgs, FilterArgs, FormatArgs, MappingArgs, ReportFileArgs, ResamplingArgs,
    SeedArgs, SelectionArgs,
};
use clap::Args;
use std::path::PathBuf;

/// Which responses are checked.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Items that have constraints, and responses to them
    ///
    /// Files or directories; constraints in IFEval's form (see docs/formats.md).
    #[arg(required = true, num_args = 1.., value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) mapping: MappingArgs,
    /// Check the items of each value of FIELD too, and test whether they differ
    ///
    /// category, turn, question, or another field of the items.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    /// Write the verdicts on every response to FILE (JSON lines)
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) verdicts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Exit with 3 if a condition holds of any system
    ///
    /// Such as 'prompt_strict<0.5'; also prompt_loose, instruction_strict, instruction_loose.
    #[arg(long, value_name = "EXPR", help_heading = OUTPUT)]
    pub(crate) fail_if: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}
