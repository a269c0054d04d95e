//! A reply's body.

use super::{as_json, with_probabilities};
use crate::served::codec::Dialect;
use crate::served::codec::answers::{Measured, measure};
use crate::served::codec::json::{count, malformed, text};
use crate::served::codec::reasoning::{Parted, part};
use crate::served::fault::{Fault, FaultKind};
use evenhand_core::{Finish, Reply, Request, Usage};
use serde_json::Value;

/// Reads a reply.
pub(in crate::served::codec) fn reply(
    dialect: &Dialect,
    request: &Request,
    value: &Value,
) -> Result<Reply, Fault> {
    let choice = first_choice(value)?;
    let message = choice.get("message").filter(|message| message.is_object());
    let message = message.ok_or_else(|| malformed("the reply's first choice holds no message"))?;
    let content = content(message)?;
    let finish = finish(choice, message)?;
    let Parted { reasoning, text } =
        part(&content.text, finish, reasoning(message, content.thinking));
    let measured =
        with_probabilities(dialect, request).and_then(|answers| measure(answers, choice, &text));
    let Measured {
        answers,
        within,
        impossible,
    } = measured.unwrap_or_default();
    let text = if as_json(dialect, request).is_some() {
        answer_in_json(&text).unwrap_or(text)
    } else {
        text
    };
    let text = if text.trim().is_empty() {
        refusal(message).map_or(text, str::to_owned)
    } else {
        text
    };
    let (answers_within, answers_impossible, usage) = (within, impossible, usage(value));
    Ok(Reply {
        text,
        reasoning,
        finish,
        answers,
        answers_within,
        answers_impossible,
        usage,
        ..Reply::default()
    })
}

fn first_choice(value: &Value) -> Result<&Value, Fault> {
    match value.get("choices") {
        Some(Value::Array(choices)) => choices
            .first()
            .ok_or_else(|| malformed("the reply has no choices")),
        Some(_) => Err(malformed("the reply's choices are no list")),
        None => Err(malformed(
            "the reply has no field `choices`: is the address that of a chat API?",
        )),
    }
}

/// What a message says, and what it thinks in parts of its own.
#[derive(Default)]
struct Content {
    text: String,
    thinking: String,
}

fn content(message: &Value) -> Result<Content, Fault> {
    let mut content = Content::default();
    match message.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => content.text.push_str(text),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| content.add(part)),
        Some(_) => {
            return Err(malformed(
                "the content of the reply's message is neither a text nor a list of parts",
            ));
        }
    }
    Ok(content)
}

impl Content {
    /// A part is a text by itself, `{"text": …}`, or Mistral's `{"thinking": [{"text": …}]}`; what
    /// is none of these says nothing.
    fn add(&mut self, part: &Value) {
        let said = part.as_str().or_else(|| part.get("text")?.as_str());
        self.text.push_str(said.unwrap_or(""));
        match part.get("thinking") {
            Some(Value::String(text)) => self.thinking.push_str(text),
            Some(Value::Array(parts)) => {
                parts
                    .iter()
                    .filter_map(|part| part.get("text")?.as_str())
                    .for_each(|text| self.thinking.push_str(text));
            }
            _ => {}
        }
    }
}

/// DeepSeek, vLLM, SGLang and llama.cpp say `reasoning_content`; OpenRouter, Ollama and newer
/// servers `reasoning`.
fn reasoning(message: &Value, thinking: String) -> Option<String> {
    let field = text(message, "/reasoning_content")
        .or_else(|| text(message, "/reasoning"))
        .map(str::to_owned);
    field.or_else(|| Some(thinking).filter(|thinking| !thinking.trim().is_empty()))
}

fn refusal(message: &Value) -> Option<&str> {
    text(message, "/refusal")
}

fn finish(choice: &Value, message: &Value) -> Result<Finish, Fault> {
    let reason = choice
        .get("finish_reason")
        .and_then(Value::as_str)
        .unwrap_or("stop");
    match reason {
        "error" => Err(Fault::new(
            FaultKind::Server,
            "the reply ended with an error that the server does not name",
        )),
        _ if refusal(message).is_some() => Ok(Finish::Refusal),
        "length" | "max_tokens" | "model_length" => Ok(Finish::Length),
        "content_filter" | "refusal" => Ok(Finish::Refusal),
        _ => Ok(Finish::Stop),
    }
}

/// The answer in a reply held to a schema; None where it is not of that shape, which leaves the
/// text to be read.
fn answer_in_json(text: &str) -> Option<String> {
    match serde_json::from_str::<Value>(text).ok()?.get("answer")? {
        Value::String(answer) => Some(answer.clone()),
        Value::Number(answer) => Some(answer.to_string()),
        _ => None,
    }
}

/// The tokens. Where the total is more than prompt and completion (xAI, Gemini), the rest was
/// thought and not shown.
pub(super) fn usage(value: &Value) -> Usage {
    let usage = value.get("usage").unwrap_or(&Value::Null);
    let [prompt, shown, total] =
        ["/prompt_tokens", "/completion_tokens", "/total_tokens"].map(|field| count(usage, field));
    let unseen = total.saturating_sub(prompt).saturating_sub(shown);
    let cached = count(usage, "/prompt_tokens_details/cached_tokens")
        .max(count(usage, "/prompt_cache_hit_tokens"));
    let thought = count(usage, "/completion_tokens_details/reasoning_tokens").max(unseen);
    let completion_tokens = shown.saturating_add(unseen);
    Usage {
        prompt_tokens: prompt,
        completion_tokens,
        cached_tokens: cached.min(prompt),
        reasoning_tokens: thought.min(completion_tokens),
    }
    .capped()
}
