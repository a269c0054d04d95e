//! What a judge's biases are: change one thing that must not matter, ask again, and count what moved.
//!
//! The main path: [`audit`] makes the [`material`] (responses, and the same rewritten), and runs the probes, each a file, on what
//! has been answered so far; what they find missing is asked ([`live`]), and they run again from the top.  A probe is therefore
//! straight-line code, and a stopped audit goes on where it was.  [`finding`] says what is tested and how.

mod advice;
mod asks;
mod attacks;
mod choice;
mod compare;
mod cycles;
mod distract;
mod duels;
mod failures;
mod finding;
mod hacking;
mod live;
mod material;
mod people;
mod position;
mod probe;
mod reading;
mod recorded;
mod rewrite;
mod rewriter;
mod scales;
mod severity;

#[cfg(test)]
mod tests;

pub use advice::{Advice, Candidate};
pub use finding::{Finding, Scale};
pub use hacking::{Climb, Climber};
pub use material::Written;
pub use probe::Probe;
pub use recorded::audit_recorded;
pub use rewrite::Rewrite;
pub use rewriter::ByModel;
pub use severity::SYSTEMS as TWEAKED;

use asks::{Answers, Asked, Asks, Kind, Readings, Seen};
use evenhand_core::Dataset;
use evenhand_engine::{EngineError, JudgeSpec};
use evenhand_protocols::{Pack, Protocol, ProtocolOptions, Slots};
use live::Asking;
use material::Material;
use serde::Serialize;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

pub use crate::study::{LiveOptions, Watch};

/// What is audited, and how.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The judge, or the members of a panel.
    pub judges: Vec<JudgeSpec>,
    /// The protocols; each shows two responses, or one to be scored.
    pub protocols: Vec<String>,
    /// Prompts in place of the built-in ones.
    pub pack: Pack,
    /// What is looked for.
    pub probes: Vec<Probe>,
    /// How responses are rewritten by rules.
    pub rewrites: Vec<Rewrite>,
    /// How they are by a model.
    pub by_model: Option<ByModel>,
    /// The system that is the judge itself, where there is one.
    pub own: Option<String>,
    /// How often each comparison of three responses is asked; 1 or more.
    pub repeats: u32,
    /// Of intervals, and 1 less the share of false alarms.
    pub level: f64,
    /// Of which responses are taken.
    pub seed: u64,
    /// Where calls are kept; None: `runs/audit-` and a digest.
    pub run: Option<PathBuf>,
    /// How the judge is run.
    pub live: LiveOptions,
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditReport {
    /// The judge.
    pub judge: String,
    /// The protocols.
    pub protocols: Vec<String>,
    /// Items of the data.
    pub items: u64,
    /// How responses were rewritten, and how many of them were dropped since they did not keep what must be kept.
    pub rewrites: Vec<Written>,
    /// 1 less the share of false alarms.
    pub level: f64,
    /// Of which responses were taken.
    pub seed: u64,
    /// How many findings were tested.
    pub tested: u64,
    /// All figures.
    pub findings: Vec<Finding>,
    /// Rankings before and after their lowest systems were rewritten.
    pub climbs: Vec<Climb>,
    /// Which protocol to take.
    pub advice: Option<Advice>,
    /// What the reader must know.
    pub warnings: Vec<String>,
    /// Calls that this audit rests on, and their tokens.
    pub usage: AuditUsage,
}

/// What an audit took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AuditUsage {
    /// Different calls.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens of their replies.
    pub completion_tokens: u64,
    /// In US dollars, where there is a price.
    pub cost_usd: Option<f64>,
}

/// Audits a judge on data, and on a set of answers that keep and break constraints, where one is given.
///
/// # Errors
/// Options that mean nothing; what opening, asking and keeping may meet.
pub fn audit(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
    watch: &mut dyn Watch,
    stop: &AtomicBool,
) -> Result<AuditReport, EngineError> {
    let mut asked = options.protocols.iter().map(|name| asked(name, &options.pack)).collect::<Result<Vec<_>, _>>()?;
    // One protocol may have been named in two ways.
    let names: Vec<String> = asked.iter().map(|asked| asked.protocol.clone()).collect();
    let mut place = 0..;
    asked.retain(|asked| place.next() == names.iter().position(|name| *name == asked.protocol));
    let mut materials = materials(data, tweaked, options)?;
    let own = own(&materials[0], options)?;
    let mut asking = Asking::open(options, &materials)?;
    if let Some(by) = &options.by_model {
        materials.iter_mut().try_for_each(|material| asking.rewrite(material, by, watch, stop))?;
    }
    if options.probes.contains(&Probe::Distractors) {
        materials[0].add_neutral();
    }
    materials[0].add_null();
    let (mut answers, mut readings) = (Answers::new(), Readings::new());
    loop {
        let wanted = RefCell::default();
        let asks = Asks {
            answers: &answers,
            readings: &readings,
            materials: &materials,
            seed: options.seed,
            level: options.level,
            repeats: options.repeats,
            wanted,
        };
        let found = probes(&asks, &asked, own, options);
        let wanted = asks.wanted.into_inner();
        match found {
            Ok(found) => return report(found?, &asked, &materials, options, &asking),
            Err(_) if wanted.is_empty() => return Err(EngineError::Stuck { trials: 1 }),
            Err(_) => asking.ask(wanted, &materials, (&mut answers, &mut readings), watch, stop)?,
        }
    }
}

/// What the probes found together.
type Found = (Vec<Finding>, Vec<Climb>);

fn probes(asks: &Asks<'_>, asked: &[Asked], own: Option<u32>, options: &AuditOptions) -> Seen<Result<Found, EngineError>> {
    let mut climbs = Vec::new();
    let mut seen: Vec<Seen<Result<Vec<Finding>, EngineError>>> = Vec::new();
    for probe in &options.probes {
        seen.push(match probe {
            Probe::Position => position::position(asks, asked),
            Probe::Distractors => distract::distract(asks, asked),
            Probe::Protocols => compare::compare(asks, asked),
            Probe::People => people::beyond_people(asks, asked, own),
            Probe::Null => attacks::null_answer(asks, asked),
            Probe::Transitivity => cycles::cycles(asks, asked),
            Probe::ChoiceSet => choice::choice(asks),
            Probe::Scale => scales::scales(asks),
            Probe::Severity => severity::severity(asks, asked, 1),
            Probe::Leaderboard => hacking::climbs(asks, asked).map(|found| {
                found.map(|found| {
                    let (climbed, findings): (Vec<Climb>, Vec<Vec<Finding>>) = found.into_iter().unzip();
                    climbs = climbed;
                    findings.concat()
                })
            }),
            // What came is counted when everything else is done.
            Probe::Reading | Probe::Failures => Ok(Ok(Vec::new())),
        });
    }
    let all = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    let mut found = match all.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(found) => found.concat(),
        Err(error) => return Ok(Err(error)),
    };
    match counted(asks, options) {
        Ok(counted) => found.extend(counted),
        Err(error) => return Ok(Err(error)),
    }
    Ok(Ok((found, climbs)))
}

/// What needs no questions of its own.
fn counted(asks: &Asks<'_>, options: &AuditOptions) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    if options.probes.contains(&Probe::Reading) {
        found.extend(reading::reading(asks)?);
    }
    if options.probes.contains(&Probe::Failures) {
        found.extend(failures::failures(asks)?);
    }
    Ok(found)
}

fn report(
    (mut findings, climbs): Found,
    asked: &[Asked],
    materials: &[Material],
    options: &AuditOptions,
    asking: &Asking<'_>,
) -> Result<AuditReport, EngineError> {
    finding::adjust(&mut findings, options.level)?;
    let costs = asking.costs()?;
    Ok(AuditReport {
        judge: asking.judge(),
        protocols: asked.iter().map(|asked| asked.protocol.clone()).collect(),
        items: materials[0].items.len() as u64,
        rewrites: materials[0].rewrites.clone(),
        level: options.level,
        seed: options.seed,
        tested: findings.iter().filter(|finding| finding.p.is_some()).count() as u64,
        advice: advice::advice(&findings, asked, &costs),
        warnings: warnings(&findings, materials, options),
        usage: asking.usage()?,
        findings,
        climbs,
    })
}

fn warnings(findings: &[Finding], materials: &[Material], options: &AuditOptions) -> Vec<String> {
    let mut found = Vec::new();
    if options.probes.contains(&Probe::People) && materials[0].labels.is_empty() {
        found.push("the data has no labels of people: preferences beyond people's and accuracy are not measured".into());
    }
    let repeats: Vec<&Finding> = findings.iter().filter(|finding| finding.name == "flips by repetition").collect();
    if !repeats.is_empty() && repeats.iter().all(|finding| finding.figure.value == Some(0.0)) {
        found.push(
            "the judge answered the same whenever it was asked the same again: what flips, flips by what was changed, and of a rewrite's flips those `beyond neutral` are its own".into(),
        );
    }
    let small = findings.iter().filter(|finding| finding.p.is_some() && finding.items < 20).count();
    if small > 0 {
        found.push(format!("{small} tested figures rest on fewer than 20 items"));
    }
    found
}

fn materials(data: &Dataset, tweaked: Option<&Dataset>, options: &AuditOptions) -> Result<Vec<Material>, EngineError> {
    let made = |data: &Dataset| -> Result<Material, EngineError> {
        let mut material = Material::new(data)?;
        options.rewrites.iter().for_each(|rewrite| material.rewrite(*rewrite));
        Ok(material)
    };
    let mut materials = vec![made(data)?];
    if materials[0].systems.iter().take(materials[0].base as usize).any(|system| system == material::NULL) {
        return Err(EngineError::Setting(format!("a system of the data is called `{}`, as one of the audit is", material::NULL)));
    }
    if options.probes.contains(&Probe::Severity) {
        let missing = "--probes severity: it needs --tweak-set DIR, made by `evenhand audit tweak-set`";
        let tweaked = made(tweaked.ok_or_else(|| EngineError::Setting(missing.into()))?)?;
        if !tweaked.systems.iter().take(tweaked.base as usize).eq(TWEAKED) {
            let why =
                format!("--tweak-set: expected the systems {}, as `evenhand audit tweak-set` writes them", TWEAKED.join(", "));
            return Err(EngineError::Setting(why));
        }
        materials.push(tweaked);
    }
    Ok(materials)
}

fn own(material: &Material, options: &AuditOptions) -> Result<Option<u32>, EngineError> {
    let Some(own) = &options.own else { return Ok(None) };
    let known = material.system(own).filter(|system| *system < material.base);
    let names = || material.systems.iter().take(material.base as usize).cloned().collect::<Vec<_>>().join(", ");
    known.map(Some).ok_or_else(|| EngineError::Setting(format!("--own {own}: no such system; the data has {}", names())))
}

fn asked(name: &str, pack: &Pack) -> Result<Asked, EngineError> {
    let protocol = protocol(name, pack)?;
    let kind = match protocol.form().slots() {
        Slots::Two => Kind::Pairs,
        Slots::One => Kind::Scores,
        Slots::Many(_) => {
            let why = "an audit compares two responses or scores one; lists have a probe of their own (--probes choice-set)";
            return Err(EngineError::Setting(format!("--protocol {name}: {why}")));
        }
    };
    Ok(Asked { protocol: protocol.to_string(), kind })
}

fn protocol(name: &str, pack: &Pack) -> Result<Protocol, EngineError> {
    Ok(Protocol::with(name, &ProtocolOptions { pack: pack.clone(), ..ProtocolOptions::default() })?)
}
