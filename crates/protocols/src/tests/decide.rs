use super::*;
use crate::{DecidingJudge, Done, Judges, Pass, Protocol, run};
use evenhand_core::{
    CallResult, Criterion, Item, Message, Outcome, Request, RequestKey, Response, StateField, Task,
    View,
};
use std::collections::BTreeMap;

fn judges(shares_state: bool) -> Judges {
    Judges {
        deciding: vec![DecidingJudge {
            judge: "judge".into(),
            least_label_mass: LEAST_LABEL_MASS,
            shares_state,
        }],
        ..Judges::one("judge")
    }
}

fn item() -> Item {
    Item {
        id: "1".into(),
        messages: vec![Message::user("Name a colour.")],
        criteria: [("a colour", 1.0), ("rude", -1.0)]
            .map(|(text, weight)| Criterion {
                weight,
                ..Criterion::new(text)
            })
            .to_vec(),
        ..Item::default()
    }
}

fn play(
    name: &str,
    systems: &[&str],
    judges: &Judges,
    answer: impl Fn(&Request) -> CallResult,
) -> (Outcome, Vec<Request>) {
    let protocol = Protocol::parse(name).unwrap();
    let responses: Vec<Response> = systems
        .iter()
        .map(|system| Response::new(*system, format!("the text of {system}")))
        .collect();
    let item = item();
    let view = View::alone(&item, &responses);
    let mut transcript: BTreeMap<RequestKey, CallResult> = BTreeMap::new();
    let mut asked = Vec::new();
    loop {
        let known = |key: &RequestKey| transcript.get(key).cloned();
        match run(&protocol, &view, judges, 0, &known) {
            Pass::Done(Done { outcome, .. }) => return (outcome, asked),
            Pass::Pending(missing) => {
                for one in missing {
                    transcript.insert(one.key, answer(&one.request));
                    asked.push(one.request);
                }
            }
        }
    }
}

fn parts(request: &Request) -> (&[StateField], Vec<&str>) {
    match &request.task {
        Task::Decide { state, question } => (state, question.answers.names()),
        task => panic!("{task:?} is no question"),
    }
}

/// Answers with these probabilities, all on labels.
fn sure(p: &[f64]) -> CallResult {
    Ok(Reply {
        answers: Some(p.to_vec()),
        label_mass: Some(1.0),
        argmax_is_label: Some(true),
        ..Reply::default()
    })
}

#[test]
fn both_looks_ask_about_one_state_with_the_answers_in_reverse() {
    for name in [
        "pairwise",
        "pairwise-tie",
        "pairwise-5point",
        "pairwise-likert",
    ] {
        let flat = |request: &Request| sure(&vec![0.1; parts(request).1.len()]);
        let ask = |systems: [&str; 2], judges: &Judges| {
            let (_, asked) = play(name, &systems, judges, flat);
            assert_eq!(asked.len(), 1, "{name}");
            asked.into_iter().next().unwrap()
        };
        let shared = judges(true);
        let [one, other] = [["a", "b"], ["b", "a"]].map(|systems| ask(systems, &shared));
        assert_eq!(one.about.together, 2);
        assert_ne!(one.key(), other.key());
        let ((state, answers), (other_state, other_answers)) = (parts(&one), parts(&other));
        assert_eq!(state, other_state, "{name}");
        let reversed: Vec<&str> = other_answers.into_iter().rev().collect();
        assert_eq!(answers, reversed, "{name}");
        let names: Vec<&str> = state.iter().map(|field| &*field.name).collect();
        assert_eq!(names, ["standards", "instruction", "answer_1", "answer_2"]);
        // What is asked for first is the response in the first slot, wherever the state has it.
        let first = state.iter().find(|field| answers[0].contains(&*field.name));
        assert_eq!(first.unwrap().text, "the text of a", "{name}");
        // A rewritten response has the place of its origin.
        let rewritten = ask(["a+flattery", "b"], &shared);
        let place = |request: &Request, text: &str| {
            parts(request)
                .0
                .iter()
                .position(|field| field.text.starts_with(text))
        };
        assert_eq!(
            place(&rewritten, "the text of a"),
            place(&one, "the text of a")
        );
        // As shown: the state has the order of the look, and each look is a call of its own.
        let apart = ask(["b", "a"], &judges(false));
        assert_eq!(apart.about.together, 1);
        let texts: Vec<&str> = parts(&apart).0[2..]
            .iter()
            .map(|field| &*field.text)
            .collect();
        assert_eq!(texts, ["the text of b", "the text of a"]);
    }
}

#[test]
fn probabilities_are_read_in_the_order_in_which_they_were_asked_for() {
    let judges = judges(true);
    let preference = |name: &str, p: &[f64]| {
        let (outcome, _) = play(name, &["a", "b"], &judges, |_| sure(p));
        outcome.unwrap().preference().unwrap()
    };
    assert_eq!(preference("pairwise", &[0.7, 0.3]), [0.7, 0.0, 0.3]);
    assert_eq!(
        preference("pairwise-tie", &[0.5, 0.375, 0.125]),
        [0.5, 0.375, 0.125]
    );
    assert_eq!(
        preference("pairwise-5point", &[0.25, 0.25, 0.125, 0.25, 0.125]),
        [0.5, 0.125, 0.375]
    );
    let likert = preference(
        "pairwise-likert",
        &[0.25, 0.0, 0.25, 0.25, 0.0, 0.125, 0.125],
    );
    assert_eq!(likert, [0.5, 0.25, 0.25]);
    let score = |name: &str, p: &[f64]| {
        let (outcome, _) = play(name, &["a"], &judges, |_| sure(p));
        match outcome.unwrap() {
            Verdict::Pointwise { score, .. } => score,
            verdict => panic!("{verdict:?}"),
        }
    };
    assert_eq!(score("pointwise:1-5", &[0.0, 0.0, 0.0, 0.5, 0.5]), 4.5);
    assert_eq!(
        score(
            "pointwise:0-9",
            &[0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        ),
        0.5
    );
}

#[test]
fn a_checklist_is_a_question_for_each_criterion_and_all_belong_together() {
    for name in ["checklist", "checklist:each"] {
        let (outcome, asked) = play(name, &["a"], &judges(true), |request| {
            let Task::Decide { question, .. } = &request.task else {
                panic!("{request:?}");
            };
            let has_merit = question.instructions.contains("a colour");
            sure(if has_merit {
                &[0.75, 0.25]
            } else {
                &[0.25, 0.75]
            })
        });
        assert_eq!(asked.len(), 2);
        assert_eq!(parts(&asked[0]).0, parts(&asked[1]).0);
        assert!(asked.iter().all(|request| request.about.together == 2));
        // 0.75 of what counts for it, less 0.25 of the fault.
        assert!(matches!(outcome, Ok(Verdict::Pointwise { score, .. }) if score == 0.5));
    }
}

#[test]
fn probabilities_that_lie_elsewhere_are_a_failure_of_their_own_kind() {
    for (mass, argmax, is_read) in [
        (Some(0.499), Some(true), false),
        (Some(0.9), Some(false), false),
        (None, Some(false), false),
        (Some(0.5), Some(true), true),
        (None, None, true),
    ] {
        let answer = |_: &Request| {
            Ok(Reply {
                answers: Some(vec![0.99, 0.01]),
                label_mass: mass,
                argmax_is_label: argmax,
                ..Reply::default()
            })
        };
        let (outcome, _) = play("pairwise", &["a", "b"], &judges(true), answer);
        match outcome {
            Ok(verdict) => {
                assert!(is_read);
                assert_eq!(verdict.outside(), mass.map_or(0.0, |mass| 1.0 - mass));
            }
            Err(failure) => {
                assert!(!is_read);
                assert_eq!(failure.kind, FailureKind::OffLabel);
            }
        }
    }
    let refused = |_: &Request| {
        Ok(Reply {
            finish: Finish::Refusal,
            ..Reply::default()
        })
    };
    let (outcome, _) = play("pairwise", &["a", "b"], &judges(true), refused);
    assert!(matches!(outcome, Err(failure) if failure.kind == FailureKind::Refused));
}

#[test]
fn what_needs_a_text_is_refused_with_what_to_use_instead() {
    for (name, use_instead) in [
        ("pairwise/cot", "direct"),
        ("pairwise/pros-cons", "direct"),
        ("pairwise/prepair", "direct"),
        ("pairwise/prepair-star", "direct"),
        ("prepair", "direct"),
        ("pairwise/direct+metrics", "checklist"),
        ("checklist/direct+metrics", "checklist"),
        ("listwise", "pairwise"),
        ("pairwise-score", "pairwise"),
        ("likelihood", "pointwise"),
        ("pairwise/cot/swap-cot", "direct"),
        ("pairwise/cot/self-consistency:5", "direct"),
        ("mec+bpc", "pairwise"),
        ("pairwise/direct/portia:3", "swap"),
        ("pointwise:0-10", "pointwise:1-10"),
        ("pointwise:1-100", "pointwise:1-10"),
    ] {
        let protocol = Protocol::parse(name).unwrap();
        let why = protocol.refuse_deciding(0).unwrap_or_default();
        assert!(why.contains(use_instead), "{name}: {why}");
    }
    for name in [
        "pairwise",
        "pairwise,mode",
        "pairwise-tie/direct/swap:tie",
        "pairwise-5point/direct/single",
        "pairwise-likert/direct/swap:none",
        "pairwise/direct+reference",
        "pointwise",
        "pointwise:0-9",
        "checklist",
        "checklist:each",
    ] {
        let protocol = Protocol::parse(name).unwrap();
        assert_eq!(protocol.refuse_deciding(0), None, "{name}");
    }
}
