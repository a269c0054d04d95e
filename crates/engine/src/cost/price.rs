//! The price of one judge.

use super::Electricity;
use evenhand_core::Usage;

/// The price of a judge's tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The rate.
    pub rate: Rate,
    /// Where the figures are from.
    pub source: String,
    /// The day on which they were taken, as `YYYY-MM-DD`.
    pub date: String,
}

/// How tokens are charged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// By a provider.
    Tokens(TokenPrices),
    /// By USD for a million tokens of prompts and replies alike, whatever they are spent on: see
    /// [`Electricity`].
    Electricity(f64),
}

/// A provider's prices, in USD for a million tokens; finite and at least 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenPrices {
    /// Of prompts.
    pub input: f64,
    /// Of prompts, where the server found them in its cache.
    pub cached_input: f64,
    /// Of replies, a hidden reasoning included.
    pub output: f64,
    /// The share in [0, 1] that a batch costs less; None where there is no price for batches.
    pub batch_discount: Option<f64>,
}

impl Price {
    /// Returns USD for these tokens, `((prompt - cached) * input + cached * cached_input +
    /// completion * output) / 1e6`, in a batch times `1 - batch_discount`; without a price for
    /// batches, as if one by one. At least 0.
    pub fn cost(&self, usage: &Usage, batch: bool) -> f64 {
        match self.rate {
            Rate::Tokens(prices) => {
                let cached = usage.cached_tokens.min(usage.prompt_tokens);
                let computed = (usage.prompt_tokens - cached) as f64;
                let usd = (computed * prices.input
                    + cached as f64 * prices.cached_input
                    + usage.completion_tokens as f64 * prices.output)
                    / 1e6;
                match prices.batch_discount {
                    Some(discount) if batch => usd * (1.0 - discount),
                    _ => usd,
                }
            }
            // Machines are as busy with a prompt as with a reply, token by token.
            Rate::Electricity(usd) => {
                (usage.prompt_tokens as f64 + usage.completion_tokens as f64) * usd / 1e6
            }
        }
    }

    /// Returns USD for tokens of which some were in batches.
    pub fn cost_of_parts(&self, all: &Usage, by_batch: &Usage) -> f64 {
        self.cost(&all.without(by_batch), false) + self.cost(by_batch, true)
    }

    /// Whether there is a price for batches.
    pub fn has_batch(&self) -> bool {
        matches!(self.rate, Rate::Tokens(prices) if prices.batch_discount.is_some())
    }

    /// Returns the price of what these machines answer; None where that is not defined.
    pub fn electricity(electricity: &Electricity, source: String, date: String) -> Option<Price> {
        Some(Price {
            rate: Rate::Electricity(electricity.usd_per_million_tokens()?),
            source,
            date,
        })
    }
}
