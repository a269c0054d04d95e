//! The share of labels that are right.

use crate::checks::check_lengths;
use crate::{Error, Proportion, wilson};

/// The share of rows on which the two lists agree, with its Wilson interval at `level` (see
/// [`wilson`]); rows are taken as independent. A failed verdict counts as wrong if it has a label
/// of its own.
///
/// # Errors
/// Lists of different length; a bad level; no rows ([`crate::Undefined::NoData`]).
pub fn accuracy<T: PartialEq>(
    found: &[T],
    expected: &[T],
    level: f64,
) -> Result<Proportion, Error> {
    check_lengths(found.len(), expected.len())?;
    let pairs = found.iter().zip(expected);
    let right = pairs.filter(|(found, expected)| found == expected).count();
    wilson(right as f64, found.len() as f64, level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;

    #[test]
    fn counts_equal_labels() {
        let found = accuracy(
            &[Some(1), Some(2), None, Some(1)],
            &[Some(1), Some(1), Some(2), Some(1)],
            0.95,
        )
        .unwrap();
        assert_eq!(found, wilson(2.0, 4.0, 0.95).unwrap());
        assert_eq!(
            accuracy::<u8>(&[], &[], 0.95),
            Err(Undefined::NoData.into())
        );
        assert_eq!(
            accuracy(&[1], &[], 0.95),
            Err(Error::Lengths {
                first: 1,
                second: 0
            })
        );
    }
}
