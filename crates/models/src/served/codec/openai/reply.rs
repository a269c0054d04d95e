//! A reply's body.

use super::answers_to_measure;
use crate::served::codec::Dialect;
use crate::served::codec::answers::{Due, measure_answers, measure_verdict_field};
use crate::served::codec::json::{Json, count, malformed, text};
use crate::served::codec::reasoning::{SplitText, split_reasoning};
use crate::served::fault::{Fault, FaultKind};
use evenhand_core::{AnswerPlace, Finish, Reply, Request, Task, Usage};

/// Reads a reply.
pub(in crate::served::codec) fn decode_chat(
    dialect: &Dialect,
    request: &Request,
    value: &Json,
) -> Result<Reply, Fault> {
    let choice = first_choice(value)?;
    let message = choice
        .get("message")
        .filter(|message| message.as_object().is_some());
    let message = message.ok_or_else(|| malformed("the reply's first choice holds no message"))?;
    let content = read_content(message)?;
    let finish = read_finish(choice, message)?;
    // DeepSeek, vLLM, SGLang and llama.cpp say `reasoning_content`; OpenRouter, Ollama and newer
    // servers `reasoning`.
    let separate = text(message, "/reasoning_content")
        .or_else(|| text(message, "/reasoning"))
        .map(str::to_owned)
        .or_else(|| Some(content.thinking).filter(|thinking| !thinking.trim().is_empty()));
    let SplitText { reasoning, text } = split_reasoning(&content.text, finish, separate);
    let answers = answers_to_measure(dialect, request);
    let is_held =
        matches!(&request.task, Task::Generate { decoding, .. } if decoding.schema.is_some());
    let measured = answers.and_then(|answers| match is_held {
        true => measure_verdict_field(answers, choice, &text),
        false => measure_answers(answers, choice, &text),
    });
    let mut measured = measured.unwrap_or_default();
    let mut places = Vec::new();
    if let Some(answers) = answers.filter(|_| !is_held && !measured.impossible) {
        let due = Due::find(answers, &text);
        if !due.is_bare(answers) {
            // Its first word may be an article, or the beginning of a sentence: the reader looks
            // for the place where the words state the verdict.
            places.extend(measured.answers.take().map(|answers| AnswerPlace {
                end: due.start,
                answers,
                within: std::mem::take(&mut measured.within),
            }));
            places.extend(due.measure_places(answers, choice));
        }
    }
    let is_silent = text.trim().is_empty();
    let called = find_call(message).filter(|_| is_silent);
    Ok(Reply {
        is_tool_call: called.is_some(),
        text: match called.or_else(|| find_refusal(message).filter(|_| is_silent)) {
            Some(said) => said.to_owned(),
            None => text,
        },
        reasoning,
        finish,
        answers: measured.answers,
        answers_within: measured.within,
        places,
        answers_impossible: measured.impossible,
        usage: read_usage(value),
        ..Reply::default()
    })
}

/// Returns the arguments of a message's one tool call, by the newer name or the older; None where
/// there are several, of which none is the reply.
fn find_call<'a>(message: &'a Json) -> Option<&'a str> {
    let called = match message.get("tool_calls").and_then(Json::as_array) {
        Some(calls) => match calls {
            [call] => text(call, "/function/arguments"),
            _ => None,
        },
        None => text(message, "/function_call/arguments"),
    };
    called.filter(|_| find_refusal(message).is_none())
}

fn first_choice<'a, 'b>(value: &'a Json<'b>) -> Result<&'a Json<'b>, Fault> {
    match value.get("choices") {
        Some(Json::List(choices)) => choices
            .first()
            .ok_or_else(|| malformed("the reply has no choices")),
        Some(_) => Err(malformed("the reply's choices are not a list")),
        None => Err(malformed(
            "the reply has no field `choices`: is the address that of a chat API?",
        )),
    }
}

/// The text of a message, and the thoughts that are parts of their own.
#[derive(Default)]
struct Content {
    text: String,
    thinking: String,
}

fn read_content(message: &Json) -> Result<Content, Fault> {
    let mut content = Content::default();
    let parts = match message.get("content") {
        None | Some(Json::Null) => return Ok(content),
        Some(Json::Text(text)) => {
            content.text.push_str(text);
            return Ok(content);
        }
        Some(Json::List(parts)) => parts,
        Some(_) => {
            return Err(malformed(
                "the content of the reply's message is neither a text nor a list of parts",
            ));
        }
    };
    // A part is a text by itself, `{"text": …}`, or Mistral's `{"thinking": [{"text": …}]}`.
    // Anything else says nothing.
    for part in parts {
        let text = part.as_str().or_else(|| part.get("text")?.as_str());
        content.text.push_str(text.unwrap_or(""));
        match part.get("thinking") {
            Some(Json::Text(text)) => content.thinking.push_str(text),
            Some(Json::List(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                content.thinking.extend(texts);
            }
            _ => {}
        }
    }
    Ok(content)
}

fn find_refusal<'a>(message: &'a Json) -> Option<&'a str> {
    text(message, "/refusal")
}

fn read_finish(choice: &Json, message: &Json) -> Result<Finish, Fault> {
    let reason = choice
        .get("finish_reason")
        .or_else(|| choice.get("finishReason"))
        .and_then(Json::as_str);
    match reason.unwrap_or("stop") {
        "error" => Err(Fault::new(
            FaultKind::Server,
            "the reply ended with an error that the server does not name",
        )),
        _ if find_refusal(message).is_some() => Ok(Finish::Refusal),
        "length" | "max_tokens" | "model_length" => Ok(Finish::Length),
        "content_filter" | "refusal" => Ok(Finish::Refusal),
        _ => Ok(Finish::Stop),
    }
}

/// Reads the tokens. Where the total is more than prompt and completion (xAI, Gemini), the rest was
/// thought and not shown. Results of Gemini's batches spell their fields `promptTokens`.
pub(in crate::served::codec) fn read_usage(value: &Json) -> Usage {
    let usage = value.get("usage").unwrap_or(&Json::Null);
    let either = |name: &str, other: &str| count(usage, name).max(count(usage, other));
    let prompt_tokens = either("/prompt_tokens", "/promptTokens");
    let shown = either("/completion_tokens", "/completionTokens");
    let total = either("/total_tokens", "/totalTokens");
    let unseen = total.saturating_sub(prompt_tokens).saturating_sub(shown);
    let thought = count(usage, "/completion_tokens_details/reasoning_tokens").max(unseen);
    let completion_tokens = shown.saturating_add(unseen);
    let cached = either(
        "/prompt_tokens_details/cached_tokens",
        "/prompt_cache_hit_tokens",
    );
    Usage {
        prompt_tokens,
        completion_tokens,
        cached_tokens: cached.min(prompt_tokens),
        reasoning_tokens: thought.min(completion_tokens),
    }
    .capped()
}
