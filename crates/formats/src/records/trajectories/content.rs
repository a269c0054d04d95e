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
    content.list(PARTS)?.iter().map(read_part).collect()
}

fn read_part<'v>(part: &Located<'v>) -> PartResult<Part<'v>> {
    if let Some(text) = part.value.as_str() {
        return Ok(Part::Text(text.to_owned()));
    }
    Ok(match part.text_field("type")? {
        "thinking" => Part::Thinking(part.owned("thinking")?),
        "reasoning" => {
            let text = part.any_field(&["reasoning", "text", "summary"]);
            match text.filter(|_| !part.is_true("redacted")) {
                Some(text) => Part::Thinking(text.text()?.to_owned()),
                None => Part::HiddenThinking,
            }
        }
        "redacted_thinking" => Part::HiddenThinking,
        "tool_use" | "server_tool_use" => Part::Call(part.clone()),
        "tool_result" => Part::Result(part.clone()),
        "text" | "output_text" | "input_text" => Part::Text(part.owned("text")?),
        "refusal" => Part::Text(part.owned("refusal")?),
        // Of any other type it is said that it is not shown.
        other => Part::Text(format!("({other}: not shown)")),
    })
}

/// Reads the texts of a content, joined by blank lines; thoughts, calls and results are no texts.
pub(super) fn read_texts(content: &Located<'_>) -> PartResult<String> {
    let mut texts = Vec::new();
    for part in read_parts(content)? {
        if let Part::Text(text) = part
            && !text.is_empty()
        {
            texts.push(text);
        }
    }
    Ok(texts.join("\n\n"))
}
