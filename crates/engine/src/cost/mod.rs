//! The costs of judges: a price table, electricity, token counts where no tokenizer is at hand, and
//! the cost of a run.
//!
//! A judge without a price has no cost: what is unknown is None, and never 0.

mod expected;
mod file;
mod identity;
mod price;
mod spent;
mod table;
mod tokens;

#[cfg(test)]
mod tests;

pub use evenhand_core::approximate_tokens;
pub use expected::{CostRange, Expected, expected};
pub use price::{Electricity, Price, Rate, TokenPrices, USD_PER_KWH};
pub use spent::{JudgeCost, Spent, spent};
pub use table::PriceTable;
pub(crate) use tokens::approximate_state_tokens;
pub use tokens::{ASSUMED_REPLY_TOKENS, approximate_request_tokens};
