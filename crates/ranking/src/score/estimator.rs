//! The seam between evidence and intervals: what every kind of evidence can say of its scores.

use crate::scored::Scored;
use evenhand_engine::EngineError;
use evenhand_stats::inference::{Contributions, Covariance, InferenceError};
use evenhand_stats::{Bootstrap, Estimate, PairMethod, Resampled, Tally};

/// An estimator with the evidence that it is applied to.
pub(super) trait Estimator {
    /// Returns the scores without intervals.
    fn estimate(&self) -> Result<Scored, EngineError>;

    /// Returns the scores on the data and on every resample of them.
    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError>;

    /// Returns how skewed each system's score is, for corrected intervals; None where the data do
    /// not say.
    fn accelerations(&self) -> Result<Vec<Option<f64>>, EngineError>;

    /// Returns what each cluster adds to the differences of these scores, of which the higher is
    /// better.
    fn contributions(
        &self,
        estimates: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError>;

    /// Returns the robust covariance of strengths. Settings that would ask it of another estimator
    /// are refused before.
    fn covariance(&self, _strengths: &[Estimate]) -> Result<Covariance, InferenceError> {
        Err(InferenceError::Singular)
    }

    /// Returns the standard errors of shares of comparisons won; None for other scores.
    fn standard_errors(&self) -> Option<Vec<Option<f64>>> {
        None
    }

    /// Returns who was compared with whom, and how that is estimated; None where the evidence is
    /// no comparisons.
    fn compared(&self) -> Option<Compared<'_>> {
        None
    }
}

/// Counts of comparisons and their estimator.
pub(super) struct Compared<'a> {
    pub(super) tally: &'a Tally,
    pub(super) method: PairMethod,
}
