//! A change by category.

use super::change::estimate_by_question;
use super::change::{Change, Scale, estimate_controlled};
use super::holm_of_changes;
use evenhand_core::in_order;
use evenhand_stats::change::ControlledItem;
use evenhand_stats::interaction::{mean_residuals, slice_interaction};
use evenhand_stats::{Bootstrap, ItemScore};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a system changed on the items of a category.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CategoryChange {
    /// The category.
    pub category: String,
    /// By how much.
    pub change: Change,
    /// The p-value, corrected for the number of categories (Holm 1979); None where it is undefined.
    pub p_adjusted: Option<f64>,
    /// Whether there are too few items to say anything.
    pub too_small: bool,
}

/// Whether the change differs between categories.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// P-value of equal changes, by permutation and random signs of the items
    /// ([`slice_interaction`]).
    pub p_value: f64,
    /// Categories that were tested.
    pub categories: usize,
    /// The category whose change is furthest from that of all items.
    pub furthest: String,
    /// By how much, in the unit of the measure.
    pub beyond: f64,
}

/// Below this many questions a category is said to be too small: an exact sign test on 6 needs
/// all of them on one side for p below 0.05.
pub const SMALLEST_CATEGORY: usize = 6;

/// The differences of all items, and what is known of them.
pub(super) struct Parts<'a> {
    pub(super) differences: &'a [f64],
    /// The question of each item.
    pub(super) questions: &'a [u32],
    /// The category of each item.
    pub(super) categories: &'a [Option<&'a str>],
    pub(super) scale: Scale,
    /// The same items, where the judge's own change is taken out; then those that only say how it
    /// changed.
    pub(super) controlled: Option<Vec<ControlledItem>>,
    /// Whether the judge cannot have changed.
    pub(super) fixed: bool,
    pub(super) plan: &'a Bootstrap,
}

impl Parts<'_> {
    /// Estimates the change in each category, in the order of their first items; none where there
    /// is only one.
    pub(super) fn by_category(&self) -> Vec<CategoryChange> {
        let level = self.plan.level;
        let names = in_order(self.categories.iter().flatten().copied());
        if names.len() < 2 {
            return Vec::new();
        }
        let mut found = Vec::new();
        for name in names {
            let change = match &self.controlled {
                Some(rows) => {
                    estimate_controlled(&self.only(rows, name), self.scale, level, self.fixed)
                }
                None => {
                    let own = values_of(self.differences, self.categories, name);
                    let questions = values_of(self.questions, self.categories, name);
                    estimate_by_question(&own, &questions, self.scale, level)
                }
            };
            if let Some(mut change) = change {
                let too_small = change.questions < SMALLEST_CATEGORY;
                // A test would count the judge's own change on the items of other categories.
                if too_small && self.controlled.is_some() {
                    change.interval = None;
                    change.p_value = None;
                    let few = change.items_in_words();
                    change.undefined = Some(format!(
                        "{few} are too few: a category needs {SMALLEST_CATEGORY}"
                    ));
                }
                found.push(CategoryChange {
                    category: name.into(),
                    too_small,
                    change,
                    p_adjusted: None,
                });
            }
        }
        // Categories that are too small count for nothing, and are no part of the correction.
        let counted: Vec<Option<&Change>> = found
            .iter()
            .map(|one| (!one.too_small).then_some(&one.change))
            .collect();
        let adjusted = holm_of_changes(&counted, level);
        for (one, p) in found.iter_mut().zip(adjusted) {
            one.p_adjusted = p;
        }
        found
    }

    /// The items of a category; the others only say how the judge changed.
    fn only(&self, rows: &[ControlledItem], name: &str) -> Vec<ControlledItem> {
        let places = rows.iter().enumerate();
        let kept = places.map(|(place, row)| match self.categories.get(place) {
            Some(Some(category)) if *category == name => *row,
            _ => ControlledItem {
                difference: None,
                changed: false,
                ..*row
            },
        });
        kept.filter(|row| row.difference.is_some() || row.shift.is_some())
            .collect()
    }

    /// Tests whether the change differs between categories, or says why it cannot; None where there
    /// are not two.
    pub(super) fn test_interaction(&self) -> Option<Result<Interaction, String>> {
        let names = in_order(self.categories.iter().flatten().copied());
        if names.len() < 2 {
            return None;
        }
        // The items of one question in one category are the unit that is permuted.
        let mut units: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let (mut rows, mut slices) = (Vec::new(), Vec::new());
        let all = self.differences.iter().zip(self.questions);
        for ((score, question), category) in all.zip(self.categories) {
            let Some(place) = names.iter().position(|name| Some(*name) == *category) else {
                continue;
            };
            let item = *units.entry((place as u32, *question)).or_insert_with(|| {
                slices.push(place as u32);
                slices.len() as u32 - 1
            });
            rows.push(ItemScore::new(item, 0, *score));
        }
        let found = mean_residuals(1, &rows)
            .and_then(|rows| slice_interaction(&rows, &slices, SMALLEST_CATEGORY, self.plan));
        let found = match found {
            Ok(found) => found,
            Err(why) => return Some(Err(why.to_string())),
        };
        let tested = found
            .cells
            .iter()
            .filter_map(|cell| Some((cell.p_value.ok()?, cell)));
        let (p_value, furthest) = tested.min_by(|(p, _), (q, _)| p.total_cmp(q))?;
        Some(Ok(Interaction {
            p_value,
            categories: found.tested,
            furthest: names.get(furthest.slice as usize)?.to_string(),
            beyond: furthest.deviation,
        }))
    }
}

fn values_of<T: Copy>(all: &[T], categories: &[Option<&str>], name: &str) -> Vec<T> {
    let rows = all.iter().zip(categories);
    let own = rows.filter(|(_, category)| **category == Some(name));
    own.map(|(value, _)| *value).collect()
}
