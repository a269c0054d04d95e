//! Self-preference without labels, in simulations: judges who differ in accuracy and in taste and
//! prefer nothing of their own are accused as rarely as promised, and one that does is found.

use crate::common::{normals, uniforms};
use evenhand_stats::self_preference::{PairPoints, own_preference};
use evenhand_stats::{holm, sigmoid};
use evenhand_testing::is_slow;

/// A field of systems, of which the first belong to the judges.
#[derive(Clone, Copy, Debug)]
struct Field {
    systems: usize,
    judges: usize,
    items: usize,
    /// From the best system to the worst, in log-odds.
    spread: f64,
    /// The standard deviation of the judges' tastes for systems.
    taste: f64,
    /// The least and the greatest accuracy: what differences are multiplied by.
    accuracy: [f64; 2],
    /// Where the first judge's system stands in the field, which it may win or lose: at so many
    /// log-odds. None where its place is drawn like the others'.
    own_place: Option<f64>,
}

/// How a system does on an item, beyond its usual: the same for all judges.
const EFFECT: f64 = 0.7;

/// What each judge says in both orders of all pairs on all items; the first judge adds `own`
/// log-odds to its own system.
fn tallies(field: Field, seed: u64, own: f64) -> Vec<PairPoints> {
    let Field {
        systems,
        judges,
        items,
        ..
    } = field;
    let mut draws = uniforms(seed, 0);
    let mut next = || draws.next().unwrap();
    // Which system is how good is drawn.
    let mut places: Vec<f64> = (0..systems)
        .map(|one| field.spread * (one as f64 / (systems - 1) as f64 - 0.5))
        .collect();
    for last in (1..systems).rev() {
        places.swap(last, (next() * (last + 1) as f64) as usize);
    }
    if let Some(place) = field.own_place {
        places[0] = place;
    }
    let effects: Vec<Vec<f64>> = (0..systems)
        .map(|one| normals(seed, 100 + one as u64, items))
        .collect();
    let mut all = Vec::new();
    for judge in 0..judges {
        let [low, high] = field.accuracy;
        let accuracy = low + (high - low) * next();
        let tastes = normals(seed, 1000 + judge as u64, systems);
        let mut looks = uniforms(seed, 10_000 + judge as u64);
        let mut tally = PairPoints::new(systems).unwrap();
        for a in 0..systems {
            for b in a + 1..systems {
                let mut points = 0.0;
                let suits = |one: usize, item: usize| EFFECT * effects[one][item];
                for item in 0..items {
                    let ability = |one: usize| {
                        let prefers = if judge == 0 && one == 0 { own } else { 0.0 };
                        accuracy * (places[one] + suits(one, item))
                            + field.taste * tastes[one]
                            + prefers
                    };
                    let chance = sigmoid(ability(a) - ability(b));
                    for _ in 0..2 {
                        points += f64::from(u8::from(looks.next().unwrap() < chance)) / 2.0;
                    }
                }
                tally.add(a, b, points, items as f64 - points).unwrap();
            }
        }
        all.push(tally);
    }
    all
}

/// Of so many fields: the share of judges with p <= 0.05, of fields in which any judge is accused
/// of preferring its own after Holm's correction, and of fields in which the first one is.
fn error(field: Field, seeds: u64, own: f64) -> [f64; 3] {
    let (mut below, mut any, mut first) = (0, 0, 0);
    for seed in 0..seeds {
        let tallies = tallies(field, seed, own);
        let systems: Vec<Option<usize>> = (0..field.judges).map(Some).collect();
        // A system that stands apart from all others has no p-value, and accuses nobody.
        let found: Vec<(f64, f64)> = (0..field.judges)
            .map(|judge| {
                let found = own_preference(&tallies, &systems, judge, 0.95);
                found.map_or((1.0, 0.0), |one| (one.p_value, one.excess))
            })
            .collect();
        let p: Vec<f64> = found.iter().map(|(p, _)| *p).collect();
        let adjusted = holm(&p).unwrap();
        let is_accused = |judge: usize| adjusted[judge] <= 0.05 && found[judge].1 > 0.0;
        below += p.iter().filter(|p| **p <= 0.05).count();
        any += usize::from((0..field.judges).any(is_accused));
        first += usize::from(is_accused(0));
    }
    let fields = seeds as f64;
    [
        below as f64 / (fields * field.judges as f64),
        any as f64 / fields,
        first as f64 / fields,
    ]
}

#[test]
fn fair_judges_of_any_accuracy_and_taste_are_not_accused() {
    let seeds = if is_slow() { 400 } else { 40 };
    let all: &[usize] = if is_slow() { &[20, 100, 400] } else { &[20] };
    for (systems, judges) in [(5, 3), (6, 6), (8, 4), (12, 5)] {
        for &items in all {
            for (spread, taste, accuracy) in [
                (0.0, 0.0, [1.0, 1.0]),
                (2.0, 0.0, [0.3, 3.0]),
                (2.0, 0.5, [0.3, 3.0]),
                (4.0, 0.3, [0.3, 2.0]),
            ] {
                // Many judges of many systems on many items are slow, and no harder.
                if systems == 12 && items == 400 {
                    continue;
                }
                let field = Field {
                    systems,
                    judges,
                    items,
                    spread,
                    taste,
                    accuracy,
                    own_place: None,
                };
                let [below, any, _] = error(field, seeds, 0.0);
                let margin = 3.0 * (0.05 * 0.95 / seeds as f64).sqrt();
                eprintln!(
                    "{field:?}: p <= 0.05 in {below:.3}, accused in {any:.3} of {seeds} fields"
                );
                assert!(
                    below < 0.05 + margin && any < 0.05 + margin,
                    "{field:?} {below} {any}"
                );
            }
        }
    }
}

/// A judge whose own system is the best of all, or the worst: its strength is known less well than
/// the others', and log-odds of many wins bend.
#[test]
fn fair_judges_of_the_best_system_are_not_accused() {
    let seeds = if is_slow() { 400 } else { 60 };
    let all: &[usize] = if is_slow() { &[20, 100, 400] } else { &[20] };
    for (systems, judges, own_place, taste, accuracy) in [
        (6, 3, 3.0, 0.3, [1.0, 1.0]),
        (10, 4, 3.0, 0.3, [1.0, 2.0]),
        (10, 4, 3.0, 0.0, [1.0, 3.0]),
        (10, 4, 5.0, 0.0, [1.0, 2.0]),
        (10, 4, -3.0, 0.1, [1.0, 3.0]),
        (10, 4, 2.0, 0.1, [0.5, 1.5]),
    ] {
        for &items in all {
            let field = Field {
                systems,
                judges,
                items,
                spread: 3.0,
                taste,
                accuracy,
                own_place: Some(own_place),
            };
            let mut accused = 0;
            for seed in 0..seeds {
                let tallies = tallies(field, seed, 0.0);
                let own: Vec<Option<usize>> = (0..judges).map(Some).collect();
                // What is undefined accuses nobody.
                let found = own_preference(&tallies, &own, 0, 0.95);
                accused += u32::from(found.is_ok_and(|found| found.p_value <= 0.05));
            }
            let share = f64::from(accused) / seeds as f64;
            let margin = 3.0 * (0.05 * 0.95 / seeds as f64).sqrt();
            eprintln!("{field:?}: p <= 0.05 in {share:.3} of {seeds}");
            assert!(share < 0.05 + margin, "{field:?} {share}");
        }
    }
}

#[test]
fn a_planted_preference_is_found() {
    let seeds = if is_slow() { 200 } else { 20 };
    for (systems, judges, items, taste, least) in [
        (6, 4, 100, 0.0, 0.7),
        (8, 4, 100, 0.0, 0.9),
        (8, 4, 400, 0.2, 0.7),
        (12, 5, 100, 0.2, 0.8),
    ] {
        let field = Field {
            systems,
            judges,
            items,
            spread: 1.0,
            taste,
            accuracy: [0.7, 1.4],
            own_place: None,
        };
        let [_, _, found] = error(field, seeds, 1.5);
        eprintln!("{field:?}: found in {found:.3} of {seeds}");
        assert!(found >= least - 0.2, "{field:?} {found}");
    }
}

/// The interval holds what the judge would be found to add if nothing were noise: its excess with
/// no taste and without end of items.
#[test]
fn the_interval_holds_what_was_planted() {
    let seeds = if is_slow() { 400 } else { 40 };
    let own = 1.0;
    for (systems, judges, items, taste) in [
        (6, 4, 20, 0.0),
        (6, 4, 100, 0.3),
        (8, 4, 100, 0.0),
        (8, 4, 400, 0.3),
    ] {
        // Equal systems and judges: the excess is the log-odds of the mean chance.
        let field = Field {
            systems,
            judges,
            items,
            spread: 0.0,
            taste,
            accuracy: [1.0, 1.0],
            own_place: None,
        };
        let spread_of_item = EFFECT * std::f64::consts::SQRT_2;
        let nodes = (-60..=60).map(|node| f64::from(node) / 10.0);
        let weight = |z: f64| (-z * z / 2.0).exp();
        let total: f64 = nodes.clone().map(weight).sum();
        let chance: f64 = nodes
            .map(|z| weight(z) * sigmoid(own + spread_of_item * z))
            .sum();
        let planted = (chance / (total - chance)).ln();
        let (mut held, mut made) = (0, 0);
        for seed in 0..seeds {
            let tallies = tallies(field, seed, own);
            let systems: Vec<Option<usize>> = (0..judges).map(Some).collect();
            // One that stands apart from all others by chance has none.
            let Ok(found) = own_preference(&tallies, &systems, 0, 0.95) else {
                continue;
            };
            made += 1;
            held += u64::from(found.interval[0] <= planted && planted <= found.interval[1]);
        }
        let share = held as f64 / made as f64;
        eprintln!("{field:?}: {share:.3} of {made} intervals hold {planted:.3}");
        assert!(
            made > seeds / 2 && share > 0.95 - 3.0 * (0.05 * 0.95 / made as f64).sqrt(),
            "{share}"
        );
    }
}
