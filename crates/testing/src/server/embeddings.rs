//! Embeddings in OpenAI's shape: a function of each text's words alone.

use super::draw::digest;
use serde_json::{Value, json};

/// How many numbers a vector has.
const DIMENSIONS: usize = 64;

/// Returns the reply to a request's body, the last text's embedding first; the error says what is
/// wrong with it.
pub(super) fn embed_body(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body)
        .map_err(|e| format!("the body is not JSON: {e}"))
        .and_then(|body| embed_json(&body))
}

/// Returns the reply to a body that was read.
pub(super) fn embed_json(body: &Value) -> Result<Value, String> {
    let input = body.get("input").and_then(Value::as_array);
    let input = input.ok_or("input: expected an array")?;
    let mut data = Vec::new();
    let mut tokens = 0;
    for (index, text) in input.iter().enumerate() {
        let text = text.as_str().filter(|text| !text.is_empty());
        let text = text.ok_or("input: expected texts, none of them empty")?;
        tokens += text.split_whitespace().count();
        data.push(json!({"object": "embedding", "index": index, "embedding": count_words(text)}));
    }
    if data.is_empty() {
        return Err("input: expected texts, none of them empty".into());
    }
    // The last comes first: the index says which text it is of, not the place.
    data.reverse();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    Ok(json!({"object": "list", "data": data, "model": body.get("model"), "usage": usage}))
}

/// Counts how often words of each digest stand in a text.
fn count_words(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; DIMENSIONS];
    let lower = text.to_lowercase();
    for word in lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if let Some(count) = counts.get_mut(digest(word.as_bytes()) as usize % DIMENSIONS) {
            *count += 1.0;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_give_the_same_embedding() {
        let reply =
            embed_json(&json!({"model": "m", "input": ["A cat.", "a CAT!", "Dogs"]})).unwrap();
        let indices: Vec<&Value> = reply["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|object| &object["index"])
            .collect();
        assert_eq!(indices, [2, 1, 0], "in no convenient order");
        assert_eq!(reply["data"][1]["embedding"], reply["data"][2]["embedding"]);
        assert_ne!(reply["data"][0]["embedding"], reply["data"][1]["embedding"]);
        assert_eq!(
            (&reply["usage"]["prompt_tokens"], &reply["model"]),
            (&json!(5), &json!("m"))
        );
    }
}
