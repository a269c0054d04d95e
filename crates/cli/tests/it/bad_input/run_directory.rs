//! Run directories that cannot be used.

use super::*;

#[test]
fn that_cannot_be_made_is_named() {
    let desk = desk();
    let ran = desk.run(&format!("{RANK} --run data/items.jsonl/run"));
    let message = "error: data/items.jsonl/run: the run directory cannot be written: Not a \
                   directory (os error 20); choose another with --run DIR\n";
    ran.prints_nothing(2);
    assert_eq!(ran.stderr, message);
    assert_eq!(desk.lines("data/items.jsonl").len(), 3);
}

/// The value of a setting in the message about another configuration.
fn there(message: &str, key: &str) -> String {
    let line = message
        .lines()
        .find_map(|line| line.strip_prefix(&format!("  {key}: the directory has ")));
    line.unwrap_or_else(|| panic!("no {key} in {message}"))
        .to_string()
}

#[test]
fn of_another_configuration_says_which_keys_differ() {
    let desk = desk();
    let message = refused(
        &desk,
        &format!("{RANK} --protocol pairwise/cot --design reference:b"),
    );
    let expected = "error: kept: this run directory belongs to another configuration; give the \
                    same settings, or another --run DIR (with --reuse kept that does not repeat \
                    the calls made here):\n  design: the directory has all-pairs, this command has \
                    reference:b\n  protocol: the directory has pairwise/direct/swap, this command \
                    has pairwise/cot/swap\n";
    assert_eq!(message, expected);
}

#[test]
fn of_another_judge_says_so() {
    let message = refused(&desk(), "rank --data data --judge simulated:gap=1,seed=3");
    assert_eq!(
        there(&message, "judge"),
        "simulated:gap=0.5,seed=0, this command has simulated:gap=1,seed=3"
    );
    assert_eq!(message.lines().count(), 2, "{message}");
}

#[test]
fn of_other_data_says_so_without_digests() {
    let desk = desk();
    desk.write(
        "data/items.jsonl",
        desk.read("data/items.jsonl")
            .replace("number 1", "number one"),
    );
    let message = refused(&desk, RANK);
    let data = "  data: both have 3 items, whose ids, texts, responses, fields or categories differ; \
                --by and --map are part of the data\n";
    assert!(message.ends_with(data), "{message}");
    assert_eq!(
        message.lines().count(),
        2,
        "only the data differ: {message}"
    );
}

#[test]
fn of_another_configuration_is_refused_by_an_estimate_too() {
    let message = refused(
        &desk(),
        "estimate --data data --judge simulated --protocol pairwise/cot",
    );
    assert_eq!(
        there(&message, "protocol"),
        "pairwise/direct/swap, this command has pairwise/cot/swap"
    );
}

#[test]
fn that_holds_something_else_is_left_alone() {
    let desk = desk();
    desk.write(
        "kept/run.sqlite",
        "This is a note that somebody keeps under a name which is also ours.\n".repeat(9),
    );
    let message = "kept: run.sqlite is not a run of evenhand (file is not a database); choose \
                   another with --run DIR";
    assert_refused(&desk, RANK, message);
}

/// Any application may number its own format 1, as ours does: `application_id` tells them
/// apart.
#[test]
fn that_holds_the_database_of_another_program_is_left_alone() {
    let desk = desk();
    desk.write("kept/run.sqlite", "");
    let foreign = rusqlite::Connection::open(desk.path("kept/run.sqlite")).unwrap();
    foreign
        .execute_batch("CREATE TABLE notes (text); PRAGMA user_version = 1;")
        .unwrap();
    drop(foreign);
    let message = refused(&desk, RANK);
    assert!(message.starts_with("error: kept: run.sqlite "), "{message}");
    assert!(
        message.ends_with("choose another with --run DIR\n"),
        "{message}"
    );
}

#[test]
fn of_a_later_version_is_left_alone() {
    let desk = desk();
    let later = rusqlite::Connection::open(desk.path("kept/run.sqlite")).unwrap();
    later
        .execute_batch("PRAGMA user_version = 11; PRAGMA wal_checkpoint(TRUNCATE);")
        .unwrap();
    drop(later);
    let message = "kept: this run was made by another version of evenhand (format 11; this one \
                   reads formats 3 to 10); use that version, or choose another with --run DIR";
    assert_refused(&desk, RANK, message);
}

#[test]
fn that_is_in_use_is_left_to_its_owner() {
    let desk = Desk::new(2, &["a", "b", "c"]);
    let rank = |judge: &str, run: &str| {
        format!("rank --data data --judge simulated:{judge} --run {run} --format json")
    };
    let first = desk.start(&rank("delay-ms=150,log=asked", "shared"));
    desk.wait_for_lines("asked", 1);
    let second = desk.run(&rank("log=asked-too", "shared"));
    let first = Ran::of(first.wait_with_output().unwrap());
    let message = "error: shared: another evenhand process is using this run directory; wait \
                   for it, stop it, or choose another with --run DIR\n";
    second.prints_nothing(2);
    assert_eq!(second.stderr, message);
    assert_eq!(desk.lines("asked-too").len(), 0);
    assert_eq!(
        (first.code, first.stderr.as_str()),
        (
            Some(0),
            "run kept in shared: 12 calls made now, 0 answered from the store\n"
        )
    );
    assert_eq!(first.timeless(), desk.done(&rank("", "alone")).timeless());
}
