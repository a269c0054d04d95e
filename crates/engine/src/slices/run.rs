//! A run's rankings by slice of its items. The slices are of what is kept, so that no judge is
//! asked for them.

use super::{FEW_ITEMS, SliceEvidence, SliceRanking, SliceRows, test_slices};
use crate::{Collected, EngineError, Job, RankOptions, Report, rank};
use evenhand_core::{Item, Refusal};
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns an item's value of a field: `category`, `turn`, `question`, or a free field that prompts
/// show. Blank where it has none.
pub fn slice_of_item(item: &Item, field: &str) -> String {
    let value = match field {
        "category" => item.category.clone(),
        "question" => item.question.clone(),
        "turn" => item.turn.map(|turn| turn.to_string()),
        other => item.fields.get(other).map(text_of_value),
    };
    value.unwrap_or_default()
}

fn text_of_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Checks that a job's items have several values of a field.
///
/// # Errors
/// No item with the field; all with one value.
pub fn check_slices(job: &Job, field: &str) -> Result<(), EngineError> {
    let items = job.dataset.items.iter();
    let mut values: Vec<String> = items.map(|item| slice_of_item(item, field)).collect();
    values.sort_unstable();
    values.dedup();
    let why = match values.as_slice() {
        [] => return Ok(()),
        [none] if none.is_empty() => {
            "no item has it; expected category, turn, question, or a free field that the \
             prompts show"
        }
        [_] => "all items have the same value",
        _ => return Ok(()),
    };
    Err(Refusal::of_input(format!("--by {field}: {why}")).into())
}

/// Adds to a report the ranking of each slice, and whether slices differ. `slices` holds the
/// judgments of each value.
///
/// # Errors
/// Numbers that the statistics refuse.
pub fn rank_slices(
    mut report: Report,
    job: &Job,
    field: &str,
    slices: &BTreeMap<String, Collected>,
    options: &RankOptions,
) -> Result<Report, EngineError> {
    let names = job.dataset.systems.iter();
    let names: Vec<String> = names.map(ToString::to_string).collect();
    let options = RankOptions {
        differences: false,
        drop: false,
        ..options.clone()
    };
    let mut evidence = SliceEvidence::default();
    for (number, (value, collected)) in (0..).zip(slices) {
        let n_items = evidence.add(number, &names, rows_of(collected));
        let ranked = rank(job, collected, &options);
        report
            .slices
            .push(SliceRanking::new(value, n_items, ranked));
    }
    let values: Vec<String> = slices.keys().cloned().collect();
    // An item has one value.
    let found = Ok((evidence, u64::MAX));
    test_slices(&mut report, field, &values, found, &options.bootstrap);
    Ok(report)
}

fn rows_of(collected: &Collected) -> SliceRows {
    if collected.scores.is_empty() {
        return SliceRows::Comparisons(collected.comparisons.clone());
    }
    SliceRows::Scores(collected.scores.clone())
}

impl SliceRanking {
    /// Returns the ranking of a slice, or why there is none.
    pub(crate) fn new(
        value: &str,
        n_items: u64,
        ranked: Result<Report, EngineError>,
    ) -> SliceRanking {
        let (ranking, note) = match ranked {
            Ok(report) => (report.ranking, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        SliceRanking {
            value: value.into(),
            n_items,
            too_small: n_items > 0 && n_items < FEW_ITEMS as u64,
            ranking,
            note,
        }
    }
}
