//! How sharply a bencher tells systems apart, and how often it agrees with people (Li et al. 2024,
//! "From Crowdsourced Data to High-Quality Benchmarks: Arena-Hard and BenchBuilder Pipeline").
//!
//! The intervals say how sure such figures are, if other systems of the same kind had been
//! compared: systems are resampled.
//!
//! What is estimated is the figure for the population that the systems are drawn from, with scores,
//! ratings and intervals obtained as these were. The noise of the scores is part of that, for every
//! system brings its own. The other question, what the figure would be for these very systems with
//! more items, has no sound bootstrap: whether intervals overlap, and how sure a forecast is,
//! depends on differences in units of their own error, so that the noise which a round adds is as
//! large as what it measures. Bounds for the order of these systems are in
//! [`crate::inference::strict_agreement_bounds`].

use crate::bootstrap::resampled_interval;
use crate::checks::{Entry, check_lengths, check_number, check_numbers, ensure};
use crate::linear::weighted_mean;
use crate::{Bootstrap, Error, Interval, Undefined, index};
use std::cmp::Ordering;

/// A score or rating with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// The score; it need not lie in the interval.
    pub score: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval, `low` or more.
    pub high: f64,
}

/// A share of pairs of systems.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairShare {
    /// The pairs counted; a half is possible where the definition gives one.
    pub count: f64,
    /// The pairs that it is a share of.
    pub pairs: u64,
}

impl PairShare {
    /// The sum over pairs j < i that have a value, and how many have one.
    fn of_pairs(
        systems: usize,
        value: impl Fn(usize, usize) -> Option<f64>,
    ) -> Result<Self, Error> {
        let (mut count, mut pairs) = (0.0, 0);
        for value in index::pairs_below(systems).filter_map(|(i, j)| value(i, j)) {
            count += value;
            pairs += 1;
        }
        ensure(pairs > 0, || Undefined::NoPairs)?;
        Ok(PairShare { count, pairs })
    }

    /// The share, in [0, 1].
    pub fn value(&self) -> f64 {
        self.count / self.pairs as f64
    }
}

/// Separability: the share of all pairs of systems whose intervals do not overlap, which is to say
/// that they have no point in common: intervals that touch overlap, as they do in RealRank's
/// [`crate::tau_u`].
///
/// # Errors
/// A number that is NaN or beyond ±1e100, or an interval whose ends are in the wrong order; fewer
/// than 2 systems ([`Undefined::NoPairs`]).
pub fn separability(systems: &[Bounded]) -> Result<PairShare, Error> {
    PairShare::of_pairs(systems.len(), count_separated(systems)?)
}

/// Returns the count of each pair in [`separability`].
fn count_separated(systems: &[Bounded]) -> Result<impl Fn(usize, usize) -> Option<f64>, Error> {
    check_bounded("score", systems)?;
    Ok(|i: usize, j: usize| Some(indicator(are_apart(&systems[i], &systems[j]))))
}

/// 1 for true, 0 for false.
fn indicator(test: bool) -> f64 {
    f64::from(u8::from(test))
}

/// The share of all pairs of systems that `scores` and `ratings` order in the same way. A pair tied
/// in one alone is not ordered in the same way; a pair tied in both is.
///
/// # Errors
/// Lists of different length; a number that is NaN or beyond ±1e100; fewer than 2 systems
/// ([`Undefined::NoPairs`]).
pub fn strict_agreement(scores: &[f64], ratings: &[f64]) -> Result<PairShare, Error> {
    PairShare::of_pairs(scores.len(), count_ordered(scores, ratings)?)
}

/// Returns the count of each pair in [`strict_agreement`].
fn count_ordered(
    scores: &[f64],
    ratings: &[f64],
) -> Result<impl Fn(usize, usize) -> Option<f64>, Error> {
    check_lengths(scores.len(), ratings.len())?;
    check_numbers("score", scores)?;
    check_numbers("rating", ratings)?;
    Ok(|i: usize, j: usize| {
        let same = scores[i].partial_cmp(&scores[j]) == ratings[i].partial_cmp(&ratings[j]);
        Some(indicator(same))
    })
}

/// Agreement with confidence: over the pairs of systems whose rating intervals do not overlap, 1
/// where the bencher's intervals do not overlap and are in the same order, 0.5 where they overlap,
/// 0 where they are in the opposite order; the share is the mean.
///
/// Here two intervals overlap if they have a stretch of some length in common, which is how the
/// published figures were computed; the others are in the order of their lower ends, then of their
/// upper ends. An interval without width, such as that of a system whose rating is held fixed,
/// therefore overlaps with none, though it may lie inside another one; [`separability`] counts that
/// as overlapping. Two intervals without width at the same place have no order: such ratings are
/// not counted, and such scores count 0.5.
///
/// # Errors
/// Lists of different length; a number that is NaN or beyond ±1e100, or an interval whose ends are
/// in the wrong order; no two ratings told apart ([`Undefined::NoPairs`]).
pub fn agreement_with_confidence(
    scores: &[Bounded],
    ratings: &[Bounded],
) -> Result<PairShare, Error> {
    PairShare::of_pairs(scores.len(), count_confident(scores, ratings)?)
}

/// Returns the count of each pair in [`agreement_with_confidence`].
fn count_confident(
    scores: &[Bounded],
    ratings: &[Bounded],
) -> Result<impl Fn(usize, usize) -> Option<f64>, Error> {
    check_lengths(scores.len(), ratings.len())?;
    check_bounded("score", scores)?;
    check_bounded("rating", ratings)?;
    Ok(|i: usize, j: usize| {
        let found = compare_intervals(&scores[i], &scores[j])?;
        let truth = compare_intervals(&ratings[i], &ratings[j])?;
        match (found, truth) {
            (_, Ordering::Equal) => None,
            (Ordering::Equal, _) => Some(0.5),
            (found, truth) => Some(indicator(found == truth)),
        }
    })
}

/// Whether one interval ends before the other starts.
pub(crate) fn are_apart(a: &Bounded, b: &Bounded) -> bool {
    a.high < b.low || b.high < a.low
}

/// How two intervals lie; equal if they have a stretch in common or are the same.
fn compare_intervals(a: &Bounded, b: &Bounded) -> Option<Ordering> {
    if a.high.min(b.high) > a.low.max(b.low) {
        Some(Ordering::Equal)
    } else {
        (a.low, a.high).partial_cmp(&(b.low, b.high))
    }
}

pub(crate) fn check_bounded(field: &'static str, systems: &[Bounded]) -> Result<(), Error> {
    for (row, system) in systems.iter().enumerate() {
        check_number(row, field, system.score)?;
        check_number(row, "low end", system.low)?;
        check_number(row, "high end", system.high)?;
        let high = Entry::new(row, "high end", system.high);
        high.require(system.high >= system.low, "not below the low end")?;
    }
    Ok(())
}

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
    interval_of_counted(scores.len(), plan, count_confident(scores, ratings)?)
}

/// The interval of the mean of a value over the pairs that have one.
fn interval_of_counted(
    systems: usize,
    plan: &Bootstrap,
    value: impl Fn(usize, usize) -> Option<f64>,
) -> Result<Interval, Error> {
    let pairs = index::pairs_below(systems);
    let counted = pairs.filter_map(|(i, j)| Some(((i, j), value(i, j)?)));
    let counted: Vec<CountedPair> = counted.collect();
    let values = counted.iter().map(|(_, value)| (1.0, *value));
    let share = weighted_mean(values).ok_or(Undefined::NoPairs)?;
    mean_interval(systems, plan, share, &counted)
}

/// A pair of systems and what it counts.
pub(super) type CountedPair = ((usize, usize), f64);

/// The interval over the systems of the mean of pairs, which is `mean`.
pub(super) fn mean_interval(
    systems: usize,
    plan: &Bootstrap,
    mean: f64,
    pairs: &[CountedPair],
) -> Result<Interval, Error> {
    resampled_interval(systems, plan, mean, |times| {
        // Each pair counts as often as its systems were drawn together.
        let terms = pairs
            .iter()
            .map(|&((i, j), value)| (times[i] * times[j], value));
        weighted_mean(terms).ok_or(Undefined::NoPairs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PairwiseLossIntervals, pairwise_loss_intervals};

    fn spans(ends: &[(f64, f64)]) -> Vec<Bounded> {
        ends.iter()
            .map(|&(low, high)| Bounded {
                score: (low + high) / 2.0,
                low,
                high,
            })
            .collect()
    }

    #[test]
    fn by_hand() {
        // 0-2 meets 1-3; 3-4 touches 1-3; the point 9-9 twice is the same interval: overlap in 3 of
        // 10 pairs.
        let found = separability(&spans(&[
            (0.0, 2.0),
            (1.0, 3.0),
            (3.0, 4.0),
            (9.0, 9.0),
            (9.0, 9.0),
        ]))
        .unwrap();
        assert_eq!((found.count, found.pairs, found.value()), (7.0, 10, 0.7));
        // Ratings tell 0-1, 0-2 apart and not 1-2; scores have 0 below 1 (agrees) and 0 meeting 2
        // (a half).
        let ratings = spans(&[(0.0, 1.0), (2.0, 4.0), (3.0, 5.0)]);
        let scores = spans(&[(0.0, 3.0), (7.0, 9.0), (1.0, 2.0)]);
        let found = agreement_with_confidence(&scores, &ratings).unwrap();
        assert_eq!((found.count, found.pairs), (1.5, 2));
        // A rating without width lies inside the second one, and by its lower end above it; the
        // scores say so too.
        let ratings = spans(&[(3.0, 3.0), (2.0, 9.0)]);
        assert_eq!(
            agreement_with_confidence(&spans(&[(5.0, 6.0), (1.0, 2.0)]), &ratings)
                .unwrap()
                .count,
            1.0
        );
        assert_eq!(separability(&ratings).unwrap().count, 0.0);
        // Of the pairs 0-1 (up, up), 0-2 (up, tied), 1-2 (tied, down) one is ordered in the same
        // way.
        assert_eq!(
            strict_agreement(&[1.0, 2.0, 2.0], &[1.0, 3.0, 1.0])
                .unwrap()
                .count,
            1.0
        );
    }

    #[test]
    fn what_is_undefined_is_said() {
        let none: Error = Undefined::NoPairs.into();
        assert_eq!(separability(&spans(&[(0.0, 1.0)])), Err(none.clone()));
        assert_eq!(strict_agreement(&[], &[]), Err(none.clone()));
        let overlapping = spans(&[(0.0, 2.0), (1.0, 3.0)]);
        assert_eq!(
            agreement_with_confidence(&overlapping, &overlapping),
            Err(none)
        );
        assert!(matches!(
            separability(&spans(&[(0.0, 1.0), (2.0, 1.0)])),
            Err(Error::Value {
                row: 1,
                field: "high end",
                ..
            })
        ));
        assert!(matches!(
            separability(&spans(&[(0.0, 1.0), (f64::NAN, 1.0)])),
            Err(Error::Value { row: 1, .. })
        ));
        assert_eq!(
            strict_agreement(&[1.0], &[]),
            Err(Error::Lengths {
                first: 1,
                second: 0
            })
        );
    }

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
    fn what_is_undefined_for_an_interval_is_said() {
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
