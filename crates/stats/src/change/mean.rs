//! The mean of paired differences, with the test that they are symmetric around 0, inverted.

use super::flips::{Flips, least_p_value};
use super::{ChangeTest, MeanChange, Moves, agree, paired_counts};
use crate::checks::{Entry, check_level};
use crate::inference::{ClusterDifference, ScoreTest};
use crate::special::two_sided_quantile;
use crate::{Error, Undefined};
use std::collections::BTreeMap;

/// The mean of paired differences, one for each independent item.
///
/// Where all that moved moved by one size, the test and the interval are those of
/// [`paired_counts`]. Else the test is the sign-flip test: if nothing changed but by chance, each
/// item's difference would as well have had the other sign. Its statistic is the sum of the
/// differences over the root of their sum of squares, which no flip changes; the interval has the
/// means for which that statistic, of the differences less the mean, is within what the test does
/// not reject at 0. While so few items moved that nothing would be rejected, this is the normal
/// quantile or the largest that the statistic can be; and no interval is then narrower than that of
/// items of which none moved. No end is beyond the furthest that the mean can be.
///
/// The test is exact for differences that would as well have had the other sign, as those of two
/// equal systems do. Of two that differ, on few items and mostly to one side, they could not: so
/// the interval has the means that the [`ScoreTest`] keeps, too, which allows for what was not seen.
///
/// Of many small falls among which few items rise far, 10 to 40 items may not show a rise: a 95 %
/// interval that leaves out 0 then misses in up to 0.146 (docs/design/statistics.md).
///
/// # Errors
/// A bad level; a number that is not finite; no differences ([`Undefined::NoData`]).
pub fn paired_change(differences: &[f64], moves: Moves, level: f64) -> Result<MeanChange, Error> {
    check_level(level)?;
    check_finite(differences.iter().copied())?;
    if differences.is_empty() {
        return Err(Undefined::NoData.into());
    }
    if let Some(size) = size_of(differences, moves) {
        return counted_change(differences, size, moves, level);
    }
    let rows = differences.iter().map(|value| Contribution {
        value: *value,
        weight: 1.0,
        size: 1.0,
    });
    let rows = Vec::from_iter(rows);
    Ok(flipped_change(&rows, 0.0, None, moves, level))
}

/// The mean over items of paired differences, each with its cluster: items of one cluster, such as
/// those that ask one question, are not independent.
///
/// Where clusters are of one size it is [`paired_change`] of their means. Else each adds the sum of
/// its differences, and the test flips the signs of these sums. The interval has the means d for
/// which the sums less d for each item are within what the test does not reject at 0, and those
/// that the [`ScoreTest`] keeps, for which a cluster that was not seen is as large as the largest:
/// of a hundred questions of which one asks 30 % of the items, that one mostly stayed where it was.
///
/// # Errors
/// As [`paired_change`].
pub fn clustered_change(
    items: &[(u32, f64)],
    moves: Moves,
    level: f64,
) -> Result<MeanChange, Error> {
    check_level(level)?;
    check_finite(items.iter().map(|(_, difference)| *difference))?;
    let values = cluster_values(items.iter().copied());
    let sizes = cluster_values(items.iter().map(|(cluster, _)| (*cluster, 1.0)));
    if sizes.iter().all(|size| (size - 1.0).abs() < 1e-9) {
        return paired_change(&values, moves, level);
    }
    let rows = values.iter().zip(&sizes);
    let rows = rows.map(|(&value, &size)| Contribution {
        value,
        weight: size,
        size,
    });
    let rows = Vec::from_iter(rows);
    Ok(flipped_change(&rows, 0.0, None, moves, level))
}

/// Returns one value for each cluster of items that are not independent, in the order of the
/// clusters' numbers: the sum of its items' values, times the number of clusters over that of
/// items. Their mean is that of all items, and they are what [`paired_change`] may be asked of.
pub fn cluster_values(items: impl IntoIterator<Item = (u32, f64)>) -> Vec<f64> {
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    let mut count = 0.0;
    for (cluster, value) in items {
        *sums.entry(cluster).or_default() += value;
        count += 1.0;
    }
    let share = sums.len() as f64 / count;
    sums.into_values().map(|sum| sum * share).collect()
}

pub(super) fn check_finite(values: impl Iterator<Item = f64>) -> Result<(), Error> {
    for (row, value) in values.enumerate() {
        let difference = Entry::new(row, "difference", value);
        difference.require(value.is_finite(), "such as -0.5")?;
    }
    Ok(())
}

/// The one size of all differences that are not 0; that of a step where all are 0.
fn size_of(differences: &[f64], moves: Moves) -> Option<f64> {
    let mut sizes = differences.iter().map(|x| x.abs()).filter(|x| *x > 0.0);
    let size = sizes.next().unwrap_or(moves.step);
    sizes
        .all(|other| (other - size).abs() < 1e-9)
        .then_some(size)
}

fn counted_change(
    differences: &[f64],
    size: f64,
    moves: Moves,
    level: f64,
) -> Result<MeanChange, Error> {
    let count = |is: fn(f64) -> bool| differences.iter().filter(|x| is(**x)).count();
    let (up, down, items) = (count(|x| x > 0.0), count(|x| x < 0.0), differences.len());
    let found = paired_counts(up as u32, down as u32, items as u32, level)?;
    let difference = found.difference * size;
    let moved = up + down;
    let interval = moves.can_be_limited(items, level).then(|| {
        let ends = found.interval.map(|end| end * size);
        let ends = widen(ends, difference, [moved, items], items as f64, moves, level);
        agree(ends, found.p_value, level)
    });
    let squares: f64 = differences.iter().map(|x| (x - difference).powi(2)).sum();
    Ok(MeanChange {
        test: ChangeTest::Sign,
        difference,
        deviation: (squares / (items.max(2) - 1) as f64).sqrt(),
        interval,
        p_value: found.p_value,
        moved,
    })
}

/// What an item adds to the sum whose signs are flipped, where the true mean is d:
/// `value` - d `weight`. The weights sum to the number of items. `size` is how much of the data is
/// in it, in the unit of weights.
#[derive(Clone, Copy)]
pub(super) struct Contribution {
    pub(super) value: f64,
    pub(super) weight: f64,
    pub(super) size: f64,
}

/// Tests and estimates a mean by flipping the signs of what the items add to it, and of two numbers
/// more, `unseen` and its opposite: what may vary and was not met. `moved_of` is how many items
/// moved, of how many, where rows are not the items alone.
pub(super) fn flipped_change(
    rows: &[Contribution],
    unseen: f64,
    moved_of: Option<[usize; 2]>,
    moves: Moves,
    level: f64,
) -> MeanChange {
    let n = rows.len() as f64;
    let sum = |term: fn(&Contribution) -> f64| rows.iter().map(term).sum::<f64>();
    let difference = sum(|row| row.value) / n;
    let [values, crossed, weights] = [
        sum(|row| row.value * row.value) + 2.0 * unseen * unseen,
        sum(|row| row.value * row.weight),
        sum(|row| row.weight * row.weight),
    ];
    let around = values - 2.0 * difference * crossed + difference * difference * weights;
    let own = rows.iter().map(|row| row.value);
    let flips = Flips::of(&Vec::from_iter(own.chain([unseen, -unseen])));
    let added = if unseen > 0.0 { 2 } else { 0 };
    let moved = flips.moved().saturating_sub(added);
    let of_row = |row: &Contribution| {
        let [sum, pairs] = [row.value, row.weight];
        (ClusterDifference { sum, pairs }, row.size)
    };
    let mut seen = Vec::from_iter(rows.iter().map(of_row));
    let made_up = [unseen, -unseen].map(|sum| (ClusterDifference { sum, pairs: 0.0 }, 1.0));
    seen.extend(&made_up[..added]);
    let score = ScoreTest::of_scores(&seen);
    let p_value = flips.p_value().max(least_p_value(moved));
    // Too few to reject anything: as many as there may be, and no fewer than the normal
    // distribution has.
    let few = || {
        let total = rows.iter().map(|row| row.value.abs()).sum::<f64>();
        let others_stayed = moved < rows.len();
        others_stayed.then(|| total.max(two_sided_quantile(level) * values.sqrt()))
    };
    let furthest = flips.furthest_possible(1.0 - level).or_else(few);
    let interval = furthest.map(|furthest| {
        // (n (difference - mean))^2 <= furthest^2 / values sum of (value - mean weight)^2.
        let square = if values > 0.0 {
            furthest * furthest / values
        } else {
            0.0
        };
        let [a, b, c] = [
            n * n - square * weights,
            n * n * difference - square * crossed,
            n * n * difference * difference - square * values,
        ];
        let root = (b * b - a * c).max(0.0).sqrt();
        // Far fewer differences than items: what they say at 0 serves for all means.
        let reach = furthest / n;
        match a > 0.0 {
            true => [(b - root) / a, (b + root) / a],
            false => [difference - reach, difference + reach],
        }
    });
    let is_limited = moves.limit.is_finite();
    let interval = interval.or(is_limited.then_some([-moves.limit, moves.limit]));
    let interval = interval.filter(|_| moves.can_be_limited(rows.len(), level));
    let interval = interval.map(|ends| {
        let ends = score.map_or(ends, |score| score.widened_beyond_zero(ends, 1.0 - level));
        let moved_of = moved_of.unwrap_or([moved, rows.len()]);
        // As many as would weigh alike (Kish 1965).
        let alike = (n * n / weights).min(moved_of[1] as f64);
        let ends = widen(ends, difference, moved_of, alike, moves, level);
        agree(ends, p_value, level)
    });
    MeanChange {
        test: ChangeTest::SignFlip,
        difference,
        deviation: (around.max(0.0) / (n - 1.0).max(1.0)).sqrt(),
        interval,
        p_value,
        moved,
    }
}

/// From so many items that moved on, the sign-flip test can find something at the usual level.
pub(super) const ENOUGH_MOVED: usize = 6;

/// While few items moved and others did not, no interval is narrower than where none moved, but
/// that an end that leaves out 0 stays; and none reaches beyond what is possible. The items are
/// `alike` items of one weight.
fn widen(
    [mut low, mut high]: [f64; 2],
    difference: f64,
    [moved, items]: [usize; 2],
    alike: f64,
    moves: Moves,
    level: f64,
) -> [f64; 2] {
    if moved < ENOUGH_MOVED && moved < items {
        // The share of items that may move although none did (Clopper and Pearson 1934).
        let share = 1.0 - (0.5 - level / 2.0).powf(1.0 / alike);
        if low <= 0.0 {
            low = low.min(difference - share * moves.step);
        }
        if high >= 0.0 {
            high = high.max(difference + share * moves.step);
        }
    }
    let limit = moves.limit.max(difference.abs());
    [low.max(-limit), high.min(limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: Moves = Moves {
        step: 1.0,
        limit: f64::INFINITY,
    };

    fn draws(count: usize, mut state: u64) -> Vec<f64> {
        let mut uniform = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..count).map(|_| uniform() - uniform()).collect()
    }

    #[test]
    fn it_is_the_t_interval_for_many_items() {
        let found = paired_change(&draws(4000, 5), SCORES, 0.95).unwrap();
        let [low, high] = found.interval.unwrap();
        let reach = (high - low) / 2.0 / (found.deviation / 4000f64.sqrt());
        assert!((reach - 1.96).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn few_that_moved_are_decided() {
        let mut differences = vec![0.0; 40];
        (differences[3], differences[17]) = (-4.0, -2.5);
        let found = paired_change(&differences, SCORES, 0.95).unwrap();
        assert_eq!(
            (found.test, found.p_value, found.moved),
            (ChangeTest::SignFlip, 0.5, 2)
        );
        let [low, high] = found.interval.unwrap();
        assert!(
            low < -0.3 && low > -1.0 && high > 0.0 && high < 0.5,
            "{found:?}"
        );
    }

    #[test]
    fn all_that_fell_is_overwhelming() {
        let differences: Vec<f64> = (0..40).map(|i| -0.1 - f64::from(i * i % 17)).collect();
        let found = paired_change(&differences, SCORES, 0.95).unwrap();
        assert_eq!(found.p_value, 2f64.powi(-39));
        assert!(found.interval.unwrap()[1] < 0.0, "{found:?}");
    }

    #[test]
    fn too_few_items_rule_nothing_out() {
        let found = paired_change(&[-1.0, -2.0, -3.0, -2.5, -2.0], SCORES, 0.95).unwrap();
        assert_eq!((found.p_value, found.interval), (0.0625, None));
        let shares = Moves {
            step: 1.0,
            limit: 1.0,
        };
        let found = paired_change(&[-0.1, -0.2, -0.3, -0.25, -0.2], shares, 0.95).unwrap();
        assert_eq!(found.interval, Some([-1.0, 1.0]), "{found:?}");
    }

    /// As of items that move by any size, so of those that happen to move by one or not at all.
    #[test]
    fn too_few_scores_rule_nothing_out_whatever_they_are() {
        for level in [0.8, 0.95, 0.99] {
            for items in 1..12 {
                for size in [0.001, 1.0, 50.0] {
                    for moved in 0..=items {
                        let even = (0..items).map(|at| if at < moved { size } else { 0.0 });
                        let uneven = even.clone().enumerate().map(|(at, x)| x * (1 + at) as f64);
                        for values in [Vec::from_iter(even.clone()), Vec::from_iter(uneven)] {
                            let found = paired_change(&values, SCORES, level).unwrap();
                            let few = least_p_value(items) >= 1.0 - level;
                            let told = format!("{level} {values:?}: {found:?}");
                            assert!(!few || found.interval.is_none(), "{told}");
                            let is_moved = moved == items || moved == 0;
                            assert!(few || !is_moved || found.interval.is_some(), "{told}");
                        }
                    }
                }
            }
        }
    }

    /// The p-value against a slow twin that flips the signs of all sums, one pattern after another;
    /// clusters of one size are their means.
    #[test]
    fn clusters_are_flipped_as_wholes() {
        for seed in 0..40 {
            let values = draws(30, seed);
            let sizes = [1_usize, 1, 2, 1, 9, 3, 1, 2, 1, 4];
            let clusters = (0..).zip(sizes).flat_map(|(at, size)| vec![at; size]);
            let items: Vec<(u32, f64)> = clusters.zip(values.iter().copied()).collect();
            let found = clustered_change(&items, SCORES, 0.95).unwrap();
            let mean = items.iter().map(|(_, value)| value).sum::<f64>() / items.len() as f64;
            assert!((found.difference - mean).abs() < 1e-12);
            let sums: Vec<f64> = (0..sizes.len() as u32)
                .map(|at| {
                    let own = items.iter().filter(|(cluster, _)| *cluster == at);
                    own.map(|(_, value)| value).sum()
                })
                .collect();
            let patterns = 1_u32 << sums.len();
            let reaches = |pattern: &u32| {
                let flipped = sums
                    .iter()
                    .enumerate()
                    .map(|(at, sum)| match pattern >> at & 1 {
                        0 => *sum,
                        _ => -sum,
                    });
                flipped.sum::<f64>().abs() >= sums.iter().sum::<f64>().abs() - 1e-9
            };
            let p = (0..patterns).filter(reaches).count() as f64 / f64::from(patterns);
            assert!((found.p_value - p).abs() < 1e-9, "{found:?} {p}");
            let [low, high] = found.interval.unwrap();
            assert_eq!(p < 0.05, low > 0.0 || high < 0.0, "{found:?}");

            let of_three = |at: usize| (at as u32 / 3, values[at]);
            let alike = clustered_change(&Vec::from_iter((0..30).map(of_three)), SCORES, 0.95);
            let means: Vec<f64> = values
                .chunks(3)
                .map(|own| own.iter().sum::<f64>() / 3.0)
                .collect();
            let other = paired_change(&means, SCORES, 0.95).unwrap();
            let [alike, other] = [alike.unwrap(), other].map(|one| one.interval.unwrap());
            let ends = alike.into_iter().zip(other);
            assert!(
                ends.into_iter().all(|(x, y)| (x - y).abs() < 1e-9),
                "{alike:?} {other:?}"
            );
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(
            paired_change(&[], SCORES, 0.95),
            Err(Undefined::NoData.into())
        );
        assert!(paired_change(&[1.0, f64::NAN], SCORES, 0.95).is_err());
        assert!(paired_change(&[1.0, 2.0], SCORES, 1.0).is_err());
    }
}
