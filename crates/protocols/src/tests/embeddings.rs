//! Portia by embeddings: what is asked, of whom, and what a failed call comes to.

use super::*;
use evenhand_core::{CallError, CallErrorKind, Embeddings};

const NAME: &str = "pairwise/direct/portia:2,embedding,tie";
/// The middles are after two pieces and after one; by content it is the other way round.
const TEXTS: [&str; 2] = [
    "Cats sleep. Dogs bark at cars. Dogs chase people all night.",
    "All cats sleep all day. Cats dream of fish. Dogs bark.",
];

/// How often each animal stands in a piece; else always the first slot.
fn torn(request: &Request) -> CallResult {
    let Task::Embed { pieces } = &request.task else {
        return Ok(reply("A"));
    };
    let count = |piece: &String| {
        ["ats", "ogs"]
            .map(|stem| piece.matches(stem).count() as f32)
            .to_vec()
    };
    let embeddings = Embeddings::new(&pieces.iter().map(count).collect::<Vec<_>>()).ok();
    Ok(Reply {
        embeddings,
        ..reply("")
    })
}

/// Every request, round by round, and the outcome.
fn rounds(
    judges: &Judges,
    texts: &[&str],
    script: impl Fn(&Request) -> CallResult,
) -> (Vec<Vec<Request>>, evenhand_core::Outcome) {
    let (protocol, item, responses) = (Protocol::parse(NAME).unwrap(), item(), responses(texts));
    let view = View::alone(&item, &responses);
    let (mut transcript, mut rounds) = (BTreeMap::<RequestKey, CallResult>::new(), Vec::new());
    loop {
        match run(&protocol, &view, judges, 0, &|key| {
            transcript.get(key).cloned()
        }) {
            Pass::Done(done) => return (rounds, done.outcome),
            Pass::Pending(missing) => {
                transcript.extend(
                    missing
                        .iter()
                        .map(|missing| (missing.key, script(&missing.request))),
                );
                rounds.push(missing.into_iter().map(|missing| missing.request).collect());
            }
        }
    }
}

fn pieces(request: &Request) -> Option<&[String]> {
    if let Task::Embed { pieces } = &request.task {
        Some(pieces)
    } else {
        None
    }
}

#[test]
fn are_asked_for_where_the_orders_disagree_once_for_each_response() {
    let (rounds, outcome) = rounds(&Judges::one("judge"), &TEXTS, torn);
    assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2]);
    let embedded: Vec<_> = rounds[1]
        .iter()
        .map(|request| pieces(request).unwrap())
        .collect();
    assert_eq!(
        embedded[0],
        [
            "Cats sleep.",
            "Dogs bark at cars.",
            "Dogs chase people all night."
        ]
    );
    assert_eq!(
        embedded[1],
        [
            "All cats sleep all day.",
            "Cats dream of fish.",
            "Dogs bark."
        ]
    );
    assert!(rounds[1].iter().all(|request| &*request.judge == "judge"
        && request.messages.is_empty()
        && request.sample == 0));
    let key = rounds[1][0].canonical();
    assert_eq!(
        key,
        r#"{"judge":"judge","messages":[],"task":{"kind":"embed","pieces":["Cats sleep.","Dogs bark at cars.","Dogs chase people all night."]},"sample":0}"#
    );
    assert!(matches!(outcome, Ok(Verdict::Pairwise { tie, .. }) if tie == 1.0));
}

#[test]
fn come_from_the_embedder_that_is_named() {
    let judges = Judges {
        embedder: Some("other".into()),
        ..Judges::one("judge")
    };
    let (rounds, _) = rounds(&judges, &TEXTS, torn);
    assert!(
        rounds
            .iter()
            .flatten()
            .all(|request| (&*request.judge == "other") == pieces(request).is_some())
    );
}

#[test]
fn that_cannot_be_had_fail_the_judgment() {
    let refused = |request: &Request| match pieces(request) {
        Some(_) => Err(CallError {
            kind: CallErrorKind::Invalid,
            message: "no embeddings here".into(),
        }),
        None => Ok(reply("A")),
    };
    let failure = rounds(&Judges::one("judge"), &TEXTS, refused)
        .1
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::Invalid);
    assert_eq!(failure.detail.as_str(), "no embeddings here");
    for embeddings in [None, Embeddings::new(&[vec![1.0]]).ok()] {
        let short = |_: &Request| {
            Ok(Reply {
                embeddings: embeddings.clone(),
                ..reply("A")
            })
        };
        let failure = rounds(&Judges::one("judge"), &TEXTS, short).1.unwrap_err();
        assert_eq!(failure.kind, FailureKind::ModelError);
        assert_eq!(failure.detail.as_str(), "judge gave no 3 embeddings");
    }
}

#[test]
fn are_not_asked_for_where_a_response_is_too_short_or_the_orders_agree() {
    let asks = |texts: &[&str], script: fn(&Request) -> CallResult| {
        rounds(&Judges::one("judge"), texts, script)
            .0
            .iter()
            .flatten()
            .any(|request| pieces(request).is_some())
    };
    assert!(!asks(&["One sentence.", TEXTS[1]], torn));
    let sure: fn(&Request) -> CallResult = |request| {
        Ok(reply(if &*request.about.responses[0].system == "s0" {
            "A"
        } else {
            "B"
        }))
    };
    assert!(!asks(&TEXTS, sure));
}
