//! What a run would cost.

use super::{Price, PriceTable};
use crate::{Estimate, JudgeEstimate};
use evenhand_core::Usage;

/// How long a reply is taken to be where it may be longer, in tokens. Recorded explanations of
/// GPT-4 have on average 92 (LLMBar, CoT), 148 (MT-Bench) and 302 (Arena-Bench) tokens of
/// cl100k_base.
pub const ASSUMED_REPLY_TOKENS: u64 = 150;

/// USD of the calls that are left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostRange {
    /// The prompts alone, of the fewest calls: nothing is written.
    pub at_least: f64,
    /// The most calls, and replies of [`ASSUMED_REPLY_TOKENS`] or their limit, whichever is less.
    pub expected: f64,
    /// The most calls, and replies as long as they may be.
    pub at_most: f64,
    /// `at_most` at the price of batches; None where a judge has none.
    pub at_most_in_batches: Option<f64>,
}

/// What a run would cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// All judges together; None where one of them has no price.
    pub total: Option<CostRange>,
    /// Judge by judge, in the order of [`Estimate::judges`]; None where the table has no price.
    pub judges: Vec<Option<CostRange>>,
    /// The day of the oldest price that was used, as `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// What the calls that are left would cost at these prices. What a server may find in its cache is
/// not foreseen.
pub fn expected(estimate: &Estimate, prices: &PriceTable) -> Expected {
    let priced: Vec<Option<&Price>> = estimate
        .judges
        .iter()
        .map(|judge| prices.price(&judge.judge))
        .collect();
    let ranges = estimate.judges.iter().zip(&priced);
    let judges: Vec<Option<CostRange>> = ranges
        .map(|(judge, price)| price.map(|price| range(judge, price)))
        .collect();
    let total = judges
        .iter()
        .copied()
        .collect::<Option<Vec<_>>>()
        .filter(|all| !all.is_empty());
    let date = priced
        .iter()
        .flatten()
        .map(|price| price.date.clone())
        .min();
    Expected {
        total: total.map(|all| all.into_iter().reduce(sum).unwrap_or_default()),
        judges,
        date,
    }
}

fn range(judge: &JudgeEstimate, price: &Price) -> CostRange {
    let cost = |prompt_tokens: u64, completion_tokens: u64, batch: bool| {
        price.cost(
            &Usage {
                prompt_tokens,
                completion_tokens,
                ..Usage::default()
            },
            batch,
        )
    };
    CostRange {
        at_least: cost(judge.prompt_tokens_at_least, 0, false),
        expected: cost(judge.prompt_tokens, judge.completion_tokens_assumed, false),
        at_most: cost(judge.prompt_tokens, judge.completion_tokens_at_most, false),
        at_most_in_batches: price
            .has_batch()
            .then(|| cost(judge.prompt_tokens, judge.completion_tokens_at_most, true)),
    }
}

fn sum(a: CostRange, b: CostRange) -> CostRange {
    CostRange {
        at_least: a.at_least + b.at_least,
        expected: a.expected + b.expected,
        at_most: a.at_most + b.at_most,
        at_most_in_batches: a
            .at_most_in_batches
            .zip(b.at_most_in_batches)
            .map(|(a, b)| a + b),
    }
}
