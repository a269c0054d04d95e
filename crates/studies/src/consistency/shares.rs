//! Shares of pairs, with intervals over items.

use super::{ComparedPair, Consistency};
use crate::Figure;
use crate::figure::indicator;
use evenhand_stats::{Bootstrap, Error};
use std::collections::BTreeMap;

impl Consistency {
    /// Measures some pairs. Those whose first look is not known count for the end alone.
    pub(super) fn measure(pairs: &[&ComparedPair], plan: &Bootstrap) -> Result<Consistency, Error> {
        let count = |is: fn(&ComparedPair) -> bool| pairs.iter().filter(|pair| is(pair)).count();
        Ok(Consistency {
            pairs: pairs.len(),
            consistent_at_first: count(ComparedPair::was_consistent),
            consistent_in_the_end: count(|pair| pair.last.is_some()),
            mended: count(ComparedPair::was_mended),
            at_first: share_of(pairs, plan, |pair| pair.first.map(|side| side.is_some()))?,
            in_the_end: share_of(pairs, plan, |pair| Some(pair.last.is_some()))?,
            fixed: share_of(pairs, plan, was_fixed)?,
        })
    }
}

/// Returns whether a pair that was inconsistent ended consistent; None for others.
pub(super) fn was_fixed(pair: &ComparedPair) -> Option<bool> {
    pair.is_inconsistent_at_first()
        .then_some(pair.last.is_some())
}

/// Returns the share of the pairs that are so, of those for which it has a meaning, with an
/// interval over items: several pairs may be answers to the same question.
pub(super) fn share_of(
    pairs: &[&ComparedPair],
    plan: &Bootstrap,
    is: impl Fn(&ComparedPair) -> Option<bool>,
) -> Result<Figure, Error> {
    Figure::of_clusters(&sums_by_item(pairs, is), plan)
}

/// Returns for each item how many pairs are so, and of how many.
fn sums_by_item(
    pairs: &[&ComparedPair],
    is: impl Fn(&ComparedPair) -> Option<bool>,
) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for pair in pairs {
        let sum = sums.entry(&pair.item).or_default();
        if let Some(yes) = is(pair) {
            *sum = (sum.0 + indicator(yes), sum.1 + 1.0);
        }
    }
    sums.into_values().collect()
}
