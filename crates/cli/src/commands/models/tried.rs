//! `evenhand models try`, and what is kept of it beside the models.

use crate::args::help::{DATA, JUDGE, OUTPUT, PROTOCOL, RUN, STATISTICS};
use crate::args::{ComputeArgs, LimitArgs, PlainOutputArgs, PriceArgs, ReuseArgs, SeedArgs};
use crate::commands::meta::ShownCells;
use crate::commands::verdicts::describe_failures;
use crate::commands::{stop_on_ctrl_c, write_asked};
use crate::job::list_reusable;
use crate::{Done, Failed};
use clap::Args;
use evenhand_engine::{Found, JudgeSpec, NamedJudges, protocol_named, write_whole_file};
use evenhand_hub::{find_known, models_folder};
use evenhand_models::gguf::describe;
use evenhand_protocols::ProtocolOptions;
use evenhand_ranking::check_level;
use evenhand_report::{tryout_csv, tryout_json, tryout_table};
use evenhand_store::FileLock;
use evenhand_studies::study::LiveOptions;
use evenhand_studies::tryout::{
    SetName, TriedModel, TriedWay, TryOptions, read_set_name, try_models as try_each,
};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The level at which models that were tried are compared.
pub(super) const LEVEL: f64 = 0.95;

/// Which models are tried, and in which ways.
#[derive(Clone, Debug, Args)]
pub(crate) struct TryArgs {
    /// A GGUF file, a name of `models get`, hf:OWNER/REPO, or any judge
    ///
    /// As for `rank --judge`: gguf:PATH, openai:MODEL, simulated[:SPEC], or a name from the
    /// configuration. Several are tried one after the other, and compared.
    #[arg(value_name = "MODEL", required_unless_present = "judge")]
    pub(crate) models: Vec<String>,
    /// A further judge to try, like MODEL
    #[arg(long, value_name = "JUDGE", help_heading = JUDGE)]
    pub(crate) judge: Vec<String>,
    /// The configuration's judges.
    #[arg(skip)]
    pub(crate) judges: NamedJudges,
    /// A protocol to ask with; may be given several times
    ///
    /// [default: for a GGUF file likelihood:novel,surprisal=0.1 and pairwise/direct/swap, for a
    /// reward model reward, else pairwise/direct/swap]. A pairwise protocol is counted in each
    /// order, and, where there are probabilities, by the mean of both.
    #[arg(long, value_name = "PROTOCOL", help_heading = PROTOCOL)]
    pub(crate) way: Vec<String>,
    /// Only the first N pairs of the set, 4 or more
    ///
    /// Every four pairs are balanced by length and by place. Results on a part of the set are not
    /// kept.
    #[arg(long, value_name = "N", help_heading = DATA)]
    pub(crate) pairs: Option<usize>,
    /// Where to keep the calls
    ///
    /// [default: a directory under runs/ named after the judge]
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    /// Coverage of the intervals
    #[arg(long, default_value_t = LEVEL, help_heading = STATISTICS)]
    pub(crate) level: f64,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Also write the result to FILE as JSON
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: PlainOutputArgs,
}

/// Tries models as judges on the built-in labelled pairs.
pub(super) fn try_models(args: &TryArgs) -> Result<Done, Failed> {
    // What is cheap to check comes first.
    check_level(args.level)?;
    let prices = args.prices.table()?;
    let limits = args.limits.checked(&prices)?;
    let mut models = Vec::new();
    for name in args.models.iter().chain(&args.judge) {
        let judge = find_model(name, &args.judges)?;
        let ways = match args.way.is_empty() {
            true => usual_ways(&judge).into_iter().map(String::from).collect(),
            false => args.way.clone(),
        };
        models.push(TryOptions {
            ways: ways
                .iter()
                .map(|way| protocol_named(way, &ProtocolOptions::default()))
                .collect::<Result<_, _>>()?,
            run: args.run.clone(),
            judge,
        });
    }
    let specs: Vec<JudgeSpec> = models.iter().map(|model| model.judge.clone()).collect();
    let live = LiveOptions {
        judge: args.compute.judge_options(false, 0.0),
        limits,
        prices,
        machine: None,
        reuse: list_reusable(&args.reuse, Found::All)?,
        shared: args.reuse.shared_place()?,
        stop: stop_on_ctrl_c()?,
    };
    let mut watch = ShownCells::new(args.output.quiet);
    let settings = (args.level, args.seed.seed);
    let mut report = try_each(models, args.pairs, settings, &live, &mut watch)?;

    for (spec, tried) in specs.iter().zip(&report.models) {
        // A model on this machine is known by its file; a part of the set says too little.
        let JudgeSpec::Gguf(path) = spec else {
            continue;
        };
        let (pairs, of) = (report.set.pairs, report.set.of);
        let kept = match pairs == of {
            true => keep(path, &report.set, tried),
            false => Err(format!("it is of {pairs} of {of} pairs")),
        };
        if let Err(why) = kept {
            let why = format!("the result is not kept for `evenhand models`: {why}");
            report.warnings.push(why);
        }
    }
    args.output.format.print(
        || tryout_table(&report, args.output.verbose.view()),
        || tryout_json(&report),
        || tryout_csv(&report),
    )?;
    if let Some(file) = &args.out {
        let json = tryout_json(&report).map_err(Failed::unprintable)?;
        write_asked(file, json.as_bytes())?;
    }
    let has_verdicts = |model: &TriedModel| model.ways.iter().any(|way| way.verdicts > 0);
    match report.models.iter().find(|model| !has_verdicts(model)) {
        None => Ok(Done::Fine),
        Some(model) => Err(Failed::Judge(format!(
            "{} came to no verdict in any way. {}",
            model.judge,
            describe_failures(&model.failures, Path::new(&model.run))
        ))),
    }
}

/// Finds the judge that a name means: one of the configuration, a model of `models get`, a file, or
/// any other judge.
fn find_model(name: &str, known: &NamedJudges) -> Result<JudgeSpec, Failed> {
    let spec = match find_known(name) {
        _ if known.contains_key(name) => JudgeSpec::named(name, known)?,
        Some(model) => {
            let file = models_folder().join(model.file);
            if !file.is_file() {
                return Err(Failed::usage(format!(
                    "{name}: it is not on this machine; `evenhand models get {name}` fetches it"
                )));
            }
            JudgeSpec::Gguf(file)
        }
        None if name.ends_with(".gguf")
            && !name.starts_with("gguf:")
            && !name.starts_with("hf:") =>
        {
            JudgeSpec::Gguf(name.into())
        }
        None => JudgeSpec::named(name, known)?,
    };
    if let JudgeSpec::Gguf(path) = &spec
        && let Err(why) = path.metadata()
    {
        return Err(Failed::unreadable(path.display(), why));
    }
    Ok(spec)
}

/// Returns the ways in which a judge is asked where none is named.
fn usual_ways(judge: &JudgeSpec) -> Vec<&'static str> {
    match judge {
        judge if judge.gives_rewards() => vec!["reward"],
        JudgeSpec::Gguf(_) => vec!["likelihood:novel,surprisal=0.1", "pairwise/direct/swap"],
        _ => vec!["pairwise/direct/swap"],
    }
}

/// A model that was tried, as it is kept beside the models.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    set: SetName,
    ways: Vec<TriedWay>,
}

/// Returns the file in which is kept what was found of a model with this digest.
fn kept_file(sha256: &str) -> PathBuf {
    models_folder().join("tried").join(format!("{sha256}.json"))
}

/// Reads what is kept of a model; nothing where it was tried on another set, or not at all.
fn read_kept(sha256: &str, set: &SetName) -> Vec<TriedWay> {
    let text = fs::read_to_string(kept_file(sha256)).unwrap_or_default();
    match serde_json::from_str::<Kept>(&text) {
        Ok(kept) if kept.set == *set => kept.ways,
        _ => Vec::new(),
    }
}

/// Keeps what was found of a model, beside the other ways in which it was tried before.
fn keep(path: &Path, set: &SetName, tried: &TriedModel) -> Result<(), String> {
    let sha256 = describe(path).map_err(|error| error.to_string())?.sha256;
    let file = kept_file(&sha256);
    fs::create_dir_all(models_folder().join("tried")).map_err(|error| error.to_string())?;
    let _own = FileLock::wait(&file).map_err(|error| error.to_string())?;
    // An attempt without a verdict takes the place of none that had some.
    let mut new: Vec<TriedWay> = tried.tried_ways().collect();
    new.retain(|way| !way.credits.is_empty());
    let mut ways = read_kept(&sha256, set);
    ways.retain(|old| new.iter().all(|new| new.way != old.way));
    ways.extend(new);
    let kept = Kept {
        set: set.clone(),
        ways,
    };
    let text = serde_json::to_string(&kept).map_err(|error| error.to_string())?;
    write_whole_file(&file, text.as_bytes()).map_err(|why| format!("{}: {why}", file.display()))
}

/// Returns the ways in which the model of this digest was tried on this machine, under the name of
/// a judge.
pub(super) fn ways_of(sha256: &str, judge: &str) -> Result<Vec<TriedWay>, Failed> {
    let ways = read_kept(sha256, &read_set_name()?).into_iter();
    let named = ways.map(|way| TriedWay {
        judge: judge.into(),
        ..way
    });
    Ok(named.collect())
}
