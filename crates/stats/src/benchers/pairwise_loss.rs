//! How well a bencher's bootstrap scores forecast which of two systems people rate higher.

use super::separability::{CountedPair, mean_interval};
use crate::agreement::{clipped_log_loss, squared_error};
use crate::checks::{check_lengths, check_numbers, check_some, ensure};
use crate::index;
use crate::linear::{mean, mean_of, squared_deviations};
use crate::special::normal_below;
use crate::{Bootstrap, Error, Interval, Undefined};

/// Losses of a bencher's forecasts over the pairs of systems.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairwiseLoss {
    /// Mean squared error of the forecast probabilities, in [0, 1].
    pub brier: f64,
    /// Mean negative log-likelihood, in nats; forecasts are kept at least [`crate::LOG_LOSS_CLIP`]
    /// from 0 and 1.
    pub log_loss: f64,
    /// The pairs that it rests on: those with different ratings.
    pub pairs: u64,
}

/// Brier score and log loss of a bencher over the pairs of systems (Li et al. 2024, Arena-Hard).
///
/// `draws[i]` are bootstrap scores of system i, `ratings[i]` its rating by people. With the mean m
/// and the population variance v of a system's draws, the forecast that b is above a is p =
/// Phi((m_b - m_a) / sqrt(v_a + v_b)), Phi the standard normal distribution; with no variance at
/// all it is 1, 0, or 1/2 at equal means. Pairs with equal ratings are left out, so the order of
/// the systems does not matter.
///
/// # Errors
/// Lists of different length; a number that is NaN or beyond ±1e100; a system without draws
/// ([`Undefined::NoData`]); no pair with different ratings ([`Undefined::NoPairs`]).
pub fn pairwise_loss<D: AsRef<[f64]>>(draws: &[D], ratings: &[f64]) -> Result<PairwiseLoss, Error> {
    let forecasts = forecast_pairs(draws, ratings)?;
    Ok(PairwiseLoss {
        brier: mean_loss(&forecasts, squared_error),
        log_loss: mean_loss(&forecasts, default_log_loss),
        pairs: forecasts.len() as u64,
    })
}

fn mean_loss(forecasts: &[Forecast], loss: Loss) -> f64 {
    mean_of(
        forecasts
            .iter()
            .map(|forecast| loss(forecast.below, forecast.outcome)),
    )
}

/// Intervals of the losses of a bencher.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairwiseLossIntervals {
    /// Of [`PairwiseLoss::brier`].
    pub brier: Interval,
    /// Of [`PairwiseLoss::log_loss`]; a few certain and wrong forecasts can be all that it rests
    /// on.
    pub log_loss: Interval,
}

/// The percentile bootstrap intervals of [`pairwise_loss`] over the systems, each with its draws,
/// as [`crate::separability_interval`]: the systems are resampled, and what is forecast of a pair
/// stays as it is.
///
/// # Errors
/// As [`pairwise_loss`]; a bad level, number of rounds or threads; systems that always give the
/// same loss ([`Undefined::NoVariance`]). A round in which no two ratings differ is counted in
/// [`Interval::undefined`].
pub fn pairwise_loss_intervals<D: AsRef<[f64]>>(
    draws: &[D],
    ratings: &[f64],
    plan: &Bootstrap,
) -> Result<PairwiseLossIntervals, Error> {
    let found = pairwise_loss(draws, ratings)?;
    let forecasts = forecast_pairs(draws, ratings)?;
    let interval = |mean: f64, loss: Loss| {
        let losses = forecasts
            .iter()
            .map(|forecast| (forecast.pair, loss(forecast.below, forecast.outcome)));
        let losses: Vec<CountedPair> = losses.collect();
        mean_interval(ratings.len(), plan, mean, &losses)
    };
    Ok(PairwiseLossIntervals {
        brier: interval(found.brier, squared_error)?,
        log_loss: interval(found.log_loss, default_log_loss)?,
    })
}

/// The loss of a forecast probability, given what was observed.
type Loss = fn(f64, bool) -> f64;

/// The forecast of a pair of systems with different ratings.
struct Forecast {
    pair: (usize, usize),
    /// The probability that the first is below the second.
    below: f64,
    /// Whether people rate it so.
    outcome: bool,
}

/// At least one forecast, or why there is none.
fn forecast_pairs<D: AsRef<[f64]>>(draws: &[D], ratings: &[f64]) -> Result<Vec<Forecast>, Error> {
    check_lengths(draws.len(), ratings.len())?;
    check_numbers("rating", ratings)?;
    // Mean and population variance of each system's draws.
    let mut moments = Vec::with_capacity(draws.len());
    for draws in draws.iter().map(AsRef::as_ref) {
        check_numbers("draw", draws)?;
        check_some(draws.len())?;
        let mean = mean(draws);
        moments.push((mean, squared_deviations(draws, mean) / draws.len() as f64));
    }
    let pairs = index::pairs_below(ratings.len()).filter(|&(i, j)| ratings[i] != ratings[j]);
    let forecasts = pairs.map(|(i, j)| {
        let (gap, variance) = (moments[j].0 - moments[i].0, moments[i].1 + moments[j].1);
        Forecast {
            pair: (i, j),
            // Equal outcomes count half.
            below: if gap == 0.0 {
                0.5
            } else {
                normal_below(gap / variance.sqrt())
            },
            outcome: ratings[i] < ratings[j],
        }
    });
    let forecasts: Vec<Forecast> = forecasts.collect();
    ensure(!forecasts.is_empty(), || Undefined::NoPairs)?;
    Ok(forecasts)
}

fn default_log_loss(p: f64, outcome: bool) -> f64 {
    clipped_log_loss(p, outcome, crate::LOG_LOSS_CLIP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Means 1 and 3, variances 1 and 0: Phi(2) = 0.9772498680518208 (Python's
        // statistics.NormalDist().cdf).
        let found = pairwise_loss(&[vec![0.0, 2.0], vec![3.0]], &[10.0, 20.0]).unwrap();
        assert!((found.brier - 0.022_750_131_948_179_2f64.powi(2)).abs() < 1e-12);
        assert!((found.log_loss + 0.977_249_868_051_820_8f64.ln()).abs() < 1e-12);
        assert_eq!(found.pairs, 1);
    }

    #[test]
    fn no_variance_is_certainty() {
        let run = |a: f64, b: f64| pairwise_loss(&[[a], [b]], &[1.0, 2.0]).unwrap();
        assert_eq!(
            (
                run(0.0, 1.0).brier,
                run(1.0, 0.0).brier,
                run(1.0, 1.0).brier
            ),
            (0.0, 1.0, 0.25)
        );
        assert!((run(1.0, 0.0).log_loss + f64::EPSILON.ln()).abs() < 1e-9);
    }

    #[test]
    fn what_is_undefined_is_said() {
        assert_eq!(
            pairwise_loss(&[[1.0], [2.0]], &[3.0, 3.0]),
            Err(Undefined::NoPairs.into())
        );
        assert_eq!(
            pairwise_loss(&[vec![1.0], vec![]], &[3.0, 4.0]),
            Err(Undefined::NoData.into())
        );
        assert_eq!(
            pairwise_loss(&[[1.0]], &[3.0, 4.0]),
            Err(Error::Lengths {
                first: 1,
                second: 2
            })
        );
    }
}
