//! `evenhand meta judge --fit`: a calibrated panel.

use super::labelled::{judge_pairs, labelled_run, print_evaluations, read_settings};
use crate::commands::meta::judge::MetaJudgeArgs;
use crate::job::prepare_with;
use crate::judges::{JudgeFile, default_protocol, read_panel, resolve_judges};
use crate::{Done, Failed};
use evenhand_core::shell_word;
use evenhand_engine::{PanelFile, PanelFit};
use evenhand_studies::panel::{TermDifferences, fit_panel as fit_weights};
use std::path::Path;
use std::slice::from_ref;

/// Judges the labelled pairs under the panel's members, weighs them, and writes the panel.
pub(super) fn fit_panel(args: &MetaJudgeArgs, file: &Path) -> Result<Done, Failed> {
    let settings = read_settings(args)?;
    let unfitted = unfitted_panel(args)?;
    let terms = unfitted.terms();
    let prepared = prepare_with(
        &labelled_run(args)?,
        args.scale.scale,
        Some(JudgeFile::Panel(unfitted.clone())),
    )?;
    // How every member saw the pairs.
    let mut gathered = TermDifferences::default();
    let judged = judge_pairs(&args.run, prepared, |judgment, systems| {
        gathered.add(judgment, systems, terms.len())
    })?;
    let fitted = fit_weights(&judged.pairs, &gathered, &terms, args.run.ask.seed)?;
    let said = describe_fit(file, &fitted.fit);
    let panel = PanelFile {
        fit: Some(fitted.fit),
        ..unfitted.with_weights(&fitted.weights)
    };
    panel.write(file)?;
    args.run.output.quiet.say(&said);
    print_evaluations(args, &fitted.judged, from_ref(&judged), &settings)
}

/// Returns the panel of a file, without its weights, or that of all judges under one protocol.
fn unfitted_panel(args: &MetaJudgeArgs) -> Result<PanelFile, Failed> {
    let run = &args.run;
    if run.judge.is_empty() || run.data.data.is_empty() {
        return Err(Failed::usage(
            "--fit: expected --data PATH... with labelled pairs, and --judge JUDGE... or --judge \
             panel:FILE",
        ));
    }
    if let Some(panel) = read_panel(run)? {
        let zeros = vec![0.0; panel.terms().len()];
        return Ok(PanelFile {
            fit: None,
            ..panel.with_weights(&zeros)
        });
    }
    let specs = resolve_judges(&run.judge, &run.judges)?;
    let protocol = run
        .ask
        .protocol
        .as_deref()
        .unwrap_or(default_protocol(&specs));
    Ok(PanelFile::unfitted(&run.judge, protocol))
}

fn describe_fit(file: &Path, fit: &PanelFit) -> String {
    let file = file.display();
    let balanced = match fit.accuracy_length_balanced {
        Some(share) => format!(", balanced over length {:.1} %", 100.0 * share),
        None => String::new(),
    };
    format!(
        "{file}: fitted to {} pairs on {} items; by cross-validation {:.1} % right{balanced}, \
         calibration error {:.3}, log loss {:.3} (a coin: 0.693). On other data it may be worse: \
         measure it there with `evenhand meta judge --judge {}`",
        fit.pairs,
        fit.items,
        100.0 * fit.accuracy,
        fit.calibration_error,
        fit.log_loss,
        shell_word(&format!("panel:{file}")),
    )
}
