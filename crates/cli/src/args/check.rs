//! The command line of `check`.

use super::{FilterArgs, Format};
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
    /// Only the first N items
    #[arg(long, value_name = "N")]
    pub(crate) items: Option<usize>,
    /// Only these systems
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub(crate) systems: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Which field is which, for files of no known format
    ///
    /// As NAME=FIELD,...: output=answer,item=question_id,... (see docs/formats.md).
    #[arg(long, value_name = "NAME=FIELD,...")]
    pub(crate) map: Option<String>,
    /// The files' format, where it is not recognised
    ///
    /// One of the names in docs/formats.md.
    #[arg(long, value_name = "NAME")]
    pub(crate) input_format: Option<String>,
    /// Write the verdicts on every response to FILE (JSON lines)
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Bootstrap resamples
    #[arg(long, default_value_t = 1000)]
    pub(crate) rounds: usize,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95)]
    pub(crate) level: f64,
    /// Seed of the bootstrap
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
    /// Exit with 3 if a condition holds of any system
    ///
    /// Such as 'prompt_strict<0.5'; also prompt_loose, instruction_strict, instruction_loose.
    #[arg(long, value_name = "EXPR")]
    pub(crate) fail_if: Option<String>,
    /// Settings from a TOML file; a flag beats the file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}
