//! `--shard` and `merge`: parts of a job on several machines make the run of the whole.

use crate::common::{Desk, database};
use serde_json::{Value, json};

const SYSTEMS: [&str; 3] = ["ant", "bee", "cat"];
const JUDGE: &str =
    "--data data --judge simulated:gap=0.3,invalid=0.05,probabilities=true,log=asked";

/// Everything that follows from the judgments, but for the time and the place.
fn report(desk: &Desk, run: &str, protocol: &str) -> Value {
    let command = format!("rank {JUDGE} --protocol {protocol} --run {run} --format json");
    let mut report = desk.json(&command);
    let usage = report["usage"].as_object_mut().unwrap();
    usage.retain(|name, _| name.contains("token") || name == "calls" || name == "judges");
    report
}

#[test]
fn the_merged_run_is_the_run_of_the_whole() {
    for protocol in [
        "pairwise/direct/swap",
        "pairwise/prepair/swap:none",
        "pointwise:1-10/direct/single",
        "listwise/direct/single",
        "pairwise/cot/mec:3",
    ] {
        let desk = Desk::new(20, &SYSTEMS);
        desk.done(&format!("judge {JUDGE} --protocol {protocol} --run whole"));
        let asked = desk.lines("asked").len();
        for part in 1..=3 {
            desk.done(&format!(
                "judge {JUDGE} --protocol {protocol} --shard {part}/3 --run parts/{part}"
            ));
        }
        // Between them the shards ask what the whole asks.
        assert_eq!(desk.lines("asked").len(), 2 * asked, "{protocol}");
        let merged = desk.json("merge parts --run merged --format json");
        assert_eq!(merged["complete"], true, "{merged}");
        assert_eq!(merged["missing_shards"], json!([]));
        let judgments: u64 = (merged["merged"].as_array().unwrap().iter())
            .map(|row| row["judgments"].as_u64().unwrap())
            .sum();
        assert_eq!(merged["judgments"], judgments);
        let whole = desk.done("judgments whole --format json").stdout;
        assert_eq!(desk.done("judgments merged --format json").stdout, whole);
        assert_eq!(
            report(&desk, "merged", protocol),
            report(&desk, "whole", protocol),
            "{protocol}"
        );
        // Nothing was asked for the ranking.
        assert_eq!(desk.lines("asked").len(), 2 * asked, "{protocol}");
        let items = |run: &str| {
            let db = database(&desk.path(run)).unwrap();
            let mut select = db.prepare("SELECT item FROM items ORDER BY id").unwrap();
            let rows = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
            rows.collect::<Result<Vec<_>, _>>().unwrap()
        };
        assert_eq!(items("merged"), items("whole"));
    }
}

#[test]
fn what_is_missing_is_named_and_asked_for_by_the_whole_job() {
    let desk = Desk::new(20, &SYSTEMS);
    desk.done(&format!("judge {JUDGE} --run whole"));
    desk.done(&format!("judge {JUDGE} --shard 1/3 --run one"));
    let stopped = desk.run(&format!(
        "judge {JUDGE} --shard 3/3 --max-calls 10 --run three"
    ));
    assert_eq!(stopped.code, Some(1), "{}", stopped.stderr);
    let merged = desk.run("merge three one --run merged");
    assert_eq!(merged.code, Some(1));
    for said in [
        "the job is not judged as a whole",
        "no run was given of the shards 2/3",
        "three: ",
        "of its trials have no judgment here",
    ] {
        assert!(merged.stdout.contains(said), "{said}: {}", merged.stdout);
    }
    merged.says("judgments are missing");
    let before = desk.lines("asked").len();
    desk.done(&format!("judge {JUDGE} --run merged"));
    let missing = desk.lines("asked").len() - before;
    assert!(missing > 0 && missing < 120, "{missing}");
    assert_eq!(
        desk.done("judgments merged --format json").stdout,
        desk.done("judgments whole --format json").stdout
    );
}

#[test]
fn doubles_and_conflicts_are_told_apart() {
    let desk = Desk::new(20, &SYSTEMS);
    for run in ["one", "again"] {
        desk.done(&format!("judge {JUDGE} --shard 1/2 --run {run}"));
    }
    desk.done(&format!("judge {JUDGE} --shard 2/2 --run two"));
    let merged = desk.json("merge one again two --run merged --format json");
    assert_eq!(merged["complete"], true);
    let row = |name: &str| {
        let rows = merged["merged"].as_array().unwrap();
        rows.iter().find(|row| row["run"] == name).unwrap().clone()
    };
    // By name where they are the same shard.
    assert_eq!(row("again")["judgments_twice"], 0);
    assert_eq!(row("one")["judgments_twice"], row("again")["judgments"]);
    assert_eq!(row("one")["calls_twice"], row("again")["calls"]);
    assert_eq!(row("one")["judgments_differ"], 0);

    // A judge that said something else when it was asked again.
    let db = rusqlite::Connection::open(desk.path("one/run.sqlite")).unwrap();
    db.execute_batch(
        "DROP TRIGGER calls_are_never_changed;
         UPDATE calls SET reply = replace(reply, '\"text\":\"A\"', '\"text\":\"B\"') WHERE id <= 6;
         CREATE TRIGGER calls_are_never_changed BEFORE UPDATE ON calls BEGIN SELECT \
         RAISE(ABORT, 'calls are append-only'); END;",
    )
    .unwrap();
    drop(db);
    let merged = desk.json("merge again one two --run other --format json");
    let differ = merged["merged"][1]["calls_differ"].as_u64().unwrap();
    assert!((1..=6).contains(&differ), "{merged}");
    assert_eq!(merged["complete"], true, "the first run's verdicts stand");
}

#[test]
fn what_cannot_be_merged_is_said() {
    let desk = Desk::new(20, &SYSTEMS);
    desk.done(&format!("judge {JUDGE} --shard 1/2 --run one"));
    desk.done(&format!(
        "judge {JUDGE} --shard 2/2 --seed 3 --protocol pairwise/direct/single --run other"
    ));
    desk.done(&format!("judge {JUDGE} --shard 3/4 --run quarter"));
    let refused = |command: &str, said: &[&str]| {
        let ran = desk.run(command);
        ran.prints_nothing(2);
        for words in said {
            ran.says(words);
        }
    };
    refused(
        "merge one other --run out",
        &["different jobs", "`protocol` is", "one", "other"],
    );
    refused(
        "merge one quarter --run out",
        &["1/2, 3/4", "of the same total"],
    );
    refused("merge one --run one", &["there is a run already"]);
    refused("merge nowhere --run out", &["nowhere"]);
    let job = |shard: &str| format!("judge {JUDGE} --shard {shard} --run out");
    refused(&job("0/3"), &["PART/OF"]);
    refused(&job("21/21"), &["--shard 21/21", "20 questions"]);
    refused(
        &format!("rank {JUDGE} --design adaptive --shard 1/2 --run out"),
        &["--shard 1/2", "--design"],
    );
    assert!(!desk.path("out").exists());
}
