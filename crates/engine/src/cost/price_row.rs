//! Rows of the price table.

use super::Price;
use super::identity::{Identity, model_fit};

/// A row of the price table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PriceRow {
    /// The part of the identity before the colon.
    pub(super) provider: String,
    /// Host and port; None for the provider's own.
    pub(super) host: Option<String>,
    /// The model, or what it begins with and a `*`.
    pub(super) model: String,
    pub(super) price: Price,
}

impl PriceRow {
    /// Returns how well the row fits a judge, the more the greater; None where it is not about it.
    pub(super) fn fit(&self, judge: &Identity) -> Option<(usize, u8)> {
        if self.provider == judge.provider && self.host == judge.host {
            model_fit(&self.model, judge)
        } else {
            None
        }
    }

    /// Whether two rows price the same model of the same server.
    pub(super) fn prices_same_model(&self, other: &PriceRow) -> bool {
        self.provider == other.provider && self.host == other.host && self.model == other.model
    }
}
