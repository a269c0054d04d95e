//! `evenhand compare` and `evenhand baseline`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, check_file_place, name_files, write_report};
use super::{print, write_asked};
use crate::args::{
    BaselineArgs, BaselineCommand, CompareArgs, Format, Inconclusive, ListedNames, RecordArgs,
    RecordingArgs,
};
use crate::host::current;
use crate::{Done, Failed};
use evenhand_compare::gate::{
    Gate, GateFigures, GateOutcome, GateResult, decide_gates, parse_gates,
};
use evenhand_compare::{
    CompareOptions, Comparison, SideReading, baseline_text, compare_sides, compare_within,
    read_side,
};
use evenhand_core::split_list;
use evenhand_engine::{EngineError, PriceTable, open_input, spent};
use evenhand_formats::judgments::{JudgmentFormat, Options};
use evenhand_report::figures::figures_of_comparison;
use evenhand_report::{
    Usage, compare_csv, compare_json, compare_summary, compare_table, gates_junit, printable,
    progress_text,
};
use evenhand_store::Reader;
use std::io::Read;
use std::path::Path;

/// Compares two runs, or two systems of one.
pub(crate) fn compare(args: &CompareArgs) -> Result<Done, Failed> {
    let gates = check_arguments(args)?;
    let prices = args.prices.table()?;
    let comparison = compare_both(args)?;
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
    print_comparison(args, &comparison, &results)?;
    write_files(args, &comparison, &results, &prices)?;
    draw_first(args.figure.path(), || figures_of_comparison(&comparison))?;

    // Any condition that is met counts before those that are not decided.
    let say = |gate: &GateResult| printable(&format!("{} ({})", gate.text, gate.why)).into_owned();
    let is_open = |gate: &&GateResult| matches!(gate.outcome, GateOutcome::Inconclusive(_));
    let met = results.iter().find(|gate| gate.outcome == GateOutcome::Met);
    Ok(
        match (met, results.iter().find(is_open), args.inconclusive) {
            (Some(met), ..) => Done::ConditionMet(say(met)),
            (None, Some(open), Inconclusive::Fail) => Done::Inconclusive(say(open)),
            _ => Done::Fine,
        },
    )
}

/// Refuses what could only fail later, before anything is read.
fn check_arguments(args: &CompareArgs) -> Result<Vec<Gate>, Failed> {
    check_place(args.figure.path())?;
    for file in [&args.report, &args.junit, &args.summary]
        .into_iter()
        .flatten()
    {
        check_file_place(file)?;
    }
    let gates = match &args.fail_if {
        Some(text) => parse_gates(text).map_err(Failed::Usage)?,
        None => Vec::new(),
    };
    for gate in &gates {
        gate.check_range(None).map_err(Failed::Usage)?;
    }
    Ok(gates)
}

fn compare_both(args: &CompareArgs) -> Result<Comparison, Failed> {
    let options = CompareOptions {
        systems: ListedNames::join(&args.systems),
        pair: args.pair.as_deref().map(parse_pair).transpose()?,
        anchors: args.anchors.as_deref().map_or(Ok(vec![]), read_anchors)?,
        plan: args.resampling.plan(args.seed.seed, args.threads.count())?,
    };
    let reading = SideReading {
        files: files_of(&args.records, &args.recording, args.input_format.as_deref())?,
        by: args.by.clone(),
    };
    let baseline = read_side(&args.baseline, &reading)?;
    if let Some(current) = &args.current {
        let current = read_side(current, &reading)?;
        return Ok(compare_sides(&baseline, &current, &options)?);
    }
    if args.anchors.is_some() {
        return Err(Failed::usage(
            "--anchors: there is one run, whose judge did not change within it; give CURRENT too",
        ));
    }
    Ok(compare_within(&baseline, &options)?)
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
        filter: records.filter.parse()?,
        outcomes: records.parse_outcomes()?,
        ..recording.reading()
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
            "--anchors {path}: there is no item in it; expected an id on each line, or JSON lines \
             with id, item or question_id"
        )));
    }
    Ok(ids)
}

fn print_comparison(
    args: &CompareArgs,
    comparison: &Comparison,
    gates: &[GateResult],
) -> Result<Done, Failed> {
    if args.format.format == Format::Markdown && current().is_none() {
        let summary = compare_summary(comparison, gates, link_of(args).as_deref());
        print(&summary)?;
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
            json: compare_json(comparison, gates),
            figures: figures_of_comparison(comparison),
            run: last.is_dir().then_some((last, prices)),
        };
        write_report(reported, path, args.quiet)?;
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
    let text = baseline_text(&side).map_err(Failed::unprintable)?;
    write_asked(&args.out, text.as_bytes())?;
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
