//! How well judges agree with people and with each other, and how far their probabilities can be
//! believed.

mod accuracy;
mod alpha;
mod beyond_chance;
mod calibration;
mod confusion;
mod fleiss;
mod forecast_interval;
mod kappa;
mod mcnemar;
mod preferences;
mod scoring;
mod trend;

pub use accuracy::accuracy;
pub use alpha::{
    Alpha, Measurement, krippendorff_alpha, krippendorff_alpha_cluster_interval,
    krippendorff_alpha_interval,
};
pub use calibration::{Binning, Calibration, CalibrationBin, MAX_BINS, expected_calibration_error};
pub use confusion::{Confusion, MAX_CATEGORIES};
pub use fleiss::{FleissKappa, RatedSubject, fleiss_kappa, rated_agreement};
pub use forecast_interval::{brier_interval, calibration_error_interval};
pub use kappa::{Disagreement, Kappa, cohen_kappa};
pub use mcnemar::{McNemar, mcnemar};
pub use preferences::{
    preference_alpha, preference_alpha_interval, preference_kappa, preference_kappa_interval,
};
pub use scoring::{LOG_LOSS_CLIP, brier, log_loss};
pub(crate) use scoring::{clipped_log_loss, squared_error};
pub use trend::{Trend, share_trend};
