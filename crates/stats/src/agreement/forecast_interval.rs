//! How sure the losses and the calibration of forecasts are: items are resampled, with all the
//! forecasts made on them.

use super::calibration::{Binning, assign_bins, expected_calibration_error};
use super::scoring::{brier, squared_error};
use crate::bootstrap::{ROUNDING, expanded_interval, percentiles};
use crate::checks::check_lengths;
use crate::index::number_values;
use crate::linear::difference;
use crate::{Bootstrap, Error, Estimate, Interval, Undefined, resample};

/// The percentile bootstrap interval of [`brier`] over items.
///
/// `items[i]` is the item that forecast i was made on, numbered in any way; forecasts on one item
/// are drawn together. Where every forecast is independent of the others, give each an item of its
/// own. The estimand is the mean over the forecasts that items of the same kind would get; a
/// round's is sum_c t_c L_c / sum_c t_c n_c, with L_c the loss and n_c the number of forecasts of
/// item c, and t_c how often it was drawn.
///
/// ```
/// use evenhand_stats::{Bootstrap, brier, brier_interval};
///
/// // Six forecasts on three items.
/// let (p, right) = ([0.9, 0.8, 0.6, 0.4, 0.7, 0.2], [true, true, false, true, true, false]);
/// let interval = brier_interval(&p, &right, &[0, 0, 1, 1, 2, 2], &Bootstrap::default())?;
/// let score = brier(&p, &right)?;
/// assert!(interval.low.is_some_and(|low| low < score) && interval.high.is_some_and(|high| high > score));
/// # Ok::<(), evenhand_stats::Error>(())
/// ```
///
/// # Errors
/// As [`brier`]; items that are not as many as forecasts; a bad level, number of rounds or threads;
/// fewer than 2 items ([`Undefined::TooFewClusters`]); items that always give the same mean
/// ([`Undefined::NoVariance`]).
pub fn brier_interval(
    probabilities: &[f64],
    outcomes: &[bool],
    items: &[u32],
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    let score = brier(probabilities, outcomes)?;
    check_lengths(probabilities.len(), items.len())?;
    let (clusters, cluster_of) = number_values(items);
    // Of each item the sum of its losses, and how many forecasts it has.
    let mut sums = vec![(0.0, 0.0); clusters];
    for ((&p, &outcome), &cluster) in probabilities.iter().zip(outcomes).zip(&cluster_of) {
        sums[cluster].0 += squared_error(p, outcome);
        sums[cluster].1 += 1.0;
    }
    expanded_interval(clusters, plan, score, |times| {
        let (mut total, mut n) = (0.0, 0.0);
        for (sum, times) in sums.iter().zip(times) {
            total += times * sum.0;
            n += times * sum.1;
        }
        Ok(total / n)
    })
}

/// A bootstrap interval of [`expected_calibration_error`] over items (see [`brier_interval`]), with
/// the bins of the data.
///
/// With S_b = sum over the forecasts of bin b of (o - p) / n, the error is the norm E =
/// sum_b |S_b|. Noise does not cancel in it: E is biased upwards, each round's again, and a
/// percentile interval lies above a small error in nearly every sample. So each end is a bound of
/// its own. With s_b the true means, e = sum_b |s_b| the true error, and S*_b a round's:
///
/// - high, the (1 + level) / 2 quantile of sum_b |S*_b|, as a percentile interval has it. It is at
///   least the quantile of sum_b sign(s_b) S*_b, which is a percentile bound of sum_b sign(s_b)
///   s_b = e.
/// - low, E less the (1 + level) / 2 quantile of sum_b |S*_b - S_b|, and at least 0: E - e <=
///   sum_b |S_b - s_b|.
///
/// The interval is therefore conservative: the coverage is at least the level where the S_b are
/// about normal, which takes several items in each bin that has forecasts. It reaches to E at
/// least. The bins are those of the data in every round: it is an interval for the error over these
/// bins, and says nothing of the error within a bin or of other edges.
///
/// # Errors
/// As [`expected_calibration_error`] and [`brier_interval`].
pub fn calibration_error_interval(
    probabilities: &[f64],
    outcomes: &[bool],
    (bins, binning): (usize, Binning),
    items: &[u32],
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    let error = expected_calibration_error(probabilities, outcomes, bins, binning)?.error;
    check_lengths(probabilities.len(), items.len())?;
    let (clusters, cluster_of) = number_values(items);
    let (filled, bin_of) = number_values(&assign_bins(probabilities, bins, binning));
    // The sum of outcome less forecast in each bin, over the number of forecasts drawn.
    let bin_misses = |times: &[f64]| -> Vec<f64> {
        let (mut sums, mut n) = (vec![0.0; filled], 0.0);
        for (row, (&p, &outcome)) in probabilities.iter().zip(outcomes).enumerate() {
            let drawn = times[cluster_of[row]];
            sums[bin_of[row]] += drawn * (f64::from(u8::from(outcome)) - p);
            n += drawn;
        }
        sums.iter().map(|sum| sum / n).collect()
    };
    let sum_of_sizes = |values: &[f64]| values.iter().map(|x| x.abs()).sum::<f64>();
    let found = bin_misses(&vec![1.0; clusters]);
    // The norm of each round, and its distance from what was found.
    let rounds = resample(clusters, plan, |times| {
        let drawn = bin_misses(times);
        let distance = sum_of_sizes(&difference(&drawn, &found));
        (sum_of_sizes(&drawn), distance)
    })?;
    if rounds.iter().all(|(_, distance)| *distance <= ROUNDING) {
        return Err(Undefined::NoVariance.into());
    }
    let finite = |(norm, distance)| (Estimate::Finite(norm), Estimate::Finite(distance));
    let (norms, distances): (Vec<_>, Vec<_>) = rounds.into_iter().map(finite).unzip();
    let norm = percentiles(Estimate::Finite(error), &norms, plan.level)?;
    let distance = percentiles(Estimate::Finite(0.0), &distances, plan.level)?;
    Ok(Interval {
        low: distance.high.map(|far| (error - far).max(0.0)),
        ..norm
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 6] = [0.9, 0.8, 0.6, 0.4, 0.7, 0.2];
    const RIGHT: [bool; 6] = [true, true, false, true, true, false];
    const TEN: (usize, Binning) = (10, Binning::EqualWidth);

    #[test]
    fn two_items_by_hand() {
        // Losses 0.1 and 0.3 in squares: item 7 has 0.01 and 0.09, item 2 has 0.25. Rounds are 0.05
        // (1/4), 0.35 / 3 (1/2) and 0.25 (1/4), so that the quartiles of level 0.9 are the ends.
        let plan = Bootstrap {
            level: 0.9,
            ..Default::default()
        };
        let found =
            brier_interval(&[0.9, 0.3, 0.5], &[true, false, true], &[7, 7, 2], &plan).unwrap();
        assert!(
            (found.low.unwrap() - 0.05).abs() < 1e-15 && (found.high.unwrap() - 0.25).abs() < 1e-15,
            "{found:?}"
        );
        assert_eq!(
            (found.undefined, found.infinite, found.rounds),
            (0, 0, 1000)
        );
    }

    #[test]
    fn the_ends_of_a_calibration_error_by_hand() {
        // One bin, misses 0.1 and -0.3: the error is 0.1. Rounds 0.1, -0.1 and -0.3: norms 0.1,
        // 0.1, 0.3 and distances 0.2, 0, 0.2, so that the ends are 0.1 - 0.2, cut off at 0, and
        // 0.3.
        let run = |p: f64, bins| {
            let plan = Bootstrap {
                level: 0.9,
                ..Default::default()
            };
            calibration_error_interval(
                &[0.9, p],
                &[true, false],
                (bins, Binning::EqualMass),
                &[0, 1],
                &plan,
            )
            .unwrap()
        };
        let found = run(0.3, 1);
        assert!(
            found.low == Some(0.0) && (found.high.unwrap() - 0.3).abs() < 1e-15,
            "{found:?}"
        );
        // Misses 0.1 and -0.9 in a bin: error 0.4, rounds 0.1, 0.4, 0.9.
        let found = run(0.9, 1);
        assert!(
            found.low == Some(0.0) && (found.high.unwrap() - 0.9).abs() < 1e-15,
            "{found:?}"
        );
        // In bins of their own: 0.05 and -0.15, error 0.2; rounds (0.1, 0), (0, -0.3): norms to
        // 0.3, distances 0.2.
        let found = run(0.3, 2);
        assert!(
            found.low.unwrap().abs() < 1e-15 && (found.high.unwrap() - 0.3).abs() < 1e-15,
            "{found:?}"
        );
    }

    #[test]
    fn items_are_drawn_whole_whatever_their_names_and_threads_change_nothing() {
        let plan = Bootstrap {
            rounds: 400,
            ..Default::default()
        };
        for items in [[0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5]] {
            let run = |items: &[u32], plan: &Bootstrap| {
                let brier = brier_interval(&P, &RIGHT, items, plan);
                [
                    brier,
                    calibration_error_interval(&P, &RIGHT, TEN, items, plan),
                ]
                .map(Result::unwrap)
            };
            assert_eq!(
                run(&items, &plan),
                run(&items.map(|item| 1000 * item), &plan)
            );
            assert_eq!(
                run(&items, &plan),
                run(&items, &Bootstrap { threads: 2, ..plan })
            );
        }
    }

    #[test]
    fn what_is_undefined_is_said() {
        let plan = Bootstrap::default();
        let all = |p: &[f64], right: &[bool], items: &[u32]| {
            [
                brier_interval(p, right, items, &plan),
                calibration_error_interval(p, right, TEN, items, &plan),
            ]
        };
        let every = |found: [Result<Interval, Error>; 2], error: Error| {
            assert!(found.iter().all(|x| *x == Err(error.clone())))
        };
        every(all(&[], &[], &[]), Undefined::NoData.into());
        every(
            all(&P, &RIGHT, &[3; 6]),
            Undefined::TooFewClusters { clusters: 1 }.into(),
        );
        every(
            all(&[0.25; 4], &[true; 4], &[0, 1, 2, 3]),
            Undefined::NoVariance.into(),
        );
        every(
            all(&P, &RIGHT, &[0, 1]),
            Error::Lengths {
                first: 6,
                second: 2,
            },
        );
        every(
            all(&P, &RIGHT[1..], &[0; 6]),
            Error::Lengths {
                first: 6,
                second: 5,
            },
        );
        let bad = calibration_error_interval(&P, &RIGHT, (0, Binning::EqualMass), &[0; 6], &plan);
        assert!(matches!(bad, Err(Error::Bins { bins: 0, .. })));
        let level = Bootstrap { level: 1.0, ..plan };
        assert!(matches!(
            brier_interval(&P, &RIGHT, &[0, 1, 2, 3, 4, 5], &level),
            Err(Error::Share { .. })
        ));
    }
}
