//! What a million tokens of each live judge cost (Gao et al. 2024, table 3).

use evenhand_engine::{Price, PriceTable, Rate};
use serde::Serialize;

/// The price of one judge, in USD for a million tokens; None where none is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
        let usd = price.map(|price| usd_per_million(price.rate));
        JudgePrice {
            judge: judge.into(),
            identity: identity.into(),
            input_usd: usd.map(|[input, _]| input),
            output_usd: usd.map(|[_, output]| output),
            electricity: price.is_some_and(is_electricity),
            source: price.map(|price| price.source.clone()),
            date: price.map(|price| price.date.clone()),
        }
    }
}

fn usd_per_million(rate: Rate) -> [f64; 2] {
    match rate {
        Rate::Tokens(prices) => [prices.input, prices.output],
        Rate::Electricity(usd) => [usd, usd],
    }
}

fn is_electricity(price: &Price) -> bool {
    matches!(price.rate, Rate::Electricity(_))
}
