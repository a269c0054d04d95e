//! The content of a message: a text, or a list of parts.

use super::located::{Located, PartResult};

pub(super) const PARTS: &str = "a string, or a list of parts with a `type`";

/// A part of a message, in the words of OpenAI, Anthropic and Inspect.
pub(super) enum Part<'v> {
    Text(String),
    Thinking(String),
    /// A thought that was kept from the reader.
    HiddenThinking,
    Call(Located<'v>),
    Result(Located<'v>),
}

/// Reads the parts of a message's content.
pub(super) fn read_parts<'v>(content: &Located<'v>) -> PartResult<Vec<Part<'v>>> {
    if let Some(text) = content.value.as_str() {
        return Ok(vec![Part::Text(text.to_owned())]);
    }
    let parts = content.list(PARTS)?;
    parts.iter().map(read_part).collect()
}

fn read_part<'v>(part: &Located<'v>) -> PartResult<Part<'v>> {
    if let Some(text) = part.value.as_str() {
        return Ok(Part::Text(text.to_owned()));
    }
    match part.text_field("type")? {
        "thinking" => part.owned("thinking").map(Part::Thinking),
        "reasoning" => read_reasoning(part),
        "redacted_thinking" => Ok(Part::HiddenThinking),
        "tool_use" | "server_tool_use" => Ok(Part::Call(part.clone())),
        "tool_result" => Ok(Part::Result(part.clone())),
        kind => read_text_part(part, kind).map(Part::Text),
    }
}

/// Reads a part that is a text; of any other type it is said that it is not shown.
fn read_text_part(part: &Located<'_>, kind: &str) -> PartResult<String> {
    match kind {
        "text" | "output_text" | "input_text" => part.owned("text"),
        "refusal" => part.owned("refusal"),
        other => Ok(format!("({other}: not shown)")),
    }
}

fn read_reasoning<'v>(part: &Located<'v>) -> PartResult<Part<'v>> {
    let text = part.any_field(&["reasoning", "text", "summary"]);
    match text.filter(|_| !part.is_true("redacted")) {
        Some(text) => Ok(Part::Thinking(text.text()?.to_owned())),
        None => Ok(Part::HiddenThinking),
    }
}

/// Reads the texts of a content, joined by blank lines; thoughts, calls and results are no texts.
pub(super) fn read_texts(content: &Located<'_>) -> PartResult<String> {
    let parts = read_parts(content)?.into_iter();
    let texts: Vec<String> = parts.filter_map(Part::into_text).collect();
    Ok(texts.join("\n\n"))
}

impl Part<'_> {
    /// Returns the text that it is; None where it is none, or empty.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Part::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }
}
