//! Rewards in the shapes of the servers that give them: the longer the answer, the better, less a
//! quarter for each word that the instruction has too.

use super::http::Route;
use serde_json::{Value, json};

/// Returns the reply to a request's body; the error says what is wrong with it. Fields that the
/// server does not know are refused, as by servers that are strict.
pub(super) fn reward_body(route: Route, body: &[u8]) -> Result<Value, String> {
    let body: Value =
        serde_json::from_slice(body).map_err(|e| format!("the body is not JSON: {e}"))?;
    let known: &[&str] = match route {
        Route::Classify | Route::Pooling => &["model", "messages", "use_activation"],
        Route::Score => &["model", "text_1", "text_2", "use_activation"],
        Route::Rerank => &["model", "query", "documents"],
        _ => &["query", "texts", "raw_scores"],
    };
    let fields = body.as_object().ok_or("expected an object")?;
    if let Some(field) = fields.keys().find(|field| !known.contains(&field.as_str())) {
        return Err(format!("{field}: extra fields are not permitted"));
    }
    let text = |pointer: &str| {
        let found = body.pointer(pointer).and_then(Value::as_str);
        found
            .map(str::to_owned)
            .ok_or(format!("{pointer}: expected a text"))
    };
    let (query, answer) = match route {
        Route::Classify | Route::Pooling => {
            let messages = body["messages"]
                .as_array()
                .ok_or("messages: expected a list")?;
            let content = |turn: &Value| turn["content"].as_str().unwrap_or_default().to_owned();
            let (last, before) = messages.split_last().ok_or("messages: expected a list")?;
            if last["role"] != "assistant" {
                return Err("messages: expected the assistant's turn at the end".into());
            }
            let before: Vec<String> = before.iter().map(content).collect();
            (before.join("\n\n"), content(last))
        }
        Route::Score => (text("/text_1")?, text("/text_2")?),
        Route::Rerank => (text("/query")?, text("/documents/0")?),
        _ => (text("/query")?, text("/texts/0")?),
    };
    let reward = reward_of(&query, &answer);
    let tokens = query.split_whitespace().count() + answer.split_whitespace().count();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    let model = &body["model"];
    Ok(match route {
        Route::Classify => json!({"object": "list", "model": model, "usage": usage,
            "data": [{"index": 0, "label": "LABEL_0", "probs": [reward], "num_classes": 1}]}),
        Route::Pooling => json!({"object": "list", "model": model, "usage": usage,
            "data": [{"index": 0, "object": "pooling", "data": [[0.0], [reward]]}]}),
        Route::Score => json!({"object": "list", "model": model, "usage": usage,
            "data": [{"index": 0, "object": "score", "score": reward}]}),
        Route::Rerank => json!({"id": "rerank-1", "model": model, "usage": usage, "results": [
            {"index": 0, "document": {"text": answer}, "relevance_score": reward}]}),
        _ => json!([{"index": 0, "score": reward}]),
    })
}

fn reward_of(query: &str, answer: &str) -> f64 {
    let asked: Vec<&str> = query.split_whitespace().collect();
    let words = answer.split_whitespace();
    words
        .map(|word| if asked.contains(&word) { 0.75 } else { 1.0 })
        .sum::<f64>()
        - 5.0
}
