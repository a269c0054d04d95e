//! Embeddings in OpenAI's shape: a function of each text's words alone.

use crate::draw::digest;
use serde_json::{Value, json};

/// How many numbers a vector has.
const DIMENSIONS: usize = 64;

/// Returns the reply to a request's body, the last text's embedding first; the error says what is
/// wrong with it.
pub(crate) fn embed_body(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body)
        .map_err(|e| format!("the body is not JSON: {e}"))
        .and_then(|body| embed_json(&body))
}

/// Returns the reply to a body that was read.
pub(crate) fn embed_json(body: &Value) -> Result<Value, String> {
    let texts = read_texts(body)?;
    // The last comes first: the index says which text it is of, not the place.
    let numbered = texts.iter().enumerate().rev();
    let data: Vec<Value> = numbered
        .map(|(index, text)| describe_embedding(index, text))
        .collect();
    let tokens = count_tokens(&texts);
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    Ok(json!({"object": "list", "data": data, "model": body.get("model"), "usage": usage}))
}

fn read_texts(body: &Value) -> Result<Vec<&str>, String> {
    let input = body.get("input").and_then(Value::as_array);
    let input = input.ok_or("input: expected an array")?;
    let texts: Option<Vec<&str>> = input.iter().map(read_text).collect();
    let texts = texts.filter(|texts| !texts.is_empty());
    texts.ok_or("input: expected texts, none of them empty".into())
}

fn describe_embedding(index: usize, text: &str) -> Value {
    json!({"object": "embedding", "index": index, "embedding": count_words(text)})
}

fn count_tokens(texts: &[&str]) -> usize {
    let words = texts.iter().map(|text| text.split_whitespace().count());
    words.sum()
}

fn read_text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// Counts how often words of each digest stand in a text.
fn count_words(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; DIMENSIONS];
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        if let Some(count) = counts.get_mut(place_of(word)) {
            *count += 1.0;
        }
    }
    counts
}

fn place_of(word: &str) -> usize {
    digest(word.as_bytes()) as usize % DIMENSIONS
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

    #[test]
    fn what_is_no_request_is_refused() {
        for body in [
            "",
            "{}",
            r#"{"input": "one"}"#,
            r#"{"input": []}"#,
            r#"{"input": ["x", ""]}"#,
            r#"{"input": [1]}"#,
        ] {
            assert!(embed_body(body.as_bytes()).is_err(), "{body}");
        }
    }
}
