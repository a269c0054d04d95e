//! What goes to stdout, and what to stderr.

use super::*;

#[test]
fn data_goes_to_stdout_and_talk_to_stderr() {
    let desk = desk();
    for format in ["json", "csv", "table"] {
        let ran = desk.done(&format!("{RANK} --run {format} --format {format}"));
        assert_eq!(
            ran.stderr,
            format!("run kept in {format}: 72 calls made now, 0 answered from the store\n")
        );
        assert!(!ran.stdout.contains("run kept in"), "{}", ran.stdout);
    }
}

#[test]
fn quiet_says_nothing_on_stderr() {
    let desk = desk();
    for command in [
        RANK,
        "judge --data data --run run --judge simulated --format json",
        "estimate --data data --judge simulated --store replies",
        "audit --data data --judge simulated --run audit --probes position --figures figures",
    ] {
        let (talk, quiet) = (desk.done(command), desk.done(&format!("{command} --quiet")));
        assert_eq!(
            (quiet.stderr.as_str(), quiet.stdout.is_empty()),
            ("", false)
        );
        assert_ne!(talk.stderr, "");
    }
}

#[test]
fn without_a_run_directory_one_is_named_after_the_settings() {
    let desk = desk();
    let rank = "rank --data data --judge simulated --ci none";
    let runs = || std::fs::read_dir(desk.path("runs")).unwrap().count();
    desk.done(rank);
    let again = desk.done(rank).stderr;
    assert!(
        again.starts_with("run kept in runs/pairwise-direct-swap-"),
        "{again}"
    );
    assert!(
        again.ends_with(": 0 calls made now, 72 answered from the store\n"),
        "{again}"
    );
    assert_eq!(runs(), 1);
    desk.done(&format!("{rank} --protocol pairwise/cot"));
    assert_eq!(runs(), 2);
}
