//! Figures of a column of numbers, such as how long systems took and how much they wrote: a
//! quantile and a mean with intervals over clusters, and their changes.

use crate::checks::{check_argument, check_lengths, check_level, check_numbers, check_some};
use crate::data::ClusterSizes;
use crate::linear::mean;
use crate::special::student_quantile;
use crate::{Error, clustered_share};
use std::collections::BTreeMap;

/// A figure of a column with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnFigure {
    /// The figure.
    pub value: f64,
    /// The lower end, at most the value; None where the data have none.
    pub low: Option<f64>,
    /// The upper end, at least the value; None where the data have none: the slowest of twenty
    /// answers says nothing of how slow one in twenty may be.
    pub high: Option<f64>,
}

/// The quantile of numbers at `share`, above 0 and below 1: the least of them that so large a share
/// does not exceed. `clusters` has the cluster of each number.
///
/// The interval is made of order statistics (Thompson 1936), over clusters as Woodruff (1952) has
/// it: it begins with the least number of which the share of all up to it may be `share`, by the
/// interval of [`clustered_share`], and ends with the least of which that share is surely so large.
/// Nothing is assumed of the numbers' distribution. At 0.95 and a level of 0.95, an upper end needs
/// 72 numbers in clusters of their own.
///
/// # Errors
/// Lists of unlike lengths, a number that is not finite, a bad share or level; no number
/// ([`crate::Undefined::NoData`]).
pub fn clustered_quantile(
    values: &[f64],
    clusters: &[u32],
    share: f64,
    level: f64,
) -> Result<ColumnFigure, Error> {
    check_level(level)?;
    check_argument(
        "share",
        share,
        share > 0.0 && share < 1.0,
        "above 0 and below 1",
    )?;
    check_column(values, clusters)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Not one further where the product is whole but for its rounding.
    let place = (share * sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    let value = sorted[place.min(sorted.len()) - 1];
    sorted.dedup();
    let ends_at = |limit: f64| -> Result<[f64; 2], Error> {
        let mut counts: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (number, cluster) in values.iter().zip(clusters) {
            let (sum, count) = counts.entry(*cluster).or_default();
            *sum += f64::from(u8::from(*number <= limit));
            *count += 1.0;
        }
        let counts: Vec<(f64, f64)> = counts.into_values().collect();
        // Of one cluster the share may be anything.
        let found = clustered_share(&counts, level)?;
        Ok(found.interval.unwrap_or([0.0, 1.0]))
    };
    // The least number from which on it holds.
    let first = |holds: fn([f64; 2], f64) -> bool| -> Result<Option<f64>, Error> {
        let (mut from, mut to) = (0, sorted.len());
        while from < to {
            let middle = from + (to - from) / 2;
            match holds(ends_at(sorted[middle])?, share) {
                true => to = middle,
                false => from = middle + 1,
            }
        }
        Ok(sorted.get(from).copied())
    };
    // Where none of the numbers may be as low as that already, the least one is no end.
    let low = match ends_at(f64::NEG_INFINITY)? {
        [_, high] if high > share => None,
        _ => first(|[_, high], share| high > share)?,
    };
    let high = first(|[low, _], share| low >= share)?;
    Ok(ColumnFigure {
        value,
        low: low.map(|low| low.min(value)),
        high: high.map(|high| high.max(value)),
    })
}

/// The mean of numbers, with Student's interval over clusters: the error is that of a ratio of two
/// sums over them, and one less than as how many of one size they are the degrees of freedom
/// ([`ClusterSizes`]).
///
/// # Errors
/// As [`clustered_quantile`].
pub fn clustered_mean(values: &[f64], clusters: &[u32], level: f64) -> Result<ColumnFigure, Error> {
    check_level(level)?;
    check_column(values, clusters)?;
    let value = mean(values);
    // How far each cluster moves the mean, and how many numbers it has.
    let mut moves: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    for (number, cluster) in values.iter().zip(clusters) {
        let own = moves.entry(*cluster).or_default();
        own[0] += (number - value) / values.len() as f64;
        own[1] += 1.0;
    }
    let mut sizes = ClusterSizes::default();
    moves.values().for_each(|[_, size]| sizes.add(*size));
    let reach = (moves.len() > 1).then(|| {
        let squares: f64 = moves.values().map(|[one, _]| one * one).sum();
        let quantile = student_quantile(0.5 + level / 2.0, sizes.clusters() as f64 - 1.0);
        quantile * (squares * sizes.correction()).sqrt()
    });
    Ok(ColumnFigure {
        value,
        low: reach.map(|reach| value - reach),
        high: reach.map(|reach| value + reach),
    })
}

impl ColumnFigure {
    /// The change from an earlier figure to this one, with the interval that the two give together
    /// (square and add: Zou and Donner 2008): right for figures that have nothing to do with one
    /// another, and too wide where both rise and fall with the items.
    #[must_use]
    pub fn change_from(&self, earlier: &ColumnFigure) -> ColumnFigure {
        let value = self.value - earlier.value;
        let reach = |ours: Option<f64>, theirs: Option<f64>| {
            Some((self.value - ours?).hypot(earlier.value - theirs?))
        };
        ColumnFigure {
            value,
            low: reach(self.low, earlier.high).map(|reach| value - reach),
            high: reach(self.high, earlier.low).map(|reach| value + reach),
        }
    }
}

fn check_column(values: &[f64], clusters: &[u32]) -> Result<(), Error> {
    check_lengths(values.len(), clusters.len())?;
    check_numbers("value", values)?;
    Ok(check_some(values.len())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEVEL: f64 = 0.95;

    fn alone(count: usize) -> Vec<u32> {
        (0..count as u32).collect()
    }

    /// The chance of at most `k` of `n`, each with this chance.
    fn at_most(k: i64, n: usize, chance: f64) -> f64 {
        // By their logarithms: the first may be too small for a number.
        let mut term = n as f64 * (1.0 - chance).ln();
        let mut sum = 0.0;
        for j in 0..=k {
            sum += term.exp();
            term += ((n as f64 - j as f64) / (j as f64 + 1.0) * chance / (1.0 - chance)).ln();
        }
        sum
    }

    /// Places of the ends among the numbers 1 to n, 0 and n + 1 where there is none; and how often
    /// such an interval holds the quantile, whatever the distribution of independent numbers.
    fn coverage(n: usize, share: f64) -> ([usize; 2], f64) {
        let values: Vec<f64> = (1..=n).map(|number| number as f64).collect();
        let found = clustered_quantile(&values, &alone(n), share, LEVEL).unwrap();
        let low = found.low.map_or(0, |low| low as usize);
        let high = found.high.map_or(n + 1, |high| high as usize);
        // It lies between the two where from `low` to `high` - 1 of the numbers are below it.
        let covered = at_most(high as i64 - 1, n, share) - at_most(low as i64 - 1, n, share);
        ([low, high], covered)
    }

    #[test]
    fn the_interval_of_a_quantile_holds_it_as_often_as_it_says() {
        for share in [0.5, 0.9, 0.95] {
            for n in [2, 5, 10, 20, 30, 50, 74, 75, 100, 150, 200, 300, 500, 800] {
                let (ends, covered) = coverage(n, share);
                assert!(covered >= LEVEL, "{share} {n} {ends:?} {covered}");
                // Where there are numbers enough, it is not much wider than it must be.
                let is_whole = ends[0] > 0 && ends[1] <= n;
                eprintln!("{share} of {n}: {ends:?} {covered:.4}");
                assert!(
                    !is_whole || n < 100 || covered < 0.985,
                    "{share} {n} {covered}"
                );
            }
        }
        assert_eq!(coverage(71, 0.95).0[1], 72, "no upper end");
        assert_eq!(coverage(72, 0.95).0[1], 72);
    }

    #[test]
    fn figures_by_hand() {
        let values = [3.0, 1.0, 2.0, 10.0];
        let found = clustered_quantile(&values, &alone(4), 0.95, LEVEL).unwrap();
        assert_eq!((found.value, found.high), (10.0, None));
        assert_eq!(
            clustered_quantile(&values, &alone(4), 0.5, LEVEL)
                .unwrap()
                .value,
            2.0
        );
        let twenty: Vec<f64> = (1..=20).map(f64::from).collect();
        let p95 = clustered_quantile(&twenty, &alone(20), 0.95, LEVEL).unwrap();
        assert_eq!(p95.value, 19.0);
        // t with 3 degrees of freedom is 3.182446, the error of the mean 2.041241.
        let found = clustered_mean(&values, &alone(4), LEVEL).unwrap();
        assert!((found.value - 4.0).abs() < 1e-12);
        assert!((found.high.unwrap() - 4.0 - 3.182_446 * 2.041_241).abs() < 1e-4);
        let change = found.change_from(&found);
        assert_eq!((change.value, change.low.map(f64::abs)), (0.0, change.high));
        assert!(clustered_mean(&[], &[], LEVEL).is_err());
        assert!(clustered_mean(&[1.0], &[], LEVEL).is_err());
        assert!(clustered_quantile(&[f64::NAN], &[0], 0.95, LEVEL).is_err());
        assert!(clustered_quantile(&[1.0], &[0], 1.0, LEVEL).is_err());
        let one = clustered_mean(&[1.0, 3.0], &[7, 7], LEVEL).unwrap();
        assert_eq!((one.value, one.low, one.high), (2.0, None, None));
    }

    proptest! {
        /// The ends stand around the value, and copies of items say no more than the items.
        #[test]
        fn copies_of_clusters_add_nothing(
            values in prop::collection::vec(0.0_f64..1e3, 2..120),
            copies in 2_usize..4,
        ) {
            let once = clustered_quantile(&values, &alone(values.len()), 0.95, LEVEL).unwrap();
            prop_assert!(once.low.is_none_or(|low| low <= once.value));
            prop_assert!(once.high.is_none_or(|high| high >= once.value));
            let many: Vec<f64> = values.iter().flat_map(|one| vec![*one; copies]).collect();
            let clusters: Vec<u32> = alone(values.len())
                .into_iter()
                .flat_map(|one| vec![one; copies])
                .collect();
            let again = clustered_quantile(&many, &clusters, 0.95, LEVEL).unwrap();
            prop_assert!(again.low.unwrap_or(-1.0) <= once.low.unwrap_or(-1.0));
            prop_assert!(again.high.unwrap_or(1e9) >= once.high.unwrap_or(1e9));
            let mean = clustered_mean(&values, &alone(values.len()), LEVEL).unwrap();
            let of_many = clustered_mean(&many, &clusters, LEVEL).unwrap();
            prop_assert!((mean.value - of_many.value).abs() < 1e-9);
            prop_assert!((mean.low.unwrap() - of_many.low.unwrap()).abs() < 1e-6);
        }
    }
}
