//! `evenhand check`.

use crate::args::{CheckArgs, QuietArgs};
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::data::load_with_notes;
use crate::{Done, Failed};
use evenhand_core::Refusal;
use evenhand_engine::{DataOptions, EngineError};
use evenhand_report::{check_csv, check_json, check_table};
use evenhand_stats::Bootstrap;
use evenhand_studies::check::{ResponseChecked, SystemChecked, check as check_responses};
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
    let plan = args
        .resampling
        .plan(args.seed.seed, Bootstrap::default().threads)?;
    let data = load_with_notes(&data_options(args)?, QuietArgs { quiet: false })?;
    let mut verdicts = match &args.verdicts {
        Some(path) => Some(VerdictFile::create(path, &args.files)?),
        None => None,
    };
    let report = check_responses(&data, &plan, |row| match &mut verdicts {
        Some(file) => file.write_row(&row),
        None => Ok(()),
    })?;
    if let Some(file) = verdicts {
        file.finish()?;
    }
    args.format.print(
        || check_table(&report),
        || check_json(&report),
        || check_csv(&report),
    )?;
    end_by_conditions(&conditions, &report.systems)
}

fn data_options(args: &CheckArgs) -> Result<DataOptions, Failed> {
    Ok(DataOptions {
        paths: args.files.clone(),
        selection: args.selection.checked()?,
        mapping: args.mapping.parse_map()?,
        format: args.mapping.parse_format()?,
        // A missing response is not the checker's failure; the report counts them.
        allow_missing: true,
        filter: args.filter.parse()?,
        ..DataOptions::default()
    })
}

/// The file of `--verdicts`: a JSON line for each response.
struct VerdictFile<'a> {
    path: &'a Path,
    out: BufWriter<File>,
}

impl<'a> VerdictFile<'a> {
    /// Creates the file, unless it is one of those that are checked.
    fn create(path: &'a Path, inputs: &[PathBuf]) -> Result<VerdictFile<'a>, Failed> {
        if inputs.iter().any(|input| is_within(path, input)) {
            return Err(Failed::usage(format!(
                "--verdicts {}: is there already, among the files that are checked; choose another \
                 name",
                path.display()
            )));
        }
        match File::create(path) {
            Ok(file) => Ok(VerdictFile {
                path,
                out: BufWriter::new(file),
            }),
            Err(error) => Err(Failed::Usage(describe_unwritable(path, &error))),
        }
    }

    fn write_row(&mut self, row: &ResponseChecked) -> Result<(), EngineError> {
        let line = serde_json::to_string(row).unwrap_or_default();
        writeln!(self.out, "{line}")
            .map_err(|error| Refusal::of_input(describe_unwritable(self.path, &error)).into())
    }

    fn finish(mut self) -> Result<(), Failed> {
        self.out
            .flush()
            .map_err(|error| Failed::Run(describe_unwritable(self.path, &error)))
    }
}

fn describe_unwritable(path: &Path, error: &std::io::Error) -> String {
    format!("--verdicts {}: cannot be written: {error}", path.display())
}

/// Whether a path is a file or folder, or lies in it. Paths that do not exist lie nowhere.
fn is_within(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

impl NamedFigures for SystemChecked {
    fn name(&self) -> &str {
        &self.system
    }

    fn figure(&self, name: &str) -> Option<f64> {
        match name {
            "prompt_strict" => self.prompt_strict.value,
            "prompt_loose" => self.prompt_loose.value,
            "instruction_strict" => self.instruction_strict.value,
            _ => self.instruction_loose.value,
        }
    }
}
