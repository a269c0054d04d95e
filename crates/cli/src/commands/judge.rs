//! `evenhand judge`.

use super::records::{RecordForm, write_judged};
use super::session::{conclude_run, keep_sums, report_judgments, run_session, sum_usage};
use super::verdicts::show_replies;
use super::{print, stop_on_ctrl_c};
use crate::args::help::OUTPUT;
use crate::args::{Format, JudgeScaleArgs, RunArgs, ShardArgs};
use crate::condition::end_by_gates;
use crate::host::Out;
use crate::job::{Prepared, prepare, reject_adaptive};
use crate::{Done, Failed};
use clap::Args;
use evenhand_core::{Clusters, Item, Judgment, Response, Verdict, VerdictSource};
use evenhand_engine::Job;
use evenhand_protocols::Slots;
use evenhand_ranking::{Collected, ForReview, Report, ReviewChoice, Reviews};
use evenhand_report::{JudgmentRow, JudgmentWriter, summary_table};
use std::collections::BTreeMap;
use std::io::{self, BufWriter};
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Judgments only.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    #[command(flatten)]
    pub(crate) shard: ShardArgs,
    /// Print the instruction, responses and judge's reply with each judgment
    ///
    /// With --format json or csv. Nothing is printed until all is judged.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) texts: bool,
    /// Write the pairs that the judge is least sure of to FILE, for people to review
    ///
    /// As JSON lines. Fill in `preferred`, then give the file to --reviewed.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) for_review: Option<PathBuf>,
    /// The largest share of the pairs to write there
    #[arg(long, default_value_t = 0.2, value_name = "SHARE", help_heading = OUTPUT)]
    pub(crate) review_share: f64,
    /// Write every pair there on which the judge is less confident than this
    ///
    /// From 0 to 1; `meta select` finds a value from labels. Confidence is twice the distance of
    /// the mean share of all verdicts on the pair from a half.
    #[arg(
        long, value_name = "CONFIDENCE", requires = "for_review", conflicts_with = "review_share",
        help_heading = OUTPUT
    )]
    pub(crate) review_below: Option<f64>,
}

/// Judgments only: a summary as a table, or each of them as JSON lines or CSV.
pub(crate) fn judge(args: &JudgeArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    check_arguments(args)?;
    let mut prepared = prepare(&args.run, args.scale.scale)?;
    prepared.job = args.shard.of_job(prepared.job)?;
    check_job(args, &prepared)?;
    let stop = stop_on_ctrl_c()?;
    let mut writer = Writer::new(args, &mut prepared, stop.clone());
    let planned = prepared.job.plan.len();
    let judged = run_session(
        &args.run,
        &mut prepared,
        planned,
        &stop,
        |judgment, item, responses| writer.write(judgment, item, responses),
        |session, job| session.run(job),
    );
    let (finished, seen) = match (writer.flush(), judged) {
        // All is judged, and a reader that went away has seen enough.
        (Ok(()) | Err(Failed::Unread), Ok(judged)) => judged,
        // A stdout that went away is the reason why the session stopped.
        (Err(failed), _) | (Ok(()), Err(failed)) => return Err(failed),
    };

    writer.collected.notes = seen.notes;
    let report = Report {
        first_failures: seen.tally.failures(),
        readings: show_replies(seen.tally.readings(), &finished.dir),
        ..report_judgments(&args.run, &prepared, &writer.collected)?
    };
    let usage = sum_usage(&finished, &prepared.prices, started);
    let output = &args.run.output;
    // The summary, unless the judgments themselves are on stdout.
    if output.format.format == Format::Table {
        let table = summary_table(&report, &usage, output.verbose.view());
        print(&format!("{table}\n"))?;
    }
    // With their texts, judgments are in the run when all is judged.
    if let Some(form) = record_form(args) {
        write_judged(&finished.dir, &prepared.prices, &writer.reviewed, form)?;
    }
    if let (Some(path), Some(unsure)) = (&args.for_review, &writer.unsure) {
        write_review_file(args, &prepared.job, unsure, path)?;
    }
    keep_sums(&finished, &args.run, &mut prepared, &report);
    conclude_run(&finished, &args.run, &seen.tally)?;
    Ok(end_by_gates(&prepared.decide_gates(&report)?))
}

/// Refuses a share that is none, a file that holds anything but pairs for review, and a form that
/// single judgments do not have.
fn check_arguments(args: &JudgeArgs) -> Result<(), Failed> {
    let shares = [
        ("--review-share", Some(args.review_share)),
        ("--review-below", args.review_below),
    ];
    for (option, share) in shares {
        if let Some(share) = share
            && !(share > 0.0 && share <= 1.0)
        {
            return Err(Failed::usage(format!(
                "{option} {share}: expected a share above 0, at most 1"
            )));
        }
    }
    if let Some(path) = &args.for_review {
        ForReview::check_file(path)?;
    }
    if args.run.output.format.format == Format::Markdown {
        return Err(Failed::usage(
            "--format markdown: judgments are written as json or csv; rank prints a ranking as \
             markdown",
        ));
    }
    if args.texts && record_form(args).is_none() {
        return Err(Failed::usage(
            "--texts: a table does not list judgments; give --format json or csv",
        ));
    }
    Ok(())
}

/// Refuses what `judge` cannot do with a job.
fn check_job(args: &JudgeArgs, prepared: &Prepared) -> Result<(), Failed> {
    reject_adaptive(&prepared.job, "judge")?;
    if args.for_review.is_some() && prepared.job.protocol.form().slots() != Slots::Two {
        return Err(Failed::usage(
            "--for-review: it lists pairs, but this form shows no pairs; use a pairwise form",
        ));
    }
    prepared.check_conditions_without_systems()
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

/// Writes what a person should look at, and says so. The file is not touched before everything is
/// judged.
fn write_review_file(
    args: &JudgeArgs,
    job: &Job,
    unsure: &ForReview,
    path: &Path,
) -> Result<(), Failed> {
    let choice = match args.review_below {
        Some(confidence) => ReviewChoice::Below(confidence),
        None => ReviewChoice::Share(args.review_share),
    };
    let (count, kept) = unsure.write_file(job, choice, path)?;
    let kept = match kept {
        0 => String::new(),
        count => format!(" ({count} filled in before are kept)"),
    };
    let path = path.display();
    args.run.output.quiet.say(&format!(
        "{count} pairs to review in {path}{kept}; fill in `preferred`, then give the file to \
         --reviewed"
    ));
    Ok(())
}

/// Where judgments are written as they come; nowhere for a table.
type Judgments = Option<JudgmentWriter<BufWriter<Out>>>;

/// Writes judgments as they come; a reader that went away ends the run, and what was judged is
/// kept.
struct Writer {
    collected: Collected,
    reviews: Reviews,
    /// The pairs for a person to look at, a row each; None where nobody asks for them.
    unsure: Option<ForReview>,
    out: Judgments,
    /// The questions of the items by number, and the names of the questions.
    questions: (Clusters, Vec<Option<String>>),
    /// Verdicts of people, by trial.
    reviewed: BTreeMap<u64, Verdict>,
    error: Option<io::Error>,
    stop: Arc<AtomicBool>,
}

impl Writer {
    fn new(args: &JudgeArgs, prepared: &mut Prepared, stop: Arc<AtomicBool>) -> Writer {
        let output = &args.run.output;
        let out = BufWriter::new(Out::open());
        let job = &prepared.job;
        let names = job.clusters.names(&job.dataset.items);
        let questions = (job.clusters.clone(), names);
        Writer {
            collected: Collected::default(),
            reviews: take(&mut prepared.reviews),
            unsure: args.for_review.is_some().then(ForReview::default),
            out: match output.format.format {
                _ if args.texts => None,
                Format::Table | Format::Markdown => None,
                Format::Json => Some(JudgmentWriter::Json(out)),
                Format::Csv => Some(JudgmentWriter::to_csv(out)),
            },
            questions,
            reviewed: BTreeMap::new(),
            error: None,
            stop,
        }
    }

    fn flush(&mut self) -> Result<(), Failed> {
        let flushed = match (self.error.take(), &mut self.out) {
            (Some(error), _) => Err(error),
            (None, Some(out)) => out.finish(),
            (None, None) => Ok(()),
        };
        flushed.map_err(|error| match Failed::unwritten(&error) {
            Failed::Run(why) => Failed::Run(format!(
                "{why}; the judgments so far are kept in the run directory"
            )),
            failed => failed,
        })
    }

    fn write(&mut self, judgment: &mut Judgment, item: &Item, responses: &[Response]) {
        // The judge's own verdict decides what is unsure, before a person's takes its place.
        if let Some(unsure) = &mut self.unsure {
            unsure.add(judgment);
        }
        self.reviews.apply(judgment, item, responses);
        // The verdict of a person is not kept by the run.
        if let Ok(verdict) = &judgment.outcome
            && verdict.source() == VerdictSource::Person
        {
            self.reviewed.insert(judgment.trial.index, verdict.clone());
        }
        self.collected.add(judgment, responses);
        if let Some(out) = &mut self.out {
            let (clusters, names) = &self.questions;
            let question = &names[clusters.of(judgment.trial.item) as usize];
            let row = JudgmentRow::new(judgment, &item.id, question.as_deref(), responses);
            // A failure is kept, and stops the session.
            if let Err(error) = out.write_row(&row, &judgment.looks) {
                self.error = Some(error);
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}
