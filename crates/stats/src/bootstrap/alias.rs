//! Draws from any distribution over a few numbers, by one look-up.

/// A distribution over 0, 1, ..., n - 1 as a table of Walker (1977), built by Vose (1991), with a
/// power of two of slots: the upper bits of a word choose the slot, the lower ones between its two
/// numbers. Chances are met to about 1e-16.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    bits: u32,
    /// The share of the slot that is its own number's, in 2^64ths, and the number that the rest
    /// belongs to.
    slots: Vec<(u64, u32)>,
}

impl Alias {
    /// For weights of which at least one is above 0 and none is negative.
    pub(super) fn new(weights: &[f64]) -> Alias {
        let size = weights.len().next_power_of_two().max(2);
        let scale = size as f64 / weights.iter().sum::<f64>();
        let mut shares: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        shares.resize(size, 0.0);
        let mut slots: Vec<(u64, u32)> = (0..size as u32).map(|own| (u64::MAX, own)).collect();
        let (mut short, mut long): (Vec<usize>, Vec<usize>) =
            (0..size).partition(|&slot| shares[slot] < 1.0);
        // Slots that are short of 1 are filled from those that have more. Each turn fills one for
        // good, so there are as many turns as slots at most.
        while let (Some(taker), Some(&giver)) = (short.pop(), long.last()) {
            let own = (shares[taker] * (1u128 << 64) as f64) as u64;
            slots[taker] = (own, giver as u32);
            shares[giver] -= 1.0 - shares[taker];
            if shares[giver] < 1.0 {
                long.pop();
                short.push(giver);
            }
        }
        Alias {
            bits: size.trailing_zeros(),
            slots,
        }
    }

    /// The number that a random word stands for.
    pub(super) fn pick(&self, word: u64) -> usize {
        let slot = (word >> (64 - self.bits)) as usize;
        let (own, other) = self.slots[slot];
        if word << self.bits < own {
            slot
        } else {
            other as usize
        }
    }
}

/// A Poisson distribution, cut off where its chances are below 1e-20 of the largest.
#[derive(Clone, Debug)]
pub(super) struct Poisson {
    low: u32,
    table: Alias,
}

impl Poisson {
    /// `mean` is from 0 to a few tens of thousands: the table has about 20 times its square root of
    /// slots.
    pub(super) fn new(mean: f64) -> Poisson {
        let mode = mean.floor();
        // From the mode outwards, in units of its own chance: nothing overflows or vanishes.
        let mut weights = Vec::new();
        let (mut k, mut chance) = (mode, mode / mean);
        while chance > NEGLIGIBLE {
            weights.push(chance);
            k -= 1.0;
            chance = chance * k / mean;
        }
        let low = mode as u32 - weights.len() as u32;
        weights.reverse();
        let (mut k, mut chance) = (mode, 1.0);
        while chance > NEGLIGIBLE {
            weights.push(chance);
            k += 1.0;
            chance = chance * mean / k;
        }
        Poisson {
            low,
            table: Alias::new(&weights),
        }
    }

    pub(super) fn pick(&self, word: u64) -> u64 {
        u64::from(self.low) + self.table.pick(word) as u64
    }
}

/// A chance below this share of the largest is left out.
const NEGLIGIBLE: f64 = 1e-20;

#[cfg(test)]
mod tests {
    use super::super::draws::round_generator;
    use super::*;
    use rand_chacha::rand_core::RngCore;
    use statrs::distribution::{ChiSquared, ContinuousCDF, Discrete};

    /// The chance of every number, summed over the slots.
    fn chances(table: &Alias, n: usize) -> Vec<f64> {
        let (mut chances, size) = (vec![0.0; n], table.slots.len() as f64);
        for (slot, &(own, other)) in table.slots.iter().enumerate() {
            let own = own as f64 / (1u128 << 64) as f64 / size;
            if slot < n {
                chances[slot] += own;
            }
            chances[other as usize] += 1.0 / size - own;
        }
        chances
    }

    #[test]
    fn chances_are_the_weights() {
        for weights in [
            &[1.0][..],
            &[0.0, 3.0],
            &[1.0, 2.0, 3.0, 4.0, 5.5],
            &[1e-12, 1.0, 1e-3, 0.0, 7.0, 7.0, 1.0, 1.0, 2.0],
        ] {
            let total: f64 = weights.iter().sum();
            let found = chances(&Alias::new(weights), weights.len());
            assert!(
                found
                    .iter()
                    .zip(weights)
                    .all(|(x, w)| (x - w / total).abs() < 4e-16),
                "{weights:?} {found:?}"
            );
        }
    }

    #[test]
    fn poisson_chances_are_exact() {
        for mean in [0.0, 0.25, 1.0, 7.3, 400.0, 30_000.5] {
            let table = Poisson::new(mean);
            let found = chances(&table.table, (20.0 * (mean + 9.0).sqrt()) as usize + 40);
            for (k, found) in (table.low..).zip(found) {
                let k = f64::from(k);
                let exact = match mean {
                    0.0 => f64::from(u8::from(k == 0.0)),
                    _ => statrs::distribution::Poisson::new(mean)
                        .unwrap()
                        .pmf(k as u64),
                };
                assert!(
                    (found - exact).abs() < 1e-12,
                    "mean {mean}, {k}: {found}, exactly {exact}"
                );
            }
        }
    }

    #[test]
    fn picks_follow_the_chances() {
        let (weights, mut counts, mut words) =
            ([1.0, 2.0, 0.0, 4.0, 3.0], [0.0; 5], round_generator(3, 1));
        let table = Alias::new(&weights);
        (0..100_000).for_each(|_| counts[table.pick(words.next_u64())] += 1.0);
        let expected = |weight: f64| 10_000.0 * weight;
        let cells = counts
            .iter()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0.0);
        let statistic: f64 = cells
            .map(|(n, weight)| (n - expected(weight)).powi(2) / expected(weight))
            .sum();
        assert!(
            counts[2] == 0.0 && 1.0 - ChiSquared::new(3.0).unwrap().cdf(statistic) > 1e-4,
            "{counts:?}"
        );
    }
}
