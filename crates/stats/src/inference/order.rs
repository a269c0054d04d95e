//! How far two rankings of the same systems agree, as far as the data of each tell the systems
//! apart.

use super::{InferenceError, JointComparison, check_length};
use crate::checks::{check_lengths, check_numbers};
use crate::linear::dot;
use crate::{Error, Undefined, index, mid_ranks};
use std::collections::BTreeSet;

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

/// Of so many systems at most every order is looked at that the known pairs allow, in sets: 2^12
/// sets take a millisecond.
const MOST_EXACT: usize = 12;

/// What is known of the true order of systems, in which no two are equal: the order of some pairs.
///
/// [`super::compare_jointly`] gives such pairs ([`JointComparison::apart`]). All of them hold
/// together with a probability of at least its level, and then a correlation of the true order and
/// given ratings lies within these bounds, however close the other systems are: they hold what
/// unlimited items would give. A percentile interval over rounds does not: noise draws a rank
/// correlation of close systems towards 0, and a round adds it again.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownOrder {
    systems: usize,
    apart: BTreeSet<(usize, usize)>,
}

impl KnownOrder {
    /// From the pairs of so many systems whose order is known, the better first; pairs of other
    /// systems are left out.
    pub fn new(systems: usize, apart: impl IntoIterator<Item = (usize, usize)>) -> KnownOrder {
        let own = |(a, b): &(usize, usize)| a != b && a.max(b) < &systems;
        KnownOrder {
            systems,
            apart: apart.into_iter().filter(own).collect(),
        }
    }

    /// Returns on how many of these pairs of systems this order and another surely agree, and on
    /// how many they surely do not.
    pub fn agreement(&self, other: &KnownOrder, pairs: &[(usize, usize)]) -> AgreementBounds {
        let both = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let known = both.filter(|pair| self.apart.contains(pair));
        let is_known = |pair: (usize, usize)| other.apart.contains(&pair);
        AgreementBounds {
            same: known.clone().filter(|pair| is_known(*pair)).count() as u64,
            opposite: known.filter(|(a, b)| is_known((*b, *a))).count() as u64,
            pairs: pairs.len() as u64,
        }
    }

    /// Between what Spearman's rho of the true order and these ratings, the higher the better, can
    /// lie.
    ///
    /// # Errors
    /// Not one rating for each system, or one that is no finite number; equal ratings
    /// ([`Undefined::Constant`]).
    pub fn spearman(&self, ratings: &[f64]) -> Result<[f64; 2], Error> {
        check_lengths(self.systems, ratings.len())?;
        check_numbers("rating", ratings)?;
        let n = self.systems as f64;
        let ranks: Vec<f64> = mid_ranks(ratings)
            .iter()
            .map(|rank| rank - f64::midpoint(1.0, n))
            .collect();
        let squares = dot(&ranks, &ranks);
        if squares == 0.0 {
            return Err(Undefined::Constant.into());
        }
        // A system's rank less the mean rank is half of the systems below it less those above, so
        // that the products of ranks add up to half the sum over pairs of the better one's rating
        // less the other's.
        let whole = 2.0 * (squares * n * (n * n - 1.0) / 12.0).sqrt();
        Ok(self.range(whole, |a, b| ranks[a] - ranks[b]))
    }

    /// The same of Kendall's tau-b over these pairs of systems.
    ///
    /// # Errors
    /// As [`KnownOrder::spearman`], of the ratings of these pairs.
    pub fn kendall_tau_b(
        &self,
        ratings: &[f64],
        pairs: &[(usize, usize)],
    ) -> Result<[f64; 2], Error> {
        check_lengths(self.systems, ratings.len())?;
        check_numbers("rating", ratings)?;
        let k = self.systems;
        let mut signs = vec![0.0; k * k];
        for &(a, b) in pairs.iter().filter(|(a, b)| *a.max(b) < k) {
            let sign = f64::from(i8::from(ratings[a] > ratings[b]))
                - f64::from(i8::from(ratings[a] < ratings[b]));
            (signs[a * k + b], signs[b * k + a]) = (sign, -sign);
        }
        let decided = dot(&signs, &signs) / 2.0;
        if decided == 0.0 {
            return Err(Undefined::Constant.into());
        }
        let whole = (decided * pairs.len() as f64).sqrt();
        Ok(self.range(whole, |a, b| signs[a * k + b]))
    }

    /// Returns the least and the most that the sum of `lead` of the better and the worse one of
    /// every pair can be, over `whole`; `lead` changes its sign where the two change places.
    fn range(&self, whole: f64, lead: impl Fn(usize, usize) -> f64) -> [f64; 2] {
        let ends = [-1.0, 1.0].map(|sign| {
            let lead = |a: usize, b: usize| sign * lead(a, b);
            let most = match self.systems {
                0..=MOST_EXACT => self.most(&lead),
                _ => None,
            };
            sign * most.unwrap_or_else(|| self.at_most(&lead)) / whole
        });
        // Nothing is minus zero.
        ends.map(|end| end.clamp(-1.0, 1.0) + 0.0)
    }

    /// Returns what the sum of `lead` cannot exceed: every pair that is not known is taken to be as
    /// it adds most, whether or not an order has all of these.
    fn at_most(&self, lead: &impl Fn(usize, usize) -> f64) -> f64 {
        let of_pair = |(a, b)| match (self.apart.contains(&(a, b)), self.apart.contains(&(b, a))) {
            (true, false) => lead(a, b),
            (false, true) => lead(b, a),
            _ => lead(a, b).abs(),
        };
        index::pairs(self.systems).map(of_pair).sum()
    }

    /// Returns the most that the sum of `lead` is in any order that the known pairs allow; None
    /// where they contradict each other. Systems are put in place from the last up: what a set of
    /// them adds at most does not depend on those above it.
    fn most(&self, lead: &impl Fn(usize, usize) -> f64) -> Option<f64> {
        let k = self.systems;
        let mut below = vec![0_usize; k];
        for (better, worse) in &self.apart {
            below[*better] |= 1 << worse;
        }
        let mut most: Vec<Option<f64>> = vec![None; 1 << k];
        most[0] = Some(0.0);
        for placed in 0..most.len() {
            let Some(so_far) = most[placed] else { continue };
            let can_follow = |next: &usize| placed >> next & 1 == 0 && below[*next] & !placed == 0;
            for next in (0..k).filter(can_follow) {
                let others = (0..k).filter(|other| placed >> other & 1 == 1);
                let sum = so_far + others.map(|other| lead(next, other)).sum::<f64>();
                let known = &mut most[placed | 1 << next];
                *known = Some(known.map_or(sum, |known| known.max(sum)));
            }
        }
        most[most.len() - 1]
    }
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

    /// All orders of n systems, each the places of the systems from the last.
    fn all_orders(n: usize) -> Vec<Vec<f64>> {
        let Some(last) = n.checked_sub(1) else {
            return vec![Vec::new()];
        };
        let shorter = all_orders(last).into_iter();
        let longer = shorter.flat_map(|order| {
            (0..n).map(move |place| {
                let above = |x: &f64| x + f64::from(u8::from(*x >= place as f64));
                let mut order: Vec<f64> = order.iter().map(above).collect();
                order.push(place as f64);
                order
            })
        });
        longer.collect()
    }

    /// The slow twin: every order that agrees with the known pairs is correlated with the ratings,
    /// some of which are equal.
    #[test]
    fn bounds_of_a_known_order_meet_their_twin() {
        for n in 2..7_usize {
            let orders = all_orders(n);
            for seed in 0..60 {
                let mut draws = crate::draw_numbers(seed, n as u64, 6);
                let mut draw = || f64::from(draws.next().unwrap());
                let mut ratings: Vec<f64> = (0..n).map(|_| draw()).collect();
                ratings[0] = if ratings[1] == 3.0 { 2.0 } else { 3.0 };
                let truth = &orders[draw() as usize * 97 % orders.len()];
                let hidden = seed % 6;
                let known = index::pairs(n).filter(|_| draw() >= hidden as f64);
                let known: Vec<(usize, usize)> = known
                    .map(|(a, b)| if truth[a] > truth[b] { (a, b) } else { (b, a) })
                    .collect();
                let order = KnownOrder::new(n, known.iter().copied());
                let allowed = orders
                    .iter()
                    .filter(|order| known.iter().all(|(a, b)| order[*a] > order[*b]));
                let allowed: Vec<&Vec<f64>> = allowed.collect();
                let pairs: Vec<(usize, usize)> = index::pairs(n).collect();
                type Correlate = fn(&[f64], &[f64]) -> Result<f64, Error>;
                let both: [(Correlate, [f64; 2]); 2] = [
                    (crate::spearman, order.spearman(&ratings).unwrap()),
                    (
                        crate::kendall_tau_b,
                        order.kendall_tau_b(&ratings, &pairs).unwrap(),
                    ),
                ];
                for (correlate, [low, high]) in both {
                    let found = allowed.iter().map(|x| correlate(x, &ratings).unwrap());
                    let found: Vec<f64> = found.collect();
                    let least = found.iter().copied().fold(1.0, f64::min);
                    let most = found.iter().copied().fold(-1.0, f64::max);
                    assert!(
                        (low - least).abs() < 1e-12 && (high - most).abs() < 1e-12,
                        "{known:?} {ratings:?}: {low} {high}, not {least} {most}"
                    );
                }
                let lead = |a: usize, b: usize| ratings[a] - ratings[b];
                let most = order.most(&lead).unwrap();
                assert!(order.at_most(&lead) >= most - 1e-12);
            }
        }
    }

    /// Where two systems are equal in truth, the correlation is within the bounds of orders without
    /// equals, of ratings without equals.
    #[test]
    fn equal_systems_lie_within_the_bounds() {
        let ratings = [3.0, 1.0, 4.0, 0.0, 2.0];
        for truth in all_orders(5) {
            for equal in 2..5_usize {
                let tied: Vec<f64> = truth.iter().map(|x| x.max(equal as f64)).collect();
                let pairs = index::pairs(5).filter(|(a, b)| tied[*a] != tied[*b]);
                let known = pairs.map(|(a, b)| if tied[a] > tied[b] { (a, b) } else { (b, a) });
                let order = KnownOrder::new(5, known);
                let Ok(rho) = crate::spearman(&tied, &ratings) else {
                    continue;
                };
                let [low, high] = order.spearman(&ratings).unwrap();
                assert!(low - 1e-12 <= rho && rho <= high + 1e-12, "{tied:?}");
            }
        }
    }

    #[test]
    fn nothing_known_is_the_whole_range_and_all_known_a_point() {
        let ratings: Vec<f64> = (0..20).map(f64::from).collect();
        for n in [5, 20] {
            let ratings = &ratings[..n];
            let none = KnownOrder::new(n, []).spearman(ratings).unwrap();
            assert!((none[0] + 1.0).abs() < 1e-12 && (none[1] - 1.0).abs() < 1e-12);
            let all = index::pairs(n).map(|(a, b)| (b, a));
            let all = KnownOrder::new(n, all).spearman(ratings).unwrap();
            assert!(all.iter().all(|end| (end - 1.0).abs() < 1e-12), "{all:?}");
        }
        let order = KnownOrder::new(2, [(0, 1), (7, 1)]);
        assert_eq!(order.spearman(&[1.0, 1.0]), Err(Undefined::Constant.into()));
        assert!(order.spearman(&[1.0]).is_err() && order.spearman(&[1.0, f64::NAN]).is_err());
        // What contradicts itself bounds each pair by itself.
        let cycle = KnownOrder::new(3, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(cycle.spearman(&[3.0, 2.0, 1.0]), Ok([0.0, 0.0]));
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
