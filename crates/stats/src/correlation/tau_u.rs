//! RealRank's controllable Kendall's tau: how well a bencher tells apart systems that people find
//! close.

use super::KendallCounts;
use crate::benchers::{are_apart, check_bounded};
use crate::bootstrap::resampled_interval;
use crate::checks::{check_argument, check_lengths, check_numbers};
use crate::index::{self, count_for_share};
use crate::{Bootstrap, Bounded, Error, Interval, Undefined};

/// Controllable Kendall's tau, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TauU {
    /// tau_u, from -1 to 1.
    pub tau: f64,
    /// The pairs of systems that count, by order; x is the bencher, y the people.
    pub counts: KendallCounts,
    /// Pairs that people tell apart, at any distance: the set Q of the paper.
    pub told_apart: u64,
    /// The pairs that count as a share of all n (n - 1) / 2 pairs of systems, in (0, 1].
    pub share: f64,
}

/// Controllable Kendall's tau_u (Gao et al. 2025, "Re-evaluating Automatic LLM System Ranking for
/// Alignment with Human Preference", section 2.2) of a bencher's `scores` against people's ratings
/// of the same systems.
///
/// Only pairs of systems count whose ratings differ by at most `u` (0 or more; infinity for all; in
/// the unit of the ratings) and whose rating intervals have no point in common, ends included. Over
/// these pairs tau_u = (C - D) / sqrt((C + D + T_A)(C + D + T_H)), T_A the pairs tied by the
/// bencher alone and T_H by people alone.
///
/// ```
/// use evenhand_stats::{Bounded, tau_u};
///
/// let rated = |score: f64| Bounded { score, low: score - 4.0, high: score + 4.0 };
/// let ratings = [rated(1100.0), rated(1105.0), rated(1120.0), rated(1250.0)];
/// // The first two cannot be told apart by people, and the last is far from all others: two pairs are left.
/// let found = tau_u(&[0.3, 0.5, 0.4, 0.9], &ratings, 50.0)?;
/// assert_eq!((found.counts.concordant, found.counts.discordant, found.tau), (1, 1, 0.0));
/// # Ok::<(), evenhand_stats::Error>(())
/// ```
///
/// # Errors
/// Lists of different length; a number that is NaN or beyond ±1e100; an interval whose ends are in
/// the wrong order; a `u` that is NaN or negative; no pair that counts ([`Undefined::NoPairs`]),
/// all of them tied ([`Undefined::Constant`]).
pub fn tau_u(scores: &[f64], ratings: &[Bounded], u: f64) -> Result<TauU, Error> {
    check_lengths(scores.len(), ratings.len())?;
    check_numbers("score", scores)?;
    check_bounded("rating", ratings)?;
    check_argument("u", u, u >= 0.0, "from 0, or infinity")?;
    let counts = count_pairs(scores, ratings, u, |_| 1);
    let n = scores.len() as f64;
    Ok(TauU {
        tau: counts.tau_b()?,
        counts,
        told_apart: distances_apart(ratings).len() as u64,
        share: counts.pairs() as f64 / (n * (n - 1.0) / 2.0),
    })
}

/// The percentile bootstrap interval of [`tau_u`] over the systems. Two draws of one system are no
/// pair, since its interval meets itself.
///
/// # Errors
/// As [`tau_u`]; a bad level, number of rounds or threads; systems that always give the same tau
/// ([`Undefined::NoVariance`]).
pub fn tau_u_interval(
    scores: &[f64],
    ratings: &[Bounded],
    u: f64,
    plan: &Bootstrap,
) -> Result<Interval, Error> {
    let tau = tau_u(scores, ratings, u)?.tau;
    resampled_interval(scores.len(), plan, tau, |weights| {
        count_pairs(scores, ratings, u, |i| weights[i] as u64).tau_b()
    })
}

/// The smallest u at which at least `share`, in (0, 1], of the pairs that people tell apart count
/// in [`tau_u`].
///
/// The paper chooses u by the share of system pairs, 5 %, 10 %, ..., 100 %, and does not say of
/// which total; here it is of the pairs with disjoint intervals, since no other pair ever counts,
/// so that 1 gives all of them.
///
/// # Errors
/// A number that is NaN or beyond ±1e100; an interval whose ends are in the wrong order; a share
/// out of range; no two systems told apart ([`Undefined::NoPairs`]).
pub fn u_for_share(ratings: &[Bounded], share: f64) -> Result<f64, Error> {
    check_bounded("rating", ratings)?;
    let good = share > 0.0 && share <= 1.0;
    check_argument("share", share, good, "above 0 and up to 1")?;
    let mut distances = distances_apart(ratings);
    distances.sort_unstable_by(f64::total_cmp);
    // The least distance that this share of them does not exceed.
    let needed = count_for_share(share, distances.len()).max(1.0);
    let distance = distances.get(needed as usize - 1).copied();
    Ok(distance.ok_or(Undefined::NoPairs)?)
}

/// How far apart the ratings are, for every pair with disjoint intervals.
fn distances_apart(ratings: &[Bounded]) -> Vec<f64> {
    index::pairs_below(ratings.len())
        .map(|(i, j)| (&ratings[i], &ratings[j]))
        .filter(|(a, b)| are_apart(a, b))
        .map(|(a, b)| (a.score - b.score).abs())
        .collect()
}

/// The pairs that count, each as often as its systems were drawn together.
fn count_pairs(
    scores: &[f64],
    ratings: &[Bounded],
    u: f64,
    times: impl Fn(usize) -> u64,
) -> KendallCounts {
    let mut counts = KendallCounts::default();
    for (i, j) in index::pairs_below(scores.len()) {
        let (a, b) = (&ratings[i], &ratings[j]);
        let distance = a.score - b.score;
        if are_apart(a, b) && distance.abs() <= u {
            let (x, y) = (scores[i] - scores[j], distance);
            let count = if x == 0.0 && y == 0.0 {
                &mut counts.tied_both
            } else if x == 0.0 {
                &mut counts.tied_x
            } else if y == 0.0 {
                &mut counts.tied_y
            } else if (x > 0.0) == (y > 0.0) {
                &mut counts.concordant
            } else {
                &mut counts.discordant
            };
            *count += times(i) * times(j);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated(score: f64, half: f64) -> Bounded {
        Bounded {
            score,
            low: score - half,
            high: score + half,
        }
    }

    /// Four systems rated 0, 10, 20, 50, each give or take 5: 0 and 10 touch, and so do 10 and 20.
    fn four() -> [Bounded; 4] {
        [0.0, 10.0, 20.0, 50.0].map(|score| rated(score, 5.0))
    }

    #[test]
    fn by_hand() {
        // Told apart: 0-20, 0-50, 10-50, 20-50 at distances 20, 50, 40, 30. The scores 2, 1, 3, 3
        // put 0-20, 0-50 and 10-50 in order and tie 20-50: at u = 40 three pairs, C = 2, T_A = 1,
        // tau = 2 / sqrt(2 * 3).
        let found = tau_u(&[2.0, 1.0, 3.0, 3.0], &four(), 40.0).unwrap();
        assert_eq!(
            (
                found.counts.concordant,
                found.counts.tied_x,
                found.counts.pairs()
            ),
            (2, 1, 3)
        );
        assert_eq!((found.told_apart, found.share), (4, 0.5));
        assert!((found.tau - 2.0 / 6.0f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn a_share_of_pairs_gives_u() {
        let u = |share| u_for_share(&four(), share).unwrap();
        assert_eq!(
            [0.01, 0.25, 0.26, 0.5, 0.75, 1.0].map(u),
            [20.0, 20.0, 30.0, 30.0, 40.0, 50.0]
        );
        assert!(matches!(
            u_for_share(&four(), 0.0),
            Err(Error::Value { field: "share", .. })
        ));
        assert_eq!(
            u_for_share(&four()[..2], 0.5),
            Err(Undefined::NoPairs.into())
        );
        assert_eq!(u_for_share(&[], 1.0), Err(Undefined::NoPairs.into()));
    }

    #[test]
    fn what_is_undefined_is_said() {
        assert_eq!(
            tau_u(&[1.0; 4], &four(), 10.0),
            Err(Undefined::NoPairs.into())
        );
        assert_eq!(
            tau_u(&[1.0; 4], &four(), 50.0),
            Err(Undefined::Constant.into())
        );
        assert_eq!(tau_u(&[], &[], 50.0), Err(Undefined::NoPairs.into()));
        assert_eq!(
            tau_u(&[1.0], &four(), 50.0),
            Err(Error::Lengths {
                first: 1,
                second: 4
            })
        );
        for u in [-1.0, f64::NAN] {
            assert!(matches!(
                tau_u(&[1.0; 4], &four(), u),
                Err(Error::Value { field: "u", .. })
            ));
        }
        let backwards = Bounded {
            score: 0.0,
            low: 1.0,
            high: -1.0,
        };
        assert!(matches!(
            tau_u(&[1.0], &[backwards], 1.0),
            Err(Error::Value { row: 0, .. })
        ));
    }

    #[test]
    fn the_interval_counts_resamples_without_a_pair() {
        let plan = Bootstrap {
            rounds: 2000,
            level: 0.5,
            ..Default::default()
        };
        let found = tau_u_interval(&[2.0, 1.0, 3.0, 1.5], &four(), 50.0, &plan).unwrap();
        assert!(found.undefined > 0 && found.undefined < 2000, "{found:?}");
    }
}
