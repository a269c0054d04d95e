//! The settings that decide which judgments are made, shared by all commands that ask a judge: who
//! judges and who takes part beside, how a judge is asked, and the most that it may take.

use super::choices::{names, parse_if};
use super::help::{DATA, JUDGE, LIMITS, PROTOCOL, RUN};
use super::{DataArgs, OutputArgs, ThreadArgs};
use crate::Failed;
use crate::data::read_text;
use clap::Args;
use evenhand_core::FailureKind;
use evenhand_engine::{
    EngineError, Job, JudgeOptions, Limits, NamedJudges, PriceTable, Shard, SharedPlace, load_pack,
};
use evenhand_models::{GpuLayers, HAS_BACK_END, NO_BACK_END};
use evenhand_protocols::{Pack, Panel, Scale as JudgeScale};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The settings that decide which judgments are made.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The judge; give several for a panel
    ///
    /// Such as openai:MODEL[@BASE_URL], anthropic:MODEL, ollama:MODEL, gguf:PATH, exec:PROGRAM,
    /// simulated[:SPEC], recorded:RUN_DIR, panel:FILE (fitted by `evenhand meta judge --fit`), or
    /// a name from the configuration. `evenhand help judges` lists all.
    #[arg(long, required = true, help_heading = JUDGE)]
    pub(crate) judge: Vec<String>,
    /// The configuration's judges.
    #[arg(skip)]
    pub(crate) judges: NamedJudges,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    /// Do not ask servers to hold replies to a JSON schema
    ///
    /// With a schema, a verdict that comes with reasoning or without probabilities is a field of a
    /// JSON object, so it need not be found in prose. One probe call shows whether a server can do
    /// it.
    #[arg(long, help_heading = LIMITS)]
    pub(crate) free_replies: bool,
    /// People's verdicts, which replace the judge's
    ///
    /// A file written by --for-review, with `preferred` filled in.
    #[arg(long, value_name = "FILE", help_heading = DATA)]
    pub(crate) reviewed: Option<PathBuf>,
    /// Where the run is kept
    ///
    /// [default: a directory under runs/ named after the settings]
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) name: NameArgs,
    /// Keep every prompt in full in the run
    ///
    /// For other programs that read run.sqlite. Without it, texts that prompts share are kept once,
    /// and a run is many times smaller. `show` and `view` show the prompts either way.
    #[arg(long, help_heading = RUN)]
    pub(crate) keep_prompts: bool,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    /// Files whose judges may name addresses and keys
    ///
    /// A panel: file that came with data may not, unless you name it here.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = LIMITS)]
    pub(crate) trust: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Names a run.
#[derive(Clone, Debug, Args)]
pub(crate) struct NameArgs {
    /// The run's name in lists, pages and sites
    ///
    /// It is kept with the run and replaces an earlier name. It does not change what is asked.
    #[arg(long, value_name = "NAME", value_parser = parse_label, help_heading = RUN)]
    pub(crate) name: Option<String>,
}

/// The most characters of a run's name.
const LONGEST_LABEL: usize = 100;

/// Reads what a run or a ranking is called: a line of text.
pub(crate) fn parse_label(text: &str) -> Result<String, String> {
    let label = text.trim();
    let length = label.chars().count();
    if length == 0 {
        return Err("expected a name; leave it out for none".into());
    }
    if length > LONGEST_LABEL {
        return Err(format!(
            "it has {length} characters; expected at most {LONGEST_LABEL}"
        ));
    }
    if label.chars().any(char::is_control) {
        return Err("expected one line, without control characters".into());
    }
    Ok(label.to_owned())
}

/// The machine that an embedded judge may use.
#[derive(Clone, Debug, Args)]
pub(crate) struct ComputeArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Context of the embedded judge in tokens
    ///
    /// [default: the model's own, at most 8192]
    #[arg(long, value_name = "TOKENS", help_heading = JUDGE)]
    pub(crate) context: Option<u32>,
    #[command(flatten)]
    pub(crate) gpu: GpuArgs,
}

/// How much of an embedded model a graphics device evaluates.
#[derive(Clone, Debug, Args)]
pub(crate) struct GpuArgs {
    /// Layers of a GGUF model on a graphics device: a number, all or none
    ///
    /// The device and its layers are part of the judge's name, so replies of a CPU and a GPU are
    /// never mixed. [default: as many as fit in its memory if the program was built for one, else
    /// none]
    #[arg(long, value_name = "N", value_parser = parse_gpu_layers, help_heading = JUDGE)]
    pub(crate) gpu_layers: Option<GpuLayers>,
}

fn parse_gpu_layers(text: &str) -> Result<GpuLayers, String> {
    let layers = GpuLayers::parse(text).ok_or("expected a number of layers, all or none")?;
    match layers {
        GpuLayers::Count(0) => Ok(layers),
        _ if HAS_BACK_END => Ok(layers),
        _ => Err(NO_BACK_END.into()),
    }
}

impl ComputeArgs {
    /// Returns the options that a judge is opened with.
    pub(crate) fn judge_options(&self, raw_marks: bool, temperature: f64) -> JudgeOptions {
        JudgeOptions {
            threads: self.threads.threads,
            context: self.context,
            gpu_layers: self.gpu.gpu_layers,
            raw_marks,
            free_replies: false,
            temperature,
        }
    }
}

/// Which other runs' replies are reused.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ReuseArgs {
    /// Runs, or folders of runs, whose replies are reused
    ///
    /// A reply is reused wherever the request is the same, even if it comes from an audit, a study
    /// or a run of other items, systems or protocols. Runs under runs/ are reused too, unless
    /// --no-reuse is given. A simulated judge costs nothing and is asked again, except where its
    /// run is named here.
    #[arg(long, num_args = 1.., value_name = "RUN_DIR", help_heading = RUN)]
    pub(crate) reuse: Vec<PathBuf>,
    /// Reuse nothing from the runs under runs/
    #[arg(long, help_heading = RUN)]
    pub(crate) no_reuse: bool,
    /// A store of replies that a team shares: a directory, s3://.., postgres://..
    ///
    /// Replies found there are not asked for again, and new ones are added. The run keeps all that
    /// it uses. Written s3://BUCKET/FOLDER (gs://, az://), or postgres://USER@HOST/DATABASE with
    /// the password in PGPASSWORD.
    #[arg(long, value_name = "URL", help_heading = RUN)]
    pub(crate) store: Option<StoreUrl>,
    /// A file with the key that signs shared replies
    ///
    /// Entries of the store without a matching signature are refused. [default: the key in
    /// EVENHAND_STORE_KEY, if set]
    #[arg(long, value_name = "FILE", requires = "store", help_heading = RUN)]
    pub(crate) store_key_file: Option<PathBuf>,
}

/// The address of a shared store as it was written, which may hold a password.
#[derive(Clone)]
pub(crate) struct StoreUrl(String);

impl FromStr for StoreUrl {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<StoreUrl, Self::Err> {
        Ok(StoreUrl(text.into()))
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreUrl")
    }
}

impl ReuseArgs {
    /// Reads where the shared store is, and the key that signs replies, if one is set.
    pub(crate) fn shared_place(&self) -> Result<Option<SharedPlace>, Failed> {
        let Some(StoreUrl(url)) = &self.store else {
            return Ok(None);
        };
        let variable = |name: &str| std::env::var(name).ok();
        let key = match &self.store_key_file {
            Some(path) => Some(read_text("--store-key-file", path)?),
            None => variable("EVENHAND_STORE_KEY"),
        };
        if key.as_deref() == Some("") {
            return Err(Failed::usage(
                "EVENHAND_STORE_KEY is set and empty, so nothing would be signed; give it the key, \
                 or unset it",
            ));
        }
        let place = SharedPlace::read(url, key.as_deref(), variable);
        Ok(Some(
            place.map_err(|e| Failed::usage(format!("--store: {e}")))?,
        ))
    }
}

/// Which part of the items is judged.
#[derive(Clone, Debug, Args)]
pub(crate) struct ShardArgs {
    /// Judge one part of the items: 1/4 to 4/4 on four machines
    ///
    /// `merge` makes one run of the parts. All items of one question go to the same part.
    #[arg(long, value_name = "PART/OF", help_heading = RUN)]
    pub(crate) shard: Option<Shard>,
}

impl ShardArgs {
    /// Leaves of a job what is of the shard.
    pub(crate) fn of_job(&self, job: Job) -> Result<Job, EngineError> {
        match self.shard {
            Some(shard) => Ok(job.of_shard(shard)?),
            None => Ok(job),
        }
    }
}

/// The prices of judges.
#[derive(Clone, Debug, Args)]
pub(crate) struct PriceArgs {
    /// Prices of judges (TOML), which override the built-in ones
    #[arg(long, value_name = "FILE", help_heading = RUN)]
    pub(crate) prices: Option<PathBuf>,
}

impl PriceArgs {
    /// Returns the built-in prices, overlaid with those of the file.
    pub(crate) fn table(&self) -> Result<PriceTable, Failed> {
        read_prices(self.prices.as_deref())
    }
}

/// Reads a file of prices over the built-in ones.
pub(crate) fn read_prices(file: Option<&Path>) -> Result<PriceTable, Failed> {
    let Some(path) = file else {
        return Ok(PriceTable::built_in());
    };
    let text = read_text("--prices", path)?;
    Ok(PriceTable::built_in().with(&text, &path.display().to_string())?)
}

/// How a judge is asked.
#[derive(Clone, Debug, Args)]
pub(crate) struct AskArgs {
    /// How to ask: a preset, or form[/reasoning[/calibration[/rubric]]]
    ///
    /// See `evenhand help protocols`. Without a calibration, verdicts of GGUF models are averaged
    /// over both orders (swap:average). [default: pairwise/direct/swap;
    /// pairwise/direct/swap:average for GGUF models; likelihood:novel,surprisal=0.1 for a small
    /// one]
    #[arg(long, help_heading = PROTOCOL)]
    pub(crate) protocol: Option<String>,
    /// Which pairs of responses are compared
    ///
    /// One of all-pairs, reference:SYSTEM, sample:K, labelled, adaptive, swiss:ROUNDS, swim.
    #[arg(long, default_value = "all-pairs", help_heading = PROTOCOL)]
    pub(crate) design: String,
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Count a verdict as a failure if its probabilities contradict its text
    ///
    /// That is, if the judge's most probable answer is not the one that it states in words.
    #[arg(long, help_heading = LIMITS)]
    pub(crate) strict_reading: bool,
    /// Seed of all random draws
    #[arg(long, default_value_t = 0, help_heading = RUN)]
    pub(crate) seed: u64,
}

impl AskArgs {
    /// Reads the prompts, and how replies to them are read.
    pub(crate) fn load_pack(&self) -> Result<Pack, Failed> {
        let pack = self.pack.load()?;
        Ok(match self.strict_reading {
            true => pack.read_strictly(),
            false => pack,
        })
    }
}

/// Which prompts are used.
#[derive(Clone, Debug, Args)]
pub(crate) struct PackArgs {
    /// A directory of prompt files that replace built-in ones
    ///
    /// Each file replaces the built-in prompt of the same name.
    #[arg(long, value_name = "DIR", help_heading = PROTOCOL)]
    pub(crate) prompt_pack: Option<PathBuf>,
}

impl PackArgs {
    /// Reads the pack, or returns the built-in prompts where none is named.
    pub(crate) fn load(&self) -> Result<Pack, Failed> {
        match &self.prompt_pack {
            Some(dir) => Ok(load_pack(dir)?),
            None => Ok(Pack::default()),
        }
    }
}

/// The scale that a judge scores on, where `--scale` means nothing else.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgeScaleArgs {
    /// The judge's scale, in forms that have one, such as 1..5 or 0..1:0.1
    #[arg(
        long, value_parser = parse_judge_scale, value_name = "A..B[:STEP]", help_heading = PROTOCOL
    )]
    pub(crate) scale: Option<JudgeScale>,
}

fn parse_judge_scale(text: &str) -> Result<JudgeScale, String> {
    JudgeScale::parse(text)
        .ok_or_else(|| "expected a scale such as 1..5 or 0..1:0.1, of at most 100 steps".into())
}

/// How the verdicts of several judges become one, who reads them and who embeds.
#[derive(Clone, Debug, Args)]
pub(crate) struct BenchArgs {
    /// How to combine the verdicts of several judges
    ///
    /// mean; majority, the side that most judges prefer; or escalate:SHARE, which asks the next
    /// judge only where the two sides of a verdict are less than SHARE apart. [default: mean; for
    /// meta judge, each judge by itself]
    #[arg(long, value_parser = parse_panel, value_name = "RULE", help_heading = JUDGE)]
    pub(crate) panel: Option<Panel>,
    /// Who reads a verdict that the strict reader cannot read
    ///
    /// The judge itself (same), or another judge.
    #[arg(long, value_name = "same|JUDGE", help_heading = JUDGE)]
    pub(crate) second_stage: Option<String>,
    /// The model that embeds responses, for protocols that align by embeddings
    ///
    /// Such as portia:3,embedding. [default: the judge itself]
    #[arg(long, value_name = "JUDGE", help_heading = JUDGE)]
    pub(crate) embedder: Option<String>,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) marks: MarkArgs,
}

/// How judges choose their words.
#[derive(Clone, Debug, Args)]
pub(crate) struct SamplingArgs {
    /// Temperature at which judges write, 0 to 2
    ///
    /// At 0 the judge takes the likeliest word, but samples of mec and self-consistency are then
    /// drawn at 1. It does not rescale the probabilities of a verdict.
    #[arg(
        long, value_name = "T", default_value = "0", value_parser = parse_temperature,
        help_heading = JUDGE
    )]
    pub(crate) temperature: f64,
}

fn parse_temperature(text: &str) -> Result<f64, String> {
    let is_allowed = |temperature: &f64| (0.0..=2.0).contains(temperature);
    parse_if(text, is_allowed, "expected a number from 0 to 2".into())
}

/// How marks of chat templates in responses are treated.
#[derive(Clone, Debug, Args)]
pub(crate) struct MarkArgs {
    /// Leave chat template marks such as <|im_end|> as they are
    ///
    /// By default they are broken up in what a server is shown, as it may read them as turns.
    #[arg(long, help_heading = LIMITS)]
    pub(crate) raw_marks: bool,
}

fn parse_panel(name: &str) -> Result<Panel, String> {
    Panel::parse(name)
        .ok_or_else(|| "expected mean, majority, or escalate: and a share from 0.01 to 1".into())
}

/// The most that a run may take.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Stop after N calls for this run; the same command resumes it
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_calls: Option<u64>,
    /// Stop when this run's calls have cost this much; the same command resumes it
    #[arg(long, value_name = "USD", help_heading = LIMITS)]
    pub(crate) max_cost: Option<f64>,
    /// Stop after so many seconds; the same command resumes the run
    #[arg(long, value_name = "SECONDS", help_heading = LIMITS)]
    pub(crate) deadline: Option<f64>,
    /// Go on even if the first 20 trials all fail in the same way
    #[arg(long, help_heading = LIMITS)]
    pub(crate) keep_going: bool,
    /// Ask again where replies failed in these ways, such as unparsed
    ///
    /// One or more of unparsed, refused, truncated, too-long; or all. Use it once the judge or its
    /// settings are fixed. The old replies stay in the run's database and count as paid for. A run
    /// that was stopped resumes where it was.
    #[arg(
        long, value_name = "KIND,...", value_delimiter = ',', hide_possible_values = true,
        value_parser = names(
            MENDABLE.map(FailureKind::name).into_iter().chain(["all"]), parse_failures
        ),
        help_heading = RUN
    )]
    pub(crate) retry: Vec<Failures>,
}

impl LimitArgs {
    /// Returns the limits of a run whose calls cost what the table says.
    ///
    /// # Errors
    /// A limit of no call, or of no time.
    pub(crate) fn checked(&self, prices: &PriceTable) -> Result<Limits, Failed> {
        if self.max_calls == Some(0) {
            return Err(Failed::usage("--max-calls 0: expected at least one call"));
        }
        let time = match self.deadline {
            None => None,
            Some(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(time) if !time.is_zero() => Some(time),
                _ => {
                    return Err(Failed::usage(format!(
                        "--deadline {seconds}: expected seconds above 0"
                    )));
                }
            },
        };
        Ok(Limits {
            calls: self.max_calls,
            cost: self.max_cost.map(|usd| (usd, prices.clone())),
            time,
            // From now on: a command that makes several sessions has the time once.
            since: Some(Instant::now()),
            keep_going: self.keep_going,
            retry: self
                .retry
                .iter()
                .flat_map(|kinds| kinds.iter().copied())
                .collect(),
        })
    }
}

/// One kind of failure, or all that a repaired judge may mend.
pub(crate) type Failures = std::sync::Arc<[FailureKind]>;

/// Kinds that another reply may mend, and that are not asked again without being told.
const MENDABLE: [FailureKind; 4] = [
    FailureKind::Unparsed,
    FailureKind::Refused,
    FailureKind::Truncated,
    FailureKind::TooLong,
];

fn parse_failures(name: &str) -> Result<Failures, String> {
    if name == "all" {
        return Ok(MENDABLE.into());
    }
    match MENDABLE.into_iter().find(|kind| kind.name() == name) {
        Some(kind) => Ok(Failures::from([kind])),
        None => {
            let known = MENDABLE.map(FailureKind::name).join(", ");
            let why = if name == FailureKind::ModelError.name() {
                "such calls are asked again without it; "
            } else {
                ""
            };
            Err(format!("{why}expected some of {known}, or all"))
        }
    }
}
