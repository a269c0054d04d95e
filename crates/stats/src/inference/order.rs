//! How far two rankings of the same systems agree, as far as the data of each tell the systems
//! apart.

use super::{InferenceError, JointComparison, check_length};
use crate::Undefined;

/// Bounds of [`crate::strict_agreement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgreementBounds {
    /// Pairs told apart by both, in the same order.
    pub same: u64,
    /// Pairs told apart by both, in opposite orders.
    pub opposite: u64,
    /// All pairs of systems.
    pub pairs: u64,
}

impl AgreementBounds {
    /// The least that the strict agreement can be: same / pairs, in [0, 1].
    pub fn low(&self) -> f64 {
        self.same as f64 / self.pairs as f64
    }

    /// The most that it can be: 1 - opposite / pairs, in [`low`](AgreementBounds::low) to 1.
    pub fn high(&self) -> f64 {
        (self.pairs - self.opposite) as f64 / self.pairs as f64
    }

    /// Between what Kendall's tau of the two true orders lies, and tau-b where systems are equal.
    pub fn kendall_tau(&self) -> [f64; 2] {
        [self.low(), self.high()].map(|share| 2.0 * share - 1.0)
    }

    /// Between what Spearman's rho of the two true orders lies, none of which ties systems: with n
    /// systems, 3 n tau and 2 (n + 1) rho are at most n - 2 apart (Daniels 1950), and 1 - rho is at
    /// least (1 - tau) ((n - 1) (1 - tau) + 4) / (2 (n + 1)), as 1 + rho is of 1 + tau (Durbin and
    /// Stuart 1951).
    pub fn spearman_rho(&self) -> [f64; 2] {
        let n = f64::midpoint(1.0, (1.0 + 8.0 * self.pairs as f64).sqrt()).round();
        let [low, high] = self.kendall_tau();
        // The upper end; the lower one is that of the orders with one of them turned.
        let of = |tau: f64| {
            let daniels = (3.0 * n * tau + n - 2.0) / (2.0 * (n + 1.0));
            let apart = 1.0 - tau;
            let durbin = 1.0 - apart * ((n - 1.0) * apart + 4.0) / (2.0 * (n + 1.0));
            daniels.min(durbin).clamp(-1.0, 1.0)
        };
        [-of(-low), of(high)]
    }
}

/// Bounds of the strict agreement that a bencher and people would show on these very systems with
/// no noise in either.
///
/// `scores` and `ratings` come from [`super::compare_jointly`] or
/// [`super::compare_jointly_from_covariance`]. At a level of 1 - a
/// / 2 each, all orders that they tell hold together with a probability of at least 1 - a
/// (Bonferroni; the two need not be independent), and then the agreement of the true orders lies
/// from same / pairs to 1 - opposite / pairs. The coverage is at least 1 - a, usually far more:
/// with few items the bounds are wide.
///
/// A percentile interval over rounds is not offered. A round adds to the noise that the scores have
/// already, and noise can only bring the order of close systems nearer to chance: in a simulation
/// of 20 systems with three times the errors of Arena-Hard and Chatbot Arena such 95 % intervals
/// held the true agreement in 17 % of the cases.
///
/// # Errors
/// Rankings of differently many systems; fewer than 2 systems ([`Undefined::NoPairs`]).
pub fn strict_agreement_bounds(
    scores: &JointComparison,
    ratings: &JointComparison,
) -> Result<AgreementBounds, InferenceError> {
    let n = scores.rank_intervals.len();
    check_length("ratings", n, ratings.rank_intervals.len())?;
    if n < 2 {
        return Err(Undefined::NoPairs.into());
    }
    Ok(AgreementBounds {
        same: count_known(scores.apart.iter().copied(), &ratings.apart),
        opposite: count_known(scores.apart.iter().map(|&(a, b)| (b, a)), &ratings.apart),
        pairs: (n * (n - 1) / 2) as u64,
    })
}

/// How many of the pairs are in a list in ascending order.
fn count_known(pairs: impl Iterator<Item = (usize, usize)>, known: &[(usize, usize)]) -> u64 {
    pairs
        .filter(|pair| known.binary_search(pair).is_ok())
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::{Covariance, compare_jointly_from_covariance};
    use crate::{Bootstrap, Estimate};

    fn sets(scores: &[f64]) -> JointComparison {
        let n = scores.len();
        let estimates = scores
            .iter()
            .map(|&score| Estimate::Finite(score))
            .collect();
        let identity = (0..n * n)
            .map(|cell| if cell % (n + 1) == 0 { 1.0 } else { 0.0 })
            .collect();
        let covariance = Covariance::new(estimates, identity, 9.0, vec![9; n]).unwrap();
        compare_jointly_from_covariance(
            &covariance,
            &Bootstrap {
                level: 0.975,
                ..Default::default()
            },
        )
        .unwrap()
    }

    #[test]
    fn by_hand() {
        // Told apart beyond about 4: by the scores 0-2, 1-2 and all with 3; by the ratings all but
        // 0-1 and 2-3, of which 0-3 and 1-3 are the other way round.
        let found = strict_agreement_bounds(
            &sets(&[0.0, 1.0, 9.0, -20.0]),
            &sets(&[0.0, 1.0, 20.0, 19.0]),
        )
        .unwrap();
        assert_eq!(
            found,
            AgreementBounds {
                same: 2,
                opposite: 2,
                pairs: 6
            }
        );
        assert_eq!((found.low(), found.high()), (2.0 / 6.0, 4.0 / 6.0));
    }

    /// Every order of up to six systems beside the first one, whatever pairs are known of it.
    #[test]
    fn correlations_of_true_orders_lie_within_the_bounds() {
        for n in 2..7_usize {
            let mut order: Vec<u32> = (0..n as u32).collect();
            for seed in 0..400 {
                crate::bootstrap::shuffle(
                    &mut order,
                    &mut crate::bootstrap::round_generator(1, seed),
                );
                let pairs = crate::index::pairs(n);
                let same: Vec<bool> = pairs.map(|(a, b)| order[a] < order[b]).collect();
                let bounds = |hidden: usize| {
                    let known = || {
                        same.iter()
                            .enumerate()
                            .filter(move |(at, _)| at % 3 >= hidden)
                    };
                    AgreementBounds {
                        same: known().filter(|(_, same)| **same).count() as u64,
                        opposite: known().filter(|(_, same)| !**same).count() as u64,
                        pairs: same.len() as u64,
                    }
                };
                let first: Vec<f64> = (0..n).map(|x| x as f64).collect();
                let second: Vec<f64> = order.iter().map(|x| f64::from(*x)).collect();
                let tau = crate::kendall_tau_b(&first, &second).unwrap();
                let rho = crate::spearman(&first, &second).unwrap();
                for bounds in [bounds(0), bounds(1), bounds(2), bounds(3)] {
                    let holds =
                        |[low, high]: [f64; 2], x: f64| low - 1e-12 <= x && x <= high + 1e-12;
                    assert!(
                        holds(bounds.kendall_tau(), tau),
                        "{order:?} {bounds:?} {tau}"
                    );
                    assert!(
                        holds(bounds.spearman_rho(), rho),
                        "{order:?} {bounds:?} {rho}"
                    );
                }
                let [low, high] = bounds(0).kendall_tau();
                assert!((low - tau).abs() < 1e-12 && (high - tau).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_is_undefined_is_said() {
        assert_eq!(
            strict_agreement_bounds(&sets(&[0.0]), &sets(&[0.0])),
            Err(Undefined::NoPairs.into())
        );
        let lengths = strict_agreement_bounds(&sets(&[0.0, 1.0]), &sets(&[0.0]));
        assert_eq!(
            lengths,
            Err(InferenceError::Length {
                what: "ratings",
                expected: 2,
                found: 1
            })
        );
    }
}
