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
        let tokens = call.prompt_tokens.saturating_add(call.completion_tokens);
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        let cost = self.price_call(call, prices).unwrap_or(f64::NAN);
        // Calls come in the order of their ids, so that this is nearly always the end.
        let at = self.ids.partition_point(|known| *known < id);
        self.ids.insert(at, id);
        self.tokens.insert(at, tokens);
        self.cost.insert(at, cost);
        self.count += 1;
    }

    fn price_call(&mut self, call: &CallColumns<'_>, prices: &PriceTable) -> Option<f64> {
        if !self.prices.contains_key(call.judge) {
            let price = prices.price(call.judge).cloned();
            self.prices.insert(call.judge.into(), price);
        }
        let price = self.prices.get(call.judge)?.as_ref()?;
        // A server that counted no tokens leaves the cost unknown.
        (call.prompt_tokens > 0).then(|| price.cost(&usage_of(call), call.batch))
    }

    /// Sums tokens and USD of these calls; no USD where one is unknown, or there is no call.
    pub(crate) fn sum(&self, ids: &[u32]) -> (u64, Option<f64>) {
        let tokens = ids.iter().map(|id| self.tokens_of(*id)).sum();
        let cost = ids.iter().map(|id| self.cost_of(*id)).sum::<Option<f64>>();
        (tokens, cost.filter(|_| !ids.is_empty()))
    }

    fn tokens_of(&self, id: u32) -> u64 {
        let tokens = self.ids.binary_search(&id).map(|at| self.tokens[at]);
        u64::from(tokens.unwrap_or_default())
    }

    /// Returns USD of a call; None where its judge has no price.
    pub(crate) fn cost_of(&self, id: u32) -> Option<f64> {
        let at = self.ids.binary_search(&id).ok()?;
        Some(self.cost[at]).filter(|cost| !cost.is_nan())
    }
}

fn usage_of(call: &CallColumns<'_>) -> Usage {
    Usage {
        prompt_tokens: call.prompt_tokens,
        completion_tokens: call.completion_tokens,
        cached_tokens: call.cached_tokens,
        ..Usage::default()
    }
}
