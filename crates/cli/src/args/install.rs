//! The command line of what is installed beside the program: completions for shells, manual pages.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// For which shell.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Where manual pages are written.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The directory; it is made where it is missing
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
}
