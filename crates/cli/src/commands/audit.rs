//! `evenhand audit`.

mod options;

use super::figure::FigureDir;
use super::meta::ShownCells;
use super::report::Reported;
use super::stop_on_ctrl_c;
use super::tweak_set::tweak_set;
use super::verdicts::{check_coverage, describe_failures};
use crate::args::choices::names;
use crate::args::help::{DATA, JUDGE, OUTPUT, PROBES, PROTOCOL, RUN, STATISTICS};
use crate::args::{
    BenchArgs, ComputeArgs, ConfigArgs, DataArgs, FiguresArgs, FilterArgs, FormatArgs, LimitArgs,
    NameArgs, PackArgs, PriceArgs, QuietArgs, RecordingArgs, ReportFileArgs, ReuseArgs,
    VerboseArgs,
};
use crate::condition::{decide_by_rows, end_by_gates, parse_conditions};
use crate::data::load_recordings;
use crate::host::keep_run_of_host;
use crate::{Done, Failed};
use clap::{Args, Subcommand};
use evenhand_compare::gate::{
    Figure, Gate, GateFigure, GateOutcome, GateResult, GateTest, Grammar,
};
use evenhand_core::did_you_mean;
use evenhand_engine::{Coverage, NamedJudges, NewFile, PriceTable};
use evenhand_report::audit::{
    audit_csv, audit_estimate_csv, audit_estimate_json, audit_estimate_table, audit_json,
    audits_markdown, audits_table,
};
use evenhand_report::figures::{audit_figures, figures_of_audits, figures_over_judges};
use evenhand_report::markdown_with_gates;
use evenhand_studies::audit::{
    AuditReport, FindingName, PairChoice, Probe, Rewrite, audit as run_audit, audit_estimate,
    audit_recorded,
};
use evenhand_studies::judge::RecordedOptions;
use options::{Prepared, prepare};
use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::slice;

/// Which judge is audited, on what, and for what.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AuditCommand>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The judge to audit; give several for a panel
    #[arg(long, help_heading = JUDGE)]
    pub(crate) judge: Vec<String>,
    /// Audit each --judge separately, not all as a panel
    ///
    /// Prints a card for each, and one table of all their flips with averages.
    #[arg(long, conflicts_with_all = ["recorded", "estimate"], help_heading = JUDGE)]
    pub(crate) apart: bool,
    /// The configuration's judges.
    #[arg(skip)]
    pub(crate) judges: NamedJudges,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    /// Protocols that compare two responses or score one
    ///
    /// [default: pairwise-tie/direct/swap,pointwise:1-7/direct/single]
    #[arg(
        long, value_name = "NAME,...", hide_default_value = true,
        default_value = "pairwise-tie/direct/swap,pointwise:1-7/direct/single",
        help_heading = PROTOCOL
    )]
    pub(crate) protocol: Vec<String>,
    /// Protocols to test against each other, instead of --protocol
    ///
    /// Two or more. Shows how much less one is distracted than another.
    #[arg(long, value_name = "A,B", conflicts_with = "protocol", help_heading = PROBES)]
    pub(crate) compare: Vec<String>,
    /// Rubrics to compare, for protocols that do not name one
    ///
    /// Such as overall,instruction-following. [default: rules]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", help_heading = PROBES)]
    pub(crate) criteria: Vec<String>,
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Biases to look for
    ///
    /// Any of position, distractors, protocols, people, null-answer, transitivity, choice-set,
    /// scale, severity, leaderboard, reading, failures, or all. [default: the first five, reading
    /// and failures]
    #[arg(
        long, value_delimiter = ',', hide_possible_values = true, value_name = "NAME,...",
        value_parser = names(Probe::NAMES.iter().copied().chain(["all"]), parse_probes),
        help_heading = PROBES
    )]
    pub(crate) probes: Vec<Vec<Probe>>,
    /// Which pairs of each item to compare
    ///
    /// drawn: one pair, either one that people compared or a random one; all: every pair of systems
    /// that answered; labelled: the pairs that people compared. A question counts once in every
    /// interval, however many pairs it has. Probes of circles, lists and rankings choose their own
    /// systems.
    #[arg(
        long, value_name = "NAME", default_value = "drawn",
        value_parser = names(PairChoice::NAMES.iter().copied(), parse_pairs),
        help_heading = PROBES
    )]
    pub(crate) pairs: PairChoice,
    /// Additions to make to responses
    ///
    /// Any of assertive, filler, flattery, padding, markdown, emoji, authority, injection, or all
    /// or none.
    #[arg(
        long, value_delimiter = ',', hide_possible_values = true, value_name = "NAME,...",
        value_parser = names(
            Rewrite::ALL.map(Rewrite::name).into_iter().chain(["all", "none"]), parse_rewrites
        ),
        default_value = "assertive,filler,flattery", help_heading = PROBES
    )]
    pub(crate) rewrites: Vec<Vec<Rewrite>>,
    /// A model that rewrites responses as well
    ///
    /// It rewrites by each --distractor. A rewrite that changes numbers, code or much of the length
    /// is dropped.
    #[arg(long, value_name = "JUDGE", help_heading = PROBES)]
    pub(crate) rewriter: Option<String>,
    /// A file with an instruction to the rewriter
    ///
    /// The distractor is named after the file. [default: assertiveness, prolixity and sycophancy]
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "rewriter", help_heading = PROBES)]
    pub(crate) distractor: Vec<PathBuf>,
    /// Also give all figures by value of an item's FIELD
    ///
    /// Such as category or language. At most a share 1 - level of audits accuse a sound judge in
    /// any slice. Conditions of --fail-if apply to the whole.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    /// The system that is the judge itself, for self-preference
    #[arg(long, value_name = "SYSTEM", help_heading = JUDGE)]
    pub(crate) own: Option<String>,
    /// Answers that keep and break constraints, for --probes severity
    ///
    /// A directory made by `audit tweak-set`.
    #[arg(long, value_name = "PATH", help_heading = DATA)]
    pub(crate) tweak_set: Option<PathBuf>,
    /// How often to ask each comparison of three responses
    #[arg(
        long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20),
        help_heading = PROBES
    )]
    pub(crate) repeats: u32,
    /// Existing judge outputs, in both orders; no judge is asked
    #[arg(
        long, num_args = 1.., value_name = "FILE", conflicts_with_all = ["judge", "name"],
        help_heading = DATA
    )]
    pub(crate) recorded: Vec<PathBuf>,
    /// People's labels or votes on pairs, for recordings without them
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "recorded", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// Coverage of the intervals
    ///
    /// Over many audits, at most 1 - LEVEL of what is found is a false alarm.
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
    /// Seed of random draws, such as which responses of an item are compared
    #[arg(long, default_value_t = 0, help_heading = RUN)]
    pub(crate) seed: u64,
    /// Where to keep the calls
    ///
    /// [default: a directory under runs/ named after the judge]
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) name: NameArgs,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print the calls, tokens and cost of this audit, without asking a model
    #[arg(long, conflicts_with_all = ["recorded", "figures", "fail_if"], help_heading = RUN)]
    pub(crate) estimate: bool,
    #[command(flatten)]
    pub(crate) figures: FiguresArgs,
    /// Write rewritten responses and their originals to FILE, as JSON lines
    #[arg(
        long, value_name = "FILE", conflicts_with_all = ["recorded", "estimate"],
        help_heading = OUTPUT
    )]
    pub(crate) rewritten: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Exit with 3 if a condition on the result holds
    ///
    /// Such as 'biased>0', 'detectable>15' (points of the largest effect that a test would miss),
    /// 'flips>0.3' (the largest flip rate) or 'failures>0.05'.
    #[arg(long, value_name = "EXPR", help_heading = OUTPUT)]
    pub(crate) fail_if: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Questions with verifiable constraints, and answers that keep and break them
    ///
    /// The answers break none, one, two and three constraints; every one is verified.
    TweakSet(TweakSetArgs),
}

/// The questions that a tweak set is made of.
#[derive(Debug, Args)]
pub(crate) struct TweakSetArgs {
    /// The directory to write items.jsonl and responses.jsonl to
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Your own questions with one system's answers, instead of ours
    #[arg(long, num_args = 1.., value_name = "PATH", help_heading = DATA)]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// How many items
    #[arg(long, default_value_t = 100, help_heading = DATA)]
    pub(crate) items: usize,
    /// Seed of all random draws
    #[arg(long, default_value_t = 0, help_heading = RUN)]
    pub(crate) seed: u64,
}

pub(super) fn parse_probes(name: &str) -> Result<Vec<Probe>, String> {
    match name {
        "all" => Ok(Probe::ALL.to_vec()),
        name => Probe::named(name)
            .map(|probe| vec![probe])
            .ok_or_else(|| expect_some_of(Probe::NAMES, name)),
    }
}

fn parse_pairs(name: &str) -> Result<PairChoice, String> {
    let expected = || {
        let meant = did_you_mean(name, PairChoice::NAMES.iter().copied());
        format!("expected one of {}{meant}", PairChoice::NAMES.join(", "))
    };
    PairChoice::named(name).ok_or_else(expected)
}

fn parse_rewrites(name: &str) -> Result<Vec<Rewrite>, String> {
    match name {
        "all" => Ok(Rewrite::ALL.to_vec()),
        "none" => Ok(Vec::new()),
        name => Rewrite::named(name)
            .map(|rewrite| vec![rewrite])
            .ok_or_else(|| expect_some_of(&Rewrite::ALL.map(Rewrite::name), name)),
    }
}

fn expect_some_of(names: &[&str], found: &str) -> String {
    let meant = did_you_mean(found, names.iter().copied());
    format!("expected all, or some of {}{meant}", names.join(", "))
}

static CONDITIONS: Grammar<AuditReport> = Grammar::of_figures(&[
    // Where nothing was tested, no bias is no result.
    Figure::count("biased", |report| {
        let biased = report.findings.iter().filter(|finding| finding.biased);
        (report.tested > 0).then(|| biased.count() as f64)
    }),
    // The largest effect that a test would have missed, in points.
    Figure::count("detectable", |report| {
        report.largest_unnoticed().map(|share| 100.0 * share)
    }),
    Figure::share("flips", |report| largest(report, FindingName::is_flip_rate)),
    // The share of trials without a verdict, over all categories.
    Figure::share("failures", |report| {
        largest(report, |name| {
            *name == FindingName::NoVerdict { category: None }
        })
    }),
]);

impl AuditArgs {
    /// Says which audit this is: of whom, by what and on what.
    fn describe(&self) -> String {
        let paths = |paths: &[PathBuf]| {
            let paths = paths.iter().map(|path| path.display().to_string());
            paths.collect::<Vec<_>>().join(" ")
        };
        let protocols = match self.compare.is_empty() {
            true => &self.protocol,
            false => &self.compare,
        };
        let of = match self.recorded.is_empty() {
            true => self.judge.join(" "),
            false => paths(&self.recorded),
        };
        let criteria = self.criteria.join(",");
        let tweak_set = self.tweak_set.as_slice();
        let on = [paths(&self.data.data), paths(tweak_set)].join(" ");
        let parts = [of, protocols.join(","), criteria, on.trim().into()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("audit {}", parts.join("; "))
    }
}

/// Finds a judge's biases, estimates the cost of that, or makes a set of tweaked answers.
pub(crate) fn audit(args: &AuditArgs) -> Result<Done, Failed> {
    match &args.command {
        Some(AuditCommand::TweakSet(args)) => tweak_set(args),
        None if args.estimate => estimate(args),
        None => report_biases(args),
    }
}

// Long, and flat: what is asked, drawn, decided, printed and kept, in this order.
fn report_biases(args: &AuditArgs) -> Result<Done, Failed> {
    let conditions = parse_conditions(args.fail_if.as_deref(), &CONDITIONS)?;
    args.report.check()?;
    let figure_dir = FigureDir::open(&args.figures, args.describe())?;
    let reports = match args.recorded.is_empty() {
        true => audit_judges(args)?,
        false => audit_recordings(args)?,
    };
    if let Some(mut dir) = figure_dir {
        for (report, number) in reports.iter().zip(1..) {
            // Several reports have a number each.
            let prefix = match reports.len() {
                1 => String::new(),
                _ => format!("{number}-"),
            };
            dir.draw(&audit_figures(report), &prefix)?;
        }
        dir.draw(&figures_over_judges(&reports), "")?;
        args.quiet.say(&dir.close()?);
    }
    if let Some(path) = &args.rewritten {
        write_rewritten(&reports, path)
            .map_err(|e| Failed::run(format!("--rewritten {}: {e}", path.display())))?;
    }
    let mut gates = decide_by_rows(
        &conditions,
        &CONDITIONS,
        &reports,
        |report| (&report.judge, report),
        None,
    );
    // Where too few items could show no bias in a judge, how many it has is not decided.
    let open = reports.iter().find(|report| report.has_too_few_items());
    let is_of_biases = |gate: &Gate| {
        matches!(
            &gate.test,
            GateTest::Bound(GateFigure::Named { name: "biased", .. }, ..)
        )
    };
    if let (Ok(results), Some(open)) = (&mut gates, open) {
        for result in results {
            let mut own = conditions.iter().filter(|gate| gate.text == result.text);
            if result.outcome == GateOutcome::Passed && own.any(is_of_biases) {
                result.outcome = GateOutcome::Inconclusive(None);
                result.why = format!("{}: {}", open.judge, open.too_few_items());
            }
        }
    }
    let decided = gates.as_deref().unwrap_or_default();
    args.format.print_with(
        || markdown_with_gates(audits_markdown(&reports), decided),
        || audits_table(&reports, args.verbose.view()),
        || audit_json(&reports, decided),
        || audit_csv(&reports),
    )?;
    // Without --run several judges have a run each: it keeps the report on its judge.
    let no_prices = PriceTable::default();
    let first = reports.first().and_then(|report| report.run.as_deref());
    let is_one_run = reports.iter().all(|report| report.run.as_deref() == first);
    if !is_one_run {
        let no_file = ReportFileArgs { report: None };
        for report in &reports {
            let run = report.run.as_deref().map(|dir| (dir, &no_prices));
            no_file.publish(args.quiet, reported(slice::from_ref(report), &[], run))?;
        }
    }
    let run = first.filter(|_| is_one_run).map(|dir| (dir, &no_prices));
    args.report
        .publish(args.quiet, reported(&reports, decided, run))?;
    for report in &reports {
        // A recording has no run directory, and its replies are not shown.
        let run = report.run.as_deref().unwrap_or(Path::new(""));
        check_coverage(&report.tally, None, run)?;
        let Coverage {
            trials, verdicts, ..
        } = report.tally.coverage();
        if report.run.is_some() && verdicts < trials {
            // A figure of few items, or of none, says nothing of why.
            let failures = describe_failures(&report.tally.failures(), run);
            let failed = trials - verdicts;
            args.quiet.say(&format!(
                "{failed} of {trials} judgments came to no verdict. {failures}"
            ));
        }
    }
    Ok(end_by_gates(&gates?))
}

/// Returns the report of audits. Their run keeps no judgments that would have a price.
fn reported<'a>(
    reports: &[AuditReport],
    gates: &[GateResult],
    run: Option<(&'a Path, &'a PriceTable)>,
) -> Reported<'a> {
    let judges: Vec<&str> = reports.iter().map(|report| report.judge.as_str()).collect();
    Reported {
        command: "audit",
        title: judges.join(", "),
        files: Vec::new(),
        json: audit_json(reports, gates),
        figures: figures_of_audits(reports),
        run,
    }
}

/// Writes the rewritten responses of all audits, each once, as JSON objects, a line each.
fn write_rewritten(reports: &[AuditReport], path: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(NewFile::begin(path)?);
    let mut seen = HashSet::new();
    for rewritten in reports.iter().flat_map(|report| &report.rewritten) {
        // Several judges are mostly shown the same ones.
        if seen.insert((&rewritten.rewrite, &rewritten.system, &rewritten.item)) {
            writeln!(file, "{}", serde_json::to_string(rewritten)?)?;
        }
    }
    file.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .finish()
}

/// Audits every judge by itself, or all of them as one panel.
fn audit_judges(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    check_judge_and_data(args, "")?;
    let size = if args.apart { 1 } else { args.judge.len() };
    let stop = stop_on_ctrl_c()?;
    let mut reports = Vec::new();
    for judges in args.judge.chunks(size) {
        let Prepared {
            mut options,
            data,
            tweaked,
        } = prepare(args, judges)?;
        options.live.stop = stop.clone();
        let mut watch = ShownCells::new(args.quiet);
        let report = run_audit(&data, tweaked.as_ref(), &options, &mut watch)?;
        keep_run_of_host(report.run.as_deref());
        reports.push(report);
    }
    Ok(reports)
}

fn audit_recordings(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    let options = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        reading: args.recording.reading(),
        without_labels: true,
        by: args.by.clone(),
        ..RecordedOptions::default()
    };
    if args.by.is_some() && args.data.data.is_empty() {
        return Err(Failed::usage(
            "--by: recordings have no fields of items; add --data PATH..., whose items have the \
             field",
        ));
    }
    let mut data = args.data.clone();
    data.by.clone_from(&args.by);
    let judged = load_recordings(options, &data, args.quiet)?;
    let reports = judged
        .iter()
        .map(|judged| Ok(audit_recorded(judged, args.by.as_deref(), args.level)?));
    reports.collect()
}

fn check_judge_and_data(args: &AuditArgs, option: &str) -> Result<(), Failed> {
    if args.judge.is_empty() || args.data.data.is_empty() {
        return Err(Failed::usage(format!(
            "{option}expected --data PATH... and --judge JUDGE, or --recorded FILE... with a \
             judge's outputs in both orders"
        )));
    }
    Ok(())
}

/// Prints what the audit would ask, and what that would cost.
fn estimate(args: &AuditArgs) -> Result<Done, Failed> {
    check_judge_and_data(args, "--estimate: ")?;
    let Prepared {
        options,
        data,
        tweaked,
    } = prepare(args, &args.judge)?;
    let estimate = audit_estimate(&data, tweaked.as_ref(), &options)?;
    let prices = &options.live.prices;
    args.format.print(
        || audit_estimate_table(&estimate, prices),
        || audit_estimate_json(&estimate, prices),
        || audit_estimate_csv(&estimate, prices),
    )
}

/// The largest of the chosen findings.
fn largest(report: &AuditReport, is_chosen: fn(&FindingName) -> bool) -> Option<f64> {
    let findings = report.findings.iter();
    let chosen = findings.filter(|finding| is_chosen(&finding.name));
    chosen
        .filter_map(|finding| finding.figure.value)
        .reduce(f64::max)
}
