//! The command line of what is printed, and how a command ends.

use super::Format;
use clap::Args;
use evenhand_report::View;
use std::path::PathBuf;

/// What every command that ranks or judges is asked beside its work.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArgs {
    /// Form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
    /// Exit with 3 if a condition on the result holds
    ///
    /// Such as 'consistency<0.6' or 'coverage<0.95,failures>10'.
    #[arg(long, value_name = "EXPR")]
    pub(crate) fail_if: Option<String>,
    /// Exit with 1 if fewer of the trials come to a verdict
    ///
    /// Without any verdict the exit code is 1 in any case.
    #[arg(long, value_name = "SHARE")]
    pub(crate) min_coverage: Option<f64>,
    /// Settings from a TOML file; a flag beats the file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// No progress, no talk on stderr but errors
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Every column, row and warning in full on a terminal
    #[arg(long)]
    pub(crate) verbose: bool,
}

impl OutputArgs {
    /// Where stdout goes, and how much is shown there.
    pub(crate) fn view(&self) -> View {
        view(self.verbose)
    }
}

/// Where stdout goes, and how much is shown there.
pub(crate) fn view(verbose: bool) -> View {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    View {
        width: size.map(|(width, _)| usize::from(width.0)),
        verbose,
    }
}
