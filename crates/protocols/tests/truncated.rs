//! Replies that end at their token limit before they say what was asked for.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Played, play, reply, verdict};
use evenhand_core::{CallResult, FailureKind, Finish, Reply, Request, Task, View};
use evenhand_protocols::{Judges, MORE_ROOM, Protocol};
use std::collections::BTreeSet;

fn played(name: &str, retry_truncated: bool, script: &dyn Fn(&Request) -> CallResult) -> Played {
    let protocol = Protocol::parse(name).unwrap();
    let (item, responses) = (common::item("Name a colour."), common::responses(&["Red.", "Blue, or so."]));
    let judges = Judges { retry_truncated, ..Judges::one("judge") };
    play(&protocol, &View::alone(&item, &responses), &judges, script)
}

fn first(request: &Request) -> CallResult {
    Ok(reply(common::reasoned(request, "Because.", 0)))
}

fn tokens(request: &Request) -> u32 {
    match &request.task {
        Task::Generate { decoding, .. } => decoding.max_tokens,
        Task::Score { .. } | Task::Embed { .. } => 0,
    }
}

#[test]
fn they_are_asked_for_once_more_with_more_room() {
    for (name, calls) in [("pairwise", 2), ("pairwise/cot", 2), ("pairwise-score", 2), ("pairwise/prepair", 6)] {
        let usual: BTreeSet<u32> = played(name, true, &first).requests().map(tokens).collect();
        assert!(usual.iter().all(|tokens| !usual.contains(&(tokens * MORE_ROOM))), "{name}: {usual:?}");
        let short = |request: &Request| match usual.contains(&tokens(request)) {
            true => Ok(Reply { finish: Finish::Length, ..reply("") }),
            false => first(request),
        };
        let mended = played(name, true, &short);
        assert!(mended.outcome.is_ok(), "{name}: {:?}", mended.outcome);
        assert_eq!(mended.requests().count(), calls, "{name}");
        assert_eq!(mended.calls.len(), calls, "{name}: the judgment rests on both calls");
        assert_eq!(played(name, false, &short).outcome.unwrap_err().kind, FailureKind::Truncated, "{name}");
    }
}

#[test]
fn what_is_cut_short_again_is_a_failure() {
    let never = |_: &Request| Ok(Reply { finish: Finish::Length, ..reply("I think") });
    let played = played("pairwise", true, &never);
    assert_eq!((played.outcome.as_ref().unwrap_err().kind, played.requests().count()), (FailureKind::Truncated, 2));
}

#[test]
fn what_says_its_verdict_before_the_end_is_not_asked_again() {
    let said = |request: &Request| Ok(Reply { finish: Finish::Length, ..reply(verdict(request, 0)) });
    assert_eq!(played("pairwise", true, &said).requests().count(), 1);
    let likely = |_: &Request| Ok(Reply { finish: Finish::Length, answers: Some(vec![0.7, 0.2]), ..reply("Well") });
    assert_eq!(played("pairwise", true, &likely).requests().count(), 1);
}
