//! What is not there is not a pass: properties over sides from which things are taken at random,
//! and the rules case by case.

use super::gate::{COMPARISON, GateFigures, GateOutcome, decide_gates, parse_gates};
use super::*;
use evenhand_store::{RunProgress, RunState};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Scores of systems `s0`, `s1`, .. on items `q0`, `q1`, ..; `value` says which.
fn scored(systems: u32, items: u32, value: impl Fn(u32, u32) -> f64) -> SideData {
    let mut side = SideData {
        source: "now".into(),
        items: (0..items)
            .map(|item| SideItem {
                id: format!("q{item}"),
                ..SideItem::default()
            })
            .collect(),
        systems: (0..systems).map(|system| format!("s{system}")).collect(),
        ..SideData::default()
    };
    for item in 0..items {
        for system in 0..systems {
            side.verdicts.push(SideVerdict {
                trial: Some(side.verdicts.len() as u64),
                ..SideVerdict::new(item, system, None, value(item, system))
            });
        }
    }
    side
}

fn score(item: u32, system: u32) -> f64 {
    f64::from((item * 37 + system * 11) % 10)
}

/// Takes a verdict away: as if it had failed, or was never there.
fn lose(side: &mut SideData, item: u32, system: u32, fails: bool) {
    let is_lost = |one: &SideVerdict| one.item == item && one.first == system;
    if !side.verdicts.iter().any(is_lost) {
        return;
    }
    side.verdicts.retain(|one| !is_lost(one));
    if fails {
        side.failures += 1;
        side.failed.push(SideFailure {
            item,
            systems: vec![system],
        });
    }
}

fn outcomes(comparison: &Comparison, gates: &str, allow_missing: bool) -> Vec<GateOutcome> {
    let gates = parse_gates(gates, &COMPARISON).unwrap();
    let figures = GateFigures {
        allow_missing,
        cost: None,
    };
    let results = decide_gates(&gates, comparison, figures).unwrap();
    results.iter().map(|result| result.outcome).collect()
}

fn compare(before: &SideData, now: &SideData) -> Comparison {
    let options = CompareOptions {
        plan: Bootstrap {
            rounds: 99,
            ..Bootstrap::default()
        },
        ..CompareOptions::default()
    };
    compare_sides(before, now, &options).unwrap()
}

const OPEN: GateOutcome = GateOutcome::Inconclusive(None);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The slow twin: the cells of the baseline and of the current side, counted one by one. What
    /// is missing turns a pass into "not decided", and nothing else into anything.
    #[test]
    fn what_is_missing_turns_a_pass_alone(
        systems in 2_u32..5,
        items in 6_u32..30,
        drop in -3.0_f64..1.0,
        lost in prop::collection::vec((0_u32..30, 0_u32..5, any::<bool>()), 0..60),
        lost_before in prop::collection::vec((0_u32..30, 0_u32..5), 0..6),
    ) {
        let mut before = scored(systems, items, score);
        let mut now = scored(systems, items, |item, system| {
            score(item, system) + drop + f64::from(item * 7 % 5) / 5.0
        });
        for (item, system, fails) in lost {
            lose(&mut now, item, system, fails);
        }
        for (item, system) in lost_before {
            lose(&mut before, item, system, true);
        }
        let cells = |side: &SideData| -> BTreeSet<(u32, u32)> {
            side.verdicts.iter().map(|one| (one.item, one.first)).collect()
        };
        let (then, current) = (cells(&before), cells(&now));
        prop_assume!(!then.is_disjoint(&current));
        let found = compare(&before, &now);
        let all = (systems * items) as usize;
        let both = then.intersection(&current).count();
        let missing: usize = found.missing.systems.iter().map(ComparedItems::missing).sum();
        // Of these, as failed count those of which either side knows a judgment without a verdict.
        let failures = before.failed.iter().chain(&now.failed);
        let failed: BTreeSet<(u32, u32)> =
            failures.map(|one| (one.item, one.systems[0])).collect();
        let compared: BTreeSet<(u32, u32)> = then.intersection(&current).copied().collect();
        let known: usize = found.missing.systems.iter().map(|one| one.failed).sum();
        prop_assert_eq!(known, failed.difference(&compared).count());
        prop_assert_eq!(missing, all - both);
        prop_assert_eq!(found.missing.is_empty(), both == all);
        let judged = now.verdicts.len() as f64 / (now.verdicts.len() as f64 + now.failures as f64);
        let expected = judged.min(both as f64 / all as f64);
        prop_assert!((found.coverage().unwrap() - expected).abs() < 1e-12);
        let least = (0..systems)
            .map(|system| {
                let on = |item: &u32| then.contains(&(*item, system)) && current.contains(&(*item, system));
                (0..items).filter(on).count()
            })
            .min()
            .unwrap();
        // `items<0` is refused: nothing could meet it.
        prop_assume!(least > 0);
        let bound = format!("items<{least},items<={least},coverage<{expected}");
        prop_assert_eq!(
            outcomes(&found, &bound, false),
            [GateOutcome::Passed, GateOutcome::Met, GateOutcome::Passed]
        );
        for gate in ["worse", "worse(s0)", "inferior(s1,s1,0.5)", "difference(s0,s0)<-1"] {
            let there = outcomes(&found, gate, true)[0];
            let said = outcomes(&found, gate, false)[0];
            let own = match gate {
                "worse" => 0..systems,
                "worse(s0)" | "difference(s0,s0)<-1" => 0..1,
                _ => 1..2,
            };
            let lacks = own.into_iter().any(|system| (0..items).any(|item| {
                !then.contains(&(item, system)) || !current.contains(&(item, system))
            }));
            match (there, lacks) {
                (GateOutcome::Met, _) | (_, false) => prop_assert_eq!(said, there, "{}", gate),
                (_, true) => prop_assert_eq!(said, OPEN, "{}", gate),
            }
        }
    }
}

fn progress(planned: Option<u64>, judgments: u64, state: RunState) -> RunProgress {
    RunProgress {
        planned,
        judgments,
        verdicts: judgments,
        state,
    }
}

#[test]
fn a_system_that_is_gone_is_named_and_no_pass() {
    let before = scored(2, 40, score);
    let mut now = scored(1, 40, score);
    now.systems.push("new".into());
    let found = compare(&before, &now);
    assert_eq!(
        found.missing.sentence().unwrap(),
        "s1 on all 40 items (the system is gone)"
    );
    let gates = "worse,worse(s1),worse(s0),inferior(s1,s1,1),coverage<0.95,items<40,failures>0";
    let expected = [
        OPEN,
        OPEN,
        GateOutcome::Passed,
        OPEN,
        GateOutcome::Met,
        GateOutcome::Met,
        GateOutcome::Passed,
    ];
    assert_eq!(outcomes(&found, gates, false), expected);
    // Of a system that is gone nothing can be decided by what is there.
    assert_eq!(outcomes(&found, "worse(s1)", true), [OPEN]);
    // A condition on the one that is there rests on its items alone.
    let own = outcomes(&found, "worse(s0),items<40", false);
    assert_eq!(own, [GateOutcome::Passed, GateOutcome::Passed]);
    // Left out on purpose, it is not missed; nor is a system that is new.
    let options = CompareOptions {
        systems: vec!["s0".into()],
        ..CompareOptions::default()
    };
    let chosen = compare_sides(&before, &now, &options).unwrap();
    assert!(chosen.missing.is_empty());
    let back = compare(&now, &before);
    assert!(back.missing.is_empty(), "{:?}", back.missing);
}

#[test]
fn a_system_without_any_verdict_now_is_missed_too() {
    let before = scored(2, 12, score);
    let mut now = scored(2, 12, score);
    for item in 0..12 {
        lose(&mut now, item, 1, item % 2 == 0);
    }
    let found = compare(&before, &now);
    assert_eq!(found.systems.len(), 1);
    assert_eq!(found.missing.sentence().unwrap(), "s1 on all 12 items");
    assert_eq!(
        outcomes(&found, "worse(s1),items<1", false),
        [OPEN, GateOutcome::Met]
    );
}

#[test]
fn a_run_that_is_not_at_its_end_is_no_pass_on_either_side() {
    for (run, says) in [
        (
            progress(Some(360), 135, RunState::Stopped),
            "now has 135 of 360 judgments (stopped)",
        ),
        (
            progress(Some(360), 135, RunState::Running),
            "now has 135 of 360 judgments (running)",
        ),
        (
            progress(None, 135, RunState::Stopped),
            "now has 135 judgments and is not at its end (stopped)",
        ),
        (
            progress(None, 135, RunState::Unknown),
            "it is not known how many judgments were planned in now",
        ),
    ] {
        let whole = scored(2, 40, score);
        let part = SideData {
            run: Some(run),
            ..whole.clone()
        };
        for found in [compare(&whole, &part), compare(&part, &whole)] {
            let sentence = found.missing.sentence().unwrap();
            assert!(sentence.starts_with(says), "{sentence}");
            assert_eq!(outcomes(&found, "worse,drift", false), [OPEN, OPEN]);
            assert_eq!(
                outcomes(&found, "worse,drift", true)[0],
                GateOutcome::Passed
            );
        }
        let found = compare(&whole, &part);
        let coverage = outcomes(&found, "coverage<0.95,failures>0", false);
        match run.planned {
            Some(_) => assert_eq!(found.coverage(), Some(135.0 / 360.0)),
            None => assert_eq!(coverage[0], OPEN),
        }
        assert_eq!(coverage[1], OPEN);
    }
    let whole = SideData {
        run: Some(progress(Some(80), 80, RunState::Complete)),
        ..scored(2, 40, score)
    };
    assert!(compare(&whole, &whole).missing.is_empty());
}

/// Pairs of `a` and `b` in both orders; those of an item from `judged` on come to no verdict.
fn pairs(items: u32, judged: u32, is_known: bool) -> SideData {
    let mut side = scored(2, items, score);
    side.verdicts.clear();
    for item in 0..items {
        for [first, second] in [[0, 1], [1, 0]] {
            if item < judged {
                side.verdicts.push(SideVerdict {
                    trial: Some(side.verdicts.len() as u64),
                    ..SideVerdict::new(item, first, Some(second), 0.5)
                });
                continue;
            }
            side.failures += 1;
            if is_known {
                side.failed.push(SideFailure {
                    item,
                    systems: vec![first, second],
                });
            }
        }
    }
    side
}

#[test]
fn judgments_without_a_verdict_count_against_two_systems_of_one_run() {
    let within = |side: &SideData| compare_within(side, &CompareOptions::default()).unwrap();
    let found = within(&pairs(40, 8, true));
    assert_eq!(
        found.missing.sentence().unwrap(),
        "s1 against s0 on 32 of 40 items"
    );
    let gates = "worse,worse(s1,s0),coverage<0.95,items<40,failures>0";
    let expected = [
        OPEN,
        OPEN,
        GateOutcome::Met,
        GateOutcome::Met,
        GateOutcome::Met,
    ];
    assert_eq!(outcomes(&found, gates, false), expected);
    // Of a run that was stopped, its texts and its design tell what is still to come.
    let mut part = pairs(8, 8, true);
    part.items = scored(2, 40, score).items;
    for item in 0..40 {
        part.responses.extend([0, 1].map(|system| SideResponse {
            item,
            system,
            digest: format!("{item} {system}"),
        }));
    }
    part.run = Some(progress(Some(80), 16, RunState::Stopped));
    part.settings.insert("design".into(), "all-pairs".into());
    let sentence = within(&part).missing.sentence().unwrap();
    assert_eq!(
        sentence,
        "s1 against s0 on 32 of 40 items; now has 16 of 80 judgments (stopped)"
    );
    part.settings.insert("design".into(), "sample:1".into());
    let sentence = within(&part).missing.sentence().unwrap();
    assert_eq!(sentence, "now has 16 of 80 judgments (stopped)");
    // What one alone has answered, as in a file of pairs, is missing in any design.
    part.run = None;
    part.responses.retain(|one| one.system == 0 || one.item < 8);
    let found = within(&part);
    assert_eq!(
        found.missing.sentence().unwrap(),
        "s1 against s0 on 32 of 40 items"
    );
    assert_eq!(outcomes(&found, "worse(s1,s0)", false), [OPEN]);
    // Of a file it is not known whose they are.
    let found = within(&pairs(40, 8, false));
    assert_eq!(
        found.missing.sentence().unwrap(),
        "64 of 80 judgments of now came to no verdict"
    );
    assert_eq!(outcomes(&found, gates, false)[..3], expected[..3]);
    // One order of two says nothing of systems: the item is missing.
    let mut one = pairs(40, 40, true);
    one.verdicts.remove(0);
    one.failures = 1;
    one.failed.push(SideFailure {
        item: 0,
        systems: vec![0, 1],
    });
    let found = within(&one);
    assert_eq!(
        found.missing.sentence().unwrap(),
        "s1 against s0 on 1 of 40 items"
    );
    assert_eq!(found.coverage(), Some(39.0 / 40.0));
    assert_eq!(outcomes(&found, "worse", false), [OPEN]);
    assert_eq!(outcomes(&found, "worse", true), [GateOutcome::Passed]);
}

#[test]
fn a_regression_that_shows_already_is_met_whatever_is_missing() {
    let before = scored(3, 40, |_, _| 7.0);
    let mut now = scored(2, 40, |item, _| if item % 2 == 0 { 3.0 } else { 3.5 });
    for item in 12..40 {
        lose(&mut now, item, 0, true);
    }
    now.run = Some(progress(Some(500), 92, RunState::Stopped));
    let found = compare(&before, &now);
    let gates = "worse,worse(s0),inferior(s0,s0,1),difference(s0,s0)<-1";
    assert_eq!(outcomes(&found, gates, false), [GateOutcome::Met; 4]);
}

#[test]
fn an_opponent_whose_answer_changed_leaves_nothing_missing() {
    // `s0` is compared by its share against `s1` and `s2`; the answer of `s1` is another now.
    let side = |generation: u32| {
        let mut side = scored(3, 20, score);
        side.verdicts.clear();
        for item in 0..20 {
            for second in [1, 2] {
                side.verdicts
                    .push(SideVerdict::new(item, 0, Some(second), 0.5));
            }
            for system in 0..3 {
                let own = if system == 1 { generation } else { 0 };
                side.responses.push(SideResponse {
                    item,
                    system,
                    digest: format!("{item} {system} {own}"),
                });
            }
        }
        side
    };
    let found = compare(&side(0), &side(1));
    let s0 = found
        .missing
        .systems
        .iter()
        .find(|one| one.baseline == "s0");
    assert_eq!(s0.map(|one| (one.expected, one.compared)), Some((20, 20)));
}

#[test]
fn anchors_that_are_lost_leave_drift_undecided() {
    let side = scored(1, 30, score);
    let mut now = scored(1, 30, score);
    now.items.truncate(28);
    now.verdicts.retain(|one| one.item < 28);
    let options = CompareOptions {
        anchors: (10..30).map(|item| format!("q{item}")).collect(),
        ..CompareOptions::default()
    };
    let found = compare_sides(&side, &now, &options).unwrap();
    assert_eq!(found.missing.sentence().unwrap(), "2 of 20 anchors");
    assert_eq!(
        outcomes(&found, "drift,worse", false)[1],
        outcomes(&found, "worse", true)[0],
        "anchors are no part of a system's items"
    );
    assert_eq!(outcomes(&found, "drift", false), [OPEN]);
}

#[test]
fn many_systems_that_lack_the_same_are_told_in_one_part() {
    let before = scored(60, 10, score);
    let mut now = scored(60, 10, score);
    now.verdicts.retain(|one| one.item < 4);
    let found = compare(&before, &now);
    assert_eq!(
        found.missing.sentence().unwrap(),
        "s0, s1, s2 and 57 more systems on 6 of 10 items"
    );
}

#[test]
fn a_baseline_s_file_says_what_the_run_lacked() {
    let mut side = pairs(10, 8, true);
    side.run = Some(progress(Some(40), 20, RunState::Stopped));
    let text = baseline_text(&side).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("b.json");
    std::fs::write(&path, text).unwrap();
    let read = read_side(&path, &SideReading::default()).unwrap();
    assert_eq!((&read.failed, read.run), (&side.failed, side.run));
}
