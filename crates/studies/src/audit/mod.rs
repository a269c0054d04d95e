//! The biases of a judge: change one thing that must not matter, ask again, and count what
//! moved.
//!
//! The main path: [`audit`] makes the [`material`] (responses, and the same rewritten), and runs
//! the probes, each a file, on what has been answered so far; what they find missing is asked
//! ([`live`]), or rewritten by a model ([`rewriter`]), and they run again from the top. A probe is therefore straight-line code, and a
//! stopped audit goes on where it was. [`finding`] says what is tested and how.

mod advice;
mod answer;
mod asked;
mod asks;
mod choice_set;
mod climb_elo;
mod climbs;
mod count_test;
mod criteria;
mod cycles;
mod distractors;
mod drawn_systems;
mod duels;
mod failures;
mod finding;
mod finding_name;
mod finding_text;
mod flip_table;
mod forecast;
mod games;
mod jobs;
mod known_systems;
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
mod rewritten;
mod rows;
mod scales;
mod score_distribution;
mod severity;
mod unique;
mod variant;
mod what;

#[cfg(test)]
mod tests;

pub use advice::{Advice, Candidate};
pub use climbs::{Climb, Climber};
pub use criteria::{CriteriaRow, compare_criteria};
pub use finding::{Finding, FindingScale};
pub use finding_name::{
    FindingName, LengthOrder, Placebo, Preferred, Prefers, RewriteEffect, ScoreRange, Third,
};
pub use flip_table::{FlipRate, FlipRow, FlipTable, KindOfProtocol, flip_table};
pub use forecast::{AuditEstimate, audit_estimate};
pub use known_systems::TWEAKED;
pub use material::{Reasons, Written};
pub use probe::Probe;
pub use recorded::audit_recorded;
pub use rewrite::Rewrite;
pub use rewriter::ByModel;
pub use rewritten::Rewritten;
pub use score_distribution::{ScoreDistribution, ScoreShare};

use asks::{Asks, Key, Known, Seen, Wanted};
use climbs::Climbed;
use evenhand_engine::{EngineError, JudgeSpec, Rewriter, SecondSpec, Tally, ToRewrite, rerun};
use evenhand_formats::Dataset;
use evenhand_protocols::{Pack, Panel};
use live::Asking;
use material::Material;
use probing::{Findings, Probed, look_at_all};
use rewriter::{Replies, Rewriting};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use unique::unique;
use what::What;

pub use crate::study::{LiveOptions, Watch};

/// The judge under audit, and how it is audited.
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
    /// Rubrics under each of which the protocols without one are asked, and lists; none: `rules`.
    pub criteria: Vec<String>,
    /// The probes, each of which looks for one defect.
    pub probes: Vec<Probe>,
    /// How responses are rewritten by rules.
    pub rewrites: Vec<Rewrite>,
    /// How they are by a model.
    pub by_model: Option<ByModel>,
    /// Whether the report has the texts of rewritten responses.
    pub lists_rewritten: bool,
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

/// The findings of an audit, and what they rest on.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditReport {
    /// The judge.
    pub judge: String,
    /// The protocols.
    pub protocols: Vec<String>,
    /// The criteria that are shown side by side.
    pub criteria: Vec<String>,
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
    /// Rewritten responses beside their originals, where the options ask for them.
    pub rewritten: Vec<Rewritten>,
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
    /// How often each score was given, by protocol; where the probe `scale` is among the probes.
    pub distributions: Vec<ScoreDistribution>,
    /// Which protocol to take.
    pub advice: Option<Advice>,
    /// Things that the reader must know.
    pub warnings: Vec<String>,
    /// Calls to the judge that this audit rests on, and their tokens.
    pub usage: AuditUsage,
    /// Those to the model that rewrites; None where none does.
    pub rewriting: Option<AuditUsage>,
    /// How many looks of this audit came to a verdict, and why the others did not.
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
    let what = What::new(data, tweaked, options)?;
    let mut asking = Asking::open(options, &what.materials, watch)?;
    let mut world = World::new(what, false);
    let found = until_answered(&mut world, options, &mut asking)?;
    found.report(&world.what, options, &asking)
}

/// Someone who answers the probes and rewrites for them.
trait Answering {
    /// Obtains the rewriter's replies to these prompts, for a distractor of this name.
    fn write(
        &mut self,
        name: &str,
        rewriter: &mut Rewriter,
        prompts: Vec<ToRewrite<'_>>,
    ) -> Replies;

    /// Answers these looks.
    fn ask(
        &mut self,
        looks: BTreeSet<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError>;
}

/// What is audited, and what is known of it so far.
struct World {
    what: What,
    known: Known,
    /// Whether only the questions are wanted, and no findings.
    only_counts: bool,
}

/// Runs the probes from the top until nothing is missing.
fn until_answered(
    world: &mut World,
    options: &AuditOptions,
    by: &mut dyn Answering,
) -> Result<Found, EngineError> {
    let mut rewriting = world.what.complete_materials(options)?;
    rerun(
        world,
        |world| run_probes(world, options),
        |world, wanted, _| world.answer(wanted, rewriting.as_mut(), by),
    )?
}

impl World {
    fn new(what: What, only_counts: bool) -> World {
        World {
            what,
            only_counts,
            known: Known::default(),
        }
    }

    /// Has rewritten what is to be shown, and asks what can be asked already.
    fn answer(
        &mut self,
        wanted: Wanted,
        rewriting: Option<&mut Rewriting<'_>>,
        by: &mut dyn Answering,
    ) -> Result<(), EngineError> {
        // A probe that waits and wants nothing would wait for ever.
        if wanted.is_empty() {
            return Err(EngineError::Stuck { trials: 1 });
        }
        if let Some(rewriting) = rewriting {
            rewriting.write(&mut self.what.materials, wanted.rewrites, by)?;
        }
        by.ask(wanted.looks, &self.what.materials, &mut self.known)
    }
}

/// Runs the probes once over what is known: what they found, or else what they lack.
fn run_probes(world: &World, options: &AuditOptions) -> Result<Result<Found, EngineError>, Wanted> {
    let asks = Asks {
        what: &world.what,
        options,
        known: &world.known,
        only_counts: world.only_counts,
        wanted: RefCell::default(),
    };
    found_by_all(&asks).map_err(|_| asks.wanted.take())
}

/// The result of probes, or what is wrong with the settings or the data.
type FoundOrError = Result<Found, EngineError>;

/// The findings of probes, and the climbs.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    climbs: Vec<Climb>,
    distributions: Vec<ScoreDistribution>,
}

fn found_by_all(asks: &Asks<'_>) -> Seen<FoundOrError> {
    let probes = unique(asks.options.probes.clone());
    let seen = look_at_all(probes.iter().copied(), |probe| look_by(probe, asks))?;
    if asks.only_counts {
        return Ok(Ok(Found::default()));
    }
    let found = found_by_each(probes.into_iter().zip(seen), asks)?;
    Ok(found.and_then(|found| add_counts(Found::join(found), asks)))
}

/// Returns what each probe found, from what it saw.
fn found_by_each(
    seen: impl Iterator<Item = (Probe, Findings)>,
    asks: &Asks<'_>,
) -> Seen<Result<Vec<Found>, EngineError>> {
    let found = look_at_all(seen, |(probe, seen)| found_by(probe, seen, asks))?;
    Ok(found.into_iter().collect())
}

/// Looks at all that a probe needs, and computes its findings where that costs little.
fn look_by(probe: Probe, asks: &Asks<'_>) -> Probed {
    if probe == Probe::Leaderboard {
        climbs::look_at_climbs(asks)?;
    }
    findings_by(probe, asks)
}

/// Returns what a probe found. Ratings are resampled once, when no probe lacks anything.
fn found_by(probe: Probe, seen: Findings, asks: &Asks<'_>) -> Seen<FoundOrError> {
    if probe == Probe::Leaderboard {
        let climbed = climbs::probe_climbs(asks)?;
        return Ok(climbed.map(Found::of_climbs));
    }
    Ok(seen.map(Found::of_findings))
}

fn findings_by(probe: Probe, asks: &Asks<'_>) -> Probed {
    match probe {
        Probe::Position => position::probe_position(asks),
        Probe::Distractors => distractors::probe_distractors(asks),
        Probe::Protocols => protocol_differences::probe_protocol_differences(asks),
        Probe::People => people::probe_people(asks),
        Probe::Null => null_answer::probe_null_answer(asks),
        Probe::Transitivity => cycles::probe_transitivity(asks),
        Probe::ChoiceSet => choice_set::probe_choice_set(asks),
        Probe::Scale => scales::probe_scales(asks),
        Probe::Severity => severity::probe_severity(asks, 1),
        // Climbs have a result of their own; what came is counted when everything else is done.
        Probe::Leaderboard | Probe::Reading | Probe::Failures => Ok(Ok(Vec::new())),
    }
}

/// Adds the findings of the probes that need no questions of their own: they count what the others
/// asked.
fn add_counts(mut found: Found, asks: &Asks<'_>) -> FoundOrError {
    let probes = &asks.options.probes;
    if probes.contains(&Probe::Reading) {
        found.findings.extend(reading::compare_readings(asks)?);
    }
    if probes.contains(&Probe::Failures) {
        found.findings.extend(failures::count_failures(asks)?);
    }
    if probes.contains(&Probe::Scale) {
        found.distributions = score_distribution::distributions_of(asks)?;
    }
    Ok(found)
}

impl Found {
    fn of_findings(findings: Vec<Finding>) -> Found {
        Found {
            findings,
            ..Found::default()
        }
    }

    fn of_climbs(climbed: Vec<Climbed>) -> Found {
        let (climbs, findings): (_, Vec<Vec<Finding>>) = climbed.into_iter().unzip();
        Found {
            findings: findings.concat(),
            climbs,
            ..Found::default()
        }
    }

    fn join(all: Vec<Found>) -> Found {
        let mut joined = Found::default();
        for found in all {
            joined.findings.extend(found.findings);
            joined.climbs.extend(found.climbs);
        }
        joined
    }

    fn report(
        mut self,
        what: &What,
        options: &AuditOptions,
        asking: &Asking<'_>,
    ) -> Result<AuditReport, EngineError> {
        finding::adjust_findings(&mut self.findings, options.level)?;
        criteria::name_criteria(&mut self.findings, &options.criteria);
        let advice = advice::recommend_protocol(&self.findings, &what.asked, &asking.costs()?);
        let data = &what.materials[0];
        let warnings = warnings(&self.findings, data, options).into_iter();
        let rewriting = options.by_model.as_ref().map(|_| asking.rewriting());
        Ok(AuditReport {
            judge: asking.judge(),
            protocols: what.protocols(),
            criteria: options.criteria.clone(),
            items: data.item_count(),
            questions: data.question_count(),
            responses: data.response_count(),
            rewrites: material::rewrites_of(&what.materials),
            rewritten: listed_rewritten(what, options),
            level: options.level,
            seed: options.seed,
            tested: tested_count(&self.findings),
            advice,
            warnings: warnings.chain(asking.marks.clone()).collect(),
            usage: asking.usage()?,
            rewriting: rewriting.transpose()?,
            tally: asking.tally(),
            run: Some(asking.dir()),
            findings: self.findings,
            climbs: self.climbs,
            distributions: self.distributions,
        })
    }
}

fn listed_rewritten(what: &What, options: &AuditOptions) -> Vec<Rewritten> {
    if options.lists_rewritten {
        rewritten::list_rewritten(&what.materials)
    } else {
        Vec::new()
    }
}

/// Returns how many findings are tested.
fn tested_count(findings: &[Finding]) -> u64 {
    let tested = findings.iter().filter(|finding| finding.is_tested());
    tested.count() as u64
}

/// Questions below which a tested figure is said to rest on few.
const FEW_QUESTIONS: u64 = 20;

const NO_LABELS: &str = "the data has no labels of people: preferences beyond people's and \
                         accuracy are not measured";

const ONE_MIND: &str = "the judge answered the same whenever it was asked the same again, so \
                        anything that was changed may have flipped it: only the figures `beyond \
                        neutral` show what a change itself does";

fn warnings(findings: &[Finding], data: &Material, options: &AuditOptions) -> Vec<String> {
    let lacks_labels = options.probes.contains(&Probe::People) && data.labels.is_empty();
    let warnings = [
        lacks_labels.then(|| NO_LABELS.into()),
        never_changes_its_mind(findings).then(|| ONE_MIND.into()),
        few_questions_warning(findings),
    ];
    warnings.into_iter().flatten().collect()
}

fn few_questions_warning(findings: &[Finding]) -> Option<String> {
    let count = findings
        .iter()
        .filter(|finding| rests_on_few(finding))
        .count();
    (count > 0)
        .then(|| format!("{count} tested figures rest on fewer than {FEW_QUESTIONS} questions"))
}

fn rests_on_few(finding: &Finding) -> bool {
    finding.is_tested() && finding.clusters < FEW_QUESTIONS
}

/// Whether repetitions were measured, and no verdict of any protocol flipped by them.
fn never_changes_its_mind(findings: &[Finding]) -> bool {
    let is_repetition = |finding: &&Finding| finding.name == FindingName::FlipsByRepetition;
    let mut repeats = findings.iter().filter(is_repetition).peekable();
    repeats.peek().is_some() && repeats.all(|finding| finding.figure.value == Some(0.0))
}
