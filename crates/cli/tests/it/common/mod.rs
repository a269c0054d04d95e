//! What the tests of the binary share: a desk with a data set on it, and a way to run evenhand
//! there.

mod schemas;
pub(crate) mod served;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A directory of its own, in which evenhand is run: every path in an argument or a message is
/// relative to it.
pub(crate) struct Desk {
    dir: tempfile::TempDir,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The arguments of [`Desk::run`]; empty of any other process.
    arguments: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Desk {
    pub(crate) fn empty() -> Desk {
        Desk {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// A desk with items `q0`, `q1`, ... in `data/items.jsonl`, and in `data/responses.jsonl` a
    /// response of every system to each.
    pub(crate) fn new(items: usize, systems: &[&str]) -> Desk {
        let desk = Desk::empty();
        desk.write("data/items.jsonl", (0..items).map(item).collect::<String>());
        let all =
            (0..items).flat_map(|item| systems.iter().map(move |system| response(item, system)));
        desk.write("data/responses.jsonl", all.collect::<String>());
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn append(&self, name: &str, content: impl AsRef<[u8]>) {
        let before = fs::read(self.path(name)).unwrap();
        self.write(name, [&before, content.as_ref()].concat());
    }

    /// The process that the arguments start, which hold no spaces within.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.dir.path())
            .env("HOME", self.dir.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn start(&self, arguments: &str) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// Runs a command; what it prints as JSON must be what its schema says.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        let mut ran = Ran::of(self.command(arguments).output().unwrap());
        ran.arguments = arguments.into();
        if ran.code == Some(0) {
            schemas::check_output(arguments, &ran.stdout);
        }
        ran
    }

    /// Runs what must end well.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &str) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
        ran
    }

    /// Runs what must be refused: exit code 2, and this on stderr.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &str, said: &str) -> Ran {
        let ran = self.run(arguments);
        ran.ends(2, said);
        ran
    }

    /// The JSON that a command prints which must end well.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        self.done(&format!("{arguments} --format json")).json()
    }

    /// The judgments that `judge` prints.
    pub(crate) fn judgments(&self, arguments: &str) -> Vec<Value> {
        let ran = self.done(&format!("judge {arguments} --format json"));
        ran.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The lines of a file that may not be there yet.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(String::from).collect()
    }

    /// Waits until a file has so many lines: until a process has come so far.
    pub(crate) fn wait_for_lines(&self, name: &str, lines: usize) {
        let started = Instant::now();
        while self.lines(name).len() < lines {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "{name} never had {lines} lines"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran {
            arguments: String::new(),
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Checks the exit code, and what was said on stderr.
    #[track_caller]
    pub(crate) fn ends(&self, code: i32, said: &str) {
        let Ran {
            arguments, stderr, ..
        } = self;
        assert_eq!(self.code, Some(code), "{arguments}: {stderr}");
        self.says(said);
    }

    /// Checks the exit code, and that nothing was printed on stdout.
    #[track_caller]
    pub(crate) fn prints_nothing(&self, code: i32) {
        let Ran {
            arguments,
            stdout,
            stderr,
            ..
        } = self;
        assert_eq!(self.code, Some(code), "{arguments}: {stderr}");
        assert_eq!(stdout, "", "{arguments}: {stderr}");
    }

    /// Checks that it was refused, and that this was said and no more.
    #[track_caller]
    pub(crate) fn is_refused(&self, message: &str) {
        self.prints_nothing(2);
        let arguments = &self.arguments;
        assert_eq!(self.stderr, format!("error: {message}\n"), "{arguments}");
    }

    /// Checks what was said on stderr, beside other things.
    #[track_caller]
    pub(crate) fn says(&self, part: &str) {
        let Ran {
            arguments, stderr, ..
        } = self;
        assert!(
            stderr.contains(part),
            "{arguments}: not said: {part}\n{stderr}"
        );
    }

    /// Checks what was said first on stderr.
    #[track_caller]
    pub(crate) fn says_first(&self, start: &str) {
        let Ran {
            arguments, stderr, ..
        } = self;
        assert!(
            stderr.starts_with(start),
            "{arguments}: not said first: {start}\n{stderr}"
        );
    }

    /// Checks what was printed on stdout, beside other things.
    #[track_caller]
    pub(crate) fn prints(&self, part: &str) {
        let Ran {
            arguments, stdout, ..
        } = self;
        assert!(
            stdout.contains(part),
            "{arguments}: not printed: {part}\n{stdout}"
        );
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// What is printed as JSON, without the one figure that no two runs share.
    pub(crate) fn timeless(&self) -> String {
        let (kept, timed): (Vec<&str>, Vec<&str>) = self
            .stdout
            .lines()
            .partition(|line| !line.contains("\"seconds\": "));
        assert_eq!(timed.len(), 1, "{}", self.stdout);
        kept.join("\n")
    }
}

/// Checks that a text holds a part.
#[track_caller]
pub(crate) fn assert_holds(text: &str, part: &str) {
    assert!(text.contains(part), "not there: {part}\n{text}");
}

/// A line of JSON lines.
pub(crate) fn json_line(value: Value) -> String {
    format!("{value}\n")
}

/// A file of JSON lines.
pub(crate) fn json_lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(json_line).collect()
}

#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn item(item: usize) -> String {
    json_line(
        json!({"id": format!("q{item}"), "instruction": format!("Name thing number {item}.")}),
    )
}

pub(crate) fn response(item: usize, system: &str) -> String {
    answer(item, system, &format!("Thing {item}, says {system}."))
}

pub(crate) fn answer(item: usize, system: &str, output: &str) -> String {
    json_line(json!({"item": format!("q{item}"), "system": system, "output": output}))
}

/// The names of the ranked systems, in the order of the report.
pub(crate) fn systems(report: &Value) -> Vec<&str> {
    rows(report)
        .iter()
        .map(|row| row["system"].as_str().unwrap())
        .collect()
}

pub(crate) fn rows(report: &Value) -> &[Value] {
    report["ranking"].as_array().unwrap()
}

/// The row of a system.
pub(crate) fn row<'a>(report: &'a Value, system: &str) -> &'a Value {
    rows(report)
        .iter()
        .find(|row| row["system"] == system)
        .unwrap()
}

/// What a run directory holds, byte for byte; `-shm` files and empty ones hold nothing.
pub(crate) fn snapshot(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = entries.map(|path| {
        (
            path.file_name().unwrap().to_string_lossy().into_owned(),
            fs::read(path).unwrap(),
        )
    });
    files
        .filter(|(name, bytes)| !name.ends_with("-shm") && !bytes.is_empty())
        .collect()
}

/// The database of a run, as any SQLite client reads it.
pub(crate) fn database(dir: &Path) -> Option<Connection> {
    Connection::open_with_flags(dir.join("run.sqlite"), OpenFlags::SQLITE_OPEN_READ_ONLY).ok()
}
