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
    let judges = totals.iter().map(|judge| judge_cost(judge, prices));
    let judges: Vec<JudgeCost> = judges.collect();
    let usd = sum_of_called(&judges);
    Spent { usd, judges }
}

/// Returns the sum over the judges that have calls; None where one has no known cost, and where
/// there is no such judge.
fn sum_of_called(judges: &[JudgeCost]) -> Option<f64> {
    let called = judges.iter().filter(|judge| judge.calls > 0);
    let mut costs = called.map(|judge| judge.usd).peekable();
    costs.peek()?;
    costs.sum()
}

fn judge_cost(totals: &Totals, prices: &PriceTable) -> JudgeCost {
    JudgeCost {
        judge: totals.judge.clone(),
        calls: totals.calls,
        usage: totals.usage,
        usd: cost_of_totals(totals, prices),
    }
}

fn cost_of_totals(totals: &Totals, prices: &PriceTable) -> Option<f64> {
    let price = prices.price(&totals.judge)?;
    has_usage(totals).then(|| price.cost_of_parts(&totals.usage, &totals.by_batch))
}

/// A server that counted no tokens of its calls leaves their cost unknown.
fn has_usage(totals: &Totals) -> bool {
    totals.usage.prompt_tokens > 0 || totals.calls == 0
}
