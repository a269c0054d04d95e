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
    PackArgs, PriceArgs, ReuseArgs, RunArgs, SamplingArgs, ShardArgs, read_prices,
};

use crate::commands::{
    AlignArgs, AuditArgs, BaselineCommand, BatchCommand, CheckArgs, CiteArgs, CompareArgs,
    CompletionsArgs, DemoArgs, JudgeArgs, JudgmentsArgs, LeaderboardArgs, ManArgs, McpArgs,
    MergeArgs, MetaCommand, MigrateArgs, ModelsArgs, PlanArgs, PromptsCommand, PublishArgs,
    RankArgs, RunsArgs, ShowArgs, SiteArgs, StoreCommand, ViewArgs,
};
use crate::topics;
use clap::builder::Styles;
use clap::{Parser, Subcommand};
use evenhand_engine::NamedJudges;

#[derive(Debug, Parser)]
#[command(name = "evenhand", version, about, styles = Styles::plain(), args_override_self = true)]
#[command(
    long_about = "Ranks language-model systems with language-model judges, and says how far the \
                  ranking can be trusted.\n\nstdout is data, stderr is talk. Exit codes: 0 done, 1 \
                  failed, 2 bad usage or input, 3 a --fail-if condition met, 4 one that the data \
                  do not decide."
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
    /// Shows it at work in seconds: no model, no network, no key
    Demo(DemoArgs),
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
    /// Compares two runs, or two systems of one, item by item, and stops a pipeline
    #[command(args_override_self = true)]
    Compare(Box<CompareArgs>),
    /// A run in a file that is small enough to commit, for `compare`
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Another judge for a run: what moves, from as few calls as it takes
    #[command(args_override_self = true)]
    Migrate(Box<MigrateArgs>),
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
    /// A run in one HTML file, to look into it and to hand on
    Report(ReportArgs),
    /// A run in the format of others: Every Eval Ever, LLM Comparator
    Publish(PublishArgs),
    /// Runs as a site of static pages: a list, and a report of each
    Site(SiteArgs),
    /// How many judgments a difference takes, from a pilot run
    #[command(args_override_self = true)]
    Plan(PlanArgs),
    /// The runs that are kept: when, what, by which judge and protocol, at what cost
    Runs(RunsArgs),
    /// Runs of the shards of one job as the run of the whole job
    Merge(MergeArgs),
    /// A store of replies that a team shares: small segments made one
    #[command(subcommand)]
    Store(StoreCommand),
    /// A run in one screen, or a judgment in full: texts, verdicts, the judge's words
    Show(ShowArgs),
    /// The judgments of a run, or those that pass a filter: a table, or with texts
    Judgments(JudgmentsArgs),
    /// Runs in a browser: rankings, judgments row by row, and each in full
    View(ViewArgs),
    /// Lists the papers that a run or a method rests on, and how to cite the program
    Cite(CiteArgs),
    /// Local models that are there, and how to get one
    Models(ModelsArgs),
    /// A script that completes commands and options in a shell
    Completions(CompletionsArgs),
    /// Manual pages, one for each command
    Man(ManArgs),
    /// Prints what an assistant must know to use this program, as a skill in Markdown
    Skill,
    /// Offers commands as tools of an assistant (Model Context Protocol, stdio)
    Mcp(McpArgs),
    /// The meaning of the scores of each aggregation
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
