//! Whether two judges, seen on the same rows, differ in accuracy.

use crate::special::normal_below;
use crate::{Error, Undefined};

/// McNemar's test of two judges' accuracy on the same rows: three versions of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct McNemar {
    /// Two-sided p-value of the exact binomial test, in [0, 1]; 0 below what a double can hold.
    pub exact_p: f64,
    /// (b - c)^2 / (b + c).
    pub chi_square: f64,
    /// The p-value of `chi_square` with one degree of freedom.
    pub p: f64,
    /// (|b - c| - 1)^2 / (b + c), 0 at b = c: with the continuity correction of Edwards (1948).
    pub corrected_chi_square: f64,
    /// The p-value of `corrected_chi_square` with one degree of freedom.
    pub corrected_p: f64,
}

/// McNemar's test (McNemar 1947): of the rows on which exactly one of two judges was right,
/// `only_first` (b) and `only_second` (c) say which; if they are equally accurate, b is binomial
/// with b + c trials at 1/2. The rows on which both were right or both wrong do not matter; rows
/// are taken as independent. The exact test is the one to use where b + c is small (below 25, say).
///
/// # Errors
/// No row on which they differ ([`Undefined::NoDiscordantRows`]).
pub fn mcnemar(only_first: u32, only_second: u32) -> Result<McNemar, Error> {
    let n = u64::from(only_first) + u64::from(only_second);
    if n == 0 {
        return Err(Undefined::NoDiscordantRows.into());
    }
    let gap = f64::from(only_first.abs_diff(only_second));
    let chi_square = gap * gap / n as f64;
    let corrected_chi_square = (gap - 1.0).max(0.0).powi(2) / n as f64;
    let fewer = u64::from(only_first.min(only_second));
    let ratio_at = |i: u64| (n - i + 1) as f64 / i as f64;
    let below = 1.0 + sum_of_products((1..=fewer).rev().map(|i| ratio_at(i).recip()));
    let above = sum_of_products((fewer + 1..=n).map(ratio_at));
    Ok(McNemar {
        exact_p: (2.0 * below / (below + above)).min(1.0),
        chi_square,
        p: upper_tail(chi_square),
        corrected_chi_square,
        corrected_p: upper_tail(corrected_chi_square),
    })
}

/// r1 + r1 r2 + r1 r2 r3 + ...: until what is left does not matter, for descending ratios, or the
/// sum is infinite.
fn sum_of_products(ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut term) = (0.0, 1.0);
    for ratio in ratios {
        term *= ratio;
        sum += term;
        if (ratio < 1.0 && term < 1e-20 * sum) || sum == f64::INFINITY {
            break;
        }
    }
    sum
}

/// The chance that a chi-square variable with one degree of freedom, the square of a standard
/// normal one, is larger.
fn upper_tail(chi_square: f64) -> f64 {
    2.0 * normal_below(-chi_square.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // 1 and 5: 2 (1 + 6) / 64; (4)^2 / 6; (3)^2 / 6.
        let found = mcnemar(1, 5).unwrap();
        assert!((found.exact_p - 14.0 / 64.0).abs() < 1e-12, "{found:?}");
        assert_eq!(
            (found.chi_square, found.corrected_chi_square),
            (16.0 / 6.0, 1.5)
        );
        assert_eq!(mcnemar(5, 1), Ok(found));
    }

    #[test]
    fn the_ends() {
        assert_eq!(mcnemar(0, 0), Err(Undefined::NoDiscordantRows.into()));
        let level = mcnemar(7, 7).unwrap();
        assert_eq!(
            (
                level.exact_p,
                level.p,
                level.corrected_p,
                level.corrected_chi_square
            ),
            (1.0, 1.0, 1.0, 0.0)
        );
        assert!((mcnemar(0, 10).unwrap().exact_p - 2.0 / 1024.0).abs() < 1e-15);
        assert_eq!(mcnemar(0, 100_000).unwrap().exact_p, 0.0);
        // 2 * scipy.stats.binom.cdf(499000, 1000000, 0.5), scipy 1.17.1.
        assert!(
            (mcnemar(499_000, 501_000).unwrap().exact_p / 0.045_608_299_865_389_6 - 1.0).abs()
                < 1e-10
        );
    }
}
