//! `evenhand audit`.

use super::meta::{Shown, ended};
use super::stop_on_ctrl_c;
use super::verdicts::check_coverage;
use crate::args::{AuditArgs, AuditCommand};
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::data::{load_dataset, load_recordings};
use crate::job::list_reusable;
use crate::judges::{Participants, check_embedder};
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_engine::{DataOptions, EngineError, Found, JudgeSpec, check_level, load};
use evenhand_formats::Dataset;
use evenhand_protocols::{Protocol, ProtocolOptions, rewriting_instructions};
use evenhand_report::audit::{
    audit_csv, audit_estimate_csv, audit_estimate_json, audit_estimate_table, audit_json,
    audits_table,
};
use evenhand_report::plot::{audit_plots, forest};
use evenhand_studies::audit::{
    AuditOptions, AuditReport, ByModel, FindingName, LiveOptions, Probe, audit as run,
    audit_estimate, audit_recorded,
};
use evenhand_studies::judge::RecordedOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FIGURES: [&str; 3] = ["biased", "flips", "failures"];

/// What a judge's biases are.
pub(crate) fn audit(args: &AuditArgs) -> Result<Done, Failed> {
    if let Some(AuditCommand::TweakSet(args)) = &args.command {
        return super::tweak_set::tweak_set(args);
    }
    if args.estimate {
        return estimate(args);
    }
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    let reports = match (
        args.recorded.is_empty(),
        args.judge.is_empty(),
        args.data.data.is_empty(),
    ) {
        (false, ..) => from_files(args)?,
        (true, false, false) => vec![live(args)?],
        _ => return Err(Failed::Usage(EXPECTED.into())),
    };
    if let Some(dir) = &args.figures {
        draw(&reports, dir)?;
    }
    args.format.print(
        || audits_table(&reports, args.verbose.view()),
        || audit_json(&reports),
        || audit_csv(&reports),
    )?;
    reports.iter().try_for_each(|report| {
        check_coverage(
            &report.tally,
            None,
            report.run.as_deref().unwrap_or(Path::new("")),
        )
    })?;
    end_by_conditions(&conditions, &reports)
}

const EXPECTED: &str = "expected --data PATH... and --judge JUDGE, or --recorded FILE... with what \
                        a judge has said in both orders";

fn live(args: &AuditArgs) -> Result<AuditReport, Failed> {
    let Prepared {
        mut options,
        data,
        tweaked,
    } = prepare(args)?;
    let mut watch = Shown::new(args.quiet.quiet);
    options.live.stop = stop_on_ctrl_c()?;
    run(&data, tweaked.as_ref(), &options, &mut watch).map_err(ended)
}

/// What the audit would ask, and what that would cost.
fn estimate(args: &AuditArgs) -> Result<Done, Failed> {
    if args.judge.is_empty() || args.data.data.is_empty() {
        return Err(Failed::Usage(format!("--estimate: {EXPECTED}")));
    }
    let Prepared {
        options,
        data,
        tweaked,
    } = prepare(args)?;
    let (found, prices) = (
        audit_estimate(&data, tweaked.as_ref(), &options)?,
        &options.live.prices,
    );
    args.format.print(
        || audit_estimate_table(&found, prices),
        || audit_estimate_json(&found, prices),
        || audit_estimate_csv(&found, prices),
    )?;
    Ok(Done::Fine)
}

/// All that an audit is made of.
struct Prepared {
    options: AuditOptions,
    data: Dataset,
    tweaked: Option<Dataset>,
}

fn prepare(args: &AuditArgs) -> Result<Prepared, Failed> {
    let prices = args.prices.table()?;
    let live = LiveOptions {
        judge: args.compute.judge_options(args.bench.marks.raw_marks),
        limits: args.limits.checked(&prices)?,
        prices,
        reuse: list_reusable(&args.reuse, Found::All)?,
        stop: Arc::default(),
    };
    let options = options(args, live)?;
    let data = load_dataset(&args.data, args.quiet)?;
    let tweaked = args
        .tweak_set
        .as_deref()
        .map(|path| {
            load(&DataOptions {
                paths: vec![path.into()],
                ..DataOptions::default()
            })
        })
        .transpose()?;
    Ok(Prepared {
        options,
        data,
        tweaked,
    })
}

fn options(args: &AuditArgs, live: LiveOptions) -> Result<AuditOptions, Failed> {
    check_level(args.level)?;
    let Participants {
        panel: judges,
        second: second_stage,
        embedder,
    } = Participants::resolve(&args.judge, &args.bench, &args.judges)?;
    let given = if args.compare.is_empty() {
        &args.protocol
    } else {
        &args.compare
    };
    let pack = args.pack.load()?;
    let with = ProtocolOptions {
        pack: pack.clone(),
        panel: args.bench.panel,
        ..ProtocolOptions::default()
    };
    let protocols = protocols(given, &with);
    refuse_embedder(args, &protocols, &with)?;
    let mut probes = args.probes.concat();
    if probes.is_empty() {
        probes = Probe::USUAL.to_vec();
    }
    if args.probes.iter().any(|probes| probes.len() > 1) && args.tweak_set.is_none() {
        probes.retain(|probe| *probe != Probe::Severity);
        args.quiet
            .say("--probes all: severity is left out, for want of a --tweak-set");
    }
    if !args.compare.is_empty() && !probes.contains(&Probe::Protocols) {
        probes.push(Probe::Protocols);
    }
    Ok(AuditOptions {
        judges,
        panel: args.bench.panel,
        second_stage,
        embedder,
        pack,
        protocols,
        probes,
        rewrites: args.rewrites.concat(),
        by_model: args
            .rewriter
            .as_deref()
            .map(|rewriter| by_model(args, rewriter))
            .transpose()?,
        own: args.own.clone(),
        repeats: args.repeats,
        level: args.level,
        seed: args.seed,
        run: args.run.clone(),
        live,
    })
}

/// The protocols of lists with commas; a comma may stand in a name too, as in
/// `pairwise/direct/portia:3,embedding`.
fn protocols(given: &[String], with: &ProtocolOptions) -> Vec<String> {
    let known = |name: &str| Protocol::with(name, with).is_ok();
    let mut names: Vec<String> = Vec::new();
    for part in given.iter().flat_map(|list| list.split(',')) {
        let both = names
            .last()
            .map(|last| format!("{last},{part}"))
            .filter(|both| !known(part) && known(both));
        match (both, names.last_mut()) {
            (Some(both), Some(last)) => *last = both,
            _ => names.push(part.to_string()),
        }
    }
    names
}

/// Refuses an embedder that would never be asked.
fn refuse_embedder(
    args: &AuditArgs,
    protocols: &[String],
    with: &ProtocolOptions,
) -> Result<(), Failed> {
    let Some(embedder) = &args.bench.embedder else {
        return Ok(());
    };
    let made = protocols
        .iter()
        .map(|name| Protocol::with(name, with))
        .collect::<Result<Vec<_>, _>>();
    let made = made.map_err(EngineError::from)?;
    check_embedder(Some(embedder), &made.iter().collect::<Vec<_>>())
}

/// The distractors of the files, or those of the paper.
fn by_model(args: &AuditArgs, rewriter: &str) -> Result<ByModel, Failed> {
    let read = |path: &PathBuf| -> Result<(String, String), Failed> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            Failed::Usage(format!(
                "--distractor {}: cannot be read: {e}",
                path.display()
            ))
        })?;
        Ok((
            path.file_stem()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            text,
        ))
    };
    let distractors = match args.distractor.is_empty() {
        true => rewriting_instructions().into_iter().collect(),
        false => args.distractor.iter().map(read).collect::<Result<_, _>>()?,
    };
    Ok(ByModel {
        rewriter: JudgeSpec::named(rewriter, &args.judges)?,
        distractors,
    })
}

fn from_files(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    let (recorded, labels) = (args.recorded.clone(), args.labels.clone());
    let options = RecordedOptions {
        recorded,
        labels,
        ..RecordedOptions::default()
    };
    let judged = load_recordings(options, &args.data, args.quiet)?;
    Ok(judged
        .iter()
        .map(|judged| audit_recorded(judged, args.level))
        .collect::<Result<_, _>>()?)
}

fn draw(reports: &[AuditReport], dir: &Path) -> Result<(), Failed> {
    let shown = dir.display();
    std::fs::create_dir_all(dir)
        .map_err(|e| Failed::Usage(format!("--figures {shown}: cannot be made: {e}")))?;
    let mut count = 0;
    for (at, report) in reports.iter().enumerate() {
        let before = if reports.len() > 1 {
            format!("{}-", at + 1)
        } else {
            String::new()
        };
        let card = forest(report)
            .map(|text| vec![("card".to_string(), text)])
            .unwrap_or_default();
        let climbs = audit_plots(report)
            .into_iter()
            .map(|(name, plot)| plot.svg().map(|text| (name, text)))
            .collect::<Result<Vec<_>, _>>();
        for (name, text) in card.into_iter().chain(climbs.map_err(Failed::Run)?) {
            let path = dir.join(format!("{before}{name}.svg"));
            std::fs::write(&path, text)
                .map_err(|e| Failed::Run(format!("{}: cannot be written: {e}", path.display())))?;
            count += 1;
        }
    }
    say(&format!("{count} figures drawn"));
    Ok(())
}

impl NamedFigures for AuditReport {
    fn name(&self) -> &str {
        &self.judge
    }

    fn figure(&self, name: &str) -> Option<f64> {
        match name {
            "biased" => Some(
                self.findings
                    .iter()
                    .filter(|finding| finding.biased)
                    .count() as f64,
            ),
            "flips" => largest_figure(self, FindingName::is_flip_rate),
            _ => largest_figure(self, |name| {
                *name == FindingName::NoVerdict { category: None }
            }),
        }
    }
}

/// Returns the largest of the findings whose names are chosen.
fn largest_figure(report: &AuditReport, is_chosen: impl Fn(&FindingName) -> bool) -> Option<f64> {
    report
        .findings
        .iter()
        .filter(|finding| is_chosen(&finding.name))
        .filter_map(|finding| finding.figure.value)
        .reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_may_stand_in_a_protocols_name() {
        for (given, expected) in [
            (
                &["pairwise,pointwise:1-7"][..],
                &["pairwise", "pointwise:1-7"][..],
            ),
            (
                &[
                    "pairwise/direct/portia:3,embedding,tie,pointwise",
                    "likelihood",
                ],
                &[
                    "pairwise/direct/portia:3,embedding,tie",
                    "pointwise",
                    "likelihood",
                ],
            ),
            (&["pairwise,tie", "x,"], &["pairwise", "tie", "x", ""]),
        ] {
            let given: Vec<String> = given.iter().map(|name| name.to_string()).collect();
            assert_eq!(protocols(&given, &ProtocolOptions::default()), expected);
        }
    }
}
