//! `evenhand meta people`.

use crate::args::data::TurnArgs;
use crate::args::help::{DATA, STATISTICS};
use crate::args::{
    FigureArgs, MappingArgs, PlainOutputArgs, RecordArgs, ResamplingArgs, SeedArgs, SelectionArgs,
    ThreadArgs,
};
use crate::commands::figure::{check_place, draw_first};
use crate::data::load_with_notes;
use crate::{Done, Failed};
use clap::Args;
use evenhand_engine::files::labels_path;
use evenhand_engine::{DataOptions, load_by_labels};
use evenhand_formats::records::TurnChoice;
use evenhand_report::figures::figures_of_people;
use evenhand_report::meta::{people_csv, people_json, people_table};
use evenhand_studies::people::{PeopleLabels, measure_people};
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
    /// Evenhand's labels, PandaLM's pairs, votes with model_a, model_b and winner,
    /// cross-annotations, or other files with --map. Without --data, the items and systems are
    /// those that they name.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// Give separate figures for each value of a FIELD of items, or of labels
    ///
    /// Such as subset or source, instead of for each category; or, of the labels themselves, who
    /// voted or on which turn: then each value's figures are of the labels that have it. `turn`
    /// takes every turn of conversations.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
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
    pub(crate) output: PlainOutputArgs,
}

impl MetaPeopleArgs {
    /// Returns the options that the engine loads the labels with.
    pub(crate) fn data_options(&self) -> Result<DataOptions, Failed> {
        // Data is read for its labels.
        let data = self.data.iter();
        let data = data.map(|path| Ok(labels_path(path).unwrap_or_else(|_| path.clone())));
        let labels = self.labels.iter().map(|path| labels_path(path));
        Ok(DataOptions {
            paths: data.chain(labels).collect::<Result<_, _>>()?,
            selection: self.selection.checked()?,
            mapping: self.mapping.parse_map()?,
            format: self.mapping.parse_format()?,
            // Responses are not looked at, but for telling which systems there are.
            allow_missing: true,
            filter: self.records.filter.parse()?,
            outcomes: self.records.parse_outcomes()?,
            turn: self.turn.turn,
            by: self.by.clone(),
            labels_define: true,
            ..DataOptions::default()
        })
    }
}

/// Reads the labels, parted by items or by a field of their own. Those of every turn are read where
/// the turn parts them.
fn read_labels(args: &MetaPeopleArgs) -> Result<PeopleLabels, Failed> {
    let mut options = args.data_options()?;
    if options.by.as_deref() == Some("turn") && options.turn == TurnChoice::default() {
        options.turn = TurnChoice::Each;
    }
    let parts = match &options.by {
        Some(field) => load_by_labels(&options, field)?,
        None => None,
    };
    options.by = options.by.filter(|_| parts.is_none());
    let mut labels = PeopleLabels::of_dataset(&load_with_notes(&options, args.output.quiet)?);
    let parts = parts.unwrap_or_default().into_iter();
    labels.parts = parts
        .map(|(value, data)| (value, PeopleLabels::of_dataset(&data)))
        .collect();
    Ok(labels)
}

/// How far people agree among themselves.
pub(super) fn measure(args: &MetaPeopleArgs) -> Result<Done, Failed> {
    let plan = args.resampling.plan(args.seed.seed, args.threads.count())?;
    let figure = args.figure.path();
    check_place(figure)?;
    let labels = read_labels(args)?;
    labels.check_compared()?;
    let report = measure_people(&labels, &plan).map_err(|error| Failed::run(error.to_string()))?;
    args.output.format.print(
        || people_table(&report, &plan, args.output.verbose.view()),
        || people_json(&report, &plan),
        || people_csv(&report),
    )?;
    draw_first(figure, || figures_of_people(&report, plan.level))?;
    Ok(Done::Fine)
}
