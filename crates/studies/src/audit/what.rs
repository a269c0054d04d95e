//! The things that an audit looks at: protocols and material, and which options make no sense
//! together.

use super::criteria::{UNNAMED, rubric_in};
use super::material::{Material, NULL, Spot};
use super::rewriter::shown_responses;
use super::{AuditOptions, Probe, TWEAKED};
use evenhand_core::{Cause, Refusal, Setting, in_order};
use evenhand_engine::EngineError;
use evenhand_formats::Dataset;
use evenhand_protocols::{Protocol, ProtocolOptions, Slots};

/// How a protocol looks at responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One at a time.
    Scores,
    /// Two at a time.
    Pairs,
}

/// A protocol under audit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) protocol: String,
    pub(super) kind: Kind,
    /// The criterion of the audit under which it is asked, where there are any.
    pub(super) criterion: Option<String>,
}

impl Asked {
    /// Returns the protocol under each criterion; itself where it has a rubric of its own.
    fn under_each(self, criteria: &[String], names_rubric: bool) -> Vec<Asked> {
        if criteria.is_empty() || names_rubric || rubric_in(&self.protocol).is_some() {
            return vec![self];
        }
        let under = |criterion: &String| Asked {
            protocol: match criterion.as_str() {
                UNNAMED => self.protocol.clone(),
                named => format!("{}/{named}", self.protocol),
            },
            kind: self.kind,
            criterion: Some(criterion.clone()),
        };
        criteria.iter().map(under).collect()
    }
}

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
        let mut asked = Vec::new();
        for name in &options.protocols {
            let protocol = asked_protocol(name, options)?;
            for protocol in protocol.under_each(&options.criteria, rubric_in(name).is_some()) {
                // A criterion may go with some protocols alone, and its rubric may not be there.
                asked_protocol(&protocol.protocol, options)?;
                asked.push(protocol);
            }
        }
        // One protocol may have been named in two ways.
        let asked = in_order(asked);
        check_panel(&asked, options)?;
        if data.has_trajectories() {
            check_probes_of_trajectories(&options.probes)?;
        }
        let materials = materials_of(data, tweaked, options)?;

        let data = &materials[0];
        let mut own = None;
        if let Some(name) = &options.own {
            own = data.system(name).filter(|system| *system < data.base);
            if own.is_none() {
                let systems = data.base_systems().join(", ");
                let reason = format!("no such system; the data has {systems}");
                let refusal = Refusal::new(Setting::Own, Cause::Data, reason);
                return Err(refusal.with_value(name.as_str()).into());
            }
        }
        Ok(What {
            asked,
            materials,
            own,
        })
    }
}

fn materials_of(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
) -> Result<Vec<Material>, EngineError> {
    // Of the data those responses are rewritten that a probe shows so.
    let shown = |material: &Material| shown_responses(material, options);
    let material = rewritten_material(data, options, shown)?;
    if material.base_systems().iter().any(|system| system == NULL) {
        let reason = format!("a system of the data is called `{NULL}`, as one of the audit is");
        return Err(Refusal::of_input(reason).into());
    }
    let mut materials = vec![material];
    if options.probes.contains(&Probe::Severity) {
        let tweaked = tweaked.ok_or_else(|| {
            let needed = Setting::TweakSet;
            let reason = format!("it needs {needed} DIR, made by `evenhand audit tweak-set`");
            Refusal::new(Setting::Probes, Cause::Needs(needed), reason).with_value("severity")
        })?;
        // Of the tweak set those that break constraints.
        let material = rewritten_material(tweaked, options, |material| material.answers(1))?;
        if !material.base_systems().iter().eq(TWEAKED) {
            let systems = TWEAKED.join(", ");
            let reason = format!(
                "expected the systems {systems}, as `evenhand audit tweak-set` writes them"
            );
            return Err(Refusal::new(Setting::TweakSet, Cause::Data, reason).into());
        }
        materials.push(material);
    }
    Ok(materials)
}

fn rewritten_material(
    data: &Dataset,
    options: &AuditOptions,
    places: impl Fn(&Material) -> Vec<Spot>,
) -> Result<Material, EngineError> {
    let mut material = Material::new(data)?;
    let places = places(&material);
    for rewrite in in_order(options.rewrites.iter().copied()) {
        material.rewrite(rewrite, &places);
    }
    Ok(material)
}

fn asked_protocol(name: &str, options: &AuditOptions) -> Result<Asked, EngineError> {
    let protocol = protocol(name, options)?;
    let kind = match protocol.form().slots() {
        Slots::Two => Kind::Pairs,
        Slots::One => Kind::Scores,
        Slots::Many(_) => {
            let reason = format!(
                "an audit compares two responses or scores one; lists have a separate probe ({} \
                 choice-set)",
                Setting::Probes
            );
            return Err(Refusal::of_value(Setting::Protocol, name, reason).into());
        }
    };
    Ok(Asked {
        protocol: protocol.to_string(),
        kind,
        criterion: None,
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

/// Refuses a panel that votes on something other than a comparison of two, before anything is
/// asked.
fn check_panel(asked: &[Asked], options: &AuditOptions) -> Result<(), Refusal> {
    if !options.panel.is_of_pairs() || options.judges.len() < 2 {
        return Ok(());
    }
    let scored = asked.iter().find(|asked| asked.kind == Kind::Scores);
    // These bring a protocol of their own, which compares no two responses.
    let mut probes = [Probe::ChoiceSet, Probe::Scale].into_iter();
    let probe = probes.find(|probe| options.probes.contains(probe));
    let what = match (scored, probe) {
        (Some(scored), _) => scored.protocol.clone(),
        (None, Some(probe)) => format!("{} {}", Setting::Probes, probe.name()),
        (None, None) => return Ok(()),
    };
    let reason = format!(
        "members vote on which of two responses is better, and {what} compares no two; use mean, \
         or leave it out"
    );
    Err(Refusal::new(Setting::Panel, Cause::Data, reason).with_value(options.panel))
}

/// Refuses probes that show other answers than an agent gave: to rewrite the steps of a trajectory
/// would change what the agent did. The others show what is there in another order, or with spaces
/// after the final message that no reader sees.
fn check_probes_of_trajectories(probes: &[Probe]) -> Result<(), Refusal> {
    let Some(probe) = probes.iter().find(|probe| probe.changes_answers()) else {
        return Ok(());
    };
    let mut usable: Vec<Probe> = probes.to_vec();
    usable.retain(|probe| !probe.changes_answers());
    if usable.is_empty() {
        usable.push(Probe::Position);
    }
    let usable: Vec<&str> = in_order(usable).into_iter().map(Probe::name).collect();
    let reason = format!(
        "it rewrites answers, and these are trajectories with calls of tools and their results; \
         use {} {}",
        Setting::Probes,
        usable.join(",")
    );
    Err(Refusal::new(Setting::Probes, Cause::Data, reason).with_value(probe.name()))
}
