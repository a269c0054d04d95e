//! `evenhand judge`.

use super::records::{RecordForm, write_judged};
use super::session::{conclude_run, run_session, sum_usage};
use super::verdicts::show_replies;
use super::{print, stop_on_ctrl_c};
use crate::args::{Format, JudgeArgs, RunArgs};
use crate::host::Out;
use crate::job::{Prepared, prepare, reject_adaptive};
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response, Verdict, VerdictSource};
use evenhand_engine::{
    Collected, EngineError, Finished, ForReview, Job, Progress, RankOptions, Report, ReviewChoice,
    Reviews, Sink, Tally,
};
use evenhand_protocols::Slots;
use evenhand_report::{JudgmentRow, JudgmentWriter, Usage, summary_table};
use evenhand_stats::Bootstrap;
use std::collections::BTreeMap;
use std::io::{self, BufWriter};
use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Judgments only: a summary as a table, or each of them as JSON lines or CSV.
pub(crate) fn judge(args: &JudgeArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    check_review_file(args)?;
    check_format(args.run.output.format.format)?;
    check_texts(args)?;
    let mut prepared = prepare(&args.run, args.scale.scale)?;
    check_job(args, &prepared)?;
    let stop = stop_on_ctrl_c()?;
    let mut writer = Writer::new(args, &mut prepared, stop.clone());
    let finished = judge_trials(&args.run, &mut prepared, &mut writer, &stop)?;
    let report = Report {
        readings: show_replies(writer.tally.readings(), &finished.dir),
        ..build_report(&args.run, &prepared.job, &writer)?
    };
    let usage = sum_usage(&finished, &prepared.prices, started);
    print_summary(&args.run, &report, &usage)?;
    print_with_texts(args, &finished, &prepared, &writer)?;
    write_review_file(args, &prepared.job, &writer.unsure)?;
    conclude_run(&finished, &args.run, &writer.tally)?;
    prepared.end_by_conditions(&report)
}

/// Refuses a form that single judgments do not have.
fn check_format(format: Format) -> Result<(), Failed> {
    if format != Format::Markdown {
        return Ok(());
    }
    Err(Failed::usage(
        "--format markdown: judgments are written as json or csv; rank prints a ranking as markdown",
    ))
}

/// Judges the whole plan; judgments are written as they come.
fn judge_trials(
    args: &RunArgs,
    prepared: &mut Prepared,
    writer: &mut Writer,
    stop: &AtomicBool,
) -> Result<Finished, Failed> {
    let judged = run_session(args, prepared, writer, stop, |session, job| {
        session.run(job)
    });
    writer.show.end();
    // A stdout that went away is the reason why the session stopped, and is said first.
    writer.flush()?;
    judged
}

/// Refuses a share that is none, and a file that holds anything but pairs for review.
fn check_review_file(args: &JudgeArgs) -> Result<(), Failed> {
    check_review_share("--review-share", args.review_share)?;
    if let Some(confidence) = args.review_below {
        check_review_share("--review-below", confidence)?;
    }
    if let Some(path) = &args.for_review {
        ForReview::check_file(path)?;
    }
    Ok(())
}

fn check_review_share(option: &str, share: f64) -> Result<(), Failed> {
    if share > 0.0 && share <= 1.0 {
        return Ok(());
    }
    Err(Failed::usage(format!(
        "{option} {share}: expected a share above 0, at most 1"
    )))
}

/// Refuses what `judge` cannot do with a job.
fn check_job(args: &JudgeArgs, prepared: &Prepared) -> Result<(), Failed> {
    reject_adaptive(&prepared.job, "judge")?;
    if args.for_review.is_some() {
        check_pairs(&prepared.job)?;
    }
    // Nothing is ranked here, so no condition can name a system.
    let conditions = prepared.conditions.as_ref();
    conditions.map_or(Ok(()), |conditions| conditions.check(&[]))
}

fn check_pairs(job: &Job) -> Result<(), Failed> {
    if job.protocol.form().slots() == Slots::Two {
        return Ok(());
    }
    Err(Failed::usage(
        "--for-review: it lists pairs, and this form shows no pairs; use a pairwise form",
    ))
}

fn build_report(args: &RunArgs, job: &Job, writer: &Writer) -> Result<Report, EngineError> {
    let options = share_intervals(args);
    Ok(Report {
        first_failures: writer.tally.failures(),
        ..Report::of_judgments(job, &writer.collected, &options)?
    })
}

/// Returns how intervals of shares are made; nothing is ranked.
fn share_intervals(args: &RunArgs) -> RankOptions {
    RankOptions {
        bootstrap: Bootstrap {
            seed: args.ask.seed,
            threads: args.compute.threads.count(),
            ..Bootstrap::default()
        },
        ..RankOptions::default()
    }
}

/// Prints the summary, unless the judgments themselves are on stdout.
fn print_summary(args: &RunArgs, report: &Report, usage: &Usage) -> Result<(), Failed> {
    let output = &args.output;
    if output.format.format != Format::Table {
        return Ok(());
    }
    let table = summary_table(report, usage, output.verbose.view());
    print(&format!("{table}\n"))
}

/// Refuses texts where no judgment is printed.
fn check_texts(args: &JudgeArgs) -> Result<(), Failed> {
    if args.texts && record_form(args).is_none() {
        return Err(Failed::usage(
            "--texts: a table has no judgments; give --format json or csv",
        ));
    }
    Ok(())
}

/// Returns the form in which judgments are printed with their texts; None where they are not.
fn record_form(args: &JudgeArgs) -> Option<RecordForm> {
    match args.run.output.format.format {
        _ if !args.texts => None,
        Format::Json => Some(RecordForm::Json),
        Format::Csv => Some(RecordForm::Csv),
        Format::Table | Format::Markdown => None,
    }
}

/// Prints the judgments with their texts, which are in the run when all is judged.
fn print_with_texts(
    args: &JudgeArgs,
    finished: &Finished,
    prepared: &Prepared,
    writer: &Writer,
) -> Result<(), Failed> {
    match record_form(args) {
        None => Ok(()),
        Some(form) => write_judged(&finished.dir, &prepared.prices, &writer.reviewed, form),
    }
}

/// Writes what a person should look at, and says so. The file is not touched before everything is
/// judged.
fn write_review_file(args: &JudgeArgs, job: &Job, unsure: &ForReview) -> Result<(), Failed> {
    let Some(path) = &args.for_review else {
        return Ok(());
    };
    let choice = match args.review_below {
        Some(confidence) => ReviewChoice::Below(confidence),
        None => ReviewChoice::Share(args.review_share),
    };
    let (count, kept) = unsure.write_file(job, choice, path)?;
    let written = describe_review_file(path, count, kept);
    args.run.output.quiet.say(&written);
    Ok(())
}

fn describe_review_file(path: &Path, count: usize, kept: usize) -> String {
    let (path, kept) = (path.display(), describe_kept(kept));
    format!(
        "{count} pairs for a person to look at in {path}{kept}; fill in `preferred`, then \
         --reviewed"
    )
}

fn describe_kept(pairs: usize) -> String {
    match pairs {
        0 => String::new(),
        count => format!(" ({count} filled in before are kept)"),
    }
}

/// Where judgments are written as they come; nowhere for a table.
type Judgments = Option<JudgmentWriter<BufWriter<Out>>>;

fn open_output(args: &JudgeArgs) -> Judgments {
    let out = BufWriter::new(Out::open());
    match args.run.output.format.format {
        _ if args.texts => None,
        Format::Table | Format::Markdown => None,
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
    out: Judgments,
    /// Verdicts of people, by trial.
    reviewed: BTreeMap<u64, Verdict>,
    error: Option<io::Error>,
    stop: Arc<AtomicBool>,
}

fn describe_unwritten(error: io::Error) -> Failed {
    Failed::run(format!(
        "stdout cannot be written: {error}; the judgments so far are kept in the run directory"
    ))
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
            out: open_output(args),
            reviewed: BTreeMap::new(),
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
        flushed.map_err(describe_unwritten)
    }

    /// Notes the verdict of a person, which the run does not keep.
    fn note_reviewed(&mut self, judgment: &Judgment) {
        let verdict = judgment.outcome.as_ref().ok();
        let by_person = verdict.filter(|verdict| verdict.source() == VerdictSource::Person);
        if let Some(verdict) = by_person {
            self.reviewed.insert(judgment.trial.index, verdict.clone());
        }
    }

    /// Writes a judgment where judgments are written; a failure is kept, and stops the session.
    fn write(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        let Some(out) = &mut self.out else { return };
        let row = JudgmentRow::new(judgment, &item.id, responses);
        if let Err(error) = out.write_row(&row, &judgment.looks) {
            self.error = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Sink for Writer {
    fn judgment(&mut self, mut judgment: Judgment, item: &Item, responses: &[Response]) {
        // The judge's own verdict decides what is unsure, before a person's takes its place.
        self.unsure.add(&judgment);
        self.reviews.apply(&mut judgment, item, responses);
        self.note_reviewed(&judgment);
        self.tally.add(&judgment, item, responses);
        self.collected.add(&judgment);
        self.write(&judgment, item, responses);
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }

    fn note(&mut self, note: &str) {
        self.collected.notes.push(note.into());
        self.show.note(note);
    }
}
