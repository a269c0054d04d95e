//! The command line.

pub(crate) mod choices;
pub(crate) mod data;
pub(crate) mod help;
mod machine;
pub(crate) mod output;
pub(crate) mod ranking;
mod run;

pub(crate) use choices::{Format, ListedNames, Scale};
pub(crate) use data::{
    DataArgs, FilterArgs, JudgmentArgs, MappingArgs, PartArgs, RecordArgs, RecordingArgs,
    SelectionArgs, SystemsArgs,
};
pub(crate) use help::command;
pub(crate) use machine::MachineArgs;
pub(crate) use output::{
    ConfigArgs, FigureArgs, FigureForm, FiguresArgs, FormatArgs, OutputArgs, PlainOutputArgs,
    QuietArgs, ReportArgs, ReportFileArgs, VerboseArgs,
};
pub(crate) use ranking::{RankingArgs, ResamplingArgs, SeedArgs, ThreadArgs};
pub(crate) use run::{
    AskArgs, BenchArgs, ComputeArgs, GpuArgs, JudgeScaleArgs, LimitArgs, MarkArgs, NameArgs,
    PackArgs, PriceArgs, ReuseArgs, RunArgs, SamplingArgs, ShardArgs, parse_label, read_prices,
};

use crate::commands::batch::BatchCommand;
use crate::commands::meta::MetaCommand;
use crate::commands::prompts::PromptsCommand;
use crate::{commands, topics};
use clap::builder::Styles;
use clap::{Parser, Subcommand};
use evenhand_engine::NamedJudges;

#[derive(Debug, Parser)]
#[command(name = "evenhand", version, about, styles = Styles::plain(), args_override_self = true)]
#[command(
    long_about = "Ranks language-model systems with language-model judges, and says how far the \
                  ranking can be trusted.\n\nResults go to stdout, messages to stderr. Exit codes: \
                  0 done, 1 failed, 2 bad usage or input, 3 a --fail-if condition is met, 4 the \
                  data do not decide a condition."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge responses and rank the systems that gave them: the main command
    #[command(args_override_self = true)]
    Rank(commands::rank::RankArgs),
    /// See evenhand at work in seconds: no model, no network, no key
    Demo(commands::demo::DemoArgs),
    /// Rank systems from existing judgments, battles or scores
    #[command(args_override_self = true)]
    Leaderboard(commands::leaderboard::LeaderboardArgs),
    /// Judge responses without ranking the systems
    #[command(args_override_self = true)]
    Judge(commands::judge::JudgeArgs),
    /// Estimate the calls, tokens, cost and smallest detectable difference of a run
    #[command(args_override_self = true)]
    Estimate(commands::rank::RankArgs),
    /// Judge through a provider's batch API, or through batch files
    #[command(subcommand)]
    Batch(BatchCommand),
    /// Compare two runs, or two systems of one run, item by item; can stop a pipeline
    #[command(args_override_self = true)]
    Compare(Box<commands::compare::CompareArgs>),
    /// Save a run to a file small enough to commit, for `compare`
    #[command(subcommand)]
    Baseline(commands::compare::BaselineCommand),
    /// Change the judge of a run: see what moves, with as few calls as possible
    #[command(args_override_self = true)]
    Migrate(Box<commands::migrate::MigrateArgs>),
    /// Measure how well judges and benchers agree with people
    #[command(subcommand)]
    Meta(MetaCommand),
    /// Audit a judge for biases: change one thing that must not matter, and compare
    #[command(args_override_self = true, mut_arg("data", |arg| arg.required(false)))]
    Audit(Box<commands::audit::AuditArgs>),
    /// Check responses against verifiable constraints (IFEval's), without a judge
    #[command(args_override_self = true)]
    Check(commands::check::CheckArgs),
    /// Show how PORTIA splits and aligns pairs of answers, without a judge
    #[command(args_override_self = true)]
    Align(commands::align::AlignArgs),
    /// List prompts, show their text, or render what a judge would be sent
    #[command(subcommand)]
    Prompts(PromptsCommand),
    /// Write a run as one HTML file, to explore and share
    Report(ReportArgs),
    /// Export a run: Every Eval Ever, LLM Comparator, preference pairs
    Publish(commands::publish::PublishArgs),
    /// Write runs as a static site: a list, and a report of each
    Site(commands::publish::SiteArgs),
    /// Plan how many judgments it takes to detect a difference, from a pilot run
    #[command(args_override_self = true)]
    Plan(commands::plan::PlanArgs),
    /// List runs: when, what, by which judge and protocol, at what cost
    Runs(commands::runs::RunsArgs),
    /// Merge the runs of a job's shards into one run
    Merge(commands::merge::MergeArgs),
    /// Maintain a team's shared store of replies: merge its small segments
    #[command(subcommand)]
    Store(commands::store::StoreCommand),
    /// Show a run on one screen, or a judgment in full: texts, verdicts, replies
    Show(commands::show::ShowArgs),
    /// List a run's judgments, all or filtered, as a table or with their texts
    Judgments(commands::judgments::JudgmentsArgs),
    /// View runs in a browser: rankings, lists of judgments, each judgment in full
    View(commands::view::ViewArgs),
    /// List the papers behind a run or a method, and how to cite evenhand
    Cite(commands::cite::CiteArgs),
    /// List local models, fetch one, or try how well one judges
    Models(commands::models::ModelsArgs),
    /// Print a shell script that completes commands and options
    Completions(commands::install::CompletionsArgs),
    /// Write manual pages, one for each command
    Man(commands::install::ManArgs),
    /// Print a skill in Markdown that teaches an assistant to use evenhand
    Skill,
    /// Offer commands as tools to an assistant (Model Context Protocol, stdio)
    Mcp(commands::mcp::McpArgs),
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
    /// Puts the configuration's judges where the names of judges are looked up.
    pub(crate) fn set_named_judges(&mut self, judges: NamedJudges) {
        let run = match self {
            Command::Rank(args) | Command::Estimate(args) => &mut args.run,
            Command::Judge(args) => &mut args.run,
            Command::Batch(BatchCommand::Export(args)) => &mut args.run,
            Command::Batch(BatchCommand::Run(args)) => &mut args.run,
            Command::Meta(MetaCommand::Judge(args)) => &mut args.run,
            Command::Meta(MetaCommand::Fit(args)) => &mut args.run,
            Command::Meta(MetaCommand::Consistency(args)) => &mut args.run,
            Command::Audit(args) => {
                args.judges = judges;
                return;
            }
            Command::Prompts(PromptsCommand::Render(args)) => {
                args.judges = judges;
                return;
            }
            Command::Migrate(args) => {
                args.judges = judges;
                return;
            }
            Command::Models(args) => {
                args.set_named_judges(judges);
                return;
            }
            _ => return,
        };
        run.judges = judges;
    }
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
        for setting in evenhand_core::Setting::all() {
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
