//! `evenhand judge`.

use super::rank::{ended, kept, usage};
use super::verdicts::check_coverage;
use super::{print, stop_on_ctrl_c};
use crate::args::{Format, JudgeArgs, RunArgs};
use crate::job::{Prepared, prepare, reject_adaptive, reusable_for};
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{
    Collected, ForReview, Job, Progress, RankOptions, Report, Reviews, Session, Sink, Tally,
    open_store,
};
use evenhand_protocols::Slots;
use evenhand_report::{JudgmentRow, JudgmentWriter, summary_table};
use evenhand_stats::Bootstrap;
use std::io::{self, BufWriter, Stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Judgments only: a summary as a table, or each of them as JSON lines or CSV.
pub(crate) fn judge(args: &JudgeArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let for_review = for_review(args)?;
    let (scale, review_share, args) = (args.scale.scale, args.review_share, &args.run);
    let Prepared {
        job,
        mut model,
        conditions,
        reviews,
        limits,
        prices,
    } = prepare(args, scale)?;
    reject_adaptive(&job, "judge")?;
    if for_review.is_some() && job.protocol.form().slots() != Slots::Two {
        return Err(Failed::Usage(
            "--for-review: it lists pairs, and this form shows no pairs; use a pairwise form"
                .into(),
        ));
    }
    if let Some(conditions) = &conditions {
        conditions.check(&[])?;
    }
    let mut store = open_store(
        &job,
        args.run.as_deref(),
        &reusable_for(args, &job, model.as_ref())?,
    )?;
    let dir = store.dir().to_path_buf();
    let stop = stop_on_ctrl_c()?;
    let mut write = Write {
        collected: Collected::default(),
        reviews,
        unsure: ForReview::default(),
        tally: Tally::default(),
        show: Show::new(args.output.quiet.quiet, job.plan.len()),
        out: writer(args.output.format.format),
        error: None,
        stop: stop.clone(),
    };
    let finished = Session::new(model.as_mut(), &mut store, &mut write)
        .with_limits(limits)
        .with_stop(&stop)
        .run(&job);
    drop(store);
    write.show.end();
    write.flush()?;
    let finished = finished.map_err(|error| ended(error, &dir))?;
    let report = Report::of_judgments(&job, &write.collected, &rank_options(args))?;
    let report = Report {
        first_failures: write.tally.failures(),
        ..report
    };
    if args.output.format.format == Format::Table {
        print(
            &(summary_table(
                &report,
                &usage(&finished, &prices, started),
                args.output.verbose.view(),
            ) + "\n"),
        )?;
    }
    let listed = for_review
        .map(|path| list(&write.unsure, &job, review_share, path))
        .transpose()?;
    if let Some(listed) = listed {
        args.output.quiet.say(&listed);
    }
    args.output.quiet.say(&kept(&finished, args));
    check_coverage(&write.tally, args.output.min_coverage, &finished.dir)?;
    conditions.map_or(Ok(Done::Fine), |conditions| conditions.end(&report))
}

/// The file for what a person should look at, which is not touched before everything is judged.
fn for_review(args: &JudgeArgs) -> Result<Option<&Path>, Failed> {
    if !(args.review_share > 0.0 && args.review_share <= 1.0) {
        return Err(Failed::Usage(format!(
            "--review-share {}: expected a share above 0, at most 1",
            args.review_share
        )));
    }
    args.for_review
        .iter()
        .try_for_each(|path| ForReview::check_file(path))?;
    Ok(args.for_review.as_deref())
}

fn list(unsure: &ForReview, job: &Job, share: f64, path: &Path) -> Result<String, Failed> {
    let (count, kept) = unsure.write_file(job, share, path)?;
    let kept = if kept > 0 {
        format!(" ({kept} filled in before are kept)")
    } else {
        String::new()
    };
    Ok(format!(
        "{count} pairs for a person to look at in {}{kept}; fill in `preferred`, then --reviewed",
        path.display()
    ))
}

/// For the intervals of what is said of the judge.
fn rank_options(args: &RunArgs) -> RankOptions {
    let bootstrap = Bootstrap {
        seed: args.ask.seed,
        threads: args.compute.threads.count(),
        ..Bootstrap::default()
    };
    RankOptions {
        bootstrap,
        ..RankOptions::default()
    }
}

type Out = JudgmentWriter<BufWriter<Stdout>>;

fn writer(format: Format) -> Option<Out> {
    let out = BufWriter::new(io::stdout());
    match format {
        Format::Table => None,
        Format::Json => Some(JudgmentWriter::Json(out)),
        Format::Csv => Some(JudgmentWriter::to_csv(out)),
    }
}

/// Writes judgments as they come; a reader that went away ends the run, and what was judged is
/// kept.
struct Write {
    collected: Collected,
    reviews: Reviews,
    unsure: ForReview,
    tally: Tally,
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
            Err(e) => Err(Failed::Run(format!(
                "stdout cannot be written: {e}; the judgments so far are kept in the run directory"
            ))),
        }
    }
}

impl Sink for Write {
    fn judgment(&mut self, mut judgment: Judgment, item: &Item, responses: &[Response]) {
        self.unsure.add(&judgment);
        self.reviews.apply(&mut judgment, item, responses);
        self.tally.add(&judgment, item, responses);
        self.collected.add(&judgment);
        let Some(out) = &mut self.out else { return };
        if let Err(error) = out.write_row(
            &JudgmentRow::new(&judgment, &item.id, responses),
            &judgment.looks,
        ) {
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
