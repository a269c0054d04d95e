//! Help: every option under a heading, and the ones that most runs need in `-h`.

use super::Cli;
use clap::{Arg, ArgAction, Command, CommandFactory};

/// Options to a command up to which `-h` shows them all.
const FEW: usize = 12;

/// Headings, and the options under each: one name stands under one heading in all commands, unless
/// a command gives it its own.
const HEADINGS: [(&str, &[&str]); 8] = [
    (
        "Data",
        &[
            "data",
            "items",
            "systems",
            "pair",
            "anchors",
            "turn",
            "reference_answers",
            "trajectory_budget",
            "show_thinking",
            "where",
            "map",
            "outcomes",
            "input_format",
            "allow_missing",
            "skip_bad",
            "allow_duplicates",
            "recorded",
            "labels",
            "gold",
            "notation",
            "reviewed",
            "ranking",
            "ratings",
            "names",
            "tweak_set",
            "left",
            "right",
            "winner",
            "weight",
            "both_bad",
            "texts",
            "counts",
            "system_column",
            "item_column",
            "score_column",
            "rating_column",
            "rating_system_column",
            "baseline",
            "recorded-baseline",
            "both_games",
            "update",
            "date",
            "anchor",
            "min_battles",
        ],
    ),
    (
        "Judge",
        &[
            "judge",
            "apart",
            "panel",
            "second_stage",
            "embedder",
            "temperature",
            "own",
            "context",
        ],
    ),
    (
        "Protocol",
        &[
            "protocol",
            "design",
            "prompt_pack",
            "until",
            "certain_for",
            "budget",
            "item_weights",
            "trials",
            "k",
            "similarity",
            "segmentation",
        ],
    ),
    (
        "Probes",
        &[
            "probes",
            "rewrites",
            "rewriter",
            "distractor",
            "compare",
            "criteria",
            "repeats",
        ],
    ),
    (
        "Run",
        &[
            "run", "reuse", "no_reuse", "retry", "seed", "threads", "device", "devices", "region",
            "overhead", "prices", "estimate", "port", "host", "review",
        ],
    ),
    (
        "Limits and safety",
        &[
            "max_calls",
            "max_cost",
            "deadline",
            "keep_going",
            "retry",
            "trust",
            "raw_marks",
            "free_replies",
            "strict_reading",
        ],
    ),
    (
        "Statistics",
        &[
            "by",
            "error",
            "certainty",
            "splits",
            "aggregate",
            "scale",
            "prior",
            "rounds",
            "costs",
            "difference",
            "other_judges",
            "power",
            "variance",
            "level",
            "differences",
            "adjust",
            "drop",
            "permutations",
            "ci",
            "cluster",
            "strength",
            "control",
            "judge_column",
            "length_control",
            "length_control_weights",
            "instruction_difficulty",
            "votes",
            "u",
            "equal_scores",
            "ties",
            "failures",
            "subsets",
        ],
    ),
    (
        "Output",
        &[
            "sort",
            "limit",
            "format",
            "prompt",
            "fail_if",
            "min_coverage",
            "figure",
            "figures",
            "report",
            "rewritten",
            "labels_out",
            "verdicts",
            "fit",
            "for_review",
            "review_share",
            "review_below",
            "out",
            "as",
            "organization",
            "relationship",
            "dataset",
            "title",
            "max_lines",
            "max_bytes",
            "requantize",
            "config",
            "quiet",
            "verbose",
        ],
    ),
];

/// Options that `-h` shows of a command with many.
const COMMON: [&str; 33] = [
    "data",
    "systems",
    "map",
    "where",
    "outcomes",
    "left",
    "right",
    "winner",
    "labels",
    "recorded",
    "ranking",
    "ratings",
    "judge",
    "panel",
    "protocol",
    "design",
    "probes",
    "rewrites",
    "run",
    "max_cost",
    "estimate",
    "retry",
    "aggregate",
    "differences",
    "control",
    "ci",
    "figures",
    "report",
    "format",
    "fail_if",
    "config",
    "verbose",
    "out",
];

/// The command line, with its help in groups.
pub(crate) fn command() -> Command {
    group_options(Cli::command().long_version(super::version::long_version()))
}

fn group_options(command: Command) -> Command {
    let command = command.mut_args(add_heading).mut_subcommands(group_options);
    if command.get_arguments().next().is_none() {
        return command;
    }
    let command = shorten_help(command);
    let left_out = count_left_out(&command);
    command.disable_help_flag(true).arg(help_flag(left_out))
}

/// Leaves the rarer options out of `-h` where a command has many.
fn shorten_help(command: Command) -> Command {
    if command.get_opts().count() > FEW {
        command.mut_args(summarise)
    } else {
        command
    }
}

fn count_left_out(command: &Command) -> usize {
    let options = command.get_opts();
    options
        .filter(|option| option.is_hide_short_help_set())
        .count()
}

fn add_heading(arg: Arg) -> Arg {
    // Positional arguments have clap's own heading.
    if arg.is_positional() || arg.get_help_heading().is_some() {
        return arg;
    }
    match find_heading(arg.get_id().as_str()) {
        Some(heading) => arg.help_heading(heading),
        None => arg,
    }
}

fn find_heading(id: &str) -> Option<&'static str> {
    let (heading, _) = HEADINGS.iter().find(|(_, ids)| ids.contains(&id))?;
    Some(heading)
}

fn summarise(arg: Arg) -> Arg {
    let shown =
        arg.is_positional() || arg.is_required_set() || COMMON.contains(&arg.get_id().as_str());
    arg.hide_short_help(!shown)
}

fn help_flag(left_out: usize) -> Arg {
    let help = Arg::new("help").short('h').long("help");
    help.action(ArgAction::Help)
        .help_heading("Help")
        .help(describe_help(left_out))
        .long_help("Print help; -h has the most used options in a line each")
}

fn describe_help(left_out: usize) -> String {
    match left_out {
        0 => "Print help; --help explains more".into(),
        n => format!("Print help; --help has {n} more options, and explains all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of the terminal on which `-h` has a line for each option.
    const WIDTH: usize = 100;

    fn visit_all(command: &Command, visit: &mut impl FnMut(&Command)) {
        visit(command);
        for command in command.get_subcommands() {
            visit_all(command, visit);
        }
    }

    #[test]
    fn every_option_has_a_heading_and_a_short_line_of_help() {
        let (mut options, mut faults) = (0, Vec::new());
        visit_all(&command(), &mut |command| {
            for arg in command.get_arguments() {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let short = !help.is_empty() && !help.contains('\n') && help.chars().count() <= 80;
                if !short || arg.get_help_heading().is_none() && !arg.is_positional() {
                    faults.push(format!(
                        "{} {}: {:?} {help}",
                        command.get_name(),
                        arg.get_id(),
                        arg.get_help_heading()
                    ));
                }
                options += 1;
            }
        });
        assert!(options > 250, "{options}");
        assert!(
            faults.is_empty(),
            "a heading comes from HEADINGS, short help is the first paragraph: {faults:#?}"
        );
    }

    #[test]
    fn the_short_help_is_a_screen_with_a_line_for_each_option() {
        let mut broken = Vec::new();
        visit_all(&command(), &mut |command| {
            let text = command.clone().term_width(WIDTH).render_help().to_string();
            assert!(text.lines().count() <= 50, "{text}");
            // A line that goes on begins where the help stands, to the right of every name.
            let goes_on = |line: &&str| {
                line.starts_with(&" ".repeat(10)) && !line.trim_start().starts_with("--")
            };
            broken.extend(
                text.lines()
                    .filter(goes_on)
                    .map(|line| format!("{}: {line}", command.get_name())),
            );
        });
        assert!(broken.is_empty(), "{broken:#?}");
    }
}
