//! One session of `rank`, `judge` or `meta judge`: from a prepared job to what is in its run
//! directory.

use crate::Failed;
use crate::args::RunArgs;
use crate::job::{Prepared, reusable_for};
use evenhand_engine::{
    EngineError, Finished, Job, PriceTable, Progress, Session, Sink, open_store, spent,
};
use evenhand_report::Usage;
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
        job, model, limits, ..
    } = prepared;
    let reusable = reusable_for(args, job, model.as_ref())?;
    let mut store = open_store(job, args.run.as_deref(), &reusable)?;
    let dir = store.dir().to_path_buf();
    let mut session = Session::new(model.as_mut(), &mut store, sink)
        .with_limits(limits.clone())
        .with_stop(stop);
    // The store is closed at the end, so that another process may have the run directory while this
    // one reports.
    judge(&mut session, job).map_err(|error| name_run(error, &dir))
}

/// Adds the run directory to the message of a run that ended early and can be continued.
fn name_run(error: EngineError, dir: &Path) -> Failed {
    match error {
        EngineError::Stopped { .. } | EngineError::Limit { .. } => {
            Failed::run(format!("{error} (run directory {})", dir.display()))
        }
        error => error.into(),
    }
}

/// Returns what all calls of a run have used, and how long this process took.
pub(super) fn sum_usage(finished: &Finished, prices: &PriceTable, started: Instant) -> Usage {
    let seconds = started.elapsed().as_secs_f64();
    Usage::new(&spent(&finished.totals, prices), seconds)
}

/// Says where the run is, what this process had to ask, and what it copied from other runs where
/// there are any.
pub(super) fn describe_run(finished: &Finished, args: &RunArgs) -> String {
    let Progress { calls, reused, .. } = finished.progress;
    let all: u64 = finished.totals.iter().map(|judge| judge.calls).sum();
    let stored = all.saturating_sub(calls + reused);
    let from_others = if args.reuse.reuse.is_empty() && reused == 0 {
        String::new()
    } else {
        describe_reused(finished)
    };
    format!(
        "run kept in {}: {calls} calls made now, {from_others}{stored} answered from the store",
        finished.dir.display()
    )
}

fn describe_reused(finished: &Finished) -> String {
    let calls = finished.progress.reused;
    let runs: Vec<String> = finished
        .reused_from
        .iter()
        .map(|(run, calls)| format!("{} {calls}", run.display()))
        .collect();
    if runs.is_empty() {
        return format!("{calls} reused from other runs, ");
    }
    format!("{calls} reused from other runs ({}), ", runs.join(", "))
}
