//! One error for callers who use several parts of the crate.

use crate::adaptive::AdaptiveError;
use crate::control::ControlError;
use crate::inference::InferenceError;
use crate::misclassification::CorrectionError;
use crate::prediction_powered::PoweredError;
use crate::{Error, Undefined};

/// Any error of this crate: each of them becomes one by `?`.
///
/// ```
/// use evenhand_stats::inference::{covariance_difference, sandwich};
/// use evenhand_stats::{AnyError, Tally, bradley_terry};
///
/// fn p_value(won: f64, lost: f64) -> Result<f64, AnyError> {
///     let mut tally = Tally::new(2)?;
///     tally.add(0, 1, won, 0.0, lost)?;
///     let covariance = sandwich(&tally, &bradley_terry(&tally).scores.estimates)?;
///     Ok(covariance_difference(&covariance, 0, 1, 0.95)?.p_value)
/// }
/// assert!(p_value(70.0, 30.0)? < 0.001);
/// # Ok::<(), AnyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnyError {
    /// An input that was not accepted.
    #[error(transparent)]
    Input(#[from] Error),
    /// The inputs are valid, and the answer does not exist.
    #[error(transparent)]
    Undefined(#[from] Undefined),
    /// From [`crate::adaptive`].
    #[error(transparent)]
    Adaptive(#[from] AdaptiveError),
    /// From [`crate::control`].
    #[error(transparent)]
    Control(#[from] ControlError),
    /// From [`crate::inference`].
    #[error(transparent)]
    Inference(#[from] InferenceError),
    /// From [`crate::misclassification`].
    #[error(transparent)]
    Correction(#[from] CorrectionError),
    /// From [`crate::prediction_powered`].
    #[error(transparent)]
    Powered(#[from] PoweredError),
}
