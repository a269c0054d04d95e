//! How good probabilities are as forecasts.

use crate::Error;
use crate::checks::{check_argument, check_lengths, check_probabilities, check_some};
use crate::linear::mean_of;

/// How far [`log_loss`] usually keeps forecasts from 0 and 1: 2^-52, as scikit-learn does and
/// Arena-Hard did.
pub const LOG_LOSS_CLIP: f64 = f64::EPSILON;

/// The Brier score (Brier 1950) of forecasts of a yes-or-no outcome: the mean of (p - o)^2, o = 1
/// for true; in [0, 1], less is better.
///
/// # Errors
/// Lists of different length; a probability that is NaN or not from 0 to 1; no rows
/// ([`crate::Undefined::NoData`]).
pub fn brier(probabilities: &[f64], outcomes: &[bool]) -> Result<f64, Error> {
    mean_loss(probabilities, outcomes, squared_error)
}

/// The logarithmic loss (Good 1952) of forecasts of a yes-or-no outcome, in nats: the mean of -ln p
/// where the outcome is true and of -ln (1 - p) where it is false; less is better.
///
/// Forecasts are first moved to [clip, 1 - clip], so that a certain and wrong one costs -ln clip
/// and not infinity. `clip` is strictly between 0 and 1/2; [`LOG_LOSS_CLIP`] is usual.
///
/// # Errors
/// Lists of different length; a probability that is NaN or not from 0 to 1; a clip out of range; no
/// rows ([`crate::Undefined::NoData`]).
pub fn log_loss(probabilities: &[f64], outcomes: &[bool], clip: f64) -> Result<f64, Error> {
    let good = clip > 0.0 && clip < 0.5;
    check_argument("clip", clip, good, "above 0 and below 0.5")?;
    mean_loss(probabilities, outcomes, |p, outcome| {
        clipped_log_loss(p, outcome, clip)
    })
}

pub(crate) fn squared_error(p: f64, outcome: bool) -> f64 {
    let miss = if outcome { 1.0 - p } else { p };
    miss * miss
}

pub(crate) fn clipped_log_loss(p: f64, outcome: bool, clip: f64) -> f64 {
    let p = p.clamp(clip, 1.0 - clip);
    if outcome { -p.ln() } else { -(-p).ln_1p() }
}

fn mean_loss(
    probabilities: &[f64],
    outcomes: &[bool],
    loss: impl Fn(f64, bool) -> f64,
) -> Result<f64, Error> {
    check_forecasts(probabilities, outcomes)?;
    let forecasts = probabilities.iter().zip(outcomes);
    Ok(mean_of(forecasts.map(|(&p, &outcome)| loss(p, outcome))))
}

/// Forecasts and outcomes, at least one of each.
pub(super) fn check_forecasts(probabilities: &[f64], outcomes: &[bool]) -> Result<(), Error> {
    check_lengths(probabilities.len(), outcomes.len())?;
    check_probabilities("probability", probabilities)?;
    Ok(check_some(probabilities.len())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;

    #[test]
    fn by_hand() {
        let (p, outcomes) = ([0.5, 0.8, 0.1], [true, true, false]);
        assert!((brier(&p, &outcomes).unwrap() - (0.25 + 0.04 + 0.01) / 3.0).abs() < 1e-15);
        let expected = -(0.5f64.ln() + 0.8f64.ln() + 0.9f64.ln()) / 3.0;
        assert!((log_loss(&p, &outcomes, LOG_LOSS_CLIP).unwrap() - expected).abs() < 1e-15);
    }

    #[test]
    fn certain_and_wrong_costs_what_the_clip_says() {
        assert!((log_loss(&[0.0], &[true], 0.01).unwrap() + 0.01f64.ln()).abs() < 1e-15);
        assert!((log_loss(&[1.0], &[false], 0.01).unwrap() + 0.01f64.ln()).abs() < 1e-14);
        for clip in [0.0, 0.5, f64::NAN, -1.0] {
            assert!(matches!(
                log_loss(&[0.3], &[true], clip),
                Err(Error::Value { field: "clip", .. })
            ));
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        assert_eq!(brier(&[], &[]), Err(Undefined::NoData.into()));
        assert_eq!(
            brier(&[0.5], &[]),
            Err(Error::Lengths {
                first: 1,
                second: 0
            })
        );
        for bad in [f64::NAN, -0.1, 1.1] {
            assert!(matches!(
                brier(&[0.5, bad], &[true, true]),
                Err(Error::Value {
                    row: 1,
                    field: "probability",
                    ..
                })
            ));
        }
    }
}
