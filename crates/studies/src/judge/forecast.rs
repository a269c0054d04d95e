//! How far a judge's probabilities can be taken at their word.

use super::LabelledPair;
use super::measure::{ForecastFigures, PairFigures};
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{
    Binning, Error, brier, brier_interval, calibration_error_interval, expected_calibration_error,
};

/// Bins of the calibration error, each with as many pairs.
const BINS: usize = 10;
const CERTAIN: &str = "every verdict is all or nothing: none is a probability";

/// The probability that a pair's first response is better, and whether it is, for each pair with a
/// verdict and a winner.
#[derive(Default)]
struct Forecasts {
    p: Vec<f64>,
    outcomes: Vec<bool>,
    items: Vec<u32>,
}

impl PairFigures<'_> {
    /// Returns the Brier score and the expected calibration error (ten bins of equal mass) of the
    /// probabilities that the first response is better, averaged over both orders, a tie being half
    /// of either; tied labels and pairs without a verdict do not count. Undefined where no verdict
    /// is a probability.
    pub(super) fn forecast(&self) -> Result<ForecastFigures, Error> {
        let Forecasts { p, outcomes, items } = &Forecasts::of_pairs(self.pairs);
        if p.iter().all(|p| [0.0, 0.5, 1.0].contains(p)) {
            return Ok(ForecastFigures {
                brier: Figure::undefined(CERTAIN),
                calibration_error: Figure::undefined(CERTAIN),
            });
        }
        let plan = &self.settings.bootstrap;
        let bins = (BINS, Binning::EqualMass);
        let error = expected_calibration_error(p, outcomes, bins.0, bins.1);
        Ok(ForecastFigures {
            brier: Figure::new(brier(p, outcomes), brier_interval(p, outcomes, items, plan))?,
            calibration_error: Figure::new(
                error.map(|found| found.error),
                calibration_error_interval(p, outcomes, bins, items, plan),
            )?,
        })
    }
}

impl Forecasts {
    fn of_pairs(pairs: &[&LabelledPair]) -> Forecasts {
        let mut forecasts = Forecasts::default();
        for pair in pairs {
            forecasts.add(pair);
        }
        forecasts
    }

    fn add(&mut self, pair: &LabelledPair) {
        let verdicts = pair
            .games
            .iter()
            .flatten()
            .filter_map(|game| game.outcome.as_ref().ok());
        let first: Vec<f64> = verdicts.map(|[first, tie, _]| first + tie / 2.0).collect();
        if first.is_empty() || pair.label == Side::Tie {
            return;
        }
        self.p
            .push((first.iter().sum::<f64>() / first.len() as f64).clamp(0.0, 1.0));
        self.outcomes.push(pair.label == Side::First);
        self.items.push(pair.cluster);
    }
}
