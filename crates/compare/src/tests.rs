use super::gate::{COMPARISON, GateFigures, GateOutcome, decide_gates, parse_gates};
use super::*;

const SYSTEMS: [&str; 3] = ["v1", "v2", "other"];

fn items(count: u32, category: impl Fn(u32) -> Option<&'static str>) -> Vec<SideItem> {
    let item = |place: u32| SideItem {
        id: format!("q{place}"),
        question: None,
        category: category(place).map(String::from),
        digest: Some(format!("text{place}")),
    };
    (0..count).map(item).collect()
}

/// A side on which each system has one response to each item, of this generation.
fn side(count: u32, generation: impl Fn(u32, u32) -> u32) -> SideData {
    let mut side = SideData {
        source: "a run".into(),
        items: items(count, |_| None),
        systems: SYSTEMS.map(String::from).to_vec(),
        ..SideData::default()
    };
    for item in 0..count {
        for system in 0..3 {
            side.responses.push(SideResponse {
                item,
                system,
                digest: format!("{item} {system} {}", generation(item, system)),
            });
        }
    }
    side
}

fn score(side: &mut SideData, item: u32, system: u32, value: f64) {
    side.verdicts
        .push(SideVerdict::new(item, system, None, value));
}

fn pair(side: &mut SideData, item: u32, [first, second]: [u32; 2], value: f64) {
    side.verdicts.push(SideVerdict {
        trial: Some(side.verdicts.len() as u64),
        ..SideVerdict::new(item, first, Some(second), value)
    });
}

/// Scores around 5 that differ by item; `change` for v2, whose answers are new, `drift` for all.
fn scored(count: u32, new: bool, change: f64, drift: f64) -> SideData {
    let mut side = side(count, |_, system| u32::from(new && system == 1));
    let wave = |i: u32| f64::from(i * 37 % 11) / 11.0 - 0.5;
    for item in 0..count {
        for system in 0..3 {
            let own = if system == 1 { change } else { 0.0 };
            let noise = if new {
                wave(item * 3 + system)
            } else {
                wave(item * 7 + system)
            };
            score(
                &mut side,
                item,
                system,
                5.0 + wave(item) + noise + own + drift,
            );
        }
    }
    side
}

fn only(name: &str) -> CompareOptions {
    CompareOptions {
        systems: vec![name.into()],
        ..CompareOptions::default()
    }
}

#[test]
fn sides_without_a_name_in_common_are_told_to_keep_names() {
    let (before, mut now) = (side(8, |_, _| 0), side(8, |_, _| 0));
    let told = |now: &SideData| pairing::nothing_paired([&before, now]).to_string();
    assert!(!told(&now).contains("No system"), "{}", told(&now));
    now.systems = ["a", "b", "c"].map(String::from).to_vec();
    let told = told(&now);
    assert!(
        told.contains("No system has the same name in both") && told.contains("takes the calls"),
        "{told}"
    );
}

/// Whether the current side is significantly lower.
fn is_worse(change: &Change) -> bool {
    change.difference < 0.0 && change.p_value.unwrap() < 0.05
}

#[test]
fn a_change_is_found_and_the_judge_is_not_accused() {
    let (before, now) = (scored(60, false, 0.0, 0.0), scored(60, true, 1.0, 0.0));
    let found = compare_sides(&before, &now, &only("v2")).unwrap();
    let change = found.systems[0].change();
    assert!((change.difference - 1.0).abs() < 0.15, "{change:?}");
    assert!(!is_worse(change));
    assert_eq!(change.method, ChangeMethod::ControlledSignFlip);
    let drift = found.drift.unwrap();
    assert_eq!((drift.judgments, drift.items, drift.copied), (120, 60, 0));
    assert!(!drift.is_significant(0.95));
}

#[test]
fn a_stricter_judge_is_no_worse_system() {
    let (before, now) = (scored(60, false, 0.0, 0.0), scored(60, true, 0.0, -1.0));
    let found = compare_sides(&before, &now, &only("v2")).unwrap();
    let system = &found.systems[0];
    assert!(is_worse(&system.observed));
    assert!(!is_worse(system.change()), "{system:?}");
    assert!(found.drift.unwrap().is_significant(0.95));
}

#[test]
fn a_lenient_judge_hides_no_drop() {
    let (before, now) = (scored(60, false, 0.0, 0.0), scored(60, true, -1.0, 1.0));
    let found = compare_sides(&before, &now, &only("v2")).unwrap();
    let system = &found.systems[0];
    assert!(system.observed.difference.abs() < 0.15);
    assert!(is_worse(system.change()));
}

#[test]
fn what_did_not_change_is_no_change() {
    let (before, now) = (scored(60, false, 0.0, 0.0), scored(60, true, 0.0, -1.0));
    let found = compare_sides(&before, &now, &only("other")).unwrap();
    let system = &found.systems[0];
    assert_eq!((system.changed, system.change().difference), (0, 0.0));
    assert_eq!(system.change().p_value, Some(1.0));
}

#[test]
fn copied_verdicts_say_nothing_of_the_judge() {
    let (before, mut now) = (scored(30, false, 0.0, 0.0), scored(30, true, 0.0, 0.0));
    for verdict in &mut now.verdicts {
        verdict.copied = verdict.first != 1;
    }
    let found = compare_sides(&before, &now, &only("v2")).unwrap();
    let drift = found.drift.unwrap();
    assert_eq!((drift.judgments, drift.copied), (0, 60));
    assert!(found.systems[0].adjusted.is_none());
    // Nor do those of a run beside its own copy, however they were made.
    let (mut before, mut now) = (scored(30, false, 0.0, 0.0), scored(30, true, 0.0, 0.0));
    before.begun = Some(7);
    for (begun, judgments) in [(None, 60), (Some(8), 60), (Some(7), 0)] {
        now.begun = begun;
        let drift = compare_sides(&before, &now, &only("v2"))
            .unwrap()
            .drift
            .unwrap();
        assert_eq!((drift.judgments, drift.copied), (judgments, 60 - judgments));
    }
}

#[test]
fn anchors_alone_speak_for_the_judge_where_they_are_named() {
    let (before, now) = (scored(60, false, 0.0, 0.0), scored(60, true, 0.0, 0.0));
    let options = CompareOptions {
        anchors: (0..12).map(|place| format!("q{place}")).collect(),
        ..only("v2")
    };
    let found = compare_sides(&before, &now, &options).unwrap();
    assert_eq!((found.anchors, found.items), (12, 48));
    assert_eq!(found.systems[0].observed.items, 48);
    assert_eq!(found.drift.unwrap().items, 12);
    let options = CompareOptions {
        anchors: vec!["elsewhere".into()],
        ..CompareOptions::default()
    };
    let refusal = compare_sides(&before, &now, &options)
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("none of the 1 items"), "{refusal}");
}

#[test]
fn items_are_found_by_content_and_rewritten_ones_are_left_out() {
    let (mut before, mut now) = (scored(30, false, 0.0, 0.0), scored(30, true, 0.0, 0.0));
    now.items[3].id = "renamed".into();
    before.items[4].digest = Some("another text".into());
    let found = compare_sides(&before, &now, &only("v2")).unwrap();
    assert_eq!((found.items, found.rewritten), (29, 1));
}

#[test]
fn two_systems_of_one_run_are_compared_head_to_head() {
    let mut run = side(40, |_, _| 0);
    for item in 0..40 {
        let won = f64::from(u8::from(item % 8 != 0));
        pair(&mut run, item, [1, 0], won);
        pair(&mut run, item, [0, 1], 1.0 - won);
    }
    let options = CompareOptions {
        pair: Some(["v1".into(), "v2".into()]),
        ..CompareOptions::default()
    };
    let found = compare_within(&run, &options).unwrap();
    let change = found.systems[0].change();
    assert_eq!((change.up, change.down, change.difference), (35, 5, 0.375));
    assert_eq!(change.method, ChangeMethod::SignTest);
    let first = &found.systems[0].by_item[0];
    assert_eq!([first.verdicts, first.agreeing], [2, 2]);
}

#[test]
fn shares_are_against_opponents_that_did_not_change() {
    let mut before = side(20, |_, _| 0);
    // The opponent's answers to the last five items are new.
    let mut now = side(20, |item, system| u32::from(system == 1 || item >= 15));
    for item in 0..20 {
        pair(&mut before, item, [1, 2], 0.0);
        pair(&mut now, item, [1, 2], f64::from(u8::from(item >= 10)));
    }
    let found = compare_sides(&before, &now, &only("v2")).unwrap();
    let system = &found.systems[0];
    assert_eq!(
        (system.measure, system.observed.items),
        (Measure::WinShare, 15)
    );
    assert_eq!((system.observed.up, system.observed.down), (5, 0));
}

#[test]
fn categories_that_differ_are_named() {
    let topics = |place| Some(if place % 2 == 0 { "writing" } else { "code" });
    let (mut before, mut now) = (scored(80, false, 0.0, 0.0), scored(80, true, 0.0, 0.0));
    before.items = items(80, topics);
    now.items = items(80, topics);
    for verdict in &mut now.verdicts {
        if verdict.first == 1 && verdict.item % 2 == 0 {
            verdict.value -= 1.0;
        }
    }
    let found = compare_sides(&before, &now, &only("v2")).unwrap();
    let system = &found.systems[0];
    let interaction = system.interaction.as_ref().unwrap().as_ref().unwrap();
    assert!(interaction.p_value < 0.01);
    let worse = |name: &str| {
        let mut all = system.categories.iter();
        let one = all.find(|one| one.category == name).unwrap();
        is_worse(&one.change)
    };
    assert!(worse("writing") && !worse("code"));
    for (text, outcome) in [
        ("worse in any", GateOutcome::Met),
        ("worse(v2) in code", GateOutcome::Passed),
        ("worse(v2,v2) in writing", GateOutcome::Met),
    ] {
        assert_eq!(decide(&found, text), outcome, "{text}");
    }
    let gates = parse_gates("worse in poetry", &COMPARISON).unwrap();
    let refusal = decide_gates(&gates, &found, GateFigures::default()).unwrap_err();
    assert!(refusal.to_string().contains("writing, code"), "{refusal}");
}

fn decide(comparison: &Comparison, text: &str) -> GateOutcome {
    let gates = parse_gates(text, &COMPARISON).unwrap();
    decide_gates(&gates, comparison, GateFigures::default()).unwrap()[0].outcome
}

#[test]
fn gates_pass_are_met_or_are_not_decided() {
    let (before, now) = (scored(60, false, 0.0, 0.0), scored(60, true, -0.3, 0.0));
    let mut found = compare_sides(&before, &now, &only("v2")).unwrap();
    (found.failures, found.verdicts) = ([0, 10], 90);
    for (text, outcome) in [
        ("worse(v2)", GateOutcome::Met),
        ("worse(v2,v2,0.25)", GateOutcome::Passed),
        ("worse(v2,v2,0.05)", GateOutcome::Met),
        ("inferior(v2,v2,1)", GateOutcome::Passed),
        ("inferior(v2,v2,0.05)", GateOutcome::Met),
        ("difference(v2,v2)<-0.1", GateOutcome::Met),
        ("difference(v2,v2).high>0", GateOutcome::Passed),
        ("difference(v2,v2).p<0.05", GateOutcome::Met),
        // Each was judged once, and some scores differ: noise, or a change.
        ("drift", GateOutcome::Inconclusive(None)),
        ("coverage<0.95", GateOutcome::Met),
        ("failures>10", GateOutcome::Passed),
        ("items<60", GateOutcome::Passed),
        ("cost>1", GateOutcome::Inconclusive(None)),
    ] {
        assert_eq!(decide(&found, text), outcome, "{text}");
    }
    let open = decide(&found, "inferior(v2,v2,0.3)");
    assert!(
        matches!(open, GateOutcome::Inconclusive(Some(more)) if more > 60),
        "{open:?}"
    );
}

/// All scores are the best of the scale: where it is known, none of 40 answers fell, and one in
/// eleven might have, to the worst.
#[test]
fn answers_at_the_top_of_a_known_scale_might_have_fallen_far() {
    let low_end = |range: Option<[f64; 2]>| {
        let sides = [false, true].map(|new| {
            let mut side = side(40, |_, system| u32::from(new && system == 1));
            side.score_range = range;
            for item in 0..40 {
                (0..3).for_each(|system| score(&mut side, item, system, 10.0));
            }
            side
        });
        let found = compare_sides(&sides[0], &sides[1], &only("v2")).unwrap();
        found.systems[0].observed.interval.unwrap()[0]
    };
    let share = 1.0 - 0.025_f64.powf(1.0 / 40.0);
    for (range, width) in [
        (None, 1.0),
        (Some([1.0, 10.0]), 9.0),
        (Some([0.0, 10.0]), 10.0),
    ] {
        let low = low_end(range);
        assert!((low + width * share).abs() < 1e-9, "{range:?}: {low}");
    }
}

/// Ten answers that did not change cannot rule out that a judge changed on one in five; a model of
/// this machine, asked in the same way, cannot have changed.
#[test]
fn what_few_unchanged_answers_cannot_show_is_neither_a_change_nor_a_pass() {
    let told = |unchanged: u32, judges: [&str; 2]| {
        let [before, now] = [0, 1].map(|generation| {
            let new = |item: u32, _| if item < unchanged { 0 } else { generation };
            let mut side = side(60, new);
            for item in 0..60 {
                let falls = generation == 1 && (unchanged..unchanged + 13).contains(&item);
                score(&mut side, item, 1, if falls { 6.0 } else { 8.0 });
            }
            let judge = judges[generation as usize].to_owned();
            side.settings.insert("judge".into(), judge);
            side
        });
        compare_sides(&before, &now, &only("v2")).unwrap()
    };
    let served = ["openai:m@http://host/v1"; 2];
    let few = told(10, served);
    let change = few.systems[0].change();
    assert!(change.judge_in_doubt && change.p_value.is_some_and(|p| p > 0.05));
    assert!(
        change
            .undefined
            .as_ref()
            .unwrap()
            .contains("10 unchanged answers")
    );
    assert_eq!([change.up, change.down], [0, 13]);
    for gate in ["worse", "worse(v2,v2)", "difference(v2,v2).p<0.05"] {
        assert_eq!(
            decide(&few, gate),
            GateOutcome::Inconclusive(None),
            "{gate}"
        );
    }
    let two = "simulated:gap=1\nsimulated:gap=2";
    for (unchanged, judges, expected) in [
        (40, served, GateOutcome::Met),
        (10, ["simulated:gap=1"; 2], GateOutcome::Met),
        (10, [two; 2], GateOutcome::Met),
        (
            10,
            ["simulated:gap=1", two],
            GateOutcome::Inconclusive(None),
        ),
    ] {
        let found = told(unchanged, judges);
        assert_eq!(decide(&found, "worse"), expected, "{unchanged} {judges:?}");
    }
}

#[test]
fn a_baseline_says_what_its_run_said() {
    let (mut before, now) = (scored(30, false, 0.0, 0.0), scored(30, true, 0.5, 0.0));
    before.begun = Some(1_793_000_000_123_456);
    for verdict in &mut before.verdicts {
        verdict.value = side::round_value(verdict.value);
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("baseline.json");
    std::fs::write(&file, baseline_text(&before).unwrap()).unwrap();
    let mut read = read_side(&file, &SideReading::default()).unwrap();
    read.source.clone_from(&before.source);
    assert_eq!(read, before);
    let options = only("v2");
    let [one, other] = [&before, &read].map(|side| compare_sides(side, &now, &options).unwrap());
    assert_eq!(one, other);
    std::fs::write(
        &file,
        baseline_text(&before)
            .unwrap()
            .replace("baseline 1", "baseline 9"),
    )
    .unwrap();
    let refusal = read_side(&file, &SideReading::default())
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("save it again"), "{refusal}");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let refuse = |one: &SideData, other: &SideData, options: &CompareOptions| {
        compare_sides(one, other, options).unwrap_err().to_string()
    };
    let (before, now) = (scored(30, false, 0.0, 0.0), scored(30, true, 0.0, 0.0));
    let mut pairs = side(30, |_, _| 0);
    pair(&mut pairs, 0, [0, 1], 1.0);
    let told = refuse(&before, &pairs, &CompareOptions::default());
    assert!(told.contains("scores") && told.contains("pairs"), "{told}");
    let told = refuse(&before, &now, &only("v9"));
    assert!(told.contains("v1, v2, other"), "{told}");
    let mut elsewhere = now.clone();
    for item in &mut elsewhere.items {
        *item = SideItem {
            id: format!("other {}", item.id),
            ..SideItem::default()
        };
    }
    let told = refuse(&before, &elsewhere, &CompareOptions::default());
    assert!(told.contains("no item in common"), "{told}");
    let told = compare_within(&before, &CompareOptions::default())
        .unwrap_err()
        .to_string();
    assert!(told.contains("`pair` OLD,NEW"), "{told}");
}
