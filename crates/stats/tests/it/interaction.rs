//! The test of system x slice: its laws, a slow obvious twin, and its error rates in simulations.

use evenhand_stats::interaction::{
    Residual, SliceInteraction, comparison_residuals, mean_residuals, score_residuals,
    slice_interaction,
};
use evenhand_stats::{Bootstrap, Comparison, Error, ItemScore, Undefined, draw_numbers};
use evenhand_testing::is_slow;

/// 1,000 where the slow tests are to run, else a few.
fn simulations(few: u64) -> u64 {
    match is_slow() {
        true => 1000,
        false => few,
    }
}

fn plan(rounds: usize, seed: u64) -> Bootstrap {
    Bootstrap {
        rounds,
        seed,
        ..Bootstrap::default()
    }
}

/// Uniform numbers in [0, 1).
fn uniforms(seed: u64) -> impl Iterator<Item = f64> {
    draw_numbers(seed, 9, 1 << 30).map(|number| f64::from(number) / f64::from(1 << 30))
}

/// Every pair of 4 systems on each of 60 items in 3 slices; system 0 wins more often by `extra` in
/// slice 2.
fn comparisons(seed: u64, extra: f64) -> (Vec<Comparison>, Vec<u32>) {
    let slices: Vec<u32> = (0..60).map(|item| item % 3).collect();
    let mut draws = uniforms(seed);
    let mut rows = Vec::new();
    for (item, slice) in (0_u32..).zip(&slices) {
        for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let planted = if a == 0 && *slice == 2 { extra } else { 0.0 };
            let chance = 0.5 + 0.08 * f64::from(b - a) + planted;
            let won = draws.next().unwrap() < chance;
            rows.push(Comparison::won(item, a, b, won));
        }
    }
    (rows, slices)
}

/// Scores of 4 systems on 60 items, slice 1 being easy for all; system 3 is better by `extra` in
/// slice 0.
fn scores(seed: u64, extra: f64) -> (Vec<ItemScore>, Vec<u32>) {
    let slices: Vec<u32> = (0..60).map(|item| item % 3).collect();
    let mut draws = uniforms(seed);
    let mut rows = Vec::new();
    for (item, slice) in (0_u32..).zip(&slices) {
        let easy = 3.0 * draws.next().unwrap() + if *slice == 1 { 4.0 } else { 0.0 };
        for system in 0..4_u16 {
            let planted = if system == 3 && *slice == 0 {
                extra
            } else {
                0.0
            };
            let score = easy + 0.3 * f64::from(system) + planted + 2.0 * draws.next().unwrap();
            rows.push(ItemScore::new(item, system, score));
        }
    }
    (rows, slices)
}

fn test_comparisons(seed: u64, extra: f64, rounds: usize) -> SliceInteraction {
    let (rows, slices) = comparisons(seed, extra);
    let residuals = comparison_residuals(4, &rows).unwrap();
    slice_interaction(&residuals, &slices, 10, &plan(rounds, seed)).unwrap()
}

fn test_scores(seed: u64, extra: f64, rounds: usize) -> SliceInteraction {
    let (rows, slices) = scores(seed, extra);
    let residuals = score_residuals(4, &rows).unwrap();
    slice_interaction(&residuals, &slices, 10, &plan(rounds, seed)).unwrap()
}

/// One list of differences in four groups of items, the first of which moves by `extra`, tested as
/// `compare` tests categories.
fn test_groups(seed: u64, extra: f64) -> SliceInteraction {
    let groups: Vec<u32> = (0..40).map(|item| item % 4).collect();
    let rows = (0_u32..).zip(&groups).zip(uniforms(seed));
    let rows: Vec<ItemScore> = rows
        .map(|((item, group), draw)| ItemScore {
            item,
            system: 0,
            score: draw + if *group == 0 { extra } else { 0.0 },
        })
        .collect();
    let residuals = mean_residuals(1, &rows).unwrap();
    slice_interaction(&residuals, &groups, 6, &plan(199, seed)).unwrap()
}

fn count_alarms(seeds: u64, test: impl Fn(u64) -> SliceInteraction) -> u64 {
    (0..seeds)
        .filter(|seed| test(*seed).p_value <= 0.05)
        .count() as u64
}

/// Within four standard errors of the level.
fn is_at_level(alarms: u64, seeds: u64) -> bool {
    let (n, found) = (seeds as f64, alarms as f64);
    (found - 0.05 * n).abs() <= 4.0 * (n * 0.05 * 0.95).sqrt()
}

#[test]
fn false_alarms_are_as_rare_as_promised_over_all_systems_and_slices() {
    let seeds = simulations(200);
    let of_pairs = count_alarms(seeds, |seed| test_comparisons(seed, 0.0, 199));
    let of_scores = count_alarms(seeds, |seed| test_scores(seed, 0.0, 199));
    let of_groups = count_alarms(seeds, |seed| test_groups(seed, 0.0));
    println!("alarms of {seeds}: comparisons {of_pairs}, scores {of_scores}, groups {of_groups}");
    assert!(is_at_level(of_groups, seeds), "{of_groups} of {seeds}");
    assert!(is_at_level(of_pairs, seeds), "{of_pairs} of {seeds}");
    assert!(is_at_level(of_scores, seeds), "{of_scores} of {seeds}");
}

#[test]
fn a_planted_difference_is_found_and_named() {
    let seeds = simulations(50);
    let of_pairs = count_alarms(seeds, |seed| test_comparisons(seed, 0.25, 199));
    let of_scores = count_alarms(seeds, |seed| test_scores(seed, 1.0, 199));
    let of_groups = count_alarms(seeds, |seed| test_groups(seed, 0.5));
    println!("found of {seeds}: comparisons {of_pairs}, scores {of_scores}, groups {of_groups}");
    assert!(of_groups * 10 >= seeds * 8, "{of_groups} of {seeds}");
    assert!(of_pairs * 10 >= seeds * 8, "{of_pairs} of {seeds}");
    assert!(of_scores * 10 >= seeds * 8, "{of_scores} of {seeds}");
    let found = test_scores(1, 1.0, 999);
    let smallest = |cell: &&evenhand_stats::interaction::SliceCell| {
        cell.p_value.is_ok_and(|p| p <= found.p_value)
    };
    let named: Vec<_> = found.cells.iter().filter(smallest).collect();
    assert!(
        named.iter().any(|cell| (cell.system, cell.slice) == (3, 0)),
        "{named:?}"
    );
}

/// The laws of a table of cells.
#[test]
fn deviations_of_a_system_balance_over_slices_and_are_shrunk_towards_nothing() {
    let found = test_scores(5, 0.5, 99);
    assert_eq!(found.cells.len(), 12);
    for system in found.cells.chunk_by(|x, y| x.system == y.system) {
        let sum: f64 = system.iter().map(|cell| cell.n * cell.deviation).sum();
        assert!(sum.abs() < 1e-9, "{sum}");
        for cell in system {
            assert!(cell.pooled.abs() <= cell.deviation.abs());
            assert!(cell.pooled * cell.deviation >= 0.0);
            assert!(cell.p_value.is_ok_and(|p| p >= found.p_value && p <= 1.0));
        }
    }
    assert_eq!(found.tested, 12);
}

#[test]
fn threads_names_of_slices_and_the_order_of_rows_change_nothing() {
    let (rows, slices) = comparisons(3, 0.1);
    let residuals = comparison_residuals(4, &rows).unwrap();
    let one = slice_interaction(&residuals, &slices, 10, &plan(99, 1)).unwrap();
    let many = Bootstrap {
        threads: 3,
        ..plan(99, 1)
    };
    assert_eq!(
        slice_interaction(&residuals, &slices, 10, &many).unwrap(),
        one
    );
    let mut turned = rows;
    turned.reverse();
    let turned = comparison_residuals(4, &turned).unwrap();
    let again = slice_interaction(&turned, &slices, 10, &plan(99, 1)).unwrap();
    for (x, y) in one.cells.iter().zip(&again.cells) {
        assert!((x.deviation - y.deviation).abs() < 1e-9 && x.p_value == y.p_value);
    }
}

/// All orders of a list, the slow way.
fn permutations(list: &[u32]) -> Vec<Vec<u32>> {
    if list.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..list.len() {
        let mut rest = list.to_vec();
        let first = rest.remove(at);
        all.extend(permutations(&rest).into_iter().map(|mut tail| {
            tail.insert(0, first);
            tail
        }));
    }
    all
}

/// Welch's t of each system in each slice, two-pass and by the book.
fn welch(values: &[[f64; 2]], labels: &[u32]) -> Vec<f64> {
    let mean_and_error = |own: &[f64]| {
        let n = own.len() as f64;
        let mean = own.iter().sum::<f64>() / n;
        let squares: f64 = own.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, squares / (n - 1.0) / n)
    };
    let places = (0..2).flat_map(|system| (0..3_u32).map(move |slice| (system, slice)));
    let t = |(system, slice): (usize, u32)| {
        let is_in = |item: &usize| labels[*item] == slice;
        let (own, rest): (Vec<usize>, Vec<usize>) = (0..values.len()).partition(is_in);
        let of = |items: Vec<usize>| {
            items
                .iter()
                .map(|at| values[*at][system])
                .collect::<Vec<_>>()
        };
        let ((mean, v), (other, w)) = (mean_and_error(&of(own)), mean_and_error(&of(rest)));
        (mean - other) / (v + w).sqrt()
    };
    places.map(t).collect()
}

/// The twin: every one of 7! orders of the labels and of 2^7 signs, and p by counting.
#[test]
fn the_test_of_few_items_is_that_over_all_their_orders_and_signs() {
    let raw = [
        [3.0, -1.0],
        [0.5, 0.25],
        [-2.0, 1.5],
        [1.0, 4.0],
        [0.0, -3.0],
        [-1.5, 2.0],
        [2.5, 0.0],
    ];
    let mean = |system: usize| raw.iter().map(|row| row[system]).sum::<f64>() / 7.0;
    let values: Vec<[f64; 2]> = raw
        .iter()
        .map(|[x, y]| [x - mean(0), y - mean(1)])
        .collect();
    let slices = [0_u32, 0, 0, 1, 1, 2, 2];
    let residuals: Vec<Residual> = (0..7_u32)
        .flat_map(|item| (0..2_u16).map(move |system| (item, system)))
        .map(|(item, system)| Residual {
            item,
            system,
            sum: raw[item as usize][usize::from(system)],
            n: 1.0,
        })
        .collect();
    let largest = |ts: Vec<f64>| ts.into_iter().map(f64::abs).fold(0.0, f64::max);
    let by_order: Vec<f64> = permutations(&slices)
        .iter()
        .map(|order| largest(welch(&values, order)))
        .collect();
    let by_sign: Vec<f64> = (0..1_u32 << 7)
        .map(|signs| {
            let turned = |(at, [x, y]): (usize, &[f64; 2])| match signs >> at & 1 {
                0 => [*x, *y],
                _ => [-x, -y],
            };
            let turned: Vec<[f64; 2]> = values.iter().enumerate().map(turned).collect();
            largest(welch(&turned, &slices))
        })
        .collect();
    let share = |all: &[f64], t: f64| {
        all.iter().filter(|drawn| **drawn >= t - 1e-9).count() as f64 / all.len() as f64
    };
    let found = slice_interaction(&residuals, &slices, 2, &plan(20_000, 4)).unwrap();
    let own = welch(&values, &slices);
    assert_eq!(found.cells.len(), 6);
    for (cell, t) in found.cells.iter().zip(own) {
        let error = cell.standard_error.unwrap();
        assert!((cell.deviation / error - t).abs() < 1e-9, "{cell:?} {t}");
        let exact = share(&by_order, t.abs()).max(share(&by_sign, t.abs()));
        let p = cell.p_value.unwrap();
        assert!((p - exact).abs() < 0.015, "{p} and {exact}");
    }
}

/// Items with unlike numbers of judgments are units: the mean of a slice is that of its judgments,
/// and its variance that over items, but no less than if all items varied alike.
#[test]
fn an_item_of_many_judgments_is_one_item() {
    let residual = |item: u32, sum: f64, n: f64| Residual {
        item,
        system: 0,
        sum,
        n,
    };
    let rows: Vec<Residual> = (0..24)
        .map(|item| {
            residual(
                item,
                f64::from(item * 7 % 5) - 1.0,
                1.0 + f64::from(item % 3),
            )
        })
        .collect();
    let slices: Vec<u32> = (0..24).map(|item| item / 12).collect();
    let found = slice_interaction(&rows, &slices, 10, &plan(99, 1)).unwrap();
    let all =
        rows.iter().map(|row| row.sum).sum::<f64>() / rows.iter().map(|row| row.n).sum::<f64>();
    // The variance of a judgment where each varies by itself, and of an item's mean where its
    // judgments vary as one.
    let judgments: f64 = rows.iter().map(|row| row.n).sum();
    let beyond = |row: &Residual| row.sum - all * row.n;
    let squares = rows.iter().map(|row| beyond(row).powi(2)).sum::<f64>();
    let of_judgment = 24.0 / 23.0 * squares / judgments;
    let means = rows.iter().map(|row| (beyond(row) / row.n).powi(2));
    let of_item = means.sum::<f64>() / 23.0;
    let part = |slice: u32| {
        let own: Vec<&Residual> = rows.iter().filter(|row| row.item / 12 == slice).collect();
        let n: f64 = own.iter().map(|row| row.n).sum();
        let mean = own.iter().map(|row| row.sum - all * row.n).sum::<f64>() / n;
        let beyond = own
            .iter()
            .map(|row| (row.sum - all * row.n - mean * row.n).powi(2));
        let weights: f64 = own.iter().map(|row| row.n * row.n).sum();
        let alike = (of_judgment / n).max(of_item * weights / (n * n));
        let own = 12.0 / 11.0 * beyond.sum::<f64>() / (n * n);
        (mean, n, own.max(alike))
    };
    let [(mean, n, v), (_, m, w)] = [part(0), part(1)];
    let cell = found.cells[0];
    assert!((cell.deviation - mean).abs() < 1e-12 && cell.n == n && cell.items == 12);
    let error = m / (n + m) * (v + w).sqrt();
    assert!((cell.standard_error.unwrap() - error).abs() < 1e-12);
}

/// A difference that is total is found, though neither part varies.
#[test]
fn a_total_difference_is_found() {
    let rows: Vec<ItemScore> = (0..40)
        .map(|item| ItemScore::new(item, 0, f64::from(item / 20)))
        .collect();
    let slices: Vec<u32> = (0..40).map(|item| item / 20).collect();
    let residuals = mean_residuals(1, &rows).unwrap();
    let found = slice_interaction(&residuals, &slices, 10, &plan(499, 1)).unwrap();
    assert_eq!(found.p_value, 1.0 / 500.0);
    assert_eq!(found.cells[0].standard_error, None);
    assert_eq!(found.cells[0].deviation, -0.5);
}

#[test]
fn what_has_no_answer_is_said() {
    let residual = |item: u32, sum: f64| Residual {
        item,
        system: 0,
        sum,
        n: 1.0,
    };
    let rows: Vec<Residual> = [1.0, -1.0, 0.5, 2.0, 0.25]
        .into_iter()
        .zip(0..)
        .map(|(sum, item)| residual(item, sum))
        .collect();
    let undefined = |why| Err(Error::Undefined(why));
    let test = |rows: &[Residual], slices: &[u32], least| {
        slice_interaction(rows, slices, least, &plan(99, 0))
    };
    let few = |least| undefined(Undefined::TooFewSlices { least });
    assert_eq!(test(&rows, &[0; 5], 2), few(2));
    assert_eq!(test(&rows, &[0, 0, 1, 1, 1], 3), few(3));
    // A slice of nearly all items is compared with the few others.
    assert_eq!(test(&rows, &[0, 1, 1, 1, 1], 2), few(2));
    let same: Vec<Residual> = (0..5).map(|item| residual(item, 0.0)).collect();
    assert_eq!(
        test(&same, &[0, 0, 1, 1, 1], 2),
        undefined(Undefined::NoVariance)
    );
    assert!(test(&rows, &[0, 1], 1).is_err());
    assert!(test(&[], &[], 1).is_err());
    // Too small a slice is in the table and not tested, and says why.
    let found = test(&rows, &[0, 1, 1, 2, 2], 2).unwrap();
    assert_eq!(
        found.cells[0].p_value,
        Err(Undefined::SmallSlice {
            items: 1,
            outside: 4,
            least: 2
        })
    );
    assert_eq!(found.cells[0].standard_error, None);
    assert!(found.cells[1].p_value.is_ok());
    assert_eq!(found.tested, 2);
    // A system that is the same on all items, but for rounding, is told from no noise.
    let mut two = rows.clone();
    two.extend((0..5).map(|item| Residual {
        system: 1,
        ..residual(item, 1e-17 * f64::from(item))
    }));
    let found = test(&two, &[0, 1, 1, 2, 2], 2).unwrap();
    assert_eq!(found.tested, 2);
    assert_eq!(found.cells[4].p_value, Err(Undefined::NoVariance));
}
