//! Krippendorff's alpha: agreement of any number of raters, with missing ratings.

use super::beyond_chance::{ClusterPart, beyond_chance};
use crate::checks::{Entry, check_lengths, check_level, check_number};
use crate::correlation::mid_ranks_of_counts;
use crate::index::{self, number_values};
use crate::{Error, Interval, Undefined};

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
        ratings: coded
            .units
            .iter()
            .map(|unit| total_count(unit) as usize)
            .sum(),
    })
}

/// The interval of [`krippendorff_alpha`] over the units with two or more ratings: that of the
/// share of disagreement, with the variance of alpha.
///
/// # Errors
/// As [`krippendorff_alpha`]; a bad level; fewer than 2 such units ([`Undefined::TooFewClusters`]).
pub fn krippendorff_alpha_interval<U: AsRef<[Option<f64>]>>(
    units: &[U],
    scale: Measurement,
    level: f64,
) -> Result<Interval, Error> {
    let clusters: Vec<u32> = (0..units.len() as u32).collect();
    krippendorff_alpha_cluster_interval(units, &clusters, scale, level)
}

/// Like [`krippendorff_alpha_interval`], but over clusters of units: `clusters[u]` is the name of
/// the cluster of unit u, such as the item that several units share.
///
/// # Errors
/// As [`krippendorff_alpha_interval`]; another number of clusters than of units.
pub fn krippendorff_alpha_cluster_interval<U: AsRef<[Option<f64>]>>(
    units: &[U],
    clusters: &[u32],
    scale: Measurement,
    level: f64,
) -> Result<Interval, Error> {
    check_lengths(units.len(), clusters.len())?;
    alpha_interval(units, clusters, scale, 1.0, level)
}

/// [`krippendorff_alpha_cluster_interval`] of units that stand there so many times.
pub(super) fn alpha_interval<U: AsRef<[Option<f64>]>>(
    units: &[U],
    clusters: &[u32],
    scale: Measurement,
    copies: f64,
    level: f64,
) -> Result<Interval, Error> {
    check_level(level)?;
    let coded = Coded::new(units, scale)?;
    let value = coded.value()?;
    let paired = units.iter().zip(clusters);
    let paired = paired.filter(|(unit, _)| unit.as_ref().iter().flatten().count() > 1);
    let names: Vec<u32> = paired.map(|(_, cluster)| *cluster).collect();
    let (count, numbers) = number_values(&names);
    let (parts, by_chance) = coded.parts(count, &numbers);
    let trials = coded.units.len() as f64 / copies;
    Ok(beyond_chance(value, &parts, by_chance, trials, level)?)
}

/// The number of a value, and how often it was given.
type Count = (usize, f64);

fn total_count(counts: &[Count]) -> f64 {
    counts.iter().map(|(_, count)| count).sum()
}

/// The ratings with their values numbered in ascending order.
struct Coded {
    scale: Measurement,
    values: Vec<f64>,
    /// Of each unit with two or more ratings how often each value was given, every value once.
    units: Vec<Vec<Count>>,
}

impl Coded {
    fn new<U: AsRef<[Option<f64>]>>(units: &[U], scale: Measurement) -> Result<Self, Error> {
        let mut paired = Vec::new();
        for (row, unit) in units.iter().enumerate() {
            let mut ratings = Vec::new();
            for &value in unit.as_ref().iter().flatten() {
                let negative = value < 0.0 && scale == Measurement::Ratio;
                let rating = Entry::new(row, "rating", value);
                rating.require(!negative, "from 0 on a ratio scale")?;
                check_number(row, "rating", value)?;
                // Adding 0 makes a zero of -0.
                ratings.push(value + 0.0);
            }
            if ratings.len() > 1 {
                paired.push(ratings);
            }
        }
        if paired.is_empty() {
            return Err(Undefined::NoPairedRatings.into());
        }
        let mut values = paired.concat();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let counts = paired.iter().map(|ratings| {
            let number = |value: &f64| values.partition_point(|other| other < value);
            let mut codes: Vec<usize> = ratings.iter().map(number).collect();
            codes.sort_unstable();
            let equal = codes.chunk_by(|a, b| a == b);
            equal.map(|same| (same[0], same.len() as f64)).collect()
        });
        let units = counts.collect();
        // In units of their range, which alpha does not depend on: no square overflows or vanishes.
        let (low, high) = (values[0], values[values.len() - 1]);
        if scale == Measurement::Interval && high > low {
            for value in &mut values {
                *value = (*value - low) / (high - low);
            }
        }
        Ok(Coded {
            scale,
            values,
            units,
        })
    }

    /// Alpha of the data.
    fn value(&self) -> Result<f64, Undefined> {
        let all = self.all();
        let places = self.places(&all);
        // n D_o, the disagreement within units, and n D_e, that among all ratings.
        let units = self.units.iter();
        let observed: f64 = units.map(|unit| self.per_rating(unit, &places)).sum();
        let all: Vec<Count> = all.into_iter().enumerate().filter(|x| x.1 > 0.0).collect();
        let by_chance = self.per_rating(&all, &places);
        if all.len() > 1 && by_chance > 0.0 {
            Ok(1.0 - observed / by_chance)
        } else {
            Err(Undefined::CertainByChance)
        }
    }

    /// How often each value was given.
    fn all(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.values.len()];
        for &(value, count) in self.units.iter().flatten() {
            all[value] += count;
        }
        all
    }

    /// Where the values stand on the scale, of which `all` were given.
    fn places(&self, all: &[f64]) -> Vec<f64> {
        match self.scale {
            Measurement::Ordinal => mid_ranks_of_counts(all),
            _ => self.values.clone(),
        }
    }

    /// Returns what each cluster adds to the disagreement, and the disagreement of chance.
    /// Mid-ranks are taken for what they are in the data.
    fn parts(&self, clusters: usize, cluster_of: &[usize]) -> (Vec<ClusterPart>, f64) {
        let all = self.all();
        let places = self.places(&all);
        let n: f64 = all.iter().sum();
        let distance = |i: usize, j: usize| self.distance(places[i], places[j], i == j);
        // Of each value the sum of its distances from all ratings.
        let from_all: Vec<f64> = match self.scale {
            Measurement::Nominal => all.iter().map(|count| n - count).collect(),
            Measurement::Ordinal | Measurement::Interval => {
                let (mut sum, mut squares) = (0.0, 0.0);
                for (place, count) in places.iter().zip(&all) {
                    sum += count * place;
                    squares += count * place * place;
                }
                let of = |place: &f64| n * place * place - 2.0 * place * sum + squares;
                places.iter().map(|place| of(place).max(0.0)).collect()
            }
            Measurement::Ratio => {
                let of = |i: usize| (0..all.len()).map(|j| all[j] * distance(i, j)).sum();
                (0..all.len()).map(of).collect()
            }
        };
        let pairs = all.iter().zip(&from_all).map(|(count, own)| count * own);
        let by_chance = pairs.sum::<f64>() / (n - 1.0);
        // No two values are farther apart than the first and the last, or 0 and another on a ratio
        // scale.
        let most = match self.scale {
            Measurement::Nominal | Measurement::Ratio => 1.0,
            _ => distance(0, all.len() - 1),
        };
        let mut parts = vec![ClusterPart::default(); clusters];
        for (unit, &cluster) in self.units.iter().zip(cluster_of) {
            let part = &mut parts[cluster];
            let count = total_count(unit);
            part.observed += self.per_rating(unit, &places);
            part.most += most * count;
            let met: f64 = unit.iter().map(|(value, own)| own * from_all[*value]).sum();
            part.by_chance += (2.0 * met - by_chance * count) / (n - 1.0);
        }
        (parts, by_chance)
    }

    /// How far apart two ratings are at these places, whether they are the same or not.
    fn distance(&self, x: f64, y: f64, same: bool) -> f64 {
        match self.scale {
            _ if same => 0.0,
            Measurement::Nominal => 1.0,
            Measurement::Ordinal | Measurement::Interval => (x - y).powi(2),
            Measurement::Ratio => ((x - y) / (x + y)).powi(2),
        }
    }

    /// The disagreement of ratings with the others of their group.
    fn per_rating(&self, counts: &[Count], at: &[f64]) -> f64 {
        // The squared differences of all ordered pairs, summed.
        let disagreement = match self.scale {
            Measurement::Nominal => {
                let same = counts.iter().map(|(_, count)| count * count);
                total_count(counts).powi(2) - same.sum::<f64>()
            }
            Measurement::Ordinal | Measurement::Interval => squared_differences(counts, at),
            Measurement::Ratio => {
                // Equal values, zeros too, are one entry and add nothing.
                let terms = index::pairs_below(counts.len()).map(|(i, j)| {
                    let ((a, times_a), (b, times_b)) = (counts[i], counts[j]);
                    2.0 * times_a * times_b * self.distance(at[a], at[b], false)
                });
                terms.sum()
            }
        };
        disagreement / (total_count(counts) - 1.0)
    }
}

/// Sum over ordered pairs of (x - y)^2 = 2 n sum (x - mean)^2.
fn squared_differences(counts: &[Count], at: &[f64]) -> f64 {
    let n = total_count(counts);
    // Distances are from the first value, so that equal values give exactly 0.
    let first = counts.first().map_or(0.0, |&(value, _)| at[value]);
    let distances = counts
        .iter()
        .map(|&(value, count)| (at[value] - first, count));
    let sum: f64 = distances.clone().map(|(x, count)| count * x).sum();
    let mean = sum / n;
    let squares = distances.map(|(x, count)| count * (x - mean).powi(2));
    2.0 * n * squares.sum::<f64>()
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
    fn clusters_of_one_unit_are_units_and_copies_of_a_unit_say_nothing_more() {
        let rows = [
            [0, 0],
            [1, 1],
            [0, 1],
            [1, -1],
            [1, 0],
            [1, 1],
            [2, 2],
            [2, 1],
        ];
        let once = units(&rows);
        for scale in [
            Measurement::Nominal,
            Measurement::Ordinal,
            Measurement::Interval,
        ] {
            let plain = krippendorff_alpha_interval(&once, scale, 0.95).unwrap();
            let over = |units: &[Vec<Option<f64>>], clusters: &[u32]| {
                krippendorff_alpha_cluster_interval(units, clusters, scale, 0.95)
            };
            assert_eq!(over(&once, &[2, 3, 4, 5, 6, 7, 8, 9]), Ok(plain));
            // Hundred copies: alpha itself is that of endlessly many ratings.
            let clusters: Vec<u32> = (0..8).cycle().take(800).collect();
            let copies: Vec<_> = once.iter().cloned().cycle().take(800).collect();
            let copies = over(&copies, &clusters).unwrap();
            let width = |it: Interval| it.high.unwrap() - it.low.unwrap();
            assert!(
                (width(copies) / width(plain) - 1.0).abs() < 0.1,
                "{plain:?} {copies:?}"
            );
            // The fourth unit has one rating, so that its cluster is none.
            let one = Undefined::TooFewClusters { clusters: 1 };
            assert_eq!(over(&once, &[1, 1, 1, 2, 1, 1, 1, 1]), Err(one.into()));
            assert!(matches!(over(&once, &[1, 2]), Err(Error::Lengths { .. })));
        }
    }
}
