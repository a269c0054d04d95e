//! What is planted in a judge is found by the probe that looks for it, and nothing else is.

use super::*;

#[test]
fn a_fair_judge_is_left_in_peace() {
    // One audit of twenty may accuse a fair judge: of three, at most one does.
    let reports = [4, 5, 6].map(|seed| {
        run(
            &format!("simulated:gap=1,seed={seed}"),
            40,
            |options| options.rewrites = Rewrite::ALL.to_vec(),
            Probe::ALL,
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
fn preferences_beyond_peoples_are_shown() {
    let report = run(
        "simulated:gap=0,length=0.7,seed=3",
        100,
        |_| (),
        &[Probe::People],
    );
    let beyond = found(&report, "longer, beyond people", "pairwise");
    assert!(
        !beyond.is_tested() && beyond.figure.value.unwrap() > 0.2,
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
        !beyond.is_tested() && (beyond.figure.value.unwrap() - 0.35).abs() < 0.12,
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
    let wins = found(&coin, "wins", "pairwise");
    assert!(
        wins.p.is_some() && !wins.biased,
        "a coin lets the empty answer win no more often than any other"
    );
    let said = coin.answer();
    assert!(
        said.contains("Not counted as a bias: under pairwise-tie/direct/swap, an answer that says nothing wins in "),
        "{said}"
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
