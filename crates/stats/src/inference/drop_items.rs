//! How few items carry a conclusion: the smallest share whose removal overturns it.

use super::InferenceError;
use super::paired::common_items;
use crate::{ItemScores, Undefined};

/// A few items without which the mean difference has the other sign.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ItemDrop {
    /// Positions of the items left out, in ascending order of item, the most influential first.
    pub dropped: Vec<u32>,
    /// Number of items that both systems have scores for.
    pub items: usize,
    /// The share left out, in (0, 1).
    pub share: f64,
}

/// The fewest items whose removal turns the mean difference of two systems' scores, over the items
/// that both have, to the other sign: exact, since the largest differences go first.
///
/// # Errors
/// No such system; no common items; `above` not ahead; no item with a difference of the other sign.
pub fn drop_items(
    data: &ItemScores,
    above: usize,
    below: usize,
) -> Result<ItemDrop, InferenceError> {
    let mut items = common_items(data, above, below)?;
    items.sort_by(|x, y| y.difference.total_cmp(&x.difference));
    let mut sum = 0.0;
    let sums = items.iter().rev().map(|item| {
        sum += item.difference;
        sum
    });
    let sums: Vec<f64> = sums.collect();
    if *sums.last().ok_or(Undefined::NoData)? <= 0.0 {
        return Err(InferenceError::NotAhead { above, below });
    }
    let last_negative = sums.iter().rposition(|&sum| sum < 0.0);
    let left = last_negative.ok_or(InferenceError::Unanimous { above, below })? + 1;
    let dropped = &items[..items.len() - left];
    Ok(ItemDrop {
        share: dropped.len() as f64 / items.len() as f64,
        dropped: dropped.iter().map(|difference| difference.item).collect(),
        items: items.len(),
    })
}
