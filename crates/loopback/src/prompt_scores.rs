//! The log-probabilities of a prompt, as vLLM gives them: in a chat (`prompt_logprobs`) and in
//! older completions (`echo`).
//!
//! A token is a run of letters and digits with the space before it, or one other character. It
//! costs half a nat where it stood before in the prompt, else two: what repeats an instruction's
//! words is likely after it.

use serde_json::{Value, json};
use std::collections::HashSet;

/// Whether a chat's body asks for them. A body that cannot be read does not.
pub(crate) fn is_wanted(body: &[u8]) -> bool {
    let mentioned = body
        .windows(PROMPT_LOGPROBS.len())
        .any(|bytes| bytes == PROMPT_LOGPROBS.as_bytes());
    mentioned && read(body).is_ok_and(|body| body.get(PROMPT_LOGPROBS).is_some_and(Value::is_u64))
}

const PROMPT_LOGPROBS: &str = "prompt_logprobs";

/// The reply to a chat that ends with an unfinished turn.
pub(crate) fn of_prompt(body: &[u8]) -> Result<Value, String> {
    let body = read(body)?;
    let turns = body
        .get("messages")
        .and_then(Value::as_array)
        .ok_or("messages: expected an array")?;
    let unfinished = body.get("continue_final_message").and_then(Value::as_bool) == Some(true);
    if !unfinished || body.get("add_generation_prompt").and_then(Value::as_bool) != Some(false) {
        return Err(
            "the last turn is to be continued: expected continue_final_message without \
                    add_generation_prompt"
                .into(),
        );
    }
    let turn = |turn: &Value| {
        format!(
            "<{}>\n{}",
            turn["role"].as_str().unwrap_or(""),
            turn["content"].as_str().unwrap_or("")
        )
    };
    let prompt: Vec<String> = turns.iter().map(turn).collect();
    let tokens = tokens(&prompt.join("\n"));
    let entry = |(at, (token, logprob)): (usize, (&String, &f64))| match at {
        0 => Value::Null,
        at => {
            json!({ (100 + at).to_string(): {"logprob": logprob, "rank": 1, "decoded_token": token}})
        }
    };
    let logprobs = logprobs(&tokens);
    let entries: Vec<Value> = tokens
        .iter()
        .zip(&logprobs)
        .enumerate()
        .map(entry)
        .collect();
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": "."}, "finish_reason": "length"});
    Ok(
        json!({"object": "chat.completion", "model": body.get("model"), "choices": [choice], "prompt_logprobs": entries,
        "usage": usage(tokens.len())}),
    )
}

/// The reply to a prompt that is to be echoed; one token is written after it.
pub(crate) fn echo(body: &[u8]) -> Result<Value, String> {
    let body = read(body)?;
    let prompt = body
        .get("prompt")
        .and_then(Value::as_str)
        .ok_or("prompt: expected a text")?;
    if body.get("echo").and_then(Value::as_bool) != Some(true)
        || !body.get("logprobs").is_some_and(Value::is_u64)
    {
        return Err("only prompts that are echoed with log-probabilities are answered here".into());
    }
    let tokens = tokens(prompt);
    let known = logprobs(&tokens);
    let logprobs: Vec<Option<f64>> = known
        .into_iter()
        .enumerate()
        .map(|(at, one)| (at > 0).then_some(one))
        .chain([Some(-1.0)])
        .collect();
    let shown: Vec<&str> = tokens.iter().map(String::as_str).chain(["."]).collect();
    let choice = json!({"index": 0, "text": format!("{prompt}."), "finish_reason": "length",
        "logprobs": {"tokens": shown, "token_logprobs": logprobs}});
    Ok(
        json!({"object": "text_completion", "model": body.get("model"), "choices": [choice], "usage": usage(tokens.len())}),
    )
}

fn read(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|e| format!("the body is not JSON: {e}"))
}

fn usage(prompt: usize) -> Value {
    json!({"prompt_tokens": prompt, "completion_tokens": 1, "total_tokens": prompt + 1})
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        let word = c.is_alphanumeric();
        match tokens.last_mut().filter(|_| open && word) {
            Some(last) => last.push(c),
            None => tokens.push(c.to_string()),
        }
        open = word || c == ' ';
    }
    tokens
}

fn logprobs(tokens: &[String]) -> Vec<f64> {
    let mut seen = HashSet::new();
    tokens
        .iter()
        .map(|token| {
            if seen.insert(token.trim().to_lowercase()) {
                -2.0
            } else {
                -0.5
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_spell_the_text() {
        let text = "Say hi.\n\n Hi,  you!\u{e9}";
        assert_eq!(tokens(text).concat(), text);
        assert_eq!(tokens("Say hi."), ["Say", " hi", "."]);
    }

    #[test]
    fn what_stood_before_is_likelier() {
        let body = json!({"model": "m", "prompt": "Say hi hi", "echo": true, "logprobs": 1, "max_tokens": 1}).to_string();
        let reply = echo(body.as_bytes()).unwrap();
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
        let reply = of_prompt(good.as_bytes()).unwrap();
        let entries = reply["prompt_logprobs"].as_array().unwrap();
        let spelt: String = entries
            .iter()
            .filter_map(|entry| entry.as_object()?.values().next()?["decoded_token"].as_str())
            .collect();
        assert!(
            entries[0].is_null() && spelt.ends_with("user>\na\n<assistant>\na"),
            "{spelt}"
        );
        assert!(of_prompt(chat(json!({})).as_bytes()).is_err());
    }
}
