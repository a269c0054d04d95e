//! Whether a share rises or falls with a number.

use crate::special::normal_below;
use crate::{Error, Undefined};

/// A test for a trend of a share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trend {
    /// Standard normal where there is no trend; above 0 where the share rises.
    pub z: f64,
    /// Two-sided p-value, in [0, 1].
    pub p: f64,
}

/// The Cochran-Armitage test for trend (Armitage 1955): whether the share of successes rises or
/// falls linearly with a number. Each row is one independent trial, (number, whether it succeeded);
/// rows of the same number form a group. It is the score test of a logistic regression on the
/// number.
///
/// # Errors
/// No row ([`Undefined::NoData`]); rows that all have the same number or the same outcome
/// ([`Undefined::NoVariance`]); a number that is not finite.
pub fn share_trend(rows: &[(f64, bool)]) -> Result<Trend, Error> {
    let n = rows.len() as f64;
    if rows.is_empty() {
        return Err(Undefined::NoData.into());
    }
    let share = rows.iter().filter(|row| row.1).count() as f64 / n;
    let mean = rows.iter().map(|row| row.0).sum::<f64>() / n;
    let spread: f64 = rows.iter().map(|row| (row.0 - mean).powi(2)).sum();
    let variance = share * (1.0 - share) * spread;
    if !variance.is_finite() {
        return Err(Error::Share {
            name: "number",
            value: variance,
        });
    }
    if variance == 0.0 {
        return Err(Undefined::NoVariance.into());
    }
    let successes = rows.iter().filter(|row| row.1);
    let z = successes.map(|row| row.0 - mean).sum::<f64>() / variance.sqrt();
    Ok(Trend {
        z,
        p: 2.0 * normal_below(-z.abs()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of the same number, spelled out as trials.
    fn rows(groups: &[(f64, usize, usize)]) -> Vec<(f64, bool)> {
        let trials = groups.iter().flat_map(|&(number, successes, trials)| {
            (0..trials).map(move |trial| (number, trial < successes))
        });
        trials.collect()
    }

    /// The textbook formula over groups: sum x (r - n p) over the root of
    /// p (1 - p) (sum n x^2 - (sum n x)^2 / N).
    #[test]
    fn trials_agree_with_the_formula_over_groups() {
        let groups = [(0.0, 19, 90), (1.0, 29, 100), (2.0, 24, 60)];
        let found = share_trend(&rows(&groups)).unwrap();
        let (n, p) = (250.0, 72.0 / 250.0);
        let top: f64 = groups
            .iter()
            .map(|g| g.0 * (g.1 as f64 - g.2 as f64 * p))
            .sum();
        let x: f64 = groups.iter().map(|g| g.0 * g.2 as f64).sum();
        let xx: f64 = groups.iter().map(|g| g.0 * g.0 * g.2 as f64).sum();
        let z = top / (p * (1.0 - p) * (xx - x * x / n)).sqrt();
        assert!((found.z - z).abs() < 1e-12, "{found:?} and {z}");
        assert!((found.p - 2.0 * normal_below(-z)).abs() < 1e-15);
        assert!(found.p < 0.05 && found.z > 0.0);
    }

    #[test]
    fn what_has_no_trend_is_said() {
        assert_eq!(share_trend(&[]), Err(Undefined::NoData.into()));
        for rows in [rows(&[(1.0, 2, 5)]), rows(&[(1.0, 2, 2), (3.0, 4, 4)])] {
            assert_eq!(share_trend(&rows), Err(Undefined::NoVariance.into()));
        }
        assert!(share_trend(&[(f64::NAN, true), (1.0, false)]).is_err());
        let level = share_trend(&rows(&[(1.0, 3, 6), (2.0, 3, 6)])).unwrap();
        assert_eq!((level.z, level.p), (0.0, 1.0));
    }
}
