//! The cost of a run so far.

use super::PriceTable;
use evenhand_core::Usage;
use evenhand_store::Totals;

/// The cost of all calls of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// USD of all judges; None where one that has calls has no known cost, and where there is no
    /// call.
    pub usd: Option<f64>,
    /// Judge by judge, in the order of their first calls.
    pub judges: Vec<JudgeCost>,
}

/// The cost of one judge's calls.
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

/// Returns what these calls have cost at these prices. A call that was found in the store counts
/// like one made now.
pub fn spent(totals: &[Totals], prices: &PriceTable) -> Spent {
    let mut judges = Vec::with_capacity(totals.len());
    for judge in totals {
        // A server that counted no tokens of its calls leaves their cost unknown.
        let is_counted = judge.usage.prompt_tokens > 0 || judge.calls == 0;
        let price = prices.price(&judge.judge).filter(|_| is_counted);
        judges.push(JudgeCost {
            judge: judge.judge.clone(),
            calls: judge.calls,
            usage: judge.usage,
            usd: price.map(|price| price.cost_of_parts(&judge.usage, &judge.by_batch)),
        });
    }
    let called = judges.iter().filter(|judge| judge.calls > 0);
    let mut costs = called.map(|judge| judge.usd).peekable();
    let usd = match costs.peek() {
        Some(_) => costs.sum(),
        None => None,
    };
    Spent { usd, judges }
}
