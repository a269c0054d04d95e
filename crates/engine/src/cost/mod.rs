//! The costs of judges: a price table, electricity, token counts where no tokenizer is at hand, and
//! the cost of a run.
//!
//! A judge without a price has no cost: what is unknown is None, and never 0.

mod electricity;
mod expected;
mod file;
mod identity;
mod price;
mod spent;
mod table;
mod tokens;

#[cfg(test)]
mod tests;

pub use electricity::{Electricity, USD_PER_KWH};
pub use evenhand_core::approximate_tokens;
pub use expected::{ASSUMED_REPLY_TOKENS, CostRange, Expected, expected};
pub use price::{Price, Rate, TokenPrices};
pub use spent::{JudgeCost, Spent, spent};
pub use table::PriceTable;
pub use tokens::approximate_request_tokens;
