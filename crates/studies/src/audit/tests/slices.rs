//! Findings by the value of a field: the same figures on a part of the items, and no sound judge is
//! accused for being looked at in many parts.

use super::*;
use evenhand_engine::DataOptions;
use evenhand_testing::is_slow;

/// The categories of [`data`]'s items, two.
fn by_category(options: &mut AuditOptions, items: usize) {
    let slices = ItemSlices::read(&data(items), &DataOptions::default(), "category").unwrap();
    options.by = Some(("category".into(), slices));
}

#[test]
fn slices_make_up_the_whole() {
    let probes = [Probe::Position, Probe::Distractors, Probe::Failures];
    let judge = "simulated:gap=0.5,first-slot=0.9,refuse=0.05";
    let report = run(judge, 60, |options| by_category(options, 60), &probes);
    let slices = report.slices.as_ref().unwrap();
    let values: Vec<(&str, u64)> = slices
        .parts
        .iter()
        .map(|part| (part.value.as_str(), part.questions))
        .collect();
    assert_eq!(values, [("even", 30), ("odd", 30)]);
    let mut compared = 0;
    for whole in &report.findings {
        let has_category = matches!(
            &whole.name,
            FindingName::NoVerdict { category: Some(_) }
                | FindingName::Refusals { category: Some(_) }
        );
        // Thirds by length are other thirds in each slice.
        if has_category || matches!(whole.name, FindingName::Consistency { .. }) {
            continue;
        }
        let own: Vec<&Finding> = slices
            .parts
            .iter()
            .flat_map(|part| &part.findings)
            .filter(|one| one.name == whole.name && one.protocol == whole.protocol)
            .collect();
        let sum: f64 = own
            .iter()
            .map(|one| one.figure.value.unwrap_or(0.0) * one.clusters as f64)
            .sum();
        let clusters: u64 = own.iter().map(|one| one.clusters).sum();
        assert_eq!(clusters, whole.clusters, "{}", whole.name);
        if let Some(value) = whole.figure.value.filter(|_| clusters > 0) {
            assert!(
                (value - sum / clusters as f64).abs() < 1e-9,
                "{}",
                whole.name
            );
            compared += 1;
        }
        for one in own {
            assert_eq!(one.p.is_some(), one.adjusted_p.is_some());
            assert!(one.adjusted_p.unwrap_or(1.0) >= one.p.unwrap_or(1.0));
        }
    }
    assert!(compared > 10, "{compared}");
    let tested = slices.parts.iter().flat_map(|part| &part.findings);
    assert_eq!(
        slices.tested,
        tested.filter(|one| one.p.is_some()).count() as u64
    );
    // A judge with a strong bias shows it in each.
    for part in &slices.parts {
        let first = part
            .findings
            .iter()
            .find(|one| one.name == FindingName::FirstSlot);
        assert!(first.unwrap().biased, "{}", part.value);
    }
}

#[test]
fn without_a_field_there_are_no_slices() {
    let report = run("simulated:gap=0.5", 20, |_| (), &[Probe::Position]);
    assert!(report.slices.is_none());
}

/// The share of audits that accuse a sound judge in any slice: with two categories of 20 to 200
/// questions each. A few seeds always, 200 where EVENHAND_SLOW is set.
#[test]
fn a_fair_judge_is_accused_in_any_slice_as_rarely_as_the_level_says() {
    let (seeds, sizes): (u64, &[usize]) = if is_slow() {
        (200, &[40, 100, 200])
    } else {
        (6, &[40])
    };
    let probes = [Probe::Position, Probe::Distractors, Probe::Protocols];
    for gap in ["0", "0.5"] {
        for kind in ["", ",greedy=true"] {
            for &items in sizes {
                let mut accused = 0;
                for seed in 0..seeds {
                    let judge = format!("simulated:gap={gap}{kind},seed={seed}");
                    let report = run(
                        &judge,
                        items,
                        |options| by_category(options, items),
                        &probes,
                    );
                    let slices = report.slices.unwrap();
                    let mut found = slices.parts.iter().flat_map(|part| &part.findings);
                    accused += u64::from(found.any(|one| one.biased));
                }
                println!("gap={gap}{kind}, {items} items: {accused} of {seeds} accused in a slice");
                let expected = 0.05 * seeds as f64;
                let limit = expected + 2.0 * (expected * 0.95).sqrt();
                assert!(accused as f64 <= limit.max(3.0), "{accused} of {seeds}");
            }
        }
    }
}

/// How often the intervals of slices miss what was planted: two categories, each of half of 20, 50
/// and 100 questions. 200 seeds where EVENHAND_SLOW is set, otherwise a few of the smallest, so
/// that the code is run; the counts are printed. Of 200, 0.05 and 3.3 standard errors may miss; a
/// slice without an interval says nothing, and misses nothing.
#[test]
fn intervals_of_slices_hold_what_was_planted() {
    let (seeds, most, sizes): (u64, u64, &[usize]) = match is_slow() {
        true => (200, 21, &[20, 50, 100]),
        false => (6, 5, &[20]),
    };
    for &items in sizes {
        for (defect, name, planted) in [
            ("first-slot=0.4", "first slot", 0.7),
            ("first-slot=0.4", "flips beyond neutral", 0.16),
            ("distractor=0.4", "assertive: flips beyond neutral", 0.24),
            ("gap=0", "assertive: flips beyond neutral", 0.0),
        ] {
            let probe = match name.starts_with("assertive") {
                true => Probe::Distractors,
                false => Probe::Position,
            };
            let (mut missed, mut made) = ([0; 2], [0; 2]);
            for seed in 0..seeds {
                let report = run(
                    &format!("simulated:gap=0,{defect},seed={seed}"),
                    items,
                    |options| {
                        by_category(options, items);
                        options.protocols = vec!["pairwise-tie/direct/swap".into()];
                    },
                    &[probe],
                );
                let parts = report.slices.unwrap().parts;
                assert_eq!(parts.len(), 2);
                for (at, part) in parts.iter().enumerate() {
                    let mut findings = part.findings.iter();
                    let finding = findings.find(|one| one.name.to_string() == name).unwrap();
                    assert!(finding.clusters <= items as u64 / 2);
                    if let Some([Some(low), Some(high)]) = finding.figure.ci {
                        made[at] += 1;
                        missed[at] += u64::from(planted < low || planted > high);
                    }
                }
            }
            println!(
                "{items} items, {defect}: {name}: of {made:?} intervals of two slices {missed:?} \
                 miss {planted}"
            );
            let worst = missed.into_iter().max().unwrap();
            assert!(
                worst <= most,
                "{items} {defect} {name}: {missed:?} of {made:?}"
            );
        }
    }
}
