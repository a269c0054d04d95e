//! Shares of what was counted on items: over clusters, as means over several columns (judges, say)
//! of the same items, and mean relative gains over a baseline.
//!
//! Columns are fixed: intervals are over the items alone, and say nothing of other columns.

use crate::checks::{
    Entry, check_argument, check_clusters, check_lengths, check_level, check_weights,
};
use crate::linear::mean;
use crate::special::{beta_quantile, student_quantile, two_sided_quantile};
use crate::{Error, Undefined};
use std::iter;

/// A sum over what has a value, and how many have one: what one item adds to one column, a sum from
/// 0 to the count. Both are 0 where the column has nothing on the item.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ItemCount {
    /// Such as the item's consistent pairs.
    pub sum: f64,
    /// Such as the item's pairs.
    pub count: f64,
}

/// What one item says of a method and of its baseline in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ItemGain {
    /// The method's count.
    pub method: ItemCount,
    /// The baseline's.
    pub baseline: ItemCount,
}

/// A mean, over columns or of differences, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnMean {
    /// The mean.
    pub value: f64,
    /// Its interval over items or clusters, within what is possible, or why there is none: fewer
    /// than 2.
    pub interval: Result<[f64; 2], Undefined>,
}

/// The mean over columns of a share, each column's sum over its count, with the interval that
/// [`clustered_share`] describes. What several judges say of one item may be said in one error,
/// which the interval finds in the items.
///
/// `items[item][column]`; every item has all columns.
///
/// # Errors
/// Lists of unlike lengths; a sum that is not from 0 to its count (with the item's position); a bad
/// level; a column without a count ([`Undefined::NoData`]).
pub fn column_share(items: &[Vec<ItemCount>], level: f64) -> Result<ColumnMean, Error> {
    check_level(level)?;
    let columns = check_items(items.iter().map(|item| item.iter().copied()))?;
    weighed_share(items, &vec![1.0; columns], level)
}

/// The weighed mean over parts of a share, each part's sum over its count, where the items of one
/// part are few beside those of another, or other ones: the accuracy on pairs whose better response
/// is the longer one and on the others, or on each part of an input set. An item counts 0 in a part
/// that it is not in, and may be in several.
///
/// Two intervals are made, and each end is the farther one: that of [`column_share`], which knows
/// what parts have in common, and the parts' own of [`clustered_share`] put together (square and
/// add: Zou and Donner 2008), which knows that a part of three items rests on three. A part of one
/// item may be anything from 0 to 1. The first alone misses in more than one draw of ten where 4 in
/// 100 items are of a part that has a quarter of the weight; the second alone in three of ten where
/// items are in all parts and say the same in each (docs/design/statistics.md).
///
/// # Errors
/// As [`column_share`]; weights that are not one for each part, from 0 to 1e100, and some of them
/// above 0.
pub fn part_share(
    items: &[Vec<ItemCount>],
    weights: &[f64],
    level: f64,
) -> Result<ColumnMean, Error> {
    check_level(level)?;
    let parts = check_items(items.iter().map(|item| item.iter().copied()))?;
    check_lengths(parts, weights.len())?;
    check_weights("weight", weights)?;
    let sum: f64 = weights.iter().sum();
    check_argument("sum of weights", sum, sum > 0.0, "above 0")?;
    let mut found = weighed_share(items, weights, level)?;
    let mut reach = [0.0_f64; 2];
    for (part, weight) in weights.iter().enumerate() {
        let rows = items.iter().map(|item| (item[part].sum, item[part].count));
        let own = clustered_share(&rows.collect::<Vec<_>>(), level)?;
        let [low, high] = own.interval.unwrap_or([0.0, 1.0]);
        for (reach, end) in reach.iter_mut().zip([low, high]) {
            *reach = reach.hypot(weight / sum * (end - own.value));
        }
    }
    found.interval = found.interval.map(|[low, high]| {
        [
            low.min(found.value - reach[0]).max(0.0),
            high.max(found.value + reach[1]).min(1.0),
        ]
    });
    Ok(found)
}

/// See [`column_share`]; as many weights as columns, in any unit.
fn weighed_share(
    items: &[Vec<ItemCount>],
    weights: &[f64],
    level: f64,
) -> Result<ColumnMean, Error> {
    let sums = |column: usize| sums_of(items.iter().map(|item| item[column]));
    let totals: Vec<ItemCount> = (0..weights.len()).map(sums).collect();
    let shares: Vec<f64> = totals.iter().map(share_of).collect::<Result<_, _>>()?;
    let all: f64 = weights.iter().sum();
    let weighed = shares
        .iter()
        .zip(weights)
        .map(|(share, weight)| share * weight);
    let value = (weighed.sum::<f64>() / all).clamp(0.0, 1.0);
    // Of a column without a weight nothing is heard.
    let heard = (0..weights.len()).filter(|column| weights[*column] > 0.0);
    let heard: Vec<usize> = heard.collect();
    let part = |item: &Vec<ItemCount>| {
        let mut part = ItemPart {
            all: heard
                .iter()
                .all(|&column| item[column].sum == item[column].count),
            none: heard.iter().all(|&column| item[column].sum == 0.0),
            ..ItemPart::default()
        };
        for &column in &heard {
            let (one, scale) = (item[column], totals[column].count * all / weights[column]);
            part.moves += (one.sum - shares[column] * one.count) / scale;
            part.weight += one.count / scale;
        }
        part
    };
    let parts: Vec<ItemPart> = items.iter().map(part).collect();
    // As many trials as weigh alike (Kish): all of them where columns count as many.
    let squares =
        (weights.iter().zip(&totals)).map(|(weight, total)| weight * weight / total.count);
    let trials = all * all / squares.sum::<f64>();
    let interval = share_interval(value, &parts, trials, level);
    Ok(ColumnMean { value, interval })
}

/// A share over clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusteredShare {
    /// Sum of the sums over sum of the counts.
    pub value: f64,
    /// Sum of the counts.
    pub n: f64,
    /// Its interval over the clusters with a count, or why there is none: fewer than 2.
    pub interval: Result<[f64; 2], Undefined>,
}

/// A share over clusters, the sum over the count of all, such as consistent verdicts over
/// comparisons where each row is an item: (sum, count), the sum from 0 to the count. Rows that
/// count 0 are no evidence.
///
/// The interval is Korn and Graubard's (1998): Clopper and Pearson's (1934) for the effective
/// number of trials m (1 - m) / v, with m the share and v its variance linearised over clusters. A
/// v that came out small by luck would promise too much, so there is a most, and the larger of two
/// numbers holds:
///
/// - at most as many trials as clusters, these counted by their sizes (n_k = (sum c)^2 / sum c^2,
///   Kish 1965), narrowed by (z / t)^2 as Korn and Graubard do, t being Student's quantile with n -
///   1 degrees of freedom for n clusters, z the normal's;
/// - at most as many trials as there are, narrowed likewise, with d - 1 degrees of freedom for the
///   d clusters that speak (Kish's number of the squared moves, Satterthwaite 1946): many trials in
///   each of many clusters count where the clusters show that they are worth it.
///
/// Clusters all of whose trials succeed are seen or not seen as wholes, whatever v says. If they
/// are a share a of the weight, up to a', Clopper and Pearson's end for a of n_k clusters, may be
/// such, which would make the share m + (a' - a) (1 - m): the upper end reaches there, but not
/// beyond that of the first number alone. The lower end likewise for those that all fail.
///
/// Where v is 0, n_k is the number of trials. Measured in docs/design/statistics.md; a percentile
/// bootstrap misses a share of 0.2 of 20 clusters in 0.078.
///
/// # Errors
/// A count that is not from 0 to 1e100, a sum that is not from 0 to its count (with the row's
/// position), a bad level; no row with a count ([`Undefined::NoData`]).
pub fn clustered_share(rows: &[(f64, f64)], level: f64) -> Result<ClusteredShare, Error> {
    check_level(level)?;
    let counts = || rows.iter().map(|&(sum, count)| ItemCount { sum, count });
    check_items(counts().map(iter::once))?;
    let total = sums_of(counts());
    let value = share_of(&total)?.clamp(0.0, 1.0);
    let part = |one: ItemCount| ItemPart {
        moves: (one.sum - value * one.count) / total.count,
        weight: one.count / total.count,
        all: one.sum == one.count,
        none: one.sum == 0.0,
    };
    let parts: Vec<ItemPart> = counts().map(part).collect();
    Ok(ClusteredShare {
        value,
        n: total.count,
        interval: share_interval(value, &parts, total.count, level),
    })
}

/// An item's part in a share: by how much it moves it, how much of what is counted it has, and
/// whether all or none of its trials succeed.
#[derive(Clone, Copy, Default)]
pub(crate) struct ItemPart {
    pub(crate) moves: f64,
    pub(crate) weight: f64,
    pub(crate) all: bool,
    pub(crate) none: bool,
}

/// See [`clustered_share`]; weights sum to 1.
pub(crate) fn share_interval(
    value: f64,
    items: &[ItemPart],
    trials: f64,
    level: f64,
) -> Result<[f64; 2], Undefined> {
    let items = || items.iter().filter(|item| item.weight > 0.0);
    let clusters = items().count();
    check_clusters(clusters)?;
    let n = clusters as f64;
    let squares: f64 = items().map(|item| item.moves.powi(2)).sum();
    let fourths: f64 = items().map(|item| item.moves.powi(4)).sum();
    let by_size = 1.0 / items().map(|item| item.weight.powi(2)).sum::<f64>();
    let variance = squares * n / (n - 1.0);
    let tail = (1.0 - level) / 2.0;
    let narrowed = |most: f64, freedom: f64| {
        let student = student_quantile(1.0 - tail, freedom);
        (two_sided_quantile(level) / student).powi(2) * (value * (1.0 - value) / variance).min(most)
    };
    let (as_clusters, as_trials) = match variance > 1e-14 {
        true => {
            let speaking = (squares * squares / fourths - 1.0).clamp(1.0, n - 1.0);
            (narrowed(by_size, n - 1.0), narrowed(trials, speaking))
        }
        false => (by_size, by_size),
    };
    let wide = clopper_pearson(value, as_clusters, tail);
    let [low, high] = clopper_pearson(value, as_clusters.max(as_trials), tail);
    // How much more of the clusters may be of a kind that has this share of them.
    let unseen = |share: f64| clopper_pearson(share, by_size, tail)[1] - share;
    let sum = |is: fn(&ItemPart) -> bool| -> f64 {
        let such = items().filter(|item| is(item));
        such.map(|item| item.weight).sum::<f64>().min(1.0)
    };
    let lowest = value - unseen(sum(|item| item.none)) * value;
    let highest = value + unseen(sum(|item| item.all)) * (1.0 - value);
    Ok([
        low.min(lowest.max(wide[0])).min(value),
        high.max(highest.min(wide[1])).max(value),
    ])
}

/// Clopper and Pearson's ends of a share of so many trials, fractions allowed.
fn clopper_pearson(share: f64, trials: f64, tail: f64) -> [f64; 2] {
    let successes = share * trials;
    let low = match successes > 1e-9 {
        true => beta_quantile(tail, successes, trials - successes + 1.0),
        false => 0.0,
    };
    let high = match trials - successes > 1e-9 {
        true => beta_quantile(1.0 - tail, successes + 1.0, trials - successes),
        false => 1.0,
    };
    [low, high]
}

/// The mean over columns of a relative gain, each column's method / baseline - 1, both as shares
/// (PORTIA's "+194.48 %" and its mean, 47.46 %; PRePair's 24.48 %).
///
/// The interval is exp(log m -+ t s' / m) - 1, with m the mean ratio; s is its jackknife standard
/// error over items (linearised where leaving one out leaves a baseline of 0). On this scale a
/// single ratio of shares has Katz's interval (Katz et al. 1978), which the jackknife carries to
/// paired items and to means of ratios. What sets method and baseline apart may be a few items on
/// which all judges err together, so the items count by what they move: with w the square of what
/// each moves, d = (sum w)^2 / sum w^2 of them speak (Kish 1965), s' = s sqrt((d + 2) / d) as if
/// two more had moved (Bonett and Price 2006), and t is Student's quantile with d - 1 degrees of
/// freedom, from 1 to one less than the items (Satterthwaite 1946). Measured:
/// docs/design/statistics.md.
///
/// `items[item][column]`; every item has all columns. No interval where no item tells method and
/// baseline apart, or where the method's shares are all 0.
///
/// # Errors
/// Lists of unlike lengths; a sum that is not from 0 to its count (with the item's position); a bad
/// level; a column without a count ([`Undefined::NoData`]), or with a baseline of 0
/// ([`Undefined::ZeroBaseline`]).
pub fn mean_relative_gain(items: &[Vec<ItemGain>], level: f64) -> Result<ColumnMean, Error> {
    check_level(level)?;
    check_items(items.iter().map(|item| item.iter().map(|one| one.method)))?;
    let columns = check_items(items.iter().map(|item| item.iter().map(|one| one.baseline)))?;
    let totals: Vec<ItemGain> = (0..columns)
        .map(|column| ItemGain {
            method: sums_of(items.iter().map(|item| item[column].method)),
            baseline: sums_of(items.iter().map(|item| item[column].baseline)),
        })
        .collect();
    let ratios: Vec<f64> = totals.iter().map(ratio_of).collect::<Result<_, _>>()?;
    let ratio = mean(&ratios);
    let value = ratio - 1.0;

    let n = items.len() as f64;
    let without = |why: Undefined| {
        let interval = Err(why);
        Ok(ColumnMean { value, interval })
    };
    if items.len() < 2 {
        let clusters = items.len();
        return without(Undefined::TooFewClusters { clusters });
    }
    if ratio <= 0.0 {
        return without(Undefined::NoVariance);
    }
    let moved = |item: &Vec<ItemGain>| {
        let own = item.iter().zip(&totals).map(|(one, total)| {
            let like_baseline = total.baseline.count / total.method.count;
            (one.method.sum * like_baseline - one.baseline.sum) / total.baseline.sum
        });
        own.sum::<f64>().powi(2)
    };
    let moves: Vec<f64> = items.iter().map(moved).collect();
    let sum: f64 = moves.iter().sum();
    if sum < 1e-18 {
        return without(Undefined::NoDiscordantRows);
    }
    let speaking = sum * sum / moves.iter().map(|it| it * it).sum::<f64>();
    let error = match leave_out_each(items, &totals) {
        Some(means) => {
            let centre = mean(&means);
            let squares: f64 = means.iter().map(|it| (it - centre).powi(2)).sum();
            (squares * (n - 1.0) / n).sqrt()
        }
        None => {
            let influence = |item: &Vec<ItemGain>| {
                let own = item.iter().zip(&totals).zip(&ratios);
                let of_columns = own.map(|((one, total), ratio)| {
                    let method = one.method.sum / total.method.sum.max(f64::MIN_POSITIVE)
                        - one.method.count / total.method.count;
                    let baseline = one.baseline.sum / total.baseline.sum
                        - one.baseline.count / total.baseline.count;
                    ratio * (method - baseline)
                });
                of_columns.sum::<f64>() / columns as f64
            };
            let squares: f64 = items.iter().map(|item| influence(item).powi(2)).sum();
            (squares * n / (n - 1.0)).sqrt()
        }
    };
    let freedom = (speaking - 1.0).clamp(1.0, n - 1.0);
    let error = error * ((speaking + 2.0) / speaking).sqrt();
    let spread = student_quantile(0.5 + level / 2.0, freedom) * error / ratio;
    let interval = Ok([-spread, spread].map(|side| ratio * libm::exp(side) - 1.0));
    Ok(ColumnMean { value, interval })
}

/// Returns the mean ratio without each item; None where one of them leaves a column without a
/// count, or with a baseline of 0.
fn leave_out_each(items: &[Vec<ItemGain>], totals: &[ItemGain]) -> Option<Vec<f64>> {
    let without = |item: &Vec<ItemGain>| {
        let left = item.iter().zip(totals).map(|(one, total)| ItemGain {
            method: total.method.without(one.method),
            baseline: total.baseline.without(one.baseline),
        });
        let ratios: Result<Vec<f64>, Undefined> = left.map(|left| ratio_of(&left)).collect();
        Some(mean(&ratios.ok()?))
    };
    items.iter().map(without).collect()
}

impl FromIterator<f64> for ItemCount {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> ItemCount {
        let mut found = ItemCount::default();
        for value in values {
            found.sum += value;
            found.count += 1.0;
        }
        found
    }
}

impl ItemCount {
    /// Adds another one, counted so often.
    pub fn add(&mut self, other: ItemCount, weight: f64) {
        self.sum += weight * other.sum;
        self.count += weight * other.count;
    }

    /// The mean; None where nothing has a value.
    pub fn mean(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    fn without(self, other: ItemCount) -> ItemCount {
        // Whole numbers, mostly: what is left of equal sums is rounding.
        let less = |all: f64, some: f64| {
            if all - some > 1e-9 * all {
                all - some
            } else {
                0.0
            }
        };
        ItemCount {
            sum: less(self.sum, other.sum),
            count: less(self.count, other.count),
        }
    }
}

fn sums_of(counts: impl Iterator<Item = ItemCount>) -> ItemCount {
    let mut all = ItemCount::default();
    counts.for_each(|one| all.add(one, 1.0));
    all
}

fn share_of(total: &ItemCount) -> Result<f64, Undefined> {
    total.mean().ok_or(Undefined::NoData)
}

fn ratio_of(total: &ItemGain) -> Result<f64, Undefined> {
    let (method, baseline) = (share_of(&total.method)?, share_of(&total.baseline)?);
    match baseline > 0.0 {
        true => Ok(method / baseline),
        false => Err(Undefined::ZeroBaseline),
    }
}

/// Checks counts and returns how many columns there are, 1 or more.
fn check_items<I>(items: impl Iterator<Item = I>) -> Result<usize, Error>
where
    I: Iterator<Item = ItemCount>,
{
    let mut columns = None;
    for (row, item) in items.enumerate() {
        let mut found = 0;
        for one in item {
            let entry = Entry::new(row, "count", one.count);
            entry.require_within(0.0..=1e100, "from 0 to 1e100")?;
            let entry = Entry::new(row, "sum", one.sum);
            entry.require_within(0.0..=one.count, "from 0 to the count")?;
            found += 1;
        }
        let first = *columns.get_or_insert(found);
        if first != found {
            return Err(Error::Lengths {
                first,
                second: found,
            });
        }
    }
    match columns {
        Some(columns) if columns > 0 => Ok(columns),
        _ => Err(Undefined::NoData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    fn once(yes: bool) -> ItemCount {
        ItemCount {
            sum: f64::from(u8::from(yes)),
            count: 1.0,
        }
    }

    fn gain(method: bool, baseline: bool) -> ItemGain {
        ItemGain {
            method: once(method),
            baseline: once(baseline),
        }
    }

    #[test]
    fn a_share_has_the_exact_interval_of_its_items() {
        let all = column_share(&vec![vec![once(true)]; 20], 0.95).unwrap();
        // 0.025^(1/20).
        let [low, high] = all.interval.unwrap();
        assert_eq!((all.value, high), (1.0, 1.0));
        assert!((low - 0.831_566_5).abs() < 1e-6, "{low}");
        // Six judges who always say the same are one.
        let items = |judges: usize| -> Vec<Vec<ItemCount>> {
            (0..40).map(|at| vec![once(at % 3 == 0); judges]).collect()
        };
        let [one, six] = [1, 6].map(|judges| column_share(&items(judges), 0.95).unwrap());
        assert!((one.value - six.value).abs() < 1e-12);
        let ends = [one, six].map(|found| found.interval.unwrap());
        assert!((ends[0][0] - ends[1][0]).abs() < 1e-9 && (ends[0][1] - ends[1][1]).abs() < 1e-9);
        assert!(ends[0][0] < 0.22 && ends[0][1] > 0.49, "{ends:?}");
        let none = column_share(&[vec![ItemCount::default()]], 0.95);
        assert_eq!(none, Err(Undefined::NoData.into()));
    }

    /// PORTIA, table 1, Claude2's relation-based column: 83.28 of 28.28 is +194.48 %.
    #[test]
    fn the_paper_s_gain() {
        let count = |share: f64| ItemCount {
            sum: 640.0 * share,
            count: 640.0,
        };
        let one = |method: f64, baseline: f64| ItemGain {
            method: count(method),
            baseline: count(baseline),
        };
        let found = mean_relative_gain(&[vec![one(0.8328, 0.2828)]], 0.95).unwrap();
        assert!((found.value - 1.9448).abs() < 5e-5, "{found:?}");
        assert_eq!(
            found.interval,
            Err(Undefined::TooFewClusters { clusters: 1 })
        );
        // The mean over columns is the mean of their gains.
        let both = [vec![one(0.6, 0.3), one(0.6, 0.5)]];
        let found = mean_relative_gain(&both, 0.95).unwrap();
        assert!((found.value - 0.6).abs() < 1e-12, "{found:?}");
        let none = mean_relative_gain(&[vec![one(0.6, 0.0)]], 0.95);
        assert_eq!(none, Err(Undefined::ZeroBaseline.into()));
        assert_eq!(mean_relative_gain(&[], 0.95), Err(Undefined::NoData.into()));
    }

    /// The jackknife against a slow twin that leaves items out one by one.
    #[test]
    fn intervals_are_those_of_the_slow_twin() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for columns in 1..4 {
            let mut bit = || random.next_u32() % 3 > 0;
            let items: Vec<Vec<ItemGain>> = (0..30)
                .map(|_| (0..columns).map(|_| gain(bit(), bit())).collect())
                .collect();
            let ratio = |kept: &[&Vec<ItemGain>]| {
                let of_column = |column: usize| {
                    let sum = |of: fn(&ItemGain) -> f64| -> f64 {
                        kept.iter().map(|item| of(&item[column])).sum()
                    };
                    sum(|one| one.method.sum) / sum(|one| one.baseline.sum)
                };
                (0..columns).map(of_column).sum::<f64>() / columns as f64
            };
            let all: Vec<&Vec<ItemGain>> = items.iter().collect();
            let without: Vec<f64> = (0..30)
                .map(|out| {
                    let mut kept = all.clone();
                    kept.remove(out);
                    ratio(&kept)
                })
                .collect();
            let centre = without.iter().sum::<f64>() / 30.0;
            let squares: f64 = without.iter().map(|it| (it - centre).powi(2)).sum();
            let error = (squares * 29.0 / 30.0).sqrt();
            let found = mean_relative_gain(&items, 0.95).unwrap();
            let m = ratio(&all);
            // Counts are all 1, so that each item moves by the differences over the baseline's sum.
            let base =
                |column: usize| -> f64 { items.iter().map(|item| item[column].baseline.sum).sum() };
            let moved = items.iter().map(|item| {
                let own = item.iter().enumerate();
                let own = own.map(|(at, one)| (one.method.sum - one.baseline.sum) / base(at));
                own.sum::<f64>().powi(2)
            });
            let moves: Vec<f64> = moved.collect();
            let squares: f64 = moves.iter().map(|it| it * it).sum();
            let d = moves.iter().sum::<f64>().powi(2) / squares;
            let t = student_quantile(0.975, (d - 1.0).min(29.0));
            let high = m * (t * error * ((d + 2.0) / d).sqrt() / m).exp() - 1.0;
            assert!((found.value - (m - 1.0)).abs() < 1e-12);
            assert!(
                (found.interval.unwrap()[1] - high).abs() < 1e-6,
                "{found:?} {high}"
            );
        }
    }
}
