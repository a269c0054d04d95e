//! How probable a text is as the model's turn, from servers that give the log-probabilities of a
//! prompt.

use super::reply::read_usage;
use super::request::encode_messages;
use super::spelling::{Token, find_at_end, find_composed_at_end};
use crate::Api;
use crate::served::codec::answers::is_impossible;
use crate::served::codec::json::{Json, malformed};
use crate::served::codec::{Dialect, Scoring, invalid};
use crate::served::fault::{Fault, FaultKind};
use evenhand_core::{CallError, Message, Reply, Request, Role};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// Makes the body of a request that has a text scored.
///
/// vLLM's `prompt_logprobs`: the text stands as an unfinished last turn of the chat, under the
/// model's own template. `echo`: an older completion of the conversation's texts with blank lines
/// between, as for a model without a template. One token is written, since not every server
/// takes 0.
pub(in crate::served::codec) fn encode_score(
    dialect: &Dialect,
    request: &Request,
    text: &str,
) -> Result<Map<String, Value>, CallError> {
    if text.is_empty() {
        return Err(invalid("an empty text has no likelihood"));
    }
    check_scores(dialect)?;
    let body = match dialect.likelihood {
        Scoring::None | Scoring::PromptLogprobs => {
            let mut turns = request.messages.clone();
            turns.push(Message {
                role: Role::Assistant,
                content: text.to_owned(),
            });
            json!({"model": dialect.model, "messages": encode_messages(dialect.system_role, &turns),
                "max_tokens": 1, "temperature": 0.0, "add_generation_prompt": false,
                "continue_final_message": true, "prompt_logprobs": 0})
        }
        Scoring::Echo => {
            let contents: Vec<&str> = request
                .messages
                .iter()
                .map(|message| message.content.as_str())
                .filter(|content| !content.is_empty())
                .collect();
            // Something always stands before the text, since the first token of a prompt has no
            // probability.
            let prompt = format!("{}\n\n{text}", contents.join("\n\n"));
            json!({"model": dialect.model, "prompt": prompt, "max_tokens": 1,
                "temperature": 0.0, "echo": true, "logprobs": 1})
        }
    };
    Ok(body.as_object().cloned().unwrap_or_default())
}

/// Refuses a dialect in which no likelihood can be asked for
/// ([`Task::Score`](evenhand_core::Task)).
///
/// # Errors
///
/// [`Invalid`](evenhand_core::CallErrorKind::Invalid), with what to do instead.
pub fn check_scores(dialect: &Dialect) -> Result<(), CallError> {
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

/// Reads a reply.
pub(in crate::served::codec) fn decode_score(
    dialect: &Dialect,
    text: &str,
    apart: &[Range<usize>],
    value: &Json,
) -> Result<Reply, Fault> {
    let tokens = match dialect.likelihood {
        Scoring::Echo => read_echoed(value),
        _ => read_prompt_logprobs(value),
    };
    let Some(tokens) = tokens else {
        return Err(Fault::new(
            FaultKind::Rejected,
            "the reply has no log-probabilities of the prompt: does this server give them? \
             (`likelihood` in [judges.NAME.dialect])",
        ));
    };
    let mut logprobs = tokens.iter().filter_map(|(_, logprob)| *logprob);
    if let Some(logprob) = logprobs.find(|logprob| is_impossible(*logprob)) {
        return Err(Fault::new(
            FaultKind::Rejected,
            format!(
                "the server's log-probabilities of the prompt cannot be: one is {logprob}, above 0"
            ),
        ));
    }
    let likelihood =
        find_at_end(&tokens, text, apart).or_else(|| find_composed_at_end(&tokens, text, apart));
    if likelihood.is_none() {
        return Err(malformed(
            "the tokens of the reply do not end with the text that was to be scored",
        ));
    }
    Ok(Reply {
        likelihood,
        usage: read_usage(value),
        ..Reply::default()
    })
}

/// Reads vLLM's list: for each token of the prompt an object with one entry, by the token's number.
fn read_prompt_logprobs<'a>(value: &'a Json) -> Option<Vec<Token<'a>>> {
    let list = value
        .get("prompt_logprobs")
        .or_else(|| value.pointer("/choices/0/prompt_logprobs"))?
        .as_array()?;
    let mut tokens = Vec::with_capacity(list.len());
    for named in list {
        if *named == Json::Null {
            tokens.push(("", None));
            continue;
        }
        // Of entries by the same number the last one counts.
        let (number, entry) = named.as_object()?.last()?;
        if named.as_object()?.iter().any(|(other, _)| other != number) {
            return None;
        }
        let text = entry.get("decoded_token")?.as_str()?;
        tokens.push((text, entry.get("logprob")?.as_f64()));
    }
    Some(tokens)
}

/// Reads the tokens of the prompt, without the one that was written after it.
fn read_echoed<'a>(value: &'a Json) -> Option<Vec<Token<'a>>> {
    let logprobs = value.pointer("/choices/0/logprobs")?;
    let tokens = logprobs.get("tokens")?.as_array()?;
    let logprobs = logprobs.get("token_logprobs")?.as_array()?;
    let of_prompt = value.pointer("/usage/prompt_tokens")?.as_u64()?;
    tokens
        .iter()
        .zip(logprobs)
        .take(usize::try_from(of_prompt).ok()?)
        .map(|(token, logprob)| Some((token.as_str()?, logprob.as_f64())))
        .collect()
}
