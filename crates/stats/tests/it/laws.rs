//! Laws that the estimators obey on any data, and slow, obvious twins of them.

use crate::common::{Row, row, tally};
use evenhand_stats::{
    Comparison, Comparisons, Estimate, ItemScore, ItemScores, Scores, Tally, bradley_terry, mean,
    median, win_ratio,
};
use proptest::collection::vec;
use proptest::prelude::*;

const K: usize = 5;

/// A round trip of wins, which makes every strength finite.
fn connected(mut rows: Vec<Row>) -> Vec<Row> {
    rows.extend((0..K).map(|i| (i, (i + 1) % K, 1.0, 0.0, 0.0)));
    rows
}

fn same(x: Estimate, y: Estimate, within: f64) -> bool {
    match (x, y) {
        (Estimate::Finite(x), Estimate::Finite(y)) => (x - y).abs() <= within,
        _ => x == y,
    }
}

fn all_same(x: &[Estimate], y: &[Estimate]) -> bool {
    x.len() == y.len() && x.iter().zip(y).all(|(&x, &y)| same(x, y, 1e-8))
}

/// The slow twin: minorise-maximise (Hunter 2004) until nothing moves, as log-odds with mean 0.
fn minorise(tally: &Tally) -> Vec<f64> {
    let (mut p, mut moved) = (vec![1.0f64; K], 1.0);
    while moved > 1e-14 {
        let rate = |i: usize| {
            (0..K)
                .map(|j| tally.games(i, j) / (p[i] + p[j]))
                .sum::<f64>()
        };
        let mut next: Vec<f64> = (0..K).map(|i| tally.points_of(i) / rate(i)).collect();
        let scale = (next.iter().map(|x| x.ln()).sum::<f64>() / K as f64).exp();
        next.iter_mut().for_each(|x| *x /= scale);
        moved = next
            .iter()
            .zip(&p)
            .map(|(x, y)| (x / y).ln().abs())
            .fold(0.0, f64::max);
        p = next;
    }
    p.iter().map(|x| x.ln()).collect()
}

fn estimators() -> [fn(&Tally) -> Scores; 2] {
    [|tally| bradley_terry(tally).scores, win_ratio]
}

proptest! {
    #[test]
    fn bradley_terry_meets_its_twin(rows in vec(row(K), 0..12)) {
        let tally = tally(K, &connected(rows));
        let (found, twin) = (bradley_terry(&tally).scores, minorise(&tally));
        prop_assert!(found.fit.is_some_and(|fit| fit.converged && fit.gradient < 1e-7));
        for (x, y) in found.estimates.iter().zip(twin) {
            prop_assert!(same(*x, Estimate::Finite(y), 1e-8), "{:?} {}", x, y);
        }
    }

    #[test]
    fn labels_do_not_matter(rows in vec(row(K), 0..8), turn in 0..K) {
        let label = |i: usize| (3 * i + turn) % K;
        let renamed: Vec<Row> = rows.iter().map(|&(a, b, x, t, y)| (label(a), label(b), x, t, y)).collect();
        for estimator in estimators() {
            let (here, there) = (estimator(&tally(K, &rows)), estimator(&tally(K, &renamed)));
            for i in 0..K {
                prop_assert!(same(here.estimates[i], there.estimates[label(i)], 1e-8), "{:?} {:?}", here, there);
                prop_assert_eq!(here.ranks[i], there.ranks[label(i)]);
            }
        }
    }

    #[test]
    fn sides_do_not_matter(rows in vec(row(K), 0..8)) {
        let swapped: Vec<Row> = rows.iter().map(|&(a, b, x, t, y)| (b, a, y, t, x)).collect();
        for estimator in estimators() {
            prop_assert_eq!(estimator(&tally(K, &rows)), estimator(&tally(K, &swapped)));
        }
    }

    #[test]
    fn weights_are_repeated_rows(rows in vec((row(K), 1usize..4), 0..8)) {
        let times = |n: usize, (a, b, x, t, y): Row| (a, b, n as f64 * x, n as f64 * t, n as f64 * y);
        let weighted: Vec<Row> = rows.iter().map(|&(row, n)| times(n, row)).collect();
        let repeated: Vec<Row> = rows.iter().flat_map(|&(row, n)| vec![row; n]).collect();
        for estimator in estimators() {
            prop_assert_eq!(estimator(&tally(K, &weighted)), estimator(&tally(K, &repeated)));
        }
    }

    #[test]
    fn the_unit_of_weight_does_not_matter(rows in vec(row(K), 0..8), power in -80i32..80) {
        let unit = 10f64.powi(power);
        let scaled: Vec<Row> = rows.iter().map(|&(a, b, x, t, y)| (a, b, unit * x, unit * t, unit * y)).collect();
        for estimator in estimators() {
            let (here, there) = (estimator(&tally(K, &rows)), estimator(&tally(K, &scaled)));
            prop_assert!(all_same(&here.estimates, &there.estimates), "{:?} {:?}", here, there);
        }
    }

    #[test]
    fn beating_becomes_losing(rows in vec(row(K), 0..8)) {
        let reversed: Vec<Row> = rows.iter().map(|&(a, b, x, t, y)| (a, b, y, t, x)).collect();
        let (here, there) = (bradley_terry(&tally(K, &connected(rows))), bradley_terry(&tally(K, &reversed)));
        prop_assert_eq!(here.components.len(), 1);
        let sum = |scores: &Scores| scores.estimates.iter().filter_map(|x| x.finite()).sum::<f64>();
        prop_assert!(sum(&here.scores).abs() < 1e-9 && sum(&there.scores).abs() < 1e-9);
    }

    #[test]
    fn a_dominated_system_changes_nobody(rows in vec(row(K), 0..8), against in vec((0..K, 1u8..9), 1..4), wins: bool) {
        let rows = connected(rows);
        let one_sided = |&(other, n): &(usize, u8)| match wins {
            true => (K, other, f64::from(n), 0.0, 0.0),
            false => (K, other, 0.0, 0.0, f64::from(n)),
        };
        let more: Vec<Row> = rows.iter().copied().chain(against.iter().map(one_sided)).collect();
        let (before, after) = (bradley_terry(&tally(K, &rows)).scores, bradley_terry(&tally(K + 1, &more)).scores);
        prop_assert!(all_same(&before.estimates, &after.estimates[..K]));
        let (end, rank) = if wins { (Estimate::PlusInfinity, 1) } else { (Estimate::MinusInfinity, K as u32 + 1) };
        prop_assert_eq!((after.estimates[K], after.ranks[K]), (end, Some(rank)));
        let moved = |rank: &Option<u32>| rank.map(|r| r + u32::from(wins));
        prop_assert_eq!(before.ranks.iter().map(moved).collect::<Vec<_>>(), &after.ranks[..K]);
    }

    #[test]
    fn nothing_is_ever_nan(rows in vec((0..K, 1..K, 0usize..6, 0usize..6, 0usize..6), 0..10)) {
        let weight = |x: usize| [0.0, 1.0, 1e100, 1e-100, 5e-324, 0.3][x];
        let rows: Vec<Row> =
            rows.iter().map(|&(a, d, x, t, y)| (a, (a + d) % K, weight(x), weight(t), weight(y))).collect();
        for estimator in estimators() {
            let scores = estimator(&tally(K, &rows));
            prop_assert!(scores.estimates.iter().all(|x| x.finite().is_none_or(f64::is_finite)), "{:?}", scores);
            prop_assert!(scores.fit.is_none_or(|fit| fit.gradient.is_finite()));
        }
    }

    #[test]
    fn rows_may_come_in_any_order(rows in vec((0u32..4, row(K)), 0..12)) {
        let row = |&(item, (a, b, x, t, y)): &(u32, Row)| Comparison {
            item, a: a as u16, b: b as u16, wins_a: x, ties: t, wins_b: y,
        };
        let forward = Comparisons::new(K, rows.iter().map(row).collect()).unwrap();
        let backward = Comparisons::new(K, rows.iter().rev().map(row).collect()).unwrap();
        prop_assert_eq!(forward.tally(), backward.tally()); // quarters add up exactly
        prop_assert_eq!(forward.merged(), backward.merged());
        let plain: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
        prop_assert_eq!(forward.tally(), tally(K, &plain));
    }

    #[test]
    fn mean_and_median_follow_the_unit(
        rows in vec((0u32..6, 0u16..3, -50i32..50), 1..20), scale in 1u8..20, shift in -100i32..100,
    ) {
        let data = |unit: f64, origin: f64| {
            let row = |&(item, system, score): &(u32, u16, i32)| {
                ItemScore::new(item, system, f64::from(score) * unit + origin)
            };
            ItemScores::new(3, rows.iter().map(row).collect()).unwrap()
        };
        let (unit, origin) = (f64::from(scale), f64::from(shift));
        for estimator in [mean, median] {
            let (plain, moved) = (estimator(&data(1.0, 0.0)), estimator(&data(unit, origin)));
            let expected: Vec<Estimate> = plain.estimates.iter().map(|x| x.map(|x| x * unit + origin)).collect();
            prop_assert!(all_same(&expected, &moved.estimates));
            prop_assert_eq!(plain.ranks, moved.ranks);
        }
    }
}
