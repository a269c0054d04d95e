//! How well two lists of numbers, such as a bencher's scores and people's ratings of the same
//! systems, go together.

mod kendall;
mod ranks;
mod tau_u;

use crate::bootstrap::{repeat_drawn, resampled_interval};
use crate::checks::{check_lengths, check_numbers, check_rows, ensure};
use crate::linear::{centred, largest};
use crate::{Bootstrap, Error, Interval, Undefined};
pub use kendall::{KendallCounts, kendall_counts, kendall_tau_b};
pub use ranks::mid_ranks;
pub(crate) use ranks::mid_ranks_of_counts;
pub use tau_u::{TauU, tau_u, tau_u_interval, u_for_share};

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
            Correlation::Pearson => product_moment(x, y),
            Correlation::Spearman => product_moment(&mid_ranks(x), &mid_ranks(y)),
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
/// the same correlation, such as a perfect one ([`Undefined::NoVariance`]), or so nearly always
/// that both ends are the same ([`Undefined::SameInRounds`]).
pub fn correlation_interval(
    x: &[f64],
    y: &[f64],
    which: Correlation,
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    let found = which.correlate(x, y)?;
    resampled_interval(x.len(), plan, found, |weights| {
        which.correlate_checked(&repeat_drawn(x, weights), &repeat_drawn(y, weights))
    })
}

fn check_points(x: &[f64], y: &[f64]) -> Result<(), Error> {
    check_rows(x.len())?;
    check_lengths(x.len(), y.len())?;
    check_numbers("x", x)?;
    check_numbers("y", y)?;
    let points = x.len();
    Ok(ensure(points > 1, || Undefined::TooFewPoints { points })?)
}

/// Pearson's correlation (Pearson 1896) of the points (x\[i\], y\[i\]), from -1 to 1: sum (x - mean
/// x)(y - mean y) / sqrt(sum (x - mean x)^2 * sum (y - mean y)^2). Two points always give -1 or 1.
///
/// # Errors
/// Lists of different length; a value that is NaN or beyond ±1e100; fewer than 2 points
/// ([`Undefined::TooFewPoints`]), a list of equal values ([`Undefined::Constant`]).
pub fn pearson(x: &[f64], y: &[f64]) -> Result<f64, Error> {
    Correlation::Pearson.correlate(x, y)
}

/// For points that have been checked already.
fn product_moment(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    let (x, y) = (deviations(x)?, deviations(y)?);
    let r = inner_product(&x, &y) / (inner_product(&x, &x) * inner_product(&y, &y)).sqrt();
    Ok(r.clamp(-1.0, 1.0))
}

/// Deviations from the mean, in units of the largest, so that no square overflows or vanishes.
fn deviations(values: &[f64]) -> Result<Vec<f64>, Undefined> {
    if values.iter().all(|value| *value == values[0]) {
        return Err(Undefined::Constant);
    }
    let distances = centred(values.to_vec());
    let largest = largest(&distances);
    Ok(distances.iter().map(|x| x / largest).collect())
}

fn inner_product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Spearman's rank correlation (Spearman 1904) of the points (x\[i\], y\[i\]), from -1 to 1:
/// Pearson's correlation of the [`mid_ranks`]. Without ties that is 1 - 6 sum d^2 / (n (n^2 - 1)),
/// d the difference of the ranks.
///
/// # Errors
/// Lists of different length; a value that is NaN or beyond ±1e100; fewer than 2 points
/// ([`Undefined::TooFewPoints`]), a list of equal values ([`Undefined::Constant`]).
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, Error> {
    Correlation::Spearman.correlate(x, y)
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

    #[test]
    fn pearson_by_hand() {
        // Deviations (-2, -1, 0, 3) and (-1, 0, -1, 2): 8 / sqrt(14 * 6).
        let found = pearson(&[1.0, 2.0, 3.0, 6.0], &[2.0, 3.0, 2.0, 5.0]).unwrap();
        assert!((found - 8.0 / 84.0f64.sqrt()).abs() < 1e-15, "{found}");
    }

    #[test]
    fn the_size_of_the_numbers_does_not_matter() {
        for scale in [1e-300, 1e-160, 1.0, 1e99] {
            let x = [1.0, 2.0, 3.0, 6.0].map(|x| x * scale);
            let found = pearson(&x, &[2.0, 3.0, 2.0, 5.0]).unwrap();
            assert!(
                (found - 8.0 / 84.0f64.sqrt()).abs() < 1e-14,
                "{scale}: {found}"
            );
        }
    }

    #[test]
    fn spearman_by_hand() {
        // Ranks 1 2 3 4 5 and 2 1 4 3 5: sum d^2 = 4, so 1 - 24 / 120.
        let found = spearman(&[1.0, 20.0, 21.0, 30.0, 99.0], &[0.2, 0.1, 7.0, 0.3, 8.0]).unwrap();
        assert!((found - 0.8).abs() < 1e-15, "{found}");
    }
}
