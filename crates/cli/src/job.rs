//! From arguments to a job and its judge.

use crate::args::{Ci, ClusterBy, RankArgs, RankingArgs, RunArgs};
use crate::{Failed, condition::Conditions};
use evenhand_core::Selection;
use evenhand_core::formats::{Format, Mapping};
use evenhand_engine::{DataOptions, Design, EngineError, Job, JudgeOptions, JudgeSpec, RankOptions, load};
use evenhand_models::Model;
use evenhand_protocols::Protocol;
use evenhand_stats::{Bootstrap, Cluster};

/// A job with the judge that is to answer it.
pub(crate) struct Prepared {
    pub(crate) job: Job,
    pub(crate) model: Box<dyn Model>,
    pub(crate) conditions: Option<Conditions>,
}

/// Reads settings and data, and opens the judge. What is cheap to check comes first.
pub(crate) fn prepare(args: &RunArgs) -> Result<Prepared, Failed> {
    let conditions = args.output.fail_if.as_deref().map(Conditions::parse).transpose().map_err(Failed::Usage)?;
    let spec = JudgeSpec::parse(&args.judge)?;
    let design = Design::parse(&args.design).map_err(Failed::Usage)?;
    let protocol = protocol(args, &spec)?;
    let dataset = load(&data_options(args)?)?;
    let options = JudgeOptions { threads: args.threads, context: args.context };
    let model = spec.open(&dataset.systems, options)?;
    let job = Job::new(dataset, protocol, design, model.identity(), args.seed)?;
    Ok(Prepared { job, model, conditions })
}

fn protocol(args: &RunArgs, judge: &JudgeSpec) -> Result<Protocol, EngineError> {
    let default = if judge.prefers_likelihood() { "likelihood" } else { "pairwise/direct/swap" };
    Ok(Protocol::parse(args.protocol.as_deref().unwrap_or(default))?)
}

fn data_options(args: &RunArgs) -> Result<DataOptions, EngineError> {
    if args.items == Some(0) {
        return Err(EngineError::Setting("--items 0: expected at least one item".into()));
    }
    Ok(DataOptions {
        paths: args.data.clone(),
        mapping: args.map.as_deref().map(Mapping::parse).transpose()?,
        format: args.input_format.as_deref().map(Format::named).transpose()?,
        selection: Selection { items: args.items, systems: args.systems.clone() },
        allow_missing: args.allow_missing,
    })
}

/// How a run's ranking is made; bad numbers are refused before anything is judged.
pub(crate) fn rank_options(args: &RankArgs, job: &Job) -> Result<RankOptions, Failed> {
    let cluster = if args.cluster == ClusterBy::Item { Cluster::Item } else { Cluster::None };
    let options = ranking(&args.ranking, args.run.seed, args.run.threads)?;
    let usual = if args.control.is_empty() { Ci::Bootstrap } else { Ci::Sandwich };
    let ci = args.ci.unwrap_or(usual).into();
    let options = RankOptions { ci, cluster, control: args.control.clone(), ..options };
    options.check(job)?;
    Ok(options)
}

/// More threads than these do harm.
const MAX_THREADS: usize = 256;

/// What rankings of new and of recorded judgments have in common.
pub(crate) fn ranking(args: &RankingArgs, seed: u64, threads: Option<usize>) -> Result<RankOptions, Failed> {
    if !(args.level > 0.0 && args.level < 1.0) {
        return Err(Failed::Usage(format!("--level {}: expected a number strictly between 0 and 1, such as 0.95", args.level)));
    }
    if !(2..=10_000_000).contains(&args.rounds) {
        return Err(Failed::Usage(format!("--rounds {}: expected 2 to 10000000 resamples", args.rounds)));
    }
    if let Some(weight) = args.prior.filter(|weight| !(*weight > 0.0 && *weight <= 1e100)) {
        return Err(Failed::Usage(format!("--prior {weight}: expected a weight above 0, such as 0.1")));
    }
    Ok(RankOptions {
        aggregation: args.aggregate,
        scale: args.scale.into(),
        prior: args.prior,
        bootstrap: Bootstrap { rounds: args.rounds, level: args.level, seed, threads: threads.unwrap_or(0).min(MAX_THREADS) },
        differences: args.differences,
        adjust: args.adjust.into(),
        drop: args.drop,
        permutations: args.permutations,
        ..RankOptions::default()
    })
}
