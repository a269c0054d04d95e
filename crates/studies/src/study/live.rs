//! Asking the live judges: every cell over one store, so that nothing is asked twice.

use super::cell::{Spending, Verdicts};
use super::config::{Config, Input, setting, spellings};
use crate::judge::{self, Judged};
use evenhand_core::{Item, Judgment, RequestKey, Response};
use evenhand_engine::{
    Bench, Collected, Coverage, DataOptions, Design, EngineError, Job, JudgeOptions, JudgeSpec,
    Limits, NamedJudges, PriceTable, Progress, Session, Sink, bench, load, marks_warning,
    open_runs,
};
use evenhand_formats::records::{Filter, Format, Mapping};
use evenhand_formats::{Dataset, Selection};
use evenhand_protocols::{Form, Judges, Protocol, ProtocolOptions, Slots};
use evenhand_stats::{Comparisons, ItemScores};
use evenhand_store::{Manifest, Store};
use std::collections::{BTreeMap, HashSet};
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

/// The live side of a study.
pub(super) struct Asking<'a> {
    config: &'a Config,
    options: &'a LiveOptions,
    judges: NamedJudges,
    store: Store,
}

/// What one live cell came to.
pub(super) struct Asked {
    pub(super) systems: Vec<String>,
    pub(super) verdicts: Verdicts,
    pub(super) coverage: Coverage,
    pub(super) spent: Spending,
}

impl<'a> Asking<'a> {
    /// Opens the store of the study's calls.
    pub(super) fn open(config: &'a Config, options: &'a LiveOptions) -> Result<Self, EngineError> {
        let judges = config.named_judges()?;
        check(config, &judges)?;
        check_inputs(config)?;
        let usual = || {
            Path::new("runs").join(format!(
                "study-{}",
                config.name.as_deref().unwrap_or("unnamed")
            ))
        };
        let dir = config.run.clone().unwrap_or_else(usual);
        let mut manifest = Manifest::default();
        // Calls are found by their content: whatever the study is made of later, what was asked is
        // there.
        manifest.set(
            "study",
            "calls of several benchers; judgments follow from them",
        );
        let others = open_runs(&options.reuse)?;
        let mut store = Store::open_shared(&dir, &manifest)?;
        store.set_reused_runs(others);
        Ok(Asking {
            config,
            options,
            judges,
            store,
        })
    }

    /// Where the calls are kept.
    pub(super) fn dir(&self) -> &Path {
        self.store.dir()
    }

    /// All pairs, or all responses, of an input set.
    pub(super) fn cell(
        &mut self,
        input: &Input,
        judge: &str,
        kind: &str,
        watch: &mut dyn Watch,
    ) -> Result<Asked, EngineError> {
        let protocol = protocol(kind)?;
        let dataset = data(input)?;
        let (job, mut bench) = self.job(dataset, judge, |data, judges| {
            Job::new(data, protocol, Design::AllPairs, judges, self.config.seed)
        })?;
        let mut gather = Gather {
            collected: Collected::default(),
            live: None,
            calls: HashSet::new(),
            watch,
        };
        if job.protocol.form() == Form::Pairwise5Point {
            gather.collected.strength = self.config.strength;
        }
        self.run(&job, &mut bench, &mut gather)?;
        let Gather {
            collected, calls, ..
        } = gather;
        let systems = job.dataset.systems.len();
        let verdicts = match job.compares() {
            true => Verdicts::Pairs(Comparisons::new(systems, collected.comparisons)?),
            false => Verdicts::of_scores(ItemScores::new(systems, collected.scores)?)?,
        };
        Ok(Asked {
            systems: job
                .dataset
                .systems
                .iter()
                .map(|name| name.to_string())
                .collect(),
            verdicts,
            coverage: collected.coverage,
            spent: self.spent(&calls, &job)?,
        })
    }

    /// The labelled pairs of an input set.
    pub(super) fn labelled(
        &mut self,
        dataset: Dataset,
        judge: &str,
        kind: &str,
        watch: &mut dyn Watch,
    ) -> Result<(Judged, Spending), EngineError> {
        let (protocol, seed) = (protocol(kind)?, self.config.seed);
        let (job, mut bench) = self.job(dataset, judge, |data, judges| {
            labelled_job(data, kind, protocol, judges, seed)
        })?;
        let live = Some(judge::Live::new(&job)?);
        let mut gather = Gather {
            collected: Collected::default(),
            live,
            calls: HashSet::new(),
            watch,
        };
        self.run(&job, &mut bench, &mut gather)?;
        let Gather { live, calls, .. } = gather;
        let mut judged = live.map(judge::Live::finish).unwrap_or_default();
        judged.judge = judge.to_string();
        judged.protocol = kind.to_string();
        Ok((judged, self.spent(&calls, &job)?))
    }

    fn job(
        &self,
        dataset: Dataset,
        judge: &str,
        make: impl FnOnce(Dataset, Judges) -> Result<Job, EngineError>,
    ) -> Result<(Job, Box<dyn evenhand_models::Model>), EngineError> {
        let spec = JudgeSpec::named(judge, &self.judges)?;
        let Bench { model, judges } =
            bench(&[spec], None, None, &dataset.systems, self.options.judge)?;
        let job = make(dataset, judges)?;
        self.options.limits.check(&job.judges)?;
        Ok((job, model))
    }

    fn run(
        &mut self,
        job: &Job,
        model: &mut Box<dyn evenhand_models::Model>,
        gather: &mut Gather,
    ) -> Result<(), EngineError> {
        gather
            .watch
            .begin(&format!("{} {}", job.judge(), job.protocol), job.plan.len());
        marks_warning(job)
            .iter()
            .for_each(|warning| gather.watch.note(warning));
        let done = Session::new(model.as_mut(), &mut self.store, gather)
            .with_limits(self.options.limits.clone())
            .with_stop(&self.options.stop)
            .run(job);
        gather.watch.end();
        done.map(|_| ())
    }

    /// What a cell's calls took; the judge of a cell is one.
    fn spent(&self, calls: &HashSet<RequestKey>, job: &Job) -> Result<Spending, EngineError> {
        let usage = self.store.usage_of(calls.iter())?;
        let price = job
            .judges
            .panel
            .first()
            .and_then(|judge| self.options.prices.price(judge));
        let counted = usage.prompt_tokens > 0 || calls.is_empty();
        let usd = price
            .filter(|_| counted)
            .map(|price| price.cost(&usage, false));
        Ok(Spending {
            calls: calls.len() as u64,
            usage,
            usd,
        })
    }
}

/// What is cheap to check comes before anything is asked.
fn check(config: &Config, judges: &NamedJudges) -> Result<(), EngineError> {
    let own = config
        .inputs
        .values()
        .chain(config.labelled.values())
        .flat_map(|input| input.types.iter().flatten());
    config
        .types
        .iter()
        .chain(own)
        .try_for_each(|kind| protocol(kind).map(|_| ()))?;
    config
        .judges
        .keys()
        .try_for_each(|judge| check_file(judge, &JudgeSpec::named(judge, judges)?))
}

/// Refuses a judge whose file is not there.
fn check_file(name: &str, spec: &JudgeSpec) -> Result<(), EngineError> {
    let (JudgeSpec::Gguf(path) | JudgeSpec::Recorded(path)) = spec else {
        return Ok(());
    };
    let unreadable = |e| {
        setting(format!(
            "judges.{name}: {}: cannot be read: {e}",
            path.display()
        ))
    };
    path.metadata().map(|_| ()).map_err(unreadable)
}

/// Makes every job once, with a judge that is not asked: an error of the last input set comes
/// before the first call.
fn check_inputs(config: &Config) -> Result<(), EngineError> {
    let check = |table: &str, sets: &BTreeMap<String, Input>, labelled: bool| {
        sets.iter().try_for_each(|(name, input)| {
            let kinds = input.types.as_ref().unwrap_or(&config.types);
            let check = |kind: &String| check_input(input, kind, labelled, config.seed);
            kinds
                .iter()
                .try_for_each(check)
                .map_err(|error| of_table(&format!("[{table}.{name}]"), error))
        })
    };
    check("inputs", &config.inputs, false)?;
    let labelled = config
        .live_labelled()
        .map(|(name, input)| (name.clone(), input.clone()))
        .collect();
    check("labelled", &labelled, true)
}

fn check_input(input: &Input, kind: &str, labelled: bool, seed: u64) -> Result<(), EngineError> {
    let (dataset, protocol) = (data(input)?, protocol(kind)?);
    let stand_in = [JudgeSpec::parse("simulated")?];
    let judges = bench(
        &stand_in,
        None,
        None,
        &dataset.systems,
        JudgeOptions::default(),
    )?
    .judges;
    let job = match labelled {
        true => labelled_job(dataset, kind, protocol, judges, seed),
        false => Job::new(dataset, protocol, Design::AllPairs, judges, seed),
    };
    job.map(|_| ())
}

/// A job that judges the labelled pairs by this evaluation type.
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
        _ => judge::job(dataset, protocol, judges, seed),
    }
}

/// An error of an input set with the table that it is about, in the words of the study's file and
/// not of the command line.
pub(super) fn of_table(table: &str, error: EngineError) -> EngineError {
    let text = match error {
        EngineError::Data(error) => error.to_string(),
        EngineError::Setting(text) => text,
        EngineError::Refused(refusal) => refusal.to_string(),
        other => return other,
    };
    let flags = [
        ("--recorded files", "files"),
        ("--labels FILE", "labels = [\"FILE\"]"),
        ("--labels", "labels"),
        ("--data with", "data with"),
        ("--allow-missing", "allow-missing = true"),
        ("--input-format", "input-format"),
        ("--systems", "systems"),
        ("--map ", "map "),
        ("--where ", "where "),
    ];
    let text = flags
        .iter()
        .fold(text, |text, (flag, key)| text.replace(flag, key));
    setting(format!("{table} {text}"))
}

/// An evaluation type as a protocol.
pub(super) fn protocol(kind: &str) -> Result<Protocol, EngineError> {
    Ok(Protocol::with(kind, &ProtocolOptions::default())?)
}

/// The data of an input set.
pub(super) fn data(input: &Input) -> Result<Dataset, EngineError> {
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

struct Gather<'a> {
    collected: Collected,
    live: Option<judge::Live>,
    calls: HashSet<RequestKey>,
    watch: &'a mut dyn Watch,
}

impl Sink for Gather<'_> {
    fn judgment(&mut self, judgment: Judgment, _: &Item, _: &[Response]) {
        self.calls.extend(judgment.calls.iter().copied());
        match &mut self.live {
            Some(live) => live.add(&judgment),
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
