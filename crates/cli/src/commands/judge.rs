//! `evenhand judge`.

use super::rank::{ended, kept, usage};
use super::{print, stop_on_ctrl_c};
use crate::args::{Format, RunArgs};
use crate::job::{Prepared, prepare};
use crate::progress::{Show, say};
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{Collected, Progress, RankOptions, Report, Sink, open_store, run};
use evenhand_report::{JudgmentRow, JudgmentWriter, summary_table};
use evenhand_stats::Bootstrap;
use std::io::{self, BufWriter, Stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Judgments only: a summary as a table, or each of them as JSON lines or CSV.
pub(crate) fn judge(args: &RunArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let Prepared { job, mut model, conditions } = prepare(args)?;
    conditions.iter().try_for_each(|conditions| conditions.check(&[])).map_err(Failed::Usage)?;
    let store = open_store(&job, args.run.as_deref())?;
    let dir = store.dir().to_path_buf();
    let stop = stop_on_ctrl_c()?;
    let mut write = Write {
        collected: Collected::default(),
        show: Show::new(args.output.quiet, job.plan.len()),
        out: writer(args.output.format),
        error: None,
        stop: stop.clone(),
    };
    let finished = run(&job, model.as_mut(), store, &mut write, &stop);
    write.show.end();
    write.flush()?;
    let finished = finished.map_err(|error| ended(error, &dir))?;
    let report = Report::of_judgments(&job, &write.collected, &rank_options(args))?;
    if args.output.format == Format::Table {
        print(&(summary_table(&report, &usage(&finished, started)) + "\n"))?;
    }
    if !args.output.quiet {
        say(&kept(&finished));
    }
    let met = conditions.map_or(Ok(None), |conditions| conditions.met(&report)).map_err(Failed::Usage)?;
    Ok(met.map_or(Done::Fine, Done::ConditionMet))
}

/// For the intervals of what is said of the judge.
fn rank_options(args: &RunArgs) -> RankOptions {
    let bootstrap = Bootstrap { seed: args.seed, threads: args.threads.unwrap_or(0), ..Bootstrap::default() };
    RankOptions { bootstrap, ..RankOptions::default() }
}

type Out = JudgmentWriter<BufWriter<Stdout>>;

fn writer(format: Format) -> Option<Out> {
    let out = BufWriter::new(io::stdout());
    match format {
        Format::Table => None,
        Format::Json => Some(JudgmentWriter::Json(out)),
        Format::Csv => Some(JudgmentWriter::csv(out)),
    }
}

/// Writes judgments as they come; a reader that went away ends the run, and what was judged is kept.
struct Write {
    collected: Collected,
    show: Show,
    out: Option<Out>,
    error: Option<io::Error>,
    stop: Arc<AtomicBool>,
}

impl Write {
    fn flush(&mut self) -> Result<(), Failed> {
        let flushed = self.out.as_mut().map_or(Ok(()), JudgmentWriter::flush);
        match self.error.take().map_or(flushed, Err) {
            Ok(()) => Ok(()),
            Err(e) => {
                Err(Failed::Run(format!("stdout cannot be written: {e}; the judgments so far are kept in the run directory")))
            }
        }
    }
}

impl Sink for Write {
    fn judgment(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        self.collected.add(judgment);
        let Some(out) = &mut self.out else { return };
        if let Err(error) = out.row(&JudgmentRow::new(judgment, &item.id, responses)) {
            self.error = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }
}
