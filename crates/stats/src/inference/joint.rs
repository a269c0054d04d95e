//! p-values of many differences together, from the rounds of one bootstrap.

use super::PairDifference;
use crate::Estimate;
use crate::linear::greatest;

/// The single-step max-t p-values of all differences (Westfall and Young 1993, section 2.3.1;
/// Romano and Wolf 2005): of each pair (1 + #{max over pairs of |d* - d| / se >= |d| / se}) / (R +
/// 1), d* the difference in a round and se its standard error over the rounds. They bound the
/// chance of any false difference, with no multiplication by the number of pairs, and are at least
/// 1 / (R + 1), which [`smallest_p_value`] gives.
///
/// `rounds` are those that the differences were made of. A pair whose difference is not finite in
/// every round is left out of the maximum, and has min(1, m p) in place of it (Bonferroni), m the
/// number of pairs. None where a pair has no difference.
pub fn joint_p_values(pairs: &[PairDifference], rounds: &[Vec<Estimate>]) -> Vec<Option<f64>> {
    let tested: Vec<Option<Tested>> = pairs.iter().map(|pair| Tested::new(pair, rounds)).collect();
    let greatest = greatest_deviations(&tested, rounds);
    let tests = pairs.iter().zip(&tested);
    let p_values = tests.map(|(pair, tested)| match tested {
        Some(tested) => Some(share_beyond(&greatest, tested.statistic())),
        None => bonferroni(pair, pairs.len()),
    });
    p_values.collect()
}

/// The p-value of a pair that is left out of the maximum.
fn bonferroni(pair: &PairDifference, pairs: usize) -> Option<f64> {
    let found = pair.difference.as_ref().ok()?;
    Some((found.p_value * pairs as f64).min(1.0))
}

/// Of each round the largest deviation of all pairs, in ascending order.
fn greatest_deviations(tested: &[Option<Tested>], rounds: &[Vec<Estimate>]) -> Vec<f64> {
    let rounds = rounds.iter();
    let mut greatest: Vec<f64> = rounds.map(|round| greatest_in(tested, round)).collect();
    greatest.sort_by(f64::total_cmp);
    greatest
}

#[inline]
fn greatest_in(tested: &[Option<Tested>], round: &[Estimate]) -> f64 {
    let pairs = tested.iter().flatten();
    greatest(pairs.map(|pair| pair.deviation(round)))
}

/// (1 + how many are as large as the statistic) / (1 + how many there are).
fn share_beyond(greatest: &[f64], statistic: f64) -> f64 {
    // Rounding must not make a round less extreme than itself.
    let below = greatest.partition_point(|most| *most < statistic * (1.0 - 1e-9));
    (1 + greatest.len() - below) as f64 / (1 + greatest.len()) as f64
}

/// The least p-value that so many rounds can give.
pub fn smallest_p_value(rounds: usize) -> f64 {
    1.0 / (rounds as f64 + 1.0)
}

/// A pair whose difference is known in every round.
struct Tested {
    a: usize,
    b: usize,
    difference: f64,
    error: f64,
}

impl Tested {
    fn new(pair: &PairDifference, rounds: &[Vec<Estimate>]) -> Option<Tested> {
        let found = pair.difference.as_ref().ok()?;
        let tested = Tested {
            a: pair.a,
            b: pair.b,
            difference: found.difference,
            error: found.standard_error.filter(|error| *error > 0.0)?,
        };
        tested.is_known_in(rounds).then_some(tested)
    }

    fn is_known_in(&self, rounds: &[Vec<Estimate>]) -> bool {
        let mut rounds = rounds.iter();
        rounds.all(|round| self.difference_in(round).is_some())
    }

    fn difference_in(&self, round: &[Estimate]) -> Option<f64> {
        Some(round.get(self.a)?.finite()? - round.get(self.b)?.finite()?)
    }

    /// How far the difference in a round is off, in standard errors.
    fn deviation(&self, round: &[Estimate]) -> f64 {
        self.difference_in(round).map_or(f64::INFINITY, |drawn| {
            (drawn - self.difference).abs() / self.error
        })
    }

    fn statistic(&self) -> f64 {
        self.difference.abs() / self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::bootstrap_differences;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    /// A normal number, by Box and Muller.
    fn normal(random: &mut ChaCha8Rng) -> f64 {
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 + 1e-17;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }

    fn shifted(point: &[f64], random: &mut ChaCha8Rng) -> Vec<Estimate> {
        point
            .iter()
            .map(|score| Estimate::Finite(score + normal(random)))
            .collect()
    }

    /// Scores with standard error 1 about `truth`, and rounds with the same about them.
    fn drawn(truth: &[f64], rounds: usize, seed: u64) -> (Vec<PairDifference>, Vec<Vec<Estimate>>) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let point: Vec<f64> = truth
            .iter()
            .map(|score| score + normal(&mut random))
            .collect();
        let rounds: Vec<Vec<Estimate>> =
            (0..rounds).map(|_| shifted(&point, &mut random)).collect();
        let estimates: Vec<Estimate> = point.into_iter().map(Estimate::Finite).collect();
        (
            bootstrap_differences(&estimates, &rounds, 0.95).unwrap(),
            rounds,
        )
    }

    #[test]
    fn they_are_what_the_definition_says() {
        let (pairs, rounds) = drawn(&[0.0, 1.0, 3.0, 9.0], 99, 1);
        let studentised = |pair: &PairDifference, round: &[Estimate]| {
            let found = pair.difference.as_ref().unwrap();
            let drawn = round[pair.a].finite().unwrap() - round[pair.b].finite().unwrap();
            (drawn - found.difference).abs() / found.standard_error.unwrap()
        };
        for (pair, p) in pairs.iter().zip(joint_p_values(&pairs, &rounds)) {
            let found = pair.difference.as_ref().unwrap();
            let statistic = found.difference.abs() / found.standard_error.unwrap();
            let extreme = |round: &&Vec<Estimate>| {
                pairs
                    .iter()
                    .any(|other| studentised(other, round) >= statistic)
            };
            let count = rounds.iter().filter(extreme).count();
            assert_eq!(p, Some((1 + count) as f64 / 100.0));
            assert!(p.unwrap() >= found.p_value);
        }
    }

    #[test]
    fn equal_systems_are_seldom_told_apart_and_distant_ones_always() {
        let false_alarms = (0..400).filter(|seed| {
            let (pairs, rounds) = drawn(&[0.0; 8], 199, *seed);
            joint_p_values(&pairs, &rounds)
                .into_iter()
                .flatten()
                .any(|p| p <= 0.05)
        });
        // 20 are expected of 400 at 5 %, with a standard deviation of 4.4.
        assert!((7..=34).contains(&false_alarms.count()));
        let ladder: Vec<f64> = (0..40).map(|place| f64::from(place) * 20.0).collect();
        let (pairs, rounds) = drawn(&ladder, 999, 3);
        let found = joint_p_values(&pairs, &rounds);
        assert!(
            found.len() == 780 && found.iter().all(|p| *p == Some(smallest_p_value(999))),
            "no pair pays for the 779 others"
        );
    }

    #[test]
    fn a_pair_that_is_infinite_in_a_round_is_bounded_alone() {
        let (pairs, mut rounds) = drawn(&[0.0, 5.0, 50.0], 99, 2);
        let before = joint_p_values(&pairs, &rounds);
        rounds[0][2] = Estimate::PlusInfinity;
        let after = joint_p_values(&pairs, &rounds);
        let third = pairs[1].difference.as_ref().unwrap().p_value;
        assert!(
            after[0] <= before[0],
            "the others are held against each other alone"
        );
        assert_eq!(after[1], Some((3.0 * third).min(1.0)));
    }
}
