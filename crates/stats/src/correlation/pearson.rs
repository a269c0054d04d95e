//! The product-moment correlation.

use super::check_points;
use crate::linear::{centred, largest};
use crate::{Error, Undefined};

/// Pearson's correlation (Pearson 1896) of the points (x\[i\], y\[i\]), from -1 to 1: sum (x - mean
/// x)(y - mean y) / sqrt(sum (x - mean x)^2 * sum (y - mean y)^2). Two points always give -1 or 1.
///
/// # Errors
/// Lists of different length; a value that is NaN or beyond ±1e100; fewer than 2 points
/// ([`Undefined::TooFewPoints`]), a list of equal values ([`Undefined::Constant`]).
pub fn pearson(x: &[f64], y: &[f64]) -> Result<f64, Error> {
    check_points(x, y)?;
    Ok(product_moment(x, y)?)
}

/// For points that have been checked already.
pub(super) fn product_moment(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    let (x, y) = (deviations(x)?, deviations(y)?);
    let r = inner_product(&x, &y) / (inner_product(&x, &x) * inner_product(&y, &y)).sqrt();
    Ok(r.clamp(-1.0, 1.0))
}

/// Deviations from the mean, in units of the largest, so that no square overflows or vanishes.
fn deviations(values: &[f64]) -> Result<Vec<f64>, Undefined> {
    if values.iter().all(|value| *value == values[0]) {
        return Err(Undefined::Constant);
    }
    let distances = centred(values.to_vec());
    let largest = largest(&distances);
    Ok(distances.iter().map(|x| x / largest).collect())
}

fn inner_product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Deviations (-2, -1, 0, 3) and (-1, 0, -1, 2): 8 / sqrt(14 * 6).
        let found = pearson(&[1.0, 2.0, 3.0, 6.0], &[2.0, 3.0, 2.0, 5.0]).unwrap();
        assert!((found - 8.0 / 84.0f64.sqrt()).abs() < 1e-15, "{found}");
    }

    #[test]
    fn the_size_of_the_numbers_does_not_matter() {
        for scale in [1e-300, 1e-160, 1.0, 1e99] {
            let x = [1.0, 2.0, 3.0, 6.0].map(|x| x * scale);
            let found = pearson(&x, &[2.0, 3.0, 2.0, 5.0]).unwrap();
            assert!(
                (found - 8.0 / 84.0f64.sqrt()).abs() < 1e-14,
                "{scale}: {found}"
            );
        }
    }
}
