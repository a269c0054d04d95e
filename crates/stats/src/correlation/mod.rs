//! How well two lists of numbers, such as a bencher's scores and people's ratings of the same
//! systems, go together.

mod kendall;
mod pearson;
mod ranks;
mod spearman;
mod tau_u;

pub use kendall::{KendallCounts, kendall_counts, kendall_tau_b};
pub use pearson::pearson;
pub use ranks::mid_ranks;
pub(crate) use ranks::mid_ranks_of_counts;
pub use spearman::spearman;
pub use tau_u::{TauU, tau_u, tau_u_interval, u_for_share};

use crate::bootstrap::{repeat_drawn, resampled_interval};
use crate::checks::{check_lengths, check_numbers, check_rows};
use crate::{Bootstrap, Error, Interval, Undefined};

/// Which correlation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Correlation {
    /// [`pearson`].
    Pearson,
    /// [`spearman`].
    Spearman,
    /// [`kendall_tau_b`].
    KendallTauB,
}

impl Correlation {
    /// The correlation of the points (x\[i\], y\[i\]), from -1 to 1.
    ///
    /// # Errors
    /// Lists of different length; a value that is NaN or beyond ±1e100; fewer than 2 points
    /// ([`Undefined::TooFewPoints`]), a list of equal values ([`Undefined::Constant`]).
    pub fn correlate(self, x: &[f64], y: &[f64]) -> Result<f64, Error> {
        check_points(x, y)?;
        Ok(self.correlate_checked(x, y)?)
    }

    /// For points that have been checked already.
    fn correlate_checked(self, x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
        match self {
            Correlation::Pearson => pearson::product_moment(x, y),
            Correlation::Spearman => spearman::rank_correlation(x, y),
            Correlation::KendallTauB => kendall::count_pairs(x, y).tau_b(),
        }
    }
}

/// The percentile bootstrap interval of a correlation over the points (Efron and Tibshirani 1993,
/// section 13.3).
///
/// A resample in which a list is constant has no correlation: it is counted in
/// [`Interval::undefined`] and widens the interval, down to an open end where there are too many.
///
/// ```
/// use evenhand_stats::{Bootstrap, Correlation, correlation_interval};
///
/// let (scores, ratings) = ([0.2, 0.4, 0.3, 0.7, 0.9, 0.8], [1010.0, 1050.0, 1060.0, 1100.0, 1150.0, 1190.0]);
/// let tau = Correlation::KendallTauB.correlate(&scores, &ratings)?;
/// let interval = correlation_interval(&scores, &ratings, Correlation::KendallTauB, &Bootstrap::default())?;
/// assert!(interval.low.is_some_and(|low| low < tau) && interval.high.is_some_and(|high| high >= tau));
/// # Ok::<(), evenhand_stats::Error>(())
/// ```
///
/// # Errors
/// As [`Correlation::correlate`]; a bad level, number of rounds or threads; points that always give
/// the same correlation, such as a perfect one ([`Undefined::NoVariance`]).
pub fn correlation_interval(
    x: &[f64],
    y: &[f64],
    which: Correlation,
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    which.correlate(x, y)?;
    resampled_interval(x.len(), plan, |weights| {
        which.correlate_checked(&repeat_drawn(x, weights), &repeat_drawn(y, weights))
    })
}

fn check_points(x: &[f64], y: &[f64]) -> Result<(), Error> {
    check_rows(x.len())?;
    check_lengths(x.len(), y.len())?;
    check_numbers("x", x)?;
    check_numbers("y", y)?;
    if x.len() < 2 {
        return Err(Undefined::TooFewPoints { points: x.len() }.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Correlation; 3] = [
        Correlation::Pearson,
        Correlation::Spearman,
        Correlation::KendallTauB,
    ];

    #[test]
    fn what_is_undefined_is_said() {
        for which in ALL {
            assert_eq!(
                which.correlate(&[], &[]),
                Err(Undefined::TooFewPoints { points: 0 }.into())
            );
            assert_eq!(
                which.correlate(&[1.0], &[1.0]),
                Err(Undefined::TooFewPoints { points: 1 }.into())
            );
            assert_eq!(
                which.correlate(&[1.0, 1.0], &[1.0, 2.0]),
                Err(Undefined::Constant.into())
            );
            assert_eq!(
                which.correlate(&[1.0, 2.0], &[0.0, -0.0]),
                Err(Undefined::Constant.into())
            );
            assert_eq!(
                which.correlate(&[1.0], &[1.0, 2.0]),
                Err(Error::Lengths {
                    first: 1,
                    second: 2
                })
            );
            for bad in [f64::NAN, f64::INFINITY, -1e101] {
                assert!(matches!(
                    which.correlate(&[1.0, 2.0], &[3.0, bad]),
                    Err(Error::Value {
                        row: 1,
                        field: "y",
                        ..
                    })
                ));
            }
        }
    }

    #[test]
    fn two_points_lie_on_a_line() {
        for which in ALL {
            assert!((which.correlate(&[1.0, 2.0], &[5.0, 3.0]).unwrap() + 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_perfect_correlation_says_nothing_of_its_uncertainty() {
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 3.0 * x + 0.1).collect();
        for which in ALL {
            assert_eq!(
                correlation_interval(&x, &y, which, &Bootstrap::default()),
                Err(Undefined::NoVariance.into())
            );
        }
    }

    #[test]
    fn a_constant_resample_is_counted() {
        // Of 3 points with replacement, 3 of 27 resamples hold one point alone: 1/9 of 9000 rounds,
        // give or take 5 * 30.
        let plan = Bootstrap {
            rounds: 9000,
            level: 0.5,
            ..Default::default()
        };
        for which in ALL {
            let found =
                correlation_interval(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0], which, &plan).unwrap();
            assert!(found.undefined.abs_diff(1000) < 150, "{found:?}");
            assert_eq!(found.infinite, 0);
        }
    }
}
