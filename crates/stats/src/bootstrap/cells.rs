//! Multinomial draws: how often each kind of row is drawn when as many rows are drawn as there are.

use super::alias::{Alias, Poisson};
use super::draws::round_generator;
use rand_chacha::rand_core::RngCore;
use std::collections::BTreeMap;

/// The largest number of rows for which there is one table; more are drawn in several parts.
const PART: u64 = 32_768;

/// Kinds of rows of a bootstrap population, and how many rows there are of each.
///
/// Of n rows, a round draws each kind of c rows Poisson(c (n - 3 sqrt n) / n) times, independently,
/// by one look-up in a table that kinds of equally many rows share; then single rows until there
/// are n; and begins anew if there were more (of many rows once in 740 rounds, of 1,000 in 1,100,
/// below 10 never: there all are single). Independent Poisson counts are multinomial given their
/// sum, so the counts have exactly the distribution of n rows picked one by one; a round takes some
/// kinds + n / 32,768 + 3 sqrt n look-ups.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// Pair and outcome of each kind.
    kinds: Vec<(u32, [f64; 3])>,
    /// The kinds of equally many rows, which are drawn alike.
    groups: Vec<Group>,
    /// The table of [`PART`] rows, where any kind has more.
    whole: Poisson,
    /// Chooses a kind in proportion to its rows; None where there are no rows.
    single: Option<Alias>,
    total: u64,
}

/// A kind of rows: their pair and outcome, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowKind {
    pub(super) pair: u32,
    pub(super) outcome: [f64; 3],
    pub(super) rows: u64,
}

/// Kinds of equally many rows: so many whole parts of [`PART`] rows, and the table of the 1 to
/// [`PART`] that are left.
#[derive(Clone, Debug)]
struct Group {
    parts: u64,
    rest: Poisson,
    kinds: Vec<u32>,
}

impl Cells {
    /// From kinds with their numbers of rows, each at least 1.
    pub(super) fn new(kinds: Vec<RowKind>) -> Cells {
        let total: u64 = kinds.iter().map(|kind| kind.rows).sum();
        let thinned = (1.0 - 3.0 / (total as f64).sqrt()).max(0.0);
        let thinned_table = |rows: u64| Poisson::new(rows as f64 * thinned);
        // The kinds of equally many rows, the fewest first.
        let mut of_size: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (number, kind) in (0..).zip(&kinds) {
            of_size.entry(kind.rows).or_default().push(number);
        }
        let groups = of_size.into_iter().map(|(rows, kinds)| {
            let parts = rows.saturating_sub(1) / PART;
            Group {
                parts,
                rest: thinned_table(rows - parts * PART),
                kinds,
            }
        });
        let has_parts = kinds.iter().any(|kind| kind.rows > PART);
        let rows: Vec<f64> = kinds.iter().map(|kind| kind.rows as f64).collect();
        Cells {
            groups: groups.collect(),
            whole: thinned_table(if has_parts { PART } else { 0 }),
            single: (total > 0).then(|| Alias::new(&rows)),
            total,
            kinds: kinds.iter().map(|kind| (kind.pair, kind.outcome)).collect(),
        }
    }

    /// How many rows there are, and how many a round draws.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Draws one round: `counts` gets how often each kind was drawn.
    pub(crate) fn draw(&self, seed: u64, round: u64, counts: &mut Vec<f64>) {
        let mut words = round_generator(seed, round);
        counts.resize(self.kinds.len(), 0.0);
        let mut drawn = self.total + 1;
        // Poisson counts are multinomial only given their sum: a draw of too many rows is void.
        while drawn > self.total {
            drawn = 0;
            for Group { parts, rest, kinds } in &self.groups {
                for &number in kinds {
                    let whole: u64 = (0..*parts).map(|_| self.whole.pick(words.next_u64())).sum();
                    let count = whole + rest.pick(words.next_u64());
                    counts[number as usize] = count as f64;
                    drawn += count;
                }
            }
        }
        // Single rows make up what the thinned means left out on purpose.
        if let Some(single) = &self.single {
            for _ in drawn..self.total {
                counts[single.pick(words.next_u64())] += 1.0;
            }
        }
    }

    /// Pair, outcome and count of every kind, as drawn.
    pub(crate) fn drawn_kinds(&self, counts: &[f64]) -> impl Iterator<Item = (u32, [f64; 3], f64)> {
        let kinds = self.kinds.iter().zip(counts);
        kinds.map(|(kind, &times)| (kind.0, kind.1, times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A win of the first system, so many rows.
    fn wins(pair: u32, rows: u64) -> RowKind {
        RowKind {
            pair,
            outcome: [1.0, 0.0, 0.0],
            rows,
        }
    }

    /// How often each of `counts` kinds was drawn in a round.
    fn draw(counts: &[u64], round: u64) -> Vec<f64> {
        let kinds = counts
            .iter()
            .zip(0..)
            .map(|(&rows, pair)| wins(pair, rows))
            .collect();
        let mut found = Vec::new();
        Cells::new(kinds).draw(5, round, &mut found);
        found
    }

    #[test]
    fn a_round_draws_as_many_rows_as_there_are() {
        for counts in [
            &[1u64][..],
            &[3, 20, 1, 500, 15, 16],
            &[1; 20_000],
            &[40; 300],
            &[100_000, 7],
            &[],
        ] {
            assert_eq!(
                draw(counts, 1).iter().sum::<f64>(),
                counts.iter().sum::<u64>() as f64
            );
            assert_eq!(draw(counts, 1), draw(counts, 1));
        }
        assert_ne!(draw(&[40; 300], 1), draw(&[40; 300], 2));
    }

    #[test]
    fn means_and_covariances_are_those_of_the_multinomial() {
        // n rows, count c: mean c, variance c (1 - c / n), covariance -c d / n; 40,000 rounds, five
        // standard errors.
        let counts = [3u64, 20, 1, 60, 16];
        let (rounds, n) = (40_000, 100.0);
        let draws: Vec<Vec<f64>> = (0..rounds).map(|round| draw(&counts, round)).collect();
        for (i, &c) in counts.iter().enumerate() {
            for (j, &d) in counts.iter().enumerate() {
                let (c, d) = (c as f64, d as f64);
                let expected = if i == j {
                    c * (1.0 - c / n)
                } else {
                    -c * d / n
                };
                let found =
                    draws.iter().map(|x| (x[i] - c) * (x[j] - d)).sum::<f64>() / rounds as f64;
                let error = ((c * d * (2.0 + 1.0 / c.min(d))) / rounds as f64).sqrt();
                assert!(
                    (found - expected).abs() < 5.0 * error,
                    "{i} {j}: {found}, expected {expected}"
                );
            }
        }
    }

    /// The chance of every outcome against the chi-squared distribution, all outcomes of a small
    /// multinomial one by one.
    #[test]
    fn few_rows_have_the_multinomial_chances() {
        for counts in [
            [1u64, 1, 0],
            [1, 1, 1],
            [2, 1, 5],
            [3, 3, 3],
            [4, 3, 3],
            [5, 3, 3],
        ] {
            let counts: Vec<u64> = counts.into_iter().filter(|&count| count > 0).collect();
            let (n, rounds) = (counts.iter().sum::<u64>(), 50_000);
            let mut found = outcomes_of(&counts, rounds);
            let (mut statistic, mut cells, mut rest) = (0.0, 0.0, (0.0, 0.0));
            for outcome in outcomes(n, counts.len()) {
                let expected = rounds as f64 * chance(&outcome, &counts, n);
                let seen: f64 = found.remove(&outcome).unwrap_or(0.0);
                if expected < 5.0 {
                    rest = (rest.0 + seen, rest.1 + expected);
                } else {
                    (statistic, cells) = (
                        statistic + (seen - expected).powi(2) / expected,
                        cells + 1.0,
                    );
                }
            }
            assert!(
                found.is_empty() && (rest.0 - rest.1).abs() < 5.0 * f64::sqrt(rest.1 + 4.0),
                "{counts:?} {rest:?}"
            );
            assert!(
                statistic < cells + 5.0 * f64::sqrt(2.0 * cells),
                "{counts:?}: {statistic} over {cells} cells"
            );
        }
    }

    /// How often each outcome was drawn.
    fn outcomes_of(counts: &[u64], rounds: u64) -> BTreeMap<Vec<u64>, f64> {
        let cells = Cells::new(counts.iter().map(|&rows| wins(0, rows)).collect());
        let (mut found, mut drawn) = (BTreeMap::new(), Vec::new());
        for round in 0..rounds {
            cells.draw(5, round, &mut drawn);
            *found
                .entry(drawn.iter().map(|&x| x as u64).collect())
                .or_insert(0.0) += 1.0;
        }
        found
    }

    /// All ways to share n rows among kinds.
    fn outcomes(n: u64, kinds: usize) -> Vec<Vec<u64>> {
        match kinds {
            1 => vec![vec![n]],
            _ => (0..=n)
                .flat_map(|first| {
                    outcomes(n - first, kinds - 1)
                        .into_iter()
                        .map(move |rest| [vec![first], rest].concat())
                })
                .collect(),
        }
    }

    fn chance(outcome: &[u64], counts: &[u64], n: u64) -> f64 {
        let factorial = |x: u64| (1..=x).map(|x| x as f64).product::<f64>();
        let terms = outcome
            .iter()
            .zip(counts)
            .map(|(&x, &c)| (c as f64 / n as f64).powi(x as i32) / factorial(x));
        factorial(n) * terms.product::<f64>()
    }

    #[test]
    fn a_billion_rows_take_no_memory_to_speak_of() {
        // A table for each of the 30,518 parts would take 2 GB. Variance n p q = 2.5e8; 400 rounds,
        // five standard errors.
        let counts = [500_000_000u64, 499_999_999, 1];
        let cells = Cells::new(counts.iter().map(|&rows| wins(0, rows)).collect());
        let (mut found, rounds) = (Vec::new(), 400);
        let mut squares = 0.0;
        for round in 0..rounds {
            cells.draw(3, round, &mut found);
            assert_eq!(found.iter().sum::<f64>(), 1e9);
            squares += (found[0] - 5e8).powi(2);
        }
        let variance = squares / rounds as f64;
        assert!(
            (variance / 2.5e8 - 1.0).abs() < 5.0 * (2.0 / rounds as f64).sqrt(),
            "{variance}"
        );
    }

    #[test]
    fn many_single_rows_are_equally_likely() {
        // 20,000 kinds of one row: drawn 200 times in 200 rounds, standard deviation 14; summed
        // over 100 kinds 20,000 and 141.
        let mut sums = vec![0.0; 200];
        for round in 0..200 {
            draw(&[1; 20_000], round)
                .chunks(100)
                .zip(&mut sums)
                .for_each(|(kinds, sum)| *sum += kinds.iter().sum::<f64>());
        }
        assert!(
            sums.iter().all(|sum| (sum - 20_000.0).abs() < 5.0 * 141.5),
            "{sums:?}"
        );
    }
}
