//! Options that have no use beside others are refused, so that none is passed over in silence.
//! Those of a configuration file that are for other probes of an audit are left out aloud.
//!
//! Clap's own rules (`requires`, `conflicts_with`) stand at the fields. Here are those that look at
//! values, and those that have a reason to tell: where an option is of no use, clap would ask for
//! the one that is missing ("the following required arguments were not provided") or name two that
//! cannot stand together, and say neither why nor which to leave out.

use crate::args::QuietArgs;
use crate::args::choices::lists;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use evenhand_models::served::SERVED_APIS;
use std::collections::BTreeMap;

/// A way in which a command can be used, and the options that have no meaning there.
struct Mode {
    /// The commands, as they are typed, with commas between them.
    commands: &'static str,
    /// Whether these options ask for it.
    when: fn(&Given) -> bool,
    /// Which of the command's options it uses, or leaves alone.
    options: Options,
    /// Why it does not use the others.
    why: &'static str,
}

/// Long names of options, without the dashes, and with spaces between them.
enum Options {
    /// All that are used; each other one is refused.
    Used(&'static [&'static str]),
    /// Those that are refused.
    Unused(&'static str),
}

/// The options of data, labels and output wherever recordings are read.
const FILES: &str = "recorded labels data items systems where outcomes map input-format \
                     item-column baseline allow-missing skip-bad turn level format fail-if config \
                     quiet verbose second-stage";
/// The options of `meta judge` on recordings, beside [`FILES`].
const MEASURES: &str =
    "judge by notation subsets ties votes failures rounds seed threads report figure";
/// The options of asking a second stage.
const ASKS: &str = "run keep-prompts reuse no-reuse store store-key-file trust threads context \
                    prices max-calls max-cost deadline raw-marks free-replies min-coverage";

const MODES: &[Mode] = &[
    Mode {
        commands: "meta judge",
        when: |given| given.has("recorded") && !given.has("second-stage"),
        options: Options::Used(&[FILES, MEASURES]),
        why: "--recorded asks no judge",
    },
    Mode {
        commands: "meta judge",
        when: |given| given.has("recorded") && given.has("second-stage"),
        options: Options::Used(&[FILES, MEASURES, ASKS]),
        why: "with --recorded only the second stage is asked",
    },
    Mode {
        commands: "audit",
        when: |given| given.has("recorded") && !given.has("second-stage"),
        options: Options::Used(&[FILES, "figures report"]),
        why: "--recorded asks no judge",
    },
    Mode {
        commands: "audit",
        when: |given| given.has("recorded") && given.has("second-stage"),
        options: Options::Used(&[FILES, "figures report", ASKS]),
        why: "with --recorded only the second stage is asked",
    },
    Mode {
        commands: "meta judge, audit",
        when: |given| given.has("recorded") && !given.has("data"),
        options: Options::Unused("items systems map allow-missing skip-bad turn"),
        why: "it is for --data, which is not given",
    },
    Mode {
        commands: "meta select, meta conformal",
        when: |given| given.has("recorded") && !given.has("data"),
        options: Options::Unused(
            "items systems map allow-missing skip-bad turn reference-answers trajectory-budget \
             show-thinking",
        ),
        why: "it is for --data, which is not given",
    },
    Mode {
        commands: "compare",
        when: |given| !given.has("summary") && !given.has("report"),
        options: Options::Unused("link"),
        why: "it is for --summary",
    },
    Mode {
        commands: "publish",
        when: |given| given.value("as") != Some("every-eval-ever"),
        options: Options::Unused("organization relationship dataset"),
        why: "it is for --as every-eval-ever",
    },
    Mode {
        commands: "publish",
        when: |given| given.value("as") != Some("preference-pairs"),
        options: Options::Unused("confidence"),
        why: "it is for --as preference-pairs",
    },
    Mode {
        commands: "publish",
        when: |given| given.value("as") == Some("every-eval-ever"),
        options: Options::Unused("pair"),
        why: "a record is written for each system",
    },
    Mode {
        commands: "meta judge, audit",
        when: |given| !given.has("recorded"),
        options: Options::Unused("item-column baseline"),
        why: "it is for --recorded",
    },
    Mode {
        commands: "audit",
        when: |given| !given.has("recorded"),
        options: Options::Unused("labels"),
        why: "it is for --recorded; people's labels of answers that are judged now go with --data",
    },
    Mode {
        commands: "audit",
        when: |given| given.has("recorded") && !given.has("data"),
        options: Options::Unused("input-format"),
        why: "it is for --data, which is not given",
    },
    Mode {
        commands: "audit",
        when: |given| !given.names("probes", &["severity", "all"]),
        options: Options::Unused("tweak-set"),
        why: "it is for --probes severity",
    },
    Mode {
        commands: "audit",
        when: |given| !given.names("probes", &["transitivity", "all"]),
        options: Options::Unused("repeats"),
        why: "it is for --probes transitivity",
    },
    Mode {
        commands: "rank, estimate, judge, batch export, batch run, meta judge, audit",
        when: Given::is_one_judge,
        options: Options::Unused("panel"),
        why: "it is for several judges, but --judge names one",
    },
    Mode {
        commands: "rank, estimate, judge, batch export, batch run, meta judge",
        when: |given| given.is_judge_of("panel:"),
        options: Options::Unused("panel"),
        why: "a calibrated panel weighs its members by its file",
    },
    Mode {
        commands: "judge, batch export, batch run, meta judge",
        when: |given| given.is_judge_of("panel:"),
        options: Options::Unused("scale"),
        why: "each member of the panel has its scale in the file",
    },
    Mode {
        commands: "rank, estimate",
        // Elsewhere `--scale` is a judge's; here it may be the unit of strengths too.
        when: |given| {
            let scale = given.value("scale");
            given.is_judge_of("panel:")
                && scale.is_some_and(|scale| !["elo", "log-odds"].contains(&scale))
        },
        options: Options::Unused("scale"),
        why: "each member of the panel has its scale in the file",
    },
    Mode {
        commands: "judge",
        when: |given| !given.has("for-review"),
        options: Options::Unused("review-share"),
        why: "it is for --for-review",
    },
    Mode {
        commands: "batch run",
        when: |_| true,
        options: Options::Unused("reviewed fail-if min-coverage keep-going retry"),
        why: "batch run judges nothing; judge and rank with the same flags do",
    },
    Mode {
        commands: "batch export",
        when: |_| true,
        options: Options::Unused(
            "reviewed fail-if min-coverage max-calls max-cost deadline prices keep-going retry",
        ),
        why: "batch export asks no model and judges nothing",
    },
    Mode {
        commands: "estimate",
        when: |_| true,
        options: Options::Unused("retry fail-if min-coverage report figure"),
        why: "an estimate asks no model and ranks nothing",
    },
    Mode {
        commands: "rank, judge, meta judge, audit",
        when: |given| given.is_judge_of("recorded:"),
        options: Options::Unused("retry"),
        why: "a recording gives the same reply again",
    },
    Mode {
        commands: "rank, estimate",
        when: |given| given.value("design") != Some("adaptive"),
        options: Options::Unused("until certain-for budget item-weights"),
        why: "it is for --design adaptive",
    },
    Mode {
        commands: "rank, estimate, leaderboard",
        when: |given| !given.has("differences"),
        options: Options::Unused("adjust"),
        why: "it is for the p-values of --differences",
    },
    Mode {
        commands: "meta bencher",
        when: |given| given.has("ratings"),
        options: Options::Unused("votes"),
        why: "it is for --labels, but the reference is --ratings",
    },
    Mode {
        commands: "meta bencher",
        when: |given| given.has("labels"),
        options: Options::Unused("rating-column rating-system-column"),
        why: "it is for --ratings, but the reference is --labels",
    },
];

/// The options that a command line names, with their values.
struct Given(BTreeMap<String, Vec<String>>);

impl Given {
    /// Those of a command's options that stand on its line, or were put there from the
    /// configuration file.
    fn of(command: &Command, matches: &ArgMatches) -> Given {
        let mut given = BTreeMap::new();
        for option in command.get_arguments() {
            let id = option.get_id().as_str();
            // Help and version ended the program, if they were given.
            if ["help", "version"].contains(&id) {
                continue;
            }
            if let Some(name) = option.get_long()
                && matches.value_source(id) == Some(ValueSource::CommandLine)
            {
                let values = matches.get_raw(id).unwrap_or_default();
                let values = values.map(|value| value.to_string_lossy().into_owned());
                given.insert(name.to_string(), values.collect());
            }
        }
        Given(given)
    }

    fn has(&self, option: &str) -> bool {
        self.0.contains_key(option)
    }

    fn value(&self, option: &str) -> Option<&str> {
        self.0.get(option)?.last().map(String::as_str)
    }

    /// Whether one of these words is among an option's values.
    fn names(&self, option: &str, words: &[&str]) -> bool {
        let mut values = self.0.get(option).into_iter().flatten();
        values.any(|value| words.contains(&value.as_str()))
    }

    /// Whether one judge is named who is plainly one: a recording, or a name of the configuration,
    /// may be a panel's.
    fn is_one_judge(&self) -> bool {
        let Some([judge]) = self.0.get("judge").map(Vec::as_slice) else {
            return false;
        };
        let provider = judge.split(':').next().unwrap_or_default();
        SERVED_APIS.contains(&provider) || ["gguf", "simulated"].contains(&provider)
    }

    /// Whether the last judge is of this kind.
    fn is_judge_of(&self, kind: &str) -> bool {
        self.value("judge")
            .is_some_and(|judge| judge.starts_with(kind))
    }
}

impl Mode {
    fn is_of(&self, command: &str) -> bool {
        self.commands.split(", ").any(|one| one == command)
    }

    fn refuses(&self, option: &str) -> bool {
        match self.options {
            Options::Used(used) => !used.iter().any(|part| lists(part, option)),
            Options::Unused(unused) => lists(unused, option),
        }
    }
}

/// The commands that prepare what others then judge, from the same file.
const PREPARING: [&str; 3] = ["estimate", "batch export", "batch run"];

/// Whether an option is for some probes of an audit, of which a line may ask for others than its
/// configuration file was written for.
fn is_of_probes(option: &str) -> bool {
    ["tweak-set", "repeats"].contains(&option)
}

/// Refuses what the mode that is asked for does not use, and returns which keys of a configuration
/// file are left out in its place: those for probes that are not asked for, and those for what is
/// judged later, by the same file. They are said on stderr, as is what was left out of it before.
///
/// # Errors
/// The first other such option by name, why it is not used, and what to do.
pub(crate) fn check_options(
    command: &Command,
    matches: &ArgMatches,
    of_file: &[String],
    left_out: Option<&str>,
) -> Result<Vec<String>, String> {
    let (path, command, matches) = find_command(command, matches);
    let given = Given::of(command, matches);
    let mut unused = BTreeMap::new();
    for mode in MODES {
        if !mode.is_of(&path) || !(mode.when)(&given) {
            continue;
        }
        let why = mode.why;
        for option in given.0.keys().filter(|option| mode.refuses(option)) {
            let mut commands = mode.commands.split(", ");
            let is_of_others =
                is_of_probes(option) || commands.all(|command| PREPARING.contains(&command));
            if !(is_of_others && of_file.contains(option)) {
                return Err(format!(
                    "--{option}: it is not used here: {why}; leave it out"
                ));
            }
            unused.entry(option.clone()).or_insert(why);
        }
    }
    let quiet = QuietArgs {
        quiet: given.has("quiet"),
    };
    for (key, why) in &unused {
        quiet.say(&format!("--config: `{key}` is not used here: {why}"));
    }
    // What is left out here is found by reading the file again, and this is said then.
    if let Some(left_out) = left_out.filter(|_| unused.is_empty()) {
        quiet.say(left_out);
    }
    Ok(unused.into_keys().collect())
}

/// Returns the command that is meant, as it is typed, such as `meta judge`.
fn find_command<'a>(
    command: &'a Command,
    matches: &'a ArgMatches,
) -> (String, &'a Command, &'a ArgMatches) {
    let (mut path, mut command, mut matches) = (Vec::new(), command, matches);
    while let Some((name, found)) = matches.subcommand()
        && let Some(inner) = command.find_subcommand(name)
    {
        path.push(name);
        (command, matches) = (inner, found);
    }
    (path.join(" "), command, matches)
}

#[cfg(test)]
#[path = "modes_tests.rs"]
mod tests;
