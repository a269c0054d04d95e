//! The interval of one number over resampled units.

use crate::estimate::finite_scores;
use crate::{Bootstrap, Error, Estimate, Interval, Undefined, percentile_interval, resample};

/// Rounds that differ by no more than this are equal: what is resampled here lives on the scale of
/// a share.
pub(crate) const ROUNDING: f64 = 1e-12;

/// [`percentile_interval`] of a statistic that may take few values, such as a correlation of how
/// few systems are ordered: one that has a width. Of four systems nearly all resamples may give the
/// same order, and an interval from 0.80 to 0.80 would look measured.
///
/// # Errors
/// As [`percentile_interval`]; two ends that are the same ([`Undefined::SameInRounds`]).
pub fn interval_with_width(
    point: Estimate,
    rounds: &[Estimate],
    level: f64,
) -> Result<Interval, Error> {
    // Of the rounds alone: a point beside them gives no width.
    let drawn = percentile_interval(Estimate::Undefined(Undefined::NoData), rounds, level)?;
    match drawn.low.zip(drawn.high) {
        Some((low, high)) if high - low <= ROUNDING => Err(Undefined::SameInRounds.into()),
        _ => Ok(drawn.reach_to(point)),
    }
}

/// The percentile bootstrap interval of `statistic`, which gets how often each unit was drawn and
/// is `point` of the data.
///
/// A round without a number is undefined and counted as such (see [`percentile_interval`]). Where
/// all rounds with a number agree, as with a perfect correlation, the units say nothing of the
/// uncertainty: [`Undefined::NoVariance`], not an interval of no width; nor where so many agree
/// that both ends are the same ([`interval_with_width`]).
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
    interval_with_width(Estimate::Finite(point), &rounds, plan.level)
}

/// Returns [`resampled_interval`] with percentiles expanded for few units
/// ([`Bootstrap::expanded`]), for statistics that are smooth functions of means. Correlations of
/// ranks are not: their resamples hold ties, and vary more than they should already.
pub(crate) fn expanded_interval(
    units: usize,
    plan: &Bootstrap,
    point: f64,
    statistic: impl Fn(&[f64]) -> Result<f64, Undefined> + Sync,
) -> Result<Interval, Error> {
    Ok(Interval {
        level: plan.level,
        ..resampled_interval(units, &plan.expanded(units), point, statistic)?
    })
}

/// The rows as often as they were drawn, in order.
pub(crate) fn repeat_drawn<T: Copy>(rows: &[T], weights: &[f64]) -> Vec<T> {
    rows.iter()
        .zip(weights)
        .flat_map(|(&row, &times)| std::iter::repeat_n(row, times as usize))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_a_width_or_there_is_none() {
        let rounds = |others: usize| {
            let mut rounds = vec![Estimate::Finite(0.8); 1000 - others];
            rounds.extend(vec![Estimate::Finite(0.4); others]);
            rounds
        };
        let point = Estimate::Finite(0.8);
        for others in [0, 1, 20] {
            let found = interval_with_width(point, &rounds(others), 0.95);
            assert_eq!(found, Err(Undefined::SameInRounds.into()), "{others}");
        }
        let found = interval_with_width(point, &rounds(40), 0.95).unwrap();
        assert_eq!((found.low, found.high), (Some(0.4), Some(0.8)));
        // A point that no round has gives no width; an open end is no number that looks measured.
        let elsewhere = interval_with_width(Estimate::Finite(0.6), &rounds(0), 0.95);
        assert_eq!(elsewhere, Err(Undefined::SameInRounds.into()));
        let mut open = rounds(0);
        open.extend(vec![Estimate::Undefined(Undefined::Constant); 60]);
        let open = interval_with_width(point, &open, 0.95).unwrap();
        assert_eq!((open.low, open.high), (None, None));
    }
}
