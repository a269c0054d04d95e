//! One session of `rank`, `judge` or `meta judge`: from a prepared job to what is in its run
//! directory.

use super::stop_on_ctrl_c;
use super::verdicts::check_coverage;
use crate::Failed;
use crate::args::{NameArgs, ReuseArgs, RunArgs};
use crate::host::keep_run_of_host;
use crate::job::{Prepared, reusable_for};
use crate::progress::Show;
use evenhand_core::{FailureKind, Item, Judgment, Response};
use evenhand_engine::{
    EngineError, Finished, Job, PriceTable, Progress, Session, Sink, Tally, check_new_run,
    open_store, probe_servers, run_dir, spent,
};
use evenhand_models::Model;
use evenhand_pages::Summing;
use evenhand_ranking::{Collected, RankOptions, Report};
use evenhand_report::Usage;
use evenhand_stats::Bootstrap;
use evenhand_store::Store;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Opens the run directory and lets `judge` ask for what is missing there, with progress shown of
/// `planned` trials; returns that with what was seen meanwhile. `see` is shown each judgment before
/// it is counted, and may change what is counted.
pub(super) fn run_session<T>(
    args: &RunArgs,
    prepared: &mut Prepared,
    planned: u64,
    stop: &AtomicBool,
    see: impl FnMut(&mut Judgment, &Item, &[Response]),
    judge: impl FnOnce(&mut Session<'_>, &Job) -> Result<T, EngineError>,
) -> Result<(T, Seen), Failed> {
    let mut gather = Gather {
        see,
        summing: None,
        seen: Seen::default(),
        show: Show::new(args.output.quiet, planned),
    };
    let Prepared {
        job,
        model,
        limits,
        unprobed,
        ..
    } = prepared;
    probe_servers(job, unprobed, model.as_mut(), &mut gather, stop)?;
    check_before_run(args.run.as_deref(), &args.reuse, job, model.as_ref())?;
    let mut store = open_run(args, job, model.as_ref())?;
    let dir = store.dir().to_path_buf();
    // Of a design that chooses, the orders of a pair may stand far apart.
    gather.summing =
        (!job.design.chooses()).then(|| Summing::of(&job.dataset.systems, store.session()));
    let mut session = Session::new(model.as_mut(), &mut store, &mut gather)
        .with_limits(limits.clone())
        .with_stop(stop);
    // The store is closed at the end, so that another process may have the run directory while this
    // one reports.
    let judged = judge(&mut session, job).map_err(|error| Failed::of_run(error, &dir))?;
    prepared.summing = gather.summing;
    Ok((judged, gather.seen))
}

/// Keeps the sums of what was judged in its run, which can then be shown without reading all of it.
pub(super) fn keep_sums(
    finished: &Finished,
    args: &RunArgs,
    prepared: &mut Prepared,
    report: &Report,
) {
    // What people said in place of the judge is in the report, and not in the run; the noise of a
    // run is that of 95 %.
    if args.reviewed.is_some() || report.ci.level != 0.95 {
        return;
    }
    if let Some(summing) = prepared.summing.take() {
        let (totals, noise) = (finished.totals.clone(), report.noise.clone());
        if let Err(why) = summing.keep(&finished.dir, totals, noise) {
            let quiet = &args.output.quiet;
            quiet.say(&format!("sums are not kept in the run: {why}"));
        }
    }
}

/// Judges the whole plan of a job, until the user stops it, and says how it went. `see` is shown
/// each judgment before it is counted, and may change what is counted.
pub(super) fn judge_plan(
    args: &RunArgs,
    prepared: &mut Prepared,
    see: impl FnMut(&mut Judgment, &Item, &[Response]),
) -> Result<Finished, Failed> {
    let stop = stop_on_ctrl_c()?;
    let planned = prepared.job.plan.len();
    let (finished, seen) = run_session(args, prepared, planned, &stop, see, |session, job| {
        session.run(job)
    })?;
    conclude_run(&finished, args, &seen.tally)?;
    Ok(finished)
}

/// Reports what can be said of judgments that are not ranked; only shares have intervals.
pub(super) fn report_judgments(
    args: &RunArgs,
    prepared: &Prepared,
    collected: &Collected,
) -> Result<Report, Failed> {
    let options = RankOptions {
        bootstrap: Bootstrap {
            seed: args.ask.seed,
            threads: args.compute.threads.count(),
            ..Bootstrap::default()
        },
        ..RankOptions::default()
    };
    Ok(Report::of_judgments(&prepared.job, collected, &options)?)
}

/// Holds what a session says beside its judgments: how they came out, and notes.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) tally: Tally,
    /// The session's notes to the user, such as that a server was slow, in the order they came.
    pub(super) notes: Vec<String>,
}

/// Counts judgments and shows progress.
struct Gather<F> {
    see: F,
    summing: Option<Summing>,
    seen: Seen,
    show: Show,
}

impl<F: FnMut(&mut Judgment, &Item, &[Response])> Sink for Gather<F> {
    fn judgment(&mut self, mut judgment: Judgment, item: &Item, responses: &[Response]) {
        if let Some(summing) = &mut self.summing {
            summing.add(&judgment, item, responses);
        }
        (self.see)(&mut judgment, item, responses);
        self.seen.tally.add(&judgment, item, responses);
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }

    fn note(&mut self, note: &str) {
        self.seen.notes.push(note.into());
        self.show.note(note);
    }

    fn passing_note(&mut self, note: &str) {
        self.show.note(note);
    }
}

/// Opens the run directory, with what other runs hold copied in.
pub(super) fn open_run(args: &RunArgs, job: &Job, model: &dyn Model) -> Result<Store, Failed> {
    let mut store = open_named_run(args.run.as_deref(), &args.name, &args.reuse, job, model)?;
    if args.keep_prompts {
        store.keep_whole_prompts();
    }
    Ok(store)
}

/// Checks that the model of a new run can be asked, before its directory is made.
pub(super) fn check_before_run(
    dir: Option<&Path>,
    reuse: &ReuseArgs,
    job: &Job,
    model: &dyn Model,
) -> Result<(), Failed> {
    // Which runs have replies is looked up only where it matters.
    if model.check_ready().is_ok() {
        return Ok(());
    }
    let has_replies = reuse.store.is_some() || !reusable_for(reuse, job, model)?.is_empty();
    Ok(check_new_run(&run_dir(job, dir)?, model, has_replies)?)
}

/// Opens the run directory `dir`, or else that of the job's settings.
pub(super) fn open_named_run(
    dir: Option<&Path>,
    name: &NameArgs,
    reuse: &ReuseArgs,
    job: &Job,
    model: &dyn Model,
) -> Result<Store, Failed> {
    let reusable = reusable_for(reuse, job, model)?;
    // A recording is replayed from its own replies alone.
    let place = reuse.shared_place()?.filter(|_| model.is_live());
    let shared = place.map(|place| place.open()).transpose()?;
    let mut store = open_store(job, dir, &reusable)?;
    if let Some(name) = &name.name {
        store.set_label(name).map_err(EngineError::from)?;
    }
    if let Some(shared) = shared {
        store.set_shared_store(shared).map_err(EngineError::from)?;
    }
    keep_run_of_host(Some(store.dir()));
    Ok(store)
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
    let failures = &tally.coverage().failures;
    let unanswered = failures.get(FailureKind::ModelError.name());
    if let Some(missing) = unanswered.filter(|missing| **missing > 0) {
        let all = tally.coverage().trials;
        output.quiet.say(&format!(
            "{missing} of {all} judgments are missing, as the judge did not answer their calls; \
             the same command asks only for them"
        ));
    }
    check_coverage(tally, output.min_coverage, &finished.dir)
}

/// Says where the run is, what this process had to ask, and what it copied from other runs where
/// there are any.
fn describe_run(finished: &Finished, args: &RunArgs) -> String {
    let Progress {
        calls,
        lost,
        reused,
        ..
    } = finished.progress;
    let all: u64 = finished.totals.iter().map(|judge| judge.calls).sum();
    // Calls without an answer are not kept.
    let stored = all.saturating_sub(calls.saturating_sub(lost) + reused);
    let failed = match lost {
        0 => String::new(),
        lost => format!(" ({lost} of them not answered)"),
    };
    // Where the user named runs, that they were of no use is worth a word.
    let mut others = String::new();
    if reused > 0 || !args.reuse.reuse.is_empty() {
        let runs = finished.reused_from.iter();
        let counts: Vec<String> = runs
            .map(|(run, calls)| format!("{} {calls}", run.display()))
            .collect();
        let from = match counts.as_slice() {
            [] => String::new(),
            counts => format!(" ({})", counts.join(", ")),
        };
        others = format!("{reused} reused from other runs{from}, ");
    }
    let mut given = String::new();
    if let Some((name, shared)) = &finished.shared {
        given = format!("; {} given to {name}", shared.given);
        if shared.refused > 0 {
            given += &format!(", its entries refused {} times", shared.refused);
        }
        if shared.kept_back > 0 {
            given += &format!(", {} kept back", shared.kept_back);
        }
    }
    format!(
        "run kept in {}: {calls} calls made now{failed}, {others}{stored} answered from the \
         store{given}",
        finished.dir.display()
    )
}
