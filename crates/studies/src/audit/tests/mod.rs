//! The audit over simulated judges with planted defects: what is planted is found, and nothing
//! else.

mod coverage;
mod sound;

use super::*;
use evenhand_constraints::Constraints;
use evenhand_constraints::tweak::{Tweaked, questions, tweak};
use evenhand_core::{Item, Message};
use evenhand_engine::{Estimate, JudgeOptions, Limits, PriceTable, Progress};
use evenhand_formats::DatasetBuilder;
use evenhand_formats::records::{ItemRef, Place, Preference, Record, SystemOutput, Vote};
use std::sync::{Arc, LazyLock};

/// Items that are made for their constraints, three of every question where EVENHAND_SLOW is set,
/// else one.
static TWEAKS: LazyLock<Vec<Tweaked>> = LazyLock::new(|| {
    let rounds = if std::env::var_os("EVENHAND_SLOW").is_some() {
        3
    } else {
        1
    };
    let all = (0..rounds).flat_map(|_| questions()).zip(0..);
    all.map(|(question, stream)| tweak(&question.question, &question.answer, 0, stream).unwrap())
        .collect()
});

/// Their constraints with an answer that keeps them, and with those that break one, two and three.
pub(super) static CONSTRAINED: LazyLock<Vec<(Constraints, &str)>> = LazyLock::new(|| {
    let of = |item: &'static Tweaked| {
        let answers = [&item.adherent].into_iter().chain(&item.broken);
        answers.map(|answer| (Constraints::new(item.constraints.clone()), answer.as_str()))
    };
    TWEAKS.iter().flat_map(of).collect()
});

/// So many items of the tweak set.
fn tweak_set(items: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for (number, tweaked) in TWEAKS.iter().take(items).enumerate() {
        let (id, messages) = (
            number.to_string(),
            vec![Message::user(tweaked.instruction.clone())],
        );
        let item = Item {
            id: id.clone(),
            messages,
            constraints: Some(tweaked.to_json()),
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        let answers = [&tweaked.adherent].into_iter().chain(&tweaked.broken);
        for (system, output) in severity::SYSTEMS.into_iter().zip(answers) {
            let answer = SystemOutput::new(system, output.clone());
            builder
                .add_record(
                    Record::Response {
                        item: ItemRef::Id(id.clone()),
                        answer,
                    },
                    &place,
                )
                .unwrap();
        }
    }
    builder.finish(false).unwrap()
}

struct Silent;

impl Watch for Silent {
    fn begin(&mut self, _: &str, _: u64) {}
    fn progress(&mut self, _: Progress) {}
    fn note(&mut self, _: &str) {}
    fn end(&mut self) {}
}

/// Items with an answer of each of four systems, of different lengths; people prefer either as
/// often, whichever is longer.
fn data(items: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for number in 0..items {
        let id = format!("q{number}");
        let item = Item {
            id: id.clone(),
            messages: vec![Message::user(format!("What of {number}?"))],
            category: Some(["odd", "even"][number % 2].into()),
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        for (at, system) in ["a", "b", "c", "d"].iter().enumerate() {
            let more = " It goes on for a while.".repeat(1 + (number * 7 + at * 5) % 9);
            let output = format!("It is {number} as {system} sees it.{more}\n\nSo much for that.");
            builder
                .add_record(
                    Record::Response {
                        item: ItemRef::Id(id.clone()),
                        answer: SystemOutput::new(system.to_string(), output),
                    },
                    &place,
                )
                .unwrap();
        }
        let preferred = if number / 2 % 2 == 0 {
            Preference::A
        } else {
            Preference::B
        };
        let votes = vec![Vote {
            preferred,
            annotator: None,
        }];
        builder
            .add_record(
                Record::Label {
                    item: ItemRef::Id(id),
                    a: "a".into(),
                    b: "b".into(),
                    votes,
                },
                &place,
            )
            .unwrap();
    }
    builder.finish(false).unwrap()
}

fn options(judge: &str, probes: &[Probe], run: &std::path::Path) -> AuditOptions {
    AuditOptions {
        judges: vec![JudgeSpec::parse(judge).unwrap()],
        panel: Panel::Mean,
        second_stage: None,
        embedder: None,
        protocols: vec!["pairwise-tie/direct/swap".into(), "pointwise:1-10".into()],
        pack: Pack::default(),
        probes: probes.to_vec(),
        rewrites: vec![Rewrite::Assertive],
        by_model: None,
        own: None,
        repeats: 2,
        level: 0.95,
        seed: 0,
        run: Some(run.to_path_buf()),
        live: LiveOptions {
            judge: JudgeOptions::default(),
            limits: Limits::default(),
            prices: PriceTable::built_in(),
            reuse: vec![],
            stop: Arc::default(),
        },
    }
}

fn run(
    judge: &str,
    items: usize,
    change: impl Fn(&mut AuditOptions),
    probes: &[Probe],
) -> AuditReport {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(judge, probes, &dir.path().join("run"));
    change(&mut options);
    let tweaked = probes.contains(&Probe::Severity).then(|| tweaked(items));
    audit(&data(items), tweaked.as_ref(), &options, &mut Silent).unwrap()
}

fn found<'a>(report: &'a AuditReport, name: &str, protocol: &str) -> &'a Finding {
    let of = |finding: &&Finding| {
        finding.name.to_string() == name && finding.protocol.starts_with(protocol)
    };
    report
        .findings
        .iter()
        .find(of)
        .unwrap_or_else(|| panic!("no {name} of {protocol} in {:#?}", report.findings))
}

/// The topic and the name of each bias that was found.
fn biases(report: &AuditReport) -> Vec<String> {
    report
        .findings
        .iter()
        .filter(|finding| finding.biased)
        .map(|finding| format!("{}, {}", finding.name.topic(), finding.name))
        .collect()
}

#[test]
fn a_fair_judge_is_left_in_peace() {
    // One audit of twenty may accuse a fair judge: of three, at most one does.
    let reports = [4, 5, 6].map(|seed| {
        run(
            &format!("simulated:gap=1,seed={seed}"),
            40,
            |options| options.rewrites = Rewrite::ALL.to_vec(),
            &Probe::ALL,
        )
    });
    let accused: Vec<_> = reports
        .iter()
        .map(biases)
        .filter(|found| !found.is_empty())
        .collect();
    assert!(accused.len() <= 1, "{accused:?}");
    for report in &reports {
        assert!(report.tested > 30, "{}", report.tested);
        assert!(report.usage.calls > 1000 && report.usage.prompt_tokens > 0);
    }
}

#[test]
fn a_judge_that_likes_the_first_is_told_from_a_noisy_one() {
    let report = run(
        "simulated:gap=0,first-slot=0.6,seed=1",
        80,
        |_| (),
        &[Probe::Position],
    );
    let first = found(&report, "first slot", "pairwise");
    assert!(
        first.biased && (first.figure.value.unwrap() - 0.8).abs() < 0.08,
        "{first:?}"
    );
    let beyond = found(&report, "flips beyond neutral", "pairwise");
    assert!(beyond.biased, "{beyond:?}");
    let noisy = run("simulated:gap=0,seed=1", 80, |_| (), &[Probe::Position]);
    assert!(
        found(&noisy, "flips by order", "pairwise")
            .figure
            .value
            .unwrap()
            > 0.3,
        "a coin flips as often"
    );
    assert_eq!(biases(&noisy), [] as [&str; 0]);
}

#[test]
fn distractors_are_found_where_they_are_planted() {
    for (defect, rewrite) in [
        ("distractor", Rewrite::Assertive),
        ("length", Rewrite::Filler),
        ("length", Rewrite::Padding),
        ("flattery", Rewrite::Flattery),
        ("markdown", Rewrite::Markdown),
        ("emoji", Rewrite::Emoji),
        ("authority", Rewrite::Authority),
        ("injection", Rewrite::Injection),
    ] {
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
fn preferences_beyond_peoples_are_found() {
    let report = run(
        "simulated:gap=0,length=0.7,seed=3",
        100,
        |_| (),
        &[Probe::People],
    );
    let beyond = found(&report, "longer, beyond people", "pairwise");
    assert!(
        beyond.biased && beyond.figure.value.unwrap() > 0.2,
        "{beyond:?}"
    );
    let own = run(
        "simulated:gap=0,self=b:0.7,seed=3",
        100,
        |options| options.own = Some("b".into()),
        &[Probe::People],
    );
    let beyond = found(&own, "own, beyond people", "pairwise");
    assert!(
        beyond.biased && (beyond.figure.value.unwrap() - 0.35).abs() < 0.12,
        "{beyond:?}"
    );
}

#[test]
fn circles_and_choice_sets_are_found() {
    let report = run(
        "simulated:gap=0,intransitive=0.95,seed=5",
        60,
        |_| (),
        &[Probe::Transitivity],
    );
    let certain = found(&report, "certain circles", "pairwise");
    assert!(
        certain.biased && certain.unbiased == Some(0.125),
        "{certain:?}"
    );
    let report = run(
        "simulated:gap=0,choice-set=1,seed=5",
        80,
        |_| (),
        &[Probe::ChoiceSet],
    );
    for layout in ["third response last", "third response first"] {
        let beyond = found(
            &report,
            &format!("reversals beyond neutral, {layout}"),
            "listwise",
        );
        assert!(
            beyond.biased && (beyond.figure.value.unwrap() - 0.5).abs() < 0.2,
            "{beyond:?}"
        );
    }
}

#[test]
fn scales_failures_and_the_null_answer() {
    let report = run(
        "simulated:gap=0.5,wide-scale=0.5,seed=6",
        80,
        |_| (),
        &[Probe::Scale],
    );
    assert!(found(&report, "0 to 100 against 0 to 10", "").biased);
    assert!(!found(&report, "0 to 1 against 0 to 10", "").biased);
    let failing = run(
        "simulated:invalid=0.2,refuse=0.1,seed=6",
        80,
        |_| (),
        &[Probe::Position, Probe::Failures],
    );
    let [none, refused] =
        ["no verdict", "refusals"].map(|name| found(&failing, name, "pairwise").figure.clone());
    assert!(
        (none.value.unwrap() - 0.28).abs() < 0.06 && (refused.value.unwrap() - 0.1).abs() < 0.05,
        "{none:?} {refused:?}"
    );
    let odd = found(&failing, "no verdict, odd", "pairwise");
    assert!(odd.figure.value.unwrap() > 0.1 && odd.items == 40);
    assert!(found(&failing, "first slot", "pairwise").failed > 10);
    let coin = run("simulated:gap=0,seed=6", 80, |_| (), &[Probe::Null]);
    assert!(
        found(&coin, "wins", "pairwise").biased,
        "a coin prefers nothing to something too often"
    );
}

#[test]
fn the_lowest_climb_by_style() {
    let climb = |judge: &str| run(judge, 30, |_| (), &[Probe::Leaderboard]);
    let report = climb("simulated:gap=0.7,distractor=0.8,seed=7");
    let gained = found(&report, "assertive: win rate gained", "pairwise");
    assert!(
        gained.biased && gained.figure.value.unwrap() > 0.2,
        "{gained:?}"
    );
    let systems = &report.climbs[0].systems;
    assert_eq!(systems.iter().filter(|system| system.rewritten).count(), 2);
    assert!(
        systems
            .iter()
            .filter(|system| system.rewritten)
            .all(|system| system.rank[2] < system.rank[0]),
        "{systems:?}"
    );
}

/// Answers that keep and break constraints, by the names of their systems.
fn tweaked(items: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for number in 0..items {
        let messages = vec![Message::user(format!("Do {number}."))];
        let item = Item {
            id: format!("t{number}"),
            messages,
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        for system in severity::SYSTEMS {
            let answer = SystemOutput::new(system, format!("I do {number} as {system}."));
            builder
                .add_record(
                    Record::Response {
                        item: ItemRef::Id(format!("t{number}")),
                        answer,
                    },
                    &place,
                )
                .unwrap();
        }
    }
    builder.finish(false).unwrap()
}

#[test]
fn style_hides_what_is_broken() {
    let report = run(
        "simulated:accuracy=0.9,distractor=0.7,seed=9",
        60,
        |_| (),
        &[Probe::Severity],
    );
    let [plain, dressed] = ["1 broken: accuracy", "1 broken, assertive: accuracy"]
        .map(|name| found(&report, name, "pairwise").figure.value.unwrap());
    assert!(
        (plain - 0.81).abs() < 0.12 && dressed < 0.2,
        "{plain} {dressed}"
    );
    assert!(found(&report, "3 broken, assertive: accuracy lost", "pairwise").biased);
}

#[test]
fn protocols_are_compared_and_one_is_advised() {
    // Pairs are swayed by words, scores too but half as often.
    let report = run(
        "simulated:gap=1.5,first-slot=0.4,distractor=0.5,seed=8",
        80,
        |_| (),
        &[
            Probe::Position,
            Probe::Distractors,
            Probe::Protocols,
            Probe::People,
            Probe::Failures,
        ],
    );
    assert!(
        report
            .findings
            .iter()
            .any(|finding| finding.name.topic() == "protocols")
    );
    let advice = report.advice.unwrap();
    assert_eq!(advice.candidates.len(), 2);
    assert!(
        advice
            .candidates
            .iter()
            .all(|candidate| candidate.tokens > 0.0 && candidate.accuracy.is_some())
    );
    // These people prefer either as often: nobody agrees with them more often than a coin.
    assert!(
        advice.protocol.is_none()
            && advice.candidates.iter().all(|candidate| candidate
                .out
                .as_deref()
                .unwrap()
                .contains("a coin"))
    );
    let unlabelled = run(
        "simulated:gap=1.5,distractor=0.5,seed=8",
        40,
        |_| (),
        &[Probe::Distractors],
    );
    assert!(unlabelled.advice.unwrap().protocol.is_some());
}

#[test]
fn what_was_asked_is_not_asked_again_and_the_report_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let options = options(
        &format!("simulated:log={}", log.display()),
        &[Probe::Position, Probe::Distractors],
        &dir.path().join("run"),
    );
    let go = || audit(&data(10), None, &options, &mut Silent).unwrap();
    let (first, asked) = (go(), std::fs::read_to_string(&log).unwrap().lines().count());
    assert_eq!(first, go());
    assert_eq!(
        std::fs::read_to_string(&log).unwrap().lines().count(),
        asked
    );
    assert_eq!(first.usage.calls as usize, asked);
}

#[test]
fn what_cannot_be_audited_is_said() {
    let refused = |change: &dyn Fn(&mut AuditOptions), probes: &[Probe]| {
        let dir = tempfile::tempdir().unwrap();
        let mut options = options("simulated", probes, &dir.path().join("run"));
        change(&mut options);
        audit(&data(3), None, &options, &mut Silent)
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&|_| (), &[Probe::Severity]).contains("`tweak-set`"));
    let dir = tempfile::tempdir().unwrap();
    let options = options("simulated", &[Probe::Severity], &dir.path().join("run"));
    let other = audit(&data(3), Some(&data(3)), &options, &mut Silent)
        .unwrap_err()
        .to_string();
    assert!(
        other.contains("expected the systems adherent, severity-1"),
        "{other}"
    );
    assert!(
        refused(&|options| options.own = Some("x".into()), &[Probe::People])
            .contains("the data has a, b, c, d")
    );
    assert!(
        refused(
            &|options| options.protocols = vec!["listwise".into()],
            &[Probe::Position]
        )
        .contains("choice-set")
    );
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

#[test]
fn texts_that_say_another_verdict_are_counted() {
    // The text is drawn from the probabilities: it differs as often as the less probable side is
    // drawn.
    let report = run(
        "simulated:accuracy=0.7,probabilities=true,seed=3",
        80,
        |_| (),
        &[Probe::Position, Probe::Reading],
    );
    let other = found(&report, "text has another verdict", "pairwise");
    assert!(
        (other.figure.value.unwrap() - 0.3).abs() < 0.07,
        "{other:?}"
    );
}

#[test]
fn texts_that_name_another_answer_are_found() {
    let report = run(
        "simulated:accuracy=1,misread=0.2,probabilities=true,seed=3",
        80,
        |_| (),
        &[Probe::People, Probe::Reading],
    );
    for protocol in ["pairwise", "pointwise"] {
        let [other, none] = ["text has another verdict", "text has no verdict"]
            .map(|name| found(&report, name, protocol));
        assert!((other.figure.value.unwrap() - 0.2).abs() < 0.1, "{other:?}");
        assert_eq!((none.figure.value, none.items), (Some(0.0), 80));
    }
}

#[test]
fn an_estimate_is_what_a_judge_is_asked_that_never_contradicts_itself() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(
        "simulated:accuracy=1,gap=1",
        &Probe::ALL,
        &dir.path().join("run"),
    );
    let distractors = vec![("assertiveness".to_string(), "Sound sure.".to_string())];
    options.by_model = Some(ByModel {
        rewriter: JudgeSpec::parse("simulated:seed=4").unwrap(),
        distractors,
    });
    let (data, tweaked) = (data(10), tweaked(10));
    let estimate = || audit_estimate(&data, Some(&tweaked), &options).unwrap();
    let before = estimate();
    assert!(
        !dir.path().join("run").exists(),
        "an estimate leaves no trace"
    );
    let report = audit(&data, Some(&tweaked), &options, &mut Silent).unwrap();
    let (rewriting, asking): (Vec<_>, Vec<_>) = before
        .parts
        .iter()
        .partition(|(name, _)| name.contains("rewritten by"));
    let sum = |of: &dyn Fn(&Estimate) -> u64| asking.iter().map(|(_, part)| of(part)).sum::<u64>();
    assert_eq!(sum(&|part| part.calls), report.usage.calls);
    assert_eq!(
        sum(&|part| part.prompt_tokens()),
        report.usage.prompt_tokens
    );
    // 10 items: 4 systems of the data, and the 3 of the tweak set that break constraints.
    assert_eq!(
        rewriting
            .iter()
            .map(|(_, part)| part.calls)
            .collect::<Vec<_>>(),
        [70]
    );
    assert_eq!(report.rewriting.map(|rewriting| rewriting.calls), Some(70));
    let after = estimate().total();
    assert_eq!(
        (after.calls, after.stored, after.prompt_tokens()),
        (before.total().calls, before.total().calls, 0)
    );
}

#[test]
fn a_panel_votes_on_pairs_only() {
    let refused = |protocols: &[&str], probes: &[Probe]| {
        let dir = tempfile::tempdir().unwrap();
        let mut options = options("simulated:seed=1", probes, &dir.path().join("run"));
        options
            .judges
            .push(JudgeSpec::parse("simulated:seed=2").unwrap());
        options.protocols = protocols.iter().map(|name| name.to_string()).collect();
        options.panel = Panel::Majority;
        audit(&data(3), None, &options, &mut Silent)
            .err()
            .map(|error| error.to_string())
    };
    let pairs = ["pairwise-tie/direct/swap"];
    assert_eq!(refused(&pairs, &[Probe::Position]), None);
    assert!(
        refused(&[pairs[0], "pointwise:1-7"], &[Probe::Position])
            .unwrap()
            .contains("pointwise:1-7")
    );
    assert!(
        refused(&pairs, &[Probe::Position, Probe::Scale])
            .unwrap()
            .contains("`probes` scale compares no two")
    );
}
