//! The biases of a judge: change one thing that must not matter, ask again, and count what
//! moved.
//!
//! The main path: [`audit`] makes the [`material`] (responses, and the same rewritten), and runs
//! the probes, each a file, on what has been answered so far; what they find missing is asked
//! ([`live`]), or rewritten by a model ([`rewriter`]), and they run again from the top. A probe is
//! therefore straight-line code, and a stopped audit goes on where it was. [`finding`] says what is
//! tested and how.

mod advice;
mod answer;
mod answered;
mod asks;
mod choice_set;
mod climb_elo;
mod climbs;
mod criteria;
mod cycles;
mod distractors;
mod finding;
mod finding_name;
mod flip_table;
mod forecast;
mod jobs;
mod live;
mod material;
mod null_answer;
mod opinion;
mod pair_choice;
mod people;
mod position;
mod probe;
mod protocol_differences;
mod recorded;
mod rewrite;
mod rewriter;
mod rewritten;
mod rows;
mod scales;
mod sentence;
mod severity;
mod slices;
mod variant;
mod what;

#[cfg(test)]
mod tests;

pub use advice::{Advice, Candidate};
pub use climbs::{Climb, Climber};
pub use criteria::{CriteriaRow, UNNAMED as UNNAMED_CRITERION, compare_criteria};
pub use finding::{Finding, FindingScale};
pub use finding_name::{
    FindingName, LengthOrder, Placebo, Preferred, Prefers, RewriteEffect, ScoreRange, Third,
};
pub use flip_table::{
    FlipRate, FlipRow, FlipTable, KindOfProtocol, TieRow, TieTable, flip_table, kind_of, tie_table,
};
pub use forecast::{AuditEstimate, audit_estimate};
pub use material::{Reasons, TWEAKED, Written};
pub use pair_choice::PairChoice;
pub use probe::Probe;
pub use recorded::audit_recorded;
pub use rewrite::Rewrite;
pub use rewriter::ByModel;
pub use rewritten::Rewritten;
pub use scales::{ScoreDistribution, ScoreShare};
pub use slices::{AuditSlice, AuditSlices};

use asks::{Asks, Findings, Key, Known, Seen, World, look_at_all};
use climbs::Played;
use evenhand_core::in_order;
use evenhand_engine::{
    Coverage, EngineError, JudgeSpec, Rewriter, SecondSpec, Tally, ToRewrite, rerun,
};
use evenhand_formats::Dataset;
use evenhand_protocols::{Pack, Panel};
use evenhand_ranking::ItemSlices;
use live::Asking;
use material::Material;
use rewriter::{Replies, Rewriting};
use schemars::JsonSchema;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
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
    /// Which pairs of each item they compare; circles and lists have three or four drawn systems.
    pub pairs: PairChoice,
    /// How responses are rewritten by rules.
    pub rewrites: Vec<Rewrite>,
    /// How they are by a model.
    pub by_model: Option<ByModel>,
    /// Whether the report has the texts of rewritten responses.
    pub lists_rewritten: bool,
    /// A field by whose values the findings are given too, and the value of each item.
    pub by: Option<(String, ItemSlices)>,
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
    /// What the user calls the run; None: what it was called before.
    pub label: Option<String>,
    /// How the judge is run.
    pub live: LiveOptions,
}

/// The findings of an audit, and what they rest on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditReport {
    /// The judge.
    pub judge: String,
    /// The members of a panel; none where one judge is audited.
    pub members: Vec<AuditMember>,
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
    /// Which pairs of each item were compared; None where recorded judgments are audited, of which
    /// all are.
    pub pairs: Option<PairChoice>,
    /// Of which responses were taken.
    pub seed: u64,
    /// How many findings were tested.
    pub tested: u64,
    /// All figures.
    pub findings: Vec<Finding>,
    /// The same by the value of a field, where one was asked for.
    pub slices: Option<AuditSlices>,
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

/// A member of a panel that is audited. A panel has a verdict where any member has one, so its own
/// failures say little of theirs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditMember {
    /// The judge.
    pub judge: String,
    /// How many of the judgments that it was asked for came to a verdict by it.
    pub coverage: Coverage,
}

/// Calls of an audit, and what they took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    let mut world = World {
        what,
        known: Known::default(),
        only_counts: false,
    };
    let mut found = until_answered(&mut world, options, &mut asking)?;
    finding::adjust_findings(&mut found.findings, options.level)?;
    criteria::name_criteria(&mut found.findings, &options.criteria);
    let slices = slices::slice_findings(&world, options)?;

    let What {
        asked, materials, ..
    } = &world.what;
    let advice = advice::recommend_protocol(&found.findings, asked, &asking.costs()?);
    let mut warnings = warnings(&found.findings, &materials[0], options);
    warnings.extend(lengthening(
        &found.findings,
        &material::rewrites_of(materials),
    ));
    warnings.extend(asking.marks.clone());
    let rewriting = options.by_model.as_ref().map(|_| asking.rewriting());
    Ok(AuditReport {
        judge: asking.judge(),
        members: asking.members(),
        protocols: asked.iter().map(|asked| asked.protocol.clone()).collect(),
        criteria: options.criteria.clone(),
        items: materials[0].item_count(),
        questions: materials[0].question_count(),
        responses: materials[0].answers(0).len() as u64,
        rewrites: material::rewrites_of(materials),
        rewritten: match options.lists_rewritten {
            true => rewritten::list_rewritten(materials),
            false => Vec::new(),
        },
        level: options.level,
        pairs: Some(options.pairs),
        seed: options.seed,
        tested: tested_count(&found.findings),
        advice,
        warnings,
        usage: asking.usage()?,
        rewriting: rewriting.transpose()?,
        run: Some(asking.dir()),
        tally: asking.tally,
        slices,
        findings: found.findings,
        climbs: found.climbs,
        distributions: found.distributions,
    })
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

/// Runs the probes from the top until nothing is missing.
fn until_answered(
    world: &mut World,
    options: &AuditOptions,
    by: &mut dyn Answering,
) -> Result<Found, EngineError> {
    // There is room for what a model rewrites before the neutral rewrite and the null answer, whose
    // numbers come after those of all rewrites.
    let materials = &mut world.what.materials;
    let mut rewriting = match &options.by_model {
        Some(by) => Some(Rewriting::open(by, materials, options.live.judge)?),
        None => None,
    };
    materials[0].add_neutral();
    materials[0].add_null();
    rerun(
        world,
        |world| {
            let asks = Asks {
                world,
                options,
                wanted: RefCell::default(),
                slice: None,
            };
            run_probes(&asks).map_err(|_| asks.wanted.take())
        },
        |world, wanted, _| {
            // A probe that waits and wants nothing would wait for ever.
            if wanted.looks.is_empty() && wanted.rewrites.is_empty() {
                return Err(EngineError::Stuck { trials: 1 });
            }
            // Looks at responses that have still to be rewritten come in the next round.
            if let Some(rewriting) = &mut rewriting {
                rewriting.write(&mut world.what.materials, wanted.rewrites, by)?;
            }
            by.ask(wanted.looks, &world.what.materials, &mut world.known)
        },
    )?
}

/// The findings of probes, and the climbs.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    climbs: Vec<Climb>,
    distributions: Vec<ScoreDistribution>,
}

/// Runs every probe once over what is known; pending while one of them lacks an answer.
fn run_probes(asks: &Asks<'_>) -> Seen<Result<Found, EngineError>> {
    let mut probes = in_order(asks.options.probes.iter().copied());
    // These are not of the items of the data, or of all of them together.
    if asks.slice.is_some() {
        probes.retain(|probe| ![Probe::Severity, Probe::Leaderboard].contains(probe));
    }
    let mut played = Vec::new();
    let findings = look_at_all(&probes, |probe| match probe {
        Probe::Position => position::probe_position(asks),
        Probe::Distractors => distractors::probe_distractors(asks),
        Probe::Protocols => protocol_differences::probe_protocol_differences(asks),
        Probe::People => people::probe_people(asks),
        Probe::Null => null_answer::probe_null_answer(asks),
        Probe::Transitivity => cycles::probe_transitivity(asks),
        Probe::ChoiceSet => choice_set::probe_choice_set(asks),
        Probe::Scale => scales::probe_scales(asks),
        Probe::Severity => severity::probe_severity(asks),
        Probe::Leaderboard => {
            played = climbs::play_climbs(asks)?;
            Ok(Ok(Vec::new()))
        }
        // They ask nothing: what came is counted when everything else is done.
        Probe::Reading | Probe::Failures => Ok(Ok(Vec::new())),
    })?;
    if asks.world.only_counts {
        return Ok(Ok(Found::default()));
    }
    Ok(found_by(&probes, findings, played, asks))
}

/// Returns all that the probes found, once none of them lacks anything.
fn found_by(
    probes: &[Probe],
    findings: Vec<Findings>,
    mut played: Vec<Result<Played<'_>, EngineError>>,
    asks: &Asks<'_>,
) -> Result<Found, EngineError> {
    let mut found = Found::default();
    for (probe, findings) in probes.iter().zip(findings) {
        found.findings.extend(findings?);
        if *probe == Probe::Leaderboard {
            for played in played.drain(..) {
                let (climb, finding) = played?.climbed()?;
                found.climbs.push(climb);
                found.findings.push(finding);
            }
        }
    }
    // These need no questions of their own: they count what the others asked.
    if probes.contains(&Probe::Reading) {
        found.findings.extend(answered::compare_readings(asks)?);
    }
    if probes.contains(&Probe::Failures) {
        found.findings.extend(answered::count_failures(asks)?);
    }
    if probes.contains(&Probe::Scale) && asks.slice.is_none() {
        found.distributions = scales::distributions_of(asks)?;
    }
    Ok(found)
}

/// Returns how many findings are tested.
fn tested_count(findings: &[Finding]) -> u64 {
    let tested = findings.iter().filter(|finding| finding.is_tested());
    tested.count() as u64
}

/// Figures that a warning names; of more it says how many.
const MOST_NAMED: usize = 4;

/// Questions below which a tested figure is said to rest on few.
const FEW_QUESTIONS: u64 = 20;

const NO_LABELS: &str = "the data has no labels of people: preferences beyond people's and \
                         accuracy are not measured";

const ONE_MIND: &str = "the judge answered the same whenever it was asked the same again, so \
                        anything that was changed may have flipped it: only the figures `beyond \
                        neutral` show what a change itself does";

fn warnings(findings: &[Finding], data: &Material, options: &AuditOptions) -> Vec<String> {
    let mut warnings = Vec::new();
    if options.probes.contains(&Probe::People) && data.labels.is_empty() {
        warnings.push(NO_LABELS.into());
    }
    // Repetitions were measured, and no verdict of any protocol flipped by them.
    let mut repeats = findings
        .iter()
        .filter(|finding| finding.name == FindingName::FlipsByRepetition)
        .peekable();
    if repeats.peek().is_some() && repeats.all(|finding| finding.figure.value == Some(0.0)) {
        warnings.push(ONE_MIND.into());
    }
    let compared = |item| {
        let pairs = options.pairs.pairs(data, options.seed, item);
        pairs.into_iter().map(move |pair| (pair, item))
    };
    let pairs: Vec<([u32; 2], u32)> = data.item_numbers().flat_map(compared).collect();
    let same = pairs
        .iter()
        .filter(|(pair, item)| data.are_same(*pair, *item));
    let same = same.count();
    // Other probes choose the systems that they ask about themselves.
    let draws_pairs = options.probes.iter().any(|probe| {
        use Probe::{Distractors, People, Position, Protocols, Scale};
        matches!(probe, Position | Distractors | Protocols | People | Scale)
    });
    if same > 0 && draws_pairs {
        warnings.push(format!(
            "{same} of {} pairs have two identical responses and are left out, as neither is better",
            pairs.len()
        ));
    }
    warnings.extend(few_questions(findings));
    warnings
}

/// Says which tested figures rest on few questions.
fn few_questions(findings: &[Finding]) -> Option<String> {
    let few = findings
        .iter()
        .filter(|finding| finding.is_tested() && finding.clusters < FEW_QUESTIONS);
    let named = few.map(|finding| match finding.protocol.as_str() {
        "" => format!("{} ({})", finding.name, finding.clusters),
        protocol => format!("{} under {protocol} ({})", finding.name, finding.clusters),
    });
    let mut named: Vec<String> = named.collect();
    let count = named.len();
    if count > MOST_NAMED {
        named.truncate(MOST_NAMED);
        named.push(format!("and {} more", count - MOST_NAMED));
    }
    let figures = match count {
        0 => return None,
        1 => "1 tested figure rests".to_string(),
        many => format!("{many} tested figures rest"),
    };
    Some(format!(
        "{figures} on fewer than {FEW_QUESTIONS} questions: {}",
        named.join("; ")
    ))
}

/// Says that what was found of several rewrites may be one preference, for length: they all make a
/// response longer. None where fewer than two of them are found.
fn lengthening(findings: &[Finding], rewrites: &[Written]) -> Option<String> {
    let found = |rewrite: &&Written| {
        let mut biased = findings.iter().filter(|finding| finding.biased);
        biased.any(|finding| match &finding.name {
            FindingName::Rewritten { rewrite: name, .. } => *name == rewrite.name,
            _ => false,
        })
    };
    let longer = rewrites.iter().filter(|rewrite| rewrite.lengthens());
    let mut named: Vec<&str> = longer.filter(found).map(|one| one.name.as_str()).collect();
    let last = named.pop().filter(|_| !named.is_empty())?;
    let longer = FindingName::Preference {
        of: Preferred::Longer,
        by: Prefers::BeyondPeople,
    };
    let longer = findings.iter().filter(|one| one.name == longer);
    let longer: Vec<String> = longer.map(Finding::claim).collect();
    let shown = match &longer[..] {
        [] => "people's labels would show whether it prefers the longer of two original responses \
               more often than people do"
            .to_string(),
        some => format!("of original responses, {}", some.join("; ")),
    };
    Some(format!(
        "{} and {last} all make a response longer, so a preference for length alone shows under \
         each of them; {shown}",
        named.join(", ")
    ))
}
