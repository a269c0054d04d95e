//! `evenhand compare` and `evenhand baseline`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, check_file_place, write_report};
use crate::args::{
    BaselineArgs, BaselineCommand, CompareArgs, Inconclusive, ListedNames, RecordArgs,
    RecordingArgs,
};
use crate::{Done, Failed};
use evenhand_core::split_list;
use evenhand_engine::{EngineError, PriceTable, open_input, spent, write_whole_file};
use evenhand_formats::judgments::{JudgmentFormat, Options};
use evenhand_report::figures::figures_of_comparison;
use evenhand_report::{
    CallTotals, Usage, compare_csv, compare_json, compare_summary, compare_table, gates_junit,
    printable, progress_text,
};
use evenhand_store::Reader;
use evenhand_studies::compare::gate::{
    Gate, GateFigures, GateResult, Outcome, decide_gates, parse_gates,
};
use evenhand_studies::compare::{
    CompareOptions, Comparison, SideReading, baseline_text, compare_sides, compare_within,
    read_side,
};
use std::io::Read;
use std::path::Path;

/// Compares two runs, or two systems of one.
pub(crate) fn compare(args: &CompareArgs) -> Result<Done, Failed> {
    let gates = check_arguments(args)?;
    let prices = args.prices.table()?;
    let comparison = compare_both(args)?;
    let figures = gate_figures(args, &prices)?;
    let results = decide_gates(&gates, &comparison, figures)?;
    print_comparison(args, &comparison, &results)?;
    write_files(args, &comparison, &results, &prices)?;
    draw_first(args.figure.figure.as_deref(), || {
        figures_of_comparison(&comparison)
    })?;
    Ok(end_by_gates(&results, args.inconclusive))
}

/// Refuses what could only fail later, before anything is read.
fn check_arguments(args: &CompareArgs) -> Result<Vec<Gate>, Failed> {
    check_place(args.figure.figure.as_deref())?;
    for file in [&args.report, &args.junit, &args.summary] {
        file.as_deref().map_or(Ok(()), check_file_place)?;
    }
    let text = args.fail_if.as_deref();
    let gates = text.map(parse_gates).transpose().map_err(Failed::Usage)?;
    let gates = gates.unwrap_or_default();
    let mut all = gates.iter();
    all.try_for_each(|gate| gate.check_range(None))
        .map_err(Failed::Usage)?;
    Ok(gates)
}

fn compare_both(args: &CompareArgs) -> Result<Comparison, Failed> {
    let options = options_of(args)?;
    let reading = reading_of(args)?;
    let baseline = read_side(&args.baseline, &reading)?;
    let Some(current) = &args.current else {
        refuse_anchors(args)?;
        return Ok(compare_within(&baseline, &options)?);
    };
    let current = read_side(current, &reading)?;
    Ok(compare_sides(&baseline, &current, &options)?)
}

fn refuse_anchors(args: &CompareArgs) -> Result<(), Failed> {
    match args.anchors {
        Some(_) => Err(Failed::usage(
            "--anchors: there is one run, whose judge did not change within it; give CURRENT too",
        )),
        None => Ok(()),
    }
}

fn reading_of(args: &CompareArgs) -> Result<SideReading, Failed> {
    Ok(SideReading {
        files: files_of(&args.records, &args.recording, args.input_format.as_deref())?,
        by: args.by.clone(),
    })
}

fn files_of(
    records: &RecordArgs,
    recording: &RecordingArgs,
    format: Option<&str>,
) -> Result<Options, Failed> {
    let kind = format.map(|name| {
        JudgmentFormat::from_name(name).ok_or_else(|| {
            Failed::Usage(format!(
                "--input-format: there is no format {name} of judgments"
            ))
        })
    });
    Ok(Options {
        kind: kind.transpose()?,
        battles: true,
        filter: records.filter.parse()?,
        outcomes: records.parse_outcomes()?,
        ..recording.reading()
    })
}

fn options_of(args: &CompareArgs) -> Result<CompareOptions, Failed> {
    Ok(CompareOptions {
        systems: ListedNames::join(&args.systems),
        pair: args.pair.as_deref().map(parse_pair).transpose()?,
        anchors: args.anchors.as_deref().map_or(Ok(vec![]), read_anchors)?,
        plan: args.resampling.plan(args.seed.seed, args.threads.count())?,
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
    let mut text = String::new();
    let opened = open_input(path).map_err(|error| Failed::unreadable(path.display(), error))?;
    let read = std::io::BufReader::new(opened).read_to_string(&mut text);
    read.map_err(|error| Failed::unreadable(path.display(), error))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let ids: Vec<String> = lines.filter_map(anchor_id).collect();
    if ids.is_empty() {
        let path = path.display();
        return Err(Failed::Usage(format!(
            "--anchors {path}: there is no item in it; expected an id on each line, or JSON lines \
             with id, item or question_id"
        )));
    }
    Ok(ids)
}

fn anchor_id(line: &str) -> Option<String> {
    if !line.starts_with('{') {
        return Some(line.into());
    }
    let record: serde_json::Value = serde_json::from_str(line).ok()?;
    let names = ["id", "item", "question_id"];
    let id = names.iter().find_map(|name| record.get(*name))?;
    Some(id.as_str().map_or_else(|| id.to_string(), Into::into))
}

fn gate_figures(args: &CompareArgs, prices: &PriceTable) -> Result<GateFigures, Failed> {
    let last = args.current.as_deref().unwrap_or(&args.baseline);
    let cost = match last.is_dir() {
        true => Some(sum_calls(last, prices)?),
        false => None,
    };
    Ok(GateFigures {
        allow_missing: args.allow_missing,
        cost: cost.and_then(|total| total.cost_usd),
    })
}

fn sum_calls(dir: &Path, prices: &PriceTable) -> Result<CallTotals, Failed> {
    let totals = Reader::open(dir).and_then(|reader| reader.totals());
    let totals = totals.map_err(EngineError::from)?;
    Ok(Usage::new(&spent(&totals, prices), 0.0).total)
}

fn print_comparison(
    args: &CompareArgs,
    comparison: &Comparison,
    gates: &[GateResult],
) -> Result<Done, Failed> {
    if args.format.format == crate::args::Format::Markdown && crate::host::current().is_none() {
        super::print(&compare_summary(
            comparison,
            gates,
            link_of(args).as_deref(),
        ))?;
        return Ok(Done::Fine);
    }
    args.format.print(
        || compare_table(comparison, gates, args.verbose.view()),
        || compare_json(comparison, gates),
        || compare_csv(comparison),
    )
}

fn link_of(args: &CompareArgs) -> Option<String> {
    let file = args.report.as_ref().map(|file| file.display().to_string());
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
        write_text(path, &text)?;
    }
    if let Some(path) = &args.junit {
        let fails = args.inconclusive == Inconclusive::Fail;
        let text = gates_junit(comparison, gates, "evenhand compare", fails)
            .map_err(Failed::unprintable)?;
        write_text(path, &text)?;
    }
    match &args.report {
        Some(path) => write_page(args, comparison, gates, prices, path),
        None => Ok(()),
    }
}

fn write_text(path: &Path, text: &str) -> Result<(), Failed> {
    let written = write_whole_file(path, text.as_bytes());
    written.map_err(|why| Failed::unwritable(path.display(), why))
}

fn write_page(
    args: &CompareArgs,
    comparison: &Comparison,
    gates: &[GateResult],
    prices: &PriceTable,
    path: &Path,
) -> Result<(), Failed> {
    let last = args.current.as_ref().unwrap_or(&args.baseline);
    let reported = Reported {
        command: "compare",
        title: super::report::name_files(&[args.baseline.clone(), last.clone()]),
        json: compare_json(comparison, gates),
        figures: figures_of_comparison(comparison),
        run: last.is_dir().then_some((last, prices)),
    };
    write_report(reported, path, args.quiet)
}

/// Any condition that is met counts before those that are not decided.
fn end_by_gates(gates: &[GateResult], inconclusive: Inconclusive) -> Done {
    let say = |gate: &GateResult| printable(&format!("{} ({})", gate.text, gate.why)).into_owned();
    let is_open = |gate: &&GateResult| matches!(gate.outcome, Outcome::Inconclusive(_));
    let met = gates.iter().find(|gate| gate.outcome == Outcome::Met);
    match (met, gates.iter().find(is_open), inconclusive) {
        (Some(met), ..) => Done::ConditionMet(say(met)),
        (None, Some(open), Inconclusive::Fail) => Done::Inconclusive(say(open)),
        _ => Done::Fine,
    }
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
    let text = baseline_text(&side).map_err(Failed::unprintable)?;
    write_text(&args.out, &text)?;
    let (path, kilobytes) = (args.out.display(), text.len() as f64 / 1e3);
    let (items, verdicts) = (side.items.len(), side.verdicts.len());
    args.quiet.say(&format!(
        "{path}: {verdicts} verdicts on {items} items ({kilobytes:.1} kB)"
    ));
    if let Some(progress) = side.run.filter(|progress| progress.is_unfinished()) {
        args.quiet.say(&format!(
            "{}: {}. What is missing in it is missing in the baseline; the command that made the \
             run goes on with it",
            args.run.display(),
            progress_text(&progress)
        ));
    }
    Ok(Done::Fine)
}
