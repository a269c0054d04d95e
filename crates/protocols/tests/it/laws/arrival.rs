//! The order in which replies arrive, and what a finished transcript asks.

use super::*;
use crate::common::{item, responses};
use evenhand_protocols::{Awaited, HoldingJudge, run_again};

/// A judge whose server holds replies to a schema.
fn held_judge() -> Judges {
    let mut judges = Judges::one("judge");
    judges.holding.push(HoldingJudge {
        judge: "judge".into(),
        measures: false,
    });
    judges
}

/// Delivers one reply at a time, the next one chosen by `pick`; a run may end only when nothing
/// that it asked for is under way.
fn trickle(
    protocol: &Protocol,
    judges: &Judges,
    trial: &Trial,
    script: Script,
    pick: &dyn Fn(usize) -> usize,
) -> Outcome {
    let mut transcript: HashMap<RequestKey, CallResult> = HashMap::new();
    let mut under_way: BTreeMap<RequestKey, Request> = BTreeMap::new();
    let mut awaited = None;
    loop {
        let known = |key: &RequestKey| transcript.get(key).cloned();
        let pass = run(protocol, &trial.view(), judges, 0, &known);
        // What is known of the last pass changes nothing.
        let again = run_again(protocol, &trial.view(), judges, 0, &known, awaited);
        assert_eq!(format!("{pass:?}"), format!("{again:?}"), "{protocol}");
        match pass {
            Pass::Done(done) => {
                assert!(
                    under_way.is_empty(),
                    "{protocol} ends with {} replies under way: {:?}",
                    under_way.len(),
                    done.outcome
                );
                return done.outcome;
            }
            Pass::Pending(missing) => {
                awaited = Awaited::first_of(&missing);
                under_way.extend(
                    missing
                        .into_iter()
                        .map(|missing| (missing.key, missing.request)),
                );
                let keys: Vec<RequestKey> = under_way.keys().copied().collect();
                let key = keys[pick(keys.len()) % keys.len()];
                let request = under_way.remove(&key).unwrap();
                transcript.insert(key, script(&request));
            }
        }
    }
}

#[test]
fn the_order_in_which_replies_arrive_changes_nothing_and_pending_wins() {
    for protocol in protocols() {
        let trial = Trial::new(protocol);
        let script = |request: &Request| failing(request, 4);
        let together = trial.play(protocol, &script).outcome;
        let picks: [&dyn Fn(usize) -> usize; 3] = [&|_| 0, &|count| count - 1, &|count| count / 2];
        let judges = Judges::one("judge");
        for pick in picks {
            assert_eq!(
                trickle(protocol, &judges, &trial, &script, pick),
                together,
                "{protocol}"
            );
        }
        let held = picks.map(|pick| trickle(protocol, &held_judge(), &trial, &script, pick));
        assert!(held.iter().all(|outcome| *outcome == held[0]), "{protocol}");
    }
}

/// The reply that a pass stopped for is known by its place: here, by that of another trial.
#[test]
fn an_awaited_reply_is_found_without_its_prompt() {
    for judges in [Judges::one("judge"), held_judge()] {
        let protocol = Protocol::parse("pairwise/direct/swap").unwrap();
        let [one, other] = ["One?", "Another?"].map(item);
        let responses = responses(&["first", "second"]);
        let pass = run(
            &protocol,
            &View::alone(&one, &responses),
            &judges,
            0,
            &|_| None,
        );
        let Pass::Pending(missing) = pass else {
            panic!("{pass:?}");
        };
        let awaited = Awaited::first_of(&missing);
        let known = |key: &RequestKey| (*key == missing[0].key).then(|| Ok(reply("A")));
        let view = View::alone(&other, &responses);
        let pass = run_again(&protocol, &view, &judges, 0, &known, awaited);
        assert!(
            matches!(&pass, Pass::Done(done) if done.calls == [missing[0].key]),
            "{pass:?}"
        );
        let pass = run_again(&protocol, &view, &judges, 0, &|_| None, awaited);
        assert!(
            matches!(&pass, Pass::Pending(other) if other[0].key != missing[0].key),
            "{pass:?}"
        );
    }
}

#[test]
fn a_finished_transcript_asks_nothing() {
    for protocol in protocols() {
        let trial = Trial::new(protocol);
        let played = trial.play(protocol, &|request| failing(request, 5));
        match run(protocol, &trial.view(), &Judges::one("judge"), 0, &|key| {
            played.transcript.get(key).cloned()
        }) {
            Pass::Done(done) => assert!(
                done.outcome == played.outcome && done.calls == played.calls,
                "{protocol}"
            ),
            Pass::Pending(missing) => panic!("{protocol}: {} are missing", missing.len()),
        }
    }
}
