//! Multinomial draws: how often each kind of row is drawn when as many rows are drawn as there are.

use super::alias::{Alias, Poisson};
use super::draws::generator;
use rand_chacha::rand_core::RngCore;
use std::collections::BTreeMap;

/// The largest number of rows for which there is one table; more are drawn in several parts.
const PART: u64 = 32_768;

/// Kinds of rows of a bootstrap population, and how many rows there are of each.
///
/// Of n rows, a round draws each kind of c rows Poisson(c (n - 3 sqrt n) / n) times, independently, by one look-up in a
/// table that kinds of equally many rows share; then single rows until there are n; and begins anew if there were more
/// (about once in 700 rounds).  Independent Poisson counts are multinomial given their sum, so the counts have exactly
/// the distribution of n rows picked one by one; and a round takes time by the number of kinds, not of rows.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// Pair and outcome of each kind.
    kinds: Vec<(u32, [f64; 3])>,
    /// The kinds that share their tables: those of equally many rows, in parts of at most [`PART`].
    groups: Vec<(Vec<Poisson>, Vec<u32>)>,
    /// Chooses a kind in proportion to its rows; None where there are no rows.
    single: Option<Alias>,
    total: u64,
}

impl Cells {
    /// From kinds with their numbers of rows, each at least 1.
    pub(crate) fn new(kinds: Vec<(u32, [f64; 3], u64)>) -> Cells {
        let total: u64 = kinds.iter().map(|kind| kind.2).sum();
        let thinned = (1.0 - 3.0 / (total as f64).sqrt()).max(0.0);
        let mut of_size: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        (0..).zip(&kinds).for_each(|(number, kind)| of_size.entry(kind.2).or_default().push(number));
        let tables = |count| parts(count).map(|part| Poisson::new(part as f64 * thinned)).collect();
        let groups = of_size.into_iter().map(|(count, numbers)| (tables(count), numbers)).collect();
        let single = (total > 0).then(|| Alias::new(&kinds.iter().map(|kind| kind.2 as f64).collect::<Vec<_>>()));
        Cells { kinds: kinds.into_iter().map(|kind| (kind.0, kind.1)).collect(), groups, single, total }
    }

    /// How many rows there are, and how many a round draws.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Draws one round: `counts` gets how often each kind was drawn.
    pub(crate) fn draw(&self, seed: u64, round: u64, counts: &mut Vec<f64>) {
        let mut words = generator(seed, round);
        let mut drawn = self.total + 1;
        counts.resize(self.kinds.len(), 0.0);
        while drawn > self.total {
            drawn = 0;
            for (tables, numbers) in &self.groups {
                for &number in numbers {
                    let count: u64 = tables.iter().map(|part| part.pick(words.next_u64())).sum();
                    counts[number as usize] = count as f64;
                    drawn += count;
                }
            }
        }
        for _ in drawn..self.total {
            self.single.iter().for_each(|single| counts[single.pick(words.next_u64())] += 1.0);
        }
    }

    /// Pair, outcome and count of every kind that was drawn.
    pub(crate) fn drawn<'a>(&'a self, counts: &'a [f64]) -> impl Iterator<Item = (u32, [f64; 3], f64)> + 'a {
        self.kinds.iter().zip(counts).map(|(kind, &times)| (kind.0, kind.1, times))
    }
}

/// Parts of at most [`PART`] rows.
fn parts(count: u64) -> impl Iterator<Item = u64> {
    let whole = std::iter::repeat_n(PART, (count / PART) as usize);
    whole.chain(Some(count % PART).filter(|&rest| rest > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of `counts` kinds was drawn in a round.
    fn draw(counts: &[u64], round: u64) -> Vec<f64> {
        let kinds = counts.iter().zip(0..).map(|(&count, pair)| (pair, [1.0, 0.0, 0.0], count)).collect();
        let mut found = Vec::new();
        Cells::new(kinds).draw(5, round, &mut found);
        found
    }

    #[test]
    fn a_round_draws_as_many_rows_as_there_are() {
        for counts in [&[1u64][..], &[3, 20, 1, 500, 15, 16], &[1; 20_000], &[40; 300], &[100_000, 7], &[]] {
            assert_eq!(draw(counts, 1).iter().sum::<f64>(), counts.iter().sum::<u64>() as f64);
            assert_eq!(draw(counts, 1), draw(counts, 1));
        }
        assert_ne!(draw(&[40; 300], 1), draw(&[40; 300], 2));
    }

    #[test]
    fn means_and_covariances_are_those_of_the_multinomial() {
        // n rows, count c: mean c, variance c (1 - c / n), covariance -c d / n; 40,000 rounds, five standard errors.
        let counts = [3u64, 20, 1, 60, 16];
        let (rounds, n) = (40_000, 100.0);
        let draws: Vec<Vec<f64>> = (0..rounds).map(|round| draw(&counts, round)).collect();
        for (i, &c) in counts.iter().enumerate() {
            for (j, &d) in counts.iter().enumerate() {
                let (c, d) = (c as f64, d as f64);
                let expected = if i == j { c * (1.0 - c / n) } else { -c * d / n };
                let found = draws.iter().map(|x| (x[i] - c) * (x[j] - d)).sum::<f64>() / rounds as f64;
                let error = ((c * d * (2.0 + 1.0 / c.min(d))) / rounds as f64).sqrt();
                assert!((found - expected).abs() < 5.0 * error, "{i} {j}: {found}, expected {expected}");
            }
        }
    }

    #[test]
    fn many_single_rows_are_equally_likely() {
        // 20,000 kinds of one row: drawn 200 times in 200 rounds, standard deviation 14; summed over 100
        // kinds 20,000 and 141.
        let mut sums = vec![0.0; 200];
        for round in 0..200 {
            draw(&[1; 20_000], round).chunks(100).zip(&mut sums).for_each(|(kinds, sum)| *sum += kinds.iter().sum::<f64>());
        }
        assert!(sums.iter().all(|sum| (sum - 20_000.0).abs() < 5.0 * 141.5), "{sums:?}");
    }
}
