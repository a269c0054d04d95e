//! Rows of the price table.

use super::Price;

/// A row of the price table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PriceRow {
    /// What stands before the colon of the identity.
    pub(super) provider: String,
    /// Host and port; None for the provider's own.
    pub(super) host: Option<String>,
    /// The model, or what it begins with and a `*`.
    pub(super) model: String,
    pub(super) price: Price,
}

impl PriceRow {
    /// Whether two rows price the same model of the same server.
    pub(super) fn prices_same_model(&self, other: &PriceRow) -> bool {
        self.provider == other.provider && self.host == other.host && self.model == other.model
    }
}
