//! `evenhand batch export` and `evenhand batch import`.

use super::session::open_run;
use crate::args::{BatchCommand, ExportArgs, ImportArgs, OutputArgs};
use crate::job::{Prepared, prepare, reject_adaptive};
use crate::{Done, Failed};
use evenhand_engine::EngineError;
use evenhand_engine::batch::{self, Exported, FileLimits, Imported};
use evenhand_report::{
    exported_csv, exported_json, exported_table, imported_csv, imported_json, imported_table,
};
use evenhand_store::Store;
use std::path::Path;

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
    let prepared = prepare(&args.run, args.scale.scale)?;
    reject_adaptive(&prepared.job, "batch export")?;
    let mut store = open_run(&args.run, &prepared.job, prepared.model.as_ref())?;
    let exported = write_requests(args, &prepared, &mut store)?;
    print_exported(&args.run.output, &exported)?;
    let next = describe_next_step(&exported, store.dir());
    args.run.output.quiet.say(&next);
    Ok(Done::Fine)
}

fn write_requests(
    args: &ExportArgs,
    prepared: &Prepared,
    store: &mut Store,
) -> Result<Exported, EngineError> {
    let (job, model) = (&prepared.job, prepared.model.as_ref());
    batch::export(job, model, store, &args.out, file_limits(args))
}

fn file_limits(args: &ExportArgs) -> FileLimits {
    FileLimits {
        lines: args.max_lines,
        bytes: args.max_bytes,
    }
}

fn print_exported(output: &OutputArgs, exported: &Exported) -> Result<Done, Failed> {
    output.format.print(
        || exported_table(exported),
        || exported_json(exported),
        || exported_csv(exported),
    )
}

fn describe_next_step(exported: &Exported, dir: &Path) -> String {
    let dir = dir.display();
    if exported.requests == 0 {
        return format!(
            "run {dir}: nothing is missing; rank or judge with the same flags and --run answers \
             from the store"
        );
    }
    format!(
        "run {dir}: take the results with `evenhand batch import FILE... --run`, then export again \
         for what they make necessary"
    )
}

fn import(args: &ImportArgs) -> Result<Done, Failed> {
    let mut store = Store::open_existing(&args.run).map_err(EngineError::from)?;
    let imported = batch::import(&mut store, &args.files)?;
    print_imported(args, &imported)?;
    if has_only_strangers(&imported) {
        let why = "no line was the result of a request of this run";
        return Err(Failed::run(why));
    }
    Ok(Done::Fine)
}

fn print_imported(args: &ImportArgs, imported: &Imported) -> Result<Done, Failed> {
    args.format.print(
        || imported_table(imported),
        || imported_json(imported),
        || imported_csv(imported),
    )
}

/// Whether there are lines, and none of them answers a request of the run.
fn has_only_strangers(imported: &Imported) -> bool {
    imported.lines > 0 && imported.lines == imported.unknown + imported.unreadable
}
