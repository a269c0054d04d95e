//! What a judge's biases are: change one thing that must not matter, ask again, and count what
//! moved.
//!
//! The main path: [`audit`] makes the [`material`] (responses, and the same rewritten), and runs
//! the probes, each a file, on what has been answered so far; what they find missing is asked
//! ([`live`]), and they run again from the top. A probe is therefore straight-line code, and a
//! stopped audit goes on where it was. [`finding`] says what is tested and how.

mod advice;
mod asks;
mod choice_set;
mod climbs;
mod cycles;
mod distractors;
mod duels;
mod failures;
mod finding;
mod finding_name;
mod forecast;
mod live;
mod material;
mod null_answer;
mod people;
mod position;
mod probe;
mod probing;
mod protocol_differences;
mod reading;
mod recorded;
mod rewrite;
mod rewriter;
mod rows;
mod scales;
mod severity;
mod variant;
mod what;

#[cfg(test)]
mod tests;

pub use advice::{Advice, Candidate};
pub use climbs::{Climb, Climber};
pub use finding::{Finding, FindingScale};
pub use finding_name::{
    FindingName, LengthOrder, Placebo, Preferred, Prefers, RewriteEffect, ScoreRange, Third,
};
pub use forecast::{AuditEstimate, audit_estimate};
pub use material::{Reasons, Written};
pub use probe::Probe;
pub use recorded::audit_recorded;
pub use rewrite::Rewrite;
pub use rewriter::ByModel;
pub use severity::SYSTEMS as TWEAKED;

use asks::{Asked, Asks, Key, Known, Seen};
use evenhand_engine::{EngineError, JudgeSpec, SecondSpec, Tally, rerun};
use evenhand_formats::Dataset;
use evenhand_protocols::{Pack, Panel};
use live::Asking;
use material::Material;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use what::{What, unique};

pub use crate::study::{LiveOptions, Watch};

/// What is audited, and how.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The judge, or the members of a panel.
    pub judges: Vec<JudgeSpec>,
    /// How the verdicts of a panel become one.
    pub panel: Panel,
    /// Who reads a verdict where the strict reader finds none.
    pub second_stage: Option<SecondSpec>,
    /// Who embeds responses where a protocol asks for that; None: each judge itself.
    pub embedder: Option<JudgeSpec>,
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
#[derive(Clone, Debug, PartialEq)]
pub struct AuditReport {
    /// The judge.
    pub judge: String,
    /// The protocols.
    pub protocols: Vec<String>,
    /// Items of the data.
    pub items: u64,
    /// Questions that they ask: items with one `question_id`, or with equal messages, ask the same
    /// one.
    pub questions: u64,
    /// Responses to them.
    pub responses: u64,
    /// How responses were rewritten, and how many of them were dropped since they did not keep what
    /// must be kept.
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
    /// Calls to the judge that this audit rests on, and their tokens.
    pub usage: AuditUsage,
    /// Those to the model that rewrites; None where none does.
    pub rewriting: Option<AuditUsage>,
    /// What came to a verdict of what this audit asked.
    pub tally: Tally,
    /// Where the calls are kept; None where nothing was asked.
    pub run: Option<PathBuf>,
}

/// Calls of an audit, and what they took.
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

/// Audits a judge on data, and on a set of answers that keep and break constraints, where one is
/// given.
///
/// # Errors
/// Options that mean nothing; what opening, asking and keeping may meet.
pub fn audit(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
    watch: &mut dyn Watch,
) -> Result<AuditReport, EngineError> {
    let mut what = What::new(data, tweaked, options)?;
    let mut asking = Asking::open(options, &what.materials, watch)?;
    if let Some(by) = &options.by_model {
        for at in 0..what.materials.len() {
            let places = what.places(at, options);
            asking.rewrite(&mut what.materials[at], &places, by)?;
        }
    }
    what.complete();
    let found = until_answered(&what, options, &mut |wanted, known| {
        asking.ask(wanted, &what.materials, known)
    })?;
    report(found, &what, options, &asking)
}

/// Asks what is not answered yet.
type Ask<'a> = dyn FnMut(BTreeSet<Key>, &mut Known) -> Result<(), EngineError> + 'a;

/// Runs the probes from the top until nothing is missing.
fn until_answered(
    what: &What,
    options: &AuditOptions,
    ask: &mut Ask<'_>,
) -> Result<Found, EngineError> {
    rerun(
        &mut Known::default(),
        |known| run_probes(what, options, known),
        |known, wanted, _| {
            if wanted.is_empty() {
                return Err(EngineError::Stuck { trials: 1 });
            }
            ask(wanted, known)
        },
    )?
}

/// Runs the probes once over what is known: what they found, or else the looks that they lack.
fn run_probes(
    what: &What,
    options: &AuditOptions,
    known: &Known,
) -> Result<Result<Found, EngineError>, BTreeSet<Key>> {
    let asks = Asks {
        known,
        materials: &what.materials,
        seed: options.seed,
        level: options.level,
        repeats: options.repeats,
        wanted: RefCell::default(),
    };
    probes(&asks, &what.asked, what.own, options).map_err(|_| asks.wanted.take())
}

/// What the probes found together.
type Found = (Vec<Finding>, Vec<Climb>);

fn probes(
    asks: &Asks<'_>,
    asked: &[Asked],
    own: Option<u32>,
    options: &AuditOptions,
) -> Seen<Result<Found, EngineError>> {
    let mut climbs = Vec::new();
    let mut seen: Vec<Seen<Result<Vec<Finding>, EngineError>>> = Vec::new();
    for probe in unique(options.probes.clone()) {
        seen.push(match probe {
            Probe::Position => position::probe_position(asks, asked),
            Probe::Distractors => distractors::probe_distractors(asks, asked),
            Probe::Protocols => protocol_differences::probe_protocol_differences(asks, asked),
            Probe::People => people::probe_people(asks, asked, own),
            Probe::Null => null_answer::probe_null_answer(asks, asked),
            Probe::Transitivity => cycles::probe_transitivity(asks, asked),
            Probe::ChoiceSet => choice_set::probe_choice_set(asks),
            Probe::Scale => scales::probe_scales(asks),
            Probe::Severity => severity::probe_severity(asks, asked, 1),
            Probe::Leaderboard => climbs::probe_climbs(asks, asked).map(|found| {
                found.map(|found| {
                    let (climbed, findings): (Vec<Climb>, Vec<Vec<Finding>>) =
                        found.into_iter().unzip();
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
        found.extend(reading::compare_readings(asks)?);
    }
    if options.probes.contains(&Probe::Failures) {
        found.extend(failures::count_failures(asks)?);
    }
    Ok(found)
}

fn report(
    (mut findings, climbs): Found,
    What {
        asked, materials, ..
    }: &What,
    options: &AuditOptions,
    asking: &Asking<'_>,
) -> Result<AuditReport, EngineError> {
    finding::adjust_findings(&mut findings, options.level)?;
    let costs = asking.costs()?;
    Ok(AuditReport {
        judge: asking.judge(),
        protocols: asked.iter().map(|asked| asked.protocol.clone()).collect(),
        items: materials[0].items.len() as u64,
        questions: materials[0].question_count(),
        responses: materials[0].response_count(),
        rewrites: material::rewrites_of(materials),
        level: options.level,
        seed: options.seed,
        tested: tested_count(&findings),
        advice: advice::recommend_protocol(&findings, asked, &costs),
        warnings: warnings(&findings, materials, options)
            .into_iter()
            .chain(asking.marks.clone())
            .collect(),
        usage: asking.usage()?,
        rewriting: options
            .by_model
            .as_ref()
            .map(|_| asking.rewriting())
            .transpose()?,
        tally: asking.tally(),
        run: Some(asking.dir()),
        findings,
        climbs,
    })
}

/// Returns how many findings are tested.
fn tested_count(findings: &[Finding]) -> u64 {
    let tested = findings.iter().filter(|finding| finding.p.is_some());
    tested.count() as u64
}

/// Questions below which a tested figure is said to rest on few.
const FEW_QUESTIONS: u64 = 20;

fn warnings(findings: &[Finding], materials: &[Material], options: &AuditOptions) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if options.probes.contains(&Probe::People) && materials[0].labels.is_empty() {
        found.push(
            "the data has no labels of people: preferences beyond people's and accuracy are not \
             measured"
                .into(),
        );
    }
    if never_changes_its_mind(findings) {
        found.push(
            "the judge answered the same whenever it was asked the same again, so anything that \
             was changed may have flipped it: only the figures `beyond neutral` show what a \
             change itself does"
                .into(),
        );
    }
    let small = findings
        .iter()
        .filter(|finding| finding.p.is_some() && finding.clusters < FEW_QUESTIONS)
        .count();
    if small > 0 {
        found.push(format!(
            "{small} tested figures rest on fewer than {FEW_QUESTIONS} questions"
        ));
    }
    found
}

/// Whether repetitions were measured, and no verdict of any protocol flipped by them.
fn never_changes_its_mind(findings: &[Finding]) -> bool {
    let mut repeats = findings
        .iter()
        .filter(|finding| finding.name == FindingName::FlipsByRepetition)
        .peekable();
    repeats.peek().is_some() && repeats.all(|finding| finding.figure.value == Some(0.0))
}
