//! The command line.

mod align;
mod audit;
mod batch;
mod bench;
mod check;
mod choices;
mod help;
mod install;
mod limits;
mod meta;
mod meta_judge;
mod meta_study;
mod output;
mod prompts;
mod records;
mod reuse;
mod runs;
mod version;

pub(crate) use align::{AlignArgs, AlignFormat, SegmentationBy, SimilarityBy};
pub(crate) use audit::{AuditArgs, AuditCommand, TweakSetArgs};
pub(crate) use batch::{BatchCommand, ExportArgs, ImportArgs};
pub(crate) use bench::BenchArgs;
pub(crate) use check::CheckArgs;
pub(crate) use choices::{AdjustBy, BothBadAs, Ci, ClusterBy, Format, Scale};
pub(crate) use help::command;
pub(crate) use install::{CompletionsArgs, ManArgs};
pub(crate) use limits::LimitArgs;
pub(crate) use meta::{BencherArgs, MetaCommand};
pub(crate) use meta_judge::MetaJudgeArgs;
pub(crate) use meta_study::StudyArgs;
pub(crate) use output::{OutputArgs, view};
pub(crate) use prompts::{PromptsCommand, RenderArgs, RenderFormat};
pub(crate) use records::{FilterArgs, RecordArgs};
pub(crate) use reuse::ReuseArgs;
pub(crate) use runs::RunsArgs;

use crate::topics;
use choices::scale;
use clap::builder::Styles;
use clap::{Args, Parser, Subcommand};
use evenhand_engine::{Aggregation, CertainFor, NamedJudges, Until};
use evenhand_formats::StyleCovariate;
use evenhand_protocols::Scale as JudgeScale;
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(name = "evenhand", version, about, styles = Styles::plain(), args_override_self = true)]
#[command(
    long_about = "Ranks language-model systems with language-model judges, and says how far the \
                  ranking can be trusted.\n\nstdout is data, stderr is talk. Exit codes: 0 done, 1 \
                  failed, 2 bad usage or input, 3 a --fail-if condition met."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan, judge, aggregate, rank, report: the main job
    #[command(args_override_self = true)]
    Rank(RankArgs),
    /// Judgments, battles or scores that exist already, to a ranking
    #[command(args_override_self = true)]
    Leaderboard(LeaderboardArgs),
    /// Judgments only
    #[command(args_override_self = true)]
    Judge(JudgeArgs),
    /// Calls, tokens, cost and the smallest difference that can be seen, before asking
    #[command(args_override_self = true)]
    Estimate(RankArgs),
    /// Requests as batch files for a provider or an offline runner, and their results
    #[command(subcommand)]
    Batch(BatchCommand),
    /// How well judges and benchers agree with people
    #[command(subcommand)]
    Meta(MetaCommand),
    /// A judge's biases, by paired questions: one thing is changed that must not matter
    #[command(args_override_self = true, mut_arg("data", |arg| arg.required(false)))]
    Audit(Box<AuditArgs>),
    /// How well responses keep verifiable constraints (IFEval's), with no judge
    #[command(args_override_self = true)]
    Check(CheckArgs),
    /// How PORTIA splits and aligns pairs of answers, with no judge
    #[command(args_override_self = true)]
    Align(AlignArgs),
    /// The prompts: which there are, their text, and what a judge would be sent
    #[command(subcommand)]
    Prompts(PromptsCommand),
    /// The runs that are kept: when, what, by which judge and protocol, at what cost
    Runs(RunsArgs),
    /// Local models that are there, and how to get one
    Models(ModelsArgs),
    /// A script that completes commands and options in a shell
    Completions(CompletionsArgs),
    /// Manual pages, one for each command
    Man(ManArgs),
    /// What the scores of each aggregation mean
    #[command(long_about = topics::AGGREGATIONS)]
    Aggregations,
    /// The protocols: forms, reasoning, calibration
    #[command(long_about = topics::describe_protocols())]
    Protocols,
    /// The judges, and a simulated judge's defects
    #[command(long_about = topics::JUDGES)]
    Judges,
}

impl Command {
    /// Puts the configuration's judges where names are looked up.
    pub(crate) fn know(&mut self, judges: NamedJudges) {
        match self {
            Command::Rank(args) | Command::Estimate(args) => args.run.judges = judges,
            Command::Judge(args) => args.run.judges = judges,
            Command::Batch(BatchCommand::Export(args)) => args.run.judges = judges,
            Command::Meta(MetaCommand::Judge(args)) => args.run.judges = judges,
            Command::Audit(args) => args.judges = judges,
            _ => {}
        }
    }
}

/// What is judged.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataArgs {
    /// Files or directories with items and responses
    ///
    /// See docs/formats.md.
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub(crate) data: Vec<PathBuf>,
    /// Only the first N items
    #[arg(long, value_name = "N")]
    pub(crate) items: Option<usize>,
    /// Only these systems
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub(crate) systems: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    /// Which field is which, for files of no known format
    ///
    /// As NAME=FIELD,...: output=answer,item=question_id,... (see docs/formats.md).
    #[arg(long, value_name = "NAME=FIELD,...")]
    pub(crate) map: Option<String>,
    /// The files' format, where it is not recognised
    ///
    /// One of the names in docs/formats.md.
    #[arg(long, value_name = "NAME")]
    pub(crate) input_format: Option<String>,
    /// Go on although some systems lack responses to some items
    #[arg(long)]
    pub(crate) allow_missing: bool,
}

/// How a judge is asked.
#[derive(Clone, Debug, Args)]
pub(crate) struct AskArgs {
    /// How it is asked: a preset, or form[/reasoning[/calibration[/rubric]]]
    ///
    /// See `evenhand help protocols`. [default: pairwise/direct/swap;
    /// likelihood:novel,surprisal=0.1 for a small local model]
    #[arg(long)]
    pub(crate) protocol: Option<String>,
    /// Which pairs of responses are compared
    ///
    /// One of all-pairs, reference:SYSTEM, sample:K, labelled, adaptive.
    #[arg(long, default_value = "all-pairs")]
    pub(crate) design: String,
    /// A directory with prompt files that replace built-in ones
    ///
    /// Each takes the place of the built-in one of its name.
    #[arg(long, value_name = "DIR")]
    pub(crate) prompt_pack: Option<PathBuf>,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// What decides which judgments are made.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Who judges; several are a panel
    ///
    /// One of openai:MODEL[@BASE_URL], anthropic:MODEL, gguf:PATH, simulated[:SPEC],
    /// recorded:RUN_DIR, panel:FILE (fitted by `meta judge --fit`), or a name from the
    /// configuration. See `evenhand help judges`.
    #[arg(long, required = true)]
    pub(crate) judge: Vec<String>,
    /// The configuration's judges.
    #[arg(skip)]
    pub(crate) judges: NamedJudges,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    /// Verdicts of people in place of the judge's
    ///
    /// A file of --for-review with `preferred` filled in.
    #[arg(long, value_name = "FILE")]
    pub(crate) reviewed: Option<PathBuf>,
    /// Where the run is kept
    ///
    /// [default: a directory under runs/ that is named after the settings]
    #[arg(long, value_name = "DIR")]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    /// Files whose judges may name addresses and keys
    ///
    /// A panel: file that came with data may not, unless it is named here.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) trust: Vec<PathBuf>,
    /// Threads of the embedded judge and of the resampling
    ///
    /// [default: the machine's cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Context of the embedded judge in tokens
    ///
    /// [default: the model's own, at most 8192]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context: Option<u32>,
    /// Prices of judges (TOML), whose rows beat the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Judgments only.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The judge's scale, in forms that have one, such as 1..5 or 0..1:0.1
    #[arg(long, value_parser = judge_scale, value_name = "A..B[:STEP]", help_heading = "Protocol")]
    pub(crate) scale: Option<JudgeScale>,
    /// Write the pairs that the judge is least sure of to FILE, for a person
    ///
    /// As JSON lines; --reviewed takes the file when `preferred` is filled in.
    #[arg(long, value_name = "FILE")]
    pub(crate) for_review: Option<PathBuf>,
    /// The share of the pairs that is written there at most
    #[arg(long, default_value_t = 0.2, value_name = "SHARE")]
    pub(crate) review_share: f64,
}

fn judge_scale(text: &str) -> Result<JudgeScale, String> {
    JudgeScale::parse(text)
        .ok_or_else(|| "expected a scale such as 1..5 or 0..1:0.1, of at most 100 steps".into())
}

/// Judged anew.
#[derive(Clone, Debug, Args)]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) ranking: RankingArgs,
    /// Intervals
    ///
    /// [default: bootstrap; sandwich with --control]
    #[arg(long, value_enum)]
    pub(crate) ci: Option<Ci>,
    /// What is resampled: whole items, or single judgments
    #[arg(long, value_enum, default_value = "item")]
    pub(crate) cluster: ClusterBy,
    /// Weights of strong, slight and equal verdicts
    ///
    /// What a strong, a slight and an equal verdict of pairwise-5point count, such as 3,1,1 or
    /// 6,2,2. [default: by their probabilities, 1 each]
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "STRONG,SLIGHT,EQUAL"
    )]
    pub(crate) strength: Option<Vec<f64>>,
    /// With --design adaptive: what must be certain
    ///
    /// The order of all pairs (order), which K are the best (top:K), or the order of a share S of
    /// all pairs (share:S).
    #[arg(long, value_parser = until, value_name = "order|top:K|share:S", default_value = "order")]
    pub(crate) until: Until,
    /// With --design adaptive: what a certain order is of
    ///
    /// Of these items (items: what judging all of them would give), or of all items such as these,
    /// of which these are a random sample (population), which takes more of them.
    #[arg(long, value_parser = certain_for, value_name = "items|population", default_value = "items")]
    pub(crate) certain_for: CertainFor,
    /// With --design adaptive: the most comparisons (or scores) to make
    ///
    /// [default: as many as there are]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
    /// With --design adaptive: weights of the items
    ///
    /// A table with the columns item and weight: items that are expected to tell most come early.
    #[arg(long, value_name = "FILE")]
    pub(crate) item_weights: Option<PathBuf>,
    /// Take out the effect of the responses' style
    ///
    /// Any of length (in tokens), headings, lists, bold.
    #[arg(long, value_delimiter = ',', value_parser = style, value_name = "NAME,...")]
    pub(crate) control: Vec<StyleCovariate>,
}

fn until(text: &str) -> Result<Until, String> {
    Until::parse(text)
        .ok_or_else(|| "expected order, top:K or share:S with S above 0 and up to 1".into())
}

fn certain_for(text: &str) -> Result<CertainFor, String> {
    CertainFor::parse(text).ok_or_else(|| "expected items or population".into())
}

fn style(name: &str) -> Result<StyleCovariate, String> {
    let names = StyleCovariate::ALL.map(StyleCovariate::name).join(", ");
    StyleCovariate::named(name).ok_or_else(|| format!("expected one of {names}"))
}

/// What decides how judgments become a ranking.
#[derive(Clone, Debug, Args)]
pub(crate) struct RankingArgs {
    /// How judgments become scores
    ///
    /// See `evenhand help aggregations`. [default: mean for scores, else bradley-terry]
    #[arg(long, value_parser = aggregation, value_name = "NAME")]
    pub(crate) aggregate: Option<Aggregation>,
    /// The unit of strengths, or the judge's scale
    ///
    /// The unit of Bradley-Terry, Rao-Kupper and Davidson scores (elo or log-odds), or the scale on
    /// which the judge scores, such as 1..5 or 0..1:0.1.
    #[arg(long, value_parser = scale, value_name = "elo|log-odds|A..B[:STEP]", default_value = "elo")]
    pub(crate) scale: Scale,
    /// Ridge prior on Bradley-Terry strengths
    ///
    /// On log-odds, of variance 1/WEIGHT: every score is finite, and shrunk.
    #[arg(long, value_name = "WEIGHT")]
    pub(crate) prior: Option<f64>,
    /// Bootstrap resamples
    #[arg(long, default_value_t = 1000)]
    pub(crate) rounds: usize,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95)]
    pub(crate) level: f64,
    /// Compare all pairs of systems, with p-values
    #[arg(long)]
    pub(crate) differences: bool,
    /// How those p-values are adjusted for their number
    ///
    /// Jointly by the resamples (by holm where there are none), by holm, by bh, or not at all.
    #[arg(long, value_enum, default_value = "joint")]
    pub(crate) adjust: AdjustBy,
    /// Seek the fewest judgments whose removal changes the leader
    #[arg(long)]
    pub(crate) drop: bool,
    /// Average Elo ratings over N seeded orders of the games
    ///
    /// With --aggregate elo --ci none.
    #[arg(long, value_name = "N")]
    pub(crate) permutations: Option<usize>,
}

fn aggregation(name: &str) -> Result<Aggregation, String> {
    let found = Aggregation::ALL
        .into_iter()
        .find(|aggregation| aggregation.name() == name);
    let names: Vec<&str> = Aggregation::ALL
        .iter()
        .map(|aggregation| aggregation.name())
        .collect();
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// What is read, and how it is ranked.
#[derive(Clone, Debug, Args)]
pub(crate) struct LeaderboardArgs {
    /// Battles, counts, recorded judgments or scores
    ///
    /// CSV, JSON lines or Parquet; .gz too (see docs/formats.md). A directory stands for its files.
    #[arg(
        required_unless_present = "length_control_weights",
        value_name = "FILE"
    )]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) ranking: RankingArgs,
    /// Intervals
    ///
    /// [default: bootstrap; sandwich with --control; their own with --labels and --length-control]
    #[arg(long, value_enum)]
    pub(crate) ci: Option<Ci>,
    /// What is resampled together
    ///
    /// Items, single judgments (none), or whatever has the same value in a COLUMN. [default: items
    /// where files name them]
    #[arg(long, value_name = "item|none|COLUMN")]
    pub(crate) cluster: Option<String>,
    /// The column with the first system [default: model_a or left]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) left: Option<String>,
    /// The column with the second system [default: model_b or right]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) right: Option<String>,
    /// The column with the winner [default: winner]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) winner: Option<String>,
    /// The column with a weight for each battle [default: weight, where there is one]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// What ties are where both responses are bad
    ///
    /// A tie, or kept apart and not counted for either. [default: tie; apart for models of ties]
    #[arg(long, value_enum, value_name = "AS")]
    pub(crate) both_bad: Option<BothBadAs>,
    /// Take out the effect of covariates
    ///
    /// Columns of differences, or A/B for two columns; length for AlpacaEval files.
    #[arg(long, value_delimiter = ',', value_name = "COLUMN,A/B,...")]
    pub(crate) control: Vec<String>,
    /// Columns with the two responses' texts, for --control
    ///
    /// Length, headings, lists and bold are counted in the first and in the second response's text.
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "COLUMN_A,COLUMN_B"
    )]
    pub(crate) texts: Option<Vec<String>>,
    /// People's labels of some of what FILE judges
    ///
    /// Comparisons or scores, in any format of judgments: the ranking is then prediction-powered.
    #[arg(long, num_args = 1.., value_name = "LABELS")]
    pub(crate) labels: Vec<PathBuf>,
    /// Length-controlled win rates, as AlpacaEval's
    ///
    /// For AlpacaEval annotations, or preferences against their one reference.
    #[arg(long)]
    pub(crate) length_control: bool,
    /// Published weights of models, in place of FILE
    ///
    /// AlpacaEval's: model, w_length, w_difficulty, w_model, or its own names of these columns;
    /// with --instruction-difficulty. The rates are those that it publishes.
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) length_control_weights: Option<PathBuf>,
    /// Published difficulties of instructions, for --length-control
    ///
    /// A table with instruction_difficulty, and instruction_id unless its rows are in order. They
    /// are otherwise fitted over the models of FILE.
    #[arg(long, value_name = "DIFFICULTIES")]
    pub(crate) instruction_difficulty: Option<PathBuf>,
    /// The files' format, where it is not recognised
    ///
    /// One of battles, counts, or a name of docs/formats.md.
    #[arg(long, value_name = "NAME")]
    pub(crate) input_format: Option<String>,
    /// The file holds counts
    ///
    /// With the columns model_a, model_b, wins_a, wins_b, ties; otherwise recognised by these.
    #[arg(long)]
    pub(crate) counts: bool,
    /// The column of a file of scores with the system [default: system or model]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) system_column: Option<String>,
    /// The column with the item [default: item, question_id or id]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) item_column: Option<String>,
    /// The column with the score [default: score]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) score_column: Option<String>,
    /// Only these systems
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub(crate) systems: Option<Vec<String>>,
    /// The baseline of Arena-Hard judgments that do not name theirs
    #[arg(long, value_name = "SYSTEM")]
    pub(crate) baseline: Option<String>,
    /// MT-Bench pairs: a win counts only if both games say so, else a tie
    #[arg(long)]
    pub(crate) both_games: bool,
    /// Weights of strong, slight and equal verdicts
    ///
    /// What a strong, a slight and an equal verdict on a five-step scale count, such as 3,1,1 or
    /// 6,2,2. [default: 1 each]
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "STRONG,SLIGHT,EQUAL"
    )]
    pub(crate) strength: Option<Vec<f64>>,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Threads [default: the machine's cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ModelsArgs {
    /// GGUF files to describe [default: those in the cache directory]
    pub(crate) paths: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
    /// Write the one named model to FILE as Q8_0
    ///
    /// A CPU reads Q8_0 1.7 times as fast as Q4_1.
    #[arg(long, value_name = "FILE")]
    pub(crate) requantize: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn every_setting_that_messages_name_is_a_flag() {
        let mut flags = std::collections::BTreeSet::new();
        collect_flags(&super::Cli::command(), &mut flags);
        for setting in evenhand_core::Setting::ALL {
            assert!(
                flags.contains(setting.name()),
                "no command has --{}",
                setting.name()
            );
        }
    }

    fn collect_flags(command: &clap::Command, flags: &mut std::collections::BTreeSet<String>) {
        flags.extend(
            command
                .get_arguments()
                .filter_map(|flag| Some(flag.get_long()?.into())),
        );
        for inner in command.get_subcommands() {
            collect_flags(inner, flags);
        }
    }
}
