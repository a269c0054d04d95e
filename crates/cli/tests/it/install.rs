//! What is installed beside the program: completions for shells, and manual pages.

use crate::common::Desk;
use std::process::{Command, Output};

/// Commands, and some of their options.
const COMMANDS: [(&str, &[&str]); 10] = [
    ("rank", &["--data", "--judge", "--differences", "--fail-if"]),
    ("leaderboard", &["--left", "--winner", "--labels"]),
    ("judge", &["--for-review"]),
    ("estimate", &["--prices"]),
    ("batch", &[]),
    ("meta", &[]),
    ("audit", &["--probes"]),
    ("check", &["--verdicts"]),
    ("align", &["--segmentation"]),
    ("prompts", &[]),
];

#[test]
fn each_shell_gets_a_script_with_every_command_and_option() {
    let desk = Desk::empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = desk.done(&format!("completions {shell}")).stdout;
        for (command, options) in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
            // fish has long options without their dashes
            let missing: Vec<_> = options
                .iter()
                .filter(|option| !script.contains(option.trim_start_matches('-')))
                .collect();
            assert!(missing.is_empty(), "{shell} {command}: {missing:?}");
        }
    }
    assert_eq!(desk.run("completions tcsh").code, Some(2));
}

/// The program's output, if this machine has it.
fn tool(program: &str, arguments: &[&str], desk: &Desk) -> Option<Output> {
    let ran = Command::new(program)
        .args(arguments)
        .current_dir(desk.path(""))
        .output();
    if ran.is_err() {
        eprintln!("skipped: {program} is not on this machine");
    }
    ran.ok()
}

#[cfg(unix)]
#[test]
fn bash_reads_its_script_and_completes_with_it() {
    let desk = Desk::empty();
    desk.write("evenhand.bash", desk.done("completions bash").stdout);
    let Some(parsed) = tool("bash", &["-n", "evenhand.bash"], &desk) else {
        return;
    };
    assert!(
        parsed.status.success() && parsed.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&parsed.stderr)
    );
    let ask = "source ./evenhand.bash; COMP_WORDS=(evenhand rank --diff); COMP_CWORD=2; _evenhand \
               evenhand --diff rank; echo ${COMPREPLY[@]}";
    let completed = tool("bash", &["-c", ask], &desk).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&completed.stdout),
        "--differences\n",
        "{}",
        String::from_utf8_lossy(&completed.stderr)
    );
}

#[test]
fn every_command_has_a_manual_page() {
    let desk = Desk::empty();
    desk.done("man share/man1");
    let whole = desk.read("share/man1/evenhand.1");
    for (command, options) in COMMANDS {
        assert!(whole.contains(command), "{command}");
        let page = desk.read(&format!("share/man1/evenhand-{command}.1"));
        // roff writes a hyphen that is no minus sign as \-
        let page = page.replace("\\-", "-");
        assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{page}");
        assert!(
            options.iter().all(|option| page.contains(option)),
            "{command}: {page}"
        );
    }
    desk.read("share/man1/evenhand-meta-judge.1");
    let Some(read) = tool("man", &["-l", "share/man1/evenhand-rank.1"], &desk) else {
        return;
    };
    let text = String::from_utf8_lossy(&read.stdout).into_owned();
    assert!(
        read.status.success() && text.contains("rank the systems that gave them"),
        "{read:?}"
    );
    desk.write("in-the-way", "");
    assert_eq!(desk.run("man in-the-way").code, Some(2));
}
