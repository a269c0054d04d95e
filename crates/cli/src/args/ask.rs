//! How a judge is asked, wherever a command asks one.

use super::help::{LIMITS, PROTOCOL, RUN};
use crate::Failed;
use clap::Args;
use evenhand_engine::load_pack;
use evenhand_protocols::{Pack, Scale as JudgeScale};
use std::path::PathBuf;

/// How a judge is asked.
#[derive(Clone, Debug, Args)]
pub(crate) struct AskArgs {
    /// How it is asked: a preset, or form[/reasoning[/calibration[/rubric]]]
    ///
    /// See `evenhand help protocols`. [default: pairwise/direct/swap;
    /// likelihood:novel,surprisal=0.1 for a small local model]
    #[arg(long, help_heading = PROTOCOL)]
    pub(crate) protocol: Option<String>,
    /// Which pairs of responses are compared
    ///
    /// One of all-pairs, reference:SYSTEM, sample:K, labelled, adaptive.
    #[arg(long, default_value = "all-pairs", help_heading = PROTOCOL)]
    pub(crate) design: String,
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Count a verdict whose probabilities go against its text as a failure
    ///
    /// Where a judge's most probable answer is not the one that it states in words.
    #[arg(long, help_heading = LIMITS)]
    pub(crate) strict_reading: bool,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0, help_heading = RUN)]
    pub(crate) seed: u64,
}

impl AskArgs {
    /// Reads the prompts, and how replies to them are read.
    pub(crate) fn load_pack(&self) -> Result<Pack, Failed> {
        let pack = self.pack.load()?;
        Ok(match self.strict_reading {
            true => pack.read_strictly(),
            false => pack,
        })
    }
}

/// Which prompts are used.
#[derive(Clone, Debug, Args)]
pub(crate) struct PackArgs {
    /// A directory with prompt files that replace built-in ones
    ///
    /// Each takes the place of the built-in one of its name.
    #[arg(long, value_name = "DIR", help_heading = PROTOCOL)]
    pub(crate) prompt_pack: Option<PathBuf>,
}

impl PackArgs {
    /// Reads the pack, or returns the built-in prompts where none is named.
    pub(crate) fn load(&self) -> Result<Pack, Failed> {
        match &self.prompt_pack {
            Some(dir) => Ok(load_pack(dir)?),
            None => Ok(Pack::default()),
        }
    }
}

/// The scale that a judge scores on, where `--scale` means nothing else.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgeScaleArgs {
    /// The judge's scale, in forms that have one, such as 1..5 or 0..1:0.1
    #[arg(
        long, value_parser = parse_judge_scale, value_name = "A..B[:STEP]", help_heading = PROTOCOL
    )]
    pub(crate) scale: Option<JudgeScale>,
}

fn parse_judge_scale(text: &str) -> Result<JudgeScale, String> {
    JudgeScale::parse(text)
        .ok_or_else(|| "expected a scale such as 1..5 or 0..1:0.1, of at most 100 steps".into())
}
