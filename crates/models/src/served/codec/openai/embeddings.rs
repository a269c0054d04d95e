//! OpenAI's embeddings (`POST /v1/embeddings`), which many servers follow.

use super::reply::usage;
use crate::served::codec::json::malformed;
use crate::served::codec::{Dialect, invalid};
use crate::served::fault::Fault;
use evenhand_core::{CallError, Embeddings, Reply, Setting};
use serde_json::{Value, json};

/// The body of a request: all texts at once. A model's extra fields are for its chats, and stay
/// out.
pub(in crate::served::codec) fn body(
    dialect: &Dialect,
    pieces: &[String],
) -> Result<String, CallError> {
    if !dialect.embeddings {
        let model = &dialect.model;
        return Err(invalid(format!(
            "the API of {model} has no embeddings: name another model with {}, or align by token \
             overlap (portia without `embedding`)",
            Setting::Embedder
        )));
    }
    Ok(json!({"model": dialect.model, "input": pieces, "encoding_format": "float"}).to_string())
}

/// Reads a reply to so many texts, whose embeddings say themselves which text they are of.
pub(in crate::served::codec) fn reply(count: usize, value: &Value) -> Result<Reply, Fault> {
    let data = match value.get("data") {
        Some(Value::Array(data)) => data,
        Some(_) => return Err(malformed("the reply's data are no list")),
        None => {
            return Err(malformed(
                "the reply has no field `data`: is the address that of an embeddings API?",
            ));
        }
    };
    if data.len() != count {
        return Err(malformed(format!(
            "the reply has {} embeddings of {count} texts",
            data.len()
        )));
    }
    let mut vectors = vec![Vec::new(); count];
    for object in data {
        let index = object
            .get("index")
            .and_then(Value::as_u64)
            .and_then(|index| usize::try_from(index).ok());
        let place = index
            .and_then(|index| vectors.get_mut(index))
            .filter(|place| place.is_empty());
        let place = place.ok_or_else(|| {
            malformed("the indices of the reply's embeddings are not those of the texts")
        })?;
        *place = vector(object)?;
    }
    let embeddings = Embeddings::new(&vectors).map_err(malformed)?;
    Ok(Reply {
        embeddings: Some(embeddings),
        usage: usage(value),
        ..Reply::default()
    })
}

fn vector(object: &Value) -> Result<Vec<f32>, Fault> {
    let numbers = object.get("embedding").and_then(Value::as_array);
    let numbers =
        numbers.ok_or_else(|| malformed("an embedding of the reply is no list of numbers"))?;
    let number = |value: &Value| value.as_f64().map(|value| value as f32);
    let vector: Option<Vec<f32>> = numbers.iter().map(number).collect();
    vector
        .filter(|vector| !vector.is_empty())
        .ok_or_else(|| malformed("an embedding of the reply is no list of numbers"))
}
