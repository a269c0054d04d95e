//! The order in which replies arrive, and what a finished transcript asks.

use super::*;

/// Delivers one reply at a time, the next one chosen by `pick`; a run may end only when nothing
/// that it asked for is under way.
fn trickle(
    protocol: &Protocol,
    trial: &Trial,
    script: Script,
    pick: &dyn Fn(usize) -> usize,
) -> Outcome {
    let mut transcript: HashMap<RequestKey, CallResult> = HashMap::new();
    let mut under_way: BTreeMap<RequestKey, Request> = BTreeMap::new();
    loop {
        match run(protocol, &trial.view(), &Judges::one("judge"), 0, &|key| {
            transcript.get(key).cloned()
        }) {
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
        for pick in picks {
            assert_eq!(
                trickle(protocol, &trial, &script, pick),
                together,
                "{protocol}"
            );
        }
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
