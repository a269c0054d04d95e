//! The commands: each reads its arguments, calls the engine, and prints.

mod align;
mod audit;
mod batch;
mod check;
mod cite;
mod compare;
mod demo;
mod estimate;
mod figure;
mod install;
mod judge;
mod judgments;
mod kept_run;
mod leaderboard;
mod mcp;
mod merge;
mod meta;
mod migrate;
mod models;
mod plan;
mod prompts;
mod publish;
mod rank;
mod records;
mod report;
mod runs;
mod session;
mod show;
mod store;
mod tweak_set;
mod verdicts;
mod view;

pub(crate) use align::{AlignArgs, align};
pub(crate) use audit::{AuditArgs, audit};
pub(crate) use batch::{BatchCommand, batch};
pub(crate) use check::{CheckArgs, check};
pub(crate) use cite::{CiteArgs, cite};
pub(crate) use compare::{BaselineCommand, CompareArgs, baseline, compare};
pub(crate) use demo::{DemoArgs, demo};
pub(crate) use estimate::estimate;
pub(crate) use install::{CompletionsArgs, ManArgs, print_completions, print_skill, write_manual};
pub(crate) use judge::{JudgeArgs, judge};
pub(crate) use judgments::{JudgmentsArgs, judgments};
pub(crate) use leaderboard::{LeaderboardArgs, leaderboard};
pub(crate) use mcp::{McpArgs, mcp};
pub(crate) use merge::{MergeArgs, merge};
pub(crate) use meta::{MetaCommand, meta};
pub(crate) use migrate::{MigrateArgs, migrate};
pub(crate) use models::{ModelsArgs, models};
pub(crate) use plan::{PlanArgs, plan};
pub(crate) use prompts::{PromptsCommand, prompts};
pub(crate) use publish::{PublishArgs, SiteArgs, publish, site};
pub(crate) use rank::{RankArgs, rank};
pub(crate) use report::report;
pub(crate) use runs::{RunsArgs, runs};
pub(crate) use show::{ShowArgs, show};
pub(crate) use store::{StoreCommand, store};
pub(crate) use verdicts::{check_min_coverage, describe_hopeless_run};
pub(crate) use view::{ViewArgs, view};

use crate::host::{Out, current, for_people};
use crate::{Done, Failed};
use evenhand_engine::write_whole_file;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    match Out::open().write_all(text.as_bytes()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Failed::run(format!("stdout cannot be written: {e}")))
        }
        _ => Ok(()),
    }
}

/// Writes a file that the user asked for.
fn write_asked(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    write_whole_file(path, bytes).map_err(|why| Failed::unwritable(path.display(), why))
}

/// Becomes true at the first Ctrl-C, and the second ends the process at once; or when the host
/// asks.
fn stop_on_ctrl_c() -> Result<Arc<AtomicBool>, Failed> {
    if let Some(host) = current() {
        return Ok(host.stop());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    let on_ctrl_c = move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    };
    ctrlc::set_handler(on_ctrl_c)
        .map_err(|e| Failed::Run(format!("Ctrl-C cannot be handled: {e}")))?;
    Ok(stop)
}
