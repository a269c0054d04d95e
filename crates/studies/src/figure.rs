//! A number that a user may quote: with its interval, or with the reason why it has none.

pub(crate) use evenhand_stats::mean_value as mean;
use evenhand_stats::{
    ColumnMean, Error, Interval, Undefined, clustered_share, mcnemar, mean_difference,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A statistic with its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// The statistic; None where it is undefined.
    pub value: Option<f64>,
    /// Its interval, open (None) at an end that is not finite; None where it has no interval.
    pub ci: Option<[Option<f64>; 2]>,
    /// Why the value or the interval is missing.
    pub note: Option<String>,
}

impl Figure {
    /// Combines a value and what its resampling came to. What is undefined becomes a note.
    ///
    /// # Errors
    /// What is wrong with the settings.
    pub fn new(
        value: Result<f64, Error>,
        interval: Result<Interval, Error>,
    ) -> Result<Figure, Error> {
        let (value, no_value) = split_undefined(value)?;
        let (interval, no_interval) = split_undefined(interval)?;
        let ci = interval
            .filter(|_| value.is_some())
            .map(|interval| [interval.low, interval.high]);
        let note = no_value.or(no_interval).map(|reason| reason.to_string());
        Ok(Figure { value, ci, note })
    }

    /// Returns the ratio of two sums over rows, each (cluster, sum, count), with an
    /// interval over the clusters ([`Figure::of_clusters`]).
    ///
    /// # Errors
    /// As [`Figure::of_clusters`].
    pub(crate) fn of_rows<C: Ord>(
        rows: impl IntoIterator<Item = (C, f64, f64)>,
        level: f64,
    ) -> Result<Figure, Error> {
        let mut sums: BTreeMap<C, (f64, f64)> = BTreeMap::new();
        for (cluster, numerator, denominator) in rows {
            let sum = sums.entry(cluster).or_default();
            *sum = (sum.0 + numerator, sum.1 + denominator);
        }
        Figure::of_clusters(&sums.into_values().collect::<Vec<_>>(), level)
    }

    /// Returns a share over clusters, each (sum, count), with its interval ([`clustered_share`]).
    /// What is undefined becomes a note.
    ///
    /// # Errors
    /// As [`clustered_share`], but for what is undefined.
    pub(crate) fn of_clusters(rows: &[(f64, f64)], level: f64) -> Result<Figure, Error> {
        Figure::of_ends(clustered_share(rows, level).map(|found| (found.value, found.interval)))
    }

    /// Returns a mean of shares from 0 to 1, one for each cluster, as [`Figure::of_clusters`] does.
    ///
    /// # Errors
    /// As [`Figure::of_clusters`].
    pub(crate) fn of_shares(shares: &[f64], level: f64) -> Result<Figure, Error> {
        let rows: Vec<(f64, f64)> = shares.iter().map(|share| (*share, 1.0)).collect();
        Figure::of_clusters(&rows, level)
    }

    /// Returns a mean of differences from -`most` to `most`, one for each cluster, with its
    /// interval ([`mean_difference`]). What is undefined becomes a note.
    ///
    /// # Errors
    /// As [`mean_difference`], but for what is undefined.
    pub(crate) fn of_differences(
        differences: &[f64],
        most: f64,
        level: f64,
    ) -> Result<Figure, Error> {
        Figure::of_mean(mean_difference(differences, most, level))
    }

    /// Returns a mean over columns as a figure; what is undefined becomes a note.
    ///
    /// # Errors
    /// What else is wrong.
    pub(crate) fn of_mean(found: Result<ColumnMean, Error>) -> Result<Figure, Error> {
        Figure::of_ends(found.map(|found| (found.value, found.interval)))
    }

    fn of_ends(found: Result<(f64, Result<[f64; 2], Undefined>), Error>) -> Result<Figure, Error> {
        match found {
            Ok((value, interval)) => Ok(Figure {
                value: Some(value),
                ci: interval.ok().map(|ends| ends.map(Some)),
                note: interval.err().map(|why| why.to_string()),
            }),
            Err(Error::Undefined(why)) => Ok(Figure::undefined(why.to_string())),
            Err(error) => Err(error),
        }
    }

    /// Returns a figure without an interval.
    pub(crate) fn of_value(value: f64) -> Figure {
        Figure {
            value: Some(value),
            ..Figure::default()
        }
    }

    /// Returns a figure without a value, for this reason.
    pub fn undefined(reason: impl Into<String>) -> Figure {
        Figure {
            note: Some(reason.into()),
            ..Figure::default()
        }
    }
}

/// Returns what is defined, or why it is undefined; any other error goes on.
fn split_undefined<T>(result: Result<T, Error>) -> Result<(Option<T>, Option<Undefined>), Error> {
    match result {
        Ok(value) => Ok((Some(value), None)),
        Err(Error::Undefined(reason)) => Ok((None, Some(reason))),
        Err(other) => Err(other),
    }
}

/// Returns the exact two-sided p-value of so many rows against so many (McNemar's, or a sign test);
/// None where there are none.
pub(crate) fn exact_sign_p([first, second]: [u32; 2]) -> Result<Option<f64>, Error> {
    match mcnemar(first, second) {
        Ok(test) => Ok(Some(test.exact_p)),
        Err(Error::Undefined(Undefined::NoDiscordantRows)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Returns the chance of at least `count` of n at `chance`, which lies between 0 and 1: the
/// one-sided p-value of the exact binomial test.
pub(crate) fn chance_of_at_least(count: u64, n: u64, chance: f64) -> f64 {
    // The logarithms of the terms of the lower tail, each from the one before it: no factorial
    // overflows, and no first term of many is lost below what a double can hold.
    let odds = (chance / (1.0 - chance)).ln();
    let (mut term, mut sum) = (n as f64 * (1.0 - chance).ln(), 0.0);
    for k in 0..count.min(n) {
        sum += term.exp();
        term += ((n - k) as f64 / (k + 1) as f64).ln() + odds;
    }
    // Rounding may take the sum a little beyond 1.
    (1.0 - sum).clamp(0.0, 1.0)
}

/// Returns 1 for true and 0 for false, so that a mean over many is a share.
pub(crate) fn indicator(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval {
            low: Some(low),
            high: Some(high),
            level: 0.95,
            rounds: 10,
            infinite: 0,
            undefined: 0,
        }
    }

    #[test]
    fn what_is_undefined_is_said_once() {
        let figure = Figure::new(Ok(0.5), Ok(interval(0.4, 0.6))).unwrap();
        assert_eq!(
            (figure.value, figure.ci, figure.note),
            (Some(0.5), Some([Some(0.4), Some(0.6)]), None)
        );
        let figure = Figure::new(Ok(1.0), Err(Undefined::NoVariance.into())).unwrap();
        assert_eq!(
            (figure.value, figure.ci, figure.note.unwrap()),
            (Some(1.0), None, Undefined::NoVariance.to_string())
        );
        let figure = Figure::new(Err(Undefined::NoData.into()), Ok(interval(0.0, 1.0))).unwrap();
        assert_eq!(
            (figure.value, figure.ci, figure.note.unwrap()),
            (None, None, Undefined::NoData.to_string())
        );
    }

    #[test]
    fn a_wrong_setting_is_an_error() {
        assert!(
            Figure::new(
                Ok(0.5),
                Err(Error::Share {
                    name: "level",
                    value: 2.0
                })
            )
            .is_err()
        );
    }

    #[test]
    fn the_upper_tail_by_hand() {
        // 2 or 3 of 3 at 1/8: 3/64 * 7/8 + 1/512 = 22/512.
        assert!((chance_of_at_least(2, 3, 0.125) - 22.0 / 512.0).abs() < 1e-12);
        assert_eq!(chance_of_at_least(0, 10, 0.1), 1.0);
        // (2/3)^9000 is no double; half of 9000 is far above a third, and a third is not.
        assert!(chance_of_at_least(4500, 9000, 1.0 / 3.0) < 1e-6);
        assert!((chance_of_at_least(3000, 9000, 1.0 / 3.0) - 0.5).abs() < 0.01);
    }
}
