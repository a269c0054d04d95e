//! `evenhand compare` and `evenhand baseline`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, check_file_place, name_files, write_report};
use super::write_asked;
use crate::args::choices::{any_name, names, parse_names};
use crate::args::help::{DATA, GATE, OUTPUT, STATISTICS};
use crate::args::{
    FigureArgs, ListedNames, PlainOutputArgs, PriceArgs, QuietArgs, RecordArgs, RecordingArgs,
    ResamplingArgs, SeedArgs, ThreadArgs,
};
use crate::condition::{end_by_gates, parse_conditions};
use crate::{Done, Failed};
use clap::{Args, Subcommand, ValueEnum};
use evenhand_compare::gate::{COMPARISON, Gate, GateFigures, GateResult, decide_gates};
use evenhand_compare::{
    CompareOptions, Comparison, SideData, SideReading, baseline_text, compare_sides,
    compare_within, drift_over_looks, history_text, read_history, read_side,
};
use evenhand_core::{shell_word, split_list};
use evenhand_engine::{EngineError, PriceTable, open_input, spent};
use evenhand_formats::judgments::{JudgmentFormat, Options};
use evenhand_report::figures::figures_of_comparison;
use evenhand_report::{
    Usage, compare_csv, compare_json, compare_summary, compare_table, gates_junit, progress_text,
};
use evenhand_store::{FileLock, Reader, run_in_folder};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf, absolute};

/// Says what is compared with what, and when a pipeline stops.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The earlier side: a run, a file of judgments, or a file of `baseline save`
    #[arg(value_name = "BASELINE")]
    pub(crate) baseline: PathBuf,
    /// The later side; if left out, two systems of BASELINE are compared
    #[arg(value_name = "CURRENT")]
    pub(crate) current: Option<PathBuf>,
    /// The two systems to compare, the earlier first
    ///
    /// OLD is a system of BASELINE, NEW one of CURRENT, or both of the one run. Without it, each
    /// system is compared with itself.
    #[arg(long, value_name = "OLD,NEW", help_heading = DATA)]
    pub(crate) pair: Option<String>,
    /// Only these systems
    #[arg(long, value_parser = parse_names, value_name = "A,B,...", help_heading = DATA)]
    pub(crate) systems: Vec<ListedNames>,
    /// Items that never change, used only to measure the judge's own change
    ///
    /// A file with an id on each line, or JSON lines with id, item or question_id. They do not
    /// count for any system.
    #[arg(long, value_name = "FILE", help_heading = DATA)]
    pub(crate) anchors: Option<PathBuf>,
    /// Test the judge's own change, with one false-alarm rate over all looks
    ///
    /// For runs that are compared with one BASELINE again and again, such as every week. The chance
    /// of a false alarm over all looks together is at most 1 - level. Name the runs that you looked
    /// at before CURRENT with --earlier.
    #[arg(long, help_heading = STATISTICS)]
    pub(crate) sequential: bool,
    /// For --sequential: the runs you looked at before CURRENT, in order
    #[arg(long, num_args = 1.., value_name = "RUN", help_heading = DATA)]
    pub(crate) earlier: Vec<PathBuf>,
    /// Also compare the items of each value of FIELD separately
    ///
    /// Instead of by category. A run keeps only the fields that its prompts show.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// The format of files of judgments, if it is not recognised
    #[arg(
        long, value_name = "NAME", hide_possible_values = true,
        value_parser = names(["battles"].into_iter().chain(JudgmentFormat::names()), any_name),
        help_heading = DATA
    )]
    pub(crate) input_format: Option<String>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Exit with 3 if a condition holds
    ///
    /// Such as 'worse(v2,v1)', 'inferior(v2,v1,0.05)', 'difference(v2,v1).low<-0.02', 'worse in
    /// any', 'drift' or 'coverage<0.95', separated by commas; see docs/gates.md.
    #[arg(long, value_name = "EXPR", help_heading = GATE)]
    pub(crate) fail_if: Option<String>,
    /// Fail with exit code 4, or pass, if the data do not decide a condition
    #[arg(long, value_enum, default_value = "fail", help_heading = GATE)]
    pub(crate) inconclusive: Inconclusive,
    /// Decide conditions even if some data are missing
    ///
    /// Without it, a condition that would pass is left undecided if data are missing: a system or
    /// items of BASELINE that CURRENT lacks, judgments without a verdict, or a run that was
    /// stopped. Either way, the first line of the answer says what is missing.
    #[arg(long, help_heading = GATE)]
    pub(crate) allow_missing: bool,
    /// Add this look to FILE, as a JSON line, and show it after the earlier ones
    ///
    /// Shows the trend of a branch in the table, the summary and the JSON. Name each look with
    /// --look; a look of the same name is replaced.
    #[arg(long, value_name = "FILE.jsonl", help_heading = OUTPUT)]
    pub(crate) history: Option<PathBuf>,
    /// The name of this look in --history, such as a commit
    ///
    /// [default: the name of CURRENT]
    #[arg(long, value_name = "NAME", requires = "history", help_heading = OUTPUT)]
    pub(crate) look: Option<String>,
    /// Write the conditions as test cases, in JUnit XML
    #[arg(long, value_name = "FILE", help_heading = GATE)]
    pub(crate) junit: Option<PathBuf>,
    /// Write a summary in Markdown, for a pull request
    #[arg(long, value_name = "FILE.md", help_heading = GATE)]
    pub(crate) summary: Option<PathBuf>,
    /// The address of the report that the summary links items to
    ///
    /// With an empty address nothing is linked, and items show the numbers of their judgments.
    ///
    /// [default: the file of --report]
    #[arg(long, value_name = "URL", help_heading = GATE)]
    pub(crate) link: Option<String>,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    /// Write a report as one HTML file
    ///
    /// It holds the comparison, its figures and the judgments of CURRENT.
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) output: PlainOutputArgs,
}

/// Says how a command ends where the data do not decide a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Inconclusive {
    Pass,
    Fail,
}

/// Lists what is done with baselines.
#[derive(Debug, Subcommand)]
pub(crate) enum BaselineCommand {
    /// Write what a run's judge said, item by item, to a file small enough to commit
    ///
    /// It holds verdicts and digests of texts, but no texts. `compare` reads it in place of the
    /// run.
    Save(BaselineArgs),
}

/// Which run is saved, and where.
#[derive(Debug, Args)]
pub(crate) struct BaselineArgs {
    /// The run's directory, or a file of judgments
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE.json", default_value = "baseline.json", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// Compares two runs, or two systems of one.
pub(crate) fn compare(args: &CompareArgs) -> Result<Done, Failed> {
    let gates = check_arguments(args)?;
    let prices = args.prices.table()?;
    let mut comparison = compare_both(args)?;
    if let Some(path) = &args.history {
        let rows = read_history(path)?;
        comparison.history = comparison.add_to_history(rows, &look_of(args));
    }
    let last = args.current.as_deref().unwrap_or(&args.baseline);
    let cost = match last.is_dir() {
        true => {
            let totals = Reader::open(last).and_then(|reader| reader.totals());
            let totals = totals.map_err(EngineError::from)?;
            Usage::new(&spent(&totals, &prices), 0.0).total.cost_usd
        }
        false => None,
    };
    let figures = GateFigures {
        allow_missing: args.allow_missing,
        cost,
    };
    let results = decide_gates(&gates, &comparison, figures)?;
    args.output.format.print_with(
        || compare_summary(&comparison, &results, link_of(args).as_deref()),
        || compare_table(&comparison, &results, args.output.verbose.view()),
        || compare_json(&comparison, &results),
        || compare_csv(&comparison),
    )?;
    write_files(args, &comparison, &results, &prices)?;
    draw_first(args.figure.path(), || figures_of_comparison(&comparison))?;

    Ok(match (end_by_gates(&results), args.inconclusive) {
        (Done::Inconclusive(_), Inconclusive::Pass) => Done::Fine,
        (done, _) => done,
    })
}

/// The name of this look: as given, or that of the later side.
fn look_of(args: &CompareArgs) -> String {
    let last = args.current.as_deref().unwrap_or(&args.baseline);
    let name = || last.display().to_string();
    args.look.clone().unwrap_or_else(name)
}

/// Refuses what could only fail later, before anything is read.
fn check_arguments(args: &CompareArgs) -> Result<Vec<Gate>, Failed> {
    check_place(args.figure.path())?;
    for file in [&args.report, &args.junit, &args.summary, &args.history]
        .into_iter()
        .flatten()
    {
        check_file_place(file)?;
    }
    check_looks(args)?;
    parse_conditions(args.fail_if.as_deref(), &COMPARISON)
}

/// Refuses looks that are none, and a side that is given twice.
fn check_looks(args: &CompareArgs) -> Result<(), Failed> {
    if !args.earlier.is_empty() && !args.sequential {
        return Err(Failed::usage(
            "--earlier: it is only for --sequential; give that too, or leave --earlier out",
        ));
    }
    let Some(current) = &args.current else {
        return match args.sequential {
            true => Err(Failed::usage(
                "--sequential: there is only one run, and its judge did not change within it; give \
                 CURRENT too",
            )),
            false => Ok(()),
        };
    };
    let mut seen: Vec<PathBuf> = Vec::new();
    for run in [&args.baseline]
        .into_iter()
        .chain(&args.earlier)
        .chain([current])
    {
        // However it is spelt; one that is not there is refused when it is read.
        let place = fs::canonicalize(run).unwrap_or_else(|_| run.clone());
        if seen.contains(&place) {
            let run = run.display();
            return Err(Failed::Usage(match args.sequential {
                true => format!("--sequential: {run} is given twice; a look counts once"),
                false => format!(
                    "{run} is given twice, and differs in nothing from itself; to compare two of \
                     its systems: `evenhand compare {} --pair OLD,NEW`",
                    shell_word(&run.to_string())
                ),
            }));
        }
        seen.push(place);
    }
    Ok(())
}

/// Reads a side; where there is none of a name that may be a run's, says what lists the runs.
fn read_run_or_file(path: &Path, reading: &SideReading) -> Result<SideData, Failed> {
    read_side(path, reading).map_err(|error| match Failed::from(error) {
        Failed::Usage(message) if path.extension().is_none() && !path.exists() => {
            let meant = run_in_folder(path).map_or_else(String::new, |run| {
                format!("; did you mean {}?", run.display())
            });
            Failed::Usage(format!(
                "{message}{meant}\n  `evenhand runs` lists your runs"
            ))
        }
        failed => failed,
    })
}

fn compare_both(args: &CompareArgs) -> Result<Comparison, Failed> {
    let systems = ListedNames::join(&args.systems);
    let pair = args.pair.as_deref().map(parse_pair).transpose()?;
    let left_out = |name: &&String| !systems.is_empty() && !systems.contains(name);
    if let Some(name) = pair.iter().flatten().find(left_out) {
        return Err(Failed::Usage(format!(
            "--pair: {name} is not one of --systems {}; leave --systems out, or name both in it",
            systems.join(",")
        )));
    }
    let options = CompareOptions {
        systems,
        pair,
        anchors: args.anchors.as_deref().map_or(Ok(vec![]), read_anchors)?,
        plan: args.resampling.plan(args.seed.seed, args.threads.count())?,
    };
    let reading = SideReading {
        files: files_of(&args.records, &args.recording, args.input_format.as_deref())?,
        by: args.by.clone(),
    };
    let baseline = read_run_or_file(&args.baseline, &reading)?;
    let current = args.current.as_ref();
    let current = current.map(|path| read_run_or_file(path, &reading));
    let current = current.transpose()?;
    let sides = [Some(&baseline), current.as_ref()];
    if sides.iter().flatten().all(|side| side.run.is_some()) {
        check_for_run(&args.records, &args.recording, args.input_format.as_deref())?;
    }
    if let Some(current) = current {
        let mut comparison = compare_sides(&baseline, &current, &options)?;
        if let Some(drift) = comparison.drift.as_mut().filter(|_| args.sequential) {
            let earlier = args
                .earlier
                .iter()
                .map(|run| read_run_or_file(run, &reading));
            let earlier: Vec<SideData> = earlier.collect::<Result<_, _>>()?;
            let runs: Vec<&SideData> = earlier.iter().chain([&current]).collect();
            drift.looks = drift_over_looks(&baseline, &runs, &options);
        }
        return Ok(comparison);
    }
    if args.anchors.is_some() {
        return Err(Failed::usage(
            "--anchors: there is only one run, and its judge did not change within it; give \
             CURRENT too",
        ));
    }
    Ok(compare_within(&baseline, &options)?)
}

/// Refuses what says how files of judgments are read, where only runs are.
fn check_for_run(
    records: &RecordArgs,
    recording: &RecordingArgs,
    format: Option<&str>,
) -> Result<(), Failed> {
    let given = [
        ("--baseline", recording.baseline.as_deref()),
        ("--item-column", recording.item_column.as_deref()),
        ("--outcomes", records.outcomes.as_deref()),
        ("--input-format", format),
    ];
    let idle = given
        .into_iter()
        .find_map(|(option, value)| Some((option, value?)));
    idle.map_or(Ok(()), |(option, value)| {
        let earlier = match option {
            "--baseline" => " (the earlier run comes first: compare EARLIER LATER)",
            _ => "",
        };
        Err(Failed::Usage(format!(
            "{option} {value}: it is for files of judgments, and only runs are given; leave it \
             out{earlier}"
        )))
    })
}

fn files_of(
    records: &RecordArgs,
    recording: &RecordingArgs,
    format: Option<&str>,
) -> Result<Options, Failed> {
    let kind = match format {
        None => None,
        Some(name) => Some(JudgmentFormat::from_name(name).ok_or_else(|| {
            Failed::Usage(format!(
                "--input-format: there is no format {name} of judgments"
            ))
        })?),
    };
    Ok(Options {
        kind,
        battles: true,
        ..recording.reading_with(records)?
    })
}

fn parse_pair(text: &str) -> Result<[String; 2], Failed> {
    match split_list(text).as_slice() {
        [old, new] if !old.is_empty() && !new.is_empty() => Ok([old.clone(), new.clone()]),
        _ => Err(Failed::Usage(format!(
            "--pair {text}: expected two systems, the earlier first: v1,v2; one whose name has a \
             comma in quotes: '\"v1,new\",v2'"
        ))),
    }
}

/// Reads ids, one a line; or those of the items of JSON lines.
fn read_anchors(path: &Path) -> Result<Vec<String>, Failed> {
    let unreadable = |error| Failed::unreadable(path.display(), error);
    let mut text = String::new();
    let opened = open_input(path).map_err(unreadable)?;
    std::io::BufReader::new(opened)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    let mut ids: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !line.starts_with('{') {
            ids.push(line.into());
        } else if let Ok(record) = serde_json::from_str::<serde_json::Value>(line) {
            let id = ["id", "item", "question_id"]
                .iter()
                .find_map(|name| record.get(*name));
            ids.extend(id.map(|id| id.as_str().map_or_else(|| id.to_string(), Into::into)));
        }
    }
    if ids.is_empty() {
        let path = path.display();
        return Err(Failed::Usage(format!(
            "--anchors {path}: it has no items; expected an id on each line, or JSON lines with \
             id, item or question_id"
        )));
    }
    Ok(ids)
}

fn link_of(args: &CompareArgs) -> Option<String> {
    let file = args.report.as_deref().map(|file| {
        // A link in a file begins at the file's own folder.
        let beside = || {
            let summary = absolute(args.summary.as_deref()?).ok()?;
            let file = absolute(file).ok()?;
            let beside = file.strip_prefix(summary.parent()?).ok()?;
            Some(beside.display().to_string())
        };
        let path = beside().unwrap_or_else(|| file.display().to_string());
        // In an address `#`, `?` and `%` are no letters of a name, nor `|` in a table.
        let spelt = path.chars().map(|letter| {
            let is_plain = !letter.is_ascii() || letter.is_ascii_alphanumeric();
            match is_plain || "/-._~".contains(letter) {
                true => letter.to_string(),
                false => format!("%{:02X}", u32::from(letter)),
            }
        });
        spelt.collect::<String>()
    });
    args.link.clone().or(file)
}

fn write_files(
    args: &CompareArgs,
    comparison: &Comparison,
    gates: &[GateResult],
    prices: &PriceTable,
) -> Result<(), Failed> {
    if let Some(path) = &args.summary {
        let text = compare_summary(comparison, gates, link_of(args).as_deref());
        write_asked(path, text.as_bytes())?;
    }
    if let Some(path) = &args.history {
        // What other processes have added since this one read it must not be lost.
        let refuse = |why| Failed::unwritable(path.display(), why);
        let _own = FileLock::wait(path).map_err(refuse)?;
        let rows = comparison.add_to_history(read_history(path)?, &look_of(args));
        let text = history_text(&rows).map_err(Failed::unprintable)?;
        write_asked(path, text.as_bytes())?;
    }
    if let Some(path) = &args.junit {
        let fails = args.inconclusive == Inconclusive::Fail;
        let text = gates_junit(comparison, gates, "evenhand compare", fails)
            .map_err(Failed::unprintable)?;
        write_asked(path, text.as_bytes())?;
    }
    if let Some(path) = &args.report {
        let last = args.current.as_ref().unwrap_or(&args.baseline);
        let reported = Reported {
            command: "compare",
            title: name_files(&[args.baseline.clone(), last.clone()]),
            files: vec![args.baseline.as_path(), last.as_path()],
            json: compare_json(comparison, gates),
            figures: figures_of_comparison(comparison),
            run: last.is_dir().then_some((last, prices)),
        };
        write_report(reported, path, args.output.quiet)?;
    }
    Ok(())
}

/// Works on baselines.
pub(crate) fn baseline(command: &BaselineCommand) -> Result<Done, Failed> {
    match command {
        BaselineCommand::Save(args) => save_baseline(args),
    }
}

fn save_baseline(args: &BaselineArgs) -> Result<Done, Failed> {
    check_file_place(&args.out)?;
    let reading = SideReading {
        files: files_of(&args.records, &args.recording, None)?,
        by: None,
    };
    let side = read_side(&args.run, &reading)?;
    if side.run.is_some() {
        check_for_run(&args.records, &args.recording, None)?;
    }
    let text = baseline_text(&side).map_err(Failed::unprintable)?;
    write_asked(&args.out, text.as_bytes())?;
    let (path, kilobytes) = (args.out.display(), text.len() as f64 / 1e3);
    let (items, verdicts) = (side.items.len(), side.verdicts.len());
    args.quiet.say(&format!(
        "{path}: {verdicts} verdicts on {items} items ({kilobytes:.1} kB)"
    ));
    if let Some(progress) = side.run.filter(|progress| progress.is_unfinished()) {
        args.quiet.say(&format!(
            "{}: {}. What it lacks, the baseline lacks too; the command that made the run \
             completes it",
            args.run.display(),
            progress_text(&progress)
        ));
    }
    Ok(Done::Fine)
}
