//! `--retry`: calls whose replies were no use are asked again once their judge is repaired, and no
//! others.

use crate::common::served::*;
use crate::common::{Desk, Ran};
use evenhand_testing::server::{Judge, Script, Server};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A number that follows from the prompt.
fn drawn(prompt: &str) -> usize {
    prompt.bytes().fold(7, |sum: usize, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    }) >> 7
}

/// A judge that says what cannot be read to a third of the prompts until it is repaired, and else
/// whatever it likes.
fn judge() -> (Server, Arc<AtomicBool>) {
    let (script, repaired) = unreadable(3);
    (start(script), repaired)
}

/// The same of every so-many-th prompt.
fn unreadable(every: usize) -> (Script, Arc<AtomicBool>) {
    let repaired = Arc::new(AtomicBool::new(false));
    let sees = repaired.clone();
    let says = move |prompt: &str| match drawn(prompt).is_multiple_of(every)
        && !sees.load(Ordering::Relaxed)
    {
        true => "Hard to say.".into(),
        false => ["A", "B"][drawn(prompt) / 3 % 2].into(),
    };
    (
        Script {
            judge: Some(Judge::new(says)),
            logprobs: false,
            ..quick()
        },
        repaired,
    )
}

fn desk(server: &Server, items: usize) -> Desk {
    let desk = Desk::new(items, &["ant", "bee"]);
    let label = |item: usize| {
        format!("{{\"item\": \"q{item}\", \"a\": \"ant\", \"b\": \"bee\", \"preferred\": \"a\"}}\n")
    };
    desk.write(
        "data/labels.jsonl",
        (0..items).map(label).collect::<String>(),
    );
    configure(&desk, &[&server.url()], "");
    desk
}

fn unparsed(desk: &Desk) -> u64 {
    failures(desk, "run")
        .get("unparsed")
        .map_or(0, |count| *count as u64)
}

#[test]
fn calls_without_a_verdict_are_asked_again_once_the_judge_is_repaired() {
    let (server, repaired) = judge();
    let desk = desk(&server, 12);
    let rank = |more: &str| desk.done(&format!("rank {MINE} --run run --format json {more}"));
    rank("");
    let (first, failed) = (server.stats().requests, unparsed(&desk));
    assert!(
        first == 24 && (3..15).contains(&failed),
        "{failed} of {first}"
    );
    repaired.store(true, Ordering::Relaxed);
    rank("");
    assert_eq!(
        (server.stats().requests, unparsed(&desk)),
        (first, failed),
        "what was answered is not asked again"
    );
    rank("--retry refused,truncated");
    assert_eq!(
        server.stats().requests,
        first,
        "none was refused or cut short"
    );
    let mended = rank("--retry unparsed").json();
    assert_eq!(server.stats().requests, first + failed);
    assert_eq!(unparsed(&desk), 0);
    let note =
        format!("{failed} calls were made again, as their replies were of no use (unparsed)");
    assert!(
        mended["warnings"]
            .as_array()
            .unwrap()
            .contains(&note.into()),
        "{mended:#}"
    );
    let calm = desk.json(&format!("rank {MINE} --run calm --no-reuse"));
    assert_eq!(mended["ranking"], calm["ranking"]);
    let asked = server.stats().requests;
    assert_eq!(rank("").json()["ranking"], calm["ranking"]);
    rank("--retry all");
    assert_eq!(server.stats().requests, asked, "all is well");
    let replayed = desk.json("rank --data data --judge recorded:run --run again");
    assert_eq!(replayed["ranking"], calm["ranking"]);
    assert_eq!(
        rows(
            &desk,
            "run",
            "SELECT count(*) || '' FROM calls WHERE reply LIKE '%Hard to say%'"
        ),
        [failed.to_string()]
    );
}

#[test]
fn a_retry_that_was_stopped_goes_on_and_asks_nothing_a_third_time() {
    let (server, _) = judge();
    let desk = desk(&server, 12);
    desk.done(&format!("rank {MINE} --run run"));
    let (first, failed) = (server.stats().requests, unparsed(&desk));
    let stopped = desk.run(&format!(
        "rank {MINE} --run run --retry unparsed --max-calls {}",
        first + 2
    ));
    stopped.ends(1, "--max-calls");
    assert_eq!(server.stats().requests, first + 2);
    desk.done(&format!("rank {MINE} --run run --retry unparsed"));
    assert_eq!(
        server.stats().requests,
        first + failed,
        "each once more, over both processes"
    );
    desk.done(&format!("rank {MINE} --run run --retry unparsed"));
    assert_eq!(
        (server.stats().requests, unparsed(&desk)),
        (first + 2 * failed, failed),
        "a new command is a new round"
    );
}

#[test]
fn every_command_that_asks_takes_it() {
    for command in [
        "judge",
        "meta judge",
        "audit --probes position",
        "rank --protocol pairwise/prepair/swap",
    ] {
        let (server, repaired) = judge();
        let desk = desk(&server, 6);
        desk.run(&format!("{command} {MINE} --run run --keep-going"));
        let bad = "SELECT count(*) || '' FROM calls WHERE reply LIKE '%Hard to say%'";
        // An audit keeps no judgments; an analysis may say anything.
        let failed = if command.starts_with("audit") {
            rows(&desk, "run", bad)[0].parse().unwrap()
        } else {
            unparsed(&desk)
        };
        let first = server.stats().requests;
        repaired.store(true, Ordering::Relaxed);
        desk.done(&format!("{command} {MINE} --run run --retry unparsed"));
        let again = server.stats().requests - first;
        assert!(
            failed > 0 && again == failed && unparsed(&desk) == 0,
            "{command}: {failed} failed, {again} asked again"
        );
    }
}

#[test]
fn kinds_that_another_reply_cannot_mend_are_refused() {
    let desk = Desk::new(1, &["ant", "bee"]);
    for (kind, why) in [
        ("model-error", "such calls are asked again without it"),
        ("inconsistent", ""),
        ("bad", ""),
    ] {
        let ran = desk.run(&format!(
            "rank --data data --judge simulated --retry {kind}"
        ));
        let known = "expected some of unparsed, refused, truncated, too-long, or all";
        ran.ends(2, known);
        ran.says(why);
    }
}

/// Starts a retry of a judge that is still out of order, disturbs it while some replies are in and
/// some are not, and lets the same command end: no call may have been asked a third time.
fn goes_on_after(disturb: impl Fn(&Desk, Child)) {
    let script = unreadable(3).0;
    let server = start(script.clone());
    let desk = desk(&server, 30);
    configure(&desk, &[&server.url()], "concurrency = 2");
    desk.done(&format!("rank {MINE} --run run"));
    let (asked, failed) = (server.stats().replied, unparsed(&desk));
    server.set_script(Script {
        latency: Duration::from_millis(100),
        ..script.clone()
    });
    let retry = format!("rank {MINE} --run run --retry unparsed");
    let child = desk.start(&retry);
    wait_for(|| server.stats().replied >= asked + 5);
    disturb(&desk, child);
    let attempts = |attempt: u64| -> u64 {
        rows(
            &desk,
            "run",
            &format!("SELECT count(*) || '' FROM calls WHERE attempt = {attempt}"),
        )[0]
        .parse()
        .unwrap()
    };
    assert!(
        (1..failed).contains(&attempts(1)),
        "{} of {failed}",
        attempts(1)
    );
    server.set_script(script);
    desk.done(&retry);
    assert_eq!((attempts(1), attempts(2)), (failed, 0));
}

fn wait_for(is: impl Fn() -> bool) {
    assert!((0..6000).any(|_| is() || {
        std::thread::sleep(Duration::from_millis(5));
        false
    }));
}

#[test]
fn a_retry_that_was_killed_goes_on_and_asks_nothing_a_third_time() {
    goes_on_after(|_, mut child| {
        child.kill().unwrap();
        child.wait().unwrap();
    });
}

#[test]
fn a_retry_whose_directory_was_moved_goes_on_once_it_is_back_and_asks_nothing_a_third_time() {
    goes_on_after(|desk, child| {
        std::fs::rename(desk.path("run"), desk.path("elsewhere")).unwrap();
        let ran = Ran::of(child.wait_with_output().unwrap());
        ran.ends(1, "the run directory is gone");
        std::fs::rename(desk.path("elsewhere"), desk.path("run")).unwrap();
    });
}

/// The first trials of a judge that was not repaired yet fail again, and the run stops: that is no
/// half of a round.
#[test]
fn a_retry_that_came_too_early_can_be_made_again() {
    let (script, repaired) = unreadable(1);
    let server = start(script);
    let desk = desk(&server, 12);
    let rank = |more: &str| desk.run(&format!("rank {MINE} --run run {more}"));
    for (command, asked) in [("", 20), ("--retry unparsed", 40)] {
        let ran = rank(command);
        ran.ends(1, "all ended as `unparsed`");
        assert_eq!(server.stats().requests, asked);
    }
    repaired.store(true, Ordering::Relaxed);
    let mended = rank("--retry unparsed");
    assert_eq!(
        (mended.code, server.stats().requests, unparsed(&desk)),
        (Some(0), 64, 0),
        "{}",
        mended.stderr
    );
}
