//! The price table: ours, and a user's rows over it.

use super::Price;
use super::file::{PriceRow, read_rows};
use super::identity::Identity;
use crate::EngineError;
use evenhand_core::nearest;

/// Prices by provider, server and model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceTable {
    rows: Vec<PriceRow>,
}

const BUILT_IN: &str = include_str!("prices.toml");

impl PriceTable {
    /// Returns the prices that Evenhand comes with; the file itself
    /// (crates/engine/src/cost/prices.toml) says of which day they are and how it is written.
    pub fn built_in() -> PriceTable {
        // A test reads the file.
        PriceTable {
            rows: read_rows(BUILT_IN, "prices.toml").unwrap_or_default(),
        }
    }

    /// Adds the rows of a file of the same form, each in place of the one for the same provider,
    /// url and model.
    ///
    /// # Errors
    ///
    /// A text that is no such file, with `path` and line: unknown keys, numbers that are
    /// negative or not finite, rows that lack a figure, a row given twice.
    pub fn with(mut self, text: &str, path: &str) -> Result<PriceTable, EngineError> {
        let rows = read_rows(text, path)?;
        self.rows
            .retain(|ours| !rows.iter().any(|row| row.prices_same_model(ours)));
        self.rows.extend(rows);
        Ok(self)
    }

    /// Returns the price of the judge of this identity, by the row with the longest model that
    /// fits; None where no row is about it.
    pub fn price(&self, identity: &str) -> Option<&Price> {
        let judge = Identity::read(identity);
        let fitting = self
            .rows
            .iter()
            .filter_map(|row| Some((row.fit(&judge)?, row)));
        let (_, best) = fitting.max_by_key(|(fit, _)| *fit)?;
        Some(&best.price)
    }

    /// Returns the model whose name is nearest to that of a judge without a price, of the same
    /// provider and server; None where none is near.
    pub fn nearest_model(&self, identity: &str) -> Option<&str> {
        let judge = Identity::read(identity);
        let of_server = self
            .rows
            .iter()
            .filter(|row| row.provider == judge.provider && row.host == judge.host)
            .map(|row| row.model.as_str());
        nearest(judge.model, of_server)
    }
}
