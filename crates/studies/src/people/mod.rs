//! How far people agree among themselves, from labels that name their annotators.
//!
//! A unit is an item with an unordered pair of systems. A label says of it that the system that
//! comes first in the data wins, ties or loses. One person's labels of a unit count once: the first
//! of them; further ones show how far people agree with themselves.

mod agreement;
mod annotators;
mod side_counts;
mod units;

pub use agreement::{Agreement, CountedFigure};
pub use annotators::AnnotatorRow;
pub use units::{LabelledUnit, PeopleLabels, UnitLabel};

use evenhand_stats::{Bootstrap, Error};
use std::collections::{BTreeMap, BTreeSet};

/// How far people agree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PeopleReport {
    /// Items that have a label of a named annotator.
    pub items: usize,
    /// Questions that these ask: what the intervals count.
    pub questions: usize,
    /// How many labels name their annotator, one person's further labels of a unit among them.
    pub labels: usize,
    /// How many labels name nobody, and are left out.
    pub unnamed: usize,
    /// How many labels hold a system against itself, and are left out.
    pub self_comparisons: usize,
    /// How many votes are on turns that were not read, and are left out.
    pub on_other_turns: u64,
    /// How many units have labels of so many annotators.
    pub units_by_annotators: BTreeMap<usize, usize>,
    /// Over all units.
    pub all: Agreement,
    /// Over the units of each category of items, or the labels of each part; empty where no item
    /// has a category, and the labels no parts.
    pub parts: Vec<(String, Agreement)>,
    /// Of labels that a person gave to a unit again, the share that equals that person's first.
    pub self_agreement: CountedFigure,
    /// Every annotator against the others, those with the most shared units first.
    pub annotators: Vec<AnnotatorRow>,
}

/// Measures how far people agree, with intervals over questions.
///
/// # Errors
/// A bad level, number of rounds or threads of the intervals.
pub fn measure_people(people: &PeopleLabels, plan: &Bootstrap) -> Result<PeopleReport, Error> {
    let units: Vec<&LabelledUnit> = people.units.iter().collect();
    let items: BTreeSet<u32> = units.iter().map(|unit| unit.item).collect();
    let questions: BTreeSet<u32> = units.iter().map(|unit| unit.cluster).collect();
    let mut units_by_annotators = BTreeMap::new();
    let mut by_category: BTreeMap<&str, Vec<&LabelledUnit>> = BTreeMap::new();
    for unit in &people.units {
        *units_by_annotators.entry(unit.labels.len()).or_default() += 1;
        if let Some(category) = &unit.category
            && people.parts.is_empty()
        {
            by_category.entry(category).or_default().push(unit);
        }
    }
    let all = Agreement::measure(&units, plan.level)?;
    let repeats = units
        .iter()
        .map(|unit| (unit.cluster, unit.self_agreement()));
    let mut parts = Vec::new();
    for (name, own) in &people.parts {
        by_category.insert(name.as_str(), own.units.iter().collect());
    }
    for (name, units) in by_category {
        parts.push((name.to_string(), Agreement::measure(&units, plan.level)?));
    }
    Ok(PeopleReport {
        items: items.len(),
        questions: questions.len(),
        labels: units.iter().map(|unit| unit.label_count()).sum(),
        unnamed: people.unnamed,
        self_comparisons: people.self_comparisons,
        on_other_turns: people.on_other_turns,
        units_by_annotators,
        all,
        parts,
        self_agreement: CountedFigure::of_ratios(repeats, plan.level)?,
        annotators: annotators::measure_annotators(people, plan.level)?,
    })
}

#[cfg(test)]
mod tests;
