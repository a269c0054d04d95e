//! The gate `worse` over many systems: it can always be met, and no system that says nothing of a
//! regression lets it through. A few data sets always, 1,000 a cell where EVENHAND_SLOW=1 is set.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::Draws;
use evenhand_compare::gate::{COMPARISON, GateFigures, GateOutcome, decide_gates, parse_gates};
use evenhand_compare::{
    CompareOptions, Comparison, SideData, SideItem, SideResponse, SideVerdict, compare_sides,
};
use evenhand_stats::Bootstrap;
use evenhand_testing::is_slow;

/// How a system's scores change from one run to the next.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// All items fall, by different amounts.
    Falls,
    /// It falls by this many standard deviations of an item's difference, in the mean.
    Drops(f64),
    /// Its answers and scores stay.
    Stays,
    /// Its answers are new, its scores stay.
    Unmoved,
    /// Next to nothing moves.
    TwoItems,
    /// Its answers are new, and as good.
    Noise,
    /// All items rise.
    Rises,
}

impl Kind {
    fn draw(self, item: u32, draws: &mut Draws) -> [f64; 2] {
        let (before, noise) = (6.0 + draws.normal(), draws.normal());
        let change = match self {
            Kind::Falls => -0.2 - 3.0 * draws.uniform(),
            Kind::Drops(size) => noise - size,
            Kind::Stays | Kind::Unmoved => 0.0,
            Kind::TwoItems => match item {
                3 => -1.5,
                7 => -0.5,
                _ => 0.0,
            },
            Kind::Noise => noise,
            Kind::Rises => 0.2 + 2.0 * draws.uniform(),
        };
        [before, before + change]
    }
}

/// Two runs of systems that change so, and their categories.
fn two_runs(kinds: &[Kind], items: u32, categories: u32, seed: u64) -> [SideData; 2] {
    let mut draws = Draws::new(seed);
    let mut sides = [0, 1].map(|_| SideData {
        systems: (0..kinds.len())
            .map(|system| format!("s{system}"))
            .collect(),
        items: (0..items).map(|item| item_of(item, categories)).collect(),
        ..SideData::default()
    });
    for (system, kind) in (0..).zip(kinds) {
        for item in 0..items {
            let scores = kind.draw(item, &mut draws);
            for (run, side) in sides.iter_mut().enumerate() {
                let is_new = run == 1 && !matches!(kind, Kind::Stays);
                let digest = format!("{item} {system} {is_new}");
                side.responses.push(SideResponse {
                    item,
                    system,
                    digest,
                });
                side.verdicts
                    .push(SideVerdict::new(item, system, None, scores[run]));
            }
        }
    }
    sides
}

fn item_of(item: u32, categories: u32) -> SideItem {
    SideItem {
        id: item.to_string(),
        category: (categories > 0).then(|| format!("c{}", item % categories)),
        digest: Some(item.to_string()),
        question: None,
    }
}

fn compare(kinds: &[Kind], items: u32, plan: Bootstrap, seed: u64) -> Comparison {
    let [before, now] = two_runs(kinds, items, 0, seed);
    let options = CompareOptions {
        plan,
        ..CompareOptions::default()
    };
    compare_sides(&before, &now, &options).unwrap()
}

fn decide(comparison: &Comparison, text: &str) -> (GateOutcome, String) {
    let gates = parse_gates(text, &COMPARISON).unwrap();
    let found = decide_gates(&gates, comparison, GateFigures::default()).unwrap();
    (found[0].outcome, found[0].why.clone())
}

fn plan(level: f64, rounds: usize) -> Bootstrap {
    Bootstrap {
        level,
        rounds,
        ..Bootstrap::default()
    }
}

#[test]
fn a_total_regression_is_met_among_any_number_of_systems() {
    for systems in [1, 2, 11, 51, 200] {
        let plans = [(0.9, 200), (0.95, 1000), (0.99, 200), (0.99, 1000)];
        for (turn, (level, rounds)) in plans.into_iter().enumerate() {
            // Of many systems, two of the four for each plan, in turn.
            let step = if is_slow() || systems < 51 { 1 } else { 2 };
            let dummies = [Kind::Falls, Kind::Noise, Kind::Unmoved, Kind::Rises];
            for dummy in dummies.into_iter().skip(turn % step).step_by(step) {
                let mut kinds = vec![dummy; systems];
                kinds[systems / 2] = Kind::Falls;
                let comparison = compare(&kinds, 40, plan(level, rounds), 7);
                let found = decide(&comparison, "worse");
                assert_eq!(
                    found.0,
                    GateOutcome::Met,
                    "{systems} {level} {rounds} {dummy:?} {found:?}"
                );
            }
        }
    }
}

/// Whatever stands beside a system that stops the pipeline by itself, the gate is not passed; and
/// what says nothing, or is overwhelming itself, leaves it met.
#[test]
fn no_dummy_lets_a_regression_through() {
    for seed in 0..12 {
        for (turn, level) in [0.9, 0.95, 0.99].into_iter().enumerate() {
            let drop = Kind::Drops(0.35 + f64::from(seed as u32) / 20.0);
            let alone = decide(&compare(&[drop], 40, plan(level, 200), seed), "worse");
            if alone.0 != GateOutcome::Met {
                continue;
            }
            // One count for each level, in turn over the seeds.
            let step = if is_slow() { 1 } else { 3 };
            let counts = [1, 10, 60].into_iter().skip((seed as usize + turn) % step);
            for count in counts.step_by(step) {
                for dummy in [
                    Kind::Stays,
                    Kind::Unmoved,
                    Kind::TwoItems,
                    Kind::Rises,
                    Kind::Noise,
                ] {
                    let mut kinds = vec![drop];
                    kinds.resize(1 + count, dummy);
                    let found = decide(&compare(&kinds, 40, plan(level, 200), seed), "worse");
                    let told = format!("{seed} {level} {count} {dummy:?}: {found:?}");
                    match dummy {
                        Kind::Noise => {
                            assert_ne!(found.0, GateOutcome::Passed, "{told}");
                            let said =
                                found.0 == GateOutcome::Met || found.1.contains("alone it would");
                            assert!(said, "{told}");
                        }
                        _ => assert_eq!(found.0, GateOutcome::Met, "{told}"),
                    }
                }
            }
        }
    }
}

#[test]
fn more_categories_let_nothing_through() {
    let run = |categories| {
        let [before, mut now] = two_runs(&[Kind::Unmoved, Kind::Unmoved], 96, categories, 3);
        for verdict in now
            .verdicts
            .iter_mut()
            .filter(|verdict| verdict.item % categories == 0)
        {
            verdict.value -= 1.0 + f64::from(verdict.item) / 50.0;
        }
        compare_sides(&before, &now, &CompareOptions::default()).unwrap()
    };
    for categories in [2, 4, 8, 12] {
        let comparison = run(categories);
        for text in [
            "worse in any",
            "worse(s0) in any",
            "worse in c0",
            "worse(s1) in c0",
        ] {
            assert_eq!(
                decide(&comparison, text).0,
                GateOutcome::Met,
                "{text} {categories}"
            );
        }
        assert_eq!(decide(&comparison, "worse in c1").0, GateOutcome::Passed);
    }
}

/// The interval is of one system alone, and the p-value beside it too; the corrected one says for
/// how many it is.
#[test]
fn a_corrected_p_value_says_so() {
    let kinds = [vec![Kind::Drops(0.3)], vec![Kind::Noise; 29]].concat();
    let comparison = compare(&kinds, 60, plan(0.95, 200), 5);
    let (_, why) = decide(&comparison, "worse");
    let own = |text: &str| decide(&comparison, text).1;
    assert!(why.contains(" corrected for 30 systems)"), "{why}");
    let named = why.split(':').next().unwrap().to_string();
    let alone = own(&format!("worse({named})"));
    assert!(!alone.contains("corrected"), "{alone}");
    let figures = alone.split(')').next().unwrap();
    assert!(why.starts_with(figures), "{why} | {alone}");
}

#[test]
fn a_harmless_change_of_few_items_is_decided() {
    for items in [10, 40, 200] {
        let comparison = compare(&[Kind::TwoItems, Kind::Unmoved], items, plan(0.95, 200), 1);
        let found = decide(&comparison, "worse");
        assert_eq!(found.0, GateOutcome::Passed, "{items}: {found:?}");
        let change = comparison.systems[0].change();
        assert_eq!((change.p_value, change.down), (Some(0.5), 2));
        assert!(
            change
                .interval
                .is_some_and(|[low, high]| low < 0.0 && high > 0.0)
        );
    }
}

/// A condition that so few items can never meet is not passed.
#[test]
fn what_could_not_be_met_is_not_decided() {
    for (items, systems, level) in [(5, 1, 0.95), (7, 1, 0.99), (8, 40, 0.95)] {
        let comparison = compare(&vec![Kind::Noise; systems], items, plan(level, 200), 5);
        let (outcome, why) = decide(&comparison, "worse");
        assert_eq!(
            outcome,
            GateOutcome::Inconclusive(None),
            "{items} {systems}: {why}"
        );
        assert!(why.contains("items nothing can be found"), "{why}");
    }
}

/// Counts questions, whatever the number of their items, for each condition on what a test finds.
#[test]
fn what_so_few_questions_could_not_show_is_not_decided() {
    for (questions, each) in [(1, 30), (2, 3), (5, 1), (5, 8), (6, 1), (6, 4)] {
        let of_kind = |kind: Kind| {
            let sides = two_runs(&[kind], questions * each, 0, 3).map(|mut side| {
                for (at, item) in (0..).zip(&mut side.items) {
                    item.question = Some(at % questions);
                }
                side
            });
            let options = CompareOptions {
                plan: plan(0.95, 200),
                ..CompareOptions::default()
            };
            compare_sides(&sides[0], &sides[1], &options).unwrap()
        };
        let (fallen, unchanged) = (of_kind(Kind::Falls), of_kind(Kind::Stays));
        for (comparison, text) in [
            (&fallen, "worse"),
            (&fallen, "worse(s0,0.01)"),
            (&fallen, "inferior(s0,s0,0.01)"),
            (&fallen, "difference(s0,s0).p<0.05"),
            (&fallen, "difference(s0,s0).high<0"),
            (&unchanged, "drift"),
        ] {
            let (outcome, why) = decide(comparison, text);
            let is_open = matches!(outcome, GateOutcome::Inconclusive(_));
            let told = format!("{questions} x {each}: {text}: {outcome:?}, {why}");
            assert_eq!(is_open, questions < 6, "{told}");
        }
    }
}

/// How often `worse` is met, or is not decided, where no system is worse.
#[test]
fn equal_systems_seldom_stop_a_pipeline() {
    let seeds: u64 = if is_slow() { 1000 } else { 60 };
    println!(
        "no system is worse, 40 items: met (standard error), not decided, of {seeds} data sets"
    );
    for systems in [1, 2, 10, 50, 200] {
        let (mut met, mut open) = (0.0, 0.0);
        let seeds = if systems > 10 { seeds / 5 } else { seeds };
        for seed in 0..seeds {
            let comparison = compare(&vec![Kind::Noise; systems], 40, plan(0.95, 200), 900 + seed);
            match decide(&comparison, "worse").0 {
                GateOutcome::Met => met += 1.0 / seeds as f64,
                GateOutcome::Inconclusive(_) => open += 1.0 / seeds as f64,
                GateOutcome::Passed => {}
            }
        }
        let error = (met * (1.0 - met) / seeds as f64).sqrt();
        println!("{systems:>4} systems: met {met:.3} ({error:.3}), not decided {open:.3}");
        let promised = (0.025 * 0.975 / seeds as f64).sqrt();
        assert!(met <= 0.05 + 3.0 * promised, "{systems}: {met}");
    }
}
