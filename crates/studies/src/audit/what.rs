//! What an audit looks at: protocols and material, and what of the options means nothing.

use super::asks::{Asked, Kind};
use super::material::{self, Material, Spot};
use super::rewriter;
use super::{AuditOptions, Probe, TWEAKED};
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
            .map(|name| asked(name, options))
            .collect::<Result<Vec<_>, _>>()?;
        // One protocol may have been named in two ways.
        let asked = unique(asked);
        check_panel(&asked, options)?;
        let materials = materials(data, tweaked, options)?;
        let own = own(&materials[0], options)?;
        Ok(What {
            asked,
            materials,
            own,
        })
    }

    /// The responses of a material that are shown rewritten.
    pub(super) fn places(&self, material: usize, options: &AuditOptions) -> Vec<Spot> {
        places(material, &self.materials[material], options)
    }

    /// Adds what is behind all rewrites.
    pub(super) fn complete(&mut self) {
        self.materials[0].add_neutral();
        self.materials[0].add_null();
    }
}

/// Of the data those that a probe shows, and of the tweak set those that break constraints.
fn places(at: usize, material: &Material, options: &AuditOptions) -> Vec<Spot> {
    if at == 0 {
        rewriter::shown(material, options)
    } else {
        rewriter::broken(material)
    }
}

/// Each value once, where it came first.
pub(super) fn unique<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut kept = Vec::new();
    values.into_iter().for_each(|value| {
        if !kept.contains(&value) {
            kept.push(value);
        }
    });
    kept
}

fn materials(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
) -> Result<Vec<Material>, EngineError> {
    let made = |at: usize, data: &Dataset| -> Result<Material, EngineError> {
        let mut material = Material::new(data)?;
        let places = places(at, &material, options);
        unique(options.rewrites.clone())
            .into_iter()
            .for_each(|rewrite| material.rewrite(rewrite, &places));
        Ok(material)
    };
    let mut materials = vec![made(0, data)?];
    if materials[0]
        .systems
        .iter()
        .take(materials[0].base as usize)
        .any(|system| system == material::NULL)
    {
        return Err(EngineError::Setting(format!(
            "a system of the data is called `{}`, as one of the audit is",
            material::NULL
        )));
    }
    if options.probes.contains(&Probe::Severity) {
        let missing =
            "--probes severity: it needs --tweak-set DIR, made by `evenhand audit tweak-set`";
        let tweaked = made(
            1,
            tweaked.ok_or_else(|| EngineError::Setting(missing.into()))?,
        )?;
        if !tweaked
            .systems
            .iter()
            .take(tweaked.base as usize)
            .eq(TWEAKED)
        {
            let why = format!(
                "--tweak-set: expected the systems {}, as `evenhand audit tweak-set` writes them",
                TWEAKED.join(", ")
            );
            return Err(EngineError::Setting(why));
        }
        materials.push(tweaked);
    }
    Ok(materials)
}

fn own(material: &Material, options: &AuditOptions) -> Result<Option<u32>, EngineError> {
    let Some(own) = &options.own else {
        return Ok(None);
    };
    let known = material
        .system(own)
        .filter(|system| *system < material.base);
    let names = || {
        material
            .systems
            .iter()
            .take(material.base as usize)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ")
    };
    known.map(Some).ok_or_else(|| {
        EngineError::Setting(format!(
            "--own {own}: no such system; the data has {}",
            names()
        ))
    })
}

fn asked(name: &str, options: &AuditOptions) -> Result<Asked, EngineError> {
    let protocol = protocol(name, options)?;
    let kind = match protocol.form().slots() {
        Slots::Two => Kind::Pairs,
        Slots::One => Kind::Scores,
        Slots::Many(_) => {
            let why = "an audit compares two responses or scores one; lists have a probe of their \
                       own (--probes choice-set)";
            return Err(EngineError::Setting(format!("--protocol {name}: {why}")));
        }
    };
    Ok(Asked {
        protocol: protocol.to_string(),
        kind,
    })
}

/// The protocol of this name.
pub(super) fn protocol(name: &str, options: &AuditOptions) -> Result<Protocol, EngineError> {
    let with = ProtocolOptions {
        pack: options.pack.clone(),
        panel: options.panel,
        ..ProtocolOptions::default()
    };
    Ok(Protocol::with(name, &with)?)
}

/// Refuses a panel that votes on what is no comparison of two, before anything is asked.
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
        .find(|probe| options.probes.contains(probe));
    match scores.or(others.map(|probe| format!("--probes {}", probe.name()))) {
        None => Ok(()),
        Some(what) => Err(EngineError::Setting(format!(
            "--panel majority: members vote on which of two responses is better, and {what} \
             compares no two; use mean, or leave it out"
        ))),
    }
}
