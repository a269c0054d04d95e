//! Krippendorff's alpha: agreement of any number of raters, with missing ratings.

use crate::bootstrap::resampled_interval;
use crate::checks::{Entry, check_lengths, check_number};
use crate::correlation::mid_ranks_of_counts;
use crate::index;
use crate::{Bootstrap, Error, Interval, Undefined};
use std::collections::HashMap;

/// The level of measurement of ratings, which decides how far apart two of them are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Measurement {
    /// Names: two ratings are the same or not.
    Nominal,
    /// An order: the squared difference of mid-ranks among all ratings.
    Ordinal,
    /// A scale with even steps: the squared difference.
    Interval,
    /// A scale with a true zero: ((a - b) / (a + b))^2. Takes time with the square of the number of
    /// different values.
    Ratio,
}

/// Krippendorff's alpha, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alpha {
    /// Alpha, at most 1; 0 is what chance gives.
    pub value: f64,
    /// Units with two or more ratings.
    pub units: usize,
    /// Ratings of these units.
    pub ratings: usize,
}

/// Krippendorff's alpha (Krippendorff 2004, "Content Analysis", chapter 11): 1 - D_o / D_e.
///
/// `units[u]` holds the ratings of one unit, None where a rater gave none; which rater gave which
/// does not matter. Units with fewer than two ratings are left out. With d the squared difference
/// of the [`Measurement`], m_u the ratings of unit u and n their sum, D_o = sum over u and ordered
/// pairs in u of d / ((m_u - 1) n), and D_e = sum over all ordered pairs of the n ratings of d / (n
/// (n - 1)).
///
/// # Errors
/// A rating that is NaN or beyond ±1e100, or negative on a ratio scale (the row is the unit); no
/// unit with two ratings ([`Undefined::NoPairedRatings`]); ratings that are all equal
/// ([`Undefined::CertainByChance`]).
pub fn krippendorff_alpha<U: AsRef<[Option<f64>]>>(
    units: &[U],
    scale: Measurement,
) -> Result<Alpha, Error> {
    let coded = Coded::new(units, scale)?;
    Ok(Alpha {
        value: coded.value()?,
        units: coded.units.len(),
        ratings: coded.count_ratings(),
    })
}

/// The percentile bootstrap interval of [`krippendorff_alpha`] over the units with two or more
/// ratings.
///
/// # Errors
/// As [`krippendorff_alpha`]; a bad level, number of rounds or threads; fewer than 2 such units
/// ([`Undefined::TooFewClusters`]); units that always give the same alpha
/// ([`Undefined::NoVariance`]).
pub fn krippendorff_alpha_interval<U: AsRef<[Option<f64>]>>(
    units: &[U],
    scale: Measurement,
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    let coded = Coded::new(units, scale)?;
    // An alpha that is undefined for the data is an error, whatever the rounds would give.
    coded.value()?;
    resampled_interval(coded.units.len(), plan, |times| coded.alpha(times))
}

/// Like [`krippendorff_alpha_interval`], but resamples clusters of units: `clusters[u]` is the name
/// of the cluster of unit u, such as the item that several units share.
///
/// # Errors
/// As [`krippendorff_alpha_interval`]; another number of clusters than of units.
pub fn krippendorff_alpha_cluster_interval<U: AsRef<[Option<f64>]>>(
    units: &[U],
    clusters: &[u32],
    scale: Measurement,
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    check_lengths(units.len(), clusters.len())?;
    let coded = Coded::new(units, scale)?;
    // An alpha that is undefined for the data is an error, whatever the rounds would give.
    coded.value()?;
    let (numbers, count) = number_clusters(&clusters_of_paired(units, clusters));
    resampled_interval(count, plan, |times| {
        let times: Vec<f64> = numbers.iter().map(|&cluster| times[cluster]).collect();
        coded.alpha(&times)
    })
}

/// The clusters of the units that have at least two ratings.
fn clusters_of_paired<U: AsRef<[Option<f64>]>>(units: &[U], clusters: &[u32]) -> Vec<u32> {
    let is_paired = |unit: &U| unit.as_ref().iter().flatten().count() > 1;
    let units = units.iter().zip(clusters);
    let paired = units.filter(|(unit, _)| is_paired(unit));
    paired.map(|(_, &cluster)| cluster).collect()
}

/// The clusters numbered from 0 in the order of their first units, and how many there are.
fn number_clusters(clusters: &[u32]) -> (Vec<usize>, usize) {
    let mut known: HashMap<u32, usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(clusters.len());
    for &cluster in clusters {
        let next = known.len();
        numbers.push(*known.entry(cluster).or_insert(next));
    }
    (numbers, known.len())
}

/// The number of a value, and how often it was given.
type Count = (usize, f64);
/// How often each value was given, every value once.
type Counts = Vec<Count>;

fn total_count(counts: &[Count]) -> f64 {
    counts.iter().map(|(_, count)| count).sum()
}

/// The ratings with their values numbered in ascending order.
struct Coded {
    scale: Measurement,
    values: Vec<f64>,
    units: Vec<Counts>,
}

impl Coded {
    fn new<U: AsRef<[Option<f64>]>>(units: &[U], scale: Measurement) -> Result<Self, Error> {
        let units = paired_ratings(units, scale)?;
        let values = distinct_values(&units);
        let counts = units.iter().map(|unit| count_values(unit, &values));
        Ok(Coded {
            scale,
            units: counts.collect(),
            values: scale_values(values, scale),
        })
    }

    /// Alpha of the data.
    fn value(&self) -> Result<f64, Undefined> {
        self.alpha(&vec![1.0; self.units.len()])
    }

    fn count_ratings(&self) -> usize {
        let ratings = self.units.iter().map(|unit| total_count(unit) as usize);
        ratings.sum()
    }

    /// Alpha with every unit counted as often as given.
    fn alpha(&self, times: &[f64]) -> Result<f64, Undefined> {
        let all = self.count_all(times);
        let values = self.positions(&all);
        let observed = self.observed(times, &values);
        let by_chance = self.by_chance(all, &values)?;
        Ok(1.0 - observed / by_chance)
    }

    /// n D_o: the disagreement within units.
    fn observed(&self, times: &[f64], values: &[f64]) -> f64 {
        let units = self.units.iter().zip(times);
        let disagreements = units.map(|(unit, &times)| self.per_rating(times, unit, values));
        disagreements.sum()
    }

    /// n D_e: the disagreement among all ratings, which must be above 0.
    fn by_chance(&self, all: Vec<f64>, values: &[f64]) -> Result<f64, Undefined> {
        let all: Counts = all.into_iter().enumerate().filter(|x| x.1 > 0.0).collect();
        let by_chance = self.per_rating(1.0, &all, values);
        let defined = all.len() > 1 && by_chance > 0.0;
        defined
            .then_some(by_chance)
            .ok_or(Undefined::CertainByChance)
    }

    /// The disagreement of ratings with the others of their group, which counts so many times.
    #[inline]
    fn per_rating(&self, times: f64, counts: &[Count], values: &[f64]) -> f64 {
        times * self.disagreement(counts, values) / (total_count(counts) - 1.0)
    }

    /// How often each value was given in all units.
    fn count_all(&self, times: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.values.len()];
        for (unit, times) in self.units.iter().zip(times) {
            for &(value, count) in unit {
                all[value] += times * count;
            }
        }
        all
    }

    /// Where each value stands, given how often each was used.
    fn positions(&self, all: &[f64]) -> Vec<f64> {
        match self.scale {
            Measurement::Ordinal => mid_ranks_of_counts(all),
            _ => self.values.clone(),
        }
    }

    /// The squared differences of all ordered pairs of these ratings, summed.
    fn disagreement(&self, counts: &[Count], at: &[f64]) -> f64 {
        match self.scale {
            Measurement::Nominal => different_pairs(counts),
            Measurement::Ordinal | Measurement::Interval => squared_differences(counts, at),
            Measurement::Ratio => squared_ratios(counts, at),
        }
    }
}

/// The ratings of the units that have at least two.
fn paired_ratings<U: AsRef<[Option<f64>]>>(
    units: &[U],
    scale: Measurement,
) -> Result<Vec<Vec<f64>>, Error> {
    let mut found = check_units(units, scale)?;
    found.retain(|unit| unit.len() > 1);
    if found.is_empty() {
        return Err(Undefined::NoPairedRatings.into());
    }
    Ok(found)
}

/// The ratings that were given to each unit.
fn check_units<U: AsRef<[Option<f64>]>>(
    units: &[U],
    scale: Measurement,
) -> Result<Vec<Vec<f64>>, Error> {
    let units = units.iter().enumerate();
    units
        .map(|(row, unit)| check_unit(row, unit.as_ref(), scale))
        .collect()
}

/// Every value that was given, once, in ascending order.
fn distinct_values(units: &[Vec<f64>]) -> Vec<f64> {
    let mut values = units.concat();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values
}

/// The ratings that were given to a unit.
fn check_unit(row: usize, unit: &[Option<f64>], scale: Measurement) -> Result<Vec<f64>, Error> {
    let ratings = unit.iter().flatten();
    ratings
        .map(|&value| check_rating(row, value, scale))
        .collect()
}

fn check_rating(row: usize, value: f64, scale: Measurement) -> Result<f64, Error> {
    let rating = Entry::new(row, "rating", value);
    let negative = value < 0.0 && scale == Measurement::Ratio;
    rating.require(!negative, "from 0 on a ratio scale")?;
    check_number(row, "rating", value)?;
    // Adding 0 makes a zero of -0.
    Ok(value + 0.0)
}

/// Values in units of their range or size, which alpha does not depend on: no square overflows or
/// vanishes.
fn scale_values(values: Vec<f64>, scale: Measurement) -> Vec<f64> {
    match (scale, values.first(), values.last()) {
        (Measurement::Interval, Some(&low), Some(&high)) if high > low => {
            let shares = values.iter().map(|value| (value - low) / (high - low));
            shares.collect()
        }
        _ => values,
    }
}

fn count_values(unit: &[f64], values: &[f64]) -> Counts {
    let codes = number_values(unit, values);
    let equal = codes.chunk_by(|a, b| a == b);
    equal.map(|same| (same[0], same.len() as f64)).collect()
}

/// The number of each rating's value, in ascending order.
fn number_values(unit: &[f64], values: &[f64]) -> Vec<usize> {
    let number = |value: &f64| values.partition_point(|other| other < value);
    let mut codes: Vec<usize> = unit.iter().map(number).collect();
    codes.sort_unstable();
    codes
}

/// Ordered pairs of different values.
fn different_pairs(counts: &[Count]) -> f64 {
    let same = counts.iter().map(|(_, count)| count * count);
    total_count(counts).powi(2) - same.sum::<f64>()
}

/// Sum over ordered pairs of (x - y)^2 = 2 n sum (x - mean)^2.
fn squared_differences(counts: &[Count], at: &[f64]) -> f64 {
    let n = total_count(counts);
    let mean = sum_from_first(counts, at, |from_first| from_first) / n;
    2.0 * n * sum_from_first(counts, at, |from_first| (from_first - mean).powi(2))
}

/// The sum of a figure of each rating's distance from the first value: from there, so that equal
/// values give exactly 0.
#[inline]
fn sum_from_first(counts: &[Count], at: &[f64], figure: impl Fn(f64) -> f64) -> f64 {
    let first = counts.first().map_or(0.0, |&(value, _)| at[value]);
    let figures = counts
        .iter()
        .map(|&(value, count)| count * figure(at[value] - first));
    figures.sum()
}

/// Sum over ordered pairs of ((x - y) / (x + y))^2; equal values, zeros too, add nothing.
fn squared_ratios(counts: &[Count], at: &[f64]) -> f64 {
    let pairs = index::pairs_below(counts.len());
    let terms = pairs.map(|(i, j)| {
        let (a, b) = (counts[i], counts[j]);
        2.0 * a.1 * b.1 * squared_ratio(at[a.0], at[b.0])
    });
    terms.sum()
}

#[inline]
fn squared_ratio(x: f64, y: f64) -> f64 {
    ((x - y) / (x + y)).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(rows: &[[i32; 2]]) -> Vec<Vec<Option<f64>>> {
        rows.iter()
            .map(|row| {
                row.iter()
                    .map(|&x| (x >= 0).then_some(f64::from(x)))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn by_hand() {
        // Ratings 0-0, 0-1, 2-2 (and one alone, left out): counts 3, 1, 2, n = 6.
        let units = units(&[[0, 0], [0, 1], [2, 2], [1, -1]]);
        let alpha = |scale| krippendorff_alpha(&units, scale).unwrap().value;
        // Nominal: observed 2 / 6; by chance (36 - 9 - 1 - 4) / 30 = 22 / 30.
        assert!((alpha(Measurement::Nominal) - (1.0 - 60.0 / 132.0)).abs() < 1e-15);
        // Interval: observed 2 / 6; by chance 2 (3 * 1 * 1 + 3 * 2 * 4 + 1 * 2 * 1) / 30 = 58 / 30.
        assert!((alpha(Measurement::Interval) - (1.0 - 60.0 / 348.0)).abs() < 1e-15);
        // Ordinal: mid-ranks 2, 4, 5.5: observed 2 * 4 / 6; by chance 2 (3 * 4 + 6 * 12.25 + 2 *
        // 2.25) / 30 = 180 / 30.
        assert!((alpha(Measurement::Ordinal) - (1.0 - 240.0 / 1080.0)).abs() < 1e-15);
        // Ratio: 0 against anything is 1, 1 against 2 is 1/9: observed 2 / 6; by chance 2 (3 + 6 +
        // 2 / 9) / 30.
        assert!(
            (alpha(Measurement::Ratio) - (1.0 - 60.0 / (12.0 * (9.0 + 2.0 / 9.0)))).abs() < 1e-15
        );
        let found = krippendorff_alpha(&units, Measurement::Nominal).unwrap();
        assert_eq!((found.units, found.ratings), (3, 6));
    }

    #[test]
    fn what_is_undefined_is_said() {
        let alpha = |rows: &[[i32; 2]]| {
            krippendorff_alpha(&units(rows), Measurement::Interval).map(|found| found.value)
        };
        assert_eq!(alpha(&[]), Err(Undefined::NoPairedRatings.into()));
        assert_eq!(
            alpha(&[[1, -1], [-1, 2]]),
            Err(Undefined::NoPairedRatings.into())
        );
        assert_eq!(
            alpha(&[[1, 1], [1, 1], [2, -1]]),
            Err(Undefined::CertainByChance.into())
        );
        assert_eq!(alpha(&[[1, 1], [2, 2]]), Ok(1.0));
        // Three times 3.7 over 3 is not 3.7 in doubles: no number may come of that.
        let equal = krippendorff_alpha(&[[Some(3.7), Some(3.7), Some(3.7)]], Measurement::Interval);
        assert_eq!(equal, Err(Undefined::CertainByChance.into()));
        let bad = krippendorff_alpha(&[[Some(1.0), Some(f64::NAN)]], Measurement::Nominal);
        assert!(matches!(
            bad,
            Err(Error::Value {
                row: 0,
                field: "rating",
                ..
            })
        ));
        let negative = krippendorff_alpha(&[[Some(1.0), Some(-1.0)]], Measurement::Ratio);
        assert!(matches!(
            negative,
            Err(Error::Value {
                row: 0,
                field: "rating",
                ..
            })
        ));
    }

    #[test]
    fn the_interval_counts_resamples_of_one_value() {
        let units = units(&[[0, 0], [0, 0], [0, 0], [1, 1], [0, 1]]);
        let plan = Bootstrap {
            rounds: 3000,
            level: 0.5,
            ..Default::default()
        };
        let found = krippendorff_alpha_interval(&units, Measurement::Nominal, &plan).unwrap();
        // The first three alone: (3/5)^5 of the rounds, and the fourth alone (1/5)^5: 234 of 3000,
        // sd 14.7.
        assert!(found.undefined.abs_diff(234) < 74, "{found:?}");
        let one =
            krippendorff_alpha_interval(&[[Some(0.0), Some(1.0)]], Measurement::Nominal, &plan);
        assert_eq!(one, Err(Undefined::TooFewClusters { clusters: 1 }.into()));
    }

    #[test]
    fn clusters_of_one_unit_are_units_and_larger_ones_are_drawn_whole() {
        let rows = [[0, 0], [1, 1], [0, 1], [1, -1], [1, 0], [1, 1]];
        let (units, plan) = (units(&rows), Bootstrap::default());
        let over = |clusters: &[u32]| {
            krippendorff_alpha_cluster_interval(&units, clusters, Measurement::Nominal, &plan)
        };
        let plain = krippendorff_alpha_interval(&units, Measurement::Nominal, &plan);
        assert_eq!(over(&[9, 8, 7, 6, 5, 4]), plain);
        // The fourth unit has one rating, so that its cluster is none.
        let one = Undefined::TooFewClusters { clusters: 1 };
        assert_eq!(over(&[1, 1, 1, 2, 1, 1]), Err(one.into()));
        assert!(over(&[1, 1, 2, 2, 3, 3]).is_ok());
        assert!(matches!(over(&[1, 2]), Err(Error::Lengths { .. })));
    }
}
