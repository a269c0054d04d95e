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
    // Each item shows one of the four systems' responses against itself, and another one only where
    // it is preferred less.
    let written = &report.rewrites[0];
    let responses = written.responses;
    assert!((61..120).contains(&responses), "{written:?}");
    assert_eq!((written.dropped, written.reasons.len()), (0, 0));
    assert_eq!(
        report.rewriting.as_ref().map(|rewriting| rewriting.calls),
        Some(responses)
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
        (61..120).contains(responses) && (20..45).contains(dropped),
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
    let [by_rule, by_model] = &report.rewrites[..] else {
        panic!("{:?}", report.rewrites);
    };
    assert_eq!((by_rule.responses, by_rule.dropped), (60, 20));
    // A model writes what is shown: one or two responses of each item, none of them of the ten.
    assert!((10..=20).contains(&by_model.dropped), "{by_model:?}");
    assert!((30..60).contains(&by_model.responses), "{by_model:?}");
    for written in &report.rewrites {
        let reasons = Reasons::from([("unreadable constraints", written.dropped)]);
        assert_eq!(written.reasons, reasons);
    }
    assert_eq!(
        report.rewriting.as_ref().map(|rewriting| rewriting.calls),
        Some(by_model.responses - by_model.dropped),
        "nobody is asked in vain"
    );
    let preferred = found(&report, "assertive: preferred", "pairwise");
    assert_eq!((preferred.items, preferred.failed), (20, 10));
    assert_eq!(found(&report, "flips beyond neutral", "pairwise").items, 30);
}

#[test]
fn a_model_rewrites_the_lowest_systems_and_no_other() {
    let change = |options: &mut AuditOptions| {
        options.rewrites = vec![];
        options.protocols = vec!["pairwise-tie/direct/swap".into()];
        options.by_model = Some(ByModel {
            rewriter: JudgeSpec::parse("simulated:seed=4").unwrap(),
            distractors: vec![("assertiveness".to_string(), "Sound sure.".to_string())],
        });
    };
    let report = run("simulated:accuracy=1", 12, change, &[Probe::Leaderboard]);
    let climb = &report.climbs[0];
    let rewritten = climb.systems.iter().filter(|system| system.rewritten);
    assert_eq!(rewritten.count(), 2);
    // Two of four systems, twelve items; all four took 48 before.
    assert_eq!(report.rewrites[0].responses, 24);
    assert_eq!(report.rewriting.unwrap().calls, 24);
    // Nothing is rewritten where no probe shows it.
    let report = run("simulated", 12, change, &[Probe::Position]);
    assert_eq!(report.rewriting.unwrap().calls, 0);
}

/// Conversations of two turns with an answer of one system.
fn conversation() -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    let item = Item {
        id: "q/2".into(),
        messages: vec![Message::user("What?"), Message::user("And then?")],
        question: Some("q".into()),
        turn: Some(2),
        ..Item::default()
    };
    builder.add_record(Record::Item(item), &place).unwrap();
    let first = Message {
        role: evenhand_core::Role::Assistant,
        content: "The first answer.".into(),
    };
    let answer = SystemOutput {
        earlier: vec![first],
        ..SystemOutput::new("a", "The second answer.")
    };
    let response = Record::response("q/2", answer);
    builder.add_record(response, &place).unwrap();
    builder.finish(false).unwrap()
}

#[test]
fn every_turn_of_a_conversation_is_shown_rewritten() {
    let mut material = Material::new(&conversation()).unwrap();
    material.rewrite(Rewrite::Flattery, &[(0, 0)]);
    material.add_neutral();
    material.add_null();
    let dataset = material.dataset().unwrap();
    let shown = |system: &str| {
        let at = dataset.system_index(system).unwrap();
        let response = dataset.response(0, at).unwrap().unwrap();
        [
            response.earlier[0].content.clone(),
            response.text.to_string(),
        ]
    };
    assert_eq!(shown("a"), ["The first answer.", "The second answer."]);
    for (rewritten, original) in shown("a+flattery").iter().zip(shown("a")) {
        assert!(rewritten.contains("wonderful") && rewritten.contains(&original));
    }
    let nothing = shown("null answer");
    assert_eq!(nothing[0], nothing[1]);
    assert_eq!(material.length(0, 0), "The second answer.".len());
}
