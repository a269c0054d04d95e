//! `evenhand batch export` and `evenhand batch import`.

use super::session::open_run;
use crate::args::help::{OUTPUT, RUN};
use crate::args::{FormatArgs, JudgeScaleArgs, RunArgs, ShardArgs};
use crate::job::{Prepared, prepare, reject_adaptive};
use crate::{Done, Failed};
use clap::{Args, Subcommand, ValueEnum};
use evenhand_engine::EngineError;
use evenhand_engine::batch::{self, BatchFormat, FileLimits};
use evenhand_report::{
    exported_csv, exported_json, exported_table, imported_csv, imported_json, imported_table,
};
use evenhand_store::Store;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// Write the requests that are missing now to batch files (the flags of `judge`)
    #[command(args_override_self = true)]
    Export(Box<ExportArgs>),
    /// Take the results of batch files, in any order
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
    /// The directory or address (s3://..) for the files; none there is touched
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// How requests are written
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
    /// A JSON object a line, as providers and `vllm run-batch` take them
    #[default]
    Jsonl,
    /// A row a request, the fields of a line as columns of text
    Parquet,
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
        BatchCommand::Export(args) => export(args),
        BatchCommand::Import(args) => import(args),
    }
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
        || exported_json(&exported),
        || exported_csv(&exported),
    )?;
    let next = match exported.requests {
        0 => {
            "nothing is missing; rank or judge with the same flags and --run answers from the store"
        }
        _ => {
            "take the results with `evenhand batch import FILE... --run`, then export again for \
             what they make necessary"
        }
    };
    output
        .quiet
        .say(&format!("run {}: {next}", store.dir().display()));
    Ok(Done::Fine)
}

fn import(args: &ImportArgs) -> Result<Done, Failed> {
    let mut store = Store::open_existing(&args.run).map_err(EngineError::from)?;
    let imported = batch::import(&mut store, &args.files)?;
    args.format.print(
        || imported_table(&imported),
        || imported_json(&imported),
        || imported_csv(&imported),
    )?;
    if imported.lines > 0 && imported.lines == imported.unknown + imported.unreadable {
        let why = "no line was the result of a request of this run";
        return Err(Failed::run(why));
    }
    Ok(Done::Fine)
}
