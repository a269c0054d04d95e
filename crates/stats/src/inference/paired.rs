//! Two systems compared on the items that both have scores for, and how few of these carry the
//! conclusion.

use super::{Difference, InferenceError, check_two};
use crate::change::{Flips, cluster_values};
use crate::checks::{check_clusters, check_level, check_some};
use crate::linear::{mean, sample_deviation};
use crate::{ItemScores, Undefined};

/// A sign-flip test of two systems.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SignFlip {
    /// Mean difference over the common items, the first system less the second.
    pub difference: f64,
    /// Two-sided p-value, in (0, 1].
    pub p_value: f64,
    /// Number of common items, or of questions that they ask.
    pub items: usize,
}

/// The paired t test on the items that both systems have scores for: with the mean d and the
/// standard deviation s of the n differences, se = s / sqrt(n), p = 2 P(T > |d| / se) and the
/// interval d ± t se, T with n - 1 degrees of freedom (Student 1908; Miller 2024, "Adding error
/// bars to evals", on paired differences).
///
/// # Errors
/// A bad level; no such system; fewer than 2 common items; differences that do not vary.
pub fn paired_t(
    data: &ItemScores,
    (a, b): (usize, usize),
    level: f64,
) -> Result<Difference, InferenceError> {
    check_level(level)?;
    let differences = common_differences(data, a, b)?;
    let clusters = differences.len();
    check_clusters(clusters)?;
    // The deviation of equal numbers may be a rounding, not 0.
    if differences.iter().all(|x| *x == differences[0]) {
        return Err(Undefined::NoVariance.into());
    }
    let difference = mean(&differences);
    let error = sample_deviation(&differences) / (clusters as f64).sqrt();
    Ok(Difference::tested(
        difference,
        error,
        (clusters - 1) as f64,
        level,
    ))
}

/// The sign-flip test (Fisher 1935): if the systems were the same, each item's difference might as
/// well have had the other sign. The p-value is the share of all patterns of signs whose sum is as
/// extreme: counted for few items, by a saddlepoint for many, as
/// [`crate::change::paired_change`] has it.
///
/// # Errors
/// No such system; no common items.
pub fn sign_flip(data: &ItemScores, (a, b): (usize, usize)) -> Result<SignFlip, InferenceError> {
    let differences = common_differences(data, a, b)?;
    let items = differences.len();
    check_some(items)?;
    Ok(SignFlip {
        difference: mean(&differences),
        p_value: Flips::of(&differences).p_value(),
        items,
    })
}

/// The differences on the items that both systems have scores for, one value for each cluster.
fn common_differences(data: &ItemScores, a: usize, b: usize) -> Result<Vec<f64>, InferenceError> {
    let items = common_items(data, a, b)?.into_iter();
    Ok(cluster_values(items.map(|(item, difference)| {
        (data.cluster_of()[item as usize], difference)
    })))
}

/// A few items without which the mean difference has the other sign.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ItemDrop {
    /// Positions of the items left out, in ascending order of item, the most influential first.
    pub dropped: Vec<u32>,
    /// Number of items that both systems have scores for.
    pub items: usize,
    /// The share left out, in (0, 1).
    pub share: f64,
}

/// The fewest items whose removal turns the mean difference of two systems' scores, over the items
/// that both have, to the other sign: exact, since the largest differences go first.
///
/// # Errors
/// No such system; no common items; `above` not ahead; no item with a difference of the other sign.
pub fn drop_items(
    data: &ItemScores,
    above: usize,
    below: usize,
) -> Result<ItemDrop, InferenceError> {
    let mut items = common_items(data, above, below)?;
    items.sort_by(|x, y| y.1.total_cmp(&x.1));
    let mut sum = 0.0;
    let sums = items.iter().rev().map(|(_, difference)| {
        sum += difference;
        sum
    });
    let sums: Vec<f64> = sums.collect();
    if *sums.last().ok_or(Undefined::NoData)? <= 0.0 {
        return Err(InferenceError::NotAhead { above, below });
    }
    let last_negative = sums.iter().rposition(|&sum| sum < 0.0);
    let left = last_negative.ok_or(InferenceError::Unanimous { above, below })? + 1;
    let dropped = &items[..items.len() - left];
    Ok(ItemDrop {
        share: dropped.len() as f64 / items.len() as f64,
        dropped: dropped.iter().map(|(item, _)| *item).collect(),
        items: items.len(),
    })
}

/// The items that both systems have scores for, in ascending order, each with the difference.
fn common_items(data: &ItemScores, a: usize, b: usize) -> Result<Vec<(u32, f64)>, InferenceError> {
    check_two(a, b, data.systems())?;
    let columns = data.item_columns();
    let mut first = vec![None; data.items()];
    for cell in &columns[a] {
        first[cell.cluster as usize] = Some(cell.score);
    }
    let both = columns[b]
        .iter()
        .filter_map(|cell| Some((cell.cluster, first[cell.cluster as usize]? - cell.score)));
    let mut found: Vec<(u32, f64)> = both.collect();
    found.sort_by_key(|(item, _)| *item);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ItemScore;

    fn data(pairs: &[(f64, f64)]) -> ItemScores {
        let rows = pairs.iter().zip(0..).flat_map(|(&(x, y), item)| {
            [
                ItemScore {
                    item,
                    system: 0,
                    score: x,
                },
                ItemScore {
                    item,
                    system: 1,
                    score: y,
                },
            ]
        });
        ItemScores::new(3, rows.collect()).unwrap()
    }

    #[test]
    fn the_t_test_by_hand() {
        // Differences 1, 2, 3, 2: mean 2, variance 2/3, se = sqrt(1/6), t = 4.898979485566356 with
        // 3 degrees of freedom: p = 0.016279716 (scipy.stats.ttest_1samp), t_0.975 =
        // 3.182446305284263.
        let found = paired_t(
            &data(&[(2.0, 1.0), (4.0, 2.0), (4.0, 1.0), (3.0, 1.0)]),
            (0, 1),
            0.95,
        )
        .unwrap();
        assert!(
            (found.difference - 2.0).abs() < 1e-15
                && (found.standard_error.unwrap() - 6f64.sqrt().recip()).abs() < 1e-15
        );
        let reach = 3.182_446_305_284_263 / 6f64.sqrt();
        assert!(
            (found.interval.low.unwrap() - (2.0 - reach)).abs() < 1e-9,
            "{found:?}"
        );
    }

    #[test]
    fn all_sign_patterns_count() {
        // 1, 2, 3, 2: only all plus and all minus reach 8, of 16 patterns.
        let scores = data(&[(2.0, 1.0), (4.0, 2.0), (4.0, 1.0), (3.0, 1.0)]);
        let found = sign_flip(&scores, (0, 1)).unwrap();
        assert_eq!(
            (found.difference, found.p_value, found.items),
            (2.0, 2.0 / 16.0, 4)
        );
    }

    #[test]
    fn what_is_undefined_is_said() {
        let same = data(&[(2.0, 1.0), (3.0, 2.0)]);
        assert_eq!(
            paired_t(&same, (0, 1), 0.95),
            Err(Undefined::NoVariance.into())
        );
        assert_eq!(
            paired_t(&same, (0, 2), 0.95),
            Err(Undefined::TooFewClusters { clusters: 0 }.into())
        );
        assert_eq!(sign_flip(&same, (0, 2)), Err(Undefined::NoData.into()));
        assert!(matches!(
            paired_t(&same, (0, 3), 0.95),
            Err(InferenceError::Input(_))
        ));
    }
}
