//! Runs keep verdicts that stand, and sums, so that millions of judgments need not be made or read
//! again: with them and without them everything is said the same.

use crate::common::Desk;
use rusqlite::Connection;

const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

/// Runs of every form of verdict, of judges that fail, are asked several times, disagree and look
/// twice.
const RUNS: [&str; 9] = [
    "--judge simulated:gap=0.2",
    "--judge simulated:gap=0.2,invalid=0.2,refuse=0.1",
    "--judge simulated:gap=0.2,invalid=0.1 --judge simulated:gap=0.1,seed=2",
    "--judge simulated:gap=0.2 --protocol pointwise/direct",
    "--judge simulated:gap=0.2 --protocol listwise:3/direct/swap",
    "--judge simulated:gap=0.2 --protocol pairwise/direct/swap:tie",
    "--judge simulated:gap=0.2,invalid=0.1 --protocol pairwise/cot/mec:3",
    "--judge simulated:gap=0.2 --protocol checklist",
    "--judge simulated:gap=0.2 --design sample:2",
];

fn desk() -> Desk {
    let desk = Desk::new(40, &SYSTEMS);
    let criteria = (0..40).map(|item| {
        format!(
            "{{\"id\": \"q{item}\", \"instruction\": \"Name thing {item}.\", \
             \"category\": \"c{}\", \"criteria\": [\"names it\", \"is short\"]}}\n",
            item % 3
        )
    });
    desk.write("data/items.jsonl", criteria.collect::<String>());
    desk
}

/// Takes away what follows from the rest, and returns under which names it was kept.
fn take_away(desk: &Desk, run: &str) -> Vec<String> {
    let db = Connection::open(desk.path(run).join("run.sqlite")).unwrap();
    let mut select = db
        .prepare("SELECT name FROM derived ORDER BY name")
        .unwrap();
    let names = select.query_map([], |row| row.get(0)).unwrap();
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>().unwrap();
    db.execute("DELETE FROM derived", []).unwrap();
    names
}

/// Everything that is printed, but for the time that it took.
fn timeless(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains("\"seconds\": "));
    lines
        .map(|line| line.split("; ").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_run_is_shown_the_same_from_its_sums_as_from_its_judgments() {
    let desk = desk();
    for (number, settings) in RUNS.iter().enumerate() {
        for command in ["judge", "rank"] {
            let run = format!("run-{command}-{number}");
            desk.done(&format!("{command} --data data {settings} --run {run}"));
            let show = |format| desk.done(&format!("show {run} --format {format}")).stdout;
            let kept = [show("json"), show("table")];
            assert_eq!(take_away(&desk, &run), ["settled", "summary"], "{settings}");
            assert_eq!(show("json"), kept[0], "{settings}");
            // Of lists no noise is found but by who ranks them.
            if !settings.contains("listwise") {
                assert_eq!(show("table"), kept[1], "{settings}");
            }
        }
    }
}

#[test]
fn judgments_that_stand_are_those_that_are_made_anew() {
    let desk = desk();
    for (number, settings) in RUNS.iter().enumerate() {
        let command = |name: &str, format: &str| {
            let arguments = format!("{name} --data data {settings} --run run-{number}");
            desk.done(&format!("{arguments} --format {format}"))
        };
        for name in ["judge", "rank"] {
            let first = command(name, "json");
            let standing = command(name, "json");
            assert_eq!(
                take_away(&desk, &format!("run-{number}")),
                ["settled", "summary"]
            );
            let anew = command(name, "json");
            assert_eq!(
                timeless(&standing.stdout),
                timeless(&anew.stdout),
                "{settings}"
            );
            assert_eq!(
                timeless(&standing.stdout),
                timeless(&first.stdout),
                "{settings}"
            );
            assert_eq!(standing.stderr, anew.stderr, "{settings}");
        }
    }
}

/// A run that is gone on with is shown with what was judged since.
#[test]
fn sums_are_taken_back_by_whoever_goes_on() {
    let desk = desk();
    let settings = "--data data --judge simulated:gap=0.2 --run run";
    desk.done(&format!("judge {settings}"));
    let whole = desk.done("show run --format json").stdout;
    desk.done("judge --data data --judge simulated:gap=0.2,invalid=0.4 --run other");
    // A session that ends early keeps none, and one that judges on in another run changes nothing.
    let stopped = desk.run(&format!("judge {settings}-2 --max-calls 30"));
    assert_eq!(stopped.code, Some(1), "{}", stopped.stderr);
    assert_eq!(take_away(&desk, "run-2"), ["settled"]);
    assert_eq!(desk.done("show run --format json").stdout, whole);
    let state = &desk.json("show run-2")["state"];
    assert_eq!(state, "stopped");
    desk.done(&format!("judge {settings}-2"));
    assert_eq!(
        desk.json("show run-2")["counts"],
        desk.json("show run")["counts"]
    );
}

#[test]
fn damaged_sums_are_as_good_as_none() {
    let desk = desk();
    desk.done("judge --data data --judge simulated:gap=0.2 --run run");
    let whole = desk.done("show run --format json").stdout;
    for damage in ["{", "{}", "[1]", "{\"systems\": 3}"] {
        let db = Connection::open(desk.path("run").join("run.sqlite")).unwrap();
        db.execute(
            "UPDATE derived SET text = ?1 WHERE name = 'summary'",
            [damage],
        )
        .unwrap();
        drop(db);
        assert_eq!(
            desk.done("show run --format json").stdout,
            whole,
            "{damage}"
        );
    }
}
