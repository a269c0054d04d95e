//! `evenhand batch export` and `evenhand batch import`.

use crate::args::{BatchCommand, ExportArgs, ImportArgs};
use crate::job::{Prepared, prepare, reject_adaptive, reusable_for};
use crate::{Done, Failed};
use evenhand_engine::batch::{self, Exported, FileLimits, Imported};
use evenhand_engine::{EngineError, open_store};
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
    let Prepared { job, model, .. } = prepare(&args.run, args.scale.scale)?;
    reject_adaptive(&job, "batch export")?;
    let reusable = reusable_for(&args.run, &job, model.as_ref())?;
    let mut store = open_store(&job, args.run.run.as_deref(), &reusable)?;
    let dir = store.dir().to_path_buf();
    let limits = FileLimits {
        lines: args.max_lines,
        bytes: args.max_bytes,
    };
    let exported = batch::export(&job, model.as_ref(), &mut store, &args.out, limits)?;
    let output = &args.run.output;
    output.format.print(
        || exported_table(&exported),
        || exported_json(&exported),
        || exported_csv(&exported),
    )?;
    output.quiet.say(&describe_next_step(&exported, &dir));
    Ok(Done::Fine)
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
    args.format.print(
        || imported_table(&imported),
        || imported_json(&imported),
        || imported_csv(&imported),
    )?;
    if has_only_strangers(&imported) {
        return Err(Failed::run(
            "no line was the result of a request of this run",
        ));
    }
    Ok(Done::Fine)
}

/// Whether there are lines, and none of them answers a request of the run.
fn has_only_strangers(imported: &Imported) -> bool {
    imported.lines > 0 && imported.lines == imported.unknown + imported.unreadable
}
