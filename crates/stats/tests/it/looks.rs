//! A change that is looked for week by week: how often a judge that does not change is accused in a
//! year, and how soon one that does is found.
//!
//! With `EVENHAND_SLOW=1` each cell is 400 years; else a few.

use crate::common::Draws;
use evenhand_stats::change::{ClusterHistory, Moves, betting_wealth, look_p_values, paired_change};
use evenhand_testing::is_slow;

/// What a judge's values are like.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// Scores with noise of 0.8.
    Scores,
    /// Whole points from 1 to 10, most of them the same each time.
    Points,
    /// 0 or 1: on most items the same each time.
    Verdicts,
    /// A few items jump far.
    Heavy,
}

/// The value of an item of this level at one look, with a shift.
fn value(kind: Values, level: f64, shift: f64, uniform: &mut impl FnMut() -> f64) -> f64 {
    let noise = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    match kind {
        Values::Scores => 5.0 + level + 0.8 * noise + shift,
        Values::Points => (5.5 + 2.0 * level + 0.3 * noise + shift)
            .round()
            .clamp(1.0, 10.0),
        Values::Verdicts => f64::from(3.0 * level + 0.7 * noise + shift > 0.0),
        Values::Heavy => {
            let jump = if uniform() < 0.05 { 20.0 * noise } else { 0.0 };
            5.0 + level + 0.3 * noise + jump + shift
        }
    }
}

/// The first of 52 looks at which a change is found at 5 %, over rises and falls of so many items:
/// the judge shifts by `shift` before look `from`; look 0 is the baseline.
fn found_at(kind: Values, items: usize, shift: f64, from: usize, seed: u64) -> Option<usize> {
    let mut draws = Draws::new(seed, 9);
    let mut uniform = || draws.uniform();
    let levels: Vec<f64> = (0..items)
        .map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0)
        .collect();
    let mut before: Vec<Vec<f64>> = vec![Vec::new(); items];
    let (mut rises, mut falls) = (Vec::new(), Vec::new());
    for look in 0..=52 {
        let shift = if look >= from { shift } else { 0.0 };
        let now: Vec<f64> = levels
            .iter()
            .map(|level| value(kind, *level, shift, &mut uniform))
            .collect();
        if look > 0 {
            let clusters = now.iter().zip(&before).map(|(now, before)| ClusterHistory {
                now: *now,
                before: before.clone(),
            });
            let found = look_p_values(&clusters.collect::<Vec<_>>(), seed, look as u64).unwrap();
            rises.push(found.rise);
            falls.push(found.fall);
            let wealth = |p_values: &[f64]| *betting_wealth(p_values).unwrap().last().unwrap();
            if (wealth(&rises) + wealth(&falls)) / 2.0 > 20.0 {
                return Some(look);
            }
        }
        for (before, now) in before.iter_mut().zip(now) {
            before.push(now);
        }
    }
    None
}

#[test]
fn a_judge_that_stays_is_not_accused_in_a_year() {
    let (seeds, sizes): (u64, &[usize]) = match is_slow() {
        true => (400, &[6, 20, 40, 100, 400]),
        false => (20, &[20]),
    };
    let error = (0.05 * 0.95 / seeds as f64).sqrt();
    println!("Accused at some of 52 looks at 5 %, of {seeds} years (standard error {error:.3})");
    for kind in [
        Values::Scores,
        Values::Points,
        Values::Verdicts,
        Values::Heavy,
    ] {
        for &items in sizes {
            let accused = (0..seeds).filter(|seed| {
                let seed = seed ^ (items as u64) << 20 ^ (kind as u64) << 40;
                found_at(kind, items, 0.0, 0, seed).is_some()
            });
            let accused = accused.count();
            let share = accused as f64 / seeds as f64;
            println!("{kind:?} items {items}: {share:.3}");
            assert!(share <= 0.05 + 2.0 * error, "{kind:?} {items} {share}");
        }
    }
}

/// What the plain test at 5 % does, made at every look: it is to be worse than what is promised.
#[test]
fn the_plain_test_accuses_if_it_is_made_again_and_again() {
    let seeds: u64 = if is_slow() { 400 } else { 20 };
    let accused = (0..seeds).filter(|seed| {
        let mut draws = Draws::new(*seed, 11);
        let mut uniform = || draws.uniform();
        let mut run = || -> Vec<f64> {
            (0..40)
                .map(|item| value(Values::Scores, f64::from(item % 7) / 3.0, 0.0, &mut uniform))
                .collect()
        };
        let baseline = run();
        (0..52).any(|_| {
            let now = run();
            let differences: Vec<f64> = now.iter().zip(&baseline).map(|(x, y)| x - y).collect();
            let moves = Moves {
                step: 1.0,
                limit: f64::INFINITY,
            };
            paired_change(&differences, moves, 0.95).unwrap().p_value < 0.05
        })
    });
    let share = accused.count() as f64 / seeds as f64;
    println!("The plain test accuses a judge that stays in {share:.3} of {seeds} years");
    assert!(share > 0.1, "{share}");
}

#[test]
fn a_judge_that_shifts_is_found() {
    let (seeds, sizes): (u64, &[usize]) = match is_slow() {
        true => (50, &[20, 40, 100, 400]),
        false => (10, &[100]),
    };
    for kind in [Values::Scores, Values::Verdicts] {
        for (shift, from) in [(0.25, 1), (0.25, 10), (0.5, 1), (0.5, 10), (0.5, 30)] {
            for &items in sizes {
                let found = (0..seeds)
                    .filter_map(|seed| {
                        found_at(kind, items, shift, from, seed ^ (items as u64) << 20)
                    })
                    .filter(|look| *look >= from);
                let delays: Vec<usize> = found.map(|look| look - from).collect();
                let within = |looks: usize| {
                    let found = delays.iter().filter(|delay| **delay < looks).count();
                    found as f64 / seeds as f64
                };
                println!(
                    "{kind:?} shift {shift} from look {from}, items {items}: found at once {:.2}, \
                     within 4 looks {:.2}, in the year {:.2}",
                    within(1),
                    within(4),
                    within(99)
                );
                if matches!(kind, Values::Scores) && items >= 100 && shift == 0.5 {
                    assert!(within(4) > 0.8, "items {items} from {from}: {}", within(4));
                }
            }
        }
    }
}

/// The draws are an approximation of all ways to put one of each cluster's values in place of the
/// one of now.
#[test]
fn p_values_are_those_of_all_arrangements() {
    let clusters = [
        ClusterHistory {
            now: 3.0,
            before: vec![1.0, 2.0],
        },
        ClusterHistory {
            now: 2.0,
            before: vec![2.0, 2.5],
        },
        ClusterHistory {
            now: 5.0,
            before: vec![4.0],
        },
        ClusterHistory {
            now: 1.0,
            before: vec![0.0, 1.0, 3.0],
        },
    ];
    let found_sum: f64 = clusters.iter().map(|one| one.now).sum();
    let mut sums = vec![0.0];
    for cluster in &clusters {
        let own = cluster.before.iter().chain([&cluster.now]);
        let own: Vec<f64> = own.copied().collect();
        sums = sums
            .iter()
            .flat_map(|sum| own.iter().map(move |x| sum + x))
            .collect();
    }
    let share = |is: &dyn Fn(f64) -> bool| {
        sums.iter().filter(|sum| is(**sum)).count() as f64 / sums.len() as f64
    };
    let (rise, fall) = (share(&|x| x >= found_sum), share(&|x| x <= found_sum));
    let runs = 2000;
    let (mut rises, mut falls) = (0.0, 0.0);
    for seed in 0..runs {
        let found = look_p_values(&clusters, seed, 1).unwrap();
        // The number of draws that takes has the mean 20 / p.
        rises += 1.0 / found.rise / f64::from(runs as u32);
        falls += 1.0 / found.fall / f64::from(runs as u32);
    }
    assert!((1.0 / rises - rise).abs() < 0.02 * rise, "{rises} {rise}");
    assert!((1.0 / falls - fall).abs() < 0.02 * fall, "{falls} {fall}");
}

#[test]
fn what_never_moved_says_nothing() {
    let still = vec![
        ClusterHistory {
            now: 1.0,
            before: vec![1.0; 5]
        };
        40
    ];
    let found = look_p_values(&still, 0, 5).unwrap();
    assert_eq!((found.rise, found.fall), (1.0, 1.0));
    let wealth = betting_wealth(&[1.0; 52]).unwrap();
    assert!(wealth.iter().all(|wealth| *wealth <= 1.0));
}

#[test]
fn a_bet_of_uniform_p_values_gains_nothing_on_average() {
    // The integral of e p^(e - 1) is 1: a product over a grid of p-values.
    let steps = 400_000;
    let sum: f64 = (0..steps)
        .map(|at| betting_wealth(&[(f64::from(at) + 0.5) / f64::from(steps)]).unwrap()[0])
        .sum();
    let mean = sum / f64::from(steps);
    assert!(mean > 0.97 && mean <= 1.0, "{mean}");
}
