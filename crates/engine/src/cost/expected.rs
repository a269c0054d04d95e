//! The expected cost of a run.

use super::{Price, PriceTable};
use crate::{Estimate, JudgeEstimate};
use evenhand_core::Usage;

/// USD of the calls that are left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostRange {
    /// The prompts alone, of the fewest calls: nothing is written.
    pub at_least: f64,
    /// The most calls, and replies of [`ASSUMED_REPLY_TOKENS`](super::ASSUMED_REPLY_TOKENS) or
    /// their limit, whichever is less.
    pub expected: f64,
    /// The most calls, and replies as long as they may be.
    pub at_most: f64,
    /// `at_most` at the price of batches; None where a judge has none.
    pub at_most_in_batches: Option<f64>,
}

/// The expected cost of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// All judges together; None where one of them has no price.
    pub total: Option<CostRange>,
    /// Judge by judge, in the order of [`Estimate::judges`]; None where the table has no price.
    pub judges: Vec<Option<CostRange>>,
    /// Judge by judge, the model that may have been meant where the table has no price.
    pub nearest: Vec<Option<String>>,
    /// The day of the oldest price that was used, as `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// Returns what the calls that are left would cost at these prices. What a server may find in its
/// cache is not foreseen.
pub fn expected(estimate: &Estimate, prices: &PriceTable) -> Expected {
    let mut found = Expected::default();
    for judge in &estimate.judges {
        let price = prices.price(&judge.judge);
        found
            .judges
            .push(price.map(|price| cost_range(judge, price)));
        let nearest = prices.nearest_model(&judge.judge);
        let nearest = nearest.filter(|_| price.is_none());
        found.nearest.push(nearest.map(String::from));
        let date = price.map(|price| price.date.clone());
        found.date = found.date.into_iter().chain(date).min();
    }
    // None where one judge has no price, and where there is no judge.
    let ranges: Option<Vec<CostRange>> = found.judges.iter().copied().collect();
    found.total = ranges.and_then(|ranges| {
        ranges.into_iter().reduce(|a, b| {
            let in_batches = a.at_most_in_batches.zip(b.at_most_in_batches);
            CostRange {
                at_least: a.at_least + b.at_least,
                expected: a.expected + b.expected,
                at_most: a.at_most + b.at_most,
                at_most_in_batches: in_batches.map(|(a, b)| a + b),
            }
        })
    });
    found
}

fn cost_range(judge: &JudgeEstimate, price: &Price) -> CostRange {
    let tokens = |prompt_tokens, completion_tokens| Usage {
        prompt_tokens,
        completion_tokens,
        ..Usage::default()
    };
    let prompts = judge.prompt_tokens;
    let most = tokens(prompts, judge.completion_tokens_at_most);
    CostRange {
        at_least: price.cost(&tokens(judge.prompt_tokens_at_least, 0), false),
        expected: price.cost(&tokens(prompts, judge.completion_tokens_assumed), false),
        at_most: price.cost(&most, false),
        at_most_in_batches: price.has_batch().then(|| price.cost(&most, true)),
    }
}
