//! `evenhand judge`.

use super::session::{describe_run, run_session, sum_usage};
use super::verdicts::check_coverage;
use super::{print, stop_on_ctrl_c};
use crate::args::{Format, JudgeArgs, RunArgs};
use crate::job::{Prepared, prepare, reject_adaptive};
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{
    Collected, Finished, ForReview, Job, Progress, RankOptions, Report, Reviews, Sink, Tally,
};
use evenhand_protocols::Slots;
use evenhand_report::{JudgmentRow, JudgmentWriter, summary_table};
use evenhand_stats::Bootstrap;
use std::io::{self, BufWriter, Stdout};
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Judgments only: a summary as a table, or each of them as JSON lines or CSV.
pub(crate) fn judge(args: &JudgeArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let output = &args.run.output;
    check_review_file(args)?;
    let mut prepared = prepare(&args.run, args.scale.scale)?;
    check_job(args, &prepared)?;
    let stop = stop_on_ctrl_c()?;
    let mut writer = Writer::new(args, &mut prepared, stop.clone());
    let judged = run_session(
        &args.run,
        &mut prepared,
        &mut writer,
        &stop,
        |session, job| session.run(job),
    );
    writer.show.end();
    writer.flush()?;
    let finished = judged?;
    let report = build_report(&args.run, &prepared.job, &writer)?;
    if output.format.format == Format::Table {
        print_summary(&args.run, &report, &finished, &prepared, started)?;
    }
    if let Some(written) = write_review_file(args, &prepared.job, &writer.unsure)? {
        output.quiet.say(&written);
    }
    output.quiet.say(&describe_run(&finished, &args.run));
    check_coverage(&writer.tally, output.min_coverage, &finished.dir)?;
    prepared.end_by_conditions(&report)
}

/// Refuses a share that is none, and a file that holds anything but pairs for review.
fn check_review_file(args: &JudgeArgs) -> Result<(), Failed> {
    if !(args.review_share > 0.0 && args.review_share <= 1.0) {
        return Err(Failed::usage(format!(
            "--review-share {}: expected a share above 0, at most 1",
            args.review_share
        )));
    }
    if let Some(path) = &args.for_review {
        ForReview::check_file(path)?;
    }
    Ok(())
}

/// Refuses what `judge` cannot do with a job.
fn check_job(args: &JudgeArgs, prepared: &Prepared) -> Result<(), Failed> {
    reject_adaptive(&prepared.job, "judge")?;
    let slots = prepared.job.protocol.form().slots();
    if args.for_review.is_some() && slots != Slots::Two {
        return Err(Failed::usage(
            "--for-review: it lists pairs, and this form shows no pairs; use a pairwise form",
        ));
    }
    match &prepared.conditions {
        // Nothing is ranked here, so no condition can name a system.
        Some(conditions) => conditions.check(&[]),
        None => Ok(()),
    }
}

fn build_report(args: &RunArgs, job: &Job, writer: &Writer) -> Result<Report, Failed> {
    let options = RankOptions {
        bootstrap: Bootstrap {
            seed: args.ask.seed,
            threads: args.compute.threads.count(),
            ..Bootstrap::default()
        },
        ..RankOptions::default()
    };
    Ok(Report {
        first_failures: writer.tally.failures(),
        ..Report::of_judgments(job, &writer.collected, &options)?
    })
}

fn print_summary(
    args: &RunArgs,
    report: &Report,
    finished: &Finished,
    prepared: &Prepared,
    started: Instant,
) -> Result<(), Failed> {
    let usage = sum_usage(finished, &prepared.prices, started);
    let table = summary_table(report, &usage, args.output.verbose.view());
    print(&format!("{table}\n"))
}

/// Writes what a person should look at, and returns what to say of it. The file is not touched
/// before everything is judged.
fn write_review_file(
    args: &JudgeArgs,
    job: &Job,
    unsure: &ForReview,
) -> Result<Option<String>, Failed> {
    let Some(path) = &args.for_review else {
        return Ok(None);
    };
    let (count, kept) = unsure.write_file(job, args.review_share, path)?;
    let kept = if kept > 0 {
        format!(" ({kept} filled in before are kept)")
    } else {
        String::new()
    };
    Ok(Some(format!(
        "{count} pairs for a person to look at in {}{kept}; fill in `preferred`, then --reviewed",
        path.display()
    )))
}

/// Where judgments are written as they come; nowhere for a table.
type Out = Option<JudgmentWriter<BufWriter<Stdout>>>;

fn open_stdout(format: Format) -> Out {
    let out = BufWriter::new(io::stdout());
    match format {
        Format::Table => None,
        Format::Json => Some(JudgmentWriter::Json(out)),
        Format::Csv => Some(JudgmentWriter::to_csv(out)),
    }
}

/// Writes judgments as they come; a reader that went away ends the run, and what was judged is
/// kept.
struct Writer {
    collected: Collected,
    reviews: Reviews,
    unsure: ForReview,
    tally: Tally,
    show: Show,
    out: Out,
    error: Option<io::Error>,
    stop: Arc<AtomicBool>,
}

impl Writer {
    fn new(args: &JudgeArgs, prepared: &mut Prepared, stop: Arc<AtomicBool>) -> Writer {
        let output = &args.run.output;
        Writer {
            collected: Collected::default(),
            reviews: take(&mut prepared.reviews),
            unsure: ForReview::default(),
            tally: Tally::default(),
            show: Show::new(output.quiet, prepared.job.plan.len()),
            out: open_stdout(output.format.format),
            error: None,
            stop,
        }
    }

    fn flush(&mut self) -> Result<(), Failed> {
        let flushed = match (self.error.take(), &mut self.out) {
            (Some(error), _) => Err(error),
            (None, Some(out)) => out.flush(),
            (None, None) => Ok(()),
        };
        flushed.map_err(|e| {
            Failed::run(format!(
                "stdout cannot be written: {e}; the judgments so far are kept in the run directory"
            ))
        })
    }
}

impl Sink for Writer {
    fn judgment(&mut self, mut judgment: Judgment, item: &Item, responses: &[Response]) {
        self.unsure.add(&judgment);
        self.reviews.apply(&mut judgment, item, responses);
        self.tally.add(&judgment, item, responses);
        self.collected.add(&judgment);
        let Some(out) = &mut self.out else { return };
        let row = JudgmentRow::new(&judgment, &item.id, responses);
        if let Err(error) = out.write_row(&row, &judgment.looks) {
            self.error = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }

    fn note(&mut self, note: &str) {
        self.collected.notes.push(note.into());
        self.show.note(note);
    }
}
