//! `evenhand prompts`: its arguments.

use super::{AskArgs, DataArgs, judge_scale};
use clap::{Args, Subcommand, ValueEnum};
use evenhand_protocols::Scale as JudgeScale;
use std::path::PathBuf;

/// The prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// The prompts there are, the presets, and what templates can name
    List {
        /// A directory with prompt files that replace built-in ones
        ///
        /// Each takes the place of the built-in one of its name.
        #[arg(long, value_name = "DIR")]
        prompt_pack: Option<PathBuf>,
    },
    /// The text of a prompt file
    Show {
        /// Its name, as `evenhand prompts list` has it
        name: String,
        /// A directory with prompt files that replace built-in ones
        ///
        /// Each takes the place of the built-in one of its name.
        #[arg(long, value_name = "DIR")]
        prompt_pack: Option<PathBuf>,
    },
    /// What a judge would be sent for given items, call by call
    Render(Box<RenderArgs>),
}

/// What a judge would be sent.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    /// The judge's scale, in forms that have one, such as 1..5 or 0..1:0.1
    #[arg(long, value_parser = judge_scale, value_name = "A..B[:STEP]", help_heading = "Protocol")]
    pub(crate) scale: Option<JudgeScale>,
    /// A judge whose chat template is used (gguf:PATH)
    ///
    /// The prompts are then shown as this judge reads them.
    #[arg(long)]
    pub(crate) judge: Option<String>,
    /// How many trials are shown
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) trials: usize,
    /// Form of the output
    ///
    /// Text, or JSON lines.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: RenderFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    Text,
    Json,
}
