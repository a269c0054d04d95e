//! Tokens and cost of each call of a run.

use evenhand_core::Usage;
use evenhand_engine::{Price, PriceTable};
use evenhand_store::CallColumns;
use rustc_hash::FxHashMap;

/// Tokens and cost by the calls' ids; 16 bytes a call. A run from elsewhere may have any ids, so
/// they are kept and not counted on.
#[derive(Debug, Default)]
pub(crate) struct CallTable {
    /// Ascending.
    ids: Vec<u32>,
    tokens: Vec<u32>,
    /// USD; NaN where the judge has no price.
    cost: Vec<f64>,
    /// Prices by judge.
    prices: FxHashMap<String, Option<Price>>,
    count: u64,
}

impl CallTable {
    /// Returns the highest id, 0 for none.
    pub(crate) fn last(&self) -> i64 {
        self.ids.last().copied().map_or(0, i64::from)
    }

    /// Returns how many calls there are.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn add(&mut self, call: &CallColumns<'_>, prices: &PriceTable) {
        let Ok(id) = u32::try_from(call.id) else {
            return;
        };
        if !self.prices.contains_key(call.judge) {
            let price = prices.price(call.judge).cloned();
            self.prices.insert(call.judge.into(), price);
        }
        let price = self.prices.get(call.judge).and_then(Option::as_ref);
        let usage = Usage {
            prompt_tokens: call.prompt_tokens,
            completion_tokens: call.completion_tokens,
            cached_tokens: call.cached_tokens,
            ..Usage::default()
        };
        // A server that counted no tokens leaves the cost unknown.
        let price = price.filter(|_| call.prompt_tokens > 0);
        let cost = price.map_or(f64::NAN, |price| price.cost(&usage, call.batch));
        let tokens = call.prompt_tokens.saturating_add(call.completion_tokens);
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        // Calls come in the order of their ids, so that this is nearly always the end.
        let at = self.ids.partition_point(|known| *known < id);
        self.ids.insert(at, id);
        self.tokens.insert(at, tokens);
        self.cost.insert(at, cost);
        self.count += 1;
    }

    /// Sums tokens and USD of these calls; no USD where one is unknown, or there is no call.
    pub(crate) fn sum(&self, ids: &[u32]) -> (u64, Option<f64>) {
        let tokens = ids.iter().filter_map(|id| {
            let at = self.ids.binary_search(id).ok()?;
            Some(u64::from(self.tokens[at]))
        });
        let cost = ids.iter().map(|id| self.cost_of(*id)).sum::<Option<f64>>();
        (tokens.sum(), cost.filter(|_| !ids.is_empty()))
    }

    /// Returns USD of a call; None where its judge has no price.
    pub(crate) fn cost_of(&self, id: u32) -> Option<f64> {
        let at = self.ids.binary_search(&id).ok()?;
        Some(self.cost[at]).filter(|cost| !cost.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn call(id: i64, tokens: u64) -> CallColumns<'static> {
        CallColumns {
            id,
            judge: "nobody",
            attempt: 0,
            prompt_tokens: tokens,
            completion_tokens: 0,
            cached_tokens: 0,
            batch: false,
        }
    }

    proptest! {
        /// A run from elsewhere may have any ids, in any order: one that is huge costs no more room
        /// than another.
        #[test]
        fn calls_are_found_by_whatever_ids_they_have(
            ids in prop::collection::btree_set(
                prop_oneof![1..50_i64, 0..=i64::from(u32::MAX), any::<i64>()],
                0..40,
            )
            .prop_flat_map(|ids| Just(ids.into_iter().collect::<Vec<_>>()).prop_shuffle()),
        ) {
            let mut table = CallTable::default();
            let mut twin = BTreeMap::new();
            for (tokens, id) in (1..).zip(&ids) {
                table.add(&call(*id, tokens), &PriceTable::default());
                if let Ok(id) = u32::try_from(*id) {
                    twin.insert(id, tokens);
                }
            }
            prop_assert_eq!(table.count(), twin.len() as u64);
            let last = twin.keys().next_back().copied().map_or(0, i64::from);
            prop_assert_eq!(table.last(), last);
            for (id, tokens) in &twin {
                prop_assert_eq!(table.sum(&[*id]), (*tokens, None));
            }
            let known: Vec<u32> = twin.keys().copied().collect();
            prop_assert_eq!(table.sum(&known).0, twin.values().sum::<u64>());
        }
    }
}
