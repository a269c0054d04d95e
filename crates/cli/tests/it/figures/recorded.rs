//! Figures of recorded judges.

use super::*;

const RANK: &str = "rank --data data --format json --judge";

fn desk() -> Desk {
    let desk = Desk::new(5, &SYSTEMS);
    desk.done(&format!(
        "{RANK} simulated:invalid=0.1,log=asked --run first"
    ));
    desk
}

#[test]
fn replies_give_the_same_ranking() {
    let desk = desk();
    let first = desk.done(&format!("{RANK} simulated:invalid=0.1 --run first"));
    let replay = desk.done(&format!("{RANK} recorded:first --run replay"));
    assert_eq!(replay.timeless(), first.timeless());
    assert_eq!(desk.lines("asked").len(), 60, "nothing was asked anew");
}

/// Reading a recording is no call.
#[test]
fn replies_are_not_calls_made_now() {
    let replay = desk().done(&format!("{RANK} recorded:first --run replay"));
    replay.says(" 0 calls made now");
}

#[test]
fn replies_need_no_run_directory_of_their_own() {
    let desk = desk();
    let replay = desk.done(&format!("{RANK} recorded:first --run first"));
    assert_eq!(
        replay.stderr,
        "run kept in first: 0 calls made now, 60 answered from the store\n"
    );
    assert_eq!(
        replay.timeless(),
        desk.done(&format!("{RANK} simulated:invalid=0.1 --run first"))
            .timeless()
    );
}

/// Numbers are kept and read to the last bit, however often they are recorded.
#[test]
fn replies_with_numbers_are_the_same_to_the_last_bit() {
    let desk = Desk::new(60, &SYSTEMS);
    let rank = "rank --protocol likelihood --aggregate mean --data data --format json --judge";
    let first = desk.done(&format!("{rank} simulated --run first"));
    let replay = desk.done(&format!("{rank} recorded:first --run replay"));
    assert_eq!(replay.timeless(), first.timeless());
    let [first, replay] = ["first", "replay"].map(|run| replies(&desk, run));
    let changed: Vec<_> = first
        .iter()
        .zip(&replay)
        .filter(|(first, replay)| first != replay)
        .collect();
    assert!(
        changed.is_empty(),
        "{} of {} replies, such as {:?}",
        changed.len(),
        first.len(),
        changed[0]
    );
}

fn replies(desk: &Desk, run: &str) -> Vec<String> {
    let db = crate::common::database(&desk.path(run)).unwrap();
    let mut select = db.prepare("SELECT reply FROM calls ORDER BY key").unwrap();
    let rows = select.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn replies_to_another_prompt_have_drifted() {
    let desk = desk();
    desk.write(
        "data/items.jsonl",
        desk.read("data/items.jsonl")
            .replace("number 3", "number three"),
    );
    let report = desk.json("rank --data data --judge recorded:first --run replay");
    assert_eq!(report["coverage"]["trials"], 60);
    assert_eq!(report["coverage"]["failures"]["drifted"], 12);
    assert!(
        warnings(&report).contains("drifted 12"),
        "{}",
        warnings(&report)
    );
    let judgments = desk.judgments("--data data --judge recorded:first --run replay");
    let drifted: Vec<&Value> = judgments
        .iter()
        .filter(|row| row["failure"] == "drifted")
        .collect();
    assert_eq!(drifted.len(), 12);
    for row in drifted {
        assert_eq!(row["item"], "q3");
        assert_eq!(
            row["detail"],
            "the recorded run holds no reply to this request: its prompt, data or settings \
             differ from those recorded"
        );
    }
}
