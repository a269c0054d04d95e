//! How probable a text is as the model's turn, from servers that give the log-probabilities of a
//! prompt.

use super::reply::usage;
use super::request::messages;
use super::spelling::{Token, of_composed_end, of_end};
use crate::Api;
use crate::served::codec::answers::is_impossible;
use crate::served::codec::json::malformed;
use crate::served::codec::{Dialect, Scoring, invalid};
use crate::served::fault::{Fault, FaultKind};
use evenhand_core::{CallError, Message, Reply, Request, Role};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// The body of a request that has a text scored.
///
/// vLLM's `prompt_logprobs`: the text stands as an unfinished last turn of the chat, under the
/// model's own template. `echo`: an older completion of the conversation's texts with blank lines
/// between, as for a model without a template. One token is written, since not every server
/// takes 0.
pub(in crate::served::codec) fn body(
    dialect: &Dialect,
    request: &Request,
    text: &str,
) -> Result<Map<String, Value>, CallError> {
    if text.is_empty() {
        return Err(invalid("an empty text has no likelihood"));
    }
    check(dialect)?;
    let body = match dialect.likelihood {
        Scoring::None | Scoring::PromptLogprobs => {
            let turn = Message {
                role: Role::Assistant,
                content: text.to_owned(),
            };
            let turns: Vec<Message> = request.messages.iter().cloned().chain([turn]).collect();
            json!({"model": dialect.model, "messages": messages(dialect.system_role, &turns), "max_tokens": 1, "temperature": 0.0,
                "add_generation_prompt": false, "continue_final_message": true, "prompt_logprobs": 0})
        }
        Scoring::Echo => {
            json!({"model": dialect.model, "prompt": plain(&request.messages, text), "max_tokens": 1,
            "temperature": 0.0, "echo": true, "logprobs": 1})
        }
    };
    Ok(body.as_object().cloned().unwrap_or_default())
}

/// Refuses a model whose API gives no likelihoods.
pub(in crate::served) fn check(dialect: &Dialect) -> Result<(), CallError> {
    if dialect.api == Api::OpenAi && dialect.likelihood != Scoring::None {
        return Ok(());
    }
    let model = &dialect.model;
    Err(invalid(format!(
        "the API of {model} gives no likelihood of a text: choose a protocol other than \
         `likelihood`, a local judge (gguf:PATH), or a server that gives the log-probabilities of \
         a prompt (`likelihood = \"prompt-logprobs\"` or `\"echo\"` in [judges.NAME.dialect])"
    )))
}

/// A conversation for a model without a template, and the text after it; something always stands
/// before the text, since the first token of a prompt has no probability.
fn plain(messages: &[Message], text: &str) -> String {
    let contents = messages
        .iter()
        .map(|message| message.content.as_str())
        .filter(|content| !content.is_empty());
    format!("{}\n\n{text}", contents.collect::<Vec<_>>().join("\n\n"))
}

/// Reads a reply.
pub(in crate::served::codec) fn reply(
    dialect: &Dialect,
    text: &str,
    apart: &[Range<usize>],
    value: &Value,
) -> Result<Reply, Fault> {
    let tokens = match dialect.likelihood {
        Scoring::Echo => echoed(value),
        _ => of_prompt(value),
    };
    let tokens = tokens.ok_or_else(|| {
        let why = "the reply has no log-probabilities of the prompt: does this server give them? \
                   (`likelihood` in [judges.NAME.dialect])";
        Fault::new(FaultKind::Rejected, why)
    })?;
    if let Some(logprob) = tokens
        .iter()
        .filter_map(|(_, logprob)| *logprob)
        .find(|logprob| is_impossible(*logprob))
    {
        let why = format!(
            "the server's log-probabilities of the prompt cannot be: one is {logprob}, above 0"
        );
        return Err(Fault::new(FaultKind::Rejected, why));
    }
    let likelihood = of_end(&tokens, text, apart).or_else(|| of_composed_end(&tokens, text, apart));
    let likelihood = likelihood.ok_or_else(|| {
        malformed("the tokens of the reply do not end with the text that was to be scored")
    })?;
    Ok(Reply {
        likelihood: Some(likelihood),
        usage: usage(value),
        ..Reply::default()
    })
}

/// vLLM: for each token of the prompt an object with one entry, by the token's number.
fn of_prompt(value: &Value) -> Option<Vec<Token<'_>>> {
    let list = value
        .get("prompt_logprobs")
        .or_else(|| value.pointer("/choices/0/prompt_logprobs"))?
        .as_array()?;
    list.iter().map(entry).collect()
}

fn entry(value: &Value) -> Option<Token<'_>> {
    if value.is_null() {
        return Some(("", None));
    }
    let mut entries = value.as_object()?.values();
    let (entry, None) = (entries.next()?, entries.next()) else {
        return None;
    };
    Some((
        entry.get("decoded_token")?.as_str()?,
        entry.get("logprob")?.as_f64(),
    ))
}

/// The tokens of the prompt, without the one that was written after it.
fn echoed(value: &Value) -> Option<Vec<Token<'_>>> {
    let list = |name: &str| {
        value
            .pointer(&format!("/choices/0/logprobs/{name}"))?
            .as_array()
    };
    let (tokens, logprobs) = (list("tokens")?, list("token_logprobs")?);
    let of_prompt = usize::try_from(value.pointer("/usage/prompt_tokens")?.as_u64()?).ok()?;
    let pairs = tokens.iter().zip(logprobs).take(of_prompt);
    pairs
        .map(|(token, logprob)| Some((token.as_str()?, logprob.as_f64())))
        .collect()
}
