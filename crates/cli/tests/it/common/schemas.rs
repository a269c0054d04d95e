//! Holds what commands print as JSON against `docs/schemas`.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// Checks what a command printed that ended well. Commands without a schema are passed over.
pub(crate) fn check_output(arguments: &str, stdout: &str) {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let is_json = words.windows(2).any(|pair| pair == ["--format", "json"]);
    if !(is_json || words[0] == "align" && !words.contains(&"--help")) || stdout.is_empty() {
        return;
    }
    let has = |word: &str| words.contains(&word);
    let command = match words[0] {
        "leaderboard" => "rank".to_string(),
        "audit" if has("--estimate") => "audit-estimate".into(),
        // A judgment of the run is named by its number.
        "show" if words.iter().skip(2).any(|word| word.parse::<u64>().is_ok()) => {
            "show-judgment".into()
        }
        "judge" if has("--texts") => "judgments".into(),
        "meta" | "batch" | "prompts" => format!("{}-{}", words[0], words[1]),
        // What `models` does but list has another form.
        "models" if words[1] == "try" => "models-try".into(),
        "models" if words[1] != "--format" => return,
        command => command.into(),
    };
    if !schema_file(&command).exists() {
        return;
    }
    let texts: Vec<&str> = match command.as_str() {
        "judge" | "judgments" | "prompts-render" | "align" => stdout.lines().collect(),
        _ => vec![stdout],
    };
    for text in texts {
        let value: Value = serde_json::from_str(text).unwrap();
        if let Some(fault) = fault_of(&command, &value) {
            panic!("{arguments}: {fault}, by docs/schemas/{command}.json");
        }
    }
}

fn schema_file(command: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    folder.join(format!("{command}.json"))
}

/// Returns what is wrong with what a command printed, by its schema.
fn fault_of(command: &str, value: &Value) -> Option<String> {
    static VALIDATORS: OnceLock<Mutex<BTreeMap<String, Validator>>> = OnceLock::new();
    let mut validators = VALIDATORS.get_or_init(Mutex::default).lock().unwrap();
    let validator = validators.entry(command.into()).or_insert_with(|| {
        let text = std::fs::read_to_string(schema_file(command)).unwrap();
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        close(&mut schema);
        jsonschema::validator_for(&schema).unwrap()
    });
    let error = validator.iter_errors(value).next()?;
    Some(format!("{error} at {}", error.instance_path()))
}

/// Lets no member through that the schema does not name: users may meet more of them some day, but
/// each has to be described.
fn close(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    let says_what = ["type", "$ref", "anyOf", "oneOf", "allOf"];
    if says_what.iter().any(|key| object.contains_key(*key)) {
        object.insert("unevaluatedProperties".into(), json!(false));
    }
    close_inside(object);
}

/// Closes the schemas of members and elements; those that apply to the same value are left open, as
/// they are closed together.
fn close_inside(object: &mut serde_json::Map<String, Value>) {
    for (key, value) in object {
        match (key.as_str(), value) {
            ("properties", Value::Object(members)) => members.values_mut().for_each(close),
            ("items" | "additionalProperties", element) => close(element),
            ("prefixItems", Value::Array(elements)) => elements.iter_mut().for_each(close),
            ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => {
                for one in all.iter_mut().filter_map(Value::as_object_mut) {
                    close_inside(one);
                }
            }
            ("$defs", Value::Object(definitions)) => {
                for one in definitions.values_mut().filter_map(Value::as_object_mut) {
                    close_inside(one);
                }
            }
            _ => {}
        }
    }
}
