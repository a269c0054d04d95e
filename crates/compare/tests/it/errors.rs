//! How often `compare` cries wolf, and how often it sees the wolf: simulated runs with a planted
//! change, a planted change of the judge, both, and neither. `EVENHAND_SLOW=1` runs 1,000 of each.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::Draws;
use evenhand_compare::{
    CompareOptions, Comparison, SideData, SideItem, SideResponse, SideVerdict, compare_sides,
    compare_within,
};
use evenhand_stats::{Bootstrap, minimum_detectable_difference};
use evenhand_testing::is_slow;

fn seeds() -> u64 {
    if is_slow() { 1000 } else { 200 }
}

/// The world of a run of pointwise scores.
#[derive(Clone, Copy, Default)]
struct World {
    items: u32,
    /// What v2's new answers are better by.
    change: f64,
    /// What the judge scores higher by in the second run, any answer.
    drift: f64,
}

const ITEM_DEVIATION: f64 = 1.0;
const NOISE: f64 = 0.8;

/// Two runs of systems v1, whose answers stay, and v2, whose answers are new in the second.
fn two_runs(world: World, seed: u64) -> [SideData; 2] {
    let mut draws = Draws::new(seed);
    let mut sides = [false, true].map(|new| empty_side(world.items, new));
    for item in 0..world.items {
        let hard = ITEM_DEVIATION * draws.normal();
        for system in 0..2 {
            for (run, side) in sides.iter_mut().enumerate() {
                let later = run as f64;
                let change = later * (world.drift + f64::from(system) * world.change);
                let value = 5.0 + hard + change + NOISE * draws.normal();
                side.verdicts
                    .push(SideVerdict::new(item, system, None, value));
            }
        }
    }
    sides
}

fn empty_side(items: u32, new: bool) -> SideData {
    let mut side = SideData {
        systems: vec!["v1".into(), "v2".into()],
        ..SideData::default()
    };
    for item in 0..items {
        side.items.push(SideItem {
            id: item.to_string(),
            digest: Some(item.to_string()),
            ..SideItem::default()
        });
        for system in 0..2 {
            let generation = new && system == 1;
            let digest = format!("{item} {system} {generation}");
            side.responses.push(SideResponse {
                item,
                system,
                digest,
            });
        }
    }
    side
}

fn options() -> CompareOptions {
    CompareOptions {
        systems: vec!["v2".into()],
        plan: Bootstrap {
            rounds: 499,
            ..Bootstrap::default()
        },
        ..CompareOptions::default()
    }
}

/// How many of the seeds find a change of v2, one of the judge, and a change where the judge's own
/// is not taken out.
fn count_found(world: World) -> [f64; 3] {
    let mut found = [0.0; 3];
    for seed in 0..seeds() {
        let [before, now] = two_runs(world, seed);
        let comparison = compare_sides(&before, &now, &options()).unwrap();
        for (count, is) in found.iter_mut().zip(findings(&comparison)) {
            *count += f64::from(u8::from(is));
        }
    }
    found.map(|count| count / seeds() as f64)
}

fn findings(comparison: &Comparison) -> [bool; 3] {
    let system = &comparison.systems[0];
    let is_low = |p: Option<f64>| p.unwrap() < 0.05;
    [
        is_low(system.change().p_value),
        comparison.drift.as_ref().unwrap().is_significant(0.95),
        is_low(system.observed.p_value),
    ]
}

/// Four standard errors of a share that is as expected.
fn tolerance(share: f64) -> f64 {
    4.0 * (share * (1.0 - share) / seeds() as f64).sqrt()
}

fn say(what: &str, [change, drift, naive]: [f64; 3]) {
    println!(
        "{what}: change found {change:.3}, the judge's {drift:.3}, without control {naive:.3} of {}",
        seeds()
    );
}

#[test]
fn nothing_changed_and_little_is_found() {
    let found = count_found(World {
        items: 80,
        ..World::default()
    });
    say("no change, no drift", found);
    assert!(
        found.iter().all(|share| *share < 0.05 + tolerance(0.05)),
        "{found:?}"
    );
}

#[test]
fn a_judge_that_changed_is_told_apart_from_a_system_that_did_not() {
    for drift in [-0.5, 0.5] {
        let found = count_found(World {
            items: 80,
            drift,
            change: 0.0,
        });
        say(&format!("no change, drift {drift}"), found);
        let [change, judge, naive] = found;
        assert!(change < 0.05 + tolerance(0.05), "{found:?}");
        assert!(judge > 0.9 && naive > 0.9, "{found:?}");
    }
}

#[test]
fn a_system_that_changed_is_told_apart_from_a_judge_that_did_not() {
    for change in [-0.8, 0.8] {
        let found = count_found(World {
            items: 80,
            drift: 0.0,
            change,
        });
        say(&format!("change {change}, no drift"), found);
        let [system, judge, _] = found;
        assert!(system > 0.9 && judge < 0.05 + tolerance(0.05), "{found:?}");
    }
}

#[test]
fn a_drift_that_hides_a_change_hides_it_no_more() {
    let found = count_found(World {
        items: 80,
        drift: 0.8,
        change: -0.8,
    });
    say("change -0.8, drift 0.8", found);
    let [system, judge, naive] = found;
    assert!(system > 0.9 && judge > 0.9, "{found:?}");
    assert!(naive < 0.05 + tolerance(0.05), "{found:?}");
}

/// Without anything to control for, the difference that is said to be detectable with a power of
/// 80 % is found as often.
#[test]
fn the_power_is_the_one_that_was_promised() {
    let deviation = NOISE * std::f64::consts::SQRT_2;
    let least = minimum_detectable_difference(80, deviation, 0.95, 0.8).unwrap();
    let mut found = 0.0;
    for seed in 0..seeds() {
        let world = World {
            items: 80,
            change: least,
            drift: 0.0,
        };
        let [mut before, mut now] = two_runs(world, 5000 + seed);
        for side in [&mut before, &mut now] {
            side.verdicts.retain(|verdict| verdict.first == 1);
        }
        let comparison = compare_sides(&before, &now, &options()).unwrap();
        let p = comparison.systems[0].change().p_value.unwrap();
        found += f64::from(u8::from(p < 0.05)) / seeds() as f64;
    }
    println!(
        "a change of {least:.3} that should be found in 0.80: {found:.3} of {}",
        seeds()
    );
    assert!((found - 0.8).abs() < tolerance(0.8), "{found}");
}

/// Two answers that are equally good, a judge who prefers the first: both orders cancel it.
#[test]
fn equal_systems_head_to_head_are_seldom_called_different() {
    let mut alarms = 0.0;
    for seed in 0..seeds() {
        let mut draws = Draws::new(9000 + seed);
        let mut run = empty_side(100, false);
        for item in 0..100 {
            let lean = 0.6 * draws.normal();
            for [first, second] in [[0, 1], [1, 0]] {
                let sign = if first == 0 { 1.0 } else { -1.0 };
                let chance = 1.0 / (1.0 + (-(sign * lean + 0.7_f64)).exp());
                let won = draws.uniform() < chance;
                run.verdicts.push(SideVerdict::new(
                    item,
                    first,
                    Some(second),
                    f64::from(u8::from(won)),
                ));
            }
        }
        let comparison = compare_within(
            &run,
            &CompareOptions {
                systems: vec![],
                ..options()
            },
        )
        .unwrap();
        let p = comparison.systems[0].change().p_value.unwrap();
        alarms += f64::from(u8::from(p < 0.05)) / seeds() as f64;
    }
    println!("equal systems head to head: {alarms:.3} of {}", seeds());
    assert!(alarms < 0.05 + tolerance(0.05), "{alarms}");
}
