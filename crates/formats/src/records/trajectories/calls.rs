//! Calls of tools as a person reads them.

use super::located::{Located, PartResult};
use serde_json::Value;

/// Reads a call of a tool: `{id, function: {name, arguments}}`, `{id, function, arguments}` or
/// `{id, name, input}`. Returns it as a person reads it, and its id.
pub(super) fn read_call<'v>(call: &Located<'v>) -> PartResult<(String, Option<&'v str>)> {
    let function = call.field("function");
    let of = match &function {
        Some(function) if function.value.is_object() => function,
        _ => call,
    };
    let arguments = of.any_field(&["arguments", "input", "args"]);
    // Inspect calls the name of a tool its function.
    let name = match of.field("function") {
        Some(name) => name.text()?,
        None => of.text_field("name")?,
    };
    let id = read_id(call, &["id", "call_id"])?;
    let written = write_call(name, arguments.map(|arguments| arguments.value));
    Ok((written, id))
}

/// Reads the first of these fields that is there, an id.
pub(super) fn read_id<'v>(of: &Located<'v>, names: &[&str]) -> PartResult<Option<&'v str>> {
    of.any_field(names).map(|id| id.text()).transpose()
}

/// Writes a call: the tool's name, then its arguments one a line; further lines of an argument are
/// indented, so that none can pose as another argument. Arguments that are no object stand as they
/// were written.
fn write_call(name: &str, arguments: Option<&Value>) -> String {
    let mut call = write_line("Tool", name);
    let written = match arguments {
        None | Some(Value::Null) => return call,
        Some(Value::String(text)) if text.trim().is_empty() => return call,
        // They may be JSON within a string.
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(text.clone()),
        },
        Some(other) => other.clone(),
    };
    match written {
        Value::Object(fields) => {
            for (name, value) in fields {
                call.push('\n');
                call += &write_line(&name, &write_value(&value));
            }
        }
        other => push_lines(&mut call, &write_value(&other)),
    }
    call
}

/// Writes a text as it is, and any other value as JSON.
fn write_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Writes `name: value`; a value of several lines stands below its name.
fn write_line(name: &str, value: &str) -> String {
    let name = name.replace('\n', " ");
    if !value.contains('\n') {
        return format!("{name}: {value}");
    }
    let mut lines = format!("{name}:");
    push_lines(&mut lines, value);
    lines
}

fn push_lines(head: &mut String, text: &str) {
    for line in text.lines() {
        head.push_str("\n  ");
        head.push_str(line);
    }
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
