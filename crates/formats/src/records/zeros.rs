//! Labels that are numbers: whether a 0 is a tie.

use super::error::{DataError, Place, Problem};
use serde_json::Value;

/// Which numbers are labels of a file. Beside a 2 or a -1, 0 is a tie; beside 1 alone it may be the
/// second's win.
#[derive(Debug, Default)]
pub(super) struct Zeros {
    first: Option<Place>,
    /// True once a 2 or a -1 was met.
    told: bool,
}

impl Zeros {
    /// Notes a label, or a list of them.
    pub(super) fn add(&mut self, label: &Value, place: &Place) {
        let number = match label {
            Value::Array(labels) => return labels.iter().for_each(|label| self.add(label, place)),
            Value::String(word) => word.trim().parse().ok(),
            other => other.as_f64(),
        };
        self.told |= number.is_some_and(|number| number == 2.0 || number == -1.0);
        if number == Some(0.0) && self.first.is_none() {
            self.first = Some(place.clone());
        }
    }

    /// Checks that the meaning of 0 is known.
    ///
    /// # Errors
    /// The place of the first 0, where there is neither 2 nor -1.
    pub(super) fn check(self, field: String) -> Result<(), DataError> {
        match self.first.filter(|_| !self.told) {
            Some(place) => Err(Problem::Zeros { field }.at(&place)),
            None => Ok(()),
        }
    }
}
