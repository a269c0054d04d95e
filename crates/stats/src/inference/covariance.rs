//! A covariance matrix of scores, and the intervals that follow from it.

use super::{InferenceError, check_length, check_two, finite_score};
use crate::checks::{above_rounding, check_clusters, check_finite, check_level, check_system};
use crate::index::{finite_systems, places_of};
use crate::special::{student_above, student_quantile};
use crate::{Estimate, Interval};

/// A variance below this share of the variances it is a difference of is rounding.
const ROUNDING: f64 = 1e-12;

/// The covariance of the scores of those of k systems whose score is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Covariance {
    estimates: Vec<Estimate>,
    systems: Vec<usize>,
    places: Vec<Option<usize>>,
    matrix: Vec<f64>,
    clusters: f64,
    clusters_of: Vec<usize>,
    few_clusters: bool,
}

impl Covariance {
    /// A covariance that was computed elsewhere.
    ///
    /// `estimates` are the scores of all k systems, m of them finite; `matrix` is their covariance,
    /// row-major m x m, in order of system; `clusters` is the number of independent units it rests
    /// on; `clusters_of` is how many of them each of the k systems is in: below 2 it has no
    /// standard error.
    ///
    /// # Errors
    /// Lengths that do not fit; a matrix entry that is not finite.
    pub fn new(
        estimates: Vec<Estimate>,
        matrix: Vec<f64>,
        clusters: f64,
        clusters_of: Vec<usize>,
    ) -> Result<Self, InferenceError> {
        let systems = finite_systems(&estimates);
        check_length("covariances", systems.len() * systems.len(), matrix.len())?;
        check_length("cluster counts", estimates.len(), clusters_of.len())?;
        check_finite("covariance", &matrix)?;
        Ok(Covariance {
            places: places_of(&systems, estimates.len()),
            estimates,
            systems,
            matrix,
            clusters,
            clusters_of,
            few_clusters: false,
        })
    }

    /// The same covariance, whose intervals and tests are those of few clusters: Student's
    /// distribution with n - 1 degrees of freedom in place of the normal, n the independent units
    /// that a system is in (Cameron and Miller 2015, section VI.D).
    #[must_use]
    pub fn of_few_clusters(self) -> Covariance {
        Covariance {
            few_clusters: true,
            ..self
        }
    }

    /// The scores of all k systems.
    pub fn estimates(&self) -> &[Estimate] {
        &self.estimates
    }

    /// The m systems with a finite score, in ascending order: what the rows and columns of the
    /// matrix belong to.
    pub fn systems(&self) -> &[usize] {
        &self.systems
    }

    /// The matrix, row-major m x m, in the squared unit of the scores.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// Number of independent units it rests on: items, or the total weight of comparisons.
    pub fn clusters(&self) -> f64 {
        self.clusters
    }

    /// Degrees of freedom of what is said of some systems.
    pub(super) fn freedom(&self, systems: &[usize]) -> f64 {
        let fewest = systems.iter().map(|&system| self.clusters_of[system]).min();
        match fewest {
            Some(clusters) if self.few_clusters => clusters.saturating_sub(1) as f64,
            _ => f64::INFINITY,
        }
    }

    /// The standard error of one system's score, in the unit of the scores.
    ///
    /// # Errors
    /// No such system; a score that is infinite or undefined; a system in fewer than 2 clusters;
    /// data that do not vary.
    pub fn standard_error(&self, system: usize) -> Result<f64, InferenceError> {
        check_system(0, system, self.estimates.len())?;
        finite_score(self.estimates[system], system)?;
        let place = self.place_of(system)?;
        root_of(self.entry(place, place))
    }

    /// The interval score ± z se, z the quantile of (1 + level) / 2 of the normal distribution, or
    /// of Student's where this is [`Covariance::of_few_clusters`]; it rests on no rounds.
    ///
    /// # Errors
    /// A bad level, and those of [`Covariance::standard_error`].
    pub fn interval(&self, system: usize, level: f64) -> Result<Interval, InferenceError> {
        check_level(level)?;
        let error = self.standard_error(system)?;
        let reach = student_quantile(0.5 + level / 2.0, self.freedom(&[system])) * error;
        let score = finite_score(self.estimates[system], system)?;
        Ok(interval_around(score, reach, level))
    }

    /// The difference of two scores, `a` less `b`, and its standard error.
    ///
    /// # Errors
    /// Those of [`Covariance::standard_error`] for either system; a system against itself.
    pub fn difference(&self, a: usize, b: usize) -> Result<(f64, f64), InferenceError> {
        check_two(a, b, self.estimates.len())?;
        let difference = finite_score(self.estimates[a], a)? - finite_score(self.estimates[b], b)?;
        let variance = self.difference_variance(self.place_of(a)?, self.place_of(b)?);
        Ok((difference, root_of(variance)?))
    }

    /// The variance of the difference at two places; 0 where it is rounding.
    pub(super) fn difference_variance(&self, i: usize, j: usize) -> f64 {
        let sum = self.entry(i, i) + self.entry(j, j);
        let variance = sum - 2.0 * self.entry(i, j);
        if variance > ROUNDING * sum {
            variance
        } else {
            0.0
        }
    }

    /// The place of a finite system that is in at least 2 clusters.
    pub(super) fn place_of(&self, system: usize) -> Result<usize, InferenceError> {
        let clusters = self.clusters_of[system];
        check_clusters(clusters)?;
        self.places[system].ok_or(InferenceError::Infinite { system })
    }

    pub(super) fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix[i * self.systems.len() + j]
    }
}

/// The interval that reaches so far to either side of an estimate; it rests on no rounds.
fn interval_around(estimate: f64, reach: f64, level: f64) -> Interval {
    Interval::of_ends([Some(estimate - reach), Some(estimate + reach)], level, 0)
}

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

impl Difference {
    /// Student's test of a difference with so many degrees of freedom.
    pub(super) fn tested(difference: f64, error: f64, freedom: f64, level: f64) -> Difference {
        let reach = student_quantile(0.5 + level / 2.0, freedom) * error;
        Difference {
            difference,
            standard_error: Some(error),
            interval: interval_around(difference, reach, level),
            p_value: 2.0 * student_above((difference / error).abs(), freedom),
        }
    }
}

/// The test of a difference d with standard error se: p = 2 P(T > |d| / se), interval d ± t se, T
/// normal, or with [`Covariance::of_few_clusters`] Student's with n - 1 degrees of freedom, n the
/// clusters that the rarer of the two systems is in. The p-value is never adjusted for how many
/// differences are looked at.
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
    Ok(Difference::tested(difference, error, freedom, level))
}

/// The standard error of a variance, where there is one.
fn root_of(variance: f64) -> Result<f64, InferenceError> {
    Ok(above_rounding(variance, 0.0)?.sqrt())
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
