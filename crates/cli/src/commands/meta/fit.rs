//! `evenhand meta judge --fit`: a calibrated panel.

use super::judge::{judged, labelled, show};
use crate::args::MetaJudgeArgs;
use crate::job::prepare_with;
use crate::judges::{default_protocol, read_panel, resolve_judges};
use crate::{Done, Failed};
use evenhand_engine::{JudgeSpec, PanelFile};
use evenhand_studies::judge::Settings;
use evenhand_studies::panel::{FittedPanel, Gathered, fit as fitted};
use std::path::Path;

/// Judges the labelled pairs under the panel's members, weighs them, and writes the panel.
pub(super) fn fit(args: &MetaJudgeArgs, file: &Path, settings: &Settings) -> Result<Done, Failed> {
    let panel = unfitted(args)?;
    let terms = panel.terms();
    let mut gathered = Gathered::default();
    let prepared = prepare_with(&labelled(args)?, args.scale.scale, Some(panel.clone()))?;
    let (judged, usage) = judged(args, prepared, |judgment, systems| {
        gathered.add(judgment, systems, terms.len())
    })?;
    let FittedPanel {
        weights,
        fit,
        judged,
    } = fitted(&judged, &gathered, &terms, args.run.ask.seed)?;
    let panel = PanelFile {
        fit: Some(fit),
        ..panel.with_weights(&weights)
    };
    panel.write(file)?;
    args.run.output.quiet.say(&written(file, &panel));
    show(args, &judged, Some(&usage), settings)
}

/// The panel of a file, without its weights, or that of all judges under one protocol.
fn unfitted(args: &MetaJudgeArgs) -> Result<PanelFile, Failed> {
    if args.run.judge.is_empty() || args.run.data.data.is_empty() {
        let why = "--fit: expected --data PATH... with labelled pairs, and --judge JUDGE... or \
                   --judge panel:FILE";
        return Err(Failed::Usage(why.into()));
    }
    if let Some(panel) = read_panel(&args.run)? {
        let zeros = vec![0.0; panel.terms().len()];
        return Ok(PanelFile {
            fit: None,
            ..panel.with_weights(&zeros)
        });
    }
    let specs = resolve_judges(&args.run.judge, &args.run.judges)?;
    let small = specs.iter().all(JudgeSpec::prefers_likelihood);
    Ok(PanelFile::unfitted(
        &args.run.judge,
        args.run
            .ask
            .protocol
            .as_deref()
            .unwrap_or(default_protocol(small)),
    ))
}

fn written(file: &Path, panel: &PanelFile) -> String {
    let Some(fit) = &panel.fit else {
        return String::new();
    };
    let balanced = fit
        .accuracy_length_balanced
        .map(|share| format!(", balanced over length {:.1} %", 100.0 * share));
    let (file, balanced) = (file.display(), balanced.unwrap_or_default());
    format!(
        "{file}: fitted to {} pairs on {} items; by cross-validation {:.1} % right{balanced}, \
         calibration error {:.3}, log loss {:.3} (a coin: 0.693). On other data it may be worse: \
         measure it there with meta judge --judge panel:{file}",
        fit.pairs,
        fit.items,
        100.0 * fit.accuracy,
        fit.calibration_error,
        fit.log_loss,
    )
}
