//! Asks the live judges: every cell over one store, so that nothing is asked twice.

use super::cell::{Spending, Verdicts};
use super::config::{Config, Input, setting, spellings};
use crate::judge::{self, JudgedPairs, LiveGames};
use evenhand_core::{Item, Judgment, RequestKey, Response, Setting};
use evenhand_engine::{
    Bench, Collected, Coverage, DataOptions, Design, EngineError, Job, JudgeOptions, JudgeSpec,
    Limits, NamedJudges, PriceTable, Progress, Session, Sink, bench, load, marks_warning,
    open_runs,
};
use evenhand_formats::records::{Filter, Format, Mapping};
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
        let mut manifest = Manifest::default();
        // Calls are found by their content: whatever the study is made of later, what was asked is
        // there.
        manifest.set(
            "study",
            "calls of several benchers; judgments follow from them",
        );
        let others = open_runs(&options.reuse)?;
        let mut store = Store::open_shared(&run_dir(config), &manifest)?;
        store.set_reused_runs(others);
        Ok(LiveJudges {
            config,
            options,
            judges,
            store,
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
        if ready.job.protocol.form() == Form::Pairwise5Point {
            gather.collected.strength = self.config.strength;
        }
        let job = self.run(ready, &mut gather)?;
        let Gather {
            collected, calls, ..
        } = gather;
        let systems = job.dataset.systems.len();
        let verdicts = if job.compares() {
            Verdicts::Pairs(Comparisons::new(systems, collected.comparisons)?)
        } else {
            Verdicts::of_scores(ItemScores::new(systems, collected.scores)?)?
        };
        let names = job.dataset.systems.iter();
        Ok(LiveCell {
            systems: names.map(|name| name.to_string()).collect(),
            verdicts,
            coverage: collected.coverage,
            spent: self.spending_of(&calls, &job)?,
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
        let Bench { model, judges } =
            bench(&[spec], None, None, &dataset.systems, self.options.judge)?;
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
        let done = Session::new(model.as_mut(), &mut self.store, gather)
            .with_limits(self.options.limits.clone())
            .with_stop(&self.options.stop)
            .run(&job);
        gather.watch.end();
        done.map(|_| job)
    }

    /// Returns what a cell's calls took; the judge of a cell is one.
    fn spending_of(&self, calls: &HashSet<RequestKey>, job: &Job) -> Result<Spending, EngineError> {
        let usage = self.store.usage_of(calls.iter())?;
        let mut panel = job.judges.panel.iter();
        let price = panel
            .next()
            .and_then(|judge| self.options.prices.price(judge));
        let is_counted = usage.prompt_tokens > 0 || calls.is_empty();
        Ok(Spending {
            calls: calls.len() as u64,
            usage,
            usd: price
                .filter(|_| is_counted)
                .map(|price| price.cost(&usage, false)),
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
    let inputs = config.inputs.values().chain(config.labelled.values());
    let own = inputs.flat_map(|input| input.types.iter().flatten());
    for kind in config.types.iter().chain(own) {
        protocol(kind)?;
    }
    for judge in config.judges.keys() {
        check_file(judge, &JudgeSpec::named(judge, judges)?)?;
    }
    Ok(())
}

/// Refuses a judge whose file is not there.
fn check_file(name: &str, spec: &JudgeSpec) -> Result<(), EngineError> {
    let (JudgeSpec::Gguf(path) | JudgeSpec::Recorded(path)) = spec else {
        return Ok(());
    };
    match path.metadata() {
        Ok(_) => Ok(()),
        Err(e) => Err(setting(format!(
            "judges.{name}: {}: cannot be read: {e}",
            path.display()
        ))),
    }
}

/// Makes every job once, with a judge that is not asked: an error of the last input set comes
/// before the first call.
fn check_inputs(config: &Config) -> Result<(), EngineError> {
    for (name, input) in &config.inputs {
        check_input(input, config, Design::AllPairs)
            .map_err(|error| in_table(&format!("[inputs.{name}]"), error))?;
    }
    for (name, input) in config.live_labelled() {
        check_input(input, config, Design::Labelled)
            .map_err(|error| in_table(&format!("[labelled.{name}]"), error))?;
    }
    Ok(())
}

fn check_input(input: &Input, config: &Config, design: Design) -> Result<(), EngineError> {
    let stand_in = [JudgeSpec::parse("simulated")?];
    for kind in config.types_of(input) {
        let (dataset, protocol) = (input_data(input)?, protocol(kind)?);
        let options = JudgeOptions::default();
        let judges = bench(&stand_in, None, None, &dataset.systems, options)?.judges;
        if design == Design::Labelled {
            labelled_job(dataset, kind, protocol, judges, config.seed)?;
        } else {
            Job::new(dataset, protocol, design.clone(), judges, config.seed)?;
        }
    }
    Ok(())
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
    let text = match error {
        EngineError::Data(error) => error.to_string(),
        EngineError::Refused(refusal) => refusal.to_string(),
        EngineError::Setting(text) => text,
        other => return other,
    };
    let keys = [
        (format!("{} files", Setting::Recorded), "files"),
        (format!("{} FILE", Setting::Labels), "labels = [\"FILE\"]"),
        (Setting::Labels.to_string(), "labels"),
        (format!("{} with", Setting::Data), "data with"),
        (Setting::AllowMissing.to_string(), "allow-missing = true"),
        (Setting::InputFormat.to_string(), "input-format"),
        (Setting::Systems.to_string(), "systems"),
        (format!("{} ", Setting::Map), "map "),
        (format!("{} ", Setting::Where), "where "),
    ];
    let text = keys
        .iter()
        .fold(text, |text, (spelt, key)| text.replace(spelt, key));
    setting(format!("{table} {text}"))
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
    load(&DataOptions {
        paths: input.data.clone(),
        mapping: input.map.as_deref().map(Mapping::parse).transpose()?,
        format: input
            .input_format
            .as_deref()
            .map(Format::from_name)
            .transpose()?,
        selection: Selection {
            items: input.items,
            systems: input.systems.clone(),
        },
        allow_missing: input.allow_missing,
        filter: Filter::parse(&input.filter)?,
        outcomes: spellings(input.outcomes.as_deref())?,
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
