//! Rewritten responses: what distracts a judge is found, and what cannot be used is dropped and
//! counted.

use super::*;

#[test]
fn distractors_are_found_where_they_are_planted() {
    for (defect, rewrite) in PLANTED_DISTRACTORS {
        let report = run(
            &format!("simulated:gap=0.5,{defect}=0.6,seed=2"),
            200,
            |options| options.rewrites = vec![rewrite],
            &[Probe::Distractors],
        );
        let preferred = found(
            &report,
            &format!("{}: preferred", rewrite.name()),
            "pairwise",
        );
        // The planted share decides, and a coin the rest: 0.6 + 0.4 / 2.
        assert!(
            preferred.biased && (preferred.figure.value.unwrap() - 0.8).abs() < 0.08,
            "{preferred:?}"
        );
        let beyond = found(
            &report,
            &format!("{}: flips beyond neutral", rewrite.name()),
            "pairwise",
        );
        assert!(beyond.biased, "{beyond:?}");
    }
}

#[test]
fn flips_that_any_change_would_cause_are_told_from_a_distractors() {
    let all = |options: &mut AuditOptions| options.rewrites = Rewrite::ALL.to_vec();
    let found_of = |judge: &str| {
        let report = run(judge, 80, all, &[Probe::Position, Probe::Distractors]);
        assert!(
            report
                .warnings
                .iter()
                .any(|warning| warning.contains("`beyond neutral`")),
            "{:?}",
            report.warnings
        );
        let of = |end: &str| {
            report
                .findings
                .iter()
                .filter(|found| found.name.to_string().ends_with(end))
                .cloned()
                .collect()
        };
        ["flips beyond repetition", "flips beyond neutral"].map(of)
    };
    let biased = |found: &[Finding]| found.iter().filter(|found| found.biased).count();
    // A coin that falls the same way for the same text: every rewrite flips it, the neutral one
    // too.
    let [repetition, neutral]: [Vec<Finding>; 2] = found_of("simulated:gap=0,greedy=true,seed=2");
    let large = repetition
        .iter()
        .filter(|found| found.figure.value > Some(0.15))
        .count();
    assert!(
        large > 5 && repetition.iter().all(|found| found.p.is_none()),
        "{repetition:#?}"
    );
    assert_eq!(biased(&neutral), 0, "{neutral:#?}");
    assert!(biased(&found_of("simulated:gap=0,greedy=true,distractor=0.9,seed=2")[1]) > 0);
}

#[test]
fn a_model_rewrites_and_what_changed_too_much_is_dropped() {
    let by = |spec: &str| {
        let distractors = vec![("assertiveness".to_string(), "Sound sure.".to_string())];
        Some(ByModel {
            rewriter: JudgeSpec::parse(spec).unwrap(),
            distractors,
        })
    };
    let go = |spec: &str| {
        let change =
            |options: &mut AuditOptions| (options.rewrites, options.by_model) = (vec![], by(spec));
        run(
            "simulated:gap=0.5,distractor=0.6,seed=2",
            60,
            change,
            &[Probe::Distractors],
        )
    };
    let report = go("simulated");
    // Each item shows two of the four systems' responses.
    let written = Written {
        name: "assertiveness".into(),
        responses: 120,
        dropped: 0,
        reasons: Reasons::new(),
    };
    assert_eq!(report.rewrites, [written]);
    assert_eq!(
        report.rewriting.as_ref().map(|rewriting| rewriting.calls),
        Some(120)
    );
    assert!(found(&report, "assertiveness: preferred", "pairwise").biased);
    // A rewriter that says something else in a third of its replies loses the numbers with them.
    let report = go("simulated:invalid=0.3");
    let Written {
        responses,
        dropped,
        reasons,
        ..
    } = &report.rewrites[0];
    assert!(
        *responses == 120 && (25..50).contains(dropped),
        "{:?}",
        report.rewrites
    );
    assert_eq!(reasons.values().sum::<u64>(), *dropped, "{reasons:?}");
    assert!(found(&report, "assertiveness: preferred", "pairwise").failed > 8);
}

#[test]
fn what_cannot_be_checked_is_not_rewritten_and_is_counted() {
    let mut data = data(30);
    let unknown =
        |item: &mut Item| item.constraints = Some(serde_json::json!([{"id": "poetry:rhyme"}]));
    data.items.iter_mut().take(10).for_each(unknown);
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(
        "simulated",
        &[Probe::Position, Probe::Distractors],
        &dir.path().join("run"),
    );
    let distractors = vec![("assertiveness".to_string(), "Sound sure.".to_string())];
    options.by_model = Some(ByModel {
        rewriter: JudgeSpec::parse("simulated:seed=4").unwrap(),
        distractors,
    });
    let report = audit(&data, None, &options, &mut Silent).unwrap();
    let reasons = Reasons::from([("unreadable constraints", 20)]);
    let written = |name: &str| Written {
        name: name.into(),
        responses: 60,
        dropped: 20,
        reasons: reasons.clone(),
    };
    assert_eq!(report.rewrites, ["assertive", "assertiveness"].map(written));
    assert_eq!(
        report.rewriting.as_ref().map(|rewriting| rewriting.calls),
        Some(40),
        "nobody is asked in vain"
    );
    let preferred = found(&report, "assertive: preferred", "pairwise");
    assert_eq!((preferred.items, preferred.failed), (20, 10));
    assert_eq!(found(&report, "flips beyond neutral", "pairwise").items, 30);
}
