//! Asks the live judges: every cell over one store, so that nothing is asked twice.

use super::cell::{Spending, Verdicts};
use super::config::{Config, Input, setting, spellings};
use crate::judge::{self, JudgedPairs, LiveGames};
use evenhand_core::{Item, Judgment, RequestKey, Response, Setting};
use evenhand_engine::{
    Bench, Collected, Coverage, DataOptions, Design, EngineError, Job, JudgeOptions, JudgeSpec,
    Limits, NamedJudges, Price, PriceTable, Progress, Session, Sink, StepWeights, bench, load,
    marks_warning, open_runs,
};
use evenhand_formats::records::{Filter, Format, Mapping, TurnChoice};
use evenhand_formats::{Dataset, Selection};
use evenhand_models::Model;
use evenhand_protocols::{Form, Judges, Protocol, ProtocolOptions, Slots};
use evenhand_stats::{Comparisons, ItemScores};
use evenhand_store::{Manifest, Store};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Is told how a study goes on.
pub trait Watch {
    /// A cell begins, with so many trials.
    fn begin(&mut self, cell: &str, trials: u64);
    /// It goes on.
    fn progress(&mut self, progress: Progress);
    /// What the user must know.
    fn note(&mut self, note: &str);
    /// The cell is done.
    fn end(&mut self);
}

/// How live judges are run.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Of embedded judges.
    pub judge: JudgeOptions,
    /// What the study may take.
    pub limits: Limits,
    /// Prices.
    pub prices: PriceTable,
    /// Runs whose replies are copied where the same is asked.
    pub reuse: Vec<PathBuf>,
    /// Once it is true, the study or audit ends soon; what came until then is kept.
    pub stop: Arc<AtomicBool>,
}

/// The live judges of a study, over one store.
pub(super) struct LiveJudges<'a> {
    config: &'a Config,
    options: &'a LiveOptions,
    judges: NamedJudges,
    store: Store,
}

/// What one live cell came to.
pub(super) struct LiveCell {
    pub(super) systems: Vec<String>,
    pub(super) verdicts: Verdicts,
    pub(super) coverage: Coverage,
    pub(super) spent: Spending,
}

/// A job and the model that answers it.
struct ReadyJob {
    job: Job,
    model: Box<dyn Model>,
}

impl<'a> LiveJudges<'a> {
    /// Opens the store of the study's calls, once everything that is cheap to check has been.
    pub(super) fn open(config: &'a Config, options: &'a LiveOptions) -> Result<Self, EngineError> {
        let judges = config.named_judges()?;
        check_types_and_judges(config, &judges)?;
        check_inputs(config)?;
        Ok(LiveJudges {
            config,
            options,
            judges,
            store: open_store(config, &options.reuse)?,
        })
    }

    /// Returns where the calls are kept.
    pub(super) fn dir(&self) -> &Path {
        self.store.dir()
    }

    /// Judges all pairs, or all responses, of an input set.
    pub(super) fn judge_cell(
        &mut self,
        input: &Input,
        judge: &str,
        kind: &str,
        watch: &mut dyn Watch,
    ) -> Result<LiveCell, EngineError> {
        let protocol = protocol(kind)?;
        let ready = self.ready_job(input_data(input)?, judge, |data, judges| {
            Job::new(data, protocol, Design::AllPairs, judges, self.config.seed)
        })?;
        let mut gather = Gather::new(watch, None);
        gather.collected.strength = self.strength_for(&ready.job);
        let job = self.run(ready, &mut gather)?;
        let (collected, calls) = (gather.collected, gather.calls);
        self.live_cell(&job, collected, &calls)
    }

    /// Returns the weights of verdicts, which only a form with strengths has.
    fn strength_for(&self, job: &Job) -> Option<StepWeights> {
        let has_strength = job.protocol.form() == Form::Pairwise5Point;
        self.config.strength.filter(|_| has_strength)
    }

    fn live_cell(
        &self,
        job: &Job,
        collected: Collected,
        calls: &HashSet<RequestKey>,
    ) -> Result<LiveCell, EngineError> {
        let names = job.dataset.systems.iter();
        Ok(LiveCell {
            systems: names.map(ToString::to_string).collect(),
            coverage: collected.coverage.clone(),
            verdicts: verdicts_of(job, collected)?,
            spent: self.spending_of(calls, job)?,
        })
    }

    /// Judges the labelled pairs of an input set.
    pub(super) fn judge_labelled(
        &mut self,
        dataset: Dataset,
        judge: &str,
        kind: &str,
        watch: &mut dyn Watch,
    ) -> Result<JudgedPairs, EngineError> {
        let (protocol, seed) = (protocol(kind)?, self.config.seed);
        let ready = self.ready_job(dataset, judge, |data, judges| {
            labelled_job(data, kind, protocol, judges, seed)
        })?;
        let games = LiveGames::new(&ready.job)?;
        let mut gather = Gather::new(watch, Some(games));
        self.run(ready, &mut gather)?;
        let judged = gather.games.map(LiveGames::finish).unwrap_or_default();
        Ok(JudgedPairs {
            judge: judge.to_string(),
            protocol: kind.to_string(),
            ..judged
        })
    }

    fn ready_job(
        &self,
        dataset: Dataset,
        judge: &str,
        make: impl FnOnce(Dataset, Judges) -> Result<Job, EngineError>,
    ) -> Result<ReadyJob, EngineError> {
        let spec = JudgeSpec::named(judge, &self.judges)?;
        let options = self.options.judge;
        let Bench { model, judges } = bench(&[spec], None, None, &dataset.systems, options)?;
        let job = make(dataset, judges)?;
        self.options.limits.check(&job.judges)?;
        Ok(ReadyJob { job, model })
    }

    fn price_of(&self, job: &Job) -> Option<&Price> {
        let judge = job.judges.panel.first()?;
        self.options.prices.price(judge)
    }

    fn run(&mut self, ready: ReadyJob, gather: &mut Gather) -> Result<Job, EngineError> {
        let ReadyJob { job, mut model } = ready;
        gather.begin(&job);
        let done = Session::new(model.as_mut(), &mut self.store, gather)
            .with_limits(self.options.limits.clone())
            .with_stop(&self.options.stop)
            .run(&job);
        // The cell has ended for whoever watches, even where it failed.
        gather.watch.end();
        done.map(|_| job)
    }

    /// Returns what a cell's calls took; the judge of a cell is one.
    fn spending_of(&self, calls: &HashSet<RequestKey>, job: &Job) -> Result<Spending, EngineError> {
        let usage = self.store.usage_of(calls.iter())?;
        // A server that counted no tokens has not said what the calls cost.
        let is_counted = usage.prompt_tokens > 0 || calls.is_empty();
        let price = self.price_of(job).filter(|_| is_counted);
        Ok(Spending {
            calls: calls.len() as u64,
            usage,
            usd: price.map(|price| price.cost(&usage, false)),
        })
    }
}

/// Returns where the calls of a study are kept.
fn run_dir(config: &Config) -> PathBuf {
    let name = config.name.as_deref().unwrap_or("unnamed");
    config
        .run
        .clone()
        .unwrap_or_else(|| Path::new("runs").join(format!("study-{name}")))
}

/// Checks evaluation types and the files of judges, before anything is asked.
fn check_types_and_judges(config: &Config, judges: &NamedJudges) -> Result<(), EngineError> {
    for kind in all_types(config) {
        protocol(kind)?;
    }
    for judge in config.judges.keys() {
        check_file(judge, &JudgeSpec::named(judge, judges)?)?;
    }
    Ok(())
}

/// Returns the evaluation types of the study and of its input sets.
fn all_types(config: &Config) -> impl Iterator<Item = &String> {
    let inputs = config.inputs.values().chain(config.labelled.values());
    let own = inputs.flat_map(|input| input.types.iter().flatten());
    config.types.iter().chain(own)
}

/// Opens the store of the study's calls. Calls are found by their content: whatever the study is
/// made of later, what was asked is there.
fn open_store(config: &Config, reuse: &[PathBuf]) -> Result<Store, EngineError> {
    let mut manifest = Manifest::default();
    manifest.set(
        "study",
        "calls of several benchers; judgments follow from them",
    );
    let others = open_runs(reuse)?;
    let mut store = Store::open_shared(&run_dir(config), &manifest)?;
    store.set_reused_runs(others);
    Ok(store)
}

fn verdicts_of(job: &Job, collected: Collected) -> Result<Verdicts, EngineError> {
    let systems = job.dataset.systems.len();
    if job.compares() {
        let comparisons = Comparisons::new(systems, collected.comparisons)?;
        return Ok(Verdicts::Pairs(comparisons));
    }
    let scores = ItemScores::new(systems, collected.scores)?;
    Ok(Verdicts::of_scores(scores)?)
}

/// Refuses a judge whose file is not there.
fn check_file(name: &str, spec: &JudgeSpec) -> Result<(), EngineError> {
    let (JudgeSpec::Gguf(path) | JudgeSpec::Recorded(path)) = spec else {
        return Ok(());
    };
    let shown = path.display();
    let cannot = |e| setting(format!("judges.{name}: {shown}: cannot be read: {e}"));
    path.metadata().map(|_| ()).map_err(cannot)
}

/// Makes every job once, with a judge that is not asked: an error of the last input set comes
/// before the first call.
fn check_inputs(config: &Config) -> Result<(), EngineError> {
    for (name, input) in &config.inputs {
        let checked = check_input(input, config, &Design::AllPairs);
        checked.map_err(|error| in_table(&format!("[inputs.{name}]"), error))?;
    }
    for (name, input) in config.live_labelled() {
        let checked = check_input(input, config, &Design::Labelled);
        checked.map_err(|error| in_table(&format!("[labelled.{name}]"), error))?;
    }
    Ok(())
}

fn check_input(input: &Input, config: &Config, design: &Design) -> Result<(), EngineError> {
    for kind in config.types_of(input) {
        let (dataset, protocol) = (input_data(input)?, protocol(kind)?);
        let judges = stand_in_judges(&dataset)?;
        if *design == Design::Labelled {
            labelled_job(dataset, kind, protocol, judges, config.seed)?;
        } else {
            Job::new(dataset, protocol, design.clone(), judges, config.seed)?;
        }
    }
    Ok(())
}

fn stand_in_judges(dataset: &Dataset) -> Result<Judges, EngineError> {
    let stand_in = [JudgeSpec::parse("simulated")?];
    let options = JudgeOptions::default();
    Ok(bench(&stand_in, None, None, &dataset.systems, options)?.judges)
}

/// Makes a job that judges the labelled pairs by this evaluation type.
fn labelled_job(
    dataset: Dataset,
    kind: &str,
    protocol: Protocol,
    judges: Judges,
    seed: u64,
) -> Result<Job, EngineError> {
    match protocol.form().slots() {
        Slots::Many(None) => Err(setting(format!(
            "types: {kind}: a list of responses is no labelled pair; use listwise:2"
        ))),
        _ => judge::labelled_job(dataset, protocol, judges, seed),
    }
}

/// Returns an error of an input set with the table that it is about, in the words of the study's
/// file and not of the door that the user came through.
pub(super) fn in_table(table: &str, error: EngineError) -> EngineError {
    match error {
        EngineError::Data(error) => error_in_table(table, &error.to_string()),
        EngineError::Refused(refusal) => error_in_table(table, &refusal.to_string()),
        EngineError::Setting(text) => error_in_table(table, &text),
        other => other,
    }
}

fn error_in_table(table: &str, text: &str) -> EngineError {
    let keys = keys_by_setting();
    let text = keys.iter().fold(text.to_string(), |text, (spelt, key)| {
        text.replace(spelt, key)
    });
    setting(format!("{table} {text}"))
}

/// Returns the keys of the study's file by the settings that messages name. The longer spellings
/// come before those that they contain.
fn keys_by_setting() -> [(String, &'static str); 9] {
    [
        (format!("{} files", Setting::Recorded), "files"),
        (format!("{} FILE", Setting::Labels), "labels = [\"FILE\"]"),
        (Setting::Labels.to_string(), "labels"),
        (format!("{} with", Setting::Data), "data with"),
        (Setting::AllowMissing.to_string(), "allow-missing = true"),
        (Setting::InputFormat.to_string(), "input-format"),
        (Setting::Systems.to_string(), "systems"),
        (format!("{} ", Setting::Map), "map "),
        (format!("{} ", Setting::Where), "where "),
    ]
}

/// Reads an evaluation type as a protocol.
pub(super) fn protocol(kind: &str) -> Result<Protocol, EngineError> {
    Ok(Protocol::with(kind, &ProtocolOptions::default())?)
}

/// Loads the data of an input set.
pub(super) fn input_data(input: &Input) -> Result<Dataset, EngineError> {
    if input.data.is_empty() {
        return Err(setting(
            "an input set has no data; expected data = [\"PATH\", ...]".into(),
        ));
    }
    load(&data_options(input)?)
}

fn data_options(input: &Input) -> Result<DataOptions, EngineError> {
    let format = input.input_format.as_deref().map(Format::from_name);
    Ok(DataOptions {
        paths: input.data.clone(),
        mapping: input.map.as_deref().map(Mapping::parse).transpose()?,
        format: format.transpose()?,
        selection: Selection {
            items: input.items,
            systems: input.systems.clone(),
        },
        allow_missing: input.allow_missing,
        filter: Filter::parse(&input.filter)?,
        outcomes: spellings(input.outcomes.as_deref())?,
        turn: input
            .turn
            .as_deref()
            .map_or(Ok(TurnChoice::First), str::parse)?,
    })
}

/// Takes the judgments of a cell.
struct Gather<'a> {
    collected: Collected,
    /// Games of labelled pairs, in place of what is collected.
    games: Option<LiveGames>,
    calls: HashSet<RequestKey>,
    watch: &'a mut dyn Watch,
}

impl<'a> Gather<'a> {
    fn new(watch: &'a mut dyn Watch, games: Option<LiveGames>) -> Gather<'a> {
        Gather {
            collected: Collected::default(),
            games,
            calls: HashSet::new(),
            watch,
        }
    }

    fn begin(&mut self, job: &Job) {
        let cell = format!("{} {}", job.judge(), job.protocol);
        self.watch.begin(&cell, job.plan.len());
        if let Some(warning) = marks_warning(job) {
            self.watch.note(&warning);
        }
    }
}

impl Sink for Gather<'_> {
    fn judgment(&mut self, judgment: Judgment, _: &Item, _: &[Response]) {
        self.calls.extend(judgment.calls.iter().copied());
        match &mut self.games {
            Some(games) => games.add(&judgment),
            None => self.collected.add(&judgment),
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.watch.progress(progress);
    }

    fn note(&mut self, note: &str) {
        self.watch.note(note);
    }
}
