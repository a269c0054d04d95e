//! The table of settings: every command with its flags, as doors other than the command line need
//! it. It is read off the command line's own definition, so that neither has what the other lacks.

use crate::args::{self, ListedNames};
use clap::{Arg, ArgAction, Command};
use evenhand_ranking::Covariate;
use serde::Serialize;
use std::any::TypeId;
use std::path::PathBuf;

/// A command and its settings.
#[derive(Clone, Debug, Serialize)]
pub struct CommandSettings {
    /// As it is typed, such as `meta judge`.
    pub name: String,
    /// Its purpose, in one sentence.
    pub about: String,
    /// In the order of its help.
    pub settings: Vec<SettingDescription>,
}

/// A flag or a positional argument of a command.
#[derive(Clone, Debug, Serialize)]
pub struct SettingDescription {
    /// Without dashes before it: `max-calls`.
    pub name: String,
    /// Its help: one line, then what there is to say beyond it.
    pub help: String,
    /// The kind of its values.
    pub kind: Kind,
    /// True for one that has no name on the command line, only a place.
    pub positional: bool,
    /// True for one that may be given several times, or takes several values.
    pub many: bool,
    /// The character between several values of one flag; None where the flag is repeated.
    pub separator: Option<char>,
    /// Whether what holds the separator stands in double quotes.
    pub quoted: bool,
    /// True for one that every command line must have.
    pub required: bool,
    /// Its value where it is not given.
    pub default: Option<String>,
    /// The words that it takes, where these are all.
    pub choices: Vec<String>,
    /// The heading under which help lists it; None for those before all headings.
    pub heading: Option<String>,
}

/// The kinds of values that settings have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Given or not.
    Switch,
    /// A file or a directory.
    Path,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A text; numbers within it are read by the command.
    Text,
}

/// Returns every command that does something, with its settings.
pub fn command_settings() -> Vec<CommandSettings> {
    let mut found = Vec::new();
    collect_commands(&args::command(), String::new(), &mut found);
    found
}

fn collect_commands(command: &Command, name: String, found: &mut Vec<CommandSettings>) {
    if !name.is_empty() && !command.is_subcommand_required_set() {
        let is_own = |flag: &&Arg| !["help", "version"].contains(&flag.get_id().as_str());
        let about = command.get_about().map(ToString::to_string);
        let settings = command.get_arguments().filter(is_own);
        let mut settings: Vec<SettingDescription> = settings.map(describe_setting).collect();
        // Where a call names both alike, a flag with the name of an argument that has none
        // (`compare`'s baseline) would be given what was meant for that.
        let placed: Vec<String> = settings
            .iter()
            .filter(|setting| setting.positional)
            .map(|setting| setting.name.clone())
            .collect();
        settings.retain(|setting| setting.positional || !placed.contains(&setting.name));
        found.push(CommandSettings {
            name: name.clone(),
            about: about.unwrap_or_default(),
            settings,
        });
    }
    for inner in command.get_subcommands() {
        let name = format!("{name} {}", inner.get_name());
        collect_commands(inner, name.trim_start().into(), found);
    }
}

fn describe_setting(flag: &Arg) -> SettingDescription {
    let kind = kind_of(flag);
    let value = flag.get_value_parser().type_id();
    let is_list = value == TypeId::of::<ListedNames>() || value == TypeId::of::<Vec<Covariate>>();
    let takes_several = flag
        .get_num_args()
        .is_some_and(|count| count.max_values() > 1);
    let help = flag.get_long_help().or(flag.get_help());
    let mut setting = SettingDescription {
        name: flag
            .get_long()
            .map_or_else(|| flag.get_id().to_string(), String::from),
        help: help.map(ToString::to_string).unwrap_or_default(),
        kind,
        positional: flag.is_positional(),
        many: takes_several || matches!(flag.get_action(), ArgAction::Append),
        separator: flag.get_value_delimiter().or(is_list.then_some(',')),
        quoted: is_list,
        required: flag.is_required_set(),
        default: None,
        choices: Vec::new(),
        heading: flag.get_help_heading().map(String::from),
    };
    // To clap a switch has the values true and false.
    if kind != Kind::Switch {
        let defaults = flag.get_default_values().first();
        setting.default = defaults.map(|value| value.to_string_lossy().into_owned());
        let choices = flag.get_possible_values();
        setting.choices = choices
            .iter()
            .map(|choice| choice.get_name().into())
            .collect();
    }
    setting
}

fn kind_of(flag: &Arg) -> Kind {
    if !flag.get_action().takes_values() {
        return Kind::Switch;
    }
    let id = flag.get_value_parser().type_id();
    let integers = [
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ];
    if id == TypeId::of::<PathBuf>() {
        Kind::Path
    } else if integers.iter().any(|known| id == *known) {
        Kind::Integer
    } else if id == TypeId::of::<f64>() {
        Kind::Number
    } else {
        Kind::Text
    }
}
