//! What a live audit is made of: its options and its data.

use crate::Failed;
use crate::args::AuditArgs;
use crate::data::load_dataset;
use crate::job::list_reusable;
use crate::judges::{Participants, check_embedder};
use evenhand_engine::{DataOptions, EngineError, Found, JudgeSpec, check_level, load};
use evenhand_formats::Dataset;
use evenhand_protocols::{Protocol, ProtocolOptions, rewriting_instructions};
use evenhand_studies::audit::{AuditOptions, ByModel, LiveOptions, Probe};
use std::path::Path;
use std::sync::Arc;

/// All that a live audit is made of.
pub(super) struct Prepared {
    pub(super) options: AuditOptions,
    pub(super) data: Dataset,
    pub(super) tweaked: Option<Dataset>,
}

/// Reads settings and data.
pub(super) fn prepare(args: &AuditArgs) -> Result<Prepared, Failed> {
    let live = live_options(args)?;
    let options = audit_options(args, live)?;
    let data = load_dataset(&args.data, args.quiet)?;
    let tweaked = match &args.tweak_set {
        Some(path) => Some(load(&DataOptions {
            paths: vec![path.clone()],
            ..DataOptions::default()
        })?),
        None => None,
    };
    Ok(Prepared {
        options,
        data,
        tweaked,
    })
}

fn live_options(args: &AuditArgs) -> Result<LiveOptions, Failed> {
    let prices = args.prices.table()?;
    Ok(LiveOptions {
        judge: args.compute.judge_options(args.bench.marks.raw_marks),
        limits: args.limits.checked(&prices)?,
        prices,
        reuse: list_reusable(&args.reuse, Found::All)?,
        stop: Arc::default(),
    })
}

fn audit_options(args: &AuditArgs, live: LiveOptions) -> Result<AuditOptions, Failed> {
    check_level(args.level)?;
    let participants = Participants::resolve(&args.judge, &args.bench, &args.judges)?;
    let pack = args.pack.load()?;
    let with = ProtocolOptions {
        pack: pack.clone(),
        panel: args.bench.panel,
        ..ProtocolOptions::default()
    };
    let protocols = if args.compare.is_empty() {
        split_protocols(&args.protocol, &with)
    } else {
        split_protocols(&args.compare, &with)
    };
    reject_idle_embedder(args, &protocols, &with)?;
    let probes = choose_probes(args);
    Ok(AuditOptions {
        judges: participants.panel,
        panel: args.bench.panel,
        second_stage: participants.second,
        embedder: participants.embedder,
        pack,
        protocols,
        probes,
        rewrites: args.rewrites.concat(),
        by_model: match &args.rewriter {
            Some(rewriter) => Some(rewriting_model(args, rewriter)?),
            None => None,
        },
        own: args.own.clone(),
        repeats: args.repeats,
        level: args.level,
        seed: args.seed,
        run: args.run.clone(),
        live,
    })
}

/// Splits lists of protocols at their commas. A comma may stand in a name too, as in
/// `pairwise/direct/portia:3,embedding`.
fn split_protocols(given: &[String], with: &ProtocolOptions) -> Vec<String> {
    let is_protocol = |name: &str| Protocol::with(name, with).is_ok();
    let mut names: Vec<String> = Vec::new();
    for part in given.iter().flat_map(|list| list.split(',')) {
        if let Some(last) = names.last_mut() {
            let joined = format!("{last},{part}");
            if !is_protocol(part) && is_protocol(&joined) {
                *last = joined;
                continue;
            }
        }
        names.push(part.to_string());
    }
    names
}

/// Refuses an embedder that would never be asked.
fn reject_idle_embedder(
    args: &AuditArgs,
    protocols: &[String],
    with: &ProtocolOptions,
) -> Result<(), Failed> {
    let Some(embedder) = &args.bench.embedder else {
        return Ok(());
    };
    let protocols: Result<Vec<Protocol>, _> = protocols
        .iter()
        .map(|name| Protocol::with(name, with))
        .collect();
    let protocols = protocols.map_err(EngineError::from)?;
    check_embedder(Some(embedder), &protocols.iter().collect::<Vec<_>>())
}

/// Returns what the audit looks for: the usual probes where none is named.
fn choose_probes(args: &AuditArgs) -> Vec<Probe> {
    let mut probes = args.probes.concat();
    if probes.is_empty() {
        probes = Probe::USUAL.to_vec();
    }
    // `all` names what needs a file; without the file the others are still of use.
    let says_all = args.probes.iter().any(|probes| probes.len() > 1);
    if says_all && args.tweak_set.is_none() {
        probes.retain(|probe| *probe != Probe::Severity);
        args.quiet
            .say("--probes all: severity is left out, for want of a --tweak-set");
    }
    if !args.compare.is_empty() && !probes.contains(&Probe::Protocols) {
        probes.push(Probe::Protocols);
    }
    probes
}

/// Returns the model that rewrites responses, with the distractors of the files or the paper's.
fn rewriting_model(args: &AuditArgs, rewriter: &str) -> Result<ByModel, Failed> {
    let distractors = if args.distractor.is_empty() {
        rewriting_instructions().into_iter().collect()
    } else {
        args.distractor
            .iter()
            .map(|path| read_distractor(path))
            .collect::<Result<_, _>>()?
    };
    Ok(ByModel {
        rewriter: JudgeSpec::named(rewriter, &args.judges)?,
        distractors,
    })
}

/// Reads an instruction to the rewriter; the distractor is named after its file.
fn read_distractor(path: &Path) -> Result<(String, String), Failed> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        Failed::usage(format!(
            "--distractor {}: cannot be read: {e}",
            path.display()
        ))
    })?;
    let name = path.file_stem().unwrap_or_default();
    Ok((name.to_string_lossy().into_owned(), text))
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
