//! The test of system x slice where voters are in several slices: a slow twin, what it finds, and
//! its false alarms over numbers and sizes of voters, with and without a taste of theirs.

use evenhand_stats::interaction::{
    Residual, SliceInteraction, clustered_slice_interaction, comparison_residuals,
};
use evenhand_stats::{Bootstrap, Comparison, Undefined, draw_numbers};
use evenhand_testing::is_slow;
use std::collections::{BTreeMap, BTreeSet};

/// How battles are drawn.
#[derive(Clone, Copy, Debug)]
struct World {
    voters: u32,
    /// Whether the first tenth of the voters has most of the battles.
    uneven: bool,
    /// The standard deviation of a voter's taste for each system, in log-odds: everywhere, and in
    /// each slice by itself.
    taste: [f64; 2],
    /// The share of a voter's battles that are in a slice of the voter's own.
    at_home: f64,
    /// How much better system 0 is in slice 2, in log-odds.
    extra: f64,
}

/// Voters alike, without a taste, in all slices, which matter to nobody.
const PLAIN: World = World {
    voters: 60,
    uneven: false,
    taste: [0.0, 0.0],
    at_home: 0.0,
    extra: 0.0,
};

/// Battles of 4 systems in 3 slices, of which the last has a tenth; each under a number of its
/// voter and slice. Then the slice and the voter of each number.
fn battles(world: World, seed: u64) -> (Vec<Comparison>, Vec<u32>, Vec<u32>) {
    let mut numbers = draw_numbers(seed, 9, 1 << 30);
    let mut draw = || f64::from(numbers.next().unwrap()) / f64::from(1 << 30);
    let (mut rows, mut places) = (Vec::new(), BTreeMap::new());
    let (mut slices, mut voters) = (Vec::new(), Vec::new());
    for voter in 0..world.voters {
        let size = match (world.uneven, voter < world.voters.div_ceil(10)) {
            (false, _) => 15,
            (true, true) => 80,
            (true, false) => 1 + voter % 8,
        };
        // Nearly normal.
        let mut normal = |sd: f64| sd * ((0..12).map(|_| draw()).sum::<f64>() - 6.0);
        let tastes: Vec<[f64; 4]> = (0..3)
            .map(|_| [(); 4].map(|()| normal(world.taste[1])))
            .collect();
        let everywhere = [(); 4].map(|()| normal(world.taste[0]));
        for _ in 0..size {
            let slice = match draw() < world.at_home {
                true => voter % 3,
                false => [0, 0, 0, 0, 0, 1, 1, 1, 1, 2][(10.0 * draw()) as usize],
            };
            let a = (4.0 * draw()) as usize;
            let b = (a + 1 + (3.0 * draw()) as usize) % 4;
            let strength = |system: usize| {
                let planted = match (system, slice) {
                    (0, 2) => world.extra,
                    _ => 0.0,
                };
                let taste = everywhere[system] + tastes[slice as usize][system];
                0.3 * system as f64 + taste + planted
            };
            let chance = 1.0 / (1.0 + (strength(b) - strength(a)).exp());
            let next = places.len() as u32;
            let place = *places.entry((voter, slice)).or_insert_with(|| {
                slices.push(slice);
                voters.push(voter);
                next
            });
            rows.push(Comparison::won(place, a as u16, b as u16, draw() < chance));
        }
    }
    (rows, slices, voters)
}

fn test(world: World, seed: u64, rounds: usize) -> SliceInteraction {
    let (rows, slices, voters) = battles(world, seed);
    let residuals = comparison_residuals(4, &rows).unwrap();
    let plan = Bootstrap {
        rounds,
        seed,
        ..Bootstrap::default()
    };
    clustered_slice_interaction(&residuals, &slices, &voters, 10, &plan).unwrap()
}

#[test]
fn false_alarms_are_no_more_than_promised_whoever_votes() {
    let seeds: u64 = if is_slow() { 2000 } else { 60 };
    let mut said = Vec::new();
    for voters in [20, 60, 200, 900] {
        // What is the same at any size need not be asked a thousand times at the largest.
        let seeds = if voters == 900 { seeds / 4 } else { seeds };
        for uneven in [false, true] {
            for taste in [[0.0, 0.0], [1.0, 0.0], [0.7, 0.7]] {
                for at_home in [0.0, 0.7] {
                    let world = World {
                        voters,
                        uneven,
                        taste,
                        at_home,
                        extra: 0.0,
                    };
                    let found = (0..seeds).map(|seed| {
                        let (rows, slices, clusters) = battles(world, seed);
                        let residuals = comparison_residuals(4, &rows).unwrap();
                        let plan = Bootstrap {
                            rounds: 199,
                            seed,
                            ..Bootstrap::default()
                        };
                        // Too few voters in each slice: nothing is tested, and nothing said.
                        clustered_slice_interaction(&residuals, &slices, &clusters, 10, &plan)
                    });
                    let alarms = found
                        .filter(|found| found.as_ref().is_ok_and(|found| found.p_value <= 0.05))
                        .count();
                    let (n, alarms) = (seeds as f64, alarms as f64);
                    let share = alarms / n;
                    println!("{world:?}: {:.1} % of {seeds}", 100.0 * share);
                    let most = 0.05 + 3.5 * (0.05 * 0.95 / n).sqrt();
                    if share > most {
                        said.push(format!("{world:?}: {share}"));
                    }
                }
            }
        }
    }
    assert!(said.is_empty(), "{said:#?}");
}

#[test]
fn what_a_slice_does_is_found_though_voters_have_tastes() {
    let world = World {
        voters: 300,
        taste: [0.7, 0.0],
        extra: 1.5,
        ..PLAIN
    };
    let found = (0..20).filter(|seed| {
        let found = test(world, *seed, 199);
        let planted = found
            .cells
            .iter()
            .find(|cell| (cell.system, cell.slice) == (0, 2));
        let planted = planted.unwrap();
        planted.deviation > 0.0 && planted.p_value.is_ok_and(|p| p <= 0.05)
    });
    let found = found.count();
    assert!(found >= 18, "{found} of 20");
}

/// The standard error of a deviation, written out: what each voter adds to the mean in the slice
/// less that of the others.
#[test]
fn a_standard_error_keeps_voters_whole() {
    for seed in 0..5 {
        let world = World {
            uneven: seed % 2 == 1,
            taste: [0.5, 0.5],
            ..PLAIN
        };
        let (rows, slices, voters) = battles(world, seed);
        let residuals = comparison_residuals(4, &rows).unwrap();
        let found = test(world, seed, 19);
        for cell in &found.cells {
            let own = || residuals.iter().filter(|row| row.system == cell.system);
            let all: f64 = own().map(|row| row.n).sum();
            let mean = own().map(|row| row.sum).sum::<f64>() / all;
            let is_in = |row: &&Residual| slices[row.item as usize] == cell.slice;
            let sums = |inside: bool, voter: Option<u32>| {
                let rows = own().filter(|row| is_in(row) == inside);
                let rows =
                    rows.filter(|row| voter.is_none_or(|voter| voters[row.item as usize] == voter));
                rows.fold([0.0, 0.0], |[sum, n], row| {
                    [sum + row.sum - mean * row.n, n + row.n]
                })
            };
            let [[s_in, n_in], [s_out, n_out]] = [sums(true, None), sums(false, None)];
            assert!((cell.deviation - s_in / n_in).abs() < 1e-9);
            let who: BTreeSet<u32> = own().map(|row| voters[row.item as usize]).collect();
            let adds = who.iter().map(|voter| {
                let [[si, ni], [so, no]] = [sums(true, Some(*voter)), sums(false, Some(*voter))];
                let add = (si - s_in / n_in * ni) / n_in - (so - s_out / n_out * no) / n_out;
                add * add
            });
            let count = who.len() as f64;
            let variance = count / (count - 1.0) * adds.sum::<f64>();
            let expected = n_out / all * variance.sqrt();
            let error = cell.standard_error.unwrap();
            assert!((error / expected - 1.0).abs() < 1e-6, "{error} {expected}");
        }
    }
}

#[test]
fn few_voters_in_a_slice_are_not_tested_and_a_wrong_length_is_refused() {
    let few = World {
        voters: 12,
        ..PLAIN
    };
    let (rows, mut slices, mut voters) = battles(few, 1);
    let residuals = comparison_residuals(4, &rows).unwrap();
    let plan = Bootstrap::default();
    // Two voters alone have a fourth slice.
    for (slice, voter) in slices.iter_mut().zip(&voters) {
        if *slice == 2 && *voter < 2 {
            *slice = 3;
        }
    }
    let found = clustered_slice_interaction(&residuals, &slices, &voters, 10, &plan).unwrap();
    for cell in found.cells.iter().filter(|cell| cell.slice == 3) {
        assert!(matches!(
            cell.p_value,
            Err(Undefined::SmallSlice { items: 1..=2, .. })
        ));
        assert!(cell.pooled.is_finite());
    }
    voters.pop();
    assert!(clustered_slice_interaction(&residuals, &slices, &voters, 10, &plan).is_err());
}
