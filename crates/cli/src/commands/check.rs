//! `evenhand check`.

use super::{print, unprintable};
use crate::args::{CheckArgs, Format};
use crate::condition::Bound;
use crate::job::{check_resampling, noted};
use crate::{Done, Failed};
use evenhand_engine::{DataOptions, EngineError, load};
use evenhand_formats::Selection;
use evenhand_formats::records::{Format as DataFormat, Mapping};
use evenhand_report::{check_csv, check_json, check_table};
use evenhand_stats::Bootstrap;
use evenhand_studies::check::{CheckReport, ResponseChecked, SystemChecked, check as run};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const FIGURES: [&str; 4] = [
    "prompt_strict",
    "prompt_loose",
    "instruction_strict",
    "instruction_loose",
];

/// How well systems keep verifiable constraints.
pub(crate) fn check(args: &CheckArgs) -> Result<Done, Failed> {
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    check_resampling(args.level, args.rounds, None)?;
    let data = noted(load(&data(args)?)?, false);
    let plan = Bootstrap {
        rounds: args.rounds,
        level: args.level,
        seed: args.seed,
        ..Bootstrap::default()
    };
    let mut file = args
        .verdicts
        .as_deref()
        .map(|path| open(path, &args.files))
        .transpose()?;
    let report = run(&data, &plan, |row| write(file.as_mut(), args, &row))?;
    if let Some(file) = &mut file {
        file.flush().map_err(|e| unwritable(args, &e))?;
    }
    print(&match args.format {
        Format::Table => check_table(&report),
        Format::Json => check_json(&report).map_err(unprintable)?,
        Format::Csv => check_csv(&report).map_err(unprintable)?,
    })?;
    met(&conditions, &report)
}

fn data(args: &CheckArgs) -> Result<DataOptions, Failed> {
    if args.items == Some(0) {
        return Err(Failed::Usage(
            "--items 0: expected at least one item".into(),
        ));
    }
    Ok(DataOptions {
        paths: args.files.clone(),
        mapping: args.map.as_deref().map(Mapping::parse).transpose()?,
        format: args
            .input_format
            .as_deref()
            .map(DataFormat::named)
            .transpose()?,
        selection: Selection {
            items: args.items,
            systems: args.systems.clone(),
        },
        // A response that is not there is no failure of the checker's; how many there are stands in
        // the report.
        allow_missing: true,
        filter: args.filter.parse()?,
        ..DataOptions::default()
    })
}

/// A file of the input is never written over.
fn open(path: &Path, inputs: &[PathBuf]) -> Result<BufWriter<File>, Failed> {
    let within = |input: &PathBuf| {
        Some(
            path.canonicalize()
                .ok()?
                .starts_with(input.canonicalize().ok()?),
        )
    };
    if inputs.iter().any(|input| within(input) == Some(true)) {
        let why = "is there already, among the files that are checked; choose another name";
        return Err(Failed::Usage(format!(
            "--verdicts {}: {why}",
            path.display()
        )));
    }
    let file = File::create(path).map_err(|e| {
        Failed::Usage(format!(
            "--verdicts {}: cannot be written: {e}",
            path.display()
        ))
    })?;
    Ok(BufWriter::new(file))
}

fn write(
    file: Option<&mut BufWriter<File>>,
    args: &CheckArgs,
    row: &ResponseChecked,
) -> Result<(), EngineError> {
    let Some(file) = file else { return Ok(()) };
    let line = serde_json::to_string(row).unwrap_or_default();
    writeln!(file, "{line}").map_err(|e| EngineError::Setting(message(args, &e)))
}

fn unwritable(args: &CheckArgs, error: &std::io::Error) -> Failed {
    Failed::Run(message(args, error))
}

fn message(args: &CheckArgs, error: &std::io::Error) -> String {
    let path = args.verdicts.as_deref().unwrap_or(Path::new(""));
    format!("--verdicts {}: cannot be written: {error}", path.display())
}

/// The first condition that holds of any system.
fn met(conditions: &[Bound], report: &CheckReport) -> Result<Done, Failed> {
    for condition in conditions {
        for system in &report.systems {
            let missing = || {
                Failed::Usage(format!(
                    "--fail-if {}: {} has no such figure",
                    condition.text, system.system
                ))
            };
            let value = figure(system, &condition.figure).ok_or_else(missing)?;
            if condition.holds(value) {
                return Ok(Done::ConditionMet(format!(
                    "{} ({}: it is {value})",
                    condition.text, system.system
                )));
            }
        }
    }
    Ok(Done::Fine)
}

fn figure(system: &SystemChecked, name: &str) -> Option<f64> {
    match name {
        "prompt_strict" => system.prompt_strict.value,
        "prompt_loose" => system.prompt_loose.value,
        "instruction_strict" => system.instruction_strict.value,
        _ => system.instruction_loose.value,
    }
}
