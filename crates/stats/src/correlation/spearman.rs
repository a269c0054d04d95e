//! The correlation of ranks.

use super::check_points;
use super::pearson::product_moment;
use super::ranks::mid_ranks;
use crate::{Error, Undefined};

/// Spearman's rank correlation (Spearman 1904) of the points (x\[i\], y\[i\]), from -1 to 1:
/// Pearson's correlation of the [`mid_ranks`]. Without ties that is 1 - 6 sum d^2 / (n (n^2 - 1)),
/// d the difference of the ranks.
///
/// # Errors
/// Lists of different length; a value that is NaN or beyond ±1e100; fewer than 2 points
/// ([`Undefined::TooFewPoints`]), a list of equal values ([`Undefined::Constant`]).
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, Error> {
    check_points(x, y)?;
    Ok(rank_correlation(x, y)?)
}

/// For points that have been checked already.
pub(super) fn rank_correlation(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    product_moment(&mid_ranks(x), &mid_ranks(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Ranks 1 2 3 4 5 and 2 1 4 3 5: sum d^2 = 4, so 1 - 24 / 120.
        let found = spearman(&[1.0, 20.0, 21.0, 30.0, 99.0], &[0.2, 0.1, 7.0, 0.3, 8.0]).unwrap();
        assert!((found - 0.8).abs() < 1e-15, "{found}");
    }
}
