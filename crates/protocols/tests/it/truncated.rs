//! Replies that end at their token limit before they say what was asked for.

use crate::common::{Played, play, reply, verdict};
use evenhand_core::{
    CallError, CallErrorKind, CallResult, FailureKind, Finish, Reply, Request, Task, View,
};
use evenhand_protocols::{CutShort, Judges, MORE_ROOM, Protocol};
use std::collections::BTreeSet;

fn played(name: &str, again: bool, script: &dyn Fn(&Request) -> CallResult) -> Played {
    played_as(
        name,
        if again {
            CutShort::WithRoom
        } else {
            CutShort::Final
        },
        script,
    )
}

fn played_as(name: &str, cut_short: CutShort, script: &dyn Fn(&Request) -> CallResult) -> Played {
    let protocol = Protocol::parse(name).unwrap();
    let (item, responses) = (
        crate::common::item("Name a colour."),
        crate::common::responses(&["Red.", "Blue, or so."]),
    );
    let judges = Judges {
        cut_short,
        ..Judges::one("judge")
    };
    play(&protocol, &View::alone(&item, &responses), &judges, script)
}

fn first(request: &Request) -> CallResult {
    Ok(reply(crate::common::reasoned(request, "Because.", 0)))
}

fn tokens(request: &Request) -> u32 {
    match &request.task {
        Task::Generate { decoding, .. } => decoding.max_tokens,
        Task::Score { .. }
        | Task::Embed { .. }
        | Task::Decide { .. }
        | Task::SideBySide { .. }
        | Task::Reward => 0,
    }
}

#[test]
fn they_are_asked_for_once_more_with_more_room() {
    for (name, calls) in [
        ("pairwise", 2),
        ("pairwise/cot", 2),
        ("pairwise-score", 2),
        ("pairwise/prepair", 6),
    ] {
        let usual: BTreeSet<u32> = played(name, true, &first).requests().map(tokens).collect();
        assert!(
            usual
                .iter()
                .all(|tokens| !usual.contains(&(tokens * MORE_ROOM))),
            "{name}: {usual:?}"
        );
        let short = |request: &Request| match usual.contains(&tokens(request)) {
            true => Ok(Reply {
                finish: Finish::Length,
                ..reply("")
            }),
            false => first(request),
        };
        let mended = played(name, true, &short);
        assert!(mended.outcome.is_ok(), "{name}: {:?}", mended.outcome);
        assert_eq!(mended.requests().count(), calls, "{name}");
        assert_eq!(
            mended.calls.len(),
            calls,
            "{name}: the judgment rests on both calls"
        );
        assert_eq!(
            played(name, false, &short).outcome.unwrap_err().kind,
            FailureKind::Truncated,
            "{name}"
        );
    }
}

#[test]
fn what_is_cut_short_again_is_a_failure() {
    let never = |_: &Request| {
        Ok(Reply {
            finish: Finish::Length,
            ..reply("I think")
        })
    };
    let played = played("pairwise", true, &never);
    assert_eq!(
        played.outcome.as_ref().unwrap_err().kind,
        FailureKind::Truncated
    );
    assert_eq!(played.requests().count(), 2);
}

#[test]
fn what_says_its_verdict_before_the_end_is_not_asked_again() {
    let said = |request: &Request| {
        Ok(Reply {
            finish: Finish::Length,
            ..reply(verdict(request, 0))
        })
    };
    assert_eq!(played("pairwise", true, &said).requests().count(), 1);
    let likely = |_: &Request| {
        Ok(Reply {
            finish: Finish::Length,
            answers: Some(vec![0.7, 0.2]),
            ..reply("Well")
        })
    };
    assert_eq!(played("pairwise", true, &likely).requests().count(), 1);
}

/// The limits of tokens of the requests for a verdict whose first reply is cut short like this, and
/// fits up to a limit.
fn limits(cut_short: CutShort, first: Reply, most: u32) -> Vec<u32> {
    let usual = played("pairwise", false, &self::first)
        .requests()
        .map(tokens)
        .next()
        .unwrap();
    let script = |request: &Request| match tokens(request) {
        room if room > most => Err(CallError {
            kind: CallErrorKind::TooLong,
            message: "the context is full".into(),
        }),
        room if room == usual => Ok(Reply {
            finish: Finish::Length,
            ..first.clone()
        }),
        _ => self::first(request),
    };
    let played = played_as("pairwise", cut_short, &script);
    assert!(played.outcome.is_ok(), "{:?}", played.outcome);
    let limits: BTreeSet<u32> = played
        .requests()
        .map(tokens)
        .filter(|room| *room != usual)
        .collect();
    limits
        .into_iter()
        .map(|room| if room == usual * MORE_ROOM { 0 } else { room })
        .collect()
}

#[test]
fn a_judge_that_was_thinking_has_room_to_think() {
    let thinking = [
        Reply {
            reasoning: Some("Let me see.".into()),
            ..reply("")
        },
        reply("<think>Let me see."),
        reply(" "),
        Reply {
            usage: evenhand_core::Usage {
                reasoning_tokens: 8,
                ..Default::default()
            },
            ..reply("A or B?")
        },
    ];
    for first in thinking {
        assert_eq!(limits(CutShort::WithRoom, first, u32::MAX), [16_384]);
    }
    assert_eq!(
        limits(CutShort::WithRoom, reply("The two answers"), u32::MAX),
        [4096]
    );
}

/// What a refused retry says is not what happened: the reply was cut short.
#[test]
fn a_context_without_room_for_more_leaves_the_reply_cut_short() {
    let usual = played("pairwise", false, &self::first)
        .requests()
        .map(tokens)
        .next()
        .unwrap();
    let script = |request: &Request| match tokens(request) {
        room if room > usual => Err(CallError {
            kind: CallErrorKind::TooLong,
            message: "the context is full".into(),
        }),
        _ => Ok(Reply {
            finish: Finish::Length,
            ..reply("The two answers")
        }),
    };
    for cut_short in [CutShort::WithRoom, CutShort::FourTimes] {
        let played = played_as("pairwise", cut_short, &script);
        let failure = played.outcome.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Truncated, "{failure:?}");
    }
}

#[test]
fn a_context_without_that_room_is_asked_for_what_it_has() {
    assert_eq!(
        limits(CutShort::WithRoom, reply("<think>Let me see."), 1000),
        [0, 16_384],
        "0: four times the usual"
    );
    assert_eq!(
        limits(CutShort::FourTimes, reply("<think>Let me see."), u32::MAX),
        [0],
        "as runs of before did"
    );
}
