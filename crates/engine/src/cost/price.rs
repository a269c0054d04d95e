//! The price of one judge: a provider's, or the electricity of one's own machines.

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

/// The average rate in the United States, in USD per kWh (Gao et al. 2025, "Re-evaluating Automatic
/// LLM System Ranking for Alignment with Human Preference", appendix E).
pub const USD_PER_KWH: f64 = 0.17;

/// Machines that answer at a steady rate. Buying and keeping them is not counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Electricity {
    /// Power of one device, in watts; at least 0.
    pub watts: f64,
    /// How many devices; at least 0.
    pub devices: f64,
    /// Tokens of prompts and replies that all devices together get through in a second; above 0.
    pub tokens_per_second: f64,
    /// USD per kWh; at least 0.
    pub usd_per_kwh: f64,
}

impl Electricity {
    /// USD for a million tokens, `watts * devices * (1e6 / tokens_per_second) / 3.6e6 *
    /// usd_per_kwh` (a kWh is 3.6e6 watt seconds; Gao et al. 2025, appendix E). None where that is
    /// not a number of at least 0, as with no token a second.
    pub fn usd_per_million_tokens(&self) -> Option<f64> {
        let seconds = 1e6 / self.tokens_per_second;
        let usd = self.watts * self.devices * seconds / 3.6e6 * self.usd_per_kwh;
        Some(usd).filter(|usd| usd.is_finite() && *usd >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H100s of 700 W.
    fn h100(devices: f64, tokens_per_second: f64) -> Electricity {
        Electricity {
            watts: 700.0,
            devices,
            tokens_per_second,
            usd_per_kwh: USD_PER_KWH,
        }
    }

    /// The paper: 289.6 Wh a million tokens, 0.0492 USD, in its table 3 0.05.
    #[test]
    fn of_the_papers_70b_model_is_the_papers() {
        let usd = h100(4.0, 15.0 * 179.0).usd_per_million_tokens().unwrap();
        assert!((usd - 0.0492).abs() < 0.00005, "{usd}");
        assert!((usd / USD_PER_KWH * 1000.0 - 289.6).abs() < 0.1, "{usd}");
    }

    /// The paper: 36.21 Wh a million tokens, in its table 3 0.006 USD. Its product 0.00577 is a
    /// slip: 36.21 Wh at 0.17 USD per kWh are 0.006156 USD, and 0.00577 would be 0.1593 USD per
    /// kWh. Both are 0.006 to the table's digits.
    #[test]
    fn of_the_papers_8b_model_is_the_papers_energy_and_table() {
        let usd = h100(1.0, 30.0 * 179.0).usd_per_million_tokens().unwrap();
        assert!((usd / USD_PER_KWH * 1000.0 - 36.21).abs() < 0.005, "{usd}");
        assert_eq!(format!("{usd:.3} {usd:.6}"), "0.006 0.006156");
        let at_the_papers_product = Electricity {
            usd_per_kwh: 0.1593,
            ..h100(1.0, 30.0 * 179.0)
        };
        assert!(
            (at_the_papers_product.usd_per_million_tokens().unwrap() - 0.00577).abs() < 0.000005
        );
    }

    #[test]
    fn of_machines_that_stand_still_is_unknown() {
        for tokens_per_second in [0.0, -1.0, f64::NAN] {
            assert_eq!(
                h100(1.0, tokens_per_second).usd_per_million_tokens(),
                None,
                "{tokens_per_second}"
            );
        }
    }
}
