//! The standard normal distribution.

use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::FRAC_1_SQRT_2;

/// The quantile at `share`, strictly between 0 and 1.
pub(crate) fn normal_quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

/// The quantile z at (1 + level) / 2: a normal interval at this level is z standard errors to
/// either side.
pub(crate) fn two_sided_quantile(level: f64) -> f64 {
    normal_quantile(0.5 + level / 2.0)
}

/// The chance of a value below `z`; that of one above it is `normal_below(-z)`.
pub(crate) fn normal_below(z: f64) -> f64 {
    libm::erfc(-z * FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_another_program() {
        // Python's statistics.NormalDist: inv_cdf(0.975), inv_cdf(0.8), cdf(2).
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-12);
        assert!((normal_quantile(0.8) - 0.841_621_233_572_914_3).abs() < 1e-12);
        assert!((normal_below(2.0) - 0.977_249_868_051_820_8).abs() < 1e-15);
        // scipy.stats.norm.sf(10), scipy 1.17.1.
        assert!((normal_below(-10.0) / 7.619_853_024_160_527e-24 - 1.0).abs() < 1e-13);
    }
}
