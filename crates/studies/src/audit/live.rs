//! Asking what the probes want to know: one job for each material and protocol, all over one store.

use super::advice::Costs;
use super::asks::{Key, Known};
use super::jobs::{Jobs, bench_of, cells, run_dir, trials};
use super::material::Material;
use super::rewriter::Replies;
use super::{Answering, AuditMember, AuditOptions, AuditUsage};
use crate::study::{Watch, Watched};
use evenhand_core::{RequestKey, Stage};
use evenhand_engine::{
    Bench, Coverage, EngineError, Limits, Rewriter, Session, Tally, ToRewrite, Unwatched,
    marks_warning, spent,
};
use evenhand_models::Model;
use evenhand_protocols::Judges;
use evenhand_store::Store;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

/// The looks of a protocol.
#[derive(Default)]
struct Looks {
    /// The calls that they rest on.
    calls: HashSet<RequestKey>,
    /// How many there were.
    count: u64,
}

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
    /// What came to a verdict.
    pub(super) tally: Tally,
    /// What did by each member of a panel.
    members: Vec<Coverage>,
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
        let dir = run_dir(options, &judges);
        let setting = ["audit", "calls of an audit; findings follow from them"];
        let live = &options.live;
        let mut store = live.open_store(&dir, setting, Some(model.as_ref()))?;
        if let Some(label) = &options.label {
            store.set_label(label)?;
        }
        Ok(Asking {
            options,
            model,
            judges,
            store,
            jobs: Jobs::new(options),
            looks: BTreeMap::new(),
            written: HashSet::new(),
            tally: Tally::default(),
            members: Vec::new(),
            marks: None,
            watch,
        })
    }

    /// Returns the judge's name, or those of all members of a panel.
    pub(super) fn judge(&self) -> String {
        self.judges.panel.join(" + ")
    }

    /// Returns the members of a panel, and what came of asking each; none where one judge is asked.
    pub(super) fn members(&self) -> Vec<AuditMember> {
        let members = self.judges.panel.iter().zip(&self.members);
        let members = members.map(|(judge, coverage)| AuditMember {
            judge: judge.to_string(),
            coverage: coverage.clone(),
        });
        members.collect()
    }

    /// Returns the tokens of a look by protocol, on average.
    pub(super) fn costs(&self) -> Result<Costs, EngineError> {
        let mut costs = Costs::new();
        for (protocol, looks) in &self.looks {
            let usage = self.store.usage_of(looks.calls.iter())?;
            let tokens = usage.prompt_tokens + usage.completion_tokens;
            costs.insert(protocol.clone(), tokens as f64 / looks.count.max(1) as f64);
        }
        Ok(costs)
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
        let mut results = Vec::new();
        for fetched in fetched? {
            self.written.insert(fetched.key);
            results.push(fetched.result);
        }
        Ok(results)
    }

    fn ask(
        &mut self,
        looks: BTreeSet<Key>,
        materials: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        for (cell, keys) in cells(looks) {
            let job = self.jobs.of_cell(&cell, materials, &self.judges)?;
            let trials = trials(&keys, materials, job)?;
            self.watch.begin(&cell.1, trials.len() as u64);
            // Marks of chat templates are warned of once in an audit.
            if self.marks.is_none() {
                self.marks = marks_warning(job);
                if let Some(warning) = &self.marks {
                    self.watch.note(warning);
                }
            }
            let limits = &self.options.live.limits;
            let limits = Limits {
                // A judge that has come to verdicts is asked on where a probe brings it to none.
                keep_going: limits.keep_going || self.tally.coverage().verdicts > 0,
                ..limits.clone()
            };
            let looks = self.looks.entry(cell.1).or_default();
            looks.count += trials.len() as u64;
            // Judgments come in the order of the keys.
            let mut keys = keys.into_iter();
            // Looks of one call each: what its reply says can be read in two ways.
            let mut single: Vec<(Key, RequestKey)> = Vec::new();
            let mut sink = Watched::new(&mut *self.watch, |judgment, item, responses| {
                self.tally.add(&judgment, item, responses);
                let looks_of_members = judgment.looks.iter();
                for look in looks_of_members.filter(|look| look.stage == Stage::Member) {
                    let member = look.judge as usize;
                    let least = self.members.len().max(member + 1);
                    self.members.resize_with(least, Coverage::default);
                    let failure = look.outcome.as_ref().err();
                    self.members[member].add(failure.map(|failure| failure.kind.name()));
                }
                looks.calls.extend(judgment.calls.iter().copied());
                if let Some(key) = keys.next() {
                    if let ([call], Ok(_)) = (&judgment.calls[..], &judgment.outcome) {
                        single.push((key.clone(), *call));
                    }
                    known.answers.insert(key, judgment.outcome);
                }
            });
            let finished = Session::new(self.model.as_mut(), &mut self.store, &mut sink)
                .with_limits(limits)
                .with_stop(&self.options.live.stop)
                .run_trials(job, trials);
            self.watch.end();
            finished?;

            // Replies that have probabilities and a text are read in both ways.
            for (key, call) in single {
                if let Some(Ok(reply)) = self.store.result(&call)?
                    && let Some(two) = job.protocol.two_readings(key.systems.len(), &reply)
                {
                    known.readings.insert(key, two);
                }
            }
        }
        Ok(())
    }
}
