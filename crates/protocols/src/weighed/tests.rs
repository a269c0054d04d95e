use super::*;
use crate::{Judges, Pass, Protocol, ProtocolOptions, run};
use evenhand_core::{
    CallResult, Item, Likelihood, Message, Outcome, Reply, Request, Response, Task,
};

fn panel(
    protocols: &[&str],
    features: Vec<Feature>,
    weights: &[f64],
) -> Result<Protocol, crate::ProtocolError> {
    let member = |(judge, name): (usize, &&str)| Member {
        judge,
        protocol: JudgedProtocol::parse(name, &ProtocolOptions::default()).unwrap(),
    };
    Protocol::weighed(
        protocols.iter().enumerate().map(member).collect(),
        features,
        weights.to_vec(),
    )
}

/// A judge whose likelihood is the response's length in tens of nats, and who always says A.
fn answer(request: &Request) -> CallResult {
    match &request.task {
        Task::Score { continuation, .. } if request.judge.as_ref() == "scorer" => {
            let given = if request.messages[0].content.is_empty() {
                0.0
            } else {
                continuation.len() as f64
            };
            Ok(Reply {
                likelihood: Some(Likelihood {
                    logprob: given,
                    tokens: 1,
                    apart: 0.0,
                }),
                ..Reply::default()
            })
        }
        Task::Score { .. } => Ok(Reply::default()),
        _ => Ok(Reply {
            text: "A".into(),
            ..Reply::default()
        }),
    }
}

fn play(protocol: &Protocol, judges: &[&str], texts: [&str; 2]) -> (Outcome, Vec<Outcome>) {
    let item = Item {
        messages: vec![Message::user("Say it.")],
        ..Item::default()
    };
    let responses = texts.map(|text| Response::new("s", text));
    let judges = Judges {
        panel: judges.iter().map(|judge| (*judge).into()).collect(),
        ..Judges::one("x")
    };
    let mut replies: std::collections::HashMap<_, CallResult> = std::collections::HashMap::new();
    loop {
        match run(
            protocol,
            &View::alone(&item, &responses),
            &judges,
            0,
            &|key| replies.get(key).cloned(),
        ) {
            Pass::Done(done) => {
                return (
                    done.outcome,
                    done.looks.into_iter().map(|look| look.outcome).collect(),
                );
            }
            Pass::Pending(missing) => missing
                .into_iter()
                .for_each(|missing| _ = replies.insert(missing.key, answer(&missing.request))),
        }
    }
}

#[test]
fn the_sum_of_weighed_differences_is_the_log_odds() {
    let panel = panel(
        &["likelihood", "pairwise"],
        vec![Feature::Length],
        &[0.5, 3.0, 2.0],
    )
    .unwrap();
    let (outcome, terms) = play(&panel, &["scorer", "scorer"], ["abcd", "a"]);
    // Likelihood: 4 - 1; a judge that always says A contradicts itself, and says nothing over both
    // orders; length: ln 5/2.
    let sum: f64 = 0.5 * 3.0 + 2.0 * 2.5f64.ln();
    let [first, tie, second] = outcome.unwrap().preference().unwrap();
    assert!(
        (first - 1.0 / (1.0 + (-sum).exp())).abs() < 1e-12
            && tie == 0.0
            && (first + second - 1.0).abs() < 1e-12
    );
    let values: Vec<f64> = terms
        .into_iter()
        .map(|term| match term.unwrap() {
            Verdict::Pointwise { score, .. } => score,
            other => panic!("{other:?}"),
        })
        .collect();
    let close = values
        .iter()
        .zip([3.0, 0.0, 2.5f64.ln()])
        .all(|(found, expected)| (found - expected).abs() < 1e-12);
    assert!(close && values.len() == 3, "{values:?}");
}

#[test]
fn the_order_of_the_responses_does_not_matter() {
    let panel = panel(
        &["likelihood", "pairwise-tie"],
        Feature::ALL.to_vec(),
        &[0.3, 1.0, -0.2, 0.7, 1.0],
    )
    .unwrap();
    let forward = play(&panel, &["scorer", "scorer"], ["one two", "three"])
        .0
        .unwrap();
    let swapped = play(&panel, &["scorer", "scorer"], ["three", "one two"])
        .0
        .unwrap()
        .swapped();
    let close = |a: &Verdict, b: &Verdict| {
        a.preference()
            .unwrap()
            .iter()
            .zip(b.preference().unwrap())
            .all(|(a, b)| (a - b).abs() < 1e-12)
    };
    assert!(close(&forward, &swapped), "{forward:?} {swapped:?}");
}

#[test]
fn a_member_that_fails_decides_nothing_and_all_of_them_fail_the_panel() {
    let two = panel(&["likelihood", "likelihood"], vec![], &[1.0, 5.0]).unwrap();
    let (outcome, terms) = play(&two, &["scorer", "mute"], ["abc", "ab"]);
    assert!(
        (outcome.unwrap().preference().unwrap()[0] - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-12
    );
    assert!(terms[0].is_ok() && terms[1].is_err());
    let mute = panel(&["likelihood"], vec![Feature::Length], &[1.0, 1.0]).unwrap();
    assert!(play(&mute, &["mute"], ["abc", "ab"]).0.is_err());
}

#[test]
fn what_is_no_panel_is_refused() {
    assert!(panel(&[], vec![Feature::Length], &[1.0]).is_err());
    assert!(panel(&["likelihood"], vec![], &[]).is_err());
    assert!(panel(&["likelihood"], vec![], &[f64::NAN]).is_err());
    assert!(panel(&["listwise"], vec![], &[1.0]).is_err());
}
