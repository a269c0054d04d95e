//! The command line of `meta people`.

use super::data::TurnArgs;
use super::help::DATA;
use super::{
    ConfigArgs, FigureArgs, FormatArgs, MappingArgs, PartArgs, QuietArgs, RecordArgs,
    ResamplingArgs, SeedArgs, SelectionArgs, ThreadArgs, VerboseArgs,
};
use crate::Failed;
use clap::Args;
use evenhand_engine::DataOptions;
use std::path::PathBuf;

/// Whose agreement is measured.
#[derive(Debug, Args)]
pub(crate) struct MetaPeopleArgs {
    /// Files or directories with items, responses and labels
    ///
    /// Labels must name their annotators. See docs/formats.md.
    #[arg(
        long, num_args = 1.., value_name = "PATH", required_unless_present = "labels",
        help_heading = DATA
    )]
    pub(crate) data: Vec<PathBuf>,
    /// People's labels or votes on pairs, beside --data or alone
    ///
    /// Labels of ours, PandaLM's pairs, votes with model_a, model_b and winner, cross-annotations,
    /// or others that --map explains. Alone, they name the items and systems.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) parts: PartArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) mapping: MappingArgs,
    #[command(flatten)]
    pub(crate) turn: TurnArgs,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

impl MetaPeopleArgs {
    /// Returns the options that the engine loads the labels with.
    pub(crate) fn data_options(&self) -> Result<DataOptions, Failed> {
        Ok(DataOptions {
            paths: [self.data.clone(), self.labels.clone()].concat(),
            selection: self.selection.checked()?,
            mapping: self.mapping.parse_map()?,
            format: self.mapping.parse_format()?,
            // Responses are not looked at, but for telling which systems there are.
            allow_missing: true,
            filter: self.records.filter.parse()?,
            outcomes: self.records.parse_outcomes()?,
            turn: self.turn.turn,
            by: self.parts.by.clone(),
            labels_define: true,
            ..DataOptions::default()
        })
    }
}
