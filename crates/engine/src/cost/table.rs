//! The price table: ours, and a user's rows over it.

use super::identity::{Identity, fit};
use super::{Price, file};
use crate::EngineError;

/// Prices by provider, server and model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceTable {
    rows: Vec<Row>,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// What stands before the colon of the identity.
    pub(super) provider: String,
    /// Host and port; None for the provider's own.
    pub(super) host: Option<String>,
    /// The model, or what it begins with and a `*`.
    pub(super) model: String,
    /// What it costs.
    pub(super) price: Price,
}

const BUILT_IN: &str = include_str!("prices.toml");

impl PriceTable {
    /// The prices that Evenhand comes with; the file itself (crates/engine/src/cost/prices.toml)
    /// says of which day they are and how it is written.
    pub fn built_in() -> PriceTable {
        // A test reads the file.
        PriceTable {
            rows: file::rows(BUILT_IN, "prices.toml").unwrap_or_default(),
        }
    }

    /// The table with the rows of a file of the same form, each in place of the one for the same
    /// provider, url and model.
    ///
    /// # Errors
    ///
    /// Where the text is no such file, with `path` and line: unknown keys, numbers that are
    /// negative or not finite, rows that lack a figure, a row given twice.
    pub fn with(mut self, text: &str, path: &str) -> Result<PriceTable, EngineError> {
        let rows = file::rows(text, path)?;
        self.rows
            .retain(|ours| !rows.iter().any(|row| row.is_for_the_same(ours)));
        self.rows.extend(rows);
        Ok(self)
    }

    /// What the judge of this identity costs, by the row with the longest model that fits; None
    /// where no row is about it.
    pub fn price(&self, identity: &str) -> Option<&Price> {
        let judge = Identity::read(identity);
        let about = self
            .rows
            .iter()
            .filter(|row| row.provider == judge.provider && row.host == judge.host);
        let fitting = about.filter_map(|row| Some((fit(&row.model, &judge)?, &row.price)));
        fitting.max_by_key(|(fit, _)| *fit).map(|(_, price)| price)
    }
}

impl Row {
    pub(super) fn is_for_the_same(&self, other: &Row) -> bool {
        (&self.provider, &self.host, &self.model) == (&other.provider, &other.host, &other.model)
    }
}
