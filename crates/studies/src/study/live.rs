//! Asks the live judges: every cell over one store, so that nothing is asked twice.

use super::asks::{Ask, Packs, protocol};
use super::cell::{RandomCell, Spending, Verdicts};
use super::config::{Config, Input, setting};
use super::gather::{Gather, RandomReading, Reading, Watch, verdicts_of};
use super::input_data::{data_to_show, in_table, input_data};
use super::judge_prices::JudgePrice;
use super::methods::TogetherCost;
use super::random::{RandomPairs, RandomReader};
use crate::consistency::Machine;
use crate::judge::{self, JudgedPairs};
use evenhand_core::RequestKey;
use evenhand_engine::{
    Bench, Coverage, Design, EngineError, Job, JudgeOptions, JudgeSpec, Limits, NamedJudges,
    PriceTable, Progress, Session, SharedPlace, bench, check_new_run, check_repeats, marks_warning,
    open_runs,
};
use evenhand_formats::Dataset;
use evenhand_models::Model;
use evenhand_protocols::{Form, Judges, Protocol, Slots};
use evenhand_store::{Manifest, Store};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// How live judges are run.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Of embedded judges.
    pub judge: JudgeOptions,
    /// What the study may take.
    pub limits: Limits,
    /// Prices.
    pub prices: PriceTable,
    /// The machine that all judges run on, for time, energy and carbon; None where nobody asks for
    /// them.
    pub machine: Option<Machine>,
    /// Runs whose replies are copied where the same is asked.
    pub reuse: Vec<PathBuf>,
    /// The store of replies that a team shares.
    pub shared: Option<SharedPlace>,
    /// Once it is true, the study or audit ends soon; what came until then is kept.
    pub stop: Arc<AtomicBool>,
}

impl LiveOptions {
    /// Opens the store of calls in this directory, with the replies of other runs and of the team.
    /// A new run has this setting. Before it is made, `model` is checked where it is given.
    pub(crate) fn open_store(
        &self,
        dir: &Path,
        [what, says]: [&str; 2],
        model: Option<&dyn Model>,
    ) -> Result<Store, EngineError> {
        let mut manifest = Manifest::default();
        manifest.set(what, says);
        // A directory to reuse that is not one is refused before the own one is made.
        let others = open_runs(&self.reuse)?;
        let shared = self.shared.as_ref().map(SharedPlace::open).transpose()?;
        if let Some(model) = model {
            check_new_run(dir, model, shared.is_some() || !others.is_empty())?;
        }
        let mut store = Store::open_shared(dir, &manifest)?;
        store.set_reused_runs(others);
        if let Some(shared) = shared {
            store.set_shared_store(shared)?;
        }
        Ok(store)
    }
}

/// The live judges of a study, over one store.
pub(super) struct LiveJudges<'a> {
    config: &'a Config,
    packs: &'a Packs,
    options: &'a LiveOptions,
    judges: NamedJudges,
    store: Store,
    /// By name of the judge.
    prices: BTreeMap<String, JudgePrice>,
    /// By name of the judge its identity, and every call about pairs.
    asked: BTreeMap<String, (Arc<str>, HashSet<RequestKey>)>,
    /// The seconds of each call that was asked now.
    seconds: HashMap<RequestKey, f64>,
}

/// What one live cell came to.
pub(super) struct LiveCell {
    pub(super) systems: Vec<String>,
    pub(super) verdicts: Verdicts,
    pub(super) coverage: Coverage,
    pub(super) spent: Spending,
    pub(super) random: Option<RandomCell>,
}

/// What a live judge said of labelled pairs; and with random verdicts, where that was asked for.
pub(super) struct LivePairs {
    pub(super) judged: JudgedPairs,
    pub(super) spent: Spending,
    pub(super) random: Option<RandomPairs>,
}

/// A job and the model that answers it.
struct ReadyJob {
    job: Job,
    model: Box<dyn Model>,
}

impl<'a> LiveJudges<'a> {
    /// Opens the store of the study's calls, once everything that is cheap to check has been. Calls
    /// are found by their content: whatever the study is made of later, what was asked is there.
    pub(super) fn open(
        config: &'a Config,
        packs: &'a Packs,
        options: &'a LiveOptions,
    ) -> Result<Self, EngineError> {
        check_types_and_judges(config, packs)?;
        check_inputs(config, packs)?;
        let judges = config.named_judges()?;
        let dir = config.run.clone().unwrap_or_else(|| {
            let name = config.name.as_deref().unwrap_or("unnamed");
            PathBuf::from(format!("runs/study-{name}"))
        });
        Ok(LiveJudges {
            config,
            packs,
            options,
            judges,
            store: options.open_store(&dir, ["study", CALLS], None)?,
            prices: BTreeMap::new(),
            asked: BTreeMap::new(),
            seconds: HashMap::new(),
        })
    }

    /// Returns where the calls are kept.
    pub(super) fn dir(&self) -> &Path {
        self.store.dir()
    }

    /// Returns the prices of the judges that were asked.
    pub(super) fn into_prices(self) -> Vec<JudgePrice> {
        self.prices.into_values().collect()
    }

    fn note_price(&mut self, judge: &str, job: &Job) {
        if let Some(identity) = job.judges.panel.first() {
            let price = JudgePrice::look_up(judge, identity, &self.options.prices);
            self.prices.insert(judge.into(), price);
        }
    }

    /// Judges all pairs, or all responses, of an input set.
    pub(super) fn judge_cell(
        &mut self,
        ask: &Ask<'_>,
        watch: &mut dyn Watch,
    ) -> Result<LiveCell, EngineError> {
        let protocol = ask.protocol(&self.packs.own)?;
        let ready = self.ready_job(input_data(ask.set)?, ask.judge, |data, judges| {
            ranked_job(data, protocol, judges, self.config.seed)
        })?;
        self.note_price(ask.judge, &ready.job);
        // Only a form with strengths has weights of verdicts.
        let has_strength = matches!(ready.job.protocol.form(), Form::Pairwise5Point(_));
        let strength = self.config.strength.filter(|_| has_strength);
        let mut gather = Gather::new(watch, Reading::new(strength));
        gather.random = self.random_for(&ready.job, || Ok(Reading::new(strength)))?;
        let job = self.run(ready, &mut gather)?;
        let random = match gather.random {
            Some(random) => Some(RandomCell {
                verdicts: verdicts_of(&job, random.reading.collected)?,
                counts: random.reader.counts,
            }),
            None => None,
        };
        let collected = gather.reading.collected;
        let systems = job.dataset.systems.iter();
        Ok(LiveCell {
            systems: systems.map(ToString::to_string).collect(),
            coverage: collected.coverage.clone(),
            verdicts: verdicts_of(&job, collected)?,
            spent: self.spending_of(&gather.calls, job.judges.panel.first())?,
            random,
        })
    }

    /// Returns the tolerant reading of a job beside the strict one, where the study asks for it.
    fn random_for(
        &self,
        job: &Job,
        make: impl FnOnce() -> Result<Reading, EngineError>,
    ) -> Result<Option<RandomReading>, EngineError> {
        if !self.config.random_verdicts {
            return Ok(None);
        }
        Ok(Some(RandomReading {
            reader: RandomReader::new(job.protocol.form(), self.config.seed),
            reading: make()?,
        }))
    }

    /// Judges the labelled pairs of an input set, as often as it says.
    pub(super) fn judge_labelled(
        &mut self,
        ask: &Ask<'_>,
        watch: &mut dyn Watch,
    ) -> Result<LivePairs, EngineError> {
        let (protocol, seed) = (ask.protocol(&self.packs.own)?, self.config.seed);
        let repeats = self.config.repeats_of(ask.set);
        let data = data_to_show(ask.set, protocol.shown_fields())?;
        let ready = self.ready_job(data, ask.judge, |data, judges| {
            let job = judge::labelled_job(data, protocol, judges, seed)?.repeated(repeats);
            check_repeats(&job)?;
            Ok(job)
        })?;
        self.note_price(ask.judge, &ready.job);
        let mut gather = Gather::new(watch, Reading::of_pairs(&ready.job)?);
        gather.random = self.random_for(&ready.job, || Reading::of_pairs(&ready.job))?;
        let job = self.run(ready, &mut gather)?;
        let identity = job.judges.panel.first();
        let spent = self.spending_of(&gather.calls, identity)?;
        if let Some(identity) = identity {
            let asked = self.asked.entry(ask.judge.into());
            let (_, calls) = asked.or_insert_with(|| (identity.clone(), HashSet::new()));
            calls.extend(&gather.calls);
        }
        Ok(LivePairs {
            spent,
            judged: gather.reading.finish_games(ask),
            random: gather.random.map(|random| RandomPairs {
                counts: random.reader.counts,
                judged: random.reading.finish_games(ask),
            }),
        })
    }

    fn ready_job(
        &self,
        dataset: Dataset,
        judge: &str,
        make: impl FnOnce(Dataset, Judges) -> Result<Job, EngineError>,
    ) -> Result<ReadyJob, EngineError> {
        let spec = JudgeSpec::named(judge, &self.judges)?;
        let Bench { model, judges, .. } = bench_of_one(spec, &dataset, self.options.judge)?;
        let job = make(dataset, judges)?;
        self.options.limits.check(&job.judges)?;
        Ok(ReadyJob { job, model })
    }

    fn run(&mut self, ready: ReadyJob, gather: &mut Gather) -> Result<Job, EngineError> {
        let ReadyJob { job, mut model } = ready;
        let cell = format!("{} {}", job.judge(), job.protocol);
        gather.watch.begin(&cell, job.plan.len());
        if let Some(warning) = marks_warning(&job) {
            gather.watch.note(&warning);
        }
        let started = Instant::now();
        let done = Session::new(model.as_mut(), &mut self.store, gather)
            .with_limits(self.options.limits.clone())
            .with_stop(&self.options.stop)
            .run(&job);
        // The cell has ended for whoever watches, even where it failed.
        gather.watch.end();
        let progress = done?.progress;
        self.time_calls(&gather.calls, &progress, started.elapsed().as_secs_f64());
        Ok(job)
    }

    /// Shares the time of a cell among the calls that it asked; of those that an earlier run had
    /// answered, or that took several attempts, nothing is known. Without a machine nobody asks for
    /// times: no two runs share them, and a study is the same bytes each time.
    fn time_calls(&mut self, calls: &HashSet<RequestKey>, progress: &Progress, seconds: f64) {
        if self.options.machine.is_none() {
            return;
        }
        let new = calls
            .iter()
            .filter(|call| !self.seconds.contains_key(*call));
        let new: Vec<RequestKey> = new.cloned().collect();
        let others = progress.reused + progress.cut_short + progress.asked_again;
        if others == 0 && progress.calls == new.len() as u64 {
            let each = seconds / new.len().max(1) as f64;
            self.seconds
                .extend(new.into_iter().map(|call| (call, each)));
        }
    }

    /// Returns what all calls about pairs took, each counted once, by judge.
    pub(super) fn spent_together(&self) -> Result<Vec<TogetherCost>, EngineError> {
        let costs = self.asked.iter().map(|(judge, (identity, calls))| {
            Ok(TogetherCost {
                judge: judge.clone(),
                spent: self.spending_of(calls, Some(identity))?,
            })
        });
        costs.collect()
    }

    /// Returns what calls took; the judge of a cell is one.
    fn spending_of(
        &self,
        calls: &HashSet<RequestKey>,
        judge: Option<&Arc<str>>,
    ) -> Result<Spending, EngineError> {
        let usage = self.store.usage_of(calls.iter())?;
        let price = judge.and_then(|judge| self.options.prices.price(judge));
        // A server that counted no tokens has not said what the calls cost.
        let is_counted = usage.prompt_tokens > 0 || calls.is_empty();
        let price = price.filter(|_| is_counted);
        let seconds = calls.iter().map(|call| self.seconds.get(call).copied());
        // In order, so that the last bits do not depend on that of a set.
        let seconds: Option<Vec<f64>> = seconds.collect();
        let seconds = seconds.map(|mut each| {
            each.sort_unstable_by(f64::total_cmp);
            each.into_iter().sum::<f64>()
        });
        let powered = self.options.machine.zip(seconds);
        let kwh = powered.map(|(on, seconds)| on.kwh(seconds));
        Ok(Spending {
            calls: calls.len() as u64,
            usage,
            usd: price.map(|price| price.cost(&usage, false)),
            seconds,
            kwh,
            grams_co2: self
                .options
                .machine
                .zip(kwh)
                .map(|(on, kwh)| on.grams_co2(kwh)),
        })
    }
}

/// Checks evaluation types, of the study and of its input sets, and the files of judges, before
/// anything is asked.
fn check_types_and_judges(config: &Config, packs: &Packs) -> Result<(), EngineError> {
    let sets = config.inputs.values().chain(config.labelled.values());
    let sets = sets.chain(config.unlabelled.values());
    let own = sets.flat_map(|input| &input.types).flatten();
    for kind in config.types.iter().chain(own) {
        protocol(kind, &packs.own)?;
    }
    for (name, spec) in config.judge_specs()? {
        if let JudgeSpec::Gguf(path) | JudgeSpec::Recorded(path) = &spec
            && let Err(error) = path.metadata()
        {
            let shown = path.display();
            let why = format!("judges.{name}: {shown}: cannot be read: {error}");
            return Err(setting(why));
        }
    }
    Ok(())
}

const CALLS: &str = "calls of several benchers; judgments follow from them";

/// Makes every job once, with a judge that is not asked: an error of the last input set comes
/// before the first call.
fn check_inputs(config: &Config, packs: &Packs) -> Result<(), EngineError> {
    let check = |input: &Input, make: MakeJob| -> Result<(), EngineError> {
        for kind in config.types_of(input) {
            let data = input_data(input)?;
            let stand_in = JudgeSpec::parse("simulated")?;
            let bench = bench_of_one(stand_in, &data, JudgeOptions::default())?;
            make(data, protocol(kind, &packs.own)?, bench.judges, config.seed)?;
        }
        Ok(())
    };
    for (name, input) in &config.inputs {
        let checked = check(input, ranked_job);
        checked.map_err(|error| in_table(&format!("[inputs.{name}]"), error))?;
    }
    for (name, input) in config.live_labelled() {
        let checked = check(input, labelled_job);
        checked.map_err(|error| in_table(&format!("[labelled.{name}]"), error))?;
    }
    for (name, input) in &config.unlabelled {
        let checked = check(input, labelled_job);
        checked.map_err(|error| in_table(&format!("[unlabelled.{name}]"), error))?;
    }
    Ok(())
}

/// Makes a job of data and an evaluation type.
type MakeJob = fn(Dataset, Protocol, Judges, u64) -> Result<Job, EngineError>;

fn bench_of_one(
    spec: JudgeSpec,
    dataset: &Dataset,
    options: JudgeOptions,
) -> Result<Bench, EngineError> {
    bench(&[spec], None, None, &dataset.systems, options)
}

/// Makes a job that judges all pairs, or all responses, by this evaluation type.
fn ranked_job(
    dataset: Dataset,
    protocol: Protocol,
    judges: Judges,
    seed: u64,
) -> Result<Job, EngineError> {
    Job::new(dataset, protocol, Design::AllPairs, judges, seed)
}

/// Makes a job that judges the labelled pairs by this evaluation type.
fn labelled_job(
    dataset: Dataset,
    protocol: Protocol,
    judges: Judges,
    seed: u64,
) -> Result<Job, EngineError> {
    if protocol.form().slots() == Slots::Many(None) {
        return Err(setting(format!(
            "types: {protocol}: a list of responses is not a labelled pair; use listwise:2"
        )));
    }
    judge::labelled_job(dataset, protocol, judges, seed)
}
