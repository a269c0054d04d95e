//! A number that a user may quote: with its interval, or with the reason why it has none.

use evenhand_stats::{Error, Interval, Undefined};
use serde::Serialize;

/// A statistic with its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
}
