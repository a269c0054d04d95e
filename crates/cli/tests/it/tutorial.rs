//! The commands of docs/tutorials, run in an empty folder: what they print is what the page shows.
//! `EVENHAND_WRITE_GOLDEN=1` writes it into the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// A shell in a folder, with the binary on its path.
struct Shell {
    dir: tempfile::TempDir,
    last_code: i32,
}

impl Shell {
    fn run(&mut self, command: &str) -> String {
        if command == "echo $?" {
            return format!("{}\n", self.last_code);
        }
        let command = command.replace("EXAMPLES", repository().join("examples").to_str().unwrap());
        let bin = Path::new(env!("CARGO_BIN_EXE_evenhand")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let ran = Command::new("sh")
            .args(["-c", &command])
            .current_dir(self.dir.path())
            .env("PATH", path)
            .env("HOME", self.dir.path())
            .output()
            .unwrap();
        self.last_code = ran.status.code().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert!(
            self.last_code != 2 && self.last_code != 1,
            "{command}: {said}"
        );
        without_seconds(&String::from_utf8(ran.stdout).unwrap())
    }
}

/// Takes how long it took off the ends of lines.
fn without_seconds(text: &str) -> String {
    let lines = text.lines().map(|line| match line.rsplit_once("; ") {
        Some((rest, seconds))
            if seconds.trim_end_matches(" now").ends_with(" s") && is_timed(line) =>
        {
            rest
        }
        _ => line.trim_end(),
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// Whether a line says how long a command took.
fn is_timed(line: &str) -> bool {
    line.contains(" usage ") || line.starts_with(" read ")
}

/// Returns the page with what its commands print.
fn run_page(page: &str) -> String {
    let mut shell = Shell {
        dir: tempfile::tempdir().unwrap(),
        last_code: 0,
    };
    let (mut out, mut in_block) = (String::new(), false);
    for line in page.lines() {
        match line {
            "```console" => in_block = true,
            "```" => in_block = false,
            _ => {}
        }
        let command = line.strip_prefix("$ ").filter(|_| in_block);
        let is_output = in_block && command.is_none() && line != "```console";
        if !is_output {
            out += &format!("{line}\n");
        }
        out += &command
            .map(|command| shell.run(command))
            .unwrap_or_default();
    }
    out
}

/// Runs the commands of a page, and holds what they print against what it shows; returns it.
fn check(name: &str) -> String {
    let file = repository().join("docs/tutorials").join(name);
    let page = fs::read_to_string(&file).unwrap();
    let now = run_page(&page);
    if std::env::var_os("EVENHAND_WRITE_GOLDEN").is_some() {
        fs::write(&file, &now).unwrap();
    }
    assert_eq!(
        now, page,
        "{name}: EVENHAND_WRITE_GOLDEN=1 writes the page anew"
    );
    now
}

#[cfg(unix)]
#[test]
fn the_page_on_regressions_shows_what_its_commands_print() {
    let now = check("regression.md");
    assert!(now.contains("rest on the same replies in both"), "{now}");
}

#[cfg(unix)]
#[test]
fn the_page_on_two_prompts_shows_what_its_commands_print() {
    let now = check("two-prompts.md");
    assert!(now.contains("inconclusive"), "{now}");
}

#[cfg(unix)]
#[test]
fn the_page_on_a_leaderboard_shows_what_its_commands_print() {
    let now = check("community-leaderboard.md");
    assert!(now.contains("\nthe same\n"), "{now}");
}

#[cfg(unix)]
#[test]
fn the_page_on_people_shows_what_its_commands_print() {
    let now = check("judge-against-people.md");
    assert!(now.contains("accuracy %"), "{now}");
}

#[cfg(unix)]
#[test]
fn the_page_on_audits_shows_what_its_commands_print() {
    let now = check("audit-first.md");
    assert!(now.contains("no bias was found"), "{now}");
}

/// A page that no test runs would age.
#[test]
fn every_page_is_run() {
    let pages = fs::read_dir(repository().join("docs/tutorials")).unwrap();
    assert_eq!(pages.count(), 5);
}
