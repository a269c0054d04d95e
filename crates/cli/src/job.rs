//! From arguments to a job and its judge.

use crate::args::{
    AskArgs, BenchArgs, Ci, ClusterBy, DataArgs, LimitArgs, RankArgs, RankingArgs, ReuseArgs,
    RunArgs, Scale,
};
use crate::commands::check_least;
use crate::progress::say;
use crate::{Failed, condition::Conditions};
use evenhand_engine::{
    Bench, DataOptions, Design, EngineError, Found, Job, JudgeOptions, JudgeSpec, Limits,
    NamedJudges, PanelFile, PriceTable, RankOptions, Reviews, SecondSpec,
};
use evenhand_engine::{
    StepWeights, bench, check_brought, check_level, check_prior, check_rounds, load, load_pack,
    marks_warning, reusable_runs,
};
use evenhand_formats::judgments::Options;
use evenhand_formats::records::{Format, Mapping};
use evenhand_formats::{Dataset, Selection};
use evenhand_models::Model;
use evenhand_protocols::{Pack, Panel, Protocol, ProtocolOptions, Scale as JudgeScale};
use evenhand_stats::{Bootstrap, Cluster};
use evenhand_studies::judge::{Judged, RecordedOptions, parts_of_filter, recorded};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A job with the judge that is to answer it.
pub(crate) struct Prepared {
    pub(crate) job: Job,
    pub(crate) model: Box<dyn Model>,
    pub(crate) conditions: Option<Conditions>,
    pub(crate) reviews: Reviews,
    pub(crate) limits: Limits,
    pub(crate) prices: PriceTable,
}

/// Reads settings and data, and opens the judge. What is cheap to check comes first.
pub(crate) fn prepare(args: &RunArgs, scale: Option<JudgeScale>) -> Result<Prepared, Failed> {
    let panel = calibrated(args)?;
    if let Some(panel) = panel.as_ref().filter(|panel| panel.weights().is_none()) {
        let terms = panel.terms().len();
        let name = args.judge.concat();
        return Err(Failed::Usage(format!(
            "--judge {name}: the panel is not fitted, and its {terms} terms have no weights; fit \
             it with meta judge --judge {name} --fit FILE"
        )));
    }
    prepare_with(args, scale, panel)
}

/// The calibrated panel that `--judge panel:FILE` names.
pub(crate) fn calibrated(args: &RunArgs) -> Result<Option<PanelFile>, Failed> {
    let Some(file) = args
        .judge
        .iter()
        .find_map(|judge| judge.strip_prefix("panel:"))
    else {
        return Ok(None);
    };
    let refused = |why: &str| Err(Failed::Usage(format!("--judge panel:{file}: {why}")));
    match () {
        _ if args.judge.len() > 1 => {
            refused("a calibrated panel stands alone; its members are in its file")
        }
        _ if args.ask.protocol.is_some() => {
            refused("each member has its protocol in the file; leave --protocol out")
        }
        _ => {
            let panel = PanelFile::read(Path::new(file))?;
            check_members(&panel, Path::new(file), args)?;
            Ok(Some(panel))
        }
    }
}

/// Refuses members that name addresses, unless they are judges of the user's configuration or the
/// file is trusted.
fn check_members(panel: &PanelFile, file: &Path, args: &RunArgs) -> Result<(), EngineError> {
    let own = |name: &String| args.judges.contains_key(name);
    let check = |name: &String| check_brought(file, name, &JudgeSpec::parse(name)?, &args.trust);
    panel
        .judges()
        .iter()
        .filter(|name| !own(name))
        .try_for_each(check)
}

/// The same for a calibrated panel, fitted or not, in place of the judge that is named.
pub(crate) fn prepare_with(
    args: &RunArgs,
    scale: Option<JudgeScale>,
    calibrated: Option<PanelFile>,
) -> Result<Prepared, Failed> {
    check_least(args.output.min_coverage)?;
    let conditions = args
        .output
        .fail_if
        .as_deref()
        .map(Conditions::parse)
        .transpose()
        .map_err(Failed::Usage)?;
    let names = calibrated
        .as_ref()
        .map_or_else(|| args.judge.clone(), PanelFile::judges);
    let Who {
        panel,
        second,
        embedder,
    } = who(&names, &args.bench, &args.judges)?;
    let prices = price_table(args.prices.as_deref())?;
    let design = Design::parse(&args.ask.design).map_err(Failed::Usage)?;
    let small = panel.iter().all(JudgeSpec::prefers_likelihood);
    let protocol = match &calibrated {
        Some(panel) => panel.protocol(&pack(&args.ask)?)?,
        None => protocol(&args.ask, scale, args.bench.panel, small)?,
    };
    check_embedder(args.bench.embedder.as_deref(), &[&protocol])?;
    let mut scores = panel
        .iter()
        .enumerate()
        .filter(|(judge, _)| protocol.scores_texts(*judge));
    scores.try_for_each(|(_, spec)| spec.check_scores())?;
    let reviews = args
        .reviewed
        .as_deref()
        .map(Reviews::read)
        .transpose()?
        .unwrap_or_default();
    let dataset = self::dataset(&args.data, args.output.quiet)?;
    let options = JudgeOptions {
        threads: args.threads,
        context: args.context,
        raw_marks: args.bench.raw_marks,
    };
    let Bench { model, judges } = bench(
        &panel,
        second.as_ref(),
        embedder.as_ref(),
        &dataset.systems,
        options,
    )?;
    let job = Job::new(dataset, protocol, design, judges, args.ask.seed)?;
    reviews.check(&job)?;
    let limits = limits(&args.limits, &prices)?;
    limits.check(&job.judges)?;
    if !args.output.quiet {
        marks_warning(&job).iter().for_each(|warning| say(warning));
    }
    Ok(Prepared {
        job,
        model,
        conditions,
        reviews,
        limits,
        prices,
    })
}

/// The other runs whose replies are taken over: those named, and of those under `runs/` the ones
/// that asked the same judges. A recording is replayed from its own replies alone.
pub(crate) fn others(args: &RunArgs, job: &Job, model: &dyn Model) -> Result<Vec<PathBuf>, Failed> {
    let found = if model.is_live() {
        Found::that_asked(&job.judges)
    } else {
        Found::None
    };
    reused(&args.reuse, found)
}

/// The runs named, and those found unless that is switched off.
pub(crate) fn reused(args: &ReuseArgs, found: Found) -> Result<Vec<PathBuf>, Failed> {
    Ok(reusable_runs(
        &args.reuse,
        &if args.no_reuse { Found::None } else { found },
    )?)
}

/// Everybody who takes part.
pub(crate) struct Who {
    /// The judge, or the members of a panel.
    pub(crate) panel: Vec<JudgeSpec>,
    /// Who reads what the strict reader cannot.
    pub(crate) second: Option<SecondSpec>,
    /// Who embeds responses.
    pub(crate) embedder: Option<JudgeSpec>,
}

/// Those of these names, which may be the configuration's.
pub(crate) fn who(
    panel: &[String],
    args: &BenchArgs,
    judges: &NamedJudges,
) -> Result<Who, EngineError> {
    let named = |name: &String| JudgeSpec::named(name, judges);
    Ok(Who {
        panel: panel.iter().map(named).collect::<Result<_, _>>()?,
        second: args
            .second_stage
            .as_deref()
            .map(|second| SecondSpec::named(second, judges))
            .transpose()?,
        embedder: args.embedder.as_ref().map(named).transpose()?,
    })
}

/// Refuses an embedder that none of the protocols would ask.
pub(crate) fn check_embedder(
    embedder: Option<&str>,
    protocols: &[&Protocol],
) -> Result<(), Failed> {
    let names = || {
        protocols
            .iter()
            .map(|protocol| protocol.to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match embedder.filter(|_| !protocols.iter().any(|protocol| protocol.embeds())) {
        None => Ok(()),
        Some(name) => Err(Failed::Usage(format!(
            "--embedder {name}: {} embeds nothing; leave it out, or use a protocol that does, such \
             as pairwise/direct/portia:3,embedding",
            names()
        ))),
    }
}

pub(crate) fn limits(args: &LimitArgs, prices: &PriceTable) -> Result<Limits, Failed> {
    if args.max_calls == Some(0) {
        return Err(Failed::Usage(
            "--max-calls 0: expected at least one call".into(),
        ));
    }
    let time = args
        .deadline
        .map(|seconds| match Duration::try_from_secs_f64(seconds) {
            Ok(time) if !time.is_zero() => Ok(time),
            _ => Err(Failed::Usage(format!(
                "--deadline {seconds}: expected seconds above 0"
            ))),
        });
    let cost = args.max_cost.map(|usd| (usd, prices.clone()));
    let retry = args
        .retry
        .iter()
        .flat_map(|kinds| kinds.iter().copied())
        .collect();
    Ok(Limits {
        calls: args.max_calls,
        cost,
        time: time.transpose()?,
        keep_going: args.keep_going,
        retry,
    })
}

/// That a command can be had whose design is not chosen as it goes on.
pub(crate) fn not_adaptive(job: &Job, command: &str) -> Result<(), Failed> {
    match job.design == Design::Adaptive {
        true => Err(Failed::Usage(format!(
            "--design adaptive: {command} asks everything; it is for rank"
        ))),
        false => Ok(()),
    }
}

/// The built-in prices, with those of the file over them.
pub(crate) fn price_table(file: Option<&Path>) -> Result<PriceTable, Failed> {
    let Some(path) = file else {
        return Ok(PriceTable::built_in());
    };
    let unreadable = |e| Failed::Usage(format!("--prices {}: cannot be read: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    Ok(PriceTable::built_in().with(&text, &path.display().to_string())?)
}

/// The protocol where none is asked for, for small local models and for others.
pub(crate) fn usual_protocol(small: bool) -> &'static str {
    if small {
        "likelihood:novel,surprisal=0.1"
    } else {
        "pairwise/direct/swap"
    }
}

/// The protocol asked for, or the default, which for a small local model is by likelihood.
pub(crate) fn protocol(
    args: &AskArgs,
    scale: Option<JudgeScale>,
    panel: Panel,
    small: bool,
) -> Result<Protocol, EngineError> {
    let options = ProtocolOptions {
        pack: pack(args)?,
        scale,
        panel,
    };
    Ok(Protocol::with(
        args.protocol.as_deref().unwrap_or(usual_protocol(small)),
        &options,
    )?)
}

fn pack(args: &AskArgs) -> Result<Pack, EngineError> {
    args.prompt_pack
        .as_deref()
        .map_or_else(|| Ok(Pack::default()), load_pack)
}

/// The data set that the arguments name, with what is to be known of how it was read said.
pub(crate) fn dataset(args: &DataArgs, quiet: bool) -> Result<Dataset, Failed> {
    Ok(noted(load(&data_options(args)?)?, quiet))
}

/// Reads what recorded judges said. A condition of `--where` is on the recordings and labels, or on
/// the data set beside them where none of these has the field.
pub(crate) fn recordings(
    options: RecordedOptions,
    args: &DataArgs,
    quiet: bool,
) -> Result<Vec<Judged>, Failed> {
    let filter = args.records.filter.parse()?;
    let options = RecordedOptions {
        reading: Options {
            filter,
            outcomes: args.records.outcomes()?,
            ..options.reading
        },
        ..options
    };
    if args.data.is_empty() {
        return Ok(recorded(&options, None)?);
    }
    let (own, others) = parts_of_filter(&options)?;
    let only_items_of_data = !others.is_empty();
    let data = noted(
        load(&DataOptions {
            filter: others,
            ..data_options(args)?
        })?,
        quiet,
    );
    let reading = Options {
        filter: own,
        ..options.reading
    };
    Ok(recorded(
        &RecordedOptions {
            reading,
            only_items_of_data,
            ..options
        },
        Some(&data),
    )?)
}

/// A data set, with what is to be known of how it was read said.
pub(crate) fn noted(dataset: Dataset, quiet: bool) -> Dataset {
    if !quiet {
        dataset.notes.iter().for_each(|note| say(note));
    }
    dataset
}

fn data_options(args: &DataArgs) -> Result<DataOptions, Failed> {
    if args.items == Some(0) {
        return Err(Failed::Usage(
            "--items 0: expected at least one item".into(),
        ));
    }
    Ok(DataOptions {
        paths: args.data.clone(),
        mapping: args.map.as_deref().map(Mapping::parse).transpose()?,
        format: args
            .input_format
            .as_deref()
            .map(Format::named)
            .transpose()?,
        selection: Selection {
            items: args.items,
            systems: args.systems.clone(),
        },
        allow_missing: args.allow_missing,
        filter: args.records.filter.parse()?,
        outcomes: args.records.outcomes()?,
    })
}

/// The judge's scale, where `--scale` names one.
pub(crate) fn judge_scale(scale: Scale) -> Option<JudgeScale> {
    if let Scale::Judge(scale) = scale {
        Some(scale)
    } else {
        None
    }
}

/// How a run's ranking is made; bad numbers are refused before anything is judged.
pub(crate) fn rank_options(args: &RankArgs, job: &Job) -> Result<RankOptions, Failed> {
    let cluster = if args.cluster == ClusterBy::Item {
        Cluster::Item
    } else {
        Cluster::None
    };
    let options = ranking(&args.ranking, args.run.ask.seed, args.run.threads)?;
    let usual = if args.control.is_empty() {
        Ci::Bootstrap
    } else {
        Ci::Sandwich
    };
    let ci = args.ci.unwrap_or(usual).into();
    let options = RankOptions {
        ci,
        cluster,
        control: args.control.clone(),
        ..options
    };
    options.check(job)?;
    Ok(options)
}

/// More threads than these do harm.
pub(crate) const MAX_THREADS: usize = 256;

/// What rankings of new and of recorded judgments have in common.
pub(crate) fn ranking(
    args: &RankingArgs,
    seed: u64,
    threads: Option<usize>,
) -> Result<RankOptions, Failed> {
    check_resampling(args.level, args.rounds, args.prior)?;
    Ok(RankOptions {
        aggregation: args.aggregate,
        scale: args.scale.into(),
        prior: args.prior,
        bootstrap: Bootstrap {
            rounds: args.rounds,
            level: args.level,
            seed,
            threads: threads.unwrap_or(0).min(MAX_THREADS),
        },
        differences: args.differences,
        adjust: args.adjust.into(),
        drop: args.drop,
        permutations: args.permutations,
        ..RankOptions::default()
    })
}

/// Refuses a level, a number of resamples or a weight of a prior that cannot be used.
pub(crate) fn check_resampling(
    level: f64,
    rounds: usize,
    prior: Option<f64>,
) -> Result<(), Failed> {
    check_level(level)?;
    check_rounds(rounds)?;
    Ok(prior.map_or(Ok(()), check_prior)?)
}

/// The three weights of `--strength`.
pub(crate) fn strength(weights: Option<&[f64]>) -> Result<Option<StepWeights>, Failed> {
    Ok(weights.map(StepWeights::new).transpose()?)
}
