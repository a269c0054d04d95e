//! `evenhand check`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, name_files};
use crate::args::help::{OUTPUT, STATISTICS};
use crate::args::{
    ConfigArgs, FigureArgs, FilterArgs, FormatArgs, MappingArgs, ReportFileArgs, ResamplingArgs,
    SeedArgs, SelectionArgs,
};
use crate::condition::{decide_by_rows, end_by_gates, parse_conditions};
use crate::data::load_with_notes;
use crate::progress::SPEAKING;
use crate::{Done, Failed};
use clap::Args;
use evenhand_compare::gate::{Figure, Grammar};
use evenhand_core::Refusal;
use evenhand_engine::{DataOptions, EngineError, NewFile};
use evenhand_ranking::ItemSlices;
use evenhand_report::figures::figures_of_check;
use evenhand_report::{check_csv, check_json, check_markdown, check_table, markdown_with_gates};
use evenhand_stats::Bootstrap;
use evenhand_studies::check::{
    CheckReport, ResponseChecked, SystemChecked, check as check_responses,
};
use std::io::{BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

/// Which responses are checked.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Items with constraints, and responses to them
    ///
    /// Files or directories; constraints in IFEval's form (see docs/formats.md).
    #[arg(required = true, num_args = 1.., value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) mapping: MappingArgs,
    /// Also check by value of FIELD, and test whether the values differ
    ///
    /// category, turn, question, or another field of the items.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    /// Write the verdicts on every response to FILE (JSON lines)
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) verdicts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Exit with 3 if a condition holds for any system
    ///
    /// Such as 'prompt_strict<0.5'; also prompt_loose, instruction_strict, instruction_loose.
    #[arg(long, value_name = "EXPR", help_heading = OUTPUT)]
    pub(crate) fail_if: Option<String>,
    /// Let --fail-if decide by the responses that exist
    ///
    /// Without it, a condition that no system meets is undecided (exit code 4) while a system lacks
    /// responses to items with constraints.
    #[arg(long, requires = "fail_if", help_heading = OUTPUT)]
    pub(crate) allow_missing: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

static CONDITIONS: Grammar<SystemChecked> = Grammar::of_figures(&[
    Figure::share("prompt_strict", |row| row.prompt_strict.value),
    Figure::share("prompt_loose", |row| row.prompt_loose.value),
    Figure::share("instruction_strict", |row| row.instruction_strict.value),
    Figure::share("instruction_loose", |row| row.instruction_loose.value),
]);

/// How well systems keep verifiable constraints.
pub(crate) fn check(args: &CheckArgs) -> Result<Done, Failed> {
    let conditions = parse_conditions(args.fail_if.as_deref(), &CONDITIONS)?;
    args.report.check()?;
    let figure = args.figure.path();
    check_place(figure)?;
    let report = check_files(args)?;
    let mut systems = report.systems.iter();
    let lacking = systems.find(|row| row.prompts < report.n_items);
    let lacking = lacking.map(|row| {
        let (answered, items) = (row.prompts, report.n_items);
        format!(
            "{} has responses to {answered} of {items} items with constraints",
            row.system
        )
    });
    let gates = decide_by_rows(
        &conditions,
        &CONDITIONS,
        &report.systems,
        |row| (&row.system, row),
        lacking.as_deref().filter(|_| !args.allow_missing),
    );
    let decided = gates.as_deref().unwrap_or_default();
    args.format.print_with(
        || markdown_with_gates(check_markdown(&report), decided),
        || check_table(&report),
        || check_json(&report, decided),
        || check_csv(&report),
    )?;
    let reported = Reported {
        command: "check",
        title: name_files(&args.files),
        files: args.files.iter().map(PathBuf::as_path).collect(),
        json: check_json(&report, decided),
        figures: figures_of_check(&report),
        run: None,
    };
    args.report.publish(SPEAKING, reported)?;
    draw_first(figure, || figures_of_check(&report))?;
    if let Some(lacking) = &lacking {
        SPEAKING.say(lacking);
    }
    Ok(end_by_gates(&gates?))
}

fn check_files(args: &CheckArgs) -> Result<CheckReport, Failed> {
    let threads = Bootstrap::default().threads;
    let plan = args.resampling.plan(args.seed.seed, threads)?;
    let options = DataOptions {
        paths: args.files.clone(),
        selection: args.selection.checked()?,
        mapping: args.mapping.parse_map()?,
        format: args.mapping.parse_format()?,
        // A missing response is not the checker's failure; conditions do not pass by it.
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
                "--verdicts {}: this file is among those to check; choose another name",
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
