//! Labels that are numbers: whether a 0 is a tie.

use super::error::{DataProblem, Place, Result};
use serde_json::Value;

/// Which numbers are labels of a file. Beside a 2 or a -1, 0 is a tie; beside 1 alone it may be the
/// second's win.
#[derive(Debug, Default)]
pub(super) struct ZeroLabels {
    first: Option<Place>,
    /// Whether a 2 or a -1 was met.
    explained: bool,
}

impl ZeroLabels {
    /// Notes a label, or a list of them.
    pub(super) fn add_label(&mut self, label: &Value, place: &Place) {
        let number: Option<f64> = match label {
            Value::Array(labels) => {
                for label in labels {
                    self.add_label(label, place);
                }
                return;
            }
            Value::String(word) => word.trim().parse().ok(),
            other => other.as_f64(),
        };
        self.explained |= matches!(number, Some(2.0 | -1.0));
        if number == Some(0.0) {
            self.first.get_or_insert_with(|| place.clone());
        }
    }

    /// Checks that the meaning of 0 is known.
    ///
    /// # Errors
    /// The place of the first 0, where there is neither 2 nor -1.
    pub(super) fn check(self, field: String) -> Result {
        match self.first {
            Some(place) if !self.explained => Err(DataProblem::Zeros { field }.at(&place)),
            _ => Ok(()),
        }
    }
}
