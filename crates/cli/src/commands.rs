//! The commands: each reads its arguments, calls the engine, and prints.

pub(crate) mod align;
pub(crate) mod audit;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod cite;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod estimate;
mod figure;
pub(crate) mod install;
pub(crate) mod judge;
pub(crate) mod judgments;
mod kept_run;
pub(crate) mod leaderboard;
pub(crate) mod mcp;
pub(crate) mod merge;
pub(crate) mod meta;
pub(crate) mod migrate;
pub(crate) mod models;
pub(crate) mod plan;
pub(crate) mod prompts;
pub(crate) mod publish;
pub(crate) mod rank;
mod records;
pub(crate) mod report;
pub(crate) mod runs;
mod session;
pub(crate) mod show;
pub(crate) mod store;
mod tweak_set;
pub(crate) mod verdicts;
pub(crate) mod view;

use crate::host::{Out, current, for_people};
use crate::{Done, Failed};
use evenhand_engine::write_whole_file;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Prints a help topic.
pub(crate) fn print_topic(text: &str) -> Result<Done, Failed> {
    print(&format!("{text}\n"))?;
    Ok(Done::Fine)
}

/// Prints a text for people on stdout: whatever it quotes, a terminal or the log of a job shows it
/// and does not act on it.
pub(crate) fn print(text: &str) -> Result<(), Failed> {
    print_data(&for_people(text))
}

/// Prints data on stdout as they are, though not to a terminal. A reader that went away is no
/// failure of ours.
pub(crate) fn print_data(text: &str) -> Result<(), Failed> {
    end_printing(Out::open().write_all(text.as_bytes()))
}

/// Judges how printing the last of the results ended: a reader that went away has seen enough.
fn end_printing(written: io::Result<()>) -> Result<(), Failed> {
    match written.map_err(|error| Failed::unwritten(&error)) {
        Err(Failed::Unread) => Ok(()),
        ended => ended,
    }
}

/// Writes a file that the user asked for.
fn write_asked(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    write_whole_file(path, bytes).map_err(|why| Failed::unwritable(path.display(), why))
}

/// Becomes true at the first Ctrl-C, and the second ends the process at once; or when the host
/// asks. Whoever asks again, as one judge after another does, is given the same.
fn stop_on_ctrl_c() -> Result<Arc<AtomicBool>, Failed> {
    static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(host) = current() {
        return Ok(host.stop());
    }
    if let Some(stop) = ASKED.get() {
        return Ok(stop.clone());
    }
    let stop = ASKED.get_or_init(Arc::default);
    let on_ctrl_c = || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    };
    ctrlc::set_handler(on_ctrl_c)
        .map_err(|e| Failed::Run(format!("Ctrl-C cannot be handled: {e}")))?;
    Ok(stop.clone())
}
