//! A change by category.

use super::change::{Change, estimate_change};
use evenhand_stats::change::group_difference;
use evenhand_stats::{Bootstrap, holm};

/// How a system changed on the items of a category.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interaction {
    /// P-value of equal changes, by permuting the items.
    pub p_value: f64,
    /// The share of the variance of the differences that categories explain.
    pub explained: f64,
    /// Categories.
    pub categories: usize,
}

/// Below this many items a category is said to be too small: an exact sign test on 6 items needs
/// all of them on one side for p below 0.05.
pub const SMALLEST_CATEGORY: usize = 6;

/// Estimates the change in each category, in the order of their first items; none where there is
/// only one.
pub(super) fn by_category(
    differences: &[f64],
    categories: &[Option<&str>],
    is_binary: bool,
    plan: &Bootstrap,
) -> Vec<CategoryChange> {
    let names = list_names(categories);
    if names.len() < 2 {
        return Vec::new();
    }
    let found = names.iter().filter_map(|name| {
        let own = values_of(differences, categories, name);
        let change = estimate_change(&own, is_binary, plan)?;
        Some(CategoryChange {
            category: (*name).into(),
            too_small: own.len() < SMALLEST_CATEGORY,
            change,
            p_adjusted: None,
        })
    });
    let mut found: Vec<CategoryChange> = found.collect();
    correct(&mut found);
    found
}

fn list_names<'a>(categories: &[Option<&'a str>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in categories.iter().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
}

fn values_of(differences: &[f64], categories: &[Option<&str>], name: &str) -> Vec<f64> {
    let rows = differences.iter().zip(categories);
    let own = rows.filter(|(_, category)| **category == Some(name));
    own.map(|(difference, _)| *difference).collect()
}

/// Categories that are too small count for nothing, and are no part of the correction.
fn correct(changes: &mut [CategoryChange]) {
    let counts = |one: &CategoryChange| !one.too_small && one.change.p_value.is_some();
    let of = changes.iter().filter(|one| counts(one));
    let p: Vec<f64> = of.filter_map(|one| one.change.p_value).collect();
    let Ok(adjusted) = holm(&p) else { return };
    let defined = changes.iter_mut().filter(|one| counts(one));
    for (one, p) in defined.zip(adjusted) {
        one.p_adjusted = Some(p);
    }
}

/// Tests whether the change differs between categories; None where there are not two, or the
/// differences do not vary.
pub(super) fn test_interaction(
    differences: &[f64],
    categories: &[Option<&str>],
    plan: &Bootstrap,
) -> Option<Interaction> {
    let names = list_names(categories);
    let mut values = Vec::new();
    let mut groups = Vec::new();
    for (difference, category) in differences.iter().zip(categories) {
        if let Some(place) = names.iter().position(|name| Some(*name) == *category) {
            values.push(*difference);
            groups.push(place as u32);
        }
    }
    let found = group_difference(&values, &groups, plan).ok()?;
    Some(Interaction {
        p_value: found.p_value,
        explained: found.explained,
        categories: found.groups,
    })
}
