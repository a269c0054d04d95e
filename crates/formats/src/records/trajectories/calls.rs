//! Calls of tools as a person reads them.

use super::located::{Located, PartResult};
use serde_json::{Map, Value};

/// A call of a tool: `{id, function: {name, arguments}}`, `{id, function, arguments}` or `{id,
/// name, input}`.
pub(super) struct ToolCall<'v> {
    name: &'v str,
    arguments: Option<&'v Value>,
    pub(super) id: Option<&'v str>,
}

impl<'v> ToolCall<'v> {
    pub(super) fn read(call: &Located<'v>) -> PartResult<ToolCall<'v>> {
        let function = function_of(call);
        Ok(ToolCall {
            name: read_name(&function)?,
            arguments: find_arguments(&function),
            id: read_id(call, &["id", "call_id"])?,
        })
    }

    pub(super) fn write(&self) -> String {
        write_call(self.name, self.arguments)
    }
}

/// Returns the object that names the tool and its arguments: the call's `function`, or the call.
fn function_of<'v>(call: &Located<'v>) -> Located<'v> {
    call.field("function")
        .filter(|function| function.value.is_object())
        .unwrap_or_else(|| call.clone())
}

fn find_arguments<'v>(function: &Located<'v>) -> Option<&'v Value> {
    let found = function.any_field(&["arguments", "input", "args"]);
    found.map(|arguments| arguments.value)
}

/// Reads the name of a tool, which Inspect calls its function.
fn read_name<'v>(call: &Located<'v>) -> PartResult<&'v str> {
    match call.field("function") {
        Some(name) => name.text(),
        None => call.text_field("name"),
    }
}

/// Reads the first of these fields that is there, an id.
pub(super) fn read_id<'v>(of: &Located<'v>, names: &[&str]) -> PartResult<Option<&'v str>> {
    of.any_field(names).map(|id| id.text()).transpose()
}

/// Writes a call: the tool's name, then its arguments one a line; further lines of an argument are
/// indented, so that none can pose as another argument. Arguments that are no object stand as they
/// were written.
fn write_call(name: &str, arguments: Option<&Value>) -> String {
    let head = write_line("Tool", name);
    match arguments.and_then(parse_arguments) {
        Some(arguments) => write_arguments(head, &arguments),
        None => head,
    }
}

fn write_arguments(head: String, arguments: &Value) -> String {
    match arguments {
        Value::Object(fields) => write_fields(head, fields),
        other => write_lines(head, &write_value(other)),
    }
}

/// Writes a text as it is, and any other value as JSON.
fn write_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
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
    serde_json::from_str::<Value>(text)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

fn write_fields(head: String, fields: &Map<String, Value>) -> String {
    let lines = fields.iter();
    let lines = lines.map(|(name, value)| format!("\n{}", write_line(name, &write_value(value))));
    head + &lines.collect::<String>()
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
