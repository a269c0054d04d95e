//! `evenhand check`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, name_files};
use crate::args::{CheckArgs, QuietArgs};
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::data::load_with_notes;
use crate::{Done, Failed};
use evenhand_compare::gate::FigureRange;
use evenhand_core::Refusal;
use evenhand_engine::{DataOptions, EngineError, NewFile};
use evenhand_ranking::ItemSlices;
use evenhand_report::figures::figures_of_check;
use evenhand_report::{check_csv, check_json, check_table};
use evenhand_stats::Bootstrap;
use evenhand_studies::check::{
    CheckReport, ResponseChecked, SystemChecked, check as check_responses,
};
use std::io::{BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

const FIGURES: [(&str, FigureRange); 4] = [
    ("prompt_strict", FigureRange::SHARE),
    ("prompt_loose", FigureRange::SHARE),
    ("instruction_strict", FigureRange::SHARE),
    ("instruction_loose", FigureRange::SHARE),
];

/// The command has no `--quiet`.
const SPEAKING: QuietArgs = QuietArgs { quiet: false };

/// How well systems keep verifiable constraints.
pub(crate) fn check(args: &CheckArgs) -> Result<Done, Failed> {
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    args.report.check()?;
    let figure = args.figure.path();
    check_place(figure)?;
    let report = check_files(args)?;
    args.format.print(
        || check_table(&report),
        || check_json(&report),
        || check_csv(&report),
    )?;
    let reported = Reported {
        command: "check",
        title: name_files(&args.files),
        json: check_json(&report),
        figures: figures_of_check(&report),
        run: None,
    };
    args.report.publish(SPEAKING, reported)?;
    draw_first(figure, || figures_of_check(&report))?;
    end_by_conditions(&conditions, &report.systems)
}

fn check_files(args: &CheckArgs) -> Result<CheckReport, Failed> {
    let threads = Bootstrap::default().threads;
    let plan = args.resampling.plan(args.seed.seed, threads)?;
    let options = DataOptions {
        paths: args.files.clone(),
        selection: args.selection.checked()?,
        mapping: args.mapping.parse_map()?,
        format: args.mapping.parse_format()?,
        // A missing response is not the checker's failure; the report counts them.
        allow_missing: true,
        filter: args.filter.parse()?,
        ..DataOptions::default()
    };
    let data = load_with_notes(&options, SPEAKING)?;
    let by = match args.by.as_deref() {
        Some(field) => Some((field, ItemSlices::read(&data, &options, field)?)),
        None => None,
    };
    let mut verdicts = match &args.verdicts {
        Some(path) => Some(VerdictFile::create(path, &args.files)?),
        None => None,
    };
    let report = check_responses(&data, by.as_ref(), &plan, |row| match &mut verdicts {
        Some(file) => file.write_row(&row),
        None => Ok(()),
    })?;
    if let Some(file) = verdicts {
        file.finish()?;
    }
    Ok(report)
}

/// The file of `--verdicts`: a JSON line for each response.
struct VerdictFile<'a> {
    path: &'a Path,
    out: BufWriter<NewFile>,
}

impl<'a> VerdictFile<'a> {
    /// Creates the file, unless it is one of those that are checked.
    fn create(path: &'a Path, inputs: &[PathBuf]) -> Result<VerdictFile<'a>, Failed> {
        // Paths that do not exist lie nowhere.
        let is_within = |folder: &PathBuf| match (path.canonicalize(), folder.canonicalize()) {
            (Ok(path), Ok(folder)) => path.starts_with(folder),
            _ => false,
        };
        if inputs.iter().any(is_within) {
            return Err(Failed::Usage(format!(
                "--verdicts {}: is there already, among the files that are checked; choose another \
                 name",
                path.display()
            )));
        }
        let file =
            NewFile::begin(path).map_err(|e| Failed::Usage(describe_unwritable(path, &e)))?;
        let out = BufWriter::new(file);
        Ok(VerdictFile { path, out })
    }

    fn write_row(&mut self, row: &ResponseChecked) -> Result<(), EngineError> {
        let line = serde_json::to_string(row).unwrap_or_default();
        writeln!(self.out, "{line}").map_err(|error| {
            let why = describe_unwritable(self.path, &error);
            Refusal::of_input(why).into()
        })
    }

    fn finish(self) -> Result<(), Failed> {
        let written = self.out.into_inner().map_err(IntoInnerError::into_error);
        let finished = written.and_then(NewFile::finish);
        finished.map_err(|error| Failed::Run(describe_unwritable(self.path, &error)))
    }
}

fn describe_unwritable(path: &Path, error: &std::io::Error) -> String {
    format!("--verdicts {}: cannot be written: {error}", path.display())
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
