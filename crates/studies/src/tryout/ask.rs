//! Asks each model in each way, all over one store a model.

use super::best::{Best, TriedWay, above_coin, accuracy_of_all, best_way};
use super::measure::{Orders, WayRow};
use super::set::{SetName, TrySet};
use crate::judge::{LiveGames, labelled_job};
use crate::study::{LiveOptions, Watch, Watched};
use evenhand_core::RequestKey;
use evenhand_engine::{
    Bench, EngineError, Estimate, FailureRow, Job, JudgeSpec, Session, Tally, bench, estimate,
    expected, open_runs,
};
use evenhand_models::Model;
use evenhand_protocols::Protocol;
use evenhand_store::Reader;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Which model is tried, and how.
#[derive(Debug)]
pub struct TryOptions {
    /// The model.
    pub judge: JudgeSpec,
    /// The ways of asking it.
    pub ways: Vec<Protocol>,
    /// Where the calls are kept; None for a directory that is named after the judge.
    pub run: Option<PathBuf>,
}

/// Models, and how right they are in each way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct TryReport {
    /// The set.
    pub set: SetName,
    /// The models, in the order in which they were named.
    pub models: Vec<TriedModel>,
    /// The best of all ways; None where none came to a verdict.
    pub best: Option<Best>,
    /// The level of the intervals.
    pub level: f64,
    /// The seed of what is drawn: an order, where a protocol looks once.
    pub seed: u64,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// A model that was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct TriedModel {
    /// The judge.
    pub judge: String,
    /// How it did, way by way.
    pub ways: Vec<WayRow>,
    /// The calls that it took.
    pub calls: u64,
    /// What the calls cost; None where a price is missing.
    pub cost_usd: Option<f64>,
    /// Where they are kept.
    pub run: String,
    /// What a user should know of it.
    pub notes: Vec<String>,
    /// The first failure of each kind, over all ways.
    #[serde(skip)]
    #[schemars(skip)]
    pub failures: Vec<FailureRow>,
}

impl TriedModel {
    /// Returns its ways, to be compared.
    pub fn tried_ways(&self) -> impl Iterator<Item = TriedWay> {
        self.ways.iter().map(|row| TriedWay {
            judge: self.judge.clone(),
            way: row.way.clone(),
            orders: row.orders,
            credits: row.credits.clone(),
        })
    }
}

/// Returns the name of the whole set.
///
/// # Errors
/// A built-in set that cannot be read.
pub fn read_set_name() -> Result<SetName, EngineError> {
    Ok(TrySet::read(None)?.name)
}

/// Tries models on the first so many pairs of the set, or on all.
///
/// # Errors
/// A number of pairs that the set does not have, a judge that cannot be opened or asked in one of
/// its ways, a directory that cannot be written, and a limit of the user's that is reached.
pub fn try_models(
    models: Vec<TryOptions>,
    pairs: Option<usize>,
    (level, seed): (f64, u64),
    live: &LiveOptions,
    watch: &mut dyn Watch,
) -> Result<TryReport, EngineError> {
    let set = TrySet::read(pairs)?;
    let mut report = TryReport {
        set: set.name.clone(),
        level,
        seed,
        ..TryReport::default()
    };
    for model in models {
        let tried = try_model(model, &set, (level, seed), live, watch)?;
        report.models.push(tried);
    }
    // What is said of one way holds for all ways of the report together.
    let ways: Vec<TriedWay> = report
        .models
        .iter()
        .flat_map(TriedModel::tried_ways)
        .collect();
    for row in report.models.iter_mut().flat_map(|model| &mut model.ways) {
        row.ci_of_all = accuracy_of_all(&row.credits, ways.len(), level)?.ci;
        row.above_coin = above_coin(row.ci_of_all);
    }
    report.best = best_way(&ways, level)?;
    Ok(report)
}

// Long: the order of the work keeps its promise, that nothing is asked before all ways are made.
fn try_model(
    options: TryOptions,
    set: &TrySet,
    (level, seed): (f64, u64),
    live: &LiveOptions,
    watch: &mut dyn Watch,
) -> Result<TriedModel, EngineError> {
    // Every way is made before anything is asked: an error of the last comes before the first call.
    let spec = std::slice::from_ref(&options.judge);
    let systems = set.dataset()?.systems;
    let Bench {
        mut model, judges, ..
    } = bench(spec, None, None, &systems, live.judge)?;
    live.limits.check(&judges)?;
    let mut jobs = Vec::new();
    for way in options.ways {
        if way.scores_texts(0) && !way.wants_rewards(0) {
            options.judge.check_scores()?;
        }
        jobs.push(labelled_job(set.dataset()?, way, judges.clone(), seed)?);
    }
    let judge = judges.panel.join(" + ");
    let dir = options.run.clone().unwrap_or_else(|| {
        let digest = blake3::hash(judge.as_bytes()).to_hex();
        // Ten digits tell the models of one user apart and can still be typed.
        Path::new("runs").join(format!("try-{}", &digest[..10]))
    });
    if options.judge.is_served() {
        watch.note(&say_cost(&jobs, model.as_ref(), &dir, live)?);
    }

    let says = "calls of a model that is tried; judgments follow from them";
    let mut store = live.open_store(&dir, ["try", says], Some(model.as_ref()))?;
    let mut tried = TriedModel {
        judge,
        run: dir.display().to_string(),
        ..TriedModel::default()
    };
    let mut all_calls: HashSet<RequestKey> = HashSet::new();
    for job in jobs {
        watch.begin(&format!("{} {}", tried.judge, job.protocol), job.plan.len());
        let (mut games, mut tally) = (LiveGames::new(&job)?, Tally::default());
        let mut calls: HashSet<RequestKey> = HashSet::new();
        let mut sink = Watched::new(&mut *watch, |judgment, item, responses| {
            tally.add(&judgment, item, responses);
            calls.extend(judgment.calls.iter().copied());
            games.add(&judgment);
        });
        let started = Instant::now();
        let done = Session::new(model.as_mut(), &mut store, &mut sink)
            .with_limits(live.limits.clone())
            .with_stop(&live.stop)
            .run(&job);
        let seconds = started.elapsed().as_secs_f64();
        watch.end();
        let asked_now = match done {
            Ok(finished) => finished.progress.calls == calls.len() as u64,
            // A way that comes to nothing is a row without an accuracy, and the next one is tried.
            Err(error @ EngineError::Hopeless { .. }) => {
                tried.notes.push(format!("{}: {error}", job.protocol));
                false
            }
            Err(error) => return Err(error),
        };
        for failure in tally.failures() {
            if tried
                .failures
                .iter()
                .all(|known| known.kind != failure.kind)
            {
                tried.failures.push(failure);
            }
        }
        let judged = games.finish();
        let pairs = judged.pairs.len().max(1) as f64;
        let usage = store.usage_of(calls.iter())?;
        let tokens = usage.prompt_tokens + usage.completion_tokens;
        for orders in Orders::of_pairs(&judged) {
            let mut row = WayRow::of_pairs(job.protocol.to_string(), orders, &judged, level)?;
            row.seconds_per_pair = asked_now.then(|| seconds / pairs);
            row.tokens_per_pair = (tokens > 0).then(|| tokens as f64 / pairs);
            tried.ways.push(row);
        }
        all_calls.extend(calls);
    }
    let totals = store.totals_of(all_calls.iter())?;
    tried.calls = all_calls.len() as u64;
    tried.cost_usd = evenhand_engine::spent(&totals, &live.prices).usd;
    Ok(tried)
}

/// Says what the calls that are left take, before they are made.
fn say_cost(
    jobs: &[Job],
    model: &dyn Model,
    dir: &Path,
    live: &LiveOptions,
) -> Result<String, EngineError> {
    let mut known: Vec<Reader> = open_runs(&live.reuse)?;
    known.extend(Reader::open(dir).ok());
    let mut all = Estimate::default();
    for job in jobs {
        all = all.and(&estimate(job, model, &known)?);
    }
    let costs = expected(&all, &live.prices);
    let cost = match costs.total {
        Some(range) => format!(
            "about {:.4} USD, at most {:.4}",
            range.expected, range.at_most
        ),
        None => "the price is not known".into(),
    };
    let calls = all.calls.saturating_sub(all.stored);
    let judge = model.identity();
    Ok(format!(
        "{judge}: {calls} calls with about {} tokens of prompts; {cost}",
        all.prompt_tokens()
    ))
}
