//! The difference of two systems, with an interval and a p-value, which is never adjusted for how
//! many are looked at.

use super::covariance::interval_around;
use super::{Covariance, InferenceError};
use crate::Interval;
use crate::checks::check_level;
use crate::special::{student_above, student_quantile};

/// The difference of two scores, the first less the second, in the unit of the scores.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The difference.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// Its interval.
    pub interval: Interval,
    /// Two-sided p-value of no difference, in (0, 1]; 0 only where it is below the smallest number.
    pub p_value: f64,
}

/// The test of a difference d with standard error se: p = 2 P(T > |d| / se), interval d ± t se, T
/// normal, or with [`Covariance::of_few_clusters`] Student's with n - 1 degrees of freedom, n the
/// clusters that the rarer of the two systems is in.
///
/// # Errors
/// A bad level, and those of [`Covariance::difference`].
pub fn covariance_difference(
    covariance: &Covariance,
    a: usize,
    b: usize,
    level: f64,
) -> Result<Difference, InferenceError> {
    check_level(level)?;
    let (difference, error) = covariance.difference(a, b)?;
    let freedom = covariance.freedom(&[a, b]);
    let reach = student_quantile(0.5 + level / 2.0, freedom) * error;
    Ok(Difference {
        difference,
        standard_error: Some(error),
        interval: interval_around(difference, reach, level),
        p_value: 2.0 * student_above((difference / error).abs(), freedom),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimate::Finite;

    #[test]
    fn the_tests_by_hand() {
        let covariance = Covariance::new(
            vec![Finite(1.0), Finite(0.0)],
            vec![0.2, 0.0, 0.0, 0.05],
            9.0,
            vec![9, 12],
        )
        .unwrap();
        // z = 2: p = 0.0455002638963584, interval 1 +- 0.979981992270027.
        let normal = covariance_difference(&covariance, 0, 1, 0.95).unwrap();
        assert!((normal.p_value - 0.045_500_263_896_358_4).abs() < 1e-10);
        assert!((normal.interval.low.unwrap() - 0.020_018_007_729_973).abs() < 1e-9);
        let covariance = covariance.of_few_clusters();
        let found = covariance_difference(&covariance, 0, 1, 0.95).unwrap();
        // d = 1, se = 0.5, t = 2 with 8 degrees: p = 0.080516237, interval 1 +- 0.5 * 2.306004135.
        assert!(
            (found.p_value - 0.080_516_237).abs() < 1e-8,
            "{}",
            found.p_value
        );
        assert!((found.interval.high.unwrap() - 2.153_002_067).abs() < 1e-7);
    }
}
