//! Asking what the probes want to know: one job for each material and protocol, all over one store.

use super::advice::Costs;
use super::asks::{Answers, Key, Known, Readings};
use super::jobs::{Cell, Jobs, bench_of, cells, judge_name, run_dir, trials};
use super::material::Material;
use super::rewriter::Replies;
use super::{Answering, AuditOptions, AuditUsage};
use crate::study::Watch;
use evenhand_core::{CallResult, Item, Judgment, RequestKey, Response, Trial};
use evenhand_engine::{
    Bench, EngineError, Fetched, Job, Limits, Progress, Rewriter, Session, Sink, Tally, ToRewrite,
    Unwatched, marks_warning, open_runs, spent,
};
use evenhand_models::Model;
use evenhand_protocols::Judges;
use evenhand_store::{Manifest, Store};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// The looks of a protocol.
#[derive(Default)]
struct Looks {
    /// The calls that they rest on.
    calls: HashSet<RequestKey>,
    /// How many there were.
    count: u64,
}

/// Looks of one call each: what its reply says can be read in two ways.
type SingleCalls = Vec<(Key, RequestKey)>;

/// Who is asked, and where it is kept.
pub(super) struct Asking<'a> {
    options: &'a AuditOptions,
    model: Box<dyn Model>,
    judges: Judges,
    store: Store,
    jobs: Jobs<'a>,
    /// By protocol.
    looks: BTreeMap<String, Looks>,
    /// The calls that rewrote responses.
    written: HashSet<RequestKey>,
    tally: Tally,
    /// A warning of marks of chat templates in the data.
    pub(super) marks: Option<String>,
    watch: &'a mut dyn Watch,
}

impl<'a> Asking<'a> {
    pub(super) fn open(
        options: &'a AuditOptions,
        materials: &[Material],
        watch: &'a mut dyn Watch,
    ) -> Result<Self, EngineError> {
        let Bench { model, judges, .. } = bench_of(options, materials)?;
        // Before the run directory is made: a refused audit leaves none.
        options.live.limits.check(&judges)?;
        let store = open_store(options, &run_dir(options, &judges))?;
        Ok(Asking {
            options,
            model,
            judges,
            store,
            jobs: Jobs::new(options),
            looks: BTreeMap::new(),
            written: HashSet::new(),
            tally: Tally::default(),
            marks: None,
            watch,
        })
    }

    /// Counts the calls that rewrote responses, and returns what came of them.
    fn keep_written(&mut self, fetched: Vec<Fetched>) -> Vec<CallResult> {
        self.written
            .extend(fetched.iter().map(|fetched| fetched.key));
        fetched.into_iter().map(|fetched| fetched.result).collect()
    }

    pub(super) fn judge(&self) -> String {
        judge_name(&self.judges)
    }

    fn ask_cell(
        &mut self,
        cell: Cell,
        keys: Vec<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        let job = self.jobs.of_cell(&cell, materials, &self.judges)?;
        let trials = trials(&keys, materials, &job)?;
        self.watch.begin(&cell.1, trials.len() as u64);
        self.note_marks(&job);
        let (done, single) = self.judge_trials(&job, (keys, trials), cell.1, &mut known.answers);
        self.watch.end();
        done?;
        self.add_readings(&job, single, &mut known.readings)
    }

    /// Warns of marks of chat templates, once in an audit.
    fn note_marks(&mut self, job: &Job) {
        if self.marks.is_none() {
            self.marks = marks_warning(job);
            if let Some(warning) = &self.marks {
                self.watch.note(warning);
            }
        }
    }

    /// Judges the trials of these keys. Answers that came before an error are kept.
    fn judge_trials(
        &mut self,
        job: &Job,
        (keys, trials): (Vec<Key>, Vec<Trial>),
        protocol: String,
        answers: &mut Answers,
    ) -> (Result<(), EngineError>, SingleCalls) {
        let limits = self.limits();
        let looks = self.looks.entry(protocol).or_default();
        looks.count += trials.len() as u64;
        let mut gather = Gather {
            keys: keys.into_iter(),
            answers,
            single: Vec::new(),
            calls: &mut looks.calls,
            tally: &mut self.tally,
            watch: &mut *self.watch,
        };
        let finished = Session::new(self.model.as_mut(), &mut self.store, &mut gather)
            .with_limits(limits)
            .with_stop(&self.options.live.stop)
            .run_trials(job, trials);
        (finished.map(|_| ()), gather.single)
    }

    /// Reads replies that have probabilities and a text in both ways.
    fn add_readings(
        &self,
        job: &Job,
        single: SingleCalls,
        readings: &mut Readings,
    ) -> Result<(), EngineError> {
        for (key, call) in single {
            let Some(Ok(reply)) = self.store.result(&call)? else {
                continue;
            };
            if let Some(two) = job.protocol.two_readings(key.systems.len(), &reply) {
                readings.insert(key, two);
            }
        }
        Ok(())
    }

    /// Returns the user's limits; a judge that has come to verdicts is asked on where a probe
    /// brings it to none.
    fn limits(&self) -> Limits {
        let limits = &self.options.live.limits;
        let has_judged = self.tally.coverage().verdicts > 0;
        Limits {
            keep_going: limits.keep_going || has_judged,
            ..limits.clone()
        }
    }

    /// Returns the calls and tokens of a look by protocol.
    pub(super) fn costs(&self) -> Result<Costs, EngineError> {
        self.looks
            .iter()
            .map(|(protocol, looks)| Ok((protocol.clone(), self.cost_of(looks)?)))
            .collect()
    }

    /// Returns the calls and tokens of one of these looks, on average.
    fn cost_of(&self, looks: &Looks) -> Result<[f64; 2], EngineError> {
        let usage = self.store.usage_of(looks.calls.iter())?;
        let tokens = usage.prompt_tokens + usage.completion_tokens;
        let sums = [looks.calls.len() as f64, tokens as f64];
        Ok(sums.map(|sum| sum / looks.count.max(1) as f64))
    }

    /// Returns what came to a verdict.
    pub(super) fn tally(&self) -> Tally {
        self.tally.clone()
    }

    /// Returns where the calls are kept.
    pub(super) fn dir(&self) -> PathBuf {
        self.store.dir().to_path_buf()
    }

    /// Returns what the judge's calls took. A call that several protocols rest on counts once.
    pub(super) fn usage(&self) -> Result<AuditUsage, EngineError> {
        let calls = self.looks.values().flat_map(|looks| &looks.calls);
        self.usage_of(&calls.copied().collect())
    }

    /// Returns what the rewriter's calls took.
    pub(super) fn rewriting(&self) -> Result<AuditUsage, EngineError> {
        self.usage_of(&self.written)
    }

    fn usage_of(&self, calls: &HashSet<RequestKey>) -> Result<AuditUsage, EngineError> {
        let totals = self.store.totals_of(calls.iter())?;
        let usages = || totals.iter().map(|judge| &judge.usage);
        Ok(AuditUsage {
            calls: calls.len() as u64,
            prompt_tokens: usages().map(|usage| usage.prompt_tokens).sum(),
            completion_tokens: usages().map(|usage| usage.completion_tokens).sum(),
            cost_usd: spent(&totals, &self.options.live.prices).usd,
        })
    }
}

impl Answering for Asking<'_> {
    /// Asks the rewriter, within the limits of the user.
    fn write(
        &mut self,
        name: &str,
        rewriter: &mut Rewriter,
        prompts: Vec<ToRewrite<'_>>,
    ) -> Replies {
        let requests = rewriter.requests(prompts);
        let model = rewriter.model_mut();
        let limits = &self.options.live.limits;
        limits.check(&Judges::one(model.identity()))?;
        let title = format!("{} rewrites: {name}", model.identity());
        self.watch.begin(&title, requests.len() as u64);
        // The store counts the calls of judge and rewriter together, and so does the limit.
        let fetched = Session::new(model, &mut self.store, &mut Unwatched)
            .with_limits(limits.clone())
            .with_stop(&self.options.live.stop)
            .fetch(requests);
        self.watch.end();
        Ok(self.keep_written(fetched?))
    }

    fn ask(
        &mut self,
        looks: BTreeSet<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        for (cell, keys) in cells(looks) {
            self.ask_cell(cell, keys, materials, known)?;
        }
        Ok(())
    }
}

/// Opens the run directory, with the runs whose replies are reused.
fn open_store(options: &AuditOptions, dir: &Path) -> Result<Store, EngineError> {
    let mut manifest = Manifest::default();
    manifest.set("audit", "calls of an audit; findings follow from them");
    let others = open_runs(&options.live.reuse)?;
    let mut store = Store::open_shared(dir, &manifest)?;
    store.set_reused_runs(others);
    Ok(store)
}

/// Judgments come in the order of the keys.
struct Gather<'a> {
    keys: std::vec::IntoIter<Key>,
    answers: &'a mut Answers,
    single: SingleCalls,
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
