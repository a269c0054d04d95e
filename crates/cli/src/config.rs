//! `--config FILE`: settings from TOML, put before the flags, so that a flag beats the file.

use crate::args::Cli;
use clap::CommandFactory;
use evenhand_engine::NamedJudges;
use evenhand_models::served::Settings;
use std::ffi::OsString;
use toml::{Table, Value};

/// Returns the arguments with those of the configuration file put in, and its `[judges]`.
///
/// # Errors
/// A file that cannot be read, a key that the command does not take, or a value of another kind.
pub(crate) fn merge_arguments(
    given: Vec<OsString>,
) -> Result<(Vec<OsString>, NamedJudges), String> {
    let command = CommandLine::find(&given);
    let file = find_value(&given, "--config").filter(|path| !path.is_empty());
    let (Some(command), Some(file)) = (command, file) else {
        // Nothing to put in, or a command line that clap has something to say about.
        return Ok((given, NamedJudges::new()));
    };
    let path = file.to_string_lossy().into_owned();
    let mut table = read_table(&path)?;
    let judges = read_judges(&path, table.remove("judges"))?;
    let mut arguments = given[..command.words].to_vec();
    for (key, value) in table {
        if !command.flags.contains(&key) {
            return Err(format!(
                "{path}: unknown key `{key}`; {} takes {}",
                command.name,
                command.flags.join(", ")
            ));
        }
        // A flag beats the file.
        if find_value(&given, &format!("--{key}")).is_none() {
            let flags = format_flags(&path, &key, &value)?;
            arguments.extend(flags.into_iter().map(OsString::from));
        }
    }
    arguments.extend_from_slice(&given[command.words..]);
    Ok((arguments, judges))
}

fn read_table(path: &str) -> Result<Table, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: cannot be read: {e}"))?;
    text.parse().map_err(|e: toml::de::Error| {
        format!("{path}: not valid TOML: {}", e.to_string().trim_end())
    })
}

/// The command that a command line begins with.
struct CommandLine {
    /// As it is typed, such as `meta judge`.
    name: String,
    /// Its long flags, which are the keys of a configuration file.
    flags: Vec<String>,
    /// How many arguments come before its own: the program and one or two words.
    words: usize,
}

impl CommandLine {
    /// Returns the command, or None where there is none, or one without flags.
    fn find(given: &[OsString]) -> Option<CommandLine> {
        let mut command = Cli::command();
        let mut names = Vec::new();
        for word in given.iter().skip(1).take(2) {
            let word = word.to_string_lossy();
            let Some(found) = command.find_subcommand(&*word).cloned() else {
                break;
            };
            command = found;
            names.push(word.into_owned());
        }
        let flags: Vec<String> = command
            .get_arguments()
            .filter_map(|arg| arg.get_long())
            .filter(|long| !["help", "config"].contains(long))
            .map(String::from)
            .collect();
        let line = CommandLine {
            words: 1 + names.len(),
            name: names.join(" "),
            flags,
        };
        (line.words > 1 && !line.flags.is_empty()).then_some(line)
    }
}

/// Returns what follows a flag, as `--flag value` or `--flag=value`; an empty text for a flag at the end.
fn find_value(arguments: &[OsString], flag: &str) -> Option<OsString> {
    arguments.iter().enumerate().find_map(|(at, argument)| {
        let text = argument.to_string_lossy();
        if text == flag {
            return Some(arguments.get(at + 1).cloned().unwrap_or_default());
        }
        text.strip_prefix(flag)
            .and_then(|rest| rest.strip_prefix('='))
            .map(OsString::from)
    })
}

/// Returns the flags that a key of the file stands for.
fn format_flags(path: &str, key: &str, value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Boolean(true) => Ok(vec![format!("--{key}")]),
        Value::Boolean(false) => Ok(Vec::new()),
        Value::Array(values) if key == "systems" => {
            let names: Result<Vec<String>, String> = values
                .iter()
                .map(|value| format_scalar(path, key, value))
                .collect();
            Ok(vec![format!("--{key}={}", names?.join(","))])
        }
        Value::Array(values) => values
            .iter()
            .map(|value| Ok(format!("--{key}={}", format_scalar(path, key, value)?)))
            .collect(),
        value => Ok(vec![format!(
            "--{key}={}",
            format_scalar(path, key, value)?
        )]),
    }
}

fn format_scalar(path: &str, key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        _ => Err(format!(
            "{path}: key `{key}`: expected a text, a number, true or false, or a list of them"
        )),
    }
}

/// Reads `[judges.NAME]`: a judge as on the command line in `spec`, and the settings of a served one.
fn read_judges(path: &str, table: Option<Value>) -> Result<NamedJudges, String> {
    let Some(table) = table else {
        return Ok(NamedJudges::new());
    };
    let entries = table
        .as_table()
        .cloned()
        .ok_or_else(|| format!("{path}: key `judges`: expected a table of judges by name"))?;
    entries
        .into_iter()
        .map(|(name, judge)| Ok((name.clone(), read_judge(path, &name, judge)?)))
        .collect()
}

fn read_judge(path: &str, name: &str, judge: Value) -> Result<(String, Settings), String> {
    let expected = || {
        format!("{path}: key `judges.{name}`: expected spec = \"openai:MODEL\" or another judge")
    };
    let Value::Table(mut judge) = judge else {
        return Err(expected());
    };
    let spec = judge
        .remove("spec")
        .and_then(|spec| spec.as_str().map(String::from))
        .ok_or_else(expected)?;
    // The message alone: an excerpt could show what should not be here, such as a key.
    let settings = judge
        .try_into::<Settings>()
        .map_err(|e| format!("{path}: key `judges.{name}`: {}", e.message()))?;
    Ok((spec, settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge_file(config: &str, rest: &[&str]) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, config).unwrap();
        let mut given: Vec<OsString> = ["evenhand", "rank", "--config"]
            .map(OsString::from)
            .to_vec();
        given.push(path.clone().into());
        given.extend(rest.iter().map(OsString::from));
        let shown = path.display().to_string();
        let result = merge_arguments(given).map_err(|e| e.replace(&shown, "c.toml"));
        result.map(|(all, _)| {
            all.into_iter()
                .skip(2)
                .map(|a| a.to_string_lossy().replace(&shown, "c.toml"))
                .collect()
        })
    }

    #[test]
    fn a_flag_beats_the_file() {
        let config = "rounds = 50\nseed = 3\nquiet = true\nallow-missing = false\nsystems = ['a', \
                      'b']\ndata = ['x', 'y']";
        let all = merge_file(config, &["--seed", "4"]).unwrap();
        let mut from_file: Vec<&str> = all
            .iter()
            .take_while(|a| *a != "--config")
            .map(String::as_str)
            .collect();
        from_file.sort_unstable();
        assert_eq!(
            from_file,
            [
                "--data=x",
                "--data=y",
                "--quiet",
                "--rounds=50",
                "--systems=a,b"
            ]
        );
        assert_eq!(all[all.len() - 2..], ["--seed", "4"]);
    }

    #[test]
    fn judges_are_named_in_the_file() {
        let table = "[mine]\nspec = 'simulated:seed=1'\n[pool]\nspec = 'openai:m'\nendpoints = \
                     ['http://127.0.0.1:1/v1']\nrequests-per-minute = 60";
        let judges = read_judges("c.toml", Some(Value::Table(table.parse().unwrap()))).unwrap();
        assert_eq!(
            judges["mine"],
            ("simulated:seed=1".to_string(), Settings::default())
        );
        assert_eq!(judges["pool"].1.requests_per_minute, Some(60.0));
        assert_eq!(judges["pool"].1.endpoints, ["http://127.0.0.1:1/v1"]);
    }

    #[test]
    fn errors_name_file_and_key() {
        assert!(
            merge_file("round = 50", &[])
                .unwrap_err()
                .starts_with("c.toml: unknown key `round`; rank takes data, items, systems, ")
        );
        assert_eq!(
            merge_file("rounds = {}", &[]).unwrap_err(),
            "c.toml: key `rounds`: expected a text, a number, true or false, or a list of them"
        );
        assert!(
            merge_file("rounds = ", &[])
                .unwrap_err()
                .starts_with("c.toml: not valid TOML: TOML parse error at line 1, column")
        );
        assert_eq!(
            merge_file("[judges.x]\nspecc = 'a'", &[]).unwrap_err(),
            "c.toml: key `judges.x`: expected spec = \"openai:MODEL\" or another judge"
        );
        let error = merge_file("[judges.x]\nspec = 'openai:m'\nkey = 'sk-1'", &[]).unwrap_err();
        assert!(
            error.starts_with("c.toml: key `judges.x`: unknown field `key`, expected one of"),
            "{error}"
        );
        assert!(!error.contains("sk-1"), "{error}");
    }
}
