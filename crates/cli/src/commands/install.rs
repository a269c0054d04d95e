//! `evenhand completions`, `evenhand man` and `evenhand skill`.

use super::report::make_folder;
use super::{print, print_data};
use crate::args::command;
use crate::{Done, Failed};
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
    /// The directory; it is created if missing
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
}

/// Prints a script for a shell that completes commands, options and their values.
pub(crate) fn print_completions(args: &CompletionsArgs) -> Result<Done, Failed> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "evenhand", &mut script);
    print_data(&String::from_utf8_lossy(&script))?;
    Ok(Done::Fine)
}

/// Prints what an assistant must know to use the program.
pub(crate) fn print_skill() -> Result<Done, Failed> {
    print_data(include_str!("skill.md"))?;
    Ok(Done::Fine)
}

/// Writes a manual page for each command into a directory.
pub(crate) fn write_manual(args: &ManArgs) -> Result<Done, Failed> {
    let dir = args.dir.display();
    make_folder(&args.dir)?;
    clap_mangen::generate_to(command(), &args.dir)
        .map_err(|e| Failed::run(format!("{dir}: pages cannot be written: {e}")))?;
    let page = args.dir.join("evenhand-rank.1");
    print(&format!(
        "manual pages written; read one with: man -l {}\n",
        page.display()
    ))?;
    Ok(Done::Fine)
}
