//! `evenhand meta judge --fit`: a calibrated panel.

use super::labelled::{
    Judged, JudgedJudges, judge_pairs, labelled_run, print_evaluations, read_settings,
};
use crate::args::{MetaJudgeArgs, RunArgs};
use crate::job::prepare_with;
use crate::judges::{default_protocol, read_panel, resolve_judges};
use crate::{Done, Failed};
use evenhand_engine::{JudgeSpec, PanelFile, PanelFit};
use evenhand_studies::panel::{TermDifferences, fit_panel as fit_weights};
use std::path::Path;

/// Judges the labelled pairs under the panel's members, weighs them, and writes the panel.
pub(super) fn fit_panel(args: &MetaJudgeArgs, file: &Path) -> Result<Done, Failed> {
    let settings = read_settings(args)?;
    let unfitted = unfitted_panel(args)?;
    let (judged, gathered) = judge_terms(args, &unfitted)?;
    let terms = unfitted.terms();
    let fitted = fit_weights(&judged.pairs, &gathered, &terms, args.run.ask.seed)?;
    let said = describe_fit(file, &fitted.fit);
    let panel = PanelFile {
        fit: Some(fitted.fit),
        ..unfitted.with_weights(&fitted.weights)
    };
    panel.write(file)?;
    args.run.output.quiet.say(&said);
    let judges = JudgedJudges {
        pairs: &fitted.judged,
        ..judged.as_judges()
    };
    print_evaluations(args, judges, &settings)
}

/// Judges the pairs, and gathers how every member saw them.
fn judge_terms(
    args: &MetaJudgeArgs,
    panel: &PanelFile,
) -> Result<(Judged, TermDifferences), Failed> {
    let count = panel.terms().len();
    let mut gathered = TermDifferences::default();
    let prepared = prepare_with(&labelled_run(args)?, args.scale.scale, Some(panel.clone()))?;
    let judged = judge_pairs(args, prepared, |judgment, systems| {
        gathered.add(judgment, systems, count)
    })?;
    Ok((judged, gathered))
}

/// Returns the panel of a file, without its weights, or that of all judges under one protocol.
fn unfitted_panel(args: &MetaJudgeArgs) -> Result<PanelFile, Failed> {
    check_data_and_judge(args)?;
    match read_panel(&args.run)? {
        Some(panel) => Ok(without_fit(panel)),
        None => panel_of_judges(&args.run),
    }
}

fn check_data_and_judge(args: &MetaJudgeArgs) -> Result<(), Failed> {
    if args.run.judge.is_empty() || args.run.data.data.is_empty() {
        return Err(Failed::usage(
            "--fit: expected --data PATH... with labelled pairs, and --judge JUDGE... or --judge \
             panel:FILE",
        ));
    }
    Ok(())
}

fn without_fit(panel: PanelFile) -> PanelFile {
    let zeros = vec![0.0; panel.terms().len()];
    PanelFile {
        fit: None,
        ..panel.with_weights(&zeros)
    }
}

fn panel_of_judges(args: &RunArgs) -> Result<PanelFile, Failed> {
    let specs = resolve_judges(&args.judge, &args.judges)?;
    let small = specs.iter().all(JudgeSpec::prefers_likelihood);
    let protocol = args.ask.protocol.as_deref();
    let protocol = protocol.unwrap_or(default_protocol(small));
    Ok(PanelFile::unfitted(&args.judge, protocol))
}

fn describe_fit(file: &Path, fit: &PanelFit) -> String {
    let (file, accuracy) = (file.display(), describe_accuracy(fit));
    format!(
        "{file}: {accuracy}. On other data it may be worse: measure it there with meta judge \
         --judge panel:{file}"
    )
}

fn describe_accuracy(fit: &PanelFit) -> String {
    format!(
        "fitted to {} pairs on {} items; by cross-validation {:.1} % right{}, calibration error \
         {:.3}, log loss {:.3} (a coin: 0.693)",
        fit.pairs,
        fit.items,
        100.0 * fit.accuracy,
        describe_balanced(fit),
        fit.calibration_error,
        fit.log_loss,
    )
}

fn describe_balanced(fit: &PanelFit) -> String {
    let balanced = fit.accuracy_length_balanced;
    balanced.map_or_else(String::new, |share| {
        format!(", balanced over length {:.1} %", 100.0 * share)
    })
}
