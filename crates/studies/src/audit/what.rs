//! The things that an audit looks at: protocols and material, and which options make no sense
//! together.

use super::asked::{Asked, Kind};
use super::criteria::names_rubric;
use super::material::{Material, NULL, Spot};
use super::rewriter::{self, Rewriting};
use super::unique::unique;
use super::{AuditOptions, Probe, TWEAKED};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::Dataset;
use evenhand_protocols::{Panel, Protocol, ProtocolOptions, Slots};

/// The protocols and the material of an audit.
pub(super) struct What {
    pub(super) asked: Vec<Asked>,
    pub(super) materials: Vec<Material>,
    /// The judge's own system.
    pub(super) own: Option<u32>,
}

impl What {
    pub(super) fn new(
        data: &Dataset,
        tweaked: Option<&Dataset>,
        options: &AuditOptions,
    ) -> Result<What, EngineError> {
        let asked = asked_protocols(options)?;
        check_panel(&asked, options)?;
        check_no_trajectories(data)?;
        let materials = materials_of(data, tweaked, options)?;
        let own = own_system(&materials[0], options)?;
        Ok(What {
            asked,
            materials,
            own,
        })
    }

    /// Returns the names of the protocols.
    pub(super) fn protocols(&self) -> Vec<String> {
        let asked = self.asked.iter();
        asked.map(|asked| asked.protocol.clone()).collect()
    }

    /// Makes room for what a model rewrites, if one does, and then adds the neutral rewrite and the
    /// null answer, whose numbers come after those of all rewrites.
    pub(super) fn complete_materials<'a>(
        &mut self,
        options: &'a AuditOptions,
    ) -> Result<Option<Rewriting<'a>>, EngineError> {
        let by = options.by_model.as_ref();
        let rewriting = by.map(|by| Rewriting::open(by, &mut self.materials, options.live.judge));
        self.materials[0].add_neutral();
        self.materials[0].add_null();
        rewriting.transpose()
    }
}

/// Returns the protocols under audit, each once: one may have been named in two ways.
fn asked_protocols(options: &AuditOptions) -> Result<Vec<Asked>, EngineError> {
    let mut asked = Vec::new();
    for name in &options.protocols {
        let protocol = asked_protocol(name, options)?;
        for protocol in protocol.under_each(&options.criteria, names_rubric(name)) {
            // A criterion may go with some protocols alone, and its rubric may not be there.
            asked_protocol(&protocol.protocol, options)?;
            asked.push(protocol);
        }
    }
    Ok(unique(asked))
}

/// Returns of the data those responses that a probe shows rewritten, and of the tweak set those
/// that break constraints.
fn rewritten_places(at: usize, material: &Material, options: &AuditOptions) -> Vec<Spot> {
    if at == 0 {
        rewriter::shown_responses(material, options)
    } else {
        rewriter::broken_responses(material)
    }
}

fn materials_of(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
) -> Result<Vec<Material>, EngineError> {
    let mut materials = vec![rewritten_material(0, data, options)?];
    check_system_names(&materials[0])?;
    if options.probes.contains(&Probe::Severity) {
        materials.push(tweak_set_material(tweaked, options)?);
    }
    Ok(materials)
}

/// Refuses a system with the name of the one that says nothing.
fn check_system_names(material: &Material) -> Result<(), Refusal> {
    if material.base_systems().iter().any(|system| system == NULL) {
        return Err(null_system_refusal());
    }
    Ok(())
}

fn null_system_refusal() -> Refusal {
    Refusal::of_input(format!(
        "a system of the data is called `{NULL}`, as one of the audit is"
    ))
}

fn rewritten_material(
    at: usize,
    data: &Dataset,
    options: &AuditOptions,
) -> Result<Material, EngineError> {
    let mut material = Material::new(data)?;
    let places = rewritten_places(at, &material, options);
    for rewrite in unique(options.rewrites.clone()) {
        material.rewrite(rewrite, &places);
    }
    Ok(material)
}

fn tweak_set_material(
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
) -> Result<Material, EngineError> {
    let tweaked = tweaked.ok_or_else(missing_tweak_set)?;
    let material = rewritten_material(1, tweaked, options)?;
    if !material.base_systems().iter().eq(TWEAKED) {
        return Err(other_tweak_set().into());
    }
    Ok(material)
}

fn missing_tweak_set() -> Refusal {
    let needed = Setting::TweakSet;
    let reason = format!("it needs {needed} DIR, made by `evenhand audit tweak-set`");
    Refusal::new(Setting::Probes, Cause::Needs(needed), reason).with_value("severity")
}

fn other_tweak_set() -> Refusal {
    let systems = TWEAKED.join(", ");
    let reason =
        format!("expected the systems {systems}, as `evenhand audit tweak-set` writes them");
    Refusal::new(Setting::TweakSet, Cause::Data, reason)
}

fn own_system(material: &Material, options: &AuditOptions) -> Result<Option<u32>, EngineError> {
    let Some(own) = &options.own else {
        return Ok(None);
    };
    let known = material.system(own);
    match known.filter(|system| *system < material.base) {
        None => Err(unknown_own_system(own, material).into()),
        known => Ok(known),
    }
}

fn unknown_own_system(own: &str, material: &Material) -> Refusal {
    let known = material.base_systems().join(", ");
    let reason = format!("no such system; the data has {known}");
    Refusal::new(Setting::Own, Cause::Data, reason).with_value(own)
}

fn asked_protocol(name: &str, options: &AuditOptions) -> Result<Asked, EngineError> {
    let protocol = protocol(name, options)?;
    let kind = match protocol.form().slots() {
        Slots::Two => Kind::Pairs,
        Slots::One => Kind::Scores,
        Slots::Many(_) => return Err(listwise_refusal(name).into()),
    };
    Ok(Asked {
        protocol: protocol.to_string(),
        kind,
        criterion: None,
    })
}

fn listwise_refusal(name: &str) -> Refusal {
    let reason = format!(
        "an audit compares two responses or scores one; lists have a probe of their own ({} \
         choice-set)",
        Setting::Probes
    );
    Refusal::of_value(Setting::Protocol, name, reason)
}

/// Returns the protocol of this name.
pub(super) fn protocol(name: &str, options: &AuditOptions) -> Result<Protocol, EngineError> {
    let with = ProtocolOptions {
        pack: options.pack.clone(),
        panel: options.panel,
        ..ProtocolOptions::default()
    };
    Ok(Protocol::with(name, &with)?)
}

/// Refuses a panel that votes on something other than a comparison of two, before anything is
/// asked.
fn check_panel(asked: &[Asked], options: &AuditOptions) -> Result<(), Refusal> {
    if !options.panel.is_of_pairs() || options.judges.len() < 2 {
        return Ok(());
    }
    let without_two = scored_protocol(asked).or_else(|| probe_without_pairs(options));
    without_two.map_or(Ok(()), |what| Err(panel_refusal(options.panel, &what)))
}

fn panel_refusal(panel: Panel, what: &str) -> Refusal {
    let reason = format!(
        "members vote on which of two responses is better, and {what} compares no two; use mean, \
         or leave it out"
    );
    Refusal::new(Setting::Panel, Cause::Data, reason).with_value(panel)
}

/// Refuses trajectories: rewriting their steps would change what an agent did.
fn check_no_trajectories(data: &Dataset) -> Result<(), Refusal> {
    if data.has_trajectories() {
        return Err(Refusal::new(Setting::Data, Cause::Data, TRAJECTORIES));
    }
    Ok(())
}

const TRAJECTORIES: &str = "an audit rewrites answers, and these are trajectories with calls of \
                            tools and their results";

fn scored_protocol(asked: &[Asked]) -> Option<String> {
    let scores = asked.iter().find(|asked| asked.kind == Kind::Scores)?;
    Some(scores.protocol.clone())
}

/// Names a probe that brings a protocol of its own, which compares no two responses.
fn probe_without_pairs(options: &AuditOptions) -> Option<String> {
    let probe = [Probe::ChoiceSet, Probe::Scale]
        .into_iter()
        .find(|probe| options.probes.contains(probe))?;
    Some(format!("{} {}", Setting::Probes, probe.name()))
}
