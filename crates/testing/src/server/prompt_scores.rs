//! The log-probabilities of a prompt, as vLLM gives them: in a chat (`prompt_logprobs`) and in
//! older completions (`echo`).
//!
//! A token is a run of letters and digits with the space before it, or one other character. It
//! costs half a nat where it stood before in the prompt, else two: what repeats an instruction's
//! words is likely after it.

use serde_json::{Value, json};
use std::collections::HashSet;

/// Whether a chat's body asks for them. A body that cannot be read does not.
pub(super) fn is_wanted(body: &[u8]) -> bool {
    let mut windows = body.windows(PROMPT_LOGPROBS.len());
    let is_mentioned = windows.any(|bytes| bytes == PROMPT_LOGPROBS.as_bytes());
    is_mentioned
        && parse_json(body).is_ok_and(|body| body.get(PROMPT_LOGPROBS).is_some_and(Value::is_u64))
}

const PROMPT_LOGPROBS: &str = "prompt_logprobs";

/// Returns the reply to a chat that ends with an unfinished turn.
pub(super) fn score_chat(body: &[u8]) -> Result<Value, String> {
    let body = parse_json(body)?;
    let turns = body.get("messages").and_then(Value::as_array);
    let turns = turns
        .ok_or("messages: expected an array")?
        .iter()
        .map(|turn| {
            let text = |name: &str| turn[name].as_str().unwrap_or("");
            format!("<{}>\n{}", text("role"), text("content"))
        });
    let conversation = turns.collect::<Vec<_>>().join("\n");
    let is_unfinished = is_flag(&body, "continue_final_message", true);
    if !(is_unfinished && is_flag(&body, "add_generation_prompt", false)) {
        return Err(
            "the last turn is to be continued: expected continue_final_message without \
                    add_generation_prompt"
                .into(),
        );
    }
    let tokens = cut_tokens(&conversation);
    let numbered = tokens.iter().zip(token_logprobs(&tokens)).enumerate();
    let mut entries: Vec<Value> = numbered
        .map(|(at, (token, logprob))| {
            json!({ (100 + at).to_string(): {"logprob": logprob, "rank": 1, "decoded_token": token}})
        })
        .collect();
    // Nothing stands before the first token, so that it has none.
    if let Some(first) = entries.first_mut() {
        *first = Value::Null;
    }
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": "."}, "finish_reason": "length"});
    Ok(
        json!({"object": "chat.completion", "model": body.get("model"), "choices": [choice],
            "prompt_logprobs": entries, "usage": make_usage(tokens.len())}),
    )
}

fn is_flag(body: &Value, name: &str, value: bool) -> bool {
    body.get(name).and_then(Value::as_bool) == Some(value)
}

/// Returns the reply to a prompt that is to be echoed; one token is written after it.
pub(super) fn score_echo(body: &[u8]) -> Result<Value, String> {
    let body = parse_json(body)?;
    let prompt = body.get("prompt").and_then(Value::as_str);
    let prompt = prompt.ok_or("prompt: expected a text")?;
    if !is_flag(&body, "echo", true) || !body.get("logprobs").is_some_and(Value::is_u64) {
        return Err("only prompts that are echoed with log-probabilities are answered here".into());
    }
    let tokens = cut_tokens(prompt);
    let shown: Vec<&str> = tokens.iter().map(String::as_str).chain(["."]).collect();
    // Nothing stands before the first token, so that it has none.
    let mut logprobs: Vec<_> = token_logprobs(&tokens).into_iter().map(Some).collect();
    if let Some(first) = logprobs.first_mut() {
        *first = None;
    }
    logprobs.push(Some(-1.0));
    let choice = json!({"index": 0, "text": format!("{prompt}."), "finish_reason": "length",
        "logprobs": {"tokens": shown, "token_logprobs": logprobs}});
    Ok(
        json!({"object": "text_completion", "model": body.get("model"), "choices": [choice],
            "usage": make_usage(tokens.len())}),
    )
}

fn parse_json(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|e| format!("the body is not JSON: {e}"))
}

fn make_usage(prompt: usize) -> Value {
    json!({"prompt_tokens": prompt, "completion_tokens": 1, "total_tokens": prompt + 1})
}

fn cut_tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut is_open = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric();
        match tokens.last_mut().filter(|_| is_open && is_word) {
            Some(last) => last.push(c),
            None => tokens.push(c.to_string()),
        }
        is_open = is_word || c == ' ';
    }
    tokens
}

fn token_logprobs(tokens: &[String]) -> Vec<f64> {
    let mut seen = HashSet::new();
    let mut logprobs = Vec::with_capacity(tokens.len());
    for token in tokens {
        let is_new = seen.insert(token.trim().to_lowercase());
        logprobs.push(if is_new { -2.0 } else { -0.5 });
    }
    logprobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_spell_the_text() {
        let text = "Say hi.\n\n Hi,  you!\u{e9}";
        assert_eq!(cut_tokens(text).concat(), text);
        assert_eq!(cut_tokens("Say hi."), ["Say", " hi", "."]);
    }

    #[test]
    fn what_stood_before_is_likelier() {
        let body = json!({"model": "m", "prompt": "Say hi hi", "echo": true, "logprobs": 1, "max_tokens": 1}).to_string();
        let reply = score_echo(body.as_bytes()).unwrap();
        assert_eq!(
            reply["choices"][0]["logprobs"]["token_logprobs"],
            json!([null, -2.0, -0.5, -1.0])
        );
        assert_eq!(reply["usage"]["prompt_tokens"], 3);
    }

    #[test]
    fn a_chat_must_end_with_an_unfinished_turn() {
        let chat = |fields: Value| {
            let mut body = json!({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "a"}], "prompt_logprobs": 0});
            body.as_object_mut()
                .unwrap()
                .extend(fields.as_object().unwrap().clone());
            body.to_string()
        };
        let good = chat(json!({"continue_final_message": true, "add_generation_prompt": false}));
        assert!(is_wanted(good.as_bytes()) && !is_wanted(b"{}"));
        let reply = score_chat(good.as_bytes()).unwrap();
        let entries = reply["prompt_logprobs"].as_array().unwrap();
        let spelt: String = entries
            .iter()
            .filter_map(|entry| entry.as_object()?.values().next()?["decoded_token"].as_str())
            .collect();
        assert!(
            entries[0].is_null() && spelt.ends_with("user>\na\n<assistant>\na"),
            "{spelt}"
        );
        assert!(score_chat(chat(json!({})).as_bytes()).is_err());
    }
}
