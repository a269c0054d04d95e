//! What comes through a pipe is read whole, as a file is: nothing is lost to looking into it first.
#![cfg(unix)]

use crate::common::{Desk, Ran};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

/// Runs the command with this text coming in pieces on its standard input.
fn piped(desk: &Desk, arguments: &str, text: &str) -> Ran {
    let mut child = desk
        .command(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, text) = (child.stdin.take().unwrap(), text.to_string());
    let writer = std::thread::spawn(move || {
        let (first, rest) = text.split_at(text.find('\n').unwrap() + 1);
        stdin.write_all(first.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        stdin.write_all(rest.as_bytes()).unwrap();
    });
    writer.join().unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

fn assert_same(desk: &Desk, arguments: &str, file: &str) {
    let text = desk.read(file);
    let whole = desk.done(&arguments.replace("FILE", file));
    for stdin in ["/dev/stdin", "-"] {
        let ran = piped(desk, &arguments.replace("FILE", stdin), &text);
        assert_eq!(
            (ran.code, ran.stdout),
            (Some(0), whole.stdout.clone()),
            "{arguments}: {}",
            ran.stderr
        );
    }
}

#[test]
fn battles_and_scores_lose_nothing() {
    let desk = Desk::empty();
    let battle = |n: usize| {
        format!(
            "{{\"model_a\": \"s0\", \"model_b\": \"s{}\", \"winner\": \"model_a\"}}\n",
            1 + n % 3
        )
    };
    desk.write("battles.jsonl", (0..6000).map(battle).collect::<String>());
    let score = |n: usize| {
        format!(
            "{{\"item\": \"{}\", \"system\": \"s{}\", \"score\": {}}}\n",
            n / 2,
            n % 2,
            n % 7
        )
    };
    desk.write("scores.jsonl", (0..6000).map(score).collect::<String>());
    for file in ["battles.jsonl", "scores.jsonl"] {
        assert_same(&desk, "leaderboard FILE --ci none --format csv", file);
    }
}

#[test]
fn rankings_and_responses_are_read() {
    let desk = Desk::new(4, &["ant", "bee"]);
    desk.write("ranking.csv", "system,score\nant,2\nbee,1\ncat,0\n");
    desk.write("ratings.csv", "system,rating\nant,3\nbee,1\ncat,2\n");
    assert_same(
        &desk,
        "meta bencher --ranking r=FILE --ratings ratings.csv --format json",
        "ranking.csv",
    );
    assert_same(
        &desk,
        "judge --data data/items.jsonl FILE --judge simulated --run run --format csv",
        "data/responses.jsonl",
    );
}

/// A reader that has seen enough, such as `head`, is no failure, and nothing is said of it; a
/// condition that is met still decides.
#[test]
fn a_reader_that_goes_away_ends_a_command_quietly() {
    let desk = Desk::new(30, &["a", "b"]);
    let rows: String = (0..50).map(|at| format!("q{at},a,b,model_b\n")).collect();
    desk.write(
        "battles.csv",
        format!("item,model_a,model_b,winner\n{rows}"),
    );
    desk.done("rank --data data --judge simulated:gap=0.2 --quiet --run run");
    for (arguments, code) in [
        ("leaderboard battles.csv --rounds 20", 0),
        ("leaderboard battles.csv --rounds 20 --format json", 0),
        ("leaderboard battles.csv --rounds 20 --format csv", 0),
        (
            "leaderboard battles.csv --rounds 20 --fail-if worse(a,b)",
            3,
        ),
        ("judgments run --format csv", 0),
        ("judgments run --format json", 0),
        ("judgments run --format parquet", 0),
        ("judgments run", 0),
        ("--help", 0),
    ] {
        let mut child = desk.start(arguments);
        drop(child.stdout.take());
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert!(!ran.stderr.contains("error"), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
    }
}
