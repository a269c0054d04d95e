//! The options and the data of a live audit.

use crate::Failed;
use crate::args::AuditArgs;
use crate::data::{load_dataset, read_text};
use crate::job::list_reusable;
use crate::judges::{Participants, check_embedder};
use evenhand_core::ShownFields;
use evenhand_engine::{DataOptions, EngineError, Found, JudgeSpec, check_level, load};
use evenhand_formats::Dataset;
use evenhand_protocols::{Pack, Protocol, ProtocolOptions, rewriting_instructions};
use evenhand_studies::audit::{AuditOptions, ByModel, LiveOptions, Probe};
use std::path::Path;
use std::sync::Arc;

/// All that a live audit is made of.
pub(super) struct Prepared {
    pub(super) options: AuditOptions,
    pub(super) data: Dataset,
    pub(super) tweaked: Option<Dataset>,
}

/// Reads settings and data for an audit of these judges.
pub(super) fn prepare(args: &AuditArgs, judges: &[String]) -> Result<Prepared, Failed> {
    let live = live_options(args)?;
    let options = audit_options(args, judges, live)?;
    let shown = fields_shown_by(&options)?;
    Ok(Prepared {
        options,
        data: load_dataset(&args.data, shown, args.quiet)?,
        tweaked: args.tweak_set.as_deref().map(load_tweak_set).transpose()?,
    })
}

/// Returns the free fields that the prompts of the protocols under audit show.
fn fields_shown_by(options: &AuditOptions) -> Result<ShownFields, EngineError> {
    let with = ProtocolOptions {
        pack: options.pack.clone(),
        ..ProtocolOptions::default()
    };
    let mut shown = ShownFields::default();
    for name in &options.protocols {
        shown.merge(Protocol::with(name, &with)?.shown_fields());
    }
    Ok(shown)
}

fn load_tweak_set(path: &Path) -> Result<Dataset, EngineError> {
    load(&DataOptions {
        paths: vec![path.into()],
        ..DataOptions::default()
    })
}

fn live_options(args: &AuditArgs) -> Result<LiveOptions, Failed> {
    let prices = args.prices.table()?;
    let (marks, sampling) = (&args.bench.marks, &args.bench.sampling);
    Ok(LiveOptions {
        judge: (args.compute).judge_options(marks.raw_marks, sampling.temperature),
        limits: args.limits.checked(&prices)?,
        prices,
        reuse: list_reusable(&args.reuse, Found::All)?,
        stop: Arc::default(),
    })
}

fn audit_options(
    args: &AuditArgs,
    judges: &[String],
    live: LiveOptions,
) -> Result<AuditOptions, Failed> {
    check_level(args.level)?;
    let participants = Participants::resolve(judges, &args.bench, &args.judges)?;
    let pack = args.pack.load()?;
    let protocols = choose_protocols(args, &pack)?;
    Ok(AuditOptions {
        judges: participants.panel,
        panel: args.bench.panel,
        second_stage: participants.second,
        embedder: participants.embedder,
        pack,
        protocols,
        criteria: args.criteria.clone(),
        probes: choose_probes(args),
        rewrites: args.rewrites.concat(),
        by_model: rewriting_model(args)?,
        lists_rewritten: args.rewritten.is_some(),
        own: args.own.clone(),
        repeats: args.repeats,
        level: args.level,
        seed: args.seed,
        run: args.run.clone(),
        live,
    })
}

/// Returns the protocols that are tested against each other, or else those that are audited.
fn choose_protocols(args: &AuditArgs, pack: &Pack) -> Result<Vec<String>, Failed> {
    let with = ProtocolOptions {
        pack: pack.clone(),
        panel: args.bench.panel,
        ..ProtocolOptions::default()
    };
    let given = if args.compare.is_empty() {
        &args.protocol
    } else {
        &args.compare
    };
    let protocols = split_protocols(given, &with);
    reject_idle_embedder(args, &protocols, &with)?;
    Ok(protocols)
}

/// Splits lists of protocols at their commas. A comma may stand in a name too, as in
/// `pairwise/direct/portia:3,embedding`.
fn split_protocols(given: &[String], with: &ProtocolOptions) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in given.iter().flat_map(|list| list.split(',')) {
        match names.last_mut() {
            Some(last) if goes_on(last, part, with) => *last = format!("{last},{part}"),
            _ => names.push(part.into()),
        }
    }
    names
}

/// Whether a part is no protocol by itself, but one together with the part before.
fn goes_on(last: &str, part: &str, with: &ProtocolOptions) -> bool {
    !is_protocol(part, with) && is_protocol(&format!("{last},{part}"), with)
}

fn is_protocol(name: &str, with: &ProtocolOptions) -> bool {
    Protocol::with(name, with).is_ok()
}

/// Refuses an embedder that would never be asked.
fn reject_idle_embedder(
    args: &AuditArgs,
    protocols: &[String],
    with: &ProtocolOptions,
) -> Result<(), Failed> {
    if args.bench.embedder.is_none() {
        return Ok(());
    }
    let mut built = Vec::new();
    for name in protocols {
        built.push(Protocol::with(name, with).map_err(EngineError::from)?);
    }
    check_embedder(args.bench.embedder.as_deref(), &built)
}

/// Returns what the audit looks for: the usual probes where none is named.
fn choose_probes(args: &AuditArgs) -> Vec<Probe> {
    let mut probes = args.probes.concat();
    if probes.is_empty() {
        probes = Probe::USUAL.to_vec();
    }
    if lacks_tweak_set(args) {
        probes.retain(|probe| *probe != Probe::Severity);
        args.quiet
            .say("--probes all: severity is left out, for want of a --tweak-set");
    }
    if !args.compare.is_empty() && !probes.contains(&Probe::Protocols) {
        probes.push(Probe::Protocols);
    }
    probes
}

/// Whether `all` names the probe that needs a file; without the file the others are still of use.
fn lacks_tweak_set(args: &AuditArgs) -> bool {
    // Of all names only `all` stands for several probes.
    let says_all = args.probes.iter().any(|probes| probes.len() > 1);
    says_all && args.tweak_set.is_none()
}

/// Returns the model that rewrites responses, with the distractors of the files or the paper's.
fn rewriting_model(args: &AuditArgs) -> Result<Option<ByModel>, Failed> {
    let Some(rewriter) = &args.rewriter else {
        return Ok(None);
    };
    let distractors = choose_distractors(args)?;
    let rewriter = JudgeSpec::named(rewriter, &args.judges)?;
    Ok(Some(ByModel {
        rewriter,
        distractors,
    }))
}

fn choose_distractors(args: &AuditArgs) -> Result<Vec<(String, String)>, Failed> {
    if args.distractor.is_empty() {
        return Ok(rewriting_instructions().into_iter().collect());
    }
    let files = args.distractor.iter();
    files.map(|path| read_distractor(path)).collect()
}

/// Reads an instruction to the rewriter; the distractor is named after its file.
fn read_distractor(path: &Path) -> Result<(String, String), Failed> {
    let text = read_text("--distractor", path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok((name.into(), text))
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
            assert_eq!(
                split_protocols(&given, &ProtocolOptions::default()),
                expected
            );
        }
    }
}
