//! The calls that an audit would make: its probes run over a simulated judge's verdicts in memory,
//! and nothing is sent.

use super::asks::{Key, Known, World};
use super::jobs::{Jobs, bench_of, cells, run_dir, trials};
use super::material::{Material, known_systems};
use super::rewriter::Replies;
use super::what::What;
use super::{Answering, AuditOptions, until_answered};
use evenhand_engine::{Bench, EngineError, Estimate, Forecast, Rewriter, ToRewrite, open_runs};
use evenhand_formats::Dataset;
use evenhand_store::Reader;
use std::collections::BTreeSet;

/// The calls that an audit would make. What depends on verdicts is taken from a judge that never
/// contradicts itself on a pair, which is the most that protocols of one look each can ask.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEstimate {
    /// The judge, or the members of a panel.
    pub judge: String,
    /// Items of the data.
    pub items: u64,
    /// Systems of the data.
    pub systems: u64,
    /// By protocol, and by distractor that a model writes, in the order in which they are first
    /// asked; a call is in one of them.
    pub parts: Vec<(String, Estimate)>,
}

impl AuditEstimate {
    /// All parts together.
    pub fn total(&self) -> Estimate {
        self.parts
            .iter()
            .fold(Estimate::default(), |sum, (_, part)| sum.and(part))
    }
}

/// Returns what an audit with these options would ask beside what its run directory has.
///
/// # Errors
/// As of [`super::audit`], but for those of asking.
pub fn audit_estimate(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
) -> Result<AuditEstimate, EngineError> {
    let what = What::new(data, tweaked, options)?;
    let mut counting = Counting::open(options, &what.materials)?;
    let mut world = World {
        what,
        known: Known::default(),
        only_counts: true,
    };
    until_answered(&mut world, options, &mut counting)?;
    let data = &world.what.materials[0];
    Ok(AuditEstimate {
        judge: counting.bench.judges.panel.join(" + "),
        items: data.item_count(),
        systems: u64::from(data.base),
        parts: counting.parts,
    })
}

/// Stands in the place of those who are asked.
struct Counting<'a> {
    bench: Bench,
    forecast: Forecast,
    jobs: Jobs<'a>,
    parts: Vec<(String, Estimate)>,
}

impl<'a> Counting<'a> {
    fn open(options: &'a AuditOptions, materials: &[Material]) -> Result<Self, EngineError> {
        let bench = bench_of(options, materials)?;
        // The runs that are reused, and the audit's own where there is one.
        let dir = run_dir(options, &bench.judges);
        let mut stored = open_runs(&options.live.reuse)?;
        if dir.join("run.sqlite").exists() {
            stored.push(Reader::open(&dir)?);
        }
        Ok(Counting {
            bench,
            forecast: Forecast::new(&known_systems(materials), stored)?,
            jobs: Jobs::new(options),
            parts: Vec::new(),
        })
    }
}

impl Answering for Counting<'_> {
    /// Counts the rewriter's calls, and has a stand-in reply.
    fn write(
        &mut self,
        name: &str,
        rewriter: &mut Rewriter,
        prompts: Vec<ToRewrite<'_>>,
    ) -> Replies {
        let model = rewriter.model();
        let name = format!("{name}, rewritten by {}", model.identity());
        let sum = part(&mut self.parts, name);
        sum.trials += prompts.len() as u64;
        let requests = rewriter.requests(prompts);
        self.forecast.fetch(&requests, model, sum)
    }

    fn ask(
        &mut self,
        looks: BTreeSet<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        for (cell, keys) in cells(looks) {
            let job = self.jobs.of_cell(&cell, materials, &self.bench.judges)?;
            let trials = trials(&keys, materials, job)?;
            let model = self.bench.model.as_ref();
            let sum = part(&mut self.parts, cell.1);
            let outcomes = self.forecast.judge_trials(job, &trials, model, sum)?;
            known.answers.extend(keys.into_iter().zip(outcomes));
        }
        Ok(())
    }
}

/// Returns the estimate of this name, which is added where it is not there yet.
fn part(parts: &mut Vec<(String, Estimate)>, name: String) -> &mut Estimate {
    let known = parts.iter().position(|(known, _)| *known == name);
    let at = known.unwrap_or(parts.len());
    if at == parts.len() {
        parts.push((name, Estimate::default()));
    }
    &mut parts[at].1
}
