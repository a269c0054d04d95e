//! What people see on terminals of several widths, and that a pipe is given all.
#![cfg(target_os = "linux")]

use crate::common::{Desk, assert_holds};
use std::process::{Command, Stdio};

const SYSTEMS: [&str; 8] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta",
];

/// Battles of eight systems that are equal, so that no neighbours are told apart.
fn equals() -> Desk {
    let desk = Desk::empty();
    let mut battles = String::from("model_a,model_b,winner\n");
    for (n, a) in SYSTEMS.iter().enumerate() {
        for b in &SYSTEMS[n + 1..] {
            (0..4).for_each(|game| {
                battles += &format!("{a},{b},{}\n", ["model_a", "model_b"][game % 2])
            });
        }
    }
    desk.write("battles.csv", battles);
    desk
}

/// What the command shows on a terminal that is so wide, if this machine has `script` to make one.
fn on_terminal(desk: &Desk, width: usize, arguments: &str) -> Option<String> {
    let inner = format!(
        "stty cols {width} rows 50; exec {} {arguments}",
        env!("CARGO_BIN_EXE_evenhand")
    );
    let ran = Command::new("script")
        .args(["-qec", &inner, "/dev/null"])
        .current_dir(desk.path(""))
        .stdin(Stdio::null())
        .output();
    let Ok(ran) = ran else {
        eprintln!("skipped: script (util-linux) is not on this machine");
        return None;
    };
    assert!(ran.status.success(), "{ran:?}");
    Some(String::from_utf8(ran.stdout).unwrap().replace("\r\n", "\n"))
}

#[test]
fn a_report_fits_terminals_of_all_widths() {
    let desk = equals();
    let arguments = "leaderboard battles.csv --rounds 200 --differences --prior 1";
    let piped = desk.done(arguments).stdout;
    assert!(
        piped.lines().any(|line| line.chars().count() > 100),
        "{piped}"
    );
    for (width, left_out) in [
        (30, "4 columns left out"),
        (40, "2 columns left out"),
        (60, "1 column left out"),
        (80, ""),
        (120, ""),
    ] {
        let Some(shown) = on_terminal(&desk, width, arguments) else {
            return;
        };
        let note =
            format!("{left_out} for the width of {width}; --verbose or --format csv has all");
        let one_line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(one_line.contains(&note), !left_out.is_empty(), "{shown}");
        assert!(
            shown.lines().all(|line| line.chars().count() <= width),
            "{width}: {shown}"
        );
        assert!(
            SYSTEMS.iter().all(|system| shown.contains(system)) && shown.contains("score"),
            "{shown}"
        );
        assert!(one_line.contains("and 18 more; --verbose"), "{shown}");
        let warned = shown
            .lines()
            .filter(|line| line.trim_start().starts_with("warning"))
            .count();
        assert!(
            warned == 1
                && one_line.contains("1 warning; --verbose has all in full") == (width < 120),
            "{shown}"
        );
    }
    let Some(verbose) = on_terminal(&desk, 80, &format!("{arguments} --verbose")) else {
        return;
    };
    let words = |text: &str| {
        let kept = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("read "));
        kept.flat_map(str::split_whitespace)
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&verbose), words(&piped), "{verbose}");
}

#[test]
fn a_pipe_is_given_the_same_with_and_without_verbose() {
    let desk = equals();
    let kept = |text: String| {
        text.lines()
            .filter(|line| !line.trim_start().starts_with("read "))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let arguments = "leaderboard battles.csv --rounds 200 --differences";
    let plain = kept(desk.done(arguments).stdout);
    assert_eq!(
        plain,
        kept(desk.done(&format!("{arguments} --verbose")).stdout)
    );
    assert_eq!(
        plain
            .iter()
            .filter(|line| line.trim_start().starts_with("pair "))
            .count(),
        28
    );
    assert!(
        plain.iter().all(|line| !line.contains("--verbose")),
        "{plain:#?}"
    );
}

#[test]
fn audits_fit_too() {
    let desk = Desk::new(12, &["alpha", "beta"]);
    let audit = "audit --data data --judge simulated --run run --quiet";
    let piped = desk.done(audit).stdout;
    assert!(
        piped.lines().any(|line| line.chars().count() > 120),
        "{piped}"
    );
    for width in [60, 80, 120] {
        let Some(shown) = on_terminal(&desk, width, audit) else {
            return;
        };
        assert!(
            shown.lines().all(|line| line.chars().count() <= width),
            "{width}: {shown}"
        );
        assert_holds(&shown, "figure");
        assert_holds(&shown, "value");
        assert_holds(&shown, "flips by order");
    }
    // Word for word but for rows that one line stands for: of what nothing failed of, and of what
    // no test rests on.
    let whole = desk.done(&format!("{audit} --verbose")).stdout;
    let [whole, piped] = [&whole, &piped].map(|text| {
        let lines = text.lines().filter(|line| !line.is_empty());
        // Columns are as wide as their rows.
        let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        words.collect::<Vec<String>>()
    });
    // The first row of a probe begins with its name.
    let has = |line: &String| whole.iter().any(|row| line.ends_with(row.as_str()));
    let lacking: Vec<&String> = piped.iter().filter(|line| !has(line)).collect();
    assert_eq!(lacking.len(), 2, "{lacking:?}");
    assert_holds(lacking[0], "failed");
    assert_holds(
        lacking[1],
        "figures without a test of their own are left out here; --verbose has them.",
    );
    for row in [
        "flips by order",
        "first slot",
        "assertive: flips beyond neutral",
    ] {
        assert!(piped.iter().any(|line| line.contains(row)), "{row}");
    }
    assert!(!piped.iter().any(|line| line.contains("lowest third")));
    assert!(whole.iter().any(|line| line.contains("lowest third")));
}
