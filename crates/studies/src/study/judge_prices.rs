//! What a million tokens of each live judge cost (Gao et al. 2025, table 3).

use evenhand_engine::{PriceTable, Rate};
use schemars::JsonSchema;
use serde::Serialize;

/// The price of one judge, in USD for a million tokens; None where none is known.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgePrice {
    /// The judge's name in the study.
    pub judge: String,
    /// Who it is, as prices know it.
    pub identity: String,
    /// Of prompts: what the paper's table has.
    pub input_usd: Option<f64>,
    /// Of replies.
    pub output_usd: Option<f64>,
    /// Whether the price is that of electricity.
    pub electricity: bool,
    /// Where the figures are from.
    pub source: Option<String>,
    /// The day on which they were taken.
    pub date: Option<String>,
}

impl JudgePrice {
    /// Looks up the price of a judge.
    pub(super) fn look_up(judge: &str, identity: &str, table: &PriceTable) -> JudgePrice {
        let price = table.price(identity);
        let (usd, electricity) = match price.map(|price| price.rate) {
            Some(Rate::Tokens(prices)) => (Some([prices.input, prices.output]), false),
            Some(Rate::Electricity(usd)) => (Some([usd, usd]), true),
            None => (None, false),
        };
        JudgePrice {
            judge: judge.into(),
            identity: identity.into(),
            input_usd: usd.map(|[input, _]| input),
            output_usd: usd.map(|[_, output]| output),
            electricity,
            source: price.map(|price| price.source.clone()),
            date: price.map(|price| price.date.clone()),
        }
    }
}
