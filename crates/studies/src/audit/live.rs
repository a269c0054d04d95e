//! Asking what the probes want to know: one job for each material and protocol, all over one store.

use super::asks::{Answers, Key, Known};
use super::material::{Material, Spot};
use super::rewriter::{self, ByModel};
use super::severity::SYSTEMS;
use super::what::protocol as protocol_of;
use super::{AuditOptions, AuditUsage};
use crate::study::Watch;
use evenhand_core::{Item, Judgment, RequestKey, Response, Trial};
use evenhand_engine::{
    Bench, Design, EngineError, Job, Limits, Progress, Session, Sink, Tally, Unwatched, bench,
    marks_warning, open_runs, spent,
};
use evenhand_models::Model;
use evenhand_protocols::Judges;
use evenhand_store::{Manifest, Store};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who is asked, and where it is kept.
pub(super) struct Asking<'a> {
    options: &'a AuditOptions,
    model: Box<dyn Model>,
    judges: Judges,
    store: Store,
    jobs: BTreeMap<Cell, Job>,
    /// By protocol, the calls that its looks rest on, and how many looks there were.
    calls: BTreeMap<String, (HashSet<RequestKey>, u64)>,
    /// The calls that rewrote responses.
    written: HashSet<RequestKey>,
    tally: Tally,
    /// What is to be known of marks of chat templates in the data.
    pub(super) marks: Option<String>,
    watch: &'a mut dyn Watch,
}

impl<'a> Asking<'a> {
    pub(super) fn open(
        options: &'a AuditOptions,
        materials: &[Material],
        watch: &'a mut dyn Watch,
    ) -> Result<Self, EngineError> {
        let Bench { model, judges } = bench_of(options, materials)?;
        options.live.limits.check(&judges)?;
        let dir = run_dir(options, &judges);
        let mut manifest = Manifest::default();
        manifest.set("audit", "calls of an audit; findings follow from them");
        let others = open_runs(&options.live.reuse)?;
        let mut store = Store::open_shared(&dir, &manifest)?;
        store.set_reused_runs(others);
        let (jobs, calls, tally) = (BTreeMap::new(), BTreeMap::new(), Tally::default());
        Ok(Asking {
            options,
            model,
            judges,
            store,
            jobs,
            calls,
            written: HashSet::new(),
            tally,
            marks: None,
            watch,
        })
    }

    /// Has a model rewrite responses of a material.
    pub(super) fn rewrite(
        &mut self,
        material: &mut Material,
        places: &[Spot],
        by: &ByModel,
    ) -> Result<(), EngineError> {
        let Asking {
            options,
            store,
            written,
            watch,
            ..
        } = self;
        rewriter::rewrite(
            material,
            places,
            by,
            options.live.judge,
            &mut |name, rewriter, prompts| {
                let requests = rewriter.requests(prompts);
                let model = rewriter.model_mut();
                watch.begin(
                    &format!("{} rewrites: {name}", model.identity()),
                    requests.len() as u64,
                );
                let fetched = Session::new(model, store, &mut Unwatched)
                    .with_stop(&options.live.stop)
                    .fetch(requests);
                watch.end();
                let fetched = fetched?;
                written.extend(fetched.iter().map(|fetched| fetched.key));
                Ok(fetched.into_iter().map(|fetched| fetched.result).collect())
            },
        )
    }

    pub(super) fn judge(&self) -> String {
        self.judges.panel.join(" + ")
    }

    /// Asks all of it.
    pub(super) fn ask(
        &mut self,
        wanted: BTreeSet<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        for (cell, keys) in cells(wanted) {
            self.ask_cell(cell, keys, materials, known)?;
        }
        Ok(())
    }

    fn ask_cell(
        &mut self,
        cell: Cell,
        keys: Vec<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        let material = &materials[cell.0];
        if !self.jobs.contains_key(&cell) {
            self.jobs.insert(
                cell.clone(),
                job(self.options, &self.judges, material, &cell.1)?,
            );
        }
        let job = &self.jobs[&cell];
        let trials = trials(&keys, material, job)?;
        self.watch.begin(&cell.1, trials.len() as u64);
        if self.marks.is_none() {
            self.marks = marks_warning(job);
            if let Some(warning) = &self.marks {
                self.watch.note(warning);
            }
        }
        let limits = self.limits();
        let (calls, looks) = self.calls.entry(cell.1).or_default();
        *looks += trials.len() as u64;
        let mut gather = Gather {
            keys: keys.into_iter(),
            answers: &mut known.answers,
            single: Vec::new(),
            calls,
            tally: &mut self.tally,
            watch: &mut *self.watch,
        };
        let done = Session::new(self.model.as_mut(), &mut self.store, &mut gather)
            .with_limits(limits)
            .with_stop(&self.options.live.stop)
            .run_trials(job, trials);
        gather.watch.end();
        let single = gather.single;
        done?;
        for (key, call) in single {
            let Some(Ok(reply)) = self.store.result(&call)? else {
                continue;
            };
            if let Some(two) = job.protocol.two_readings(key.systems.len(), &reply) {
                known.readings.insert(key, two);
            }
        }
        Ok(())
    }

    /// The user's limits; a judge that has come to verdicts is asked on where a probe brings it to
    /// none.
    fn limits(&self) -> Limits {
        let limits = &self.options.live.limits;
        let judges = self.tally.coverage().verdicts > 0;
        Limits {
            keep_going: limits.keep_going || judges,
            ..limits.clone()
        }
    }

    /// By protocol, the calls and tokens of a look.
    pub(super) fn costs(&self) -> Result<HashMap<String, [f64; 2]>, EngineError> {
        let of = |(protocol, (calls, looks)): (&String, &(HashSet<RequestKey>, u64))| {
            let usage = self.store.usage_of(calls.iter())?;
            let tokens = (usage.prompt_tokens + usage.completion_tokens) as f64;
            Ok((
                protocol.clone(),
                [calls.len() as f64, tokens].map(|sum| sum / (*looks).max(1) as f64),
            ))
        };
        self.calls.iter().map(of).collect()
    }

    /// What came to a verdict.
    pub(super) fn tally(&self) -> Tally {
        self.tally.clone()
    }

    /// Where the calls are kept.
    pub(super) fn dir(&self) -> PathBuf {
        self.store.dir().to_path_buf()
    }

    pub(super) fn usage(&self) -> Result<AuditUsage, EngineError> {
        self.usage_of(
            &self
                .calls
                .values()
                .flat_map(|(calls, _)| calls.iter().copied())
                .collect(),
        )
    }

    /// What the rewriter's calls took.
    pub(super) fn rewriting(&self) -> Result<AuditUsage, EngineError> {
        self.usage_of(&self.written)
    }

    fn usage_of(&self, calls: &HashSet<RequestKey>) -> Result<AuditUsage, EngineError> {
        let totals = self.store.totals_of(calls.iter())?;
        Ok(AuditUsage {
            calls: calls.len() as u64,
            prompt_tokens: totals.iter().map(|judge| judge.usage.prompt_tokens).sum(),
            completion_tokens: totals
                .iter()
                .map(|judge| judge.usage.completion_tokens)
                .sum(),
            cost_usd: spent(&totals, &self.options.live.prices).usd,
        })
    }
}

/// A number of the materials, and a protocol.
pub(super) type Cell = (usize, String);

/// What is asked in one job each.
pub(super) fn cells(wanted: BTreeSet<Key>) -> BTreeMap<Cell, Vec<Key>> {
    let mut cells: BTreeMap<Cell, Vec<Key>> = BTreeMap::new();
    wanted.into_iter().for_each(|key| {
        cells
            .entry((key.material, key.protocol.clone()))
            .or_default()
            .push(key)
    });
    cells
}

/// The job of a cell.
pub(super) fn job(
    options: &AuditOptions,
    judges: &Judges,
    material: &Material,
    protocol: &str,
) -> Result<Job, EngineError> {
    let protocol = protocol_of(protocol, options)?;
    Job::new(
        material.dataset()?,
        protocol,
        Design::AllPairs,
        judges.clone(),
        options.seed,
    )
}

/// Everybody who takes part.
pub(super) fn bench_of(
    options: &AuditOptions,
    materials: &[Material],
) -> Result<Bench, EngineError> {
    let AuditOptions {
        judges,
        second_stage,
        embedder,
        live,
        ..
    } = options;
    bench(
        judges,
        second_stage.as_ref(),
        embedder.as_ref(),
        &known(materials),
        live.judge,
    )
}

/// Where the calls are kept.
pub(super) fn run_dir(options: &AuditOptions, judges: &Judges) -> PathBuf {
    options.run.clone().unwrap_or_else(|| usual(judges))
}

/// The systems that a simulated judge tells apart, best first; rewritten responses are as good as
/// the others of their system.
pub(super) fn known(materials: &[Material]) -> Vec<Arc<str>> {
    let base = materials
        .first()
        .into_iter()
        .flat_map(|material| material.systems.iter().take(material.base as usize));
    let tweaked = SYSTEMS.iter().filter(|_| materials.len() > 1).copied();
    base.map(String::as_str)
        .chain(tweaked)
        .map(Arc::from)
        .collect()
}

fn usual(judges: &Judges) -> PathBuf {
    let digest = blake3_of(&judges.panel.join("\n"));
    Path::new("runs").join(format!("audit-{digest}"))
}

fn blake3_of(text: &str) -> String {
    blake3::hash(text.as_bytes())
        .to_hex()
        .chars()
        .take(10)
        .collect()
}

/// The trials of the keys: the material's systems by their names, since a data set knows only those
/// with a response.
pub(super) fn trials(
    keys: &[Key],
    material: &Material,
    job: &Job,
) -> Result<Vec<Trial>, EngineError> {
    let place = |system: &u32| {
        let name = material
            .systems
            .get(*system as usize)
            .and_then(|name| job.dataset.system_index(name));
        name.map(|at| at as u32)
            .ok_or(EngineError::Stuck { trials: 1 })
    };
    let trial = |key: &Key| -> Result<Trial, EngineError> {
        let systems = key
            .systems
            .iter()
            .map(place)
            .collect::<Result<Vec<u32>, _>>()?;
        Ok(Trial {
            index: 0,
            item: key.item,
            systems,
            replicate: key.replicate,
        })
    };
    keys.iter().map(trial).collect()
}

/// Judgments come in the order of the keys.
struct Gather<'a> {
    keys: std::vec::IntoIter<Key>,
    answers: &'a mut Answers,
    /// Looks of one call each: what it says can be read in two ways.
    single: Vec<(Key, RequestKey)>,
    calls: &'a mut HashSet<RequestKey>,
    tally: &'a mut Tally,
    watch: &'a mut dyn Watch,
}

impl Sink for Gather<'_> {
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]) {
        self.tally.add(&judgment, item, responses);
        self.calls.extend(judgment.calls.iter().copied());
        if let Some(key) = self.keys.next() {
            if let ([call], Ok(_)) = (&judgment.calls[..], &judgment.outcome) {
                self.single.push((key.clone(), *call));
            }
            self.answers.insert(key, judgment.outcome);
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.watch.progress(progress);
    }

    fn note(&mut self, note: &str) {
        self.watch.note(note);
    }
}
