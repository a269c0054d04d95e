use super::*;
use crate::{Judges, Pass, Protocol, run};
use evenhand_core::{
    CallResult, Embeddings, Likelihood, Message, Outcome, Request, Response, Task,
};
use proptest::prelude::*;
use std::collections::HashMap;

/// A model whose states are the counts of a text's letters a and b, whatever the depth.
fn answer(request: &Request) -> CallResult {
    let Task::Score {
        continuation,
        depths,
        ..
    } = &request.task
    else {
        panic!("{:?}", request.task)
    };
    let count = |letter: char| continuation.matches(letter).count() as f32;
    let states = vec![vec![count('a'), count('b')]; depths.len()];
    let given = if request.messages[0].content.is_empty() {
        -3.0
    } else {
        -2.0
    };
    Ok(Reply {
        likelihood: Some(Likelihood {
            logprob: given * continuation.len() as f64,
            tokens: continuation.len() as u32,
            apart: 0.0,
        }),
        embeddings: (!depths.is_empty()).then(|| Embeddings::new(&states).unwrap()),
        ..Reply::default()
    })
}

fn play(protocol: &Protocol, text: &str) -> (Outcome, Vec<Request>) {
    let item = Item {
        messages: vec![Message::user("Say it.")],
        ..Item::default()
    };
    let responses = [Response::new("s", text)];
    let judges = Judges::one("gguf:m");
    let mut replies: HashMap<_, CallResult> = HashMap::new();
    let mut asked = Vec::new();
    loop {
        let known = |key: &_| replies.get(key).cloned();
        match run(
            protocol,
            &View::alone(&item, &responses),
            &judges,
            0,
            &known,
        ) {
            Pass::Done(done) => return (done.outcome, asked),
            Pass::Pending(missing) => {
                for missing in missing {
                    replies.insert(missing.key, answer(&missing.request));
                    asked.push(missing.request);
                }
            }
        }
    }
}

fn score(protocol: &Protocol, text: &str) -> f64 {
    match play(protocol, text).0.unwrap() {
        Verdict::Pointwise { score, .. } => score,
        other => panic!("{other:?}"),
    }
}

/// A head that counts a's, less b's by half, at this depth.
fn head(depth: Option<u8>) -> HeadWeights {
    let states = if depth.is_some() { 2 } else { 0 };
    let count = HEAD_FEATURES.len() + states;
    let mut weights = vec![0.0; count];
    if depth.is_some() {
        weights[count - 2..].copy_from_slice(&[1.0, -0.5]);
    }
    HeadWeights {
        depth,
        means: vec![0.25; count],
        scales: vec![2.0; count],
        weights,
    }
}

#[test]
fn a_response_is_scored_by_its_states_at_the_depth_of_the_head() {
    let protocol = Protocol::head(head(Some(50)), "head x".into(), &Pack::default()).unwrap();
    assert_eq!(protocol.to_string(), "head x");
    assert_eq!(protocol.form(), Form::Reward);
    let (outcome, asked) = play(&protocol, "aab");
    let expected = (2.0 - 0.25) / 2.0 - 0.5 * (1.0 - 0.25) / 2.0;
    let Ok(Verdict::Pointwise { score, source, .. }) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(
        (score - expected).abs() < 1e-12 && source == VerdictSource::Reward,
        "{score}"
    );
    assert!(protocol.scores_log_odds());
    // States are asked for once; the other call is the one that likelihood:novel makes.
    let depths = asked.iter().map(|request| match &request.task {
        Task::Score { depths, .. } => depths.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(depths.collect::<Vec<_>>(), [vec![50], vec![]]);
    let novel = Protocol::parse("likelihood:novel").unwrap();
    let (_, of_novel) = play(&novel, "aab");
    assert_eq!(of_novel[1].key(), asked[1].key());
}

#[test]
fn an_unfitted_head_judges_as_likelihood_does() {
    let gathering = Protocol::gathering_head(&Pack::default()).unwrap();
    let ready = Protocol::parse(READY_LIKELIHOOD).unwrap();
    assert_eq!(score(&gathering, "abba"), score(&ready, "abba"));
    assert_eq!(gathering.form(), ready.form());
    assert_ne!(gathering.fingerprint(), ready.fingerprint());
    assert!(!gathering.scores_log_odds() && !ready.scores_log_odds());
}

#[test]
fn heads_of_other_weights_have_other_fingerprints() {
    let built = |head: HeadWeights| {
        Protocol::head(head, "head".into(), &Pack::default())
            .unwrap()
            .fingerprint()
    };
    let mut other = head(Some(50));
    other.weights[0] = 1e-9;
    let all = [
        built(head(Some(50))),
        built(head(Some(75))),
        built(head(None)),
        built(other),
    ];
    let distinct: std::collections::HashSet<&String> = all.iter().collect();
    assert_eq!(distinct.len(), 4);
}

#[test]
fn a_head_of_another_model_is_a_failure_and_no_score() {
    let mut wide = head(Some(50));
    for numbers in [&mut wide.means, &mut wide.scales, &mut wide.weights] {
        numbers.push(1.0);
    }
    let protocol = Protocol::head(wide, "head".into(), &Pack::default()).unwrap();
    let failure = play(&protocol, "ab").0.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Invalid);
    assert!(
        failure.detail.contains("another model"),
        "{}",
        failure.detail
    );
    // A judge that shows no states.
    let plain = Reply {
        likelihood: Some(Likelihood {
            logprob: -1.0,
            tokens: 1,
            apart: 0.0,
        }),
        ..Reply::default()
    };
    let missing = read_head_features(&Item::default(), "x", &[plain.clone(), plain.clone()], 1);
    assert!(missing.unwrap_err().detail.contains("no states"));
    let found = read_head_features(&Item::default(), "x", &[plain.clone(), plain], 0).unwrap();
    assert_eq!(found.plain.len(), HEAD_FEATURES.len());
}

proptest! {
    /// What one response is ahead by, the other is behind by, to the last bit.
    #[test]
    fn the_order_of_the_responses_cannot_matter(a in "[ab ]{1,12}x", b in "[ab ]{1,12}x") {
        let protocol = Protocol::head(head(Some(25)), "head".into(), &Pack::default()).unwrap();
        let (a, b) = (score(&protocol, &a), score(&protocol, &b));
        prop_assert_eq!((a - b).to_bits(), (-(b - a) + 0.0).to_bits());
    }
}
