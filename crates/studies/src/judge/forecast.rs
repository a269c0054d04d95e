//! How far a judge's probabilities can be taken at their word.

use super::LabelledPair;
use super::measure::{ForecastFigures, PairFigures};
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{
    Binning, Bootstrap, Calibration, CalibrationBin, Error, brier, brier_interval,
    calibration_error_interval, expected_calibration_error,
};

/// Bins of the calibration error, each with as many pairs.
const BINS: (usize, Binning) = (10, Binning::EqualMass);
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
        let forecasts = Forecasts::of_pairs(self.pairs);
        if forecasts.are_certain() {
            return Ok(ForecastFigures::undefined(CERTAIN));
        }
        let plan = &self.settings.bootstrap;
        Ok(ForecastFigures {
            brier: forecasts.brier(plan)?,
            calibration_error: forecasts.calibration_error(plan)?,
            bins: forecasts.filled_bins(),
        })
    }
}

impl ForecastFigures {
    fn undefined(why: &str) -> ForecastFigures {
        ForecastFigures {
            brier: Figure::undefined(why),
            calibration_error: Figure::undefined(why),
            bins: Vec::new(),
        }
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

    /// Adds a pair that has a verdict and a winner.
    fn add(&mut self, pair: &LabelledPair) {
        let Some(mean) = mean_first_share(pair).filter(|_| pair.label != Side::Tie) else {
            return;
        };
        // Shares that were rounded may add up to a little more than 1.
        self.p.push(mean.clamp(0.0, 1.0));
        self.outcomes.push(pair.label == Side::First);
        self.items.push(pair.cluster);
    }

    fn are_certain(&self) -> bool {
        self.p.iter().all(|p| [0.0, 0.5, 1.0].contains(p))
    }

    fn brier(&self, plan: &Bootstrap) -> Result<Figure, Error> {
        let Forecasts { p, outcomes, items } = self;
        Figure::new(brier(p, outcomes), brier_interval(p, outcomes, items, plan))
    }

    /// Returns the bins that hold a pair; none where nothing is forecast.
    fn filled_bins(&self) -> Vec<CalibrationBin> {
        let bins = self
            .calibration()
            .map_or_else(|_| Vec::new(), |found| found.bins);
        bins.into_iter().filter(|bin| bin.n > 0).collect()
    }

    fn calibration(&self) -> Result<Calibration, Error> {
        let (bins, binning) = BINS;
        expected_calibration_error(&self.p, &self.outcomes, bins, binning)
    }

    fn calibration_error(&self, plan: &Bootstrap) -> Result<Figure, Error> {
        let Forecasts { p, outcomes, items } = self;
        let found = self.calibration();
        let interval = calibration_error_interval(p, outcomes, BINS, items, plan);
        Figure::new(found.map(|found| found.error), interval)
    }
}

/// Returns the share of the first response, averaged over the verdicts; None without a verdict.
fn mean_first_share(pair: &LabelledPair) -> Option<f64> {
    let shares: Vec<f64> = pair.verdicts().map(first_share).collect();
    let sum: f64 = shares.iter().sum();
    (!shares.is_empty()).then_some(sum / shares.len() as f64)
}

/// Returns the share of the first response in a verdict, a tie being half of it.
fn first_share([first, tie, _]: [f64; 3]) -> f64 {
    first + tie / 2.0
}
