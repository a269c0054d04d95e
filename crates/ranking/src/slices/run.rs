//! A run's rankings by slice of its items. The slices are of what is kept, so that no judge is
//! asked for them.

use super::{
    FEW_ITEMS, MANY_VALUES, SliceEvidence, SliceRanking, SliceRows, SliceSize, test_slices,
};
use crate::covariate::columns_of_run;
use crate::ranking::by_question;
use crate::{Collected, RankOptions, Report, rank};
use evenhand_core::{Item, Refusal, Setting};
use evenhand_engine::{DataOptions, EngineError, Job, load};
use evenhand_formats::Dataset;
use evenhand_stats::ItemScore;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The fields of items that have a name of their own; others are free fields.
const ITEM_FIELDS: [&str; 3] = ["category", "question", "turn"];

/// The slice of each item.
#[derive(Clone, Debug, Default)]
pub struct ItemSlices(BTreeMap<(String, Option<u32>), String>);

impl ItemSlices {
    /// Reads the values of a field of a job's items: from the data set, or from its files where the
    /// field is one that no prompt shows and that the data set therefore does not hold.
    ///
    /// # Errors
    /// Files that cannot be read; a field that no item has, that has one value, or more than slices
    /// may have.
    pub fn read(
        data: &Dataset,
        options: &DataOptions,
        field: &str,
    ) -> Result<ItemSlices, EngineError> {
        let is_held = |item: &Item| item.fields.contains_key(field);
        if !ITEM_FIELDS.contains(&field) && !data.items.iter().any(is_held) {
            let options = DataOptions {
                by: Some(field.into()),
                ..options.clone()
            };
            let category = |item: &Item| item.category.clone().unwrap_or_default();
            return ItemSlices::of(&load(&options)?, &options, field, category);
        }
        // Blank where an item has none.
        let value_of = |item: &Item| {
            let value = match field {
                "category" => item.category.clone(),
                "question" => item.question.clone(),
                "turn" => item.turn.map(|turn| turn.to_string()),
                other => item.fields.get(other).map(|value| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                }),
            };
            value.unwrap_or_default()
        };
        ItemSlices::of(data, options, field, value_of)
    }

    fn of(
        data: &Dataset,
        options: &DataOptions,
        field: &str,
        value: impl Fn(&Item) -> String,
    ) -> Result<ItemSlices, EngineError> {
        slice_values(options.by_setting(), field, data.items.iter().map(&value))?;
        let items = data.items.iter().map(|item| (key_of(item), value(item)));
        Ok(ItemSlices(items.collect()))
    }

    /// Returns the slice of an item.
    pub fn of_item(&self, item: &Item) -> String {
        self.0.get(&key_of(item)).cloned().unwrap_or_default()
    }
}

/// Turns of one conversation may be items of their own.
fn key_of(item: &Item) -> (String, Option<u32>) {
    (item.id.to_string(), item.turn)
}

/// Returns the different values of a field, which a setting names, in their order, where items can
/// be parted by them.
///
/// # Errors
/// No item with the field; all with one value; more values than slices may have.
pub fn slice_values(
    setting: Setting,
    field: &str,
    values: impl Iterator<Item = String>,
) -> Result<Vec<String>, EngineError> {
    let values: BTreeSet<String> = values.collect();
    let values: Vec<String> = values.into_iter().collect();
    let why = match values.as_slice() {
        [none] if none.is_empty() => {
            "no item has it; expected category, turn, question, or another field of the items"
        }
        [_] => "all items have the same value",
        many if many.len() > MANY_VALUES => "it has more than 200 values; slices are few",
        _ => return Ok(values),
    };
    Err(Refusal::of_input(format!("{setting} {field}: {why}")).into())
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
    let mut failed = None;
    for (number, (value, collected)) in (0..).zip(slices) {
        let collected = &*collected.in_whole_pairs();
        // The judgments under the questions that their items ask, which are what is permuted.
        let rows = if !options.control.is_empty() {
            match columns_of_run(job, collected, &options.control) {
                Ok(columns) => SliceRows::from(columns),
                Err(error) => {
                    failed = Some(error.to_string());
                    SliceRows::Controlled(Vec::new(), Vec::new())
                }
            }
        } else if collected.scores.is_empty() {
            SliceRows::Comparisons(by_question(
                collected.comparisons.rows().collect(),
                &job.clusters,
            ))
        } else {
            let scores = collected.scores.iter().map(|row| ItemScore {
                item: job.clusters.of(row.item),
                ..*row
            });
            SliceRows::Scores(scores.collect())
        };
        let n_questions = evidence.add(number, &names, rows, &[]);
        let items: BTreeSet<u32> = collected.items.iter().copied().collect();
        let ranked = rank(job, collected, &options);
        report.slices.push(SliceRanking::new(
            value,
            SliceSize::of_items(items.len() as u64, n_questions),
            ranked,
        ));
    }
    let values: Vec<String> = slices.keys().cloned().collect();
    // An item has one value.
    let found = failed.map_or(Ok(evidence), Err);
    let plan = &options.bootstrap;
    test_slices(&mut report, field, &values, found, "items", plan);
    Ok(report)
}

impl SliceRanking {
    /// Returns the ranking of a slice, or why there is none.
    pub(crate) fn new(
        value: &str,
        size: SliceSize,
        ranked: Result<Report, EngineError>,
    ) -> SliceRanking {
        let verdicts = ranked.as_ref().map_or(0, |report| {
            report.coverage.verdicts.saturating_sub(report.set_aside)
        });
        let (answer, ranking, note) = match ranked {
            Ok(report) if report.ranking.iter().all(|row| row.n == 0) => {
                let note = "none of the ranked systems is compared with another here";
                (None, Vec::new(), Some(note.into()))
            }
            Ok(report) => (report.answer, report.ranking, None),
            Err(error) => (None, Vec::new(), Some(error.to_string())),
        };
        SliceRanking {
            value: value.into(),
            size: size.in_words(),
            n_judgments: size.battles.unwrap_or(verdicts),
            n_items: size.items,
            n_questions: size.questions,
            units: size.counted().into(),
            too_small: (1..FEW_ITEMS as u64).contains(&size.questions),
            answer,
            ranking,
            note,
        }
    }
}
