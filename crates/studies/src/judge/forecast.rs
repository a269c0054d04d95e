//! How far a judge's probabilities can be taken at their word.

use super::measure::PairFigures;
use crate::Figure;
use crate::figure::mean;
use evenhand_core::Side;
use evenhand_stats::{
    Binning, CalibrationBin, Error, brier, brier_interval, calibration_error_interval,
    expected_calibration_error,
};

/// Bins of the calibration error, each with as many pairs.
const BINS: (usize, Binning) = (10, Binning::EqualMass);
const CERTAIN: &str = "every verdict is all or nothing: none is a probability";

impl PairFigures<'_> {
    /// Returns the Brier score and the expected calibration error (ten bins of equal mass, which
    /// follow) of the probabilities that the first response is better, averaged over both orders, a
    /// tie being half of either; tied labels and pairs without a verdict do not count. Undefined
    /// where no verdict is a probability.
    pub(super) fn forecast(&self) -> Result<(Figure, Figure, Vec<CalibrationBin>), Error> {
        let (mut p, mut outcomes, mut items) = (Vec::new(), Vec::new(), Vec::new());
        for pair in self.pairs {
            let shares: Vec<f64> = pair
                .verdicts()
                .map(|[first, tie, _]| first + tie / 2.0)
                .collect();
            if let Some(mean) = mean(&shares)
                && pair.label != Side::Tie
            {
                // Shares that were rounded may add up to a little more than 1.
                p.push(mean.clamp(0.0, 1.0));
                outcomes.push(pair.label == Side::First);
                items.push(pair.cluster);
            }
        }
        if p.iter().all(|p| [0.0, 0.5, 1.0].contains(p)) {
            let undefined = Figure::undefined(CERTAIN);
            return Ok((undefined.clone(), undefined, Vec::new()));
        }
        let plan = &self.settings.bootstrap;
        let brier_score = brier(&p, &outcomes);
        let brier_interval = brier_interval(&p, &outcomes, &items, plan);
        let (bins, binning) = BINS;
        let calibration = expected_calibration_error(&p, &outcomes, bins, binning);
        let mut bins = match &calibration {
            Ok(found) => found.bins.clone(),
            Err(_) => Vec::new(),
        };
        bins.retain(|bin| bin.n > 0);
        let error_interval = calibration_error_interval(&p, &outcomes, BINS, &items, plan);
        Ok((
            Figure::new(brier_score, brier_interval)?,
            Figure::new(calibration.map(|found| found.error), error_interval)?,
            bins,
        ))
    }
}
