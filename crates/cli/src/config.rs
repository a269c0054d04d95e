//! `--config FILE`: settings from TOML, put before the flags, so that a flag beats the file.

use crate::args::Cli;
use clap::CommandFactory;
use std::collections::BTreeMap;
use std::ffi::OsString;
use toml::{Table, Value};

/// The arguments with those of the configuration file put in; `--judge NAME` is looked up in its `[judges]`.
pub(crate) fn arguments(given: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let command = given.get(1).map(|command| command.to_string_lossy().into_owned()).unwrap_or_default();
    let known = flags(&command);
    let Some(path) = value_of(&given, "--config").filter(|path| !path.is_empty() && !known.is_empty()) else {
        // Nothing to put in, or a command line that clap has something to say about.
        return Ok(given);
    };
    let path = path.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: cannot be read: {e}"))?;
    let mut table: Table =
        text.parse().map_err(|e: toml::de::Error| format!("{path}: not valid TOML: {}", e.to_string().trim_end()))?;
    let judges = judges(&path, table.remove("judges"))?;
    let mut arguments: Vec<OsString> = given.iter().take(2).cloned().collect();
    for (key, value) in table {
        if !known.contains(&key) {
            return Err(format!("{path}: unknown key `{key}`; {command} takes {}", known.join(", ")));
        }
        if value_of(&given, &format!("--{key}")).is_none() {
            arguments.extend(flag(&path, &key, &value)?.into_iter().map(OsString::from));
        }
    }
    arguments.extend(given.iter().skip(2).cloned());
    Ok(named_judge(arguments, &judges))
}

/// The long flags of a command.
fn flags(command: &str) -> Vec<String> {
    let cli = Cli::command();
    let found = cli.get_subcommands().find(|sub| sub.get_name() == command);
    let longs = found.into_iter().flat_map(|sub| sub.get_arguments()).filter_map(|arg| arg.get_long());
    longs.filter(|long| !["help", "config"].contains(long)).map(String::from).collect()
}

/// What follows `--flag`, as `--flag value` or `--flag=value`; an empty text for a flag at the end.
fn value_of(arguments: &[OsString], flag: &str) -> Option<OsString> {
    arguments.iter().enumerate().find_map(|(at, argument)| {
        let text = argument.to_string_lossy();
        if text == flag {
            return Some(arguments.get(at + 1).cloned().unwrap_or_default());
        }
        text.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')).map(OsString::from)
    })
}

fn flag(path: &str, key: &str, value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Boolean(true) => Ok(vec![format!("--{key}")]),
        Value::Boolean(false) => Ok(Vec::new()),
        Value::Array(values) if key == "systems" => {
            let names: Result<Vec<String>, String> = values.iter().map(|value| scalar(path, key, value)).collect();
            Ok(vec![format!("--{key}={}", names?.join(","))])
        }
        Value::Array(values) => values.iter().map(|value| Ok(format!("--{key}={}", scalar(path, key, value)?))).collect(),
        value => Ok(vec![format!("--{key}={}", scalar(path, key, value)?)]),
    }
}

fn scalar(path: &str, key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        _ => Err(format!("{path}: key `{key}`: expected a text, a number, true or false, or a list of them")),
    }
}

/// `[judges.NAME] spec = "gguf:…"`.
fn judges(path: &str, table: Option<Value>) -> Result<BTreeMap<String, String>, String> {
    let Some(table) = table else { return Ok(BTreeMap::new()) };
    let entries = table.as_table().cloned().ok_or_else(|| format!("{path}: key `judges`: expected a table of judges by name"))?;
    let one = |(name, judge): (String, Value)| {
        let unknown = judge.as_table().and_then(|judge| judge.keys().find(|key| *key != "spec").cloned());
        if let Some(key) = unknown {
            return Err(format!("{path}: unknown key `judges.{name}.{key}`; a judge takes spec"));
        }
        let spec = judge.get("spec").and_then(Value::as_str).map(String::from);
        spec.map(|spec| (name.clone(), spec))
            .ok_or_else(|| format!("{path}: key `judges.{name}`: expected spec = \"gguf:PATH\" or another judge"))
    };
    entries.into_iter().map(one).collect()
}

/// The arguments with every judge that the file names put in its place.
fn named_judge(arguments: Vec<OsString>, judges: &BTreeMap<String, String>) -> Vec<OsString> {
    let mut after_flag = false;
    let one = |argument: OsString| {
        let text = argument.to_string_lossy().into_owned();
        let name =
            if after_flag { Some(text.as_str()) } else { JUDGES.iter().find_map(|flag| text.strip_prefix(&format!("{flag}="))) };
        let flag = text.strip_suffix(name.unwrap_or("")).unwrap_or("");
        let named = name.and_then(|name| judges.get(name)).map(|spec| OsString::from(format!("{flag}{spec}")));
        after_flag = JUDGES.contains(&text.as_str());
        named.unwrap_or(argument)
    };
    arguments.into_iter().map(one).collect()
}

/// The flags that name a judge.
const JUDGES: [&str; 2] = ["--judge", "--second-stage"];

#[cfg(test)]
mod tests {
    use super::*;

    fn with(config: &str, rest: &[&str]) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, config).unwrap();
        let mut given: Vec<OsString> = ["evenhand", "rank", "--config"].map(OsString::from).to_vec();
        given.push(path.clone().into());
        given.extend(rest.iter().map(OsString::from));
        let shown = path.display().to_string();
        let result = arguments(given).map_err(|e| e.replace(&shown, "c.toml"));
        result.map(|all| all.into_iter().skip(2).map(|a| a.to_string_lossy().replace(&shown, "c.toml")).collect())
    }

    #[test]
    fn a_flag_beats_the_file() {
        let config = "rounds = 50\nseed = 3\nquiet = true\nallow-missing = false\nsystems = ['a', 'b']\ndata = ['x', 'y']";
        let all = with(config, &["--seed", "4"]).unwrap();
        let mut from_file: Vec<&str> = all.iter().take_while(|a| *a != "--config").map(String::as_str).collect();
        from_file.sort_unstable();
        assert_eq!(from_file, ["--data=x", "--data=y", "--quiet", "--rounds=50", "--systems=a,b"]);
        assert_eq!(all[all.len() - 2..], ["--seed", "4"]);
    }

    #[test]
    fn judges_are_named_in_the_file() {
        let all = with("judge = 'mine'\n[judges.mine]\nspec = 'simulated:accuracy=0.9'", &[]).unwrap();
        assert!(all.contains(&"--judge=simulated:accuracy=0.9".to_string()), "{all:?}");
    }

    #[test]
    fn every_member_of_a_panel_can_be_named() {
        let config =
            "judge = ['mine', 'simulated']\n[judges.mine]\nspec = 'simulated:seed=1'\n[judges.other]\nspec = 'simulated:seed=2'";
        let all = with(config, &["--second-stage", "other"]).unwrap();
        assert_eq!(
            all.iter().filter(|a| a.starts_with("--judge")).collect::<Vec<_>>(),
            ["--judge=simulated:seed=1", "--judge=simulated"]
        );
        assert_eq!(all[all.len() - 2..], ["--second-stage", "simulated:seed=2"]);
        let all = with("[judges.mine]\nspec = 'simulated:seed=1'", &["--judge", "mine", "--judge=mine"]).unwrap();
        assert_eq!(all[all.len() - 3..], ["--judge", "simulated:seed=1", "--judge=simulated:seed=1"]);
    }

    #[test]
    fn errors_name_file_and_key() {
        assert!(
            with("round = 50", &[]).unwrap_err().starts_with("c.toml: unknown key `round`; rank takes data, items, systems, ")
        );
        assert_eq!(
            with("rounds = {}", &[]).unwrap_err(),
            "c.toml: key `rounds`: expected a text, a number, true or false, or a list of them"
        );
        assert!(with("rounds = ", &[]).unwrap_err().starts_with("c.toml: not valid TOML: TOML parse error at line 1, column"));
        assert_eq!(with("[judges.x]\nspecc = 'a'", &[]).unwrap_err(), "c.toml: unknown key `judges.x.specc`; a judge takes spec");
    }
}
