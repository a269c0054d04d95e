//! The interval of one number over resampled units.

use crate::estimate::finite_scores;
use crate::{Bootstrap, Error, Estimate, Interval, Undefined, percentile_interval, resample};

/// Rounds that differ by no more than this are equal: what is resampled here lives on the scale of
/// a share.
pub(crate) const ROUNDING: f64 = 1e-12;

/// The percentile bootstrap interval of `statistic`, which gets how often each unit was drawn and
/// is `point` of the data.
///
/// A round without a number is undefined and counted as such (see [`percentile_interval`]). Where
/// all rounds with a number agree, as with a perfect correlation, the units say nothing of the
/// uncertainty: [`Undefined::NoVariance`], not an interval of no width.
pub(crate) fn resampled_interval<F>(
    units: usize,
    plan: &Bootstrap,
    point: f64,
    statistic: F,
) -> Result<Interval, Error>
where
    F: Fn(&[f64]) -> Result<f64, Undefined> + Sync,
{
    let rounds = resample(units, plan, |weights| {
        statistic(weights).map_or_else(Estimate::Undefined, Estimate::Finite)
    })?;
    let numbers = finite_scores(&rounds);
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    if numbers.iter().all(|number| number - low <= ROUNDING) {
        return Err(Undefined::NoVariance.into());
    }
    percentile_interval(Estimate::Finite(point), &rounds, plan.level)
}

/// The rows as often as they were drawn, in order.
pub(crate) fn repeat_drawn<T: Copy>(rows: &[T], weights: &[f64]) -> Vec<T> {
    rows.iter()
        .zip(weights)
        .flat_map(|(&row, &times)| std::iter::repeat_n(row, times as usize))
        .collect()
}
