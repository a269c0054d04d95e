//! `evenhand demo`.

use super::{print, stop_on_ctrl_c};
use crate::args::help::{OUTPUT, RUN};
use crate::host::{Host, Listener, Moment, current};
use crate::{Called, Done, Ending, Failed};
use clap::Args;
use evenhand_core::shell_word;
use evenhand_engine::PriceTable;
use evenhand_viewer::{ViewOptions, serve};
use std::ffi::OsString;
use std::fs::create_dir_all;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Where the demonstration is kept.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// A folder for its data and runs [default: a new temporary folder]
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: Option<PathBuf>,
    /// Open its runs in a browser even if there is no terminal
    ///
    /// On a terminal they open anyway. Otherwise the demo prints the command that opens them, and
    /// ends.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) open: bool,
}

/// The files that are judged, of examples/quickstart (scripts/make-demo).
const FILES: [(&str, &str); 2] = [
    ("items.jsonl", include_str!("../../data/demo-items.jsonl")),
    (
        "responses.jsonl",
        include_str!("../../data/demo-responses.jsonl"),
    ),
];

/// A judge that is right more often than not, and one that likes what stands first.
const JUDGE: &str = "simulated:gap=0.6,seed=7";
const BIASED_JUDGE: &str = "simulated:gap=0.6,first-slot=0.8,seed=7";

/// The system that would take the place of another.
const NEW: &str = "smollm2-terse";
const OLD: &str = "smollm2-warm";

/// Columns of its sentences, which then stand whole on a terminal and in the README.
const WIDTH: usize = 78;

/// Shows a ranking, a comparison, a gate and an audit, each by the command of its own.
pub(crate) fn demo(args: &DemoArgs) -> Result<Done, Failed> {
    let dir = folder(args.run.as_deref())?;
    write_data(&dir)?;
    let place = |name: &str| dir.join(name).display().to_string();
    let [data, runs] = ["data", "runs"].map(place);
    let [ranking, audit] = ["ranking", "audit"].map(|name| place(&format!("runs/{name}")));
    let pair = format!("{OLD},{NEW}");
    let gate = format!("worse({NEW},{OLD})");
    print(&format!(
        "30 instructions, answers of four systems, and a simulated judge: no model, no network, no \
         key.\nEverything is in {}.\n",
        dir.display()
    ))?;

    let run = ["rank", "--data", &data, "--judge", JUDGE, "--run", &ranking];
    let ranked = shown_command("Which system is best?", &run)?;
    print(&folded(&first_parts(&ranked, 0..2)))?;

    let run = ["compare", &ranking, "--pair", &pair];
    let compared = shown_command("Is a shorter prompt as good?", &run)?;
    print(&folded(&first_parts(&compared, 0..1)))?;

    let run = ["compare", &ranking, "--pair", &pair, "--fail-if", &gate];
    let stopped = shown_command("Can it be released? A gate stops a pipeline", &run)?;
    print(&match stopped.ending {
        Ending::ConditionMet => folded(&format!("{}\nexit code 3\n", stopped.message)),
        Ending::Undecided => folded(&format!("{}\nexit code 4\n", stopped.message)),
        _ => "exit code 0\n".into(),
    })?;

    let run = [
        "audit",
        "--data",
        &data,
        "--judge",
        BIASED_JUDGE,
        "--protocol",
        "pairwise/direct/swap",
        "--probes",
        "position",
        "--rewrites",
        "none",
        "--run",
        &audit,
    ];
    let title = "Can a judge be trusted? This one was made to prefer the first response";
    let audited = shown_command(title, &run)?;
    print(&folded(&first_parts(&audited, 0..1)))?;

    print(&format!(
        "\nSee every judgment, with both orders in a row\n  $ evenhand view {}\n\nYour own\n  $ \
         evenhand rank --data DIR --judge openai:MODEL      instructions and answers, to be \
         judged\n  $ evenhand leaderboard BATTLES.csv                    battles that you have\n  \
         $ evenhand audit --data DIR --judge openai:MODEL     a judge, to be audited\n",
        shell_word(&runs)
    ))?;
    let is_watched = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if args.open || (is_watched && current().is_none()) {
        open(PathBuf::from(runs))?;
    }
    Ok(Done::Fine)
}

/// Returns the folder of the demonstration: a new one, or that of an earlier one.
fn folder(chosen: Option<&Path>) -> Result<PathBuf, Failed> {
    if let Some(dir) = chosen {
        let is_new = std::fs::read_dir(dir).map_or(true, |mut files| files.next().is_none());
        // Of an earlier demonstration; anybody's own data are never written over.
        let is_ours = FILES.iter().all(|(name, text)| {
            let kept = std::fs::read(dir.join("data").join(name));
            kept.is_ok_and(|kept| kept == text.as_bytes())
        });
        if !is_new && !is_ours {
            return Err(Failed::usage(format!(
                "--run {}: the folder has other files in it; name a new one",
                dir.display()
            )));
        }
        return Ok(dir.to_path_buf());
    }
    // It stays for whoever looks further.
    let made = tempfile::Builder::new().prefix("evenhand-demo-").tempdir();
    made.map(TempDir::keep).map_err(|error| {
        let temporary = std::env::temp_dir();
        let why = format!("{error}; name a folder with --run");
        Failed::unwritable(temporary.display(), why)
    })
}

fn write_data(dir: &Path) -> Result<(), Failed> {
    let data = dir.join("data");
    create_dir_all(&data).map_err(|error| Failed::unwritable(data.display(), error))?;
    for (name, text) in FILES {
        super::write_asked(&data.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Says nothing of how a command gets on.
struct Silent;

impl Listener for Silent {
    fn note(&self, _: &str) {}

    fn progress(&self, _: &Moment) {}
}

/// Prints a question and the command that answers it, and runs that.
fn shown_command(question: &str, arguments: &[&str]) -> Result<Called, Failed> {
    let words: Vec<String> = arguments.iter().map(|word| shell_word(word)).collect();
    print(&format!(
        "\n{question}\n  $ evenhand {}\n\n",
        words.join(" ")
    ))?;
    let called = Host::new(Silent).call(arguments.iter().map(OsString::from).collect());
    match called.ending {
        Ending::Done | Ending::ConditionMet | Ending::Undecided => Ok(called),
        Ending::Usage => Err(Failed::Usage(called.message)),
        Ending::Stopped => Err(Failed::Stopped(called.message)),
        Ending::Judge => Err(Failed::Judge(called.message)),
        Ending::Failed => Err(Failed::Run(called.message)),
    }
}

/// Returns some of the parts that a command's table has between blank lines.
fn first_parts(called: &Called, parts: std::ops::Range<usize>) -> String {
    let table = called.printed.table.as_deref().unwrap_or_default();
    let parts = table.split("\n\n").skip(parts.start).take(parts.len());
    parts.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// Returns lines that are too wide for a page, which no table is, broken between words.
fn folded(text: &str) -> String {
    let mut folded = String::new();
    for line in text.lines() {
        if line.chars().count() <= WIDTH {
            folded += line;
            folded.push('\n');
            continue;
        }
        let mut column = 0;
        for word in line.split_whitespace() {
            let size = word.chars().count();
            let gap = match column {
                0 => "",
                _ if column + 1 + size > WIDTH => "\n",
                _ => " ",
            };
            column = match gap {
                " " => column + 1 + size,
                _ => size,
            };
            folded += gap;
            folded += word;
        }
        folded.push('\n');
    }
    folded
}

/// Serves the runs, and opens them in a browser where there is one, until Ctrl-C.
fn open(runs: PathBuf) -> Result<(), Failed> {
    let options = ViewOptions {
        path: runs,
        port: 0,
        host: None,
        prices: PriceTable::default(),
        labels: Vec::new(),
        review: None,
    };
    let stop = stop_on_ctrl_c()?;
    let mut told = Ok(());
    let served = serve(options, &stop, |ready| {
        told = print(&format!("\n{}\nCtrl-C ends it\n", ready.url));
        let (program, first): (&str, &[&str]) = match std::env::consts::OS {
            "macos" => ("open", &[]),
            "windows" => ("cmd", &["/C", "start", ""]),
            _ => ("xdg-open", &[]),
        };
        let mut browser = Command::new(program);
        browser.args(first).arg(&ready.url).stdin(Stdio::null());
        // Without a browser the address is there to be opened elsewhere.
        let _ = browser.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    });
    served.map_err(|error| Failed::Run(error.to_string()))?;
    told
}
