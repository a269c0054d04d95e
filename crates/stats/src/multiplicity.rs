//! p-values adjusted for how many there are.

use crate::checks::check_probabilities;
use crate::{Error, index};

/// p-values adjusted by Holm's step-down method (Holm 1979), in the order of the input: for the
/// k-th smallest of m it is the largest of (m - j + 1) p_(j) over j up to k, at most 1. Rejecting
/// where it is at most alpha keeps the chance of any false rejection at alpha or below, however the
/// tests depend on each other.
///
/// # Errors
/// A p-value that is NaN or not from 0 to 1 (with its position).
pub fn holm(p: &[f64]) -> Result<Vec<f64>, Error> {
    let order = ascending_positions(p)?;
    let (mut adjusted, mut largest) = (vec![0.0; p.len()], 0.0f64);
    for (rank, &i) in order.iter().enumerate() {
        largest = largest.max((p.len() - rank) as f64 * p[i]).min(1.0);
        adjusted[i] = largest;
    }
    Ok(adjusted)
}

/// p-values adjusted by the step-up method of Benjamini and Hochberg (1995), in the order of the
/// input: for the k-th smallest of m it is the smallest of m p_(j) / j over j from k, at most 1.
/// Rejecting where it is at most q keeps the expected share of false rejections among all
/// rejections at q or below, for independent or positively dependent tests.
///
/// # Errors
/// A p-value that is NaN or not from 0 to 1 (with its position).
pub fn benjamini_hochberg(p: &[f64]) -> Result<Vec<f64>, Error> {
    let order = ascending_positions(p)?;
    let (mut adjusted, mut smallest) = (vec![0.0; p.len()], 1.0f64);
    for (rank, &i) in order.iter().enumerate().rev() {
        // The factor first: it is at least 1, so that no adjusted value falls below its own by
        // rounding.
        smallest = smallest.min(p[i] * (p.len() as f64 / (rank + 1) as f64));
        adjusted[i] = smallest;
    }
    Ok(adjusted)
}

/// The positions of the p-values, the smallest first.
fn ascending_positions(p: &[f64]) -> Result<Vec<usize>, Error> {
    check_probabilities("p-value", p)?;
    Ok(index::ascending_positions(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], expected: &[f64]) -> bool {
        found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(x, y)| (x - y).abs() < 1e-15)
    }

    #[test]
    fn by_hand() {
        // Sorted 0.01, 0.03, 0.04, 0.5.  Holm: 0.04, 0.09, max(0.09, 0.08), 0.5.
        // Benjamini-Hochberg: 0.04, min(0.06, 0.16/3), 0.16/3, 0.5.
        let p = [0.03, 0.5, 0.01, 0.04];
        assert!(close(&holm(&p).unwrap(), &[0.09, 0.5, 0.04, 0.09]));
        assert!(close(
            &benjamini_hochberg(&p).unwrap(),
            &[0.16 / 3.0, 0.5, 0.04, 0.16 / 3.0]
        ));
    }

    #[test]
    fn the_ends() {
        assert_eq!(
            (holm(&[]), benjamini_hochberg(&[])),
            (Ok(vec![]), Ok(vec![]))
        );
        assert_eq!(holm(&[1.0, 0.0, 0.9]), Ok(vec![1.0, 0.0, 1.0]));
        for bad in [f64::NAN, -0.1, 1.1] {
            assert!(matches!(
                holm(&[0.5, bad]),
                Err(Error::Value {
                    row: 1,
                    field: "p-value",
                    ..
                })
            ));
            assert!(matches!(
                benjamini_hochberg(&[bad]),
                Err(Error::Value { row: 0, .. })
            ));
        }
    }
}
