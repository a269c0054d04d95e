//! Which items and responses are read, wherever a command reads a data set.

use super::RecordArgs;
use super::choices::{ListedNames, parse_if, parse_names};
use super::help::{DATA, STATISTICS};
use super::records::SkipArgs;
use crate::Failed;
use clap::Args;
use evenhand_core::ShownFields;
use evenhand_engine::DataOptions;
use evenhand_formats::Selection;
use evenhand_formats::records::{Format, Mapping, TrajectoryOptions, TurnChoice};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The items and responses that are judged.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataArgs {
    /// Files or directories with items and responses
    ///
    /// See docs/formats.md.
    #[arg(long, required = true, num_args = 1.., value_name = "PATH", help_heading = DATA)]
    pub(crate) data: Vec<PathBuf>,
    /// Files of answers that are the items' references
    ///
    /// Such as MT-Bench's reference_answer. They are read with their turns, and stand in the place
    /// of references that the items have.
    #[arg(long, num_args = 1.., value_name = "PATH", help_heading = DATA)]
    pub(crate) reference_answers: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) skip: SkipArgs,
    #[command(flatten)]
    pub(crate) mapping: MappingArgs,
    #[command(flatten)]
    pub(crate) turn: TurnArgs,
    #[command(flatten)]
    pub(crate) trajectories: TrajectoryArgs,
    /// The fields of responses that are covariates, as `--control` of `rank` names them.
    #[arg(skip)]
    pub(crate) covariates: BTreeSet<String>,
    /// Go on although some systems lack responses to some items
    ///
    /// And decide the conditions of --fail-if by what is there, though some judgments came to no
    /// verdict.
    #[arg(long, help_heading = DATA)]
    pub(crate) allow_missing: bool,
    /// The field whose values part the items, where a command has figures by part.
    #[arg(skip)]
    pub(crate) by: Option<String>,
}

/// Which part of a data set is taken.
#[derive(Clone, Debug, Args)]
pub(crate) struct SelectionArgs {
    /// Only the first N items
    #[arg(long, value_name = "N", help_heading = DATA)]
    pub(crate) items: Option<usize>,
    #[command(flatten)]
    pub(crate) systems: SystemsArgs,
}

/// Which systems are looked at.
#[derive(Clone, Debug, Args)]
pub(crate) struct SystemsArgs {
    /// Only these systems
    ///
    /// A name that holds a comma stands in double quotes: 'plain,"GPT (v1), t=0"'.
    #[arg(long, value_parser = parse_names, value_name = "A,B,...", help_heading = DATA)]
    systems: Option<Vec<ListedNames>>,
}

impl SystemsArgs {
    /// Returns the names; None for all systems.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        self.systems.as_deref().map(ListedNames::join)
    }
}

/// Which parts of the pairs get figures of their own.
#[derive(Clone, Debug, Args)]
pub(crate) struct PartArgs {
    /// Give the pairs of each value of an item's FIELD figures of their own
    ///
    /// Such as subset or source, in place of the items' categories.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
}

/// How files of an unknown form are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct MappingArgs {
    /// Which field is which, for files of no known format
    ///
    /// As NAME=FIELD,...: output=answer,item=question_id,... (see docs/formats.md). A field whose
    /// name holds a comma stands in double quotes; output_3=..., output_4=... are further
    /// responses.
    #[arg(long, value_name = "NAME=FIELD,...", help_heading = DATA)]
    pub(crate) map: Option<String>,
    /// The files' format, where it is not recognised
    ///
    /// One of the names in docs/formats.md.
    #[arg(long, value_name = "NAME", help_heading = DATA)]
    pub(crate) input_format: Option<String>,
}

/// How trajectories are read.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct TrajectoryArgs {
    /// Leave out the middle of trajectories longer than TOKENS
    ///
    /// The head and the tail get half each, and a mark says how much is left out between them.
    /// Tokens are approximated in the same way for every judge; 200 at least. See docs/formats.md.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, help_heading = DATA)]
    pub(crate) trajectory_budget: Option<u64>,
    /// Show the thoughts that trajectories hold, which are left out otherwise
    #[arg(long, help_heading = DATA)]
    pub(crate) show_thinking: bool,
}

fn parse_budget(text: &str) -> Result<u64, String> {
    let least = TrajectoryOptions::LEAST_BUDGET;
    let expected = format!("expected a number of tokens, {least} at least");
    parse_if(text, |budget| *budget >= least, expected)
}

/// Which turns of conversations are judged.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TurnArgs {
    /// Which turns of conversations are judged
    ///
    /// The first; the second, or that of a number, with the turns before it in view; each as an
    /// item of its own; or the whole conversation as one. See docs/formats.md.
    #[arg(
        long, value_name = "first|second|N|each|whole", default_value = "first",
        value_parser = parse_turn, help_heading = DATA
    )]
    pub(crate) turn: TurnChoice,
}

fn parse_turn(text: &str) -> Result<TurnChoice, String> {
    let expected = "expected first, second, a number from 1, each or whole";
    text.parse().map_err(|_| expected.to_owned())
}

impl DataArgs {
    /// Returns the options that the engine loads a data set with.
    pub(crate) fn options(&self) -> Result<DataOptions, Failed> {
        Ok(DataOptions {
            paths: self.data.clone(),
            reference_answers: self.reference_answers.clone(),
            selection: self.selection.checked()?,
            mapping: self.mapping.parse_map()?,
            format: self.mapping.parse_format()?,
            allow_missing: self.allow_missing,
            skip_bad: self.skip.skip_bad,
            filter: self.records.filter.parse()?,
            outcomes: self.records.parse_outcomes()?,
            turn: self.turn.turn,
            trajectories: TrajectoryOptions {
                budget: self.trajectories.trajectory_budget,
                shows_thinking: self.trajectories.show_thinking,
            },
            by: self.by.clone(),
            shown: ShownFields {
                covariates: self.covariates.clone(),
                ..ShownFields::default()
            },
            labels_define: false,
        })
    }
}

impl SelectionArgs {
    /// Returns the selection, unless it would leave no item.
    pub(crate) fn checked(&self) -> Result<Selection, Failed> {
        if self.items == Some(0) {
            return Err(Failed::usage("--items 0: expected at least one item"));
        }
        Ok(Selection {
            items: self.items,
            systems: self.systems.names(),
        })
    }
}

impl MappingArgs {
    pub(crate) fn parse_map(&self) -> Result<Option<Mapping>, Failed> {
        Ok(self.map.as_deref().map(Mapping::parse).transpose()?)
    }

    pub(crate) fn parse_format(&self) -> Result<Option<Format>, Failed> {
        let name = self.input_format.as_deref();
        Ok(name.map(Format::from_name).transpose()?)
    }
}
