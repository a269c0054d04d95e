//! Student's t distribution.

use super::{normal_below, normal_quantile};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The quantile at `share`, strictly between 0 and 1, for `freedom` degrees of freedom, at least 1
/// (fewer are taken as 1); the normal one where they are infinite.
pub(crate) fn student_quantile(share: f64, freedom: f64) -> f64 {
    if freedom.is_infinite() {
        return normal_quantile(share);
    }
    match StudentsT::new(0.0, 1.0, freedom.max(1.0)) {
        Ok(distribution) => distribution.inverse_cdf(share),
        Err(_) => f64::INFINITY,
    }
}

/// The probability of more than `t`, at least 0, for `freedom` degrees of freedom, at least 1; the
/// normal one where they are infinite.
pub(crate) fn student_above(t: f64, freedom: f64) -> f64 {
    if freedom.is_infinite() {
        return normal_below(-t);
    }
    match StudentsT::new(0.0, 1.0, freedom.max(1.0)) {
        Ok(distribution) => distribution.sf(t),
        Err(_) => 1.0,
    }
}

/// The chance of a value below `t`, with so many degrees of freedom, at least 1.
pub(crate) fn student_below(t: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(f64::NAN, |distribution| distribution.cdf(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_tables() {
        assert!((student_quantile(0.975, 1.0) - 12.706_204_736).abs() < 1e-6);
        assert!((student_quantile(0.975, 9.0) - 2.262_157_163).abs() < 1e-6);
        assert!((student_quantile(0.8, 4.0) - 0.940_964_58).abs() < 1e-6);
        // The normal distribution's; statrs is less exact there.
        assert!((student_quantile(0.975, 1e6) - 1.959_966).abs() < 2e-4);
    }
}
