//! `evenhand batch run`, `evenhand batch export` and `evenhand batch import`.

use super::session::open_run;
use super::stop_on_ctrl_c;
use crate::args::help::{OUTPUT, RUN};
use crate::args::{FormatArgs, JudgeScaleArgs, RunArgs, ShardArgs};
use crate::job::{Prepared, prepare, reject_adaptive};
use crate::{Done, Failed};
use clap::{Args, Subcommand, ValueEnum};
use evenhand_core::shell_word;
use evenhand_engine::batch::{self, BatchFormat, BatchProgress, FileLimits, RunOptions};
use evenhand_engine::{EngineError, run_dir, spent};
use evenhand_report::{
    Usage, batch_run_csv, batch_run_table, exported_csv, exported_table, imported_csv,
    imported_table, json_text,
};
use evenhand_store::Store;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// Get missing replies from a provider's batch API (takes the flags of `judge`)
    ///
    /// Submits batches and takes their results until nothing is missing. Then `judge` and `rank`
    /// with the same flags answer from the run. The same command resumes a run that was stopped or
    /// killed.
    #[command(args_override_self = true)]
    Run(Box<BatchRunArgs>),
    /// Write the missing requests to batch files (takes the flags of `judge`)
    #[command(args_override_self = true)]
    Export(Box<ExportArgs>),
    /// Import the results of batch files, in any order
    Import(ImportArgs),
}

/// The requests to export, and where to.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    #[command(flatten)]
    pub(crate) shard: ShardArgs,
    /// The directory or address (s3://..) for the files; existing files are kept
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// Format of the requests
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub(crate) file_format: FileFormat,
    /// The most requests in one file [OpenAI's limit: 50000]
    #[arg(long, default_value_t = 50_000, value_name = "N", help_heading = OUTPUT)]
    pub(crate) max_lines: usize,
    /// The most bytes in one file [OpenAI's limit: 200 MB]
    #[arg(long, default_value_t = 200_000_000, value_name = "BYTES", help_heading = OUTPUT)]
    pub(crate) max_bytes: usize,
}

/// The layout of the files of requests.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum FileFormat {
    /// One JSON object per line, as providers and `vllm run-batch` take them
    #[default]
    Jsonl,
    /// One row per request, with the fields of a line as columns of text
    Parquet,
}

/// The requests to have answered, and how.
#[derive(Debug, Args)]
pub(crate) struct BatchRunArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    #[command(flatten)]
    pub(crate) shard: ShardArgs,
    /// Seconds between checks of a batch
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS", help_heading = RUN)]
    pub(crate) poll: f64,
    /// Cancel the batches under way, and take the results they have
    #[arg(long, help_heading = RUN)]
    pub(crate) cancel: bool,
}

/// The results to import, and into which run.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Files of results, or directories or addresses (s3://..) of them
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The run directory of the export
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Writes the present wave, or takes its results.
pub(crate) fn batch(command: &BatchCommand) -> Result<Done, Failed> {
    match command {
        BatchCommand::Run(args) => run(args),
        BatchCommand::Export(args) => export(args),
        BatchCommand::Import(args) => import(args),
    }
}

// Long: the whole command in the order of its work, with each message where it is told.
fn run(args: &BatchRunArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    if !(0.01..=86_400.0).contains(&args.poll) {
        return Err(Failed::usage(format!(
            "--poll {}: expected seconds from 0.01 to 86400",
            args.poll
        )));
    }
    let Prepared {
        job,
        model,
        limits,
        prices,
        ..
    } = prepare(&args.run, args.scale.scale)?;
    let job = args.shard.of_job(job)?;
    reject_adaptive(&job, "batch run")?;
    let dir = run_dir(&job, args.run.run.as_deref())?;
    if args.cancel && !batch::is_under_way(&dir) {
        let dir = dir.display();
        return Err(Failed::usage(format!(
            "--cancel: no batch is under way in {dir}"
        )));
    }
    // Before a run is made that would belong to such a judge. A run that is there may hold all
    // that is asked; no key is needed then.
    if !dir.exists() {
        batch::check_judges(&job, model.as_ref())?;
    }
    let stop = stop_on_ctrl_c()?;
    let mut store = open_run(&args.run, &job, model.as_ref())?;
    let dir = store.dir().to_path_buf();
    let options = RunOptions {
        poll: Duration::from_secs_f64(args.poll),
        limits,
        prices,
        cancel: args.cancel,
    };
    let output = &args.run.output;
    let mut shown = BatchProgress::default();
    let mut show = |now: BatchProgress| {
        // A line where something changed.
        if now != shown {
            let BatchProgress {
                wave,
                open,
                batches,
                done,
                requests,
            } = now;
            shown = now;
            output.quiet.say(&format!(
                "wave {wave}: {} of {batches} batches, {done} of {requests} requests, {:.0} s",
                batches - open,
                started.elapsed().as_secs_f64()
            ));
        }
    };
    let mut tell = |note: &str| output.quiet.say(note);
    let model = model.as_ref();
    let ran = batch::run(
        &job, model, &mut store, &options, &stop, &mut tell, &mut show,
    );
    let ran = ran.map_err(|error| match error {
        EngineError::Stopped { .. } => Failed::Stopped(format!(
            "stopped; submitted batches keep running at the provider. The same command takes their \
             results; with --cancel it ends them (run directory {})",
            dir.display()
        )),
        error => Failed::of_run(error, &dir),
    })?;
    output.format.print(
        || batch_run_table(&ran),
        || json_text(&ran),
        || batch_run_csv(&ran),
    )?;
    let spent = spent(&store.spent().map_err(EngineError::from)?, &options.prices);
    let usage = Usage::new(&spent, started.elapsed().as_secs_f64());
    output.quiet.say(&usage.total_line());
    let run = dir.display();
    let next = match ran.left {
        0 => ANSWERED,
        _ => "some requests have no result yet; the same command without --cancel goes on",
    };
    output.quiet.say(&format!("run {run}: {next}"));
    Ok(Done::Fine)
}

fn export(args: &ExportArgs) -> Result<Done, Failed> {
    if args.max_lines == 0 {
        return Err(Failed::usage("--max-lines 0: expected at least 1"));
    }
    let Prepared { job, model, .. } = prepare(&args.run, args.scale.scale)?;
    let job = args.shard.of_job(job)?;
    reject_adaptive(&job, "batch export")?;
    let mut store = open_run(&args.run, &job, model.as_ref())?;
    let limits = FileLimits {
        lines: args.max_lines,
        bytes: args.max_bytes,
    };
    let format = match args.file_format {
        FileFormat::Jsonl => BatchFormat::JsonLines,
        FileFormat::Parquet => BatchFormat::Parquet,
    };
    let exported = batch::export(&job, model.as_ref(), &mut store, &args.out, limits, format)?;
    let output = &args.run.output;
    output.format.print(
        || exported_table(&exported),
        || json_text(&exported),
        || exported_csv(&exported),
    )?;
    let run = store.dir().display();
    let next = match exported.requests {
        0 => ANSWERED.into(),
        _ => format!(
            "take the results with `evenhand batch import FILE... --run {}`, then export again, as \
             they may call for more requests",
            shell_word(&run.to_string())
        ),
    };
    output.quiet.say(&format!("run {run}: {next}"));
    Ok(Done::Fine)
}

/// Said of a run that lacks no reply.
const ANSWERED: &str =
    "nothing is missing; rank or judge with the same flags and this --run asks nothing again";

fn import(args: &ImportArgs) -> Result<Done, Failed> {
    let mut store = Store::open_existing(&args.run).map_err(EngineError::from)?;
    let imported = batch::import(&mut store, &args.files)?;
    args.format.print(
        || imported_table(&imported),
        || json_text(&imported),
        || imported_csv(&imported),
    )?;
    if imported.lines > 0 && imported.lines == imported.unknown + imported.unreadable {
        let why = "no line was the result of a request of this run";
        return Err(Failed::run(why));
    }
    Ok(Done::Fine)
}
