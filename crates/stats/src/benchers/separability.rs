//! How sharply a bencher tells systems apart, and how often it agrees with people (Li et al. 2024,
//! "From Crowdsourced Data to High-Quality Benchmarks: Arena-Hard and BenchBuilder Pipeline").

use crate::checks::{Entry, check_lengths, check_number, check_numbers, ensure};
use crate::index;
use crate::{Error, Undefined};
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
    fn new((count, pairs): (f64, u64)) -> Result<Self, Error> {
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
    PairShare::new(sum_pairs(systems.len(), count_separated(systems)?))
}

/// Returns the count of each pair in [`separability`].
pub(super) fn count_separated(
    systems: &[Bounded],
) -> Result<impl Fn(usize, usize) -> Option<f64>, Error> {
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
    PairShare::new(sum_pairs(scores.len(), count_ordered(scores, ratings)?))
}

/// Returns the count of each pair in [`strict_agreement`].
pub(super) fn count_ordered(
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
    PairShare::new(sum_pairs(scores.len(), count_confident(scores, ratings)?))
}

/// Returns the count of each pair in [`agreement_with_confidence`].
pub(super) fn count_confident(
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

/// The sum over pairs j < i that have a value, and how many have one.
fn sum_pairs(systems: usize, value: impl Fn(usize, usize) -> Option<f64>) -> (f64, u64) {
    let (mut sum, mut pairs) = (0.0, 0);
    for value in index::pairs_below(systems).filter_map(|(i, j)| value(i, j)) {
        sum += value;
        pairs += 1;
    }
    (sum, pairs)
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
