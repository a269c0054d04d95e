//! Bad input ends with code 2, one exact message, nothing on stdout, and an earlier run left as it
//! was.

mod configuration;
mod data;
mod judges;
mod missing_responses;
mod run_directory;
mod settings;

use crate::common::{Desk, Ran, answer, item, response, snapshot};

const RANK: &str = "rank --data data --judge simulated";

/// Three items, three systems, and a finished run in `kept`.
fn desk() -> Desk {
    let desk = Desk::new(3, &["a", "b", "c"]);
    desk.done(&format!("{RANK} --run kept"));
    desk
}

/// Runs what must be refused on the directory of an earlier run, which it must leave as it was.
fn refused(desk: &Desk, arguments: &str) -> String {
    let before = snapshot(&desk.path("kept"));
    assert!(before.contains_key("run.sqlite"));
    let ran = desk.run(&format!("{arguments} --run kept"));
    ran.prints_nothing(2);
    assert!(
        snapshot(&desk.path("kept")) == before,
        "{arguments}: the run in kept was changed"
    );
    ran.stderr
}

#[track_caller]
fn assert_refused(desk: &Desk, arguments: &str, message: &str) {
    assert_eq!(
        refused(desk, arguments),
        format!("error: {message}\n"),
        "{arguments}"
    );
}

/// That these settings are refused, whatever the data.
#[track_caller]
fn assert_setting_refused(settings: &str, message: &str) {
    assert_refused(&desk(), &format!("{RANK} {settings}"), message);
}

#[test]
fn options_that_a_mode_does_not_use_are_refused() {
    let desk = Desk::new(3, &["a", "b"]);
    let live = "--data data --judge simulated";
    for (line, option) in [
        (
            "meta judge --recorded r --reviewed nofile".to_string(),
            "--reviewed",
        ),
        (
            "meta judge --recorded r --prompt-pack nodir".into(),
            "--prompt-pack",
        ),
        (
            "meta judge --recorded r --protocol pairwise".into(),
            "--protocol",
        ),
        ("meta judge --recorded r --panel majority".into(), "--panel"),
        (
            "meta judge --recorded r --design all-pairs".into(),
            "--design",
        ),
        ("audit --recorded r --probes position".into(), "--probes"),
        (format!("rank {live} --panel majority"), "--panel"),
        (format!("rank {live} --adjust holm"), "--adjust"),
        (format!("judge {live} --review-share 0.5"), "--review-share"),
        (
            format!("batch export {live} --out out --max-cost 1"),
            "--max-cost",
        ),
        (format!("audit {live} --tweak-set tweaks"), "--tweak-set"),
    ] {
        let ran = desk.run(&line);
        ran.prints_nothing(2);
        let sentence = format!("error: {option}: it is not used here: ");
        assert!(
            ran.stderr.starts_with(&sentence) && ran.stderr.ends_with("; leave it out\n"),
            "{line}: {}",
            ran.stderr
        );
    }
    desk.write("settings.toml", "review-share = 0.5\n");
    let ran = desk.run(&format!("judge {live} --config settings.toml"));
    assert!(
        ran.code == Some(2)
            && ran
                .stderr
                .starts_with("error: --review-share: it is not used"),
        "{}",
        ran.stderr
    );
    assert!(!desk.path("out").exists() && !desk.path("runs").exists());
}
