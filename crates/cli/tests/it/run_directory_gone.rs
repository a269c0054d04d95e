//! A run whose directory vanishes while its judge is waited for says so, and does not wait for
//! replies that it cannot keep.

use crate::common::served::*;
use crate::common::{Desk, Ran};
use evenhand_testing::server::{Script, Server};
use std::time::Duration;

/// Longer than any of these runs may take: a run that waits for a reply is seen by the reply.
const LATENCY: Duration = Duration::from_secs(25);
/// How long a server that is down is waited for, for the same reason.
const PATIENCE: &str = "longest-pause = 30";

fn assert_told(ran: &Ran) {
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let said = [
        "error: run: the run directory is gone",
        "replies that came since are not kept there",
        "run the same command again",
    ];
    assert!(
        said.iter().all(|said| ran.stderr.contains(said)),
        "{}",
        ran.stderr
    );
    assert!(
        !ran.stderr.contains("goes on from here") && !ran.stderr.contains("panicked"),
        "{}",
        ran.stderr
    );
}

/// Starts a command whose judge does not reply for long, removes its directory once it has asked,
/// and waits for its end.
fn vanished(command: &str, then: impl Fn(u32)) -> (Ran, Server) {
    let desk = Desk::new(4, &SYSTEMS);
    let server = start(Script {
        latency: LATENCY,
        ..quick()
    });
    configure(&desk, &[&server.url()], "");
    let child = desk.start(command);
    wait_for_requests(&server, 1);
    std::fs::remove_dir_all(desk.path("run")).unwrap();
    then(child.id());
    (Ran::of(child.wait_with_output().unwrap()), server)
}

#[test]
fn a_directory_that_vanishes_is_told_before_the_judge_answers() {
    let told = |command: &str| {
        let (ran, server) = vanished(&format!("{command} {MINE} --run run"), |_| ());
        assert_told(&ran);
        assert_eq!(server.stop().replied, 0, "{command} waited for the judge");
    };
    std::thread::scope(|all| {
        for command in [
            "rank",
            "judge",
            "audit",
            "audit --rewrites none --rewriter mine",
        ] {
            all.spawn(move || told(command));
        }
    });
}

/// It is no stop from which a run could go on.
#[cfg(unix)]
#[test]
fn a_run_without_its_directory_that_is_stopped_tells_that_it_is_gone() {
    let interrupt = |id: u32| {
        let sent = std::process::Command::new("kill")
            .args(["-INT", &id.to_string()])
            .status();
        assert!(sent.unwrap().success());
    };
    let (ran, _) = vanished(&format!("rank {MINE} --run run"), interrupt);
    assert_told(&ran);
}

#[test]
fn a_directory_that_vanishes_is_told_while_a_server_that_is_down_is_waited_for() {
    let desk = Desk::new(4, &SYSTEMS);
    let server = start(quick());
    let url = server.url();
    server.stop();
    configure(&desk, &[&url], PATIENCE);
    let child = desk.start(&format!("rank {MINE} --run run"));
    wait_for_run(&desk);
    std::fs::remove_dir_all(desk.path("run")).unwrap();
    assert_told(&Ran::of(child.wait_with_output().unwrap()));
}

/// Waits until a run has made its directory and all that belongs there.
fn wait_for_run(desk: &Desk) {
    let begun = || {
        desk.path("run/run.sqlite-wal")
            .metadata()
            .is_ok_and(|log| log.len() > 0)
    };
    (0..6000)
        .find(|_| {
            begun() || {
                std::thread::sleep(Duration::from_millis(10));
                false
            }
        })
        .unwrap();
}
