//! What promptfoo writes: `promptfoo eval --output results.json`, one object with a result for each
//! test, prompt and provider.

use super::json_words::name_of_value;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The assertions whose value is a right answer.
const REFERENCES: [&str; 4] = ["equals", "factuality", "model-graded-factuality", "similar"];

/// Returns the results of an evaluation as records of their own: each as it was, with what it says
/// in our terms under `evenhand`. None where the value is no such evaluation.
///
/// A system is a provider, by its label; where several prompts are compared, each with each
/// provider. The question is then what the variables say, else the prompt as it was sent.
pub(super) fn results_of(evaluation: &mut Value) -> Option<Vec<Value>> {
    let results = evaluation.get_mut("results")?.get_mut("results")?;
    let is_result = |value: &Value| {
        value["prompt"]["raw"].is_string()
            && !value["provider"].is_null()
            && value["testIdx"].is_u64()
    };
    let is_evaluation = |list: &&mut Vec<Value>| !list.is_empty() && list.iter().all(is_result);
    let mut results = std::mem::take(results.as_array_mut().filter(is_evaluation)?);
    let prompts: BTreeSet<&str> = results.iter().map(prompt_name).collect();
    let several = prompts.len() > 1;
    for result in &mut results {
        let read = read_result(result, several);
        result["evenhand"] = read;
    }
    Some(results)
}

/// Returns a prompt's name, which is its template where it was given no other.
fn prompt_name(result: &Value) -> &str {
    let prompt = &result["prompt"];
    let label = prompt["label"].as_str().filter(|label| !label.is_empty());
    label.or(prompt["raw"].as_str()).unwrap_or_default()
}

fn read_result(result: &Value, several: bool) -> Value {
    let provider = &result["provider"];
    let names = [provider, &provider["label"], &provider["id"]];
    let provider = names.into_iter().find_map(name_of_value);
    let provider = provider.unwrap_or_default();
    let system = match several {
        true => format!("{provider} / {}", prompt_name(result)),
        false => provider,
    };
    let test = &result["testCase"];
    let of_test = |name: &str| {
        let places = [&test["metadata"][name], &result["vars"][name]];
        places.into_iter().find_map(name_of_value)
    };
    // One that failed has no text.
    let output = match &result["response"]["output"] {
        Value::Null => Value::Null,
        Value::String(text) if text.trim().is_empty() => Value::Null,
        output => Value::String(text_of(output)),
    };
    let (reference, criteria) = read_assertions(result);
    json!({
        "item": of_test("id").or_else(|| name_of_value(&result["testIdx"])),
        "instruction": read_question(result, several),
        "system": system,
        "output": output,
        "category": of_test("category"),
        "reference": reference,
        "criteria": criteria,
    })
}

fn read_question(result: &Value, several: bool) -> Value {
    let variables = result["vars"].as_object().filter(|vars| !vars.is_empty());
    match variables.filter(|_| several) {
        Some(variables) if variables.len() == 1 => {
            Value::String(variables.values().map(text_of).collect())
        }
        Some(variables) => {
            let lines = variables.iter();
            let lines = lines.map(|(name, value)| format!("{name}: {}", text_of(value)));
            Value::String(lines.collect::<Vec<_>>().join("\n"))
        }
        None => {
            // It is a text, or the JSON of messages.
            let sent = &result["prompt"]["raw"];
            let read = serde_json::from_str(sent.as_str().unwrap_or_default());
            let messages: Option<Value> = read.ok().filter(|read: &Value| {
                let first = read.get(0);
                first.is_some_and(|first| first["role"].is_string())
            });
            messages.unwrap_or_else(|| sent.clone())
        }
    }
}

/// Returns the right answer that a test's assertions hold, and the criteria: what its `llm-rubric`s
/// ask, by the name of their metric.
fn read_assertions(result: &Value) -> (Option<String>, Vec<Value>) {
    let (mut reference, mut criteria) = (None, Vec::new());
    let mut names = BTreeSet::new();
    let variables = result["vars"].as_object();
    for assertion in result["testCase"]["assert"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let Some(text) = assertion["value"]
            .as_str()
            .filter(|text| !text.trim().is_empty())
        else {
            continue;
        };
        let text = fill_variables(text, variables);
        match assertion["type"].as_str() {
            Some("llm-rubric") => {
                let metric = assertion["metric"].as_str();
                let name = metric.filter(|name| !name.trim().is_empty() && names.insert(*name));
                criteria.push(json!({"name": name, "text": text}));
            }
            Some(kind) if REFERENCES.contains(&kind) && reference.is_none() => {
                reference = Some(text);
            }
            _ => {}
        }
    }
    (reference, criteria)
}

/// Puts the values of variables in the place of their names: `{{name}}`. An expression stays.
fn fill_variables(text: &str, variables: Option<&Map<String, Value>>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let named = after.split_once("}}").and_then(|(name, after)| {
            let value = variables?.get(name.trim())?;
            Some((text_of(value), after))
        });
        filled.push_str(before);
        match named {
            Some((value, after)) => {
                filled.push_str(&value);
                rest = after;
            }
            None => {
                filled.push_str("{{");
                rest = after;
            }
        }
    }
    filled + rest
}

/// Returns a text as it is, and anything else as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(prompt: &str, output: &Value) -> Value {
        json!({
            "testIdx": 3, "promptIdx": 0, "vars": {"question": "Why?", "lang": "en"},
            "prompt": {"raw": format!("{prompt}: Why?"), "label": prompt},
            "provider": {"id": "openai:m", "label": ""}, "response": {"output": output},
            "testCase": {"metadata": {"category": "c"}, "assert": [
                {"type": "llm-rubric", "metric": "tone", "value": "Answers {{ question }} {{x|y}}"},
                {"type": "llm-rubric", "metric": "tone", "value": "Is short"},
                {"type": "equals", "value": "So."},
            ]},
        })
    }

    fn read(results: &[Value]) -> Vec<Value> {
        let mut evaluation = json!({"evalId": "e", "results": {"version": 3, "results": results}});
        results_of(&mut evaluation).unwrap()
    }

    #[test]
    fn a_result_is_a_response_with_its_question_and_what_is_asked_of_it() {
        let read = read(&[result("old", &json!("Because."))]);
        assert_eq!(read[0]["vars"]["lang"], "en");
        let expected = json!({
            "item": "3", "instruction": "old: Why?", "system": "openai:m", "output": "Because.",
            "category": "c", "reference": "So.", "criteria": [
                {"name": "tone", "text": "Answers Why? {{x|y}}"},
                {"name": null, "text": "Is short"},
            ],
        });
        assert_eq!(read[0]["evenhand"], expected);
    }

    #[test]
    fn of_several_prompts_each_is_a_system_and_the_variables_are_the_question() {
        let read = read(&[result("old", &json!({"a": 1})), result("new", &json!(" "))]);
        let found = |at: usize, term: &str| read[at]["evenhand"][term].clone();
        assert_eq!(found(0, "system"), "openai:m / old");
        assert_eq!(found(1, "system"), "openai:m / new");
        assert_eq!(found(0, "output"), r#"{"a":1}"#);
        assert_eq!(found(1, "output"), Value::Null);
        let lines = found(0, "instruction");
        let mut lines: Vec<&str> = lines.as_str().unwrap().lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["lang: en", "question: Why?"]);
    }

    #[test]
    fn messages_that_were_sent_are_the_question() {
        let mut one = result("old", &json!("x"));
        one["prompt"]["raw"] = r#"[{"role": "user", "content": "Hi"}]"#.into();
        let read = read(&[one]);
        let question = &read[0]["evenhand"]["instruction"];
        assert_eq!(*question, json!([{"role": "user", "content": "Hi"}]));
    }

    #[test]
    fn other_lists_of_results_are_not_promptfoo_s() {
        for mut other in [
            json!({"results": [{"testIdx": 0}]}),
            json!({"results": {"results": [{"testIdx": 0}]}}),
            json!({"results": {"results": []}}),
        ] {
            assert_eq!(results_of(&mut other), None);
        }
    }
}
