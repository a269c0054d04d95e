//! Two systems compared on the items that both have scores for.

use super::differences::deviation;
use super::normals::{Purpose, draws};
use super::{Difference, InferenceError, check_two};
use crate::bootstrap::check_level;
use crate::{Bootstrap, Cluster, Interval, ItemScores, Undefined};
use rand_chacha::rand_core::RngCore;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A sign-flip test of two systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignFlip {
    /// Mean difference over the common items, the first system less the second.
    pub difference: f64,
    /// Two-sided p-value, in (0, 1].
    pub p_value: f64,
    /// Number of common items.
    pub items: usize,
    /// Whether all sign patterns were counted, and none drawn.
    pub exact: bool,
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
    let differences: Vec<f64> = common(data, a, b)?
        .into_iter()
        .map(|(_, difference)| difference)
        .collect();
    let n = differences.len();
    let difference = differences.iter().sum::<f64>() / n as f64;
    let error = deviation(&differences).ok_or(Undefined::TooFewClusters { clusters: n })?
        / (n as f64).sqrt();
    if differences.iter().all(|x| *x == differences[0]) {
        return Err(Undefined::NoVariance.into());
    }
    let student = StudentsT::new(0.0, 1.0, (n - 1) as f64)
        .map_err(|_| Undefined::TooFewClusters { clusters: n })?;
    let reach = student.inverse_cdf(0.5 + level / 2.0) * error;
    let (low, high) = (Some(difference - reach), Some(difference + reach));
    let interval = Interval {
        low,
        high,
        level,
        rounds: 0,
        infinite: 0,
        undefined: 0,
    };
    let p_value = 2.0 * student.sf((difference / error).abs());
    Ok(Difference {
        difference,
        standard_error: Some(error),
        interval,
        p_value,
    })
}

/// The sign-flip test (Fisher 1935; Phipson and Smyth 2010 for the added ones): if the systems were
/// the same, each item's difference might as well have had the other sign.
///
/// p = (1 + #{|sum*| >= |sum|}) / (R + 1) over `plan.rounds` seeded patterns of signs; where all
/// 2^n patterns are no more than that, all are counted and p = #{|sum*| >= |sum|} / 2^n.
///
/// # Errors
/// No such system; no common items; a number of rounds or threads that cannot be used.
pub fn sign_flip(
    data: &ItemScores,
    (a, b): (usize, usize),
    plan: &Bootstrap,
) -> Result<SignFlip, InferenceError> {
    let differences: Vec<f64> = common(data, a, b)?
        .into_iter()
        .map(|(_, difference)| difference)
        .collect();
    let items = differences.len();
    if items == 0 {
        return Err(Undefined::NoData.into());
    }
    let sum: f64 = differences.iter().sum();
    // Sums in another order round differently: a hair less is as extreme.
    let limit = sum.abs() - 1e-12 * differences.iter().map(|x| x.abs()).sum::<f64>();
    let extreme = |sum: f64| usize::from(sum.abs() >= limit);
    let patterns = u32::try_from(items)
        .ok()
        .and_then(|n| 1usize.checked_shl(n))
        .filter(|&patterns| patterns <= plan.rounds);
    let p_value = match patterns {
        Some(patterns) => {
            let count: usize = (0..patterns as u64)
                .map(|signs| extreme(flipped(&differences, || signs)))
                .sum();
            count as f64 / patterns as f64
        }
        None => {
            let found = draws(plan, Purpose::Signs, |words| {
                extreme(flipped(&differences, || words.next_u64()))
            })?;
            (1 + found.iter().sum::<usize>()) as f64 / (1 + plan.rounds) as f64
        }
    };
    Ok(SignFlip {
        difference: sum / items as f64,
        p_value,
        items,
        exact: patterns.is_some(),
    })
}

/// The sum of the numbers with the signs of `word`'s bits, a new word for every 64 of them.
fn flipped(numbers: &[f64], mut word: impl FnMut() -> u64) -> f64 {
    let signed = |bits: u64, place: usize, x: f64| if bits >> place & 1 == 1 { -x } else { x };
    let chunk = |numbers: &[f64]| {
        let bits = word();
        numbers
            .iter()
            .enumerate()
            .map(|(place, &x)| signed(bits, place, x))
            .sum::<f64>()
    };
    numbers.chunks(64).map(chunk).sum()
}

/// The items that both systems have scores for, by position in ascending order, and the differences
/// there.
pub(super) fn common(
    data: &ItemScores,
    a: usize,
    b: usize,
) -> Result<Vec<(u32, f64)>, InferenceError> {
    check_two(a, b, data.systems())?;
    let columns = data.columns(Cluster::Item);
    let mut first = vec![None; data.clusters(Cluster::Item)];
    columns[a]
        .iter()
        .for_each(|cell| first[cell.cluster as usize] = Some(cell.score));
    let pair = |cell: &crate::data::Cell| {
        first[cell.cluster as usize].map(|score| (cell.cluster, score - cell.score))
    };
    let mut found: Vec<(u32, f64)> = columns[b].iter().filter_map(pair).collect();
    found.sort_by_key(|&(item, _)| item);
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
    fn all_sign_patterns_are_counted_where_they_are_few() {
        // 1, 2, 3, 2: only all plus and all minus reach 8, of 16 patterns.
        let scores = data(&[(2.0, 1.0), (4.0, 2.0), (4.0, 1.0), (3.0, 1.0)]);
        let found = sign_flip(&scores, (0, 1), &Bootstrap::default()).unwrap();
        assert_eq!(
            found,
            SignFlip {
                difference: 2.0,
                p_value: 2.0 / 16.0,
                items: 4,
                exact: true
            }
        );
        // Drawn: 2/16 within five standard errors of 15 rounds is anything; the same for any
        // threads is not.
        let drawn = |threads| {
            sign_flip(
                &scores,
                (0, 1),
                &Bootstrap {
                    rounds: 15,
                    threads,
                    ..Default::default()
                },
            )
            .unwrap()
        };
        assert!(!drawn(1).exact && drawn(1) == drawn(2));
    }

    #[test]
    fn drawn_patterns_come_near_the_exact_share() {
        let pairs: Vec<(f64, f64)> = (0..14)
            .map(|i| (f64::from(i * 7 % 11), f64::from(i * 5 % 7)))
            .collect();
        let run = |rounds| {
            sign_flip(
                &data(&pairs),
                (0, 1),
                &Bootstrap {
                    rounds,
                    ..Default::default()
                },
            )
            .unwrap()
        };
        let (exact, drawn) = (run(1 << 14), run(10_000));
        assert!(exact.exact && !drawn.exact && exact.p_value > 0.01);
        // Five standard errors of a share over 10,000 draws are at most 0.025.
        assert!(
            (exact.p_value - drawn.p_value).abs() < 0.025,
            "{exact:?} {drawn:?}"
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
        assert_eq!(
            sign_flip(&same, (0, 2), &Bootstrap::default()),
            Err(Undefined::NoData.into())
        );
        assert!(matches!(
            paired_t(&same, (0, 3), 0.95),
            Err(InferenceError::Input(_))
        ));
    }
}
