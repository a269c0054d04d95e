//! Which items, responses and records are read, wherever a command reads a data set or files of
//! judgments, and how they spell outcomes.

use super::choices::{ListedNames, any_name, names, parse_if, parse_names};
use super::help::{DATA, STATISTICS};
use crate::Failed;
use clap::Args;
use evenhand_core::ShownFields;
use evenhand_engine::DataOptions;
use evenhand_formats::battles::{Columns, Spellings};
use evenhand_formats::judgments::{JudgmentFormat, Options};
use evenhand_formats::records::{Filter, Format, Mapping, TrajectoryOptions, TurnChoice};
use evenhand_formats::{LATENCY_FIELDS, Selection};
use evenhand_ranking::StepWeights;
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
    /// Such as MT-Bench's reference_answer. Their turns are read too. They replace references in
    /// the items.
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
    /// Go on even if some systems lack responses to some items
    ///
    /// Also decides --fail-if conditions from the data there are, even if some judgments have no
    /// verdict.
    #[arg(long, help_heading = DATA)]
    pub(crate) allow_missing: bool,
    /// Whether only the responses of labelled pairs are looked at.
    #[arg(skip)]
    pub(crate) labelled_only: bool,
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
    /// Put a name with a comma in double quotes: 'plain,"GPT (v1), t=0"'.
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
    /// Give separate figures for each value of an item's FIELD
    ///
    /// Such as subset or source, instead of for each category.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
}

/// How files of an unknown form are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct MappingArgs {
    /// Which field is which, for files in no known format
    ///
    /// As NAME=FIELD,..., such as output=answer,item=question_id (see docs/formats.md). Put a field
    /// name with a comma in double quotes. output_3=..., output_4=... map further responses.
    #[arg(long, value_name = "NAME=FIELD,...", help_heading = DATA)]
    pub(crate) map: Option<String>,
    /// The files' format, if it is not recognised
    ///
    /// One of the names in docs/formats.md.
    #[arg(
        long, value_name = "NAME", hide_possible_values = true,
        value_parser = names(names_of_formats(), any_name), help_heading = DATA
    )]
    pub(crate) input_format: Option<String>,
}

/// How trajectories are read.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct TrajectoryArgs {
    /// Leave out the middle of trajectories longer than TOKENS
    ///
    /// Half of TOKENS goes to the start and half to the end; a mark in between says how much is
    /// left out. Tokens are counted in the same approximate way for every judge. At least 200. See
    /// docs/formats.md.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, help_heading = DATA)]
    pub(crate) trajectory_budget: Option<u64>,
    /// Show the thoughts in trajectories; by default they are left out
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
    /// first; second, or turn number N, with the turns before it in view; each turn as a separate
    /// item; or the whole conversation as one item. See docs/formats.md.
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
            by_setting: None,
            labelled_only: self.labelled_only,
            // Latencies are read wherever they are: a run keeps them for conditions on them.
            shown: ShownFields {
                covariates: (self.covariates.iter().cloned())
                    .chain(LATENCY_FIELDS.map(|(field, _)| field.into()))
                    .collect(),
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

/// Returns the names of all formats of data and of recorded judgments, each once.
fn names_of_formats() -> BTreeSet<&'static str> {
    let mut names = BTreeSet::from_iter(Format::names());
    names.extend(JudgmentFormat::names());
    names
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

/// Which records of the files are read, and how they spell outcomes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// What the files' words for the winner mean
    ///
    /// Each means first, second, tie, both-bad, or drop, which leaves the record out:
    /// A=first,B=second,neither=tie,skipped=drop. First is the system that the file names first
    /// (model_a, left, system_1) and second the other, whichever was shown first. Common words are
    /// already known (see docs/formats.md).
    #[arg(long, value_name = "A=first,...", help_heading = DATA)]
    pub(crate) outcomes: Option<String>,
}

/// Which records of the files are read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only records whose FIELD has this VALUE
    ///
    /// If given more than once, a record must have one of the values given for each field. FIELD
    /// may be a path, such as meta.lang. Files without the field are read whole.
    #[arg(id = "where", long = "where", value_name = "FIELD=VALUE", help_heading = DATA)]
    pub(crate) conditions: Vec<String>,
}

/// How recorded judgments are read that leave something unsaid.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordingArgs {
    /// The item column of battles [default: question_id or item]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) item_column: Option<String>,
    /// The baseline of Arena-Hard judgments that do not name theirs
    #[arg(id = "recorded-baseline", long = "baseline", value_name = "SYSTEM", help_heading = DATA)]
    pub(crate) baseline: Option<String>,
}

impl RecordingArgs {
    /// Returns how recordings are read whose records may name columns.
    ///
    /// # Errors
    /// Columns that cannot be read.
    pub(crate) fn reading_with(&self, records: &RecordArgs) -> Result<Options, Failed> {
        Ok(Options {
            columns: records.columns()?,
            ..self.reading()
        })
    }

    pub(crate) fn reading(&self) -> Options {
        Options {
            item: self.item_column.clone(),
            baseline: self.baseline.clone(),
            ..Options::default()
        }
    }
}

/// How recorded judgments are read, wherever they become a ranking.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgmentArgs {
    /// The baseline of Arena-Hard judgments that do not name theirs
    #[arg(long, value_name = "SYSTEM", help_heading = DATA)]
    pub(crate) baseline: Option<String>,
    /// MT-Bench pairs: a win counts only if both games say so, else a tie
    #[arg(long, help_heading = DATA)]
    pub(crate) both_games: bool,
    /// Weights of strong, slight and equal verdicts
    ///
    /// How much a strong, a slight and an equal verdict on a five-step scale count, such as 3,1,1
    /// or 6,2,2. [default: 1 each]
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "STRONG,SLIGHT,EQUAL",
        help_heading = STATISTICS
    )]
    pub(crate) strength: Option<Vec<f64>>,
}

impl JudgmentArgs {
    /// Returns the three weights of `--strength`, if it is given.
    pub(crate) fn strength(&self) -> Result<Option<StepWeights>, Failed> {
        Ok(self.strength.as_deref().map(StepWeights::new).transpose()?)
    }
}

/// How many bad records are passed over.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct SkipArgs {
    /// Skip up to N unreadable records in each file, and list them
    #[arg(
        long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = DATA
    )]
    pub(crate) skip_bad: u64,
}

impl FilterArgs {
    pub(crate) fn parse(&self) -> Result<Filter, Failed> {
        Ok(Filter::parse(&self.conditions)?)
    }
}

impl RecordArgs {
    /// Returns which records are read, and how they spell outcomes; of columns, the usual ones.
    pub(crate) fn columns(&self) -> Result<Columns, Failed> {
        Ok(Columns {
            filter: self.filter.parse()?,
            outcomes: self.parse_outcomes()?,
            ..Columns::default()
        })
    }

    pub(crate) fn parse_outcomes(&self) -> Result<Spellings, Failed> {
        match &self.outcomes {
            None => Ok(Spellings::default()),
            Some(text) => {
                Spellings::parse(text).map_err(|why| Failed::usage(format!("--outcomes: {why}")))
            }
        }
    }
}
