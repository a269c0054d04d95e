//! What an audit looks at: protocols and material, and which options make no sense together.

use super::asks::{Asked, Kind};
use super::material::{self, Material, Spot};
use super::rewriter;
use super::{AuditOptions, Probe, TWEAKED};
use evenhand_core::Setting;
use evenhand_engine::EngineError;
use evenhand_formats::Dataset;
use evenhand_protocols::{Panel, Protocol, ProtocolOptions, Slots};

/// What is looked at.
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
        let asked = options
            .protocols
            .iter()
            .map(|name| asked_protocol(name, options))
            .collect::<Result<Vec<_>, _>>()?;
        // One protocol may have been named in two ways.
        let asked = unique(asked);
        check_panel(&asked, options)?;
        check_no_conversations(data)?;
        let materials = materials_of(data, tweaked, options)?;
        let own = own_system(&materials[0], options)?;
        Ok(What {
            asked,
            materials,
            own,
        })
    }

    /// Returns the responses of a material that are shown rewritten.
    pub(super) fn places(&self, material: usize, options: &AuditOptions) -> Vec<Spot> {
        rewritten_places(material, &self.materials[material], options)
    }

    /// Adds what is behind all rewrites.
    pub(super) fn complete(&mut self) {
        self.materials[0].add_neutral();
        self.materials[0].add_null();
    }
}

/// Returns of the data those responses that a probe shows rewritten, and of the tweak set those that
/// break constraints.
fn rewritten_places(at: usize, material: &Material, options: &AuditOptions) -> Vec<Spot> {
    if at == 0 {
        rewriter::shown_responses(material, options)
    } else {
        rewriter::broken_responses(material)
    }
}

/// Keeps each value once, where it came first.
pub(super) fn unique<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut kept = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

fn materials_of(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
) -> Result<Vec<Material>, EngineError> {
    let mut materials = vec![rewritten_material(0, data, options)?];
    let null = material::NULL;
    if materials[0]
        .base_systems()
        .iter()
        .any(|system| system == null)
    {
        return Err(EngineError::Setting(format!(
            "a system of the data is called `{null}`, as one of the audit is"
        )));
    }
    if options.probes.contains(&Probe::Severity) {
        materials.push(tweak_set_material(tweaked, options)?);
    }
    Ok(materials)
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
    let Some(tweaked) = tweaked else {
        return Err(EngineError::Setting(format!(
            "{} severity: it needs {} DIR, made by `evenhand audit tweak-set`",
            Setting::Probes,
            Setting::TweakSet
        )));
    };
    let material = rewritten_material(1, tweaked, options)?;
    if !material.base_systems().iter().eq(TWEAKED) {
        return Err(EngineError::Setting(format!(
            "{}: expected the systems {}, as `evenhand audit tweak-set` writes them",
            Setting::TweakSet,
            TWEAKED.join(", ")
        )));
    }
    Ok(material)
}

fn own_system(material: &Material, options: &AuditOptions) -> Result<Option<u32>, EngineError> {
    let Some(own) = &options.own else {
        return Ok(None);
    };
    let known = material
        .system(own)
        .filter(|system| *system < material.base);
    if known.is_some() {
        return Ok(known);
    }
    Err(EngineError::Setting(format!(
        "{} {own}: no such system; the data has {}",
        Setting::Own,
        material.base_systems().join(", ")
    )))
}

fn asked_protocol(name: &str, options: &AuditOptions) -> Result<Asked, EngineError> {
    let protocol = protocol(name, options)?;
    let kind = match protocol.form().slots() {
        Slots::Two => Kind::Pairs,
        Slots::One => Kind::Scores,
        Slots::Many(_) => {
            return Err(EngineError::Setting(format!(
                "{} {name}: an audit compares two responses or scores one; lists have a probe of \
                 their own ({} choice-set)",
                Setting::Protocol,
                Setting::Probes
            )));
        }
    };
    Ok(Asked {
        protocol: protocol.to_string(),
        kind,
    })
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

/// Refuses a panel that votes on something other than a comparison of two, before anything is asked.
fn check_panel(asked: &[Asked], options: &AuditOptions) -> Result<(), EngineError> {
    if options.panel != Panel::Majority || options.judges.len() < 2 {
        return Ok(());
    }
    let scores = asked
        .iter()
        .find(|asked| asked.kind == Kind::Scores)
        .map(|asked| asked.protocol.clone());
    let others = [Probe::ChoiceSet, Probe::Scale]
        .into_iter()
        .find(|probe| options.probes.contains(probe))
        .map(|probe| format!("{} {}", Setting::Probes, probe.name()));
    match scores.or(others) {
        None => Ok(()),
        Some(what) => Err(EngineError::Setting(format!(
            "{} majority: members vote on which of two responses is better, and {what} compares \
             no two; use mean, or leave it out",
            Setting::Panel
        ))),
    }
}

/// Refuses later turns: probes rewrite answers, and would leave out what was said before them.
fn check_no_conversations(data: &Dataset) -> Result<(), EngineError> {
    if data.has_conversations() {
        return Err(EngineError::Setting(format!(
            "{}: an audit rewrites single answers and shows no earlier turns; use first",
            Setting::Turn
        )));
    }
    Ok(())
}
