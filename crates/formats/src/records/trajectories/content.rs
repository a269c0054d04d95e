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
    let kind = part.text_field("type")?;
    Ok(match kind {
        "text" | "output_text" | "input_text" => Part::Text(part.text_field("text")?.to_owned()),
        "refusal" => Part::Text(part.text_field("refusal")?.to_owned()),
        "thinking" => Part::Thinking(part.text_field("thinking")?.to_owned()),
        "reasoning" => read_reasoning(part)?,
        "redacted_thinking" => Part::HiddenThinking,
        "tool_use" | "server_tool_use" => Part::Call(part.clone()),
        "tool_result" => Part::Result(part.clone()),
        other => Part::Text(format!("({other}: not shown)")),
    })
}

fn read_reasoning<'v>(part: &Located<'v>) -> PartResult<Part<'v>> {
    let redacted = part.field("redacted");
    if redacted.is_some_and(|redacted| redacted.value == true) {
        return Ok(Part::HiddenThinking);
    }
    let text = part.any_field(&["reasoning", "text", "summary"]);
    match text {
        Some(text) => Ok(Part::Thinking(text.text()?.to_owned())),
        None => Ok(Part::HiddenThinking),
    }
}

/// Reads the texts of a content, joined by blank lines; thoughts, calls and results are no texts.
pub(super) fn read_texts(content: &Located<'_>) -> PartResult<String> {
    let parts = read_parts(content)?.into_iter();
    let texts = parts.filter_map(|part| match part {
        Part::Text(text) => Some(text),
        _ => None,
    });
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    Ok(texts.join("\n\n"))
}
