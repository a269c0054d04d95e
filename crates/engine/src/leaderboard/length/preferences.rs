//! Models with their preferences over one common reference.

use super::refuse_length_control;
use crate::EngineError;
use crate::leaderboard::conflicts::{Given, check_own_estimator, refuse_beside};
use crate::leaderboard::options::LeaderboardOptions;
use crate::leaderboard::recorded::{read_judgments, share_of_first};
use crate::leaderboard::sort::{FileSort, sort_of_files};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::judgments::{RecordedComparison, RecordedJudgments};
use evenhand_stats::control::{ControlError, length_feature};
use std::collections::{BTreeMap, BTreeSet};

/// One model's preferences over the reference, an entry for each item.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) system: u16,
    pub(crate) items: Vec<u32>,
    pub(super) preferred: Vec<f64>,
    pub(super) length: Result<Vec<f64>, ControlError>,
}

/// Refuses settings, and files, that length control has no use for.
pub(crate) fn check_length_control(options: &LeaderboardOptions) -> Result<(), EngineError> {
    let setting = Setting::LengthControl;
    refuse_beside(setting, &settings_without_use(options), "")?;
    check_own_estimator(setting, options)?;
    match sort_of_files(options)? {
        FileSort::Recorded => Ok(()),
        _ => Err(refuse_length_control(Cause::Data, NOT_RECORDED).into()),
    }
}

const NOT_RECORDED: &str =
    "it is for AlpacaEval's annotations or preferences, and not for battles or counts";

fn settings_without_use(options: &LeaderboardOptions) -> [Given; 4] {
    let rank = &options.rank;
    [
        Given::new(&[Setting::Labels], !options.labels.is_empty()),
        Given::new(&[Setting::Aggregate], rank.aggregation.is_some()),
        Given::new(&[Setting::Differences], rank.differences),
        Given::new(&[Setting::Systems], options.systems.is_some()),
    ]
}

/// Reads comparisons with a reference.
pub(crate) fn read_length(options: &LeaderboardOptions) -> Result<RecordedJudgments, EngineError> {
    let recorded = read_judgments(&options.paths, options)?;
    if recorded.comparisons.is_empty() {
        return Err(refuse_without_comparisons(&recorded).into());
    }
    Ok(recorded)
}

fn refuse_without_comparisons(recorded: &RecordedJudgments) -> Refusal {
    let reason = if recorded.scores.is_empty() {
        "the files hold no verdict on a model and another one as its reference"
    } else {
        "it needs comparisons with a reference, and these are scores"
    };
    refuse_length_control(Cause::Data, reason)
}

/// Returns the one system that all others are compared with; of two systems the first of every
/// comparison.
pub(crate) fn find_reference(recorded: &RecordedJudgments) -> Result<u16, Refusal> {
    let rows = &recorded.comparisons;
    let firsts: BTreeSet<u16> = rows.iter().map(|row| row.a).collect();
    match (&systems_in_all(recorded)[..], firsts.first()) {
        ([one], _) => Ok(*one),
        ([_, _], Some(first)) if firsts.len() == 1 => Ok(*first),
        ([one, two], _) => Err(refuse_two_references(recorded, *one, *two)),
        _ => Err(refuse_no_reference(recorded, &firsts)),
    }
}

/// Returns the systems that are in every comparison.
fn systems_in_all(recorded: &RecordedJudgments) -> Vec<u16> {
    let rows = &recorded.comparisons;
    let is_in_all = |system: &u16| rows.iter().all(|row| [row.a, row.b].contains(system));
    let systems = 0..recorded.systems.len() as u16;
    systems.filter(is_in_all).collect()
}

/// Systems that are only ever first look like several references.
fn refuse_no_reference(recorded: &RecordedJudgments, firsts: &BTreeSet<u16>) -> Refusal {
    let mut rows = recorded.comparisons.iter();
    if rows.all(|row| !firsts.contains(&row.b)) {
        return refuse_many_references(recorded, firsts);
    }
    refuse_length_control(Cause::Data, NO_COMMON_REFERENCE)
}

const NO_COMMON_REFERENCE: &str =
    "no system is in every comparison, so there is no common reference";

fn refuse_two_references(recorded: &RecordedJudgments, one: u16, two: u16) -> Refusal {
    let [one, two] = [one, two].map(|system| &recorded.systems[usize::from(system)]);
    let reason = format!(
        "either of {one} and {two} could be the reference; it must be output 1 of every comparison"
    );
    refuse_length_control(Cause::Data, reason)
}

fn refuse_many_references(recorded: &RecordedJudgments, firsts: &BTreeSet<u16>) -> Refusal {
    let names = names_of_systems(recorded, firsts).join(", ");
    let reason =
        format!("the files have more than one reference: {names}; give those with one of them");
    refuse_length_control(Cause::Data, reason)
}

fn names_of_systems<'a>(recorded: &'a RecordedJudgments, systems: &BTreeSet<u16>) -> Vec<&'a str> {
    let systems = systems.iter();
    systems
        .map(|system| recorded.systems[usize::from(*system)].as_str())
        .collect()
}

/// The verdicts of one model on one item, summed.
#[derive(Default)]
struct VerdictSum {
    preferred: f64,
    reference_length: f64,
    model_length: f64,
    count: f64,
}

impl VerdictSum {
    /// Takes a verdict; None where it does not say how long the responses are.
    fn add(&mut self, row: &RecordedComparison, reference: u16) -> Option<()> {
        let (a, b) = (row.length_a?, row.length_b?);
        let won = share_of_first(row);
        if row.a == reference {
            self.add_points(1.0 - won, a, b);
        } else {
            self.add_points(won, b, a);
        }
        Some(())
    }

    fn add_points(&mut self, preferred: f64, reference_length: f64, model_length: f64) {
        self.preferred += preferred;
        self.reference_length += reference_length;
        self.model_length += model_length;
        self.count += 1.0;
    }
}

/// Returns the models, in the order of their numbers. Several verdicts on one item are averaged.
pub(crate) fn models_of(
    recorded: &RecordedJudgments,
    reference: u16,
) -> Result<Vec<Model>, Refusal> {
    let mut sums: BTreeMap<u16, VerdictsOfItems> = BTreeMap::new();
    for row in &recorded.comparisons {
        let model = if row.a == reference { row.b } else { row.a };
        let sum = sums.entry(model).or_default().entry(row.item).or_default();
        sum.add(row, reference).ok_or_else(refuse_without_lengths)?;
    }
    let models = sums.iter();
    Ok(models
        .map(|(system, items)| model_of(*system, items))
        .collect())
}

/// A model's verdicts, item by item.
type VerdictsOfItems = BTreeMap<u32, VerdictSum>;

fn refuse_without_lengths() -> Refusal {
    let reason = "the files do not say how long the responses are; AlpacaEval's annotations and \
                  preferences do";
    refuse_length_control(Cause::Data, reason)
}

fn model_of(system: u16, items: &VerdictsOfItems) -> Model {
    let reference_length = means_of_items(items, |sum| sum.reference_length);
    let model_length = means_of_items(items, |sum| sum.model_length);
    Model {
        system,
        items: items.keys().copied().collect(),
        preferred: means_of_items(items, |sum| sum.preferred),
        length: length_feature(&reference_length, &model_length),
    }
}

fn means_of_items(items: &VerdictsOfItems, sum: fn(&VerdictSum) -> f64) -> Vec<f64> {
    let items = items.values();
    items.map(|item| sum(item) / item.count).collect()
}
