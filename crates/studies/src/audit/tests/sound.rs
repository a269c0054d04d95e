//! Judges without a defect are not accused, and planted ones are found.
//!
//! `EVENHAND_SLOW=1` runs 100 seeds of every kind of judge and prints the tables of docs/audit.md;
//! otherwise a few seeds are run of the kinds that were accused when an audit compared unlike
//! things.

use super::*;
use evenhand_testing::{is_slow, is_slow_or_skips};

/// What answers without a cause: a judge that samples, and one that says the same whenever it is
/// asked the same.
const KINDS: [&str; 2] = ["", ",greedy=true"];

/// How many of these audits accuse the judge, and of what.
fn accused(judge: &str, items: usize, seeds: u64, probes: &[Probe]) -> (u64, Vec<String>) {
    let (mut audits, mut of) = (0, Vec::new());
    for seed in 0..seeds {
        let report = run(
            &format!("simulated:{judge},seed={seed}"),
            items,
            |_| (),
            probes,
        );
        let found = report.findings.iter().filter(|finding| finding.biased);
        let found: Vec<String> = found
            .map(|finding| format!("{}, {}", finding.name.topic(), finding.name))
            .collect();
        audits += u64::from(!found.is_empty());
        of.extend(found);
    }
    (audits, of)
}

#[test]
fn scores_of_a_fair_judge_do_not_flip_more_than_its_placebo() {
    let probes = [Probe::Distractors, Probe::Protocols];
    // One audit of twenty may accuse. Of 40 seeds each, 0 and 2 were; of three, two would be by
    // chance in less than one case of a hundred.
    for gap in ["0", "0.5"] {
        let (audits, of) = accused(&format!("gap={gap}"), 120, 3, &probes);
        assert!(audits <= 1, "gap {gap}: {of:?}");
    }
}

#[test]
fn a_judge_that_repeats_itself_is_not_accused_of_its_noise() {
    let probes = [
        Probe::Position,
        Probe::ChoiceSet,
        Probe::Transitivity,
        Probe::Leaderboard,
    ];
    for gap in ["0", "1.2"] {
        let (audits, of) = accused(&format!("gap={gap},greedy=true"), 40, 3, &probes);
        assert_eq!(audits, 0, "gap {gap}: {of:?}");
    }
}

#[test]
fn a_fair_judge_of_any_kind_is_rarely_accused() {
    if !is_slow_or_skips("100 seeds of 18 kinds of judge") {
        return;
    }
    for (gap, kind) in ["0", "0.5", "1.2"]
        .into_iter()
        .flat_map(|gap| KINDS.map(|kind| (gap, kind)))
    {
        for items in [40, 100, 200] {
            let (audits, of) = accused(&format!("gap={gap}{kind}"), items, 100, Probe::ALL);
            println!("gap={gap}{kind}, {items} items: {audits} of 100 accused, of {of:?}");
            // 5 of 100, and 3.3 standard errors.
            assert!(
                audits <= 12,
                "gap={gap}{kind}, {items} items: {audits} of 100, of {of:?}"
            );
        }
    }
}

/// To a judge that tells responses hardly apart an empty one is nearly as good as any: that is
/// weakness, which the answer says, and no bias.
#[test]
fn an_empty_answer_that_wins_accuses_no_weak_judge() {
    let (seeds, sizes) = if is_slow() {
        (100, vec![40, 100, 200])
    } else {
        (8, vec![40])
    };
    let (mut all, mut accused) = (0, 0);
    for (gap, kind) in ["0", "0.5", "1.2"]
        .into_iter()
        .flat_map(|gap| KINDS.map(|kind| (gap, kind)))
    {
        for items in &sizes {
            let (mut audits, mut weak) = (0, 0);
            for seed in 0..seeds {
                let judge = format!("simulated:gap={gap}{kind},seed={seed}");
                let report = run(&judge, *items, |_| (), &[Probe::Null]);
                audits += u64::from(report.findings.iter().any(|finding| finding.biased));
                weak += u64::from(report.answer().contains("Not counted as a bias"));
            }
            println!(
                "gap={gap}{kind}, {items} items: {audits} of {seeds} accused, {weak} said to be weak"
            );
            all += seeds;
            accused += audits;
            assert!(
                gap != "0" || weak * 10 >= (seeds - audits) * 9,
                "{weak} of {seeds}"
            );
        }
    }
    // 5 of 100 are promised.
    println!("{accused} of {all} audits accuse a judge of empty answers");
    assert!(accused <= 1 + all / 10, "{accused} of {all}");
}

#[test]
fn a_planted_defect_is_found_with_the_stated_power() {
    if !is_slow_or_skips("100 seeds of every planted defect") {
        return;
    }
    let planted = [
        ("first-slot", Probe::Position, "first slot"),
        ("distractor", Probe::Distractors, "assertive: preferred"),
        (
            "distractor",
            Probe::Distractors,
            "assertive: flips beyond neutral",
        ),
    ];
    for (defect, probe, name) in planted {
        for (size, kind) in ["0.2", "0.4"]
            .into_iter()
            .flat_map(|size| KINDS.map(|kind| (size, kind)))
        {
            for items in [40, 100, 200] {
                let judge = format!("gap=0.5,{defect}={size}{kind}");
                let (found, detectable, mean) = power(&judge, items, probe, name);
                println!(
                    "{judge}, {items} items: {name}: found in {found} of 100, mean {mean:.3}, \
                     detectable {detectable:.3}"
                );
                // What is as large as `detectable` says is found four times in five, less three
                // standard errors.
                assert!(
                    mean.abs() < detectable || found >= 68,
                    "{judge}, {items} items: {name}: {found} of 100"
                );
            }
        }
    }
}

/// Answers that keep and break constraints, as good as each other to this judge: what is planted is
/// found in rewrites that keep every verdict as often as docs/audit.md says of other data.
#[test]
fn a_taste_is_found_where_constraints_leave_little_room() {
    let seeds = if is_slow() { 100 } else { 2 };
    let planted = [
        ("distractor", Rewrite::Assertive),
        ("length", Rewrite::Filler),
        ("markdown", Rewrite::Markdown),
    ];
    for (defect, rewrite) in planted {
        let (mut found_in, mut mean) = (0, 0.0);
        for seed in 0..seeds {
            let report = constrained(
                &format!("simulated:gap=0.5,{defect}=0.4,seed={seed}"),
                rewrite,
            );
            let finding = found(
                &report,
                &format!("{}: preferred", rewrite.name()),
                "pairwise",
            );
            assert!(
                finding.items == 61 && report.rewrites[0].dropped == 0,
                "{:?}",
                report.rewrites
            );
            found_in += u64::from(finding.biased);
            mean += finding.figure.value.unwrap() / seeds as f64;
        }
        println!(
            "{defect}=0.4, {}: preferred {mean:.3}, found in {found_in} of {seeds}",
            rewrite.name()
        );
        assert!(
            (mean - 0.7).abs() < 0.1 && found_in * 10 >= seeds * 7,
            "{mean} {found_in}"
        );
    }
}

/// An audit on 61 items of the tweak set.
fn constrained(judge: &str, rewrite: Rewrite) -> AuditReport {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(judge, &[Probe::Distractors], &dir.path().join("run"));
    (options.rewrites, options.protocols) =
        (vec![rewrite], vec!["pairwise-tie/direct/swap".into()]);
    audit(&tweak_set(61), None, &options, &mut Silent).unwrap()
}

/// In how many of 100 audits a finding is, what could have been found on average, and the mean
/// distance from no defect.
fn power(judge: &str, items: usize, probe: Probe, name: &str) -> (u64, f64, f64) {
    let (mut found_in, mut detectable, mut distance) = (0, 0.0, 0.0);
    for seed in 0..100 {
        let report = run(
            &format!("simulated:{judge},seed={seed}"),
            items,
            |_| (),
            &[probe],
        );
        let finding = found(&report, name, "pairwise");
        found_in += u64::from(finding.biased);
        detectable += finding.detectable.unwrap_or(1.0) / 100.0;
        distance += (finding.figure.value.unwrap() - finding.unbiased.unwrap()) / 100.0;
    }
    (found_in, detectable, distance)
}

/// Every figure of order, circles and reversals is tested twice, and sound judges are accused no
/// more often for that.
#[test]
fn a_second_criterion_accuses_no_more_sound_judges() {
    let seeds = if is_slow() { 100 } else { 3 };
    let both = |options: &mut AuditOptions| {
        options.protocols = vec!["pairwise-tie/direct/swap".into()];
        options.criteria = ["overall", "instruction-following"]
            .map(String::from)
            .into();
    };
    let probes = [Probe::Position, Probe::Transitivity, Probe::ChoiceSet];
    for (gap, kind) in ["0", "0.5", "1.2"]
        .into_iter()
        .flat_map(|gap| KINDS.map(|kind| (gap, kind)))
    {
        let is_accused = |seed: &u64| {
            let judge = format!("simulated:gap={gap}{kind},seed={seed}");
            !biases(&run(&judge, 40, both, &probes)).is_empty()
        };
        let accused = (0..seeds).filter(is_accused).count();
        println!("gap={gap}{kind}, two criteria: {accused} of {seeds} accused");
        assert!(
            accused <= 1 + seeds as usize / 10,
            "gap={gap}{kind}: {accused}"
        );
    }
}

/// Two prompts often give the same answer. Both orders are then one prompt, and a judge that must
/// name one of the two turns with the order, however good it is.
#[test]
fn pairs_of_the_same_response_accuse_nobody() {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for number in 0..80 {
        let id = format!("q{number}");
        let item = Item {
            id: id.clone(),
            messages: vec![Message::user(format!("What of {number}?"))],
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        let good = format!("It is {number}, as one may see.");
        let other = format!("It is {number}, or so I am told.");
        let other = if number % 3 == 0 { good.clone() } else { other };
        for (system, output) in [("a", good), ("b", other)] {
            let answer = SystemOutput::new(system, output);
            let record = Record::response(&id, answer);
            builder.add_record(record, &place).unwrap();
        }
    }
    let data = builder.finish(false).unwrap();
    let audited = |judge: &str, protocols: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        let probes = [Probe::Position, Probe::Distractors, Probe::Protocols];
        let mut options = options(judge, &probes, &dir.path().join("run"));
        options.protocols = protocols.iter().map(ToString::to_string).collect();
        audit(&data, None, &options, &mut Silent).unwrap()
    };
    let protocols = ["pairwise/direct/swap", "pointwise:1-10"];
    for judge in ["simulated:accuracy=1", "simulated:accuracy=1,greedy=true"] {
        let report = audited(judge, &protocols);
        assert_eq!(biases(&report), Vec::<String>::new(), "{judge}");
        let by_order = found(&report, "flips by order", "pairwise");
        assert_eq!((by_order.figure.value, by_order.failed), (Some(0.0), 0));
        assert_eq!(by_order.clusters, 53);
        let said = "27 of 80 pairs have two identical responses and are left out";
        let warned = report.warnings.iter().any(|text| text.starts_with(said));
        assert!(warned, "{:?}", report.warnings);
    }
    // Where order decides, that is found still.
    let report = audited("simulated:accuracy=1,first-slot=0.6", &protocols[..1]);
    assert!(biases(&report).contains(&"position, first slot".to_owned()));
}
