//! `evenhand batch export` and `evenhand batch import`.

use super::{print, unprintable};
use crate::args::{BatchCommand, ExportArgs, Format, ImportArgs};
use crate::job::{Prepared, not_adaptive, others, prepare};
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_engine::batch::{self, Exported, FileLimits};
use evenhand_engine::open_store;
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
        return Err(Failed::Usage("--max-lines 0: expected at least 1".into()));
    }
    let Prepared { job, model, .. } = prepare(&args.run, args.scale)?;
    not_adaptive(&job, "batch export")?;
    let mut store = open_store(
        &job,
        args.run.run.as_deref(),
        &others(&args.run, &job, model.as_ref())?,
    )?;
    let dir = store.dir().to_path_buf();
    let limits = FileLimits {
        lines: args.max_lines,
        bytes: args.max_bytes,
    };
    let exported = batch::export(&job, model.as_ref(), &mut store, &args.out, limits)?;
    print(&match args.run.output.format {
        Format::Table => exported_table(&exported),
        Format::Json => exported_json(&exported).map_err(unprintable)?,
        Format::Csv => exported_csv(&exported).map_err(unprintable)?,
    })?;
    if !args.run.output.quiet {
        say(&next_step(&exported, &dir));
    }
    Ok(Done::Fine)
}

fn next_step(done: &Exported, dir: &Path) -> String {
    match done.requests {
        0 => format!(
            "run {}: nothing is missing; rank or judge with the same flags and --run answers from \
             the store",
            dir.display()
        ),
        _ => format!(
            "run {}: take the results with `evenhand batch import FILE... --run`, then export \
             again for what they make necessary",
            dir.display()
        ),
    }
}

fn import(args: &ImportArgs) -> Result<Done, Failed> {
    let mut store = Store::open_existing(&args.run).map_err(evenhand_engine::EngineError::from)?;
    let imported = batch::import(&mut store, &args.files)?;
    print(&match args.format {
        Format::Table => imported_table(&imported),
        Format::Json => imported_json(&imported).map_err(unprintable)?,
        Format::Csv => imported_csv(&imported).map_err(unprintable)?,
    })?;
    match imported.lines > 0 && imported.lines == imported.unknown + imported.unreadable {
        true => Err(Failed::Run(
            "no line was the result of a request of this run".into(),
        )),
        false => Ok(Done::Fine),
    }
}
