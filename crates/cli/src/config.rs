//! `--config FILE`: settings from TOML, put before the flags, so that a flag beats the file.

use crate::args::Cli;
use clap::{Arg, Command, CommandFactory};
use evenhand_engine::{NamedJudges, path_from};
use evenhand_formats::nearest;
use evenhand_models::served::Settings;
use std::any::TypeId;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The commands whose configuration files hold paths that are relative to the file. An audit's file
/// names its data, as that of a study does, and is run from anywhere.
const ANCHORED: [&str; 1] = ["audit"];

/// The keys that stop a command. Where a command has none of them, passing them over would be a
/// gate that never stops anything.
const CONDITIONS: [&str; 2] = ["fail-if", "min-coverage"];

/// A command line with the settings of a configuration file.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// The words, with those of the file put in.
    pub(crate) arguments: Vec<OsString>,
    /// The keys of the file that were put in, by name.
    pub(crate) keys: Vec<String>,
    /// A sentence on the keys that are left out, as they are settings of other commands.
    pub(crate) left_out: Option<String>,
    /// The file's `[judges]`.
    pub(crate) judges: NamedJudges,
}

/// Returns the arguments with those of the configuration file put in, but for these keys of it, and
/// its `[judges]`.
///
/// # Errors
/// A file that cannot be read, a key that no command takes, a condition that this one does not
/// take, or a value of another kind.
pub(crate) fn merge_arguments(
    mut given: Vec<OsString>,
    without: &[String],
) -> Result<Merged, String> {
    // The innermost command that the words name: its long flags are the keys of a file.
    let program = Cli::command();
    let (mut command, mut names) = (program.clone(), Vec::new());
    for word in given.iter().skip(1).take(2) {
        let word = word.to_string_lossy().into_owned();
        let Some(found) = command.find_subcommand(&word).cloned() else {
            break;
        };
        command = found;
        names.push(word);
    }
    let keys = keys_of(&command);
    let file = find_value(&given, "--config").filter(|path| !path.is_empty());
    let Some(file) = file.filter(|_| !keys.is_empty()) else {
        // Nothing to put in, or a command line that clap has something to say about.
        return Ok(Merged {
            arguments: given,
            ..Merged::default()
        });
    };

    let path = &*file.to_string_lossy();
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: cannot be read: {e}"))?;
    let mut table: Table = text.parse().map_err(|e: toml::de::Error| {
        format!("{path}: not valid TOML: {}", e.to_string().trim_end())
    })?;
    let judges = read_judges(path, table.remove("judges"))?;
    let name = names.join(" ");
    let base = Path::new(path)
        .parent()
        .filter(|_| ANCHORED.contains(&name.as_str()));
    let mut known_elsewhere = BTreeSet::new();
    collect_keys(&program, &mut known_elsewhere);
    let (mut flags, mut put_in, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in &table {
        let Some(flag) = keys.iter().find(|flag| flag.get_long() == Some(key)) else {
            if !known_elsewhere.contains(key) {
                return Err(describe_unknown(path, key, &name, &keys));
            }
            if CONDITIONS.contains(&key.as_str()) {
                return Err(format!(
                    "{path}: key `{key}`: {name} does not check this condition, so it would never \
                     stop; keep it in a file for commands that do"
                ));
            }
            others.push(format!("`{key}`"));
            continue;
        };
        // A flag beats the file.
        if without.contains(key) || find_value(&given, &format!("--{key}")).is_some() {
            continue;
        }
        put_in.push(key.clone());
        let takes_paths = flag.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let key = Key {
            path,
            name: key,
            base: base.filter(|_| takes_paths),
        };
        flags.extend(key.format_flags(value)?.into_iter().map(OsString::from));
    }
    let words = 1 + names.len();
    given.splice(words..words, flags);
    let left_out = (!others.is_empty()).then(|| {
        let others = others.join(", ");
        format!("{path}: {name} does not use {others}: left out, as settings of other commands")
    });
    Ok(Merged {
        arguments: given,
        keys: put_in,
        left_out,
        judges,
    })
}

/// Returns the flags that are keys of a command's file; none where the command takes no file.
fn keys_of(command: &Command) -> Vec<&Arg> {
    let is_key = |flag: &&Arg| !matches!(flag.get_long(), None | Some("help" | "config"));
    let takes_file = |flag: &Arg| flag.get_long() == Some("config");
    match command.get_arguments().any(takes_file) {
        true => command.get_arguments().filter(is_key).collect(),
        false => Vec::new(),
    }
}

/// Collects the keys of all commands that take a file.
fn collect_keys(command: &Command, keys: &mut BTreeSet<String>) {
    let names = keys_of(command).into_iter().filter_map(Arg::get_long);
    keys.extend(names.map(String::from));
    for inner in command.get_subcommands() {
        collect_keys(inner, keys);
    }
}

/// Says that a key is no command's, with the nearest of this one's.
fn describe_unknown(path: &str, key: &str, name: &str, keys: &[&Arg]) -> String {
    let known: Vec<&str> = keys.iter().filter_map(|flag| flag.get_long()).collect();
    let near = match nearest(key, &known) {
        Some(near) => format!(" did you mean `{near}`?"),
        None => String::new(),
    };
    let known = known.join(", ");
    format!("{path}: unknown key `{key}`;{near} {name} takes {known}")
}

/// Returns the value of a flag, as in `--flag value` or `--flag=value`; an empty text for a flag at
/// the end.
fn find_value(arguments: &[OsString], flag: &str) -> Option<OsString> {
    for (at, argument) in arguments.iter().enumerate() {
        match argument.to_string_lossy().strip_prefix(flag) {
            Some("") => return Some(arguments.get(at + 1).cloned().unwrap_or_default()),
            Some(rest) if rest.starts_with('=') => return Some(rest[1..].into()),
            _ => {}
        }
    }
    None
}

/// A key of the file.
struct Key<'a> {
    path: &'a str,
    name: &'a str,
    /// The directory to which its paths are relative; None where its values are no such paths.
    base: Option<&'a Path>,
}

impl Key<'_> {
    /// Returns the flags that a key stands for.
    fn format_flags(&self, value: &Value) -> Result<Vec<String>, String> {
        let name = self.name;
        match value {
            Value::Boolean(true) => Ok(vec![format!("--{name}")]),
            Value::Boolean(false) => Ok(Vec::new()),
            Value::Array(values) => {
                let texts = values.iter().map(|value| self.format_scalar(value));
                let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
                // These are one flag, with commas between them.
                if matches!(name, "systems" | "fail-if" | "pair") {
                    return Ok(vec![format!("--{name}={}", texts.join(","))]);
                }
                Ok(texts
                    .iter()
                    .map(|text| format!("--{name}={text}"))
                    .collect())
            }
            // As in Python: a name is what it is, and needs no quotes of the list that is made.
            Value::Table(terms) if matches!(name, "map" | "outcomes") => {
                let quoted = |text: &str| match text.contains([',', '"']) {
                    true => format!("\"{}\"", text.replace('"', "\"\"")),
                    false => text.to_owned(),
                };
                let parts = terms.iter().map(|(term, field)| {
                    let field = self.format_scalar(field)?;
                    // A word that means an outcome may be any text: its whole part is in quotes.
                    Ok::<String, String>(match name {
                        "outcomes" => quoted(&format!("{term}={field}")),
                        _ => format!("{term}={}", quoted(&field)),
                    })
                });
                let parts: Vec<String> = parts.collect::<Result<_, _>>()?;
                Ok(vec![format!("--{name}={}", parts.join(","))])
            }
            value => Ok(vec![format!("--{name}={}", self.format_scalar(value)?)]),
        }
    }

    fn format_scalar(&self, value: &Value) -> Result<String, String> {
        let Key { path, name, base } = self;
        match (value, base) {
            // A path, unless it is the standard input.
            (Value::String(text), Some(base)) if text != "-" => {
                let path = path_from(base, Path::new(text));
                Ok(path.to_string_lossy().into_owned())
            }
            (Value::String(text), _) => Ok(text.clone()),
            (Value::Integer(number), _) => Ok(number.to_string()),
            (Value::Float(number), _) => Ok(number.to_string()),
            _ => Err(format!(
                "{path}: key `{name}`: expected a text, a number, true or false, or a list of them"
            )),
        }
    }
}

/// Reads `[judges.NAME]`: a judge as on the command line in `spec`, and the settings of a served
/// one.
fn read_judges(path: &str, table: Option<Value>) -> Result<NamedJudges, String> {
    let mut judges = NamedJudges::new();
    match table {
        None => {}
        Some(Value::Table(entries)) => {
            for (name, judge) in entries {
                let judge = read_judge(path, &name, judge)?;
                judges.insert(name, judge);
            }
        }
        Some(_) => {
            return Err(format!(
                "{path}: key `judges`: expected a table of judges by name"
            ));
        }
    }
    Ok(judges)
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
        let result = merge_arguments(given, &[]).map_err(|e| e.replace(&shown, "c.toml"));
        result.map(|merged| {
            let all = merged.arguments.into_iter();
            all.skip(2)
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
    fn a_list_of_conditions_is_one_flag() {
        let all = merge_file("fail-if = ['coverage<0.9', 'failures>3']", &[]).unwrap();
        assert_eq!(all[0], "--fail-if=coverage<0.9,failures>3");
    }

    #[test]
    fn a_table_says_which_field_is_which() {
        let config = "[map]\nitem = 'Ticket #'\noutput_1 = 'Reply, A'\n'system_1:' = 'A'\n\
                      [outcomes]\n'A, surely' = 'first'\nnone = 'drop'";
        let all = merge_file(config, &[]).unwrap();
        for flag in [
            r#"--map=item=Ticket #,output_1="Reply, A",system_1:=A"#,
            r#"--outcomes="A, surely=first",none=drop"#,
        ] {
            assert!(all.contains(&flag.to_owned()), "{flag}: {all:?}");
        }
    }

    #[test]
    fn paths_of_an_audit_are_relative_to_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        let config = "data = ['a.jsonl', '/b']\njudge = 'simulated'\ntweak-set = '../t'";
        std::fs::write(&path, config).unwrap();
        let command = |words: &[&str]| {
            let words = words.iter().map(OsString::from);
            let given = words.chain(["--config".into(), path.clone().into()]);
            merge_arguments(given.collect(), &[]).unwrap().arguments
        };
        let audit = command(&["evenhand", "audit"]);
        let base = dir.path().display();
        for flag in [
            format!("--data={base}/a.jsonl"),
            "--data=/b".into(),
            "--judge=simulated".into(),
            format!("--tweak-set={}/t", dir.path().parent().unwrap().display()),
        ] {
            assert!(audit.contains(&OsString::from(&flag)), "{flag}: {audit:?}");
        }
        std::fs::write(&path, "data = ['a.jsonl']").unwrap();
        let rank = command(&["evenhand", "rank"]);
        assert!(rank.contains(&OsString::from("--data=a.jsonl")), "{rank:?}");
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

    /// Every key of every command that takes a file is taken, left out aloud, or refused as a
    /// condition, in the file of each such command.
    #[test]
    fn a_file_is_shared_by_all_commands_that_take_one() {
        fn collect<'a>(
            command: &'a Command,
            name: String,
            found: &mut Vec<(String, Vec<&'a Arg>)>,
        ) {
            let keys = keys_of(command);
            if !keys.is_empty() {
                found.push((name.trim_start().to_owned(), keys));
            }
            for inner in command.get_subcommands() {
                collect(inner, format!("{name} {}", inner.get_name()), found);
            }
        }
        let program = Cli::command();
        let mut commands = Vec::new();
        collect(&program, String::new(), &mut commands);
        assert!(commands.len() > 15, "{}", commands.len());
        let all: BTreeSet<&str> = commands
            .iter()
            .flat_map(|(_, keys)| keys.iter().filter_map(|key| key.get_long()))
            .collect();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        let line = |name: &str| {
            let words = ["evenhand"].into_iter().chain(name.split(' '));
            let words = words.map(OsString::from);
            words
                .chain(["--config".into(), path.clone().into()])
                .collect()
        };
        let write = |keys: &[&str]| {
            let lines = keys.iter().map(|key| format!("{key} = true\n"));
            std::fs::write(&path, lines.collect::<String>()).unwrap();
        };
        let (conditions, others): (Vec<&str>, Vec<&str>) = all
            .iter()
            .copied()
            .partition(|key| CONDITIONS.contains(key));
        assert_eq!(conditions, CONDITIONS);
        for (name, keys) in &commands {
            let is_own = |key: &&str| keys.iter().any(|own| own.get_long() == Some(*key));
            write(&others);
            let merged = merge_arguments(line(name), &[]).unwrap();
            let (own, left): (Vec<&str>, Vec<&str>) =
                others.iter().copied().partition(|key| is_own(key));
            assert_eq!(merged.keys, own, "{name}");
            let left: Vec<String> = left.iter().map(|key| format!("`{key}`")).collect();
            let said = merged.left_out.unwrap_or_default();
            assert!(
                said.contains(&format!("{name} does not use {}:", left.join(", "))),
                "{said}"
            );
            for key in &conditions {
                write(&[*key]);
                match merge_arguments(line(name), &[]) {
                    Ok(_) => assert!(is_own(key), "{name}"),
                    Err(error) => {
                        assert!(!is_own(key), "{name}: {error}");
                        let expected = format!("key `{key}`: {name} does not check this condition");
                        assert!(error.contains(&expected), "{error}");
                    }
                }
            }
            write(&["no-such-key"]);
            assert!(merge_arguments(line(name), &[]).is_err(), "{name}");
        }
    }

    #[test]
    fn errors_name_file_and_key() {
        assert!(
            merge_file("round = 50", &[]).unwrap_err().starts_with(
                "c.toml: unknown key `round`; did you mean `rounds`? rank takes data, "
            )
        );
        assert!(
            merge_file("zzz = 50", &[])
                .unwrap_err()
                .starts_with("c.toml: unknown key `zzz`; rank takes data, ")
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
