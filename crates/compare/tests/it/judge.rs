//! How often a judge that stayed the same is accused, whatever its temperature, its preference for
//! a place and its ties, and how often one that turned is found. `EVENHAND_SLOW=1` draws more.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::Draws;
use evenhand_compare::gate::{COMPARISON, GateFigures, GateOutcome, decide_gates, parse_gates};
use evenhand_compare::{
    CompareOptions, Comparison, DriftKind, SideData, SideItem, SideResponse, SideVerdict,
    compare_sides,
};
use evenhand_testing::is_slow;

/// How the judge decides.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Judge {
    /// It says the same each time.
    Greedy,
    /// The chance that the one it prefers wins is from .5 to 1, by item.
    Samples,
    /// Half of the items greedily, half by a coin.
    Mixed,
}

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    OneOrder,
    BothOrders,
    Twice,
    Scores,
}

/// What becomes of the judge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    None,
    /// All its verdicts turn round.
    Turns,
    /// Half of its verdicts are drawn by a coin, once and for all.
    HalfRandom,
}

#[derive(Clone, Copy, Debug)]
struct World {
    judge: Judge,
    asked: Asked,
    change: Change,
    systems: u32,
    questions: u32,
    /// Items of each question.
    each: u32,
    /// Whether the items of a question have one winner.
    alike: bool,
    /// The preference for the first place, and the chance of a tie.
    first: f64,
    ties: f64,
    /// The chance that the lower-numbered system is the one that is preferred.
    lower: f64,
}

const WORLD: World = World {
    judge: Judge::Greedy,
    asked: Asked::BothOrders,
    change: Change::None,
    systems: 2,
    questions: 40,
    each: 1,
    alike: false,
    first: 0.0,
    ties: 0.0,
    lower: 0.5,
};

// Long: all that decides a verdict is drawn in one order, so that worlds differ in nothing else.
fn sides_of(world: &World, seed: u64) -> [SideData; 2] {
    let mut draws = Draws::new(seed);
    let mut sides = [SideData::default(), SideData::default()];
    for side in &mut sides {
        side.systems = (0..world.systems)
            .map(|system| format!("s{system}"))
            .collect();
    }
    let mut quality: Vec<f64> = Vec::new();
    for item in 0..world.questions * world.each {
        if item % world.each == 0 || !world.alike {
            quality = (0..world.systems)
                .map(|system| {
                    draws.uniform()
                        + if system == 0 {
                            2.0 * (world.lower - 0.5)
                        } else {
                            0.0
                        }
                })
                .collect();
        }
        for side in &mut sides {
            side.items.push(SideItem {
                id: item.to_string(),
                digest: Some(item.to_string()),
                question: (world.each > 1).then_some(item / world.each),
                ..SideItem::default()
            });
            side.responses
                .extend((0..world.systems).map(|system| SideResponse {
                    item,
                    system,
                    digest: format!("{item} {system}"),
                }));
        }
        let chance = match world.judge {
            Judge::Greedy => 1.0,
            Judge::Samples => 0.5 + draws.uniform() / 2.0,
            Judge::Mixed => [1.0, 0.5][usize::from(draws.uniform() < 0.5)],
        };
        for one in 0..world.systems {
            if world.asked == Asked::Scores {
                let level = (1.0 + 4.0 * quality[one as usize].clamp(0.0, 1.0)).round();
                let wild = draws.uniform() < 0.5;
                for (later, side) in [false, true].into_iter().zip(&mut sides) {
                    let turned = later && world.change == Change::Turns;
                    let level = if turned { 6.0 - level } else { level };
                    let sampled = draws.uniform() >= chance;
                    let score = match (sampled, wild) {
                        (false, _) => level,
                        (true, true) => 1.0 + (5.0 * draws.uniform()).floor(),
                        (true, false) => {
                            (level + (3.0 * draws.uniform()).floor() - 1.0).clamp(1.0, 5.0)
                        }
                    };
                    side.verdicts.push(SideVerdict::new(item, one, None, score));
                }
                continue;
            }
            for other in one + 1..world.systems {
                let wins = quality[one as usize] > quality[other as usize];
                let (half, coin) = (draws.uniform() < 0.5, draws.uniform() < 0.5);
                // What each place's preference makes of an item is fixed for it.
                let by_place = draws.uniform() < world.first;
                let orders: &[(u32, u32)] = match world.asked {
                    Asked::BothOrders => &[(one, other), (other, one)],
                    Asked::Twice => &[(one, other), (one, other)],
                    _ if item % 2 == 0 => &[(one, other)],
                    _ => &[(other, one)],
                };
                for (first, second) in orders.iter().copied() {
                    for (later, side) in [false, true].into_iter().zip(&mut sides) {
                        let wins = match world.change {
                            Change::Turns if later => !wins,
                            Change::HalfRandom if later && half => coin,
                            _ => wins,
                        };
                        let likely = (wins == (first == one)) || by_place;
                        let value = match draws.uniform() < chance {
                            _ if draws.uniform() < world.ties => 0.5,
                            true => f64::from(u8::from(likely)),
                            false => f64::from(u8::from(!likely)),
                        };
                        side.verdicts
                            .push(SideVerdict::new(item, first, Some(second), value));
                    }
                }
            }
        }
    }
    sides
}

fn compare(world: &World, seed: u64) -> Comparison {
    let [before, now] = sides_of(world, seed);
    compare_sides(&before, &now, &CompareOptions::default()).unwrap()
}

fn decide(comparison: &Comparison) -> GateOutcome {
    let gates = parse_gates("drift", &COMPARISON).unwrap();
    decide_gates(&gates, comparison, GateFigures::default()).unwrap()[0].outcome
}

/// The share of data sets in which the gate is met, and in which it is not decided.
fn share_met(world: &World, seeds: u64) -> [f64; 2] {
    let mut found = [0.0; 2];
    for seed in 0..seeds {
        match decide(&compare(world, 7919 * seed + 1)) {
            GateOutcome::Met => found[0] += 1.0,
            GateOutcome::Inconclusive(_) => found[1] += 1.0,
            GateOutcome::Passed => {}
        }
    }
    found.map(|count| count / seeds as f64)
}

#[test]
fn a_judge_that_stays_the_same_is_seldom_accused() {
    let seeds: u64 = if is_slow() { 1000 } else { 30 };
    println!("met, of {seeds} data sets, at 10, 40, 200 items in 1 or 4 of a question");
    for asked in [
        Asked::OneOrder,
        Asked::BothOrders,
        Asked::Twice,
        Asked::Scores,
    ] {
        for (judge, first, ties, systems, lower) in [
            (Judge::Greedy, 0.3, 0.0, 2, 0.5),
            (Judge::Samples, 0.0, 0.0, 2, 0.5),
            (Judge::Samples, 0.5, 0.2, 3, 0.7),
            (Judge::Mixed, 0.3, 0.3, 2, 0.8),
            (Judge::Mixed, 0.0, 0.0, 3, 0.5),
        ] {
            let mut row = String::new();
            for (items, each, alike) in [
                (10, 1, false),
                (40, 1, false),
                (40, 4, true),
                (40, 4, false),
                (200, 1, false),
                (200, 4, true),
            ] {
                let seeds = if items == 200 { seeds / 2 } else { seeds };
                let questions = items / each;
                let world = World {
                    judge,
                    asked,
                    first,
                    ties,
                    systems,
                    lower,
                    questions,
                    each,
                    alike,
                    ..WORLD
                };
                let [met, _] = share_met(&world, seeds);
                row += &format!(" {met:.3}");
                let error = (0.05 * 0.95 / seeds as f64).sqrt();
                assert!(met <= 0.05 + 4.0 * error, "{world:?}: {met}");
            }
            println!(
                "{asked:?} {judge:?} first {first} ties {ties} systems {systems} lower {lower}:{row}"
            );
        }
    }
}

#[test]
fn a_judge_that_turned_is_found() {
    let seeds: u64 = if is_slow() { 400 } else { 20 };
    let worlds = [
        (
            "winners balanced, turned, both orders",
            Asked::BothOrders,
            Change::Turns,
            0.5,
        ),
        (
            "a wins all, then b, both orders",
            Asked::BothOrders,
            Change::Turns,
            1.0,
        ),
        (
            "a wins all, then b, one order",
            Asked::OneOrder,
            Change::Turns,
            1.0,
        ),
        ("scores 1 to 5 turned", Asked::Scores, Change::Turns, 0.5),
        (
            "half of the verdicts random, both orders",
            Asked::BothOrders,
            Change::HalfRandom,
            0.5,
        ),
        (
            "half of the verdicts random, twice",
            Asked::Twice,
            Change::HalfRandom,
            0.5,
        ),
        (
            "winners balanced, turned, one order",
            Asked::OneOrder,
            Change::Turns,
            0.5,
        ),
        (
            "half of the verdicts random, one order",
            Asked::OneOrder,
            Change::HalfRandom,
            0.5,
        ),
    ];
    for (name, asked, change, lower) in worlds {
        for judge in [Judge::Greedy, Judge::Samples] {
            let found = [20, 40, 100, 200].map(|questions| {
                let world = World {
                    judge,
                    asked,
                    change,
                    lower,
                    questions,
                    ..WORLD
                };
                share_met(&world, seeds / if questions == 200 { 2 } else { 1 })
            });
            let text = found
                .map(|[met, open]| format!("{met:.2} ({open:.2})"))
                .join("  ");
            println!("{name}, {judge:?}: met (not decided) at 20, 40, 100, 200: {text}");
            let [met, open] = found[3];
            // Verdicts that turned at random hide among those of a judge that samples.
            let is_random = matches!(change, Change::HalfRandom);
            let is_hidden = is_random && (judge == Judge::Samples || asked == Asked::OneOrder);
            assert!(is_hidden || met > 0.99, "{name}: {met}");
            assert!(
                asked != Asked::OneOrder || met + open > 0.99,
                "{name}: {open}"
            );
        }
    }
}

#[test]
fn what_turned_is_said_and_one_look_passes_nothing_that_turned() {
    let world = World {
        asked: Asked::OneOrder,
        judge: Judge::Samples,
        ..WORLD
    };
    let found = compare(&world, 3);
    let drift = found.drift.as_ref().unwrap();
    assert!(drift.changed > 0 && drift.alone == 40, "{drift:?}");
    assert!(matches!(decide(&found), GateOutcome::Inconclusive(_)));
    assert!(found.systems[0].differing[0] > 0);
    // Nothing turned: nothing is in doubt.
    let found = compare(
        &World {
            judge: Judge::Greedy,
            ..world
        },
        3,
    );
    assert_eq!(decide(&found), GateOutcome::Passed);
    // In both orders the judge's noise is known.
    let found = compare(
        &World {
            asked: Asked::BothOrders,
            ..world
        },
        3,
    );
    let drift = found.drift.as_ref().unwrap();
    let kinds: Vec<DriftKind> = drift.tests.iter().map(|test| test.what).collect();
    let all = [
        DriftKind::FirstSlot,
        DriftKind::Decided,
        DriftKind::System,
        DriftKind::Turned,
    ];
    assert_eq!(kinds, all);
    assert_eq!(
        (drift.changed > 0, decide(&found)),
        (true, GateOutcome::Passed)
    );
}
