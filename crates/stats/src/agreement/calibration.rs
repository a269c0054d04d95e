//! Whether what is forecast at 70 % happens in 70 % of the cases.

use super::scoring::check_forecasts;
use crate::Error;
use crate::index::ascending_positions;

/// The most bins that forecasts are put into.
pub const MAX_BINS: usize = 1_000_000;

/// How forecasts are put into B bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binning {
    /// Bin b holds the forecasts from b / B to below (b + 1) / B; the last one holds 1 too.
    EqualWidth,
    /// Bins of equal size up to one: bin b holds the forecasts at positions i from 0, in ascending
    /// order, with floor(B i / n) = b. Equal forecasts stay together, at the middle of their
    /// positions, so that the order of the rows does not matter; bins are then uneven and can be
    /// empty.
    EqualMass,
}

/// The forecasts of one bin: a point of a reliability diagram.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CalibrationBin {
    /// The number of forecasts.
    pub n: usize,
    /// Mean forecast, in [0, 1]; None in an empty bin.
    pub forecast: Option<f64>,
    /// Share of outcomes that were true, in [0, 1]; None in an empty bin.
    pub observed: Option<f64>,
}

/// How far forecasts are from what was observed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Calibration {
    /// Expected calibration error, in [0, 1]: the mean over forecasts of their bin's |observed -
    /// forecast|.
    pub error: f64,
    /// The bins, from the lowest forecasts to the highest, empty ones too.
    pub bins: Vec<CalibrationBin>,
}

/// The expected calibration error (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017) of
/// forecasts of a yes-or-no outcome: sum over bins of n_b / n * |observed_b - forecast_b|, with the
/// bins of the reliability diagram.
///
/// `probabilities[i]` is the forecast that `outcomes[i]` is true; `bins` is 1 to [`MAX_BINS`]. The
/// error depends on the bins and is biased upwards where they hold few forecasts.
///
/// # Errors
/// Lists of different length; a probability that is NaN or not from 0 to 1; a number of bins out of
/// range; no rows ([`crate::Undefined::NoData`]).
pub fn expected_calibration_error(
    probabilities: &[f64],
    outcomes: &[bool],
    bins: usize,
    binning: Binning,
) -> Result<Calibration, Error> {
    check_forecasts(probabilities, outcomes)?;
    if !(1..=MAX_BINS).contains(&bins) {
        return Err(Error::Bins {
            bins,
            limit: MAX_BINS,
        });
    }
    let bin_of = assign_bins(probabilities, bins, binning);
    // Of each bin how many forecasts it has, their sum, and how many outcomes are true.
    let mut sums = vec![(0, 0.0, 0); bins];
    for ((&p, &outcome), bin) in probabilities.iter().zip(outcomes).zip(bin_of) {
        let (n, forecast, observed) = &mut sums[bin];
        *n += 1;
        *forecast += p;
        *observed += usize::from(outcome);
    }
    let bins = sums.into_iter().map(|(n, forecast, observed)| {
        let mean = |sum: f64| (n > 0).then(|| sum / n as f64);
        CalibrationBin {
            n,
            forecast: mean(forecast),
            observed: mean(observed as f64),
        }
    });
    let bins: Vec<CalibrationBin> = bins.collect();
    let misses = bins.iter().map(|bin| {
        let pair = bin.observed.zip(bin.forecast);
        bin.n as f64 * pair.map_or(0.0, |(observed, forecast)| (observed - forecast).abs())
    });
    Ok(Calibration {
        error: misses.sum::<f64>() / probabilities.len() as f64,
        bins,
    })
}

/// The bin of each forecast; `bins` must not be 0.
pub(super) fn assign_bins(probabilities: &[f64], bins: usize, binning: Binning) -> Vec<usize> {
    if binning == Binning::EqualWidth {
        return (probabilities.iter())
            .map(|&p| equal_width_bin(p, bins))
            .collect();
    }
    let order = ascending_positions(probabilities);
    let (mut bin_of, mut below) = (vec![0; order.len()], 0);
    for equal in order.chunk_by(|&a, &b| probabilities[a] == probabilities[b]) {
        // Twice the middle position, since that of an even number is not whole. In 128 bits, since
        // the product with the number of bins may not fit into 64.
        let twice_middle = (2 * below + equal.len() - 1) as u128;
        let bin = (bins as u128 * twice_middle / (2 * order.len() as u128)) as usize;
        for &row in equal {
            bin_of[row] = bin;
        }
        below += equal.len();
    }
    bin_of
}

fn equal_width_bin(p: f64, bins: usize) -> usize {
    let edge = |b: usize| b as f64 / bins as f64;
    let near = ((p * bins as f64) as usize).min(bins - 1);
    // The product can round across an edge, which the comparisons correct.
    if p < edge(near) {
        near - 1
    } else {
        (near + usize::from(p >= edge(near + 1))).min(bins - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(p: &[f64], bins: usize, binning: Binning) -> Vec<usize> {
        let outcomes = vec![true; p.len()];
        expected_calibration_error(p, &outcomes, bins, binning)
            .unwrap()
            .bins
            .iter()
            .map(|bin| bin.n)
            .collect()
    }

    #[test]
    fn by_hand() {
        // Bins of width 1/2: 0.1, 0.3 (one true: 0.5 against 0.2) and 0.5, 0.9, 1 (two true: 2/3
        // against 0.8).
        let (p, outcomes) = ([0.9, 0.1, 0.5, 1.0, 0.3], [true, false, false, true, true]);
        let found = expected_calibration_error(&p, &outcomes, 2, Binning::EqualWidth).unwrap();
        assert!(
            (found.error - (2.0 * 0.3 + 3.0 * (0.8 - 2.0 / 3.0)) / 5.0).abs() < 1e-15,
            "{found:?}"
        );
        assert_eq!((found.bins[0].n, found.bins[0].observed), (2, Some(0.5)));
        // One bin: mean 0.56 against 0.6.
        let found = expected_calibration_error(&p, &outcomes, 1, Binning::EqualMass).unwrap();
        assert!((found.error - 0.04).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn edges_belong_to_the_bin_above() {
        for bins in [3, 10, 49, 100] {
            let p: Vec<f64> = (0..bins).map(|b| b as f64 / bins as f64).collect();
            assert_eq!(sizes(&p, bins, Binning::EqualWidth), vec![1; bins]);
        }
        assert_eq!(
            sizes(&[0.0, 1.0, 0.99], 4, Binning::EqualWidth),
            [1, 0, 0, 2]
        );
    }

    #[test]
    fn equal_mass_keeps_equal_forecasts_together() {
        assert_eq!(
            sizes(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], 3, Binning::EqualMass),
            [3, 2, 2]
        );
        // Four equal forecasts at positions 1 to 4, middle 2.5 of 6: the second of three bins.
        assert_eq!(
            sizes(&[0.1, 0.2, 0.2, 0.2, 0.2, 0.6], 3, Binning::EqualMass),
            [1, 4, 1]
        );
    }

    #[test]
    fn bins_out_of_range_are_errors() {
        for bins in [0, MAX_BINS + 1] {
            let found = expected_calibration_error(&[0.5], &[true], bins, Binning::EqualMass);
            assert_eq!(
                found,
                Err(Error::Bins {
                    bins,
                    limit: MAX_BINS
                })
            );
        }
    }
}
