//! Reads the input sets of a study, and tells what is wrong with one in the words of its file.

use super::config::{Input, setting, spellings};
use evenhand_core::Side;
use evenhand_core::{Setting, ShownFields, in_order};
use evenhand_engine::{DataOptions, EngineError, load};
use evenhand_formats::records::{Filter, Format, Mapping, TrajectoryOptions, TurnChoice};
use evenhand_formats::{Dataset, Label, Selection};

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
    let mapping = input.map.as_deref().map(Mapping::parse);
    let format = input.input_format.as_deref().map(Format::from_name);
    let turn = input.turn.as_deref();
    let mut data = load(&DataOptions {
        paths: input.data.clone(),
        reference_answers: input.reference_answers.clone(),
        mapping: mapping.transpose()?,
        format: format.transpose()?,
        selection: Selection {
            items: input.items,
            systems: input
                .systems
                .clone()
                .or_else(|| named_systems(&input.pairs)),
        },
        allow_missing: input.allow_missing,
        filter: Filter::parse(&input.filter)?,
        outcomes: spellings(input.outcomes.as_deref())?,
        turn: turn.map_or(Ok(TurnChoice::First), str::parse)?,
        trajectories: trajectory_options(input)?,
        shown,
        by: input.by.clone(),
        ..DataOptions::default()
    })?;
    if input.unlabelled {
        mark_pairs(&mut data, &input.pairs)?;
    }
    Ok(data)
}

/// Puts a label that nothing is held against on each of these pairs, or on all, so that they are
/// judged as labelled pairs are.
fn mark_pairs(data: &mut Dataset, pairs: &[[String; 2]]) -> Result<(), EngineError> {
    let number = |name: &String| {
        let place = data.systems.iter().position(|system| **system == **name);
        place.map(|place| place as u32).ok_or_else(|| {
            let known = data.systems.join(", ");
            setting(format!(
                "pairs: {name} is not a system of the data; it has {known}"
            ))
        })
    };
    let mut numbered = Vec::new();
    for [a, b] in pairs {
        numbered.push([number(a)?, number(b)?]);
    }
    if pairs.is_empty() {
        let all = 0..data.systems.len() as u32;
        numbered.extend(all.clone().flat_map(|a| all.clone().map(move |b| [a, b])));
        numbered.retain(|[a, b]| a < b);
    }
    data.labels.clear();
    for item in 0..data.items.len() as u32 {
        data.labels.extend(numbered.iter().map(|[a, b]| Label {
            item,
            a: *a,
            b: *b,
            preferred: Side::Tie,
            annotator: None,
        }));
    }
    Ok(())
}

/// Returns the systems of these pairs, each once; None where there are none.
fn named_systems(pairs: &[[String; 2]]) -> Option<Vec<String>> {
    let names = in_order(pairs.iter().flatten().cloned());
    (!names.is_empty()).then_some(names)
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

/// Returns an error of an input set with the table that it is about, in the words of the study's
/// file and not of the door that the user came through.
pub(super) fn in_table(table: &str, error: EngineError) -> EngineError {
    let mut text = match error {
        EngineError::Data(error) => error.to_string(),
        EngineError::Refused(refusal) => refusal.to_string(),
        other => return other,
    };
    for (spelt, next, key) in KEYS {
        text = text.replace(&format!("{spelt}{next}"), key);
    }
    setting(format!("{table} {text}"))
}

/// Settings, with what follows them in a message, and what the study's file has in their place. The
/// longer spellings come before those that they contain.
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
