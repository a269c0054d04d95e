//! What a run has cost.

use super::PriceTable;
use evenhand_core::Usage;
use evenhand_store::Totals;

/// What all calls of a run have cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// USD of all judges; None where one that has calls has no known cost, and where there is no
    /// call.
    pub usd: Option<f64>,
    /// Judge by judge, in the order of their first calls.
    pub judges: Vec<JudgeCost>,
}

/// What one judge's calls have cost.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeCost {
    /// The judge's identity.
    pub judge: String,
    /// Its calls.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
    /// USD, at the lower price where a call came by a batch file; None where the table has no price
    /// for the judge, or its server counted no tokens.
    pub usd: Option<f64>,
}

/// What these calls have cost at these prices. A call that was found in the store counts like one
/// made now.
pub fn spent(totals: &[Totals], prices: &PriceTable) -> Spent {
    let judges: Vec<JudgeCost> = totals.iter().map(|judge| cost(judge, prices)).collect();
    let mut called = judges
        .iter()
        .filter(|judge| judge.calls > 0)
        .map(|judge| judge.usd)
        .peekable();
    let usd = if called.peek().is_some() {
        called.sum()
    } else {
        None
    };
    Spent { usd, judges }
}

fn cost(totals: &Totals, prices: &PriceTable) -> JudgeCost {
    let Totals {
        judge,
        calls,
        usage,
        by_batch,
    } = totals.clone();
    let counted = usage.prompt_tokens > 0 || calls == 0;
    let usd = prices
        .price(&judge)
        .filter(|_| counted)
        .map(|price| price.cost_of_parts(&usage, &by_batch));
    JudgeCost {
        judge,
        calls,
        usage,
        usd,
    }
}
