//! `evenhand prompts`: its arguments.

use super::help::{JUDGE, OUTPUT, PROTOCOL};
use super::{AskArgs, DataArgs, JudgeScaleArgs, PackArgs};
use clap::{Args, Subcommand, ValueEnum};

/// The prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// The prompts there are, the presets, and what templates can name
    List(PackArgs),
    /// The text of a prompt file
    Show {
        /// Its name, as `evenhand prompts list` has it
        name: String,
        #[command(flatten)]
        pack: PackArgs,
    },
    /// The calls that a judge would be sent for given items
    Render(Box<RenderArgs>),
}

/// The calls to show.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// A judge whose chat template is used (gguf:PATH)
    ///
    /// The prompts are then shown as this judge reads them.
    #[arg(long, help_heading = JUDGE)]
    pub(crate) judge: Option<String>,
    /// How many trials are shown
    #[arg(long, default_value_t = 1, value_name = "N", help_heading = PROTOCOL)]
    pub(crate) trials: usize,
    /// Form of the output
    ///
    /// Text, or JSON lines.
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    pub(crate) format: RenderFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    Text,
    Json,
}
