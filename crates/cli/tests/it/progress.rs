//! What a run says of itself while it runs, by the clock and not by what happens.

use crate::common::Desk;
use crate::common::served::*;
use evenhand_testing::server::{Fault, Script};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// The lines on stderr up to the first that says this.
fn lines_until(child: &mut Child, text: &str) -> Vec<String> {
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut lines = Vec::new();
    for line in stderr.lines() {
        lines.push(line.unwrap());
        if lines.last().is_some_and(|line| line.contains(text)) {
            break;
        }
    }
    lines
}

/// Where one request hangs, nothing happens: the clock alone shows it.
#[test]
fn a_request_that_hangs_is_named_with_how_long_it_has_waited() {
    let desk = Desk::new(2, &SYSTEMS);
    let stall = Script {
        faults: 0.04,
        fault_kinds: vec![Fault::Stall],
        fault_attempts: Some(1),
        seed: 1,
        ..quick()
    };
    let server = start(stall);
    // With a time of its own, a call that others overtake is not sent again before that is over.
    configure(&desk, &[&server.url()], "least-timeout = 60");
    let mut command = desk.command(&format!("rank {MINE} --run run"));
    let mut child = command
        .env("EVENHAND_PROGRESS_SECONDS", "0.2")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let lines = lines_until(&mut child, " without an answer for ");
    let _ = (child.kill(), child.wait());
    let last = lines.last().unwrap();
    assert!(
        last.contains(" of 40 calls, ") && last.contains(" of 40 verdicts, "),
        "{lines:#?}"
    );
    // Which requests hang follows from their texts: one of them or more.
    assert!(last.contains(" without an answer for 5 s"), "{lines:#?}");
    assert!(lines.len() > 10, "a line at every tick: {lines:#?}");
}
