//! What an audit would ask: its probes run over a simulated judge's verdicts in memory, and nothing
//! is sent.

use super::asks::{Key, Known};
use super::live::{Cell, bench_of, cells, job, known, run_dir, trials};
use super::material::{Material, Spot};
use super::rewriter::{self, ByModel};
use super::what::What;
use super::{AuditOptions, until_answered};
use evenhand_engine::{Bench, EngineError, Estimate, Forecast, Job, open_runs};
use evenhand_formats::Dataset;
use evenhand_store::Reader;
use std::collections::{BTreeMap, BTreeSet};

/// What an audit would ask. What depends on verdicts is taken from a judge that never contradicts
/// itself on a pair, which is the most that protocols of one look each can ask.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEstimate {
    /// The judge, or the members of a panel.
    pub judge: String,
    /// Items of the data.
    pub items: u64,
    /// Systems of the data.
    pub systems: u64,
    /// By protocol in the order in which they are first asked, after the rewriting by a model; a
    /// call is in one of them.
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

/// What an audit with these options would ask beside what its run directory has.
///
/// # Errors
/// As of [`super::audit`], but for those of asking.
pub fn audit_estimate(
    data: &Dataset,
    tweaked: Option<&Dataset>,
    options: &AuditOptions,
) -> Result<AuditEstimate, EngineError> {
    let mut what = What::new(data, tweaked, options)?;
    let mut counting = Counting::open(options, &what.materials)?;
    if let Some(by) = &options.by_model {
        for at in 0..what.materials.len() {
            let places = what.places(at, options);
            counting.rewrite(&mut what.materials[at], &places, by)?;
        }
    }
    what.complete();
    until_answered(&what, options, &mut |wanted, known| {
        counting.count(wanted, &what.materials, known)
    })?;
    let base = &what.materials[0];
    let judge = counting.bench.judges.panel.join(" + ");
    Ok(AuditEstimate {
        judge,
        items: base.items.len() as u64,
        systems: u64::from(base.base),
        parts: counting.parts,
    })
}

/// In the place of those who are asked.
struct Counting<'a> {
    options: &'a AuditOptions,
    bench: Bench,
    forecast: Forecast,
    jobs: BTreeMap<Cell, Job>,
    parts: Vec<(String, Estimate)>,
}

impl<'a> Counting<'a> {
    fn open(options: &'a AuditOptions, materials: &[Material]) -> Result<Self, EngineError> {
        let bench = bench_of(options, materials)?;
        let dir = run_dir(options, &bench.judges);
        let mut stored = open_runs(&options.live.reuse)?;
        if dir.join("run.sqlite").exists() {
            stored.push(Reader::open(&dir)?);
        }
        let forecast = Forecast::new(&known(materials), stored)?;
        Ok(Counting {
            options,
            bench,
            forecast,
            jobs: BTreeMap::new(),
            parts: Vec::new(),
        })
    }

    fn rewrite(
        &mut self,
        material: &mut Material,
        places: &[Spot],
        by: &ByModel,
    ) -> Result<(), EngineError> {
        let Counting {
            options,
            forecast,
            parts,
            ..
        } = self;
        rewriter::rewrite(
            material,
            places,
            by,
            options.live.judge,
            &mut |name, rewriter, prompts| {
                let model = rewriter.model();
                let sum = part(parts, format!("{name}, rewritten by {}", model.identity()));
                sum.trials += prompts.len() as u64;
                forecast.fetch(&rewriter.requests(prompts), model, sum)
            },
        )
    }

    fn count(
        &mut self,
        wanted: BTreeSet<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        let Counting {
            options,
            bench,
            forecast,
            jobs,
            parts,
        } = self;
        for (cell, keys) in cells(wanted) {
            let material = &materials[cell.0];
            if !jobs.contains_key(&cell) {
                jobs.insert(
                    cell.clone(),
                    job(options, &bench.judges, material, &cell.1)?,
                );
            }
            let job = &jobs[&cell];
            let trials = trials(&keys, material, job)?;
            let outcomes =
                forecast.judge_trials(job, &trials, bench.model.as_ref(), part(parts, cell.1))?;
            known.answers.extend(keys.into_iter().zip(outcomes));
        }
        Ok(())
    }
}

/// The estimate of this name.
fn part(parts: &mut Vec<(String, Estimate)>, name: String) -> &mut Estimate {
    let at = parts
        .iter()
        .position(|(known, _)| *known == name)
        .unwrap_or(parts.len());
    if at == parts.len() {
        parts.push((name, Estimate::default()));
    }
    &mut parts[at].1
}
