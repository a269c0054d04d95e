//! The smallest mean difference that a paired test detects.

use crate::checks::{check_clusters, check_level, check_share, check_weight};
use crate::special::{normal_quantile, two_sided_quantile};
use crate::{Error, Undefined};

/// The smallest true mean difference that a two-sided test of paired differences finds with the
/// given power: (z_(1+level)/2 + z_power) * sd / sqrt(n), the normal approximation (Cohen 1988,
/// chapter 2; Miller 2024, "Adding error bars to evals", on power).
///
/// `items` are independent (the clusters), `sd` is the standard deviation of one item's difference,
/// in the unit of the answer; `level` is 1 - alpha; both shares strictly between 0 and 1. For small
/// n a t test detects a little less.
///
/// # Errors
/// An `sd` that is negative, NaN, infinite or above 1e100, a bad level or power; fewer than 2 items
/// ([`Undefined::TooFewClusters`]), `sd` 0 ([`Undefined::NoVariance`]).
pub fn minimum_detectable_difference(
    items: usize,
    sd: f64,
    level: f64,
    power: f64,
) -> Result<f64, Error> {
    check_level(level)?;
    check_share("power", power)?;
    check_weight(0, "sd", sd)?;
    check_clusters(items)?;
    if sd == 0.0 {
        return Err(Undefined::NoVariance.into());
    }
    let deviations = two_sided_quantile(level) + normal_quantile(power);
    Ok(deviations * sd / (items as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_constants() {
        // z_0.975 + z_0.8 = 1.959963984540054 + 0.8416212335729143 (Python's
        // statistics.NormalDist().inv_cdf).
        let found = minimum_detectable_difference(100, 0.5, 0.95, 0.8).unwrap();
        assert!(
            (found - 2.801_585_218_112_968_3 * 0.05).abs() < 1e-12,
            "{found}"
        );
    }

    #[test]
    fn quantiles_agree_with_tables() {
        for (share, z) in [
            (0.5, 0.0),
            (0.995, 2.575_829_303_548_900_4),
            (1e-6, -4.753_424_308_822_899),
        ] {
            assert!((normal_quantile(share) - z).abs() < 1e-9, "{share}");
        }
    }

    #[test]
    fn what_is_undefined_is_said() {
        let run = |items, sd| minimum_detectable_difference(items, sd, 0.95, 0.8);
        assert_eq!(
            run(1, 1.0),
            Err(Undefined::TooFewClusters { clusters: 1 }.into())
        );
        assert_eq!(run(10, 0.0), Err(Undefined::NoVariance.into()));
        assert!(matches!(
            run(10, f64::NAN),
            Err(Error::Value { field: "sd", .. })
        ));
        assert!(matches!(
            minimum_detectable_difference(10, 1.0, 0.95, 1.0),
            Err(Error::Share { name: "power", .. })
        ));
    }
}
