//! Help: the headings of options, and which of them `-h` shows.

use super::Cli;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::sync::OnceLock;

/// Options to a command up to which `-h` shows them all.
const FEW: usize = 12;

/// The headings of options, beside `Help`. A field names its own: `help_heading = DATA`.
pub(crate) const DATA: &str = "Data";
pub(crate) const JUDGE: &str = "Judge";
pub(crate) const PROTOCOL: &str = "Protocol";
pub(crate) const PROBES: &str = "Probes";
pub(crate) const RUN: &str = "Run";
pub(crate) const LIMITS: &str = "Limits and safety";
pub(crate) const STATISTICS: &str = "Statistics";
pub(crate) const GATE: &str = "Gate";
pub(crate) const OUTPUT: &str = "Output";

/// Options that `-h` shows of a command with many: together they have to fit on a screen, so they
/// are chosen in one place.
#[rustfmt::skip]
const COMMON: [&str; 34] = [
    "data", "systems", "map", "where", "outcomes", "left", "right", "winner", "labels", "recorded",
    "ranking", "ratings", "judge", "panel", "protocol", "design", "probes", "rewrites", "run",
    "max_cost", "estimate", "retry", "aggregate", "differences", "control", "ci", "figures",
    "report", "format", "fail_if", "config", "verbose", "out", "way",
];

/// Says what `--figure` draws, by the names of the commands that have it.
const DRAWN: [(&[&str], &str); 7] = [
    (
        &["rank", "leaderboard"],
        "What is drawn are the scores, with intervals.",
    ),
    (
        &["estimate"],
        "It is for `rank`, which draws the scores; nothing is drawn here.",
    ),
    (
        &["compare"],
        "What is drawn is how much each system changed, on all items and by category, with \
         intervals; right of 0 the later side is better.",
    ),
    (
        &["judge"],
        "What is drawn is how often each judge is right, with intervals; the tick is at the chance \
         of a coin.",
    ),
    (
        &["people"],
        "What is drawn is how often people agree, with intervals.",
    ),
    (
        &["consistency"],
        "What is drawn is how often the preference is the same in both orders, with intervals.",
    ),
    (
        &["check"],
        "What is drawn is how often each system keeps all constraints of a prompt, and single \
         ones, with intervals.",
    ),
];

/// The command line, with a short help that fits on a screen.
pub(crate) fn command() -> Command {
    let command = Cli::command().long_version(long_version());
    shorten_help(say_what_is_drawn(command))
}

/// Says of each command with the common `--figure` what it draws.
fn say_what_is_drawn(command: Command) -> Command {
    let command = command.mut_subcommands(say_what_is_drawn);
    let name = command.get_name().to_owned();
    let drawn = DRAWN.iter().find(|(names, _)| names.contains(&&*name));
    command.mut_args(|arg| match (arg.get_help(), drawn) {
        (Some(help), Some((_, drawn))) if arg.get_id() == "figure" => {
            let text = format!("{help}\n\n{drawn}");
            arg.long_help(text)
        }
        _ => arg,
    })
}

/// Leaves the rarer options out of `-h` where a command has many, and says there how many.
fn shorten_help(command: Command) -> Command {
    let mut command = command.mut_subcommands(shorten_help);
    if command.get_arguments().next().is_none() {
        return command;
    }
    if command.get_opts().count() > FEW {
        command = command.mut_args(|arg| {
            let is_common = COMMON.contains(&arg.get_id().as_str());
            let is_shown = arg.is_positional() || arg.is_required_set() || is_common;
            arg.hide_short_help(!is_shown)
        });
    }
    let options = command.get_opts();
    let help = match options
        .filter(|option| option.is_hide_short_help_set())
        .count()
    {
        0 => "Print help; --help explains more".into(),
        left_out => format!("Print help; --help has {left_out} more options, and explains all"),
    };
    let flag = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .help_heading("Help")
        .help(help)
        .long_help("Print help; -h has the most used options in a line each");
    command.disable_help_flag(true).arg(flag)
}

/// The answer to `--version`, with the processors for which the embedded judge was compiled.
fn long_version() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        format!(
            "{}\nembedded judge: {}",
            env!("CARGO_PKG_VERSION"),
            embedded_judge()
        )
    })
}

#[cfg(feature = "embedded")]
fn embedded_judge() -> String {
    use evenhand_models::embedded::Embedded;
    let compiled_for = match &*Embedded::name_kernels() {
        "-x86-64-v3" => "every x86-64-v3 processor; all of them give the same bits".to_string(),
        digest => format!("this kind of processor (cpu{digest}); another kind may give other bits"),
    };
    let back_ends = match evenhand_models::BACK_ENDS {
        [] => String::new(),
        names => format!("; back ends for graphics devices: {}", names.join(", ")),
    };
    format!(
        "llama.cpp, compiled for {compiled_for}{back_ends}\n{}",
        Embedded::describe_kernels().trim()
    )
}

#[cfg(not(feature = "embedded"))]
fn embedded_judge() -> String {
    "none, this program was compiled without it".into()
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
            "an option names its heading, short help is the first paragraph: {faults:#?}"
        );
    }

    #[test]
    fn every_figure_is_said_to_be_of_something() {
        let (mut said, mut silent) = (Vec::new(), Vec::new());
        visit_all(&command(), &mut |command| {
            let name = command.get_name();
            let mut all = command.get_arguments();
            let Some(arg) = all.find(|arg| arg.get_id() == "figure") else {
                return;
            };
            match arg.get_long_help() {
                Some(_) => said.push(name.to_owned()),
                None => silent.push(name.to_owned()),
            }
        });
        assert!(silent.is_empty(), "DRAWN lacks {silent:?}");
        for name in DRAWN.iter().flat_map(|(names, _)| *names) {
            assert!(said.iter().any(|found| found == name), "{name}");
        }
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
