//! `evenhand audit`.

use super::meta::{Shown, ended};
use super::{print, stop_on_ctrl_c, unprintable};
use crate::args::{AuditArgs, AuditCommand, Format};
use crate::condition::Bound;
use crate::job::{data_options, limits, price_table};
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_engine::{DataOptions, JudgeOptions, JudgeSpec, load, load_pack};
use evenhand_protocols::{Pack, rewriting_instructions};
use evenhand_report::audit::{audit_csv, audit_json, audits_table};
use evenhand_report::plot::{audit_plots, forest};
use evenhand_studies::audit::{AuditOptions, AuditReport, ByModel, LiveOptions, Probe, audit as run, audit_recorded};
use evenhand_studies::judge::{RecordedOptions, recorded};
use std::path::{Path, PathBuf};

const FIGURES: [&str; 3] = ["biased", "flips", "failures"];

/// What a judge's biases are.
pub(crate) fn audit(args: &AuditArgs) -> Result<Done, Failed> {
    if let Some(AuditCommand::TweakSet(args)) = &args.command {
        return super::tweak_set::tweak_set(args);
    }
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    let reports = match (args.recorded.is_empty(), args.judge.is_empty(), args.data.data.is_empty()) {
        (false, ..) => from_files(args)?,
        (true, false, false) => vec![live(args)?],
        _ => return Err(Failed::Usage(EXPECTED.into())),
    };
    if let Some(dir) = &args.figures {
        draw(&reports, dir)?;
    }
    print(&match args.format {
        Format::Table => audits_table(&reports),
        Format::Json => audit_json(&reports).map_err(unprintable)?,
        Format::Csv => audit_csv(&reports).map_err(unprintable)?,
    })?;
    met(&conditions, &reports)
}

const EXPECTED: &str =
    "expected --data PATH... and --judge JUDGE, or --recorded FILE... with what a judge has said in both orders";

fn live(args: &AuditArgs) -> Result<AuditReport, Failed> {
    let prices = price_table(args.prices.as_deref())?;
    let live = LiveOptions {
        judge: JudgeOptions { threads: args.threads, context: args.context },
        limits: limits(&args.limits, &prices)?,
        prices,
    };
    let options = options(args, live)?;
    let data = load(&data_options(&args.data)?)?;
    let tweaked = args
        .tweak_set
        .as_deref()
        .map(|path| load(&DataOptions { paths: vec![path.into()], ..DataOptions::default() }))
        .transpose()?;
    let report =
        run(&data, tweaked.as_ref(), &options, &mut Shown::new(args.quiet), stop_on_ctrl_c()?.as_ref()).map_err(ended)?;
    Ok(report)
}

fn options(args: &AuditArgs, live: LiveOptions) -> Result<AuditOptions, Failed> {
    if !(args.level > 0.0 && args.level < 1.0) {
        return Err(Failed::Usage(format!("--level {}: expected a number strictly between 0 and 1, such as 0.95", args.level)));
    }
    let judges = args.judge.iter().map(|judge| JudgeSpec::named(judge, &args.judges)).collect::<Result<Vec<_>, _>>()?;
    let protocols = if args.compare.is_empty() { args.protocol.clone() } else { args.compare.clone() };
    let mut probes = unique(args.probes.concat());
    if probes.is_empty() {
        probes = Probe::USUAL.to_vec();
    }
    if args.probes.iter().any(|probes| probes.len() > 1) && args.tweak_set.is_none() {
        probes.retain(|probe| *probe != Probe::Severity);
        if !args.quiet {
            say("--probes all: severity is left out, for want of a --tweak-set");
        }
    }
    if !args.compare.is_empty() && !probes.contains(&Probe::Protocols) {
        probes.push(Probe::Protocols);
    }
    Ok(AuditOptions {
        judges,
        pack: args.prompt_pack.as_deref().map_or_else(|| Ok(Pack::default()), load_pack)?,
        protocols: unique(protocols),
        probes,
        rewrites: unique(args.rewrites.concat()),
        by_model: args.rewriter.as_deref().map(|rewriter| by_model(args, rewriter)).transpose()?,
        own: args.own.clone(),
        repeats: args.repeats,
        level: args.level,
        seed: args.seed,
        run: args.run.clone(),
        live,
    })
}

/// The distractors of the files, or those of the paper.
fn by_model(args: &AuditArgs, rewriter: &str) -> Result<ByModel, Failed> {
    let read = |path: &PathBuf| -> Result<(String, String), Failed> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failed::Usage(format!("--distractor {}: cannot be read: {e}", path.display())))?;
        Ok((path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(), text))
    };
    let distractors = match args.distractor.is_empty() {
        true => rewriting_instructions().into_iter().collect(),
        false => args.distractor.iter().map(read).collect::<Result<_, _>>()?,
    };
    Ok(ByModel { rewriter: JudgeSpec::named(rewriter, &args.judges)?, distractors })
}

fn unique<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut kept = Vec::new();
    values.into_iter().for_each(|value| {
        if !kept.contains(&value) {
            kept.push(value);
        }
    });
    kept
}

fn from_files(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    let options = RecordedOptions { recorded: args.recorded.clone(), labels: args.labels.clone(), ..RecordedOptions::default() };
    let data = if args.data.data.is_empty() { None } else { Some(load(&data_options(&args.data)?)?) };
    let judged = recorded(&options, data.as_ref())?;
    Ok(judged.iter().map(|judged| audit_recorded(judged, args.level)).collect::<Result<_, _>>()?)
}

fn draw(reports: &[AuditReport], dir: &Path) -> Result<(), Failed> {
    let shown = dir.display();
    std::fs::create_dir_all(dir).map_err(|e| Failed::Usage(format!("--figures {shown}: cannot be made: {e}")))?;
    let mut count = 0;
    for (at, report) in reports.iter().enumerate() {
        let before = if reports.len() > 1 { format!("{}-", at + 1) } else { String::new() };
        let card = forest(report).map(|text| vec![("card".to_string(), text)]).unwrap_or_default();
        let climbs = audit_plots(report)
            .into_iter()
            .map(|(name, plot)| plot.svg().map(|text| (name, text)))
            .collect::<Result<Vec<_>, _>>();
        for (name, text) in card.into_iter().chain(climbs.map_err(Failed::Run)?) {
            let path = dir.join(format!("{before}{name}.svg"));
            std::fs::write(&path, text).map_err(|e| Failed::Run(format!("{}: cannot be written: {e}", path.display())))?;
            count += 1;
        }
    }
    say(&format!("{count} figures drawn"));
    Ok(())
}

/// The first condition that holds of any judge.
fn met(conditions: &[Bound], reports: &[AuditReport]) -> Result<Done, Failed> {
    for (condition, report) in conditions.iter().flat_map(|condition| reports.iter().map(move |report| (condition, report))) {
        let missing = || Failed::Usage(format!("--fail-if {}: the audit has no such figure", condition.text));
        let value = figure(report, &condition.figure).ok_or_else(missing)?;
        if condition.holds(value) {
            return Ok(Done::ConditionMet(format!("{} ({}: it is {value})", condition.text, report.judge)));
        }
    }
    Ok(Done::Fine)
}

fn figure(report: &AuditReport, name: &str) -> Option<f64> {
    let most = |of: &dyn Fn(&str) -> bool| {
        report.findings.iter().filter(|finding| of(&finding.name)).filter_map(|finding| finding.figure.value).reduce(f64::max)
    };
    match name {
        "biased" => Some(report.findings.iter().filter(|finding| finding.biased).count() as f64),
        "flips" => most(&|name| name == "flips by order" || name.ends_with(": flips")),
        _ => most(&|name| name == "no verdict"),
    }
}
