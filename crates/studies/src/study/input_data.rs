//! Reads the input sets of a study, and tells what is wrong with one in the words of its file.

use super::config::{Input, setting, spellings};
use evenhand_core::{Setting, ShownFields};
use evenhand_engine::{DataOptions, EngineError, load};
use evenhand_formats::records::{Filter, Format, Mapping, TrajectoryOptions, TurnChoice};
use evenhand_formats::{Dataset, Selection};
use std::path::PathBuf;

const NO_DATA: &str = "an input set has no data; expected data = [\"PATH\", ...]";

/// Loads the data of an input set.
pub(super) fn input_data(input: &Input) -> Result<Dataset, EngineError> {
    data_to_show(input, ShownFields::default())
}

/// Loads the data of an input set, with the free fields that its prompts show.
pub(super) fn data_to_show(input: &Input, shown: ShownFields) -> Result<Dataset, EngineError> {
    if input.data.is_empty() {
        return Err(setting(NO_DATA.into()));
    }
    load(&DataOptions {
        shown,
        ..data_options(input)?
    })
}

fn data_options(input: &Input) -> Result<DataOptions, EngineError> {
    Ok(DataOptions {
        paths: input.data.clone(),
        reference_answers: input.reference_answers.clone(),
        mapping: input.mapping()?,
        format: input.format()?,
        selection: input.selection(),
        allow_missing: input.allow_missing,
        skip_bad: 0,
        filter: Filter::parse(&input.filter)?,
        outcomes: spellings(input.outcomes.as_deref())?,
        turn: turn_choice(input)?,
        trajectories: trajectory_options(input)?,
        shown: ShownFields::default(),
        by: input.by.clone(),
        labels_define: false,
    })
}

fn trajectory_options(input: &Input) -> Result<TrajectoryOptions, EngineError> {
    let least = TrajectoryOptions::LEAST_BUDGET;
    if input.trajectory_budget.is_some_and(|budget| budget < least) {
        let why = format!("trajectory-budget: expected a number of tokens, {least} at least");
        return Err(setting(why));
    }
    Ok(TrajectoryOptions {
        budget: input.trajectory_budget,
        shows_thinking: input.show_thinking,
    })
}

fn turn_choice(input: &Input) -> Result<TurnChoice, EngineError> {
    let turn = input.turn.as_deref();
    Ok(turn.map_or(Ok(TurnChoice::First), str::parse)?)
}

impl Input {
    /// Returns the paths of its files.
    pub(super) fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let beside = self.labels.iter_mut().chain(&mut self.reference_answers);
        self.data.iter_mut().chain(beside)
    }

    /// Whether the set is optional and some of its data is not there.
    pub(super) fn can_be_left_out(&self) -> bool {
        self.optional && self.data.iter().any(|path| !path.exists())
    }

    fn mapping(&self) -> Result<Option<Mapping>, EngineError> {
        let mapping = self.map.as_deref().map(Mapping::parse);
        Ok(mapping.transpose()?)
    }

    fn format(&self) -> Result<Option<Format>, EngineError> {
        let format = self.input_format.as_deref().map(Format::from_name);
        Ok(format.transpose()?)
    }

    fn selection(&self) -> Selection {
        Selection {
            items: self.items,
            systems: self.systems.clone(),
        }
    }
}

/// Returns an error of an input set with the table that it is about, in the words of the study's
/// file and not of the door that the user came through.
pub(super) fn in_table(table: &str, error: EngineError) -> EngineError {
    match error {
        EngineError::Data(error) => error_in_table(table, error.to_string()),
        EngineError::Refused(refusal) => error_in_table(table, refusal.to_string()),
        other => other,
    }
}

fn error_in_table(table: &str, mut text: String) -> EngineError {
    for (spelt, key) in keys_by_setting() {
        text = text.replace(&spelt, key);
    }
    setting(format!("{table} {text}"))
}

/// Returns the keys of the study's file by the settings that messages name. The longer spellings
/// come before those that they contain.
fn keys_by_setting() -> impl Iterator<Item = (String, &'static str)> {
    KEYS.into_iter()
        .map(|(setting, next, key)| (format!("{setting}{next}"), key))
}

/// Settings, with what follows them in a message, and what the study's file has in their place.
const KEYS: [(Setting, &str, &str); 10] = [
    (Setting::Recorded, " files", "files"),
    (Setting::Labels, " FILE", "labels = [\"FILE\"]"),
    (Setting::Labels, "", "labels"),
    (Setting::Data, " with", "data with"),
    (Setting::AllowMissing, "", "allow-missing = true"),
    (Setting::InputFormat, "", "input-format"),
    (Setting::Systems, "", "systems"),
    (Setting::Map, " ", "map "),
    (Setting::Where, " ", "where "),
    (Setting::By, " ", "by "),
];
