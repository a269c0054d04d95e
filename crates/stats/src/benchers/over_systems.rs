//! How sure figures over pairs of systems are, if other systems of the same kind had been compared:
//! systems are resampled.
//!
//! What is estimated is the figure for the population that the systems are drawn from, with scores,
//! ratings and intervals obtained as these were. The noise of the scores is part of that, for every
//! system brings its own. The other question, what the figure would be for these very systems with
//! more items, has no sound bootstrap: whether intervals overlap, and how sure a forecast is,
//! depends on differences in units of their own error, so that the noise which a round adds is as
//! large as what it measures. Bounds for the order of these systems are in
//! [`crate::inference::strict_agreement_bounds`].

use super::separability::{count_confident, count_ordered, count_separated};
use crate::bootstrap::resampled_interval;
use crate::index;
use crate::linear::weighted_mean;
use crate::{
    Bootstrap, Bounded, Error, Interval, Undefined, agreement_with_confidence, separability,
    strict_agreement,
};

/// The percentile bootstrap interval of [`separability`] over the systems, each with its interval.
/// Two draws of one system are no pair: with t_i the times that i was drawn, a round's figure is
/// sum t_i t_j x_ij / sum t_i t_j over the pairs i < j.
///
/// The systems must be a sample of those that the figure is quoted for. In simulations with 10 to
/// 80 systems the interval of each of the shares held the share of the population in 0.95 to 0.99
/// of the samples: too wide rather than too narrow.
///
/// # Errors
/// As [`separability`]; a bad level, number of rounds or threads; systems that always give the same
/// share, as where all are told apart ([`Undefined::NoVariance`]). A round that drew one system
/// alone is counted in [`Interval::undefined`].
pub fn separability_interval(systems: &[Bounded], plan: &Bootstrap) -> Result<Interval, Error> {
    separability(systems)?;
    interval_of_counted(systems.len(), plan, count_separated(systems)?)
}

/// The percentile bootstrap interval of [`strict_agreement`] over the systems, as
/// [`separability_interval`].
///
/// # Errors
/// As [`strict_agreement`] and [`separability_interval`].
pub fn strict_agreement_interval(
    scores: &[f64],
    ratings: &[f64],
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    strict_agreement(scores, ratings)?;
    interval_of_counted(scores.len(), plan, count_ordered(scores, ratings)?)
}

/// The percentile bootstrap interval of [`agreement_with_confidence`] over the systems, as
/// [`separability_interval`].
///
/// A round in which no two ratings are told apart has no figure and is counted in
/// [`Interval::undefined`].
///
/// ```
/// use evenhand_stats::{Bootstrap, Bounded, agreement_with_confidence, agreement_with_confidence_interval};
///
/// let all = |scores: [f64; 6], half: f64| scores.map(|score| Bounded { score, low: score - half, high: score + half });
/// let scores = all([0.2, 0.4, 0.3, 0.7, 0.9, 0.8], 0.06);
/// let ratings = all([1010.0, 1050.0, 1060.0, 1100.0, 1150.0, 1190.0], 8.0);
/// let share = agreement_with_confidence(&scores, &ratings)?.value();
/// let interval = agreement_with_confidence_interval(&scores, &ratings, &Bootstrap::default())?;
/// assert!(interval.low.is_some_and(|low| low < share) && interval.high.is_some_and(|high| high >= share));
/// # Ok::<(), evenhand_stats::Error>(())
/// ```
///
/// # Errors
/// As [`agreement_with_confidence`] and [`separability_interval`].
pub fn agreement_with_confidence_interval(
    scores: &[Bounded],
    ratings: &[Bounded],
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    agreement_with_confidence(scores, ratings)?;
    interval_of_counted(scores.len(), plan, count_confident(scores, ratings)?)
}

/// The interval of the mean of a value over the pairs that have one.
fn interval_of_counted(
    systems: usize,
    plan: &Bootstrap,
    value: impl Fn(usize, usize) -> Option<f64>,
) -> Result<Interval, Error> {
    let pairs = index::pairs_below(systems).filter_map(|pair| {
        let value = value(pair.0, pair.1)?;
        Some(CountedPair { pair, value })
    });
    mean_interval(systems, plan, &pairs.collect::<Vec<_>>())
}

/// A pair of systems and what it counts.
pub(super) struct CountedPair {
    pub(super) pair: (usize, usize),
    pub(super) value: f64,
}

/// The interval over the systems of the mean of pairs.
pub(super) fn mean_interval(
    systems: usize,
    plan: &Bootstrap,
    pairs: &[CountedPair],
) -> Result<Interval, Error> {
    resampled_interval(systems, plan, |times| {
        // Each pair counts as often as its systems were drawn together.
        let terms = pairs.iter().map(|CountedPair { pair, value }| {
            let (i, j) = *pair;
            (times[i] * times[j], *value)
        });
        weighted_mean(terms).ok_or(Undefined::NoPairs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PairwiseLossIntervals, pairwise_loss_intervals};

    fn rated(scores: &[f64], half: f64) -> Vec<Bounded> {
        scores
            .iter()
            .map(|&score| Bounded {
                score,
                low: score - half,
                high: score + half,
            })
            .collect()
    }

    #[test]
    fn three_systems_by_hand() {
        // Scores 0, 1, 9 give or take 2: the pairs count 0, 1, 1. Of the 27 resamples 3 have one
        // system alone, 18 two (6 each: 0, 1, 1) and 6 all three (2/3): 0 in 6/27, 2/3 in 6/27, 1
        // in 12/27, undefined in 3/27. At level 0.5 the undefined ones push the lower quartile to 0
        // and the upper one to 1.
        let plan = Bootstrap {
            rounds: 2700,
            level: 0.5,
            ..Default::default()
        };
        let found = separability_interval(&rated(&[0.0, 1.0, 9.0], 2.0), &plan).unwrap();
        assert_eq!((found.low, found.high), (Some(0.0), Some(1.0)));
        // 300 of 2700, five standard deviations of 16.3.
        assert!(found.undefined.abs_diff(300) < 82, "{found:?}");
        // The same pairs agree: (0, 1) in the wrong order.
        let strict = strict_agreement_interval(&[1.0, 0.0, 9.0], &[0.0, 1.0, 9.0], &plan).unwrap();
        assert_eq!(strict, found);
        // The first two ratings are not told apart, so a round without the third system, or with it
        // alone, has no figure: 9/27, 900 of 2700, and five standard deviations are 123.
        let scores = rated(&[1.0, 7.0, 9.0], 1.5);
        let found =
            agreement_with_confidence_interval(&scores, &rated(&[0.0, 1.0, 9.0], 2.0), &plan)
                .unwrap();
        assert!(found.undefined.abs_diff(900) < 123, "{found:?}");
    }

    #[test]
    fn threads_change_nothing() {
        let (scores, ratings) = (
            [0.2, 0.4, 0.3, 0.7, 0.9, 0.8],
            [1010.0, 1050.0, 1060.0, 1100.0, 1150.0, 1190.0],
        );
        let (systems, truth) = (rated(&scores, 0.06), rated(&ratings, 8.0));
        let draws = scores.map(|score| [score - 0.1, score, score + 0.1]);
        let all = |threads| {
            let plan = Bootstrap {
                rounds: 300,
                threads,
                ..Default::default()
            };
            let PairwiseLossIntervals { brier, log_loss } =
                pairwise_loss_intervals(&draws, &ratings, &plan).unwrap();
            let strict = strict_agreement_interval(&scores, &ratings, &plan).unwrap();
            let confident = agreement_with_confidence_interval(&systems, &truth, &plan).unwrap();
            [
                separability_interval(&systems, &plan).unwrap(),
                strict,
                confident,
                brier,
                log_loss,
            ]
        };
        assert_eq!(all(1), all(2));
    }

    #[test]
    fn what_is_undefined_is_said() {
        let plan = Bootstrap::default();
        let (one, far) = (rated(&[1.0], 1.0), rated(&[0.0, 10.0, 20.0], 1.0));
        assert_eq!(
            separability_interval(&one, &plan),
            Err(Undefined::NoPairs.into())
        );
        assert_eq!(
            strict_agreement_interval(&[], &[], &plan),
            Err(Undefined::NoPairs.into())
        );
        assert_eq!(
            agreement_with_confidence_interval(&one, &one, &plan),
            Err(Undefined::NoPairs.into())
        );
        assert_eq!(
            separability_interval(&far, &plan),
            Err(Undefined::NoVariance.into())
        );
        assert_eq!(
            agreement_with_confidence_interval(&far, &far, &plan),
            Err(Undefined::NoVariance.into())
        );
        assert_eq!(
            strict_agreement_interval(&[1.0], &[], &plan),
            Err(Error::Lengths {
                first: 1,
                second: 0
            })
        );
        assert!(matches!(
            separability_interval(&far, &Bootstrap { rounds: 1, ..plan }),
            Err(Error::Rounds { .. })
        ));
    }
}
