//! What the statistics cost, and what the machine would allow.
//!
//! `cargo bench -p evenhand-stats [--bench statistics -- FILTER]`; docs/benchmarks.md has figures.
//! `limits` are loops that do nothing else: how fast a CSV's lines can be found, random words
//! drawn, a matrix decomposed and exponentials taken on one core.

// Data that cannot be made must stop a benchmark.
#![allow(clippy::unwrap_used)]

use divan::{Bencher, black_box};
use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, PairMethod, bradley_terry, rank_pairs,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

fn main() {
    divan::main();
}

/// Battles of one item each between systems of evenly spread strengths, low numbers met more often,
/// every fifth a tie.
fn battles(rows: u32, systems: u16) -> Vec<Comparison> {
    let mut draws = ChaCha8Rng::seed_from_u64(0);
    let draw = |draws: &mut ChaCha8Rng| f64::from(draws.next_u32()) / f64::from(u32::MAX);
    let strength = |system: u16| 2.0 * f64::from(system * 37 % systems) / f64::from(systems);
    let battle = |item| {
        let a = (f64::from(systems - 1) * draw(&mut draws).powi(3)) as u16;
        let b = (a + 1 + (f64::from(systems - 2) * draw(&mut draws).powi(3)) as u16) % systems;
        let p = 1.0 / (1.0 + (strength(b) - strength(a)).exp());
        if item % 5 == 0 {
            Comparison::tied(item, a, b)
        } else {
            Comparison::won(item, a, b, draw(&mut draws) < p)
        }
    };
    (0..rows).map(battle).collect()
}

#[divan::bench(args = [129, 1000], sample_count = 10)]
fn fit_bradley_terry(bencher: Bencher<'_, '_>, systems: u16) {
    let tally = Comparisons::new(systems.into(), battles(1_700_000, systems))
        .unwrap()
        .tally();
    bencher.bench_local(|| bradley_terry(black_box(&tally)));
}

#[divan::bench(args = [129, 1000], sample_count = 10)]
fn group_battles(bencher: Bencher<'_, '_>, systems: u16) {
    let rows = battles(1_700_000, systems);
    let bencher = bencher.counter(divan::counter::ItemsCount::new(rows.len()));
    bencher
        .with_inputs(|| rows.clone())
        .bench_local_values(|rows| Comparisons::new(systems.into(), rows).unwrap());
}

#[divan::bench(args = [129, 1000], sample_count = 10)]
fn build_tally(bencher: Bencher<'_, '_>, systems: u16) {
    let data = Comparisons::new(systems.into(), battles(1_700_000, systems)).unwrap();
    bencher
        .counter(divan::counter::ItemsCount::new(data.rows().len()))
        .bench_local(|| black_box(&data).tally());
}

/// 1000 rounds on 50,000 battles, over rows.
#[divan::bench(args = [20, 129], sample_count = 3, sample_size = 1)]
fn rank_battles(bencher: Bencher<'_, '_>, systems: u16) {
    let data = Comparisons::new(systems.into(), battles(50_000, systems)).unwrap();
    let rank = || {
        rank_pairs(
            black_box(&data),
            PairMethod::BradleyTerry,
            Cluster::None,
            &Bootstrap::default(),
        )
    };
    bencher.bench_local(rank);
}

/// 1000 rounds on 805 items of 190 pairs in both orders, over items: the shape of a run of our own.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn rank_items(bencher: Bencher<'_, '_>) {
    let mut rows = battles(805 * 380, 20);
    rows.iter_mut().for_each(|row| row.item /= 380);
    let data = Comparisons::new(20, rows).unwrap();
    let rank = || {
        rank_pairs(
            black_box(&data),
            PairMethod::BradleyTerry,
            Cluster::Item,
            &Bootstrap::default(),
        )
    };
    bencher.bench_local(rank);
}

mod limits {
    use super::*;
    use divan::counter::{BytesCount, ItemsCount};

    const LINE: &[u8] = b"mountain-ash-34b-it-0039,alder-34b-instruct-0033,model_b\n";

    /// 256 MB of lines: more than the caches hold.
    fn csv() -> Vec<u8> {
        LINE.repeat((256 << 20) / LINE.len())
    }

    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn find_newlines(bencher: Bencher<'_, '_>) {
        let text = csv();
        bencher
            .counter(BytesCount::new(text.len()))
            .bench_local(|| memchr::memchr_iter(b'\n', black_box(&text)).count());
    }

    /// Every newline's place is looked at, as a reader must.
    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn visit_lines(bencher: Bencher<'_, '_>) {
        let text = csv();
        let visit = || {
            memchr::memchr_iter(b'\n', black_box(&text))
                .fold(0usize, |sum, place| sum ^ black_box(place))
        };
        bencher
            .counter(BytesCount::new(text.len()))
            .bench_local(visit);
    }

    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn visit_fields(bencher: Bencher<'_, '_>) {
        let text = csv();
        let visit = || {
            memchr::memchr2_iter(b',', b'\n', black_box(&text))
                .fold(0usize, |sum, place| sum ^ black_box(place))
        };
        bencher
            .counter(BytesCount::new(text.len()))
            .bench_local(visit);
    }

    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn chacha8_bytes(bencher: Bencher<'_, '_>) {
        let (mut draws, mut bytes) = (ChaCha8Rng::seed_from_u64(0), vec![0; 1 << 24]);
        bencher
            .counter(BytesCount::new(bytes.len()))
            .bench_local(|| draws.fill_bytes(black_box(&mut bytes)));
    }

    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn chacha8_words(bencher: Bencher<'_, '_>) {
        let mut draws = ChaCha8Rng::seed_from_u64(0);
        let sum = || (0..1 << 22).fold(0u32, |sum, _| sum ^ draws.next_u32());
        bencher
            .counter(BytesCount::new(4usize << 22))
            .bench_local(sum);
    }

    /// n^3 / 3 operations, counted as items; one sum at a time, in order.
    #[divan::bench(args = [128, 1000], sample_count = 10)]
    fn cholesky_in_order(bencher: Bencher<'_, '_>, n: usize) {
        cholesky_with(bencher, n, |x, y| x.iter().zip(y).map(|(x, y)| x * y).sum());
    }

    /// The same with eight sums beside each other.
    #[divan::bench(args = [128, 1000], sample_count = 10)]
    fn cholesky_eight_sums(bencher: Bencher<'_, '_>, n: usize) {
        cholesky_with(bencher, n, dot);
    }

    fn cholesky_with(bencher: Bencher<'_, '_>, n: usize, dot: impl Fn(&[f64], &[f64]) -> f64) {
        let matrix: Vec<f64> = (0..n * n)
            .map(|cell| if cell % (n + 1) == 0 { n as f64 } else { -0.5 })
            .collect();
        let bencher = bencher.counter(ItemsCount::new(n * n * n / 3));
        bencher
            .with_inputs(|| matrix.clone())
            .bench_local_values(|mut matrix| {
                cholesky(&mut matrix, n, &dot);
                matrix
            });
    }

    /// Row by row, each cell a product of two rows.
    fn cholesky(matrix: &mut [f64], n: usize, dot: impl Fn(&[f64], &[f64]) -> f64) {
        for i in 0..n {
            let (above, row) = matrix.split_at_mut(i * n);
            for j in 0..i {
                let other = &above[j * n..=j * n + j];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            row[i] = (row[i] - dot(&row[..i], &row[..i])).sqrt();
        }
    }

    fn dot(x: &[f64], y: &[f64]) -> f64 {
        let mut sums = [0.0; 8];
        let (x, y) = (x.chunks_exact(8), y.chunks_exact(8));
        let rest: f64 = x
            .remainder()
            .iter()
            .zip(y.remainder())
            .map(|(x, y)| x * y)
            .sum();
        for (x, y) in x.zip(y) {
            sums.iter_mut()
                .zip(x)
                .zip(y)
                .for_each(|((sum, x), y)| *sum += x * y);
        }
        sums.iter().sum::<f64>() + rest
    }

    #[divan::bench(sample_count = 10)]
    fn exponentials(bencher: Bencher<'_, '_>) {
        let numbers: Vec<f64> = (0..1 << 20)
            .map(|x| f64::from(x % 4001) / 1000.0 - 2.0)
            .collect();
        bencher
            .counter(ItemsCount::new(numbers.len()))
            .bench_local(|| black_box(&numbers).iter().map(|x| x.exp()).sum::<f64>());
    }
}
