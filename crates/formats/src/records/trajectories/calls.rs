//! Calls of tools as a person reads them.

use serde_json::{Map, Value};

/// Writes a call: the tool's name, then its arguments one a line; further lines of an argument are
/// indented, so that none can pose as another argument. Arguments that are no object stand as they
/// were written.
pub(super) fn write_call(name: &str, arguments: Option<&Value>) -> String {
    let head = write_line("Tool", name);
    match arguments.and_then(parse_arguments) {
        None => head,
        Some(Value::Object(fields)) => write_fields(head, &fields),
        Some(Value::String(text)) => write_lines(head, &text),
        Some(other) => write_lines(head, &other.to_string()),
    }
}

/// Returns the arguments, which may be JSON within a string; None where there are none.
fn parse_arguments(arguments: &Value) -> Option<Value> {
    match arguments {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(parse_object(text)),
        other => Some(other.clone()),
    }
}

fn parse_object(text: &str) -> Value {
    let parsed = serde_json::from_str::<Value>(text).ok();
    let object = parsed.filter(Value::is_object);
    object.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn write_fields(head: String, fields: &Map<String, Value>) -> String {
    let lines = fields.iter().map(|(name, value)| match value {
        Value::String(text) => write_line(name, text),
        other => write_line(name, &other.to_string()),
    });
    std::iter::once(head)
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Writes `name: value`; a value of several lines stands below its name.
fn write_line(name: &str, value: &str) -> String {
    let name = name.replace('\n', " ");
    if value.contains('\n') {
        write_lines(format!("{name}:"), value)
    } else {
        format!("{name}: {value}")
    }
}

fn write_lines(head: String, text: &str) -> String {
    let lines = text.lines().map(|line| format!("\n  {line}"));
    head + &lines.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_is_its_name_and_one_argument_a_line() {
        let object = json!({"query": "rain", "days": 3, "code": "a\nb: c", "tags": ["x"]});
        let expected = "Tool: search\nquery: rain\ndays: 3\ncode:\n  a\n  b: c\ntags: [\"x\"]";
        assert_eq!(write_call("search", Some(&object)), expected);
        let text = Value::String(object.to_string());
        assert_eq!(write_call("search", Some(&text)), expected);
    }

    #[test]
    fn arguments_that_are_no_object_stand_as_they_are() {
        assert_eq!(
            write_call("run", Some(&json!("{broken"))),
            "Tool: run\n  {broken"
        );
        assert_eq!(write_call("run", Some(&json!([1]))), "Tool: run\n  [1]");
        assert_eq!(write_call("a\nquery: x", None), "Tool:\n  a\n  query: x");
        assert_eq!(write_call("run", Some(&json!(""))), "Tool: run");
    }
}
