//! The options and the data of a live audit.

use crate::Failed;
use crate::commands::audit::AuditArgs;
use crate::data::{load_dataset, read_text};
use crate::job::list_reusable;
use crate::judges::{Participants, asks_the_same, check_embedder, idle_pack_text};
use evenhand_core::ShownFields;
use evenhand_engine::{DataOptions, EngineError, Found, JudgeSpec, load};
use evenhand_formats::{Dataset, Selection};
use evenhand_protocols::{Pack, Protocol, ProtocolOptions, rewriting_instructions};
use evenhand_ranking::{ItemSlices, check_level};
use evenhand_studies::audit::{AuditOptions, ByModel, LiveOptions, Probe};
use std::sync::Arc;

/// All that a live audit is made of.
pub(super) struct Prepared {
    pub(super) options: AuditOptions,
    pub(super) data: Dataset,
    pub(super) tweaked: Option<Dataset>,
}

/// Reads settings and data for an audit of these judges.
pub(super) fn prepare(args: &AuditArgs, judges: &[String]) -> Result<Prepared, Failed> {
    let prices = args.prices.table()?;
    let (marks, sampling) = (&args.bench.marks, &args.bench.sampling);
    let live = LiveOptions {
        machine: None,
        judge: (args.compute).judge_options(marks.raw_marks, sampling.temperature),
        limits: args.limits.checked(&prices)?,
        prices,
        reuse: list_reusable(&args.reuse, Found::All)?,
        shared: args.reuse.shared_place()?,
        stop: Arc::default(),
    };
    let mut options = audit_options(args, judges, live)?;
    // The free fields that the prompts of the protocols under audit show.
    let with = ProtocolOptions {
        pack: options.pack.clone(),
        ..ProtocolOptions::default()
    };
    let mut shown = ShownFields::default();
    // What is not named here, and what rewrites, may use the pack.
    let mut is_idle =
        !options.protocols.is_empty() && options.criteria.is_empty() && options.by_model.is_none();
    for name in &options.protocols {
        let protocol = Protocol::with(name, &with).map_err(EngineError::from)?;
        shown.merge(protocol.shown_fields());
        // A name may have its rubric in the pack alone.
        let built_in = Protocol::with(name, &ProtocolOptions::default());
        is_idle &= built_in.is_ok_and(|built_in| asks_the_same(&built_in, &protocol));
    }
    if let (true, Some(dir)) = (is_idle, &args.pack.prompt_pack) {
        let text = idle_pack_text(dir.display(), &options.protocols.join(", "));
        args.quiet.say(&text);
    }
    let data = load_dataset(&args.data, shown, args.quiet)?;
    if let Some(field) = &args.by {
        let slices = ItemSlices::read(&data, &args.data.options()?, field)?;
        options.by = Some((field.clone(), slices));
    }
    let tweaked = match &args.tweak_set {
        Some(path) => Some(load(&DataOptions {
            paths: vec![path.clone()],
            selection: Selection {
                items: args.data.selection.items,
                systems: None,
            },
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
        panel: args.bench.panel.unwrap_or_default(),
        second_stage: participants.second,
        embedder: participants.embedder,
        pack,
        protocols,
        criteria: args.criteria.clone(),
        probes: choose_probes(args),
        by: None,
        pairs: args.pairs,
        rewrites: args.rewrites.concat(),
        by_model: rewriting_model(args)?,
        lists_rewritten: args.rewritten.is_some(),
        own: args.own.clone(),
        repeats: args.repeats,
        level: args.level,
        seed: args.seed,
        run: args.run.clone(),
        label: args.name.name.clone(),
        live,
    })
}

/// Returns the protocols that are tested against each other, or else those that are audited.
fn choose_protocols(args: &AuditArgs, pack: &Pack) -> Result<Vec<String>, Failed> {
    let with = ProtocolOptions {
        pack: pack.clone(),
        panel: args.bench.panel.unwrap_or_default(),
        ..ProtocolOptions::default()
    };
    let given = match args.compare.is_empty() {
        true => &args.protocol,
        false => &args.compare,
    };
    let protocols = split_protocols(given, &with);
    // An embedder that would never be asked is refused.
    if args.bench.embedder.is_some() {
        let built = protocols.iter().map(|name| Protocol::with(name, &with));
        let built: Vec<Protocol> = built.collect::<Result<_, _>>().map_err(EngineError::from)?;
        check_embedder(args.bench.embedder.as_deref(), &built)?;
    }
    Ok(protocols)
}

/// Splits lists of protocols at their commas. A comma may stand in a name too, as in
/// `pairwise/direct/portia:3,embedding`: a part goes on with the one before if it is no protocol by
/// itself, but one together with that.
fn split_protocols(given: &[String], with: &ProtocolOptions) -> Vec<String> {
    let is_protocol = |name: &str| Protocol::with(name, with).is_ok();
    let mut names: Vec<String> = Vec::new();
    for part in given.iter().flat_map(|list| list.split(',')) {
        if let Some(last) = names.last_mut()
            && !is_protocol(part)
            && is_protocol(&format!("{last},{part}"))
        {
            *last = format!("{last},{part}");
        } else {
            names.push(part.into());
        }
    }
    names
}

/// Returns what the audit looks for: the usual probes where none is named.
fn choose_probes(args: &AuditArgs) -> Vec<Probe> {
    let mut probes = args.probes.concat();
    if probes.is_empty() {
        probes = Probe::USUAL.to_vec();
    }
    // Of all names only `all` stands for several probes. One of them needs a file; without it the
    // others are still of use.
    let says_all = args.probes.iter().any(|probes| probes.len() > 1);
    if says_all && args.tweak_set.is_none() {
        probes.retain(|probe| *probe != Probe::Severity);
        args.quiet
            .say("--probes all: severity is left out, as it needs a --tweak-set");
    }
    if !args.compare.is_empty() && !probes.contains(&Probe::Protocols) {
        probes.push(Probe::Protocols);
    }
    probes
}

/// Returns the model that rewrites responses, with the distractors of the files or the paper's.
fn rewriting_model(args: &AuditArgs) -> Result<Option<ByModel>, Failed> {
    let Some(rewriter) = &args.rewriter else {
        return Ok(None);
    };
    let mut distractors = Vec::new();
    for path in &args.distractor {
        // A distractor is named after its file.
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        distractors.push((name.into_owned(), read_text("--distractor", path)?));
    }
    if distractors.is_empty() {
        distractors.extend(rewriting_instructions());
    }
    let rewriter = JudgeSpec::named(rewriter, &args.judges)?;
    Ok(Some(ByModel {
        rewriter,
        distractors,
    }))
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
