//! Laws of the adaptive design: what holds for any outcomes, in any order.

use evenhand_stats::adaptive::{
    Adaptive, AdaptiveError, Allocation, Certified, Layout, Order, Plan, Population, StopReason,
    StopRule, Unit, Wanted,
};
use evenhand_stats::{Error, draw_clusters};
use proptest::prelude::*;

fn arms(systems: usize, items: usize, stop: StopRule, allocation: Allocation) -> Plan {
    let order = Order::random(items, Population::Finite, 3, 0).unwrap();
    Plan {
        systems,
        layout: Layout::Arms(order),
        alpha: 0.1,
        stop,
        budget: None,
        allocation,
    }
}

fn pairs(systems: usize, items: usize, stop: StopRule) -> Plan {
    let count = (systems * (systems - 1) / 2) as u64;
    let orders = (0..count)
        .map(|pair| Order::random(items, Population::Finite, 3, pair).unwrap())
        .collect();
    Plan {
        layout: Layout::Pairs(orders),
        ..arms(systems, items, stop, Allocation::Adaptive)
    }
}

/// Runs a design to its end, and calls `each` after every outcome.
fn run(
    plan: Plan,
    batch: usize,
    outcome: impl Fn(Wanted) -> f64,
    mut each: impl FnMut(&Adaptive),
) -> Adaptive {
    let mut design = Adaptive::new(plan).unwrap();
    while design.stop_reason().is_none() {
        let wanted = design.next_judgments(batch);
        assert!(
            !wanted.is_empty(),
            "a design that is not finished wants something"
        );
        for wanted in wanted {
            design
                .observe(wanted.unit, wanted.place, outcome(wanted))
                .unwrap();
            each(&design);
        }
    }
    assert!(design.next_judgments(batch).is_empty());
    design
}

fn of(table: &[Vec<f64>]) -> impl Fn(Wanted) -> f64 {
    |wanted| match wanted.unit {
        Unit::System(system) => table[system][wanted.item as usize],
        Unit::Pair(..) => panic!("arms"),
    }
}

fn table() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2usize..6, 1usize..60).prop_flat_map(|(systems, items)| {
        let row = move |lift: f64| {
            proptest::collection::vec(0.0f64..1.0, items)
                .prop_map(move |row| row.iter().map(|x| (x + lift) / 2.0).collect())
        };
        proptest::collection::vec((0.0f64..1.0).prop_flat_map(row), systems)
    })
}

fn stop() -> impl Strategy<Value = StopRule> {
    prop_oneof![
        Just(StopRule::AllPairs),
        Just(StopRule::Top(1)),
        (0.1f64..1.0).prop_map(StopRule::Share)
    ]
}

fn contains(all: &[Certified], some: &[Certified]) -> bool {
    some.iter().all(|pair| all.contains(pair))
}

proptest! {
    /// What is certified stays so, and the uniform design certifies it too when it has seen the
    /// same outcomes.
    #[test]
    fn certified_pairs_only_grow_and_need_no_adaptive_design(table in table(), stop in stop(), batch in 1usize..9) {
        let (systems, items) = (table.len(), table[0].len());
        let mut before = Vec::new();
        let design = run(arms(systems, items, stop, Allocation::Adaptive), batch, of(&table), |design| {
            let now = design.certified_pairs();
            assert!(contains(&now, &before));
            before = now;
            // No certified pair has an interval that reaches beyond 0, unless it lies there whole.
            for pair in design.pair_intervals() {
                let reaches = pair.low < 0.0 && pair.high > 0.0;
                assert!(pair.certified.is_none() || !reaches, "{pair:?}");
            }
        });
        let all = run(arms(systems, items, StopRule::AllPairs, Allocation::Uniform), 1, of(&table), |_| ());
        prop_assert!(contains(&all.certified_pairs(), &design.certified_pairs()));
        prop_assert!(design.judged() <= (systems * items) as u64);
    }

    /// The same outcomes in another order of systems certify the same pairs; a system's items stay
    /// in their order.
    #[test]
    fn the_order_of_systems_does_not_matter(table in table(), seed in 0u64..1000) {
        let (systems, items) = (table.len(), table[0].len());
        let plan = arms(systems, items, StopRule::AllPairs, Allocation::Uniform);
        let Layout::Arms(order) = plan.layout.clone() else { panic!("arms") };
        let (mut mixed, mut even) = (Adaptive::new(plan.clone()).unwrap(), Adaptive::new(plan).unwrap());
        let tell = |design: &mut Adaptive, system: usize, place: usize| {
            design.observe(Unit::System(system), place, table[system][order.places()[place].item as usize]).unwrap();
        };
        let mut ahead = vec![0; systems];
        for draw in draw_clusters(seed, 0, u32::try_from(systems * items).unwrap()) {
            let system = draw as usize % systems;
            if ahead[system] < items {
                tell(&mut mixed, system, ahead[system]);
                ahead[system] += 1;
            }
        }
        (0..systems).for_each(|system| (0..ahead[system]).for_each(|place| tell(&mut even, system, place)));
        prop_assert_eq!(mixed.certified_pairs(), even.certified_pairs());
        prop_assert_eq!(mixed.pair_intervals(), even.pair_intervals());
    }

    /// Every interval holds the mean where all has been judged, and is then a point. One without 0
    /// is certified, with a chance of at most alpha the wrong way round, for what was certified
    /// along the way is not taken back.
    #[test]
    fn intervals_close_on_the_means(table in table()) {
        let (systems, items) = (table.len(), table[0].len());
        let plan = arms(systems, items, StopRule::AllPairs, Allocation::Uniform);
        let mut design = Adaptive::new(plan.clone()).unwrap();
        let Layout::Arms(order) = plan.layout else { panic!("arms") };
        for (place, system) in (0..items).flat_map(|place| (0..systems).map(move |system| (place, system))) {
            design.observe(Unit::System(system), place, table[system][order.places()[place].item as usize]).unwrap();
        }
        let mean = |system: usize| table[system].iter().sum::<f64>() / items as f64;
        for pair in design.pair_intervals() {
            let difference = mean(pair.first) - mean(pair.second);
            let held = pair.low <= difference + 1e-12 && difference <= pair.high + 1e-12;
            prop_assert!(pair.judged == items && held, "{:?}", pair);
            prop_assert!(pair.high - pair.low < 1e-5, "{:?}", pair);
            prop_assert!((pair.low <= 0.0 && pair.high >= 0.0) || pair.certified.is_some(), "{:?}", pair);
        }
    }
}

#[test]
fn nothing_is_known_before_anything_is_judged() {
    let design = Adaptive::new(arms(3, 10, StopRule::AllPairs, Allocation::Adaptive)).unwrap();
    assert_eq!(
        (
            design.stop_reason(),
            design.judged(),
            design.certified_pairs()
        ),
        (None, 0, vec![])
    );
    assert!(design.pair_intervals().iter().all(|pair| (
        pair.low,
        pair.high,
        pair.judged,
        pair.certified
    ) == (-1.0, 1.0, 0, None)));
    let wanted = design.next_judgments(4);
    let units: Vec<Unit> = wanted.iter().map(|wanted| wanted.unit).collect();
    assert_eq!(units, [0, 1, 2, 0].map(Unit::System));
    assert!(
        wanted[0].item == wanted[1].item
            && wanted[0].item != wanted[3].item
            && wanted[3].place == 1
    );
}

#[test]
fn systems_that_are_told_apart_are_judged_no_more() {
    // The last is worst at once; the others differ on one item in ten.
    let outcome = |wanted: Wanted| match wanted.unit {
        Unit::System(2) => 0.0,
        Unit::System(system) => {
            0.9 + 0.1 * f64::from(u8::from(system == 0 && wanted.item.is_multiple_of(10)))
        }
        Unit::Pair(..) => panic!("arms"),
    };
    let mut ahead = [0usize; 3];
    let design = run(
        arms(3, 100, StopRule::AllPairs, Allocation::Adaptive),
        1,
        outcome,
        |_| (),
    );
    design
        .pair_intervals()
        .iter()
        .for_each(|pair| ahead[pair.second] = ahead[pair.second].max(pair.judged));
    assert_eq!(design.stop_reason(), Some(StopReason::Certain));
    assert!(ahead[2] < 15 && ahead[1] > 50, "{ahead:?}");
    assert_eq!(design.judged() as usize, 2 * ahead[1] + ahead[2]);
}

#[test]
fn a_circle_of_preferences_has_no_best_system() {
    // 0 beats 1, 1 beats 2, 2 beats 0.
    let outcome = |wanted: Wanted| f64::from(u8::from(wanted.unit != Unit::Pair(0, 2)));
    let circle = run(pairs(3, 30, StopRule::Top(1)), 1, outcome, |_| ());
    assert_eq!(
        (circle.stop_reason(), circle.certified_pairs().len()),
        (Some(StopReason::Exhausted), 3)
    );
    assert_eq!(
        run(pairs(3, 30, StopRule::AllPairs), 1, outcome, |_| ()).stop_reason(),
        Some(StopReason::Certain)
    );
}

#[test]
fn equal_systems_are_never_certified() {
    let table = vec![vec![0.25; 40], vec![0.25; 40], vec![0.75; 40]];
    let design = run(
        arms(3, 40, StopRule::AllPairs, Allocation::Adaptive),
        3,
        of(&table),
        |_| (),
    );
    assert_eq!(design.stop_reason(), Some(StopReason::Exhausted));
    assert_eq!(
        design.certified_pairs(),
        [
            Certified { above: 2, below: 0 },
            Certified { above: 2, below: 1 }
        ]
    );
}

#[test]
fn a_budget_is_kept() {
    let plan = Plan {
        budget: Some(7),
        ..arms(4, 40, StopRule::AllPairs, Allocation::Adaptive)
    };
    let design = run(plan, 5, |_| 0.5, |_| ());
    assert_eq!(
        (design.stop_reason(), design.judged()),
        (Some(StopReason::Budget), 7)
    );
}

#[test]
fn what_cannot_be_planned_is_said() {
    let refused = |plan: Plan| Adaptive::new(plan).unwrap_err().to_string();
    let plan = || arms(3, 5, StopRule::AllPairs, Allocation::Adaptive);
    for alpha in [0.0, 1.0, f64::NAN] {
        assert!(refused(Plan { alpha, ..plan() }).contains("alpha"));
    }
    for stop in [
        StopRule::Top(0),
        StopRule::Top(3),
        StopRule::Share(0.0),
        StopRule::Share(1.1),
        StopRule::Share(f64::NAN),
    ] {
        assert!(refused(Plan { stop, ..plan() }).contains("expected"));
    }
    assert!(
        refused(Plan {
            systems: 1,
            ..plan()
        })
        .contains("at least 2")
    );
    assert!(
        refused(Plan {
            systems: 1001,
            ..plan()
        })
        .contains("too many")
    );
    assert!(
        refused(Plan {
            systems: 4,
            ..pairs(3, 5, StopRule::AllPairs)
        })
        .starts_with("3 orders were given for 6 pairs")
    );
    let mixed = [
        Population::Finite,
        Population::Finite,
        Population::Superpopulation,
    ];
    let orders = mixed
        .iter()
        .map(|population| Order::random(5, *population, 0, 0).unwrap())
        .collect();
    assert!(
        refused(Plan {
            layout: Layout::Pairs(orders),
            ..plan()
        })
        .starts_with("order 2 is of another population")
    );
}

#[test]
fn an_outcome_that_does_not_fit_changes_nothing() {
    let mut design = Adaptive::new(arms(2, 1, StopRule::AllPairs, Allocation::Adaptive)).unwrap();
    for unit in [Unit::System(2), Unit::Pair(0, 1)] {
        assert_eq!(
            design.observe(unit, 0, 0.5),
            Err(AdaptiveError::NoSuchUnit { unit })
        );
    }
    let value = design.observe(Unit::System(0), 0, 1.5).unwrap_err();
    assert!(matches!(
        value,
        AdaptiveError::Input(Error::Value {
            row: 0,
            field: "outcome",
            ..
        })
    ));
    assert!(matches!(
        design.observe(Unit::System(0), 0, f64::NAN),
        Err(AdaptiveError::Input(Error::Value { .. }))
    ));
    let early = design
        .observe(Unit::System(0), 1, 0.5)
        .unwrap_err()
        .to_string();
    assert_eq!(
        early,
        "system 0 was judged at place 1; expected place 0 of 1 (places are numbered from 0)"
    );
    assert_eq!(design.judged(), 0);
    design.observe(Unit::System(0), 0, 0.5).unwrap();
    assert!(matches!(
        design.observe(Unit::System(0), 1, 0.5),
        Err(AdaptiveError::Place {
            expected: 1,
            places: 1,
            ..
        })
    ));
    assert_eq!(design.judged(), 1);
    let mut design = Adaptive::new(pairs(3, 1, StopRule::AllPairs)).unwrap();
    assert!(
        design.observe(Unit::Pair(1, 0), 0, 0.5).is_err()
            && design.observe(Unit::Pair(1, 2), 0, 0.5).is_ok()
    );
}
