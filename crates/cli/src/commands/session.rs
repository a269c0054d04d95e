//! One session of `rank`, `judge` or `meta judge`: from a prepared job to what is in its run
//! directory.

use super::stop_on_ctrl_c;
use super::verdicts::check_coverage;
use crate::Failed;
use crate::args::RunArgs;
use crate::host::keep_run_of_host;
use crate::job::{Prepared, reusable_for};
use evenhand_core::FailureKind;
use evenhand_engine::{
    EngineError, Finished, Job, PriceTable, Progress, Session, Sink, Tally, open_store,
    probe_servers, spent,
};
use evenhand_models::Model;
use evenhand_report::Usage;
use evenhand_store::Store;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Opens the run directory and lets `judge` ask for what is missing there.
pub(super) fn run_session<T>(
    args: &RunArgs,
    prepared: &mut Prepared,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
    judge: impl FnOnce(&mut Session<'_>, &Job) -> Result<T, EngineError>,
) -> Result<T, Failed> {
    let Prepared {
        job,
        model,
        limits,
        unprobed,
        ..
    } = prepared;
    probe_servers(job, unprobed, model.as_mut(), sink, stop)?;
    let mut store = open_run(args, job, model.as_ref())?;
    let dir = store.dir().to_path_buf();
    let mut session = Session::new(model.as_mut(), &mut store, sink)
        .with_limits(limits.clone())
        .with_stop(stop);
    // The store is closed at the end, so that another process may have the run directory while this
    // one reports.
    judge(&mut session, job).map_err(|error| name_run(error, &dir))
}

/// Judges the whole plan of a job, until the user stops it.
pub(super) fn judge_plan(
    args: &RunArgs,
    prepared: &mut Prepared,
    sink: &mut dyn Sink,
) -> Result<Finished, Failed> {
    let stop = stop_on_ctrl_c()?;
    run_session(args, prepared, sink, &stop, |session, job| session.run(job))
}

/// Opens the run directory, with what other runs hold copied in.
pub(super) fn open_run(args: &RunArgs, job: &Job, model: &dyn Model) -> Result<Store, EngineError> {
    let reusable = reusable_for(args, job, model)?;
    let store = open_store(job, args.run.as_deref(), &reusable)?;
    keep_run_of_host(Some(store.dir()));
    Ok(store)
}

/// Adds the run directory to the message of a run that ended early and can be continued.
fn name_run(error: EngineError, dir: &Path) -> Failed {
    match error {
        EngineError::Stopped { .. } | EngineError::Limit { .. } => {
            Failed::Stopped(format!("{error} (run directory {})", dir.display()))
        }
        error => error.into(),
    }
}

/// Returns what all calls of a run have used, and how long this process took.
pub(super) fn sum_usage(finished: &Finished, prices: &PriceTable, started: Instant) -> Usage {
    let seconds = started.elapsed().as_secs_f64();
    Usage::new(&spent(&finished.totals, prices), seconds)
}

/// Says where the run is and what it took, and refuses one with too few verdicts.
pub(super) fn conclude_run(
    finished: &Finished,
    args: &RunArgs,
    tally: &Tally,
) -> Result<(), Failed> {
    let output = &args.output;
    output.quiet.say(&describe_run(finished, args));
    let unanswered = tally
        .coverage()
        .failures
        .get(FailureKind::ModelError.name());
    if let Some(missing) = unanswered.filter(|missing| **missing > 0) {
        let all = tally.coverage().trials;
        output.quiet.say(&format!(
            "{missing} of {all} judgments are missing, as the judge did not answer their calls; the \
             same command asks for them alone"
        ));
    }
    check_coverage(tally, output.min_coverage, &finished.dir)
}

/// Says where the run is, what this process had to ask, and what it copied from other runs where
/// there are any.
fn describe_run(finished: &Finished, args: &RunArgs) -> String {
    format!(
        "run kept in {}: {} calls made now, {}{} answered from the store",
        finished.dir.display(),
        finished.progress.calls,
        describe_others(finished, args),
        count_stored(finished)
    )
}

/// Counts the calls that the run had before this process.
fn count_stored(finished: &Finished) -> u64 {
    let Progress { calls, reused, .. } = finished.progress;
    count_calls(finished).saturating_sub(calls + reused)
}

fn count_calls(finished: &Finished) -> u64 {
    finished.totals.iter().map(|judge| judge.calls).sum()
}

fn describe_others(finished: &Finished, args: &RunArgs) -> String {
    let calls = finished.progress.reused;
    // Where the user named runs, that they were of no use is worth a word.
    if calls == 0 && args.reuse.reuse.is_empty() {
        return String::new();
    }
    format!(
        "{calls} reused from other runs{}, ",
        describe_reused(finished)
    )
}

fn describe_reused(finished: &Finished) -> String {
    if finished.reused_from.is_empty() {
        return String::new();
    }
    let runs = finished.reused_from.iter();
    let counts = runs.map(|(run, calls)| format!("{} {calls}", run.display()));
    format!(" ({})", counts.collect::<Vec<_>>().join(", "))
}
